"""Read collections of problems, of any size and in any format: one way for all.

The content tells the format and how a file is compressed. A file is read as a stream,
in constant memory. A record that cannot be read costs itself and no other; of a
compressed file that was cut short, what came before is kept.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
from importlib import import_module
from itertools import chain
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeAlias

from solver.errors import FormatError, InputError
from solver.files import GZIPPED
from solver.formats.claims import EVERYTHING, Selection
from solver.formats.streams import (
    MAX_RECORD_BYTES,
    Meter,
    NumberedLines,
    count_compressed,
    is_record,
    name_of,
    open_decompressed,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.problem import Problem


# Tell the format of a collection by how it begins.

FORMATS = ("epd", "fen", "lichess", "pgn", "olive", "popeye", "jsonl", "csv")
"""What can be read; lists of FENs are EPD without operations."""

TITLES = {
    "epd": "EPD",
    "fen": "FENs",
    "lichess": "lichess's CSV",
    "pgn": "PGN",
    "olive": "Olive's YAML",
    "popeye": "Popeye's input",
    "jsonl": "JSON lines",
    "csv": "CSV",
}
"""What people call them."""

_BEGINNINGS = {
    "jsonl": re.compile(rb'\{\s*(?:"[^"]*"\s*:|\}|\Z)'),
    "pgn": re.compile(rb"\[|\{|[0-9]+\s*\."),
    "popeye": re.compile(rb"begin", re.IGNORECASE),
    "olive": re.compile(rb"---|- |-\Z|[A-Za-z_][\w -]*:(?:\s|\Z)"),
    "lichess": re.compile(
        rb'(?=.*\bPuzzleId\b)(?=.*\bFEN\b)[\w",]+\Z'  # names of columns
        rb'|"?\w+"?,"?(?:[1-8A-Za-z]+/){7}[1-8A-Za-z]+ [wb] [^,]*,"?[a-h][1-8][a-h]'
    ),
    "csv": re.compile(rb'(?:[^/]*,)?\s*"?fen"?\s*(?:,[^/]*)?\Z'),
}
"""The first record's beginning, in this order; anything else is EPD or a FEN."""


def detect_format(line: bytes) -> str:
    """Tell the format of a file.

    Parameters
    ----------
    line : bytes
        Its first line that is neither blank nor a comment.

    Returns
    -------
    str
        One of `FORMATS`: `epd` where nothing speaks for another.
    """
    beginning = line.strip()
    for name, pattern in _BEGINNINGS.items():
        if pattern.match(beginning):
            return name
    return "epd"


# Write problems in any format that can be written.

_WRITERS = {
    "epd": ("epd", "write_epd"),
    "fen": ("fen", "write_fen"),
    "pgn": ("pgn_problems", "write_pgn"),
    "jsonl": ("jsonl", "write_jsonl"),
    "csv": ("own_csv", "write_csv"),
    "popeye": ("popeye", "write_popeye"),
}
"""Module and function, loaded when such a file is to be written.

Where a module has `HEAD`, `SEPARATOR` or `TAIL`, these stand before the first problem,
between any two and behind the last.
"""

WRITABLE = tuple(_WRITERS)
"""The formats that problems can be written in."""

_SUFFIXES = {
    ".epd": "epd",
    ".fen": "fen",
    ".pgn": "pgn",
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".inp": "popeye",
}


class Writer(NamedTuple):
    """What makes the text of a file.

    Attributes
    ----------
    write : callable
        Gives the text of one problem; raises InputError where the format cannot say it.
    head, separator, tail : str
        Stand before the first problem, between any two, and behind the last.
    """

    write: Callable[[Problem], str]
    head: str
    separator: str
    tail: str


def find_writer(target_format: str) -> Writer:
    """Give the writer of a format, one of `WRITABLE`."""
    module_name, function = _WRITERS[target_format]
    module = import_module(f"solver.formats.{module_name}")
    frame = (getattr(module, name, "") for name in ("HEAD", "SEPARATOR", "TAIL"))
    return Writer(getattr(module, function), *frame)


def format_of(path: str) -> str | None:
    """Tell by its name, and a `.gz` behind it, in which format a file is to be.

    Returns
    -------
    str or None
        One of `WRITABLE`; None where the name does not tell.
    """
    return _SUFFIXES.get(PurePath(path.removesuffix(GZIPPED)).suffix)


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
