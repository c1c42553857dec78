"""Read collections of problems, of any size and in any format: one way for all.

The content tells the format and how a file is compressed. A file is read as a stream,
in constant memory. A record that cannot be read costs itself and no other; of a
compressed file that was cut short, what came before is kept.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from solver.errors import FormatError, InputError
from solver.formats.detection import TITLES, detect_format
from solver.formats.game_position import MAX_RECORD_BYTES
from solver.formats.meter import Meter
from solver.formats.numbered_lines import NumberedLines, is_record
from solver.formats.opening import name_of
from solver.formats.selection import EVERYTHING, Selection
from solver.formats.streams import count_compressed, open_decompressed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.problem import Problem

    Lines: TypeAlias = Iterator[tuple[int, bytes]]
    Records: TypeAlias = Iterator[Problem | FormatError]

AUTO = "auto"
"""The format is to be told by the content."""

_LICHESS = "lichess"

_READERS = {
    "epd": ("epd", "read_epd"),
    "fen": ("epd", "read_epd"),
    "pgn": ("pgn_problems", "read_pgn"),
    "olive": ("olive", "read_olive"),
    "popeye": ("popeye", "read_popeye"),
    "jsonl": ("jsonl", "read_jsonl"),
    "csv": ("own_csv", "read_csv"),
}
"""Module and function, loaded when such a file comes."""


def read_collection(
    path: str | os.PathLike[str],
    *,
    source_format: str = AUTO,
    selection: Selection = EVERYTHING,
    meter: Meter | None = None,
) -> Records:
    """Read the problems of a file.

    Parameters
    ----------
    path : str or PathLike
        A file, or `-` for standard input. Of formats that have one record a line, each
        is given as soon as its line is there.
    source_format : str
        One of `FORMATS`, or `auto`.
    selection : Selection
        Which of its records to give; unreadable ones always are.
    meter : Meter, optional
        Counts, and knows how far the file has been read.

    Yields
    ------
    Problem or FormatError
        The records in their order.

    Raises
    ------
    OSError
        If the file cannot be opened or read, or, behind its last record, if it was
        changed while it was read.
    """
    name = name_of(path)
    meter = meter or Meter()
    try:
        stream = open_decompressed(path)
    except InputError as error:
        meter.records += 1
        yield FormatError(name, str(error))
        return
    with stream:
        opened = _regular_status(stream)
        lines = NumberedLines(stream, MAX_RECORD_BYTES)
        bytes_read = count_compressed(stream) or (lambda: lines.taken)
        meter.begin(bytes_read, opened.st_size if opened else None)
        for record in _read(lines, name, source_format, selection, meter):
            meter.records += 1
            yield record
        closed = _regular_status(stream)
        if opened and closed and _version(opened) != _version(closed):
            raise OSError(errno.ESTALE, "changed while it was read", name)


def _read(
    lines: NumberedLines,
    name: str,
    source_format: str,
    selection: Selection,
    meter: Meter,
) -> Records:
    try:
        yield from _dispatch(iter(lines), name, source_format, selection, meter)
    except InputError as error:  # of the compressed stream
        yield FormatError(f"{name}:{lines.number + 1}", str(error))


def _dispatch(
    lines: Lines, name: str, source_format: str, selection: Selection, meter: Meter
) -> Records:
    """Find the reader, ahead of which no more than the first record is read."""
    first = next((item for item in lines if is_record(item[1])), None)
    if first is None:
        return
    lines = chain([first], lines)
    if source_format == AUTO:
        source_format = detect_format(first[1])
    if source_format == _LICHESS:
        from solver.formats.lichess import read_lichess

        yield from read_lichess(lines, name, selection, meter)
        return
    if selection.theme is not None or selection.min_rating is not None:
        reason = (
            f"--theme and --min-rating: expected {TITLES[_LICHESS]}, "
            f"found {TITLES[source_format]}"
        )
        yield FormatError(name, reason)
        return
    for record in _find_reader(source_format)(lines, name):
        if isinstance(record, FormatError) or selection.wants(record):
            yield record
        else:
            meter.passed_over += 1


def _find_reader(source_format: str) -> Callable[[Lines, str], Records]:
    module, function = _READERS[source_format]
    reader: Callable[[Lines, str], Records] = getattr(
        import_module(f"solver.formats.{module}"), function
    )
    return reader


def _regular_status(stream: BinaryIO) -> os.stat_result | None:
    """Look up size and time of a regular file; of anything else, nothing."""
    try:
        status = os.fstat(stream.fileno())
    except io.UnsupportedOperation:
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def _version(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns
