"""Read and write collections of problems, of any size and in any format.

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
from itertools import chain, islice
from pathlib import PurePath
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from solver import files, problem
from solver.errors import FormatError, InputError, missing_package
from solver.formats import streams
from solver.formats.claims import (
    AUTO,
    DEFAULTS,
    KEPT,
    SAMPLE_BYTES,
    FileSummary,
    ReadOptions,
)

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
    takes : str
        What the reader gets: the numbered `lines`, the whole `text`, or the `stream`.
    yields_entries : bool
        Whether it yields entries, which `reading` understands, and not problems.
    needs : tuple of str
        The module that the reader needs, what for, and the package that has it.
    is_written : bool
        Whether that module also has a writer, such as `write_csv`, and perhaps
        constants such as `CSV_HEAD`, `CSV_SEPARATOR` and `CSV_TAIL`, which are written
        before the first problem, between two, and after the last. Only the writers of
        Parquet and SQLite are found elsewhere.
    """

    title: str
    reader: str
    takes: str = "lines"
    yields_entries: bool = False
    needs: tuple[str, ...] = ()
    is_written: bool = False


_YAML = "yaml", "reading YAML", "PyYAML"
_PYARROW = "pyarrow", "reading Parquet", "pyarrow"
_OPENPYXL = "openpyxl", "reading workbooks", "openpyxl"
_Entries = partial(_Format, yields_entries=True)
_BY_NAME = {
    "epd": _Format("EPD", "epd.read_epd", is_written=True),
    # A list of FENs is EPD without operations.
    "fen": _Format("FENs", "epd.read_epd", is_written=True),
    "jsonl": _Format("JSON lines", "json_records.read_jsonl", is_written=True),
    "json": _Entries("JSON document", "trees.read_document", "stream"),
    "yaml": _Entries("YAML", "trees.read_yaml", "text", needs=_YAML),
    "toml": _Entries("TOML", "trees.read_toml", "text"),
    "pgn": _Format("PGN", "pgn.read_pgn", is_written=True),
    "scores": _Format("PGN with mate scores", "scores.read_scores"),
    "matecheck": _Format("matecheck.py's log", "epd.read_matecheck"),
    "popeye": _Format("Popeye's input", "popeye.read_popeye", is_written=True),
    "olive": _Format("Olive's YAML", "olive.read_olive", needs=_YAML),
    "lichess": _Format("lichess's CSV", "rows.read_csv"),
    "csv": _Format("CSV", "rows.read_csv", is_written=True),
    "markdown": _Entries("Markdown", "tables.read_markdown", "lines"),
    "html": _Entries("HTML or XML", "elements.read_elements", "text"),
    "text": _Entries("text", "text.read_any_text", "text"),
    "parquet": _Format(
        "Parquet", "parquet.read_parquet", "stream", needs=_PYARROW, is_written=True
    ),
    "sqlite": _Entries("SQLite", "tables.read_sqlite", "stream", is_written=True),
    "xlsx": _Entries("a workbook", "tables.read_workbook", "stream", needs=_OPENPYXL),
}
"""The formats by name."""

FORMATS = tuple(_BY_NAME)
"""The formats that can be read."""

WRITABLE = tuple(name for name, row in _BY_NAME.items() if row.is_written)
"""The formats that can be written."""

WITH_ACCEPTED = "jsonl", "pgn", "sqlite"
"""The formats that hold the accepted moves of a problem, or their first line."""

_LICHESS, _JSON, _PARQUET, _TEXT, _ZIP = "lichess", "json", "parquet", "text", "zip"
_SQLITE = "sqlite"
_ROWS = {"jsonl", "csv", _LICHESS, _PARQUET}
"""The formats that select rows before they parse them."""

_WITH_COLUMNS = _ROWS | {"epd", "fen", "pgn"}
"""The formats whose readers get the options."""

_SELECTABLE = _ROWS | {name for name, row in _BY_NAME.items() if row.yields_entries}
_BINARY = {_PARQUET, _SQLITE, "xlsx"}
_MAX_TEXT_BYTES = 1 << 26
"""The longest text that is read; other formats are read piece by piece."""

_SUFFIXES = {
    {"popeye": ".inp", _SQLITE: ".db3"}.get(name, f".{name}"): name for name in WRITABLE
}


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
        keeps_all = replace(options, columns={}, source_format=AUTO) == DEFAULTS
        for record in _end_floods(found, summary, can_wait=opened is not None):
            if keeps_all and not isinstance(record, FormatError):  # most records
                summary.count(record)
                yield record
            elif kept := _count(record, summary, options):
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
        summary.count_illegal(record.reason)
        return record
    if not options.selection.includes(record):
        summary.not_selected += 1
        return None
    summary.count(record)
    if not options.claims and record.stipulation is problem.MATE:
        return replace(record, claim=None, no_mate=None)
    return record


_SLASHES = 7
"""How many slashes the first field of a FEN has."""

FLOOD = 20
"""If this many records at the beginning of a file have the same fault, reading ends."""

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


class Writer(NamedTuple):
    """The functions that write a file.

    Attributes
    ----------
    write : callable
        Returns the record of a problem: its text, or the cells of its row; raises
        InputError if the format cannot express it. Those of `WITH_ACCEPTED` also take
        its accepted tree.
    save : callable
        Writes any number of these records to a file.
    """

    write: Callable[..., Any]
    save: Callable[[Iterable[Any], BinaryIO], object]


def find_writer(target_format: str) -> Writer:
    """Return the writer of a format, one of `WRITABLE`; Parquet needs pyarrow."""
    if target_format == _SQLITE:
        from solver.formats import en_croissant

        return Writer(en_croissant.write_sqlite, en_croissant.save_rows)
    if target_format == _PARQUET:
        from solver.formats import evidence, parquet, rows

        return Writer(rows.problem_row, partial(parquet.write_rows, evidence.COLUMNS))
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
    from solver.formats import detection, tables

    name, chosen = summary.name, options.source_format
    # A program that waits for its answers states the format or the columns.
    waits = summary.waits = (
        chosen == AUTO and not (options.columns or options.by_line)
    ) or _version(stream) is not None
    head = lines.sample(SAMPLE_BYTES if waits else 1)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        lines.decode_utf16()
        head = lines.sample(SAMPLE_BYTES)
    if not head.strip() and chosen not in _BINARY:
        return
    found = detection.detect(head, name, is_whole=len(head) < SAMPLE_BYTES)
    if found == _ZIP and chosen == AUTO:
        yield from _read_members(lines.rest(), summary, options)
        return
    if chosen == AUTO and found not in _BINARY and detection.is_binary(head):
        found = tables.name_binary(head)
        yield FormatError(f"{name}:1", f"expected text in UTF-8, found {found}")
        return
    if options.by_line and found == _TEXT:
        found = "epd"
    source_format = found if chosen == AUTO else chosen
    if (fault := _find_mismatch(source_format, found)) is None:
        summary.looks = _describe_looks(source_format, found, head)
        summary.title, summary.format = title_of(source_format), source_format
        fault = _find_refusal(source_format, options)
    if fault is not None:
        yield FormatError(name, fault)
        return
    content, damage = _content(source_format, lines)
    for record in read_as(source_format, content, summary, options):
        is_error = isinstance(record, FormatError) and not record.text
        yield _with_text(cast("FormatError", record), lines) if is_error else record
    if damage is not None:
        raise damage


def _with_text(error: FormatError, lines: NumberedLines) -> FormatError:
    """Return the error of a record with the record's text and name."""
    number = error.source.rpartition(":")[2]
    if not number.isdecimal():
        return error
    text = lines.text_at(int(number))
    name = error.name or next(filter(None, chain(*_find_names(text))), "")
    return error._replace(text=text, name=problem.printable(name))


_find_names = re.compile(r'\bid "([^"]+)"|\[Event "([^"]+)"\]').findall
"""Names in EPD and in PGN."""


def _find_mismatch(source_format: str, found: str) -> str | None:
    """Return why a file of a binary format cannot be read."""
    if found == source_format or not {found, source_format} & {*_BINARY, _ZIP}:
        return None
    other = title_of(found) if found in _BINARY else "another format"
    return f"expected {title_of(source_format)}, found {other}"


def _find_refusal(source_format: str, options: ReadOptions) -> str | None:
    """Return why a file cannot be read with these options, or on this machine."""
    selection, title = options.selection, title_of(source_format)
    is_selective = selection.theme is not None or selection.min_rating is not None
    if is_selective and source_format not in _SELECTABLE:
        expected = f"expected {title_of(_LICHESS)}, found {title}"
        return f"--theme and --min-rating: {expected}"
    if options.columns and source_format not in _WITH_COLUMNS | _SELECTABLE:
        return f"--columns: expected a file with fields, found {title}"
    needs = _BY_NAME[source_format].needs
    if needs and find_spec(needs[0]) is None:
        return missing_package(*needs[1:])
    return None


def _content(source_format: str, lines: NumberedLines) -> tuple[Any, InputError | None]:
    """Return the input of a format's reader; for a text, also what damaged its end."""
    takes = _BY_NAME[source_format].takes
    if source_format == _JSON:
        return lines.pieces(), None
    if takes == "stream":
        return lines.rest(), None
    if takes == "lines":
        return lines, None
    content, damage = bytearray(), None
    try:
        for piece in islice(lines.pieces(), _MAX_TEXT_BYTES // streams.PIECE_BYTES):
            content += piece
    except InputError as error:  # of the compressed stream
        damage = error
    return streams.plain_text(bytes(content)), damage


def _read_members(
    stream: BinaryIO, summary: FileSummary, options: ReadOptions
) -> Records:
    """Read the members of a zip, each as a file; one summary counts them all."""
    from solver.formats import tables

    name, titles = summary.name, dict[str, None]()
    try:
        for member in tables.read_zip(stream, name):
            if isinstance(member, FormatError):
                yield member
                continue
            summary.name, content = member
            buffered: Any = io.BufferedReader(cast("io.RawIOBase", content))
            lines = streams.NumberedLines(buffered, streams.MAX_RECORD_BYTES)
            yield from _read(buffered, lines, summary, options)
            titles[summary.title] = None
    except InputError as error:
        yield FormatError(name, str(error))
    summary.name, summary.title = name, f"zip of {', '.join(titles) or 'nothing'}"
    summary.format = _ZIP


def read_as(
    source_format: str, content: Any, summary: FileSummary, options: ReadOptions
) -> Records:
    """Read the content of a file in one of `FORMATS`, such as its numbered lines."""
    reader = resolve_name(f"solver.formats.{_BY_NAME[source_format].reader}")
    if not _BY_NAME[source_format].yields_entries:
        more = (options,) * (source_format in _WITH_COLUMNS)
        return cast("Records", reader(content, summary, *more))
    from solver.formats import reading

    given = {_JSON: (summary,), "yaml": (summary,), "toml": (), "html": ()}
    entries = reader(content, *given.get(source_format, (summary.name,)))
    return reading.read_entries(entries, summary, options)


def _describe_looks(chosen: str, found: str, head: bytes) -> str:
    """Return what a file looks like, and what to do, if it is not read as `chosen`."""
    is_unknown = found == _TEXT and head.count(b"/") < _SLASHES
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
