"""Read and write collections of problems, of any size and in any format.

Called by `audit`, `cli` and `mcp`; imports `claims`, `json_records`, `parquet`, `rows`,
`streams`, `errors`, `files` and `problem`.

The format is detected from the first record, the compression from the first bytes. A
file is read as a stream, in constant memory. Records that cannot be parsed are reported
and skipped; a truncated compressed file yields the records before the truncation.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import stat
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from itertools import chain
from pathlib import PurePath
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from solver import files, problem
from solver.errors import FormatError, InputError, missing_package
from solver.formats import streams
from solver.formats.claims import AUTO, KEPT, FileSummary, ReadOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from solver.formats.streams import NumberedLines, Records


class _Format(NamedTuple):
    """A format of collections.

    Attributes
    ----------
    title : str
        What messages call it.
    reader : str
        Module and function, imported when such a file is read.
    needs : tuple of str
        The module that the reader needs, what for, and the package that has it.
    is_written : bool
        Whether that module also has a writer, such as `write_csv`, and perhaps
        constants such as `CSV_HEAD`, `CSV_SEPARATOR` and `CSV_TAIL`, which are written
        before the first problem, between two, and after the last. Only the writer of
        Parquet is found elsewhere.
    """

    title: str
    reader: str
    needs: tuple[str, ...] = ()
    is_written: bool = False


_YAML = "yaml", "reading YAML", "PyYAML"
_PYARROW = "pyarrow", "reading Parquet", "pyarrow"
_BY_NAME = {
    "epd": _Format("EPD", "epd.read_epd", is_written=True),
    # A list of FENs is EPD without operations.
    "fen": _Format("FENs", "epd.read_epd", is_written=True),
    "jsonl": _Format("JSON lines", "json_records.read_jsonl", is_written=True),
    "json": _Format("JSON document", "json_records.read_json"),
    "pgn": _Format("PGN", "pgn.read_pgn", is_written=True),
    "scores": _Format("PGN with mate scores", "pgn.read_scores"),
    "matecheck": _Format("matecheck.py's log", "epd.read_matecheck"),
    "popeye": _Format("Popeye's input", "popeye.read_popeye", is_written=True),
    "olive": _Format("Olive's YAML", "olive.read_olive", _YAML),
    "lichess": _Format("lichess's CSV", "rows.read_csv"),
    "csv": _Format("CSV", "rows.read_csv", is_written=True),
    "parquet": _Format("Parquet", "parquet.read_parquet", _PYARROW, is_written=True),
}
"""The formats by name."""

_match_fen = re.compile(rb"(?:[1-8A-Za-z]+/){7}[1-8A-Za-z]+(?:\s|\Z)").match
_match_separator = re.compile(rb"sep=.\s*\Z", re.IGNORECASE).match
"""Matches the line with which a table for Excel names its delimiter."""

_match_beginning = re.compile(
    rb'(?P<pgn>\[\s*(?:[A-Za-z0-9][\w+#=:-]*\s*"(?:.*"\s*\]|[^"]*\Z)'
    rb"|(?i:event|fen|setup)\b)|\{|[0-9]+\s*\.(?![0-9]))"  # also tags that are refused
    rb"|(?P<matecheck>DEBUG:|Logging of |Load(?:ed|ing) |(?:Only f|F)ound )"
    rb"|(?P<popeye>(?i:(?:beg|anf|deb|remark|bem)[a-z]*)(?:\s|\Z))"
    rb"|(?P<olive>---|- |-\Z|[A-Za-z_][\w -]*:(?:\s|\Z))"
).match
"""Matches the first record of a format. JSON and tables are found by parsing."""

FORMATS = tuple(_BY_NAME)
"""The formats that can be read."""

WRITABLE = tuple(name for name, row in _BY_NAME.items() if row.is_written)
"""The formats that can be written."""

DEFAULTS = ReadOptions()
"""Detect the format, and read everything that claims a mate."""

_LICHESS = "lichess"
_JSON = "json"
_PARQUET = "parquet"
_ROWS = {_JSON, "jsonl", "csv", _LICHESS, _PARQUET}
"""The formats of rows, which they select before they parse them."""

_JSON_STARTS = (b"{", b"[")

_PARQUET_MAGIC = b"PAR1"
"""The first bytes of a Parquet file."""

_SUFFIXES = {".inp" if name == "popeye" else f".{name}": name for name in WRITABLE}


def read_collection(
    path: str | os.PathLike[str],
    options: ReadOptions = DEFAULTS,
    summary: FileSummary | None = None,
) -> Records:
    """Read the problems of a file.

    Parameters
    ----------
    path : str or PathLike
        A file, or `-` for standard input. If the format has one record per line, each
        is yielded as soon as its line has arrived. Parquet that cannot be read from its
        end, as from a pipe, is first copied to a temporary file.
    options : ReadOptions
        How to read it, and which records to yield.
    summary : FileSummary, optional
        Filled in while the file is read.

    Yields
    ------
    Problem or FormatError
        In file order. If the first `FLOOD` records have the same fault, one error
        says so, and the rest of the file is not read.

    Raises
    ------
    OSError
        If the file cannot be opened or read; after its last record, if it has changed
        while it was read.
    """
    summary = summary or FileSummary()
    summary.name = name = streams.name_of(path)
    try:
        stream = streams.open_decompressed(path)
    except InputError as error:
        summary.unreadable += 1
        yield FormatError(name, str(error))
        return
    with stream:
        yield from _read_opened(stream, options, summary)


def read_text(
    text: str, options: ReadOptions = DEFAULTS, summary: FileSummary | None = None
) -> Records:
    """Read the problems of a text as those of a file; no file is opened.

    See `read_collection`. Text is never Parquet or compressed.
    """
    content = cast("io.RawIOBase", io.BytesIO(text.encode(errors="replace")))
    summary = summary or FileSummary("text")
    return _read_opened(io.BufferedReader(content), options, summary)


def _read_opened(
    stream: io.BufferedReader, options: ReadOptions, summary: FileSummary
) -> Records:
    opened = _version(stream)
    lines = streams.NumberedLines(stream, streams.MAX_RECORD_BYTES)
    bytes_read = streams.count_compressed(stream) or (lambda: lines.bytes_read)
    summary.begin(bytes_read, opened[0] if opened else None)
    try:
        found = _read(stream, lines, summary, options)
        for record in _end_floods(found, summary, can_wait=opened is not None):
            if kept := _count(record, summary, options):
                yield kept
    except InputError as error:  # of the compressed stream
        summary.unreadable += 1
        yield FormatError(f"{summary.name}:{lines.number + 1}", str(error))
    if _version(stream) != opened:
        raise OSError(errno.ESTALE, "changed while it was read", summary.name)


def _count(
    record: problem.Problem | FormatError, summary: FileSummary, options: ReadOptions
) -> problem.Problem | FormatError | None:
    """Count a record; return it as the options say, None if it is not selected."""
    if options.strict and not isinstance(record, FormatError) and record.warnings:
        record = FormatError(record.source, record.warnings[0].partition(KEPT)[0])
    if isinstance(record, FormatError):
        summary.unreadable += 1
        return record
    if not options.selection.includes(record):
        summary.not_selected += 1
        return None
    summary.count(record)
    if not options.claims and record.stipulation is problem.MATE:
        return replace(record, claim=None, no_mate=None)
    return record


_CONTROLS = bytes({*range(32), 127} - {*b"\t\n\v\f\r"})
_LINE_END = re.compile(rb"\r\n?|\n")
_TEXT_BYTES = 20
"""A file is no text if more than one byte of so many in its first line is a control
character."""

_SLASHES = 7
"""How many there are in the first field of a FEN."""

FLOOD = 20
"""A file whose first records, as many as this, have the same fault is not read on."""

_is_understood = re.compile(
    "^(twin .*)?(stipulation|conditions|pieces|option|Variant)|expected a mate in n"
).search
"""Whether a record was read, but asks for something that is not solved."""


def _end_floods(records: Records, summary: FileSummary, *, can_wait: bool) -> Records:
    """Yield records; replace a flood of equal faults at the beginning by one error.

    Parameters
    ----------
    records : iterator of Problem or FormatError
    summary : FileSummary
    can_wait : bool
        Whether errors may be held back until it is clear whether they are a flood.
        Otherwise, as for a program that waits for its answer, they precede that error.
    """
    held: list[problem.Problem | FormatError] = []
    expected = set()  # what the faults have in common if they are equal
    for record in records:
        held.append(record)
        if not can_wait:
            yield record
        fault = record.reason if isinstance(record, FormatError) else ""
        expected.add(fault.partition(", found ")[0])
        is_flood = fault and len(expected) == 1 and not _is_understood(fault)
        if summary.not_selected or not is_flood:
            break
        if len(held) == FLOOD:
            reason = (
                f"the first {FLOOD} records have the same fault, so the rest is not "
                f"read: {held[0]}; the file {summary.looks}"
            )
            yield FormatError(summary.name, reason)
            return
    if can_wait:
        yield from held
    yield from records


def detect_format(head: bytes, options: ReadOptions = DEFAULTS) -> str:
    """Detect the format of a file.

    Parameters
    ----------
    head : bytes
        Its beginning from the first line on that is neither blank nor a comment: at
        least this line, and as much of what follows as has arrived.
    options : ReadOptions
        Names columns that have other names than usual.

    Returns
    -------
    str
        One of `FORMATS`; `epd` if no other format matches.
    """
    head = head.lstrip()
    beginning = next(iter(head.splitlines()), b"").strip()
    if _match_fen(beginning) and not options.columns:
        return "epd"  # without loading the other readers
    from solver.formats import json_records, rows

    if head.startswith(_JSON_STARTS):
        found = json_records.find_json(head, options)
    else:
        found = rows.detect_table(beginning, options)
    matched = _match_beginning(beginning)
    return found or (matched and matched.lastgroup) or "epd"


class Writer(NamedTuple):
    """The functions that write a file.

    Attributes
    ----------
    write : callable
        Returns the record of a problem: its text, or the cells of its row; raises
        InputError if the format cannot express it.
    save : callable
        Writes any number of these records to a file.
    """

    write: Callable[[problem.Problem], Any]
    save: Callable[[Iterable[Any], BinaryIO], object]


def find_writer(target_format: str) -> Writer:
    """Return the writer of a format, one of `WRITABLE`; Parquet needs pyarrow."""
    if target_format == _PARQUET:
        from solver.formats import parquet, rows

        return Writer(rows.problem_row, partial(parquet.write_rows, rows.COLUMNS))
    reader_module = _BY_NAME[target_format].reader.partition(".")[0]
    module = resolve_name(f"solver.formats.{reader_module}")
    write, prefix = getattr(module, f"write_{target_format}"), target_format.upper()
    parts = [f"{prefix}_{part}" for part in ("HEAD", "SEPARATOR", "TAIL")]
    head, separator, tail = (getattr(module, part, "") for part in parts)
    return Writer(write, partial(_save_texts, head, separator, tail))


def _save_texts(
    head: str, separator: str, tail: str, texts: Iterable[str], file: BinaryIO
) -> None:
    """Write texts in UTF-8; if there are none, write nothing, not even a head."""
    texts = iter(texts)
    for first in texts:  # if there is one
        file.write((head + first).encode())
        file.writelines((separator + text).encode() for text in texts)
        file.write(tail.encode())


def format_of(path: str) -> str | None:
    """Return the format in which to write a file, by its name without `.gz`.

    Returns
    -------
    str or None
        One of `WRITABLE`; None if the suffix is unknown.
    """
    return _SUFFIXES.get(PurePath(path.removesuffix(files.GZIPPED)).suffix)


def title_of(source_format: str) -> str:
    """Return the title of a format, one of `FORMATS`, for messages."""
    return _BY_NAME[source_format].title


def _read(
    stream: io.BufferedReader,
    lines: NumberedLines,
    summary: FileSummary,
    options: ReadOptions,
) -> Records:
    """Find the reader from the beginning of the file, and run it."""
    name, source_format = summary.name, options.source_format
    head = stream.peek(1)
    if source_format == AUTO and (binary := _find_binary(head)):
        blank = head[: len(head) - len(head.lstrip())]
        source = f"{name}:{1 + len(_LINE_END.findall(blank))}"
        yield FormatError(source, f"expected text in UTF-8, found {binary}")
        return
    is_parquet = head.startswith(_PARQUET_MAGIC)
    found, records = (
        (_PARQUET, stream) if is_parquet else _detect(head, lines, summary, options)
    )
    if source_format == AUTO:
        source_format = found
    if is_parquet != (source_format == _PARQUET):
        found = title_of(_PARQUET) if is_parquet else "another format"
        yield FormatError(name, f"expected {title_of(source_format)}, found {found}")
        return
    if not found:
        return
    title, _, needs, _ = _BY_NAME[source_format]
    summary.title = title
    summary.format = source_format
    selection = options.selection
    is_selective = selection.theme is not None or selection.min_rating is not None
    if is_selective and source_format not in _ROWS:
        expected = f"--theme and --min-rating: expected {title_of(_LICHESS)}"
        yield FormatError(name, f"{expected}, found {title}")
        return
    if needs and find_spec(needs[0]) is None:
        yield FormatError(name, missing_package(*needs[1:]))
        return
    yield from read_as(source_format, records, summary, options)


def read_as(
    source_format: str, records: Any, summary: FileSummary, options: ReadOptions
) -> Records:
    """Read the content of a file in one of `FORMATS`, such as its numbered lines."""
    more: tuple[object, ...] = ()
    if source_format in _ROWS:
        more = (replace(options, source_format=source_format),)
    reader = resolve_name(f"solver.formats.{_BY_NAME[source_format].reader}")
    records = reader(records, summary, *more)
    return cast("Records", records)


def _find_binary(head: bytes) -> str:
    """Return what a file is that has no lines of text, or an empty text."""
    if head.startswith(_PARQUET_MAGIC):
        return ""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and b"\0" in head:
        return "UTF-16"
    line = _LINE_END.split(head.lstrip(), maxsplit=1)[0]
    controls = len(line) - len(line.translate(None, _CONTROLS))
    return "a binary file" if controls * _TEXT_BYTES > len(line) else ""


def _detect(
    head: bytes, lines: NumberedLines, summary: FileSummary, options: ReadOptions
) -> tuple[str, Any]:
    """Return the format, which is empty if there is nothing, and what is to be read."""
    chosen = options.source_format
    begun = head.removeprefix(codecs.BOM_UTF8).lstrip()
    is_begun = chosen in {AUTO, _JSON} and begun.startswith(_JSON_STARTS)
    if is_begun and detect_format(begun, options) == _JSON:  # perhaps in one long line
        summary.looks = _describe_looks(_JSON, _JSON, begun)
        return _JSON, lines.pieces()
    numbered = iter(lines)
    records = (item for item in numbered if streams.is_record(item[1]))
    first = next((item for item in records if not _match_separator(item[1])), None)
    if first is None:
        return "", ()
    summary.head = first[1]
    start = head.find(first[1])
    found = detect_format(first[1] if start < 0 else head[start:], options)
    read_as = found if chosen == AUTO else chosen
    summary.looks = _describe_looks(read_as, found, first[1])
    rest = chain([first], numbered)
    return found, (line for _, line in rest) if read_as == _JSON else rest


def _describe_looks(chosen: str, found: str, line: bytes) -> str:
    """Return what a file looks like, and what to do, if it is not read as `chosen`."""
    is_unknown = found == "epd" and line.count(b"/") < _SLASHES
    looks = f"looks like {'no format that is known' if is_unknown else title_of(found)}"
    if {chosen, found} <= {"epd", "fen"} or chosen == found:
        return f"{looks}; --format sets its format"
    return f"{looks} and is read as {title_of(chosen)}: try it without the format"


def _version(stream: BinaryIO) -> tuple[int, int] | None:
    """Return a regular file's size and time of change; None for anything else."""
    try:
        status = os.fstat(stream.fileno())
    except io.UnsupportedOperation:
        return None
    is_regular = stat.S_ISREG(status.st_mode)
    return (status.st_size, status.st_mtime_ns) if is_regular else None
