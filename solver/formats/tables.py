"""Tables in text, SQLite files and workbooks; the members of a zip; other binary files.

Nothing here says what a cell means. A text is a table if most of its rows have a cell
that is a FEN, so neither a file's name nor a column's decides.

A row of a delimited text is as in RFC 4180, so a quoted cell may hold line breaks. Its
number is that of its first line. A quote that is never closed costs only its own line.
"""

from __future__ import annotations

import csv
import io
import re
import sqlite3
import zipfile
import zlib
from collections import Counter, deque
from contextlib import ExitStack, closing
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, TypeAlias

from solver import files
from solver.errors import FormatError, InputError, quote, refusal
from solver.formats import streams
from solver.formats.entries import Entry, Placed
from solver.position_text import find_fens
from solver.problem import escape_controls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from solver.formats.streams import Lines

Row: TypeAlias = "tuple[int, list[str] | InputError]"
"""The number of a row, from 1, and its cells or why they cannot be read."""

Entries: TypeAlias = "Iterator[Entry | FormatError]"
"""Records, and errors for those that cannot be read."""

# Cells and names

_match_quotes = re.compile(
    r"[\s\"'`*]*(?:(?:position\s+)?fen\b[\s:=]*)?", re.IGNORECASE
).match
_is_after_fen = re.compile(r"[\s\"'`*;,]*").fullmatch
_is_after_nearly = re.compile(r"(?:\s+[\w-]{1,5}){0,5}[\s\"'`*;,]*").fullmatch
_find_pgn = re.compile(r'\[\s*FEN\s+\\?"').search


def is_position(cell: str) -> bool:
    """Return whether a cell is a FEN, perhaps a wrong one, or PGN that holds one."""
    found = list(islice(find_fens(cell, nearly=True), 2)) if "/" in cell else []
    if len(found) == 1:
        begun = _match_quotes(cell)
        ends = _is_after_fen if found[0].is_whole else _is_after_nearly
        if begun and begun.end() == found[0].start and ends(cell[found[0].end :]):
            return True
    return bool(found) and _find_pgn(cell) is not None


def name_columns(cells: Sequence[str], width: int = 0) -> tuple[str, ...]:
    """Return a name for each column: its header, or its number if that is empty.

    The second of two equal names is followed by `(2)`.
    """
    names: dict[str, None] = {}
    counts = Counter[str]()
    for at in range(width or len(cells)):
        cell = " ".join(cells[at].split()) if at < len(cells) else ""
        name = first = cell.strip("`*\ufeff ") or str(at + 1)
        while name in names:
            counts[first] += 1
            name = f"{first} ({counts[first] + 1})"
        names[name] = None
    return tuple(names)


def entry_of(
    number: int, names: Sequence[str], cells: Iterable[str], heads: tuple[str, ...] = ()
) -> Entry:
    """Return a row as a record; an empty cell is a missing field."""
    pairs = zip(names, (cell.strip() for cell in cells), strict=False)
    return Entry(number, {name: cell for name, cell in pairs if cell}, (), heads)


def _plain(value: object) -> str:
    """Return a value of a database or a workbook as a text; empty for binary data."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes):
        return "" if b"\0" in value else streams.decode(value)
    return "" if value is None else str(value)


# Delimited text

_DELIMITERS = ",;\t|"
MAX_ROW_LINES = 1000
"""The most lines of a row, so that quotes that are never closed cost little time."""

_SAME_WIDTH, _WITH_FEN = 0.9, 0.8
"""The shares of a table's rows that have the same width, and a cell that is a FEN."""


def _is_blank(cells: Sequence[str]) -> bool:
    return not (cells[0].strip() or any(map(str.strip, cells)))


def _is_separator(cells: Sequence[str]) -> bool:
    """Return whether a row names the delimiter, for Excel."""
    return cells[0].lstrip("\ufeff").lower().startswith("sep=")


def _names_in(cells: Sequence[str], width: int) -> tuple[str, ...] | None:
    """Return the names of columns if a row is a header."""
    if len(cells) < 2 or any(map(is_position, cells)) or _is_separator(cells):
        return None
    first = cells[0].lstrip("\ufeff \t").removeprefix("#")
    return name_columns([first, *cells[1:]], width)


def find_delimiter(lines: list[str]) -> tuple[str, tuple[str, ...] | None] | None:
    r"""Find out whether a text is a table, by its first lines.

    Nine tenths of its rows have the same width, at least two, and four fifths have a
    cell that is a FEN. EPD, whose opcodes may follow `;`, must be excluded before.

    Parameters
    ----------
    lines : list of str
        The first lines, with or without their ends; the last one may be cut.

    Returns
    -------
    tuple or None
        The delimiter, one of `,`, `;`, `\t` and `|`, and a name for each column; None
        instead of the names if there is no header. None if the text is no table.
    """
    found = filter(None, (_measure(lines, delimiter) for delimiter in _DELIMITERS))
    best = max(found, key=itemgetter(0), default=None)
    return best and best[1:]


def _measure(
    lines: list[str], delimiter: str
) -> tuple[int, str, tuple[str, ...] | None] | None:
    """Return what `find_delimiter` does, after the number of rows with a FEN."""
    numbered = enumerate((line.encode(errors="replace") for line in lines), 1)
    rows = [
        (cells, [*map(is_position, cells)])
        for _, cells in chain.from_iterable(split_rows([[*numbered]], delimiter))
        if isinstance(cells, list) and not _is_blank(cells)
    ]
    first = next((at for at, (_, wholes) in enumerate(rows) if any(wholes)), len(rows))
    before, body = [cells for cells, _ in rows[:first]], rows[first:]
    full = sum(any(wholes) for _, wholes in body)
    widths = Counter(len(cells) for cells, _ in body)
    ((width, equal),) = widths.most_common(1) or [(0, 0)]
    has_others = any(  # unlike a list of literals in a program
        cell.strip() and not whole
        for row in body
        for cell, whole in zip(*row, strict=True)
    )
    is_table = equal >= _SAME_WIDTH * len(body) and full >= _WITH_FEN * len(body)
    if width < 2 or not (is_table and has_others):
        return None
    before.sort(key=lambda cells: len(cells) != width)
    names = next(filter(None, (_names_in(cells, width) for cells in before)), None)
    return (full, delimiter, names) if names or len(body[0][0]) == width else None


def read_delimited(
    batches: Iterable[Sequence[tuple[int, bytes]]],
    delimiter: str,
    names: tuple[str, ...] | None,
) -> Iterator[list[Row]]:
    """Split the rows of a table, each as soon as it has arrived.

    Parameters
    ----------
    batches : iterable of lines
        The number and the bytes of each line, from the first one on, header included.
    delimiter : str
        What is between cells.
    names : tuple of str or None
        The names that `find_delimiter` returned, one a column. The rows before the
        header are skipped. If it is None, the first row has as many cells as all.

    Yields
    ------
    list of tuple
        The number of a row's first line; and its cells with their white space, as many
        as there are columns, or an InputError. Blank rows are left out.
    """
    width, skips = len(names or ()), True
    for batch in split_rows(batches, delimiter):
        if not skips and all(
            type(x) is list and x[0] and len(x) == width for _, x in batch
        ):
            yield batch
            continue
        rows: list[Row] = []
        for row in batch:
            number, cells = row
            if isinstance(cells, InputError):
                rows.append(row)
                continue
            if skips:
                is_header = names is not None and _names_in(cells, width) == names
                is_first = any(map(is_position, cells)) or not (
                    names
                    or _is_separator(cells)
                    or not streams.is_record(cells[0].encode())
                )
                skips = not (is_header or is_first)
                if not is_first:
                    continue
                width = width or len(cells)
            if not cells[0] and _is_blank(cells):
                continue
            if len(cells) == width:
                rows.append(row)
            elif not _is_blank(cells):
                msg = f"expected {width} columns, found {len(cells):,}"
                rows.append((number, InputError(msg)))
        yield rows


def split_rows(
    batches: Iterable[Sequence[tuple[int, bytes]]], delimiter: str
) -> Iterator[list[Row]]:
    """Yield the number and the cells of each row, of whatever width, in batches."""
    rest = map(streams.decode_batch, batches)
    ahead: deque[tuple[int, str | InputError]] = deque()
    for batch in rest:
        ahead.extend(batch)
        rows: list[Row] = []
        while ahead:
            number, text = ahead.popleft()
            if isinstance(text, InputError):
                rows.append((number, text))
            elif '"' not in text:
                rows.append((number, text.rstrip("\r\n").split(delimiter)))
            else:
                yield rows  # before more lines are waited for
                cells, count = _split_quoted(text, _following(ahead, rest), delimiter)
                for _ in range(count - 1):
                    ahead.popleft()
                rows = [(number, cells)]
        yield rows


def _following(
    ahead: deque[tuple[int, str | InputError]],
    rest: Iterator[list[tuple[int, str | InputError]]],
) -> Iterator[str]:
    """Yield the lines that may belong to the row before them; they stay in `ahead`."""
    size = 0
    for at in range(MAX_ROW_LINES):
        while at >= len(ahead) and (batch := next(rest, None)) is not None:
            ahead.extend(batch)
        if at >= len(ahead) or size > streams.MAX_LINE_BYTES:
            return
        text = ahead[at][1]
        if isinstance(text, InputError):
            raise text
        size += len(text.encode(errors="surrogatepass"))
        yield text


def _split_quoted(
    text: str, following: Iterator[str], delimiter: str
) -> tuple[list[str] | InputError, int]:
    """Return the cells of a row with a quote, and how many lines it has."""
    reader = csv.reader(
        chain([text], following),
        delimiter=delimiter,
        skipinitialspace=True,
        strict=True,
    )
    try:
        return next(reader), reader.line_num
    except InputError as error:
        return error, 1
    except csv.Error as error:
        shown = quote(text.rstrip("\r\n"))
        msg = f"expected a row of CSV, found {shown}: {error}"
        return InputError(msg), 1


# Markdown

_is_ruler = re.compile(r"\s*(?:\|\s*)?(?::?-+:?\s*\|\s*)+(?::?-+:?\s*)?").fullmatch
_split_cells = re.compile(r"(?<!\\)\|").split
_match_heading = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)[\s#]*\Z").match


def find_markdown(lines: list[str]) -> bool:
    """Return whether a text's first lines have a table of Markdown with a FEN."""
    at = next((at for at, line in enumerate(lines) if at and _is_ruler(line)), 0)
    return "|" in lines[at - 1] * at and any(
        "|" in line and any(find_fens(line, nearly=True)) for line in lines[at + 1 :]
    )


def read_markdown(lines: Lines, name: str) -> Entries:
    """Read the tables of a Markdown text, and what is between them.

    Parameters
    ----------
    lines : iterator of tuple
        The number and the bytes of each line.
    name : str
        The file's name in `file:line`.

    Yields
    ------
    Entry or FormatError
        A row that holds a FEN, by the names of its table, under the headings above it;
        or a part of the text outside tables that holds a FEN, as the only field `text`.
    """
    heads: dict[int, str] = {}
    texts: list[tuple[int, str]] = []
    names: tuple[str, ...] = ()
    holds_fens = False  # the table so far
    for number, line in lines:
        try:
            text = streams.decode_line(line).rstrip("\r\n")
        except InputError as error:
            yield FormatError(f"{name}:{number}", str(error))
            continue
        if names and "|" in text:
            holds_fens = holds_fens or any(find_fens(text, nearly=True))
            if holds_fens:
                yield entry_of(number, names, _cells(text), (*heads.values(),))
            continue
        names = ()
        if texts and "|" in texts[-1][1] and _is_ruler(text):
            names, holds_fens = name_columns(_cells(texts.pop()[1])), False
            yield from _text_entry(texts, heads)
        elif found := _match_heading(text):
            yield from _text_entry(texts, heads)
            heads = {at: each for at, each in heads.items() if at < len(found[1])}
            heads[len(found[1])] = found[2].strip("*_` ")
            texts = [(number, text)] if any(find_fens(text)) else []
        else:
            texts.append((number, text))
    yield from _text_entry(texts, heads)


def _cells(line: str) -> list[str]:
    """Return the cells of a row of Markdown."""
    cells = _split_cells(line.strip().removeprefix("|"))
    return [cell.replace("\\|", "|").strip().strip("`*") for cell in cells]


def _text_entry(texts: list[tuple[int, str]], heads: dict[int, str]) -> Iterator[Entry]:
    """Yield a text between tables if it holds a FEN, and forget it."""
    text = "\n".join(line for _, line in texts)
    if any(find_fens(text, nearly=True)):
        yield Entry(texts[0][0], {"text": text}, (), (*heads.values(),))
    texts.clear()


# SQLite

_Sheet: TypeAlias = "tuple[str, tuple[str, ...], Iterator[list[str]]]"
"""The name of a table, the names of its columns, if it has any, and its rows."""

_SAMPLE_ROWS = 50
_MAX_CELL_BYTES = 1 << 24
_TOO_LONG = f"expected a row of at most {streams.MAX_LINE_BYTES:,} characters"
_SQLITE = "SQLite"
_STORE = (
    "SQLite: expected a database of positions, found a store of matesolve: "
    "`matesolve report` shows it, `matesolve export` writes its problems"
)


def read_sqlite(stream: BinaryIO, name: str) -> Entries:
    """Read the tables of an SQLite file that hold FENs, in order of their names.

    Views, virtual tables and computed columns are not read, so nothing that the file
    states is run. What its write-ahead log holds is not read either.

    Parameters
    ----------
    stream : BinaryIO
        The opened file. Unless it has a path, it is first copied to a temporary file.
    name : str
        The file's name in `file:number`.

    Yields
    ------
    Entry or FormatError
        The rows, numbered from 1 through all tables; the table's name is their heading.

    Raises
    ------
    InputError
        The file is damaged, or it is a store of matesolve.
    """
    with streams.with_path(stream) as path:
        uri = f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1"
        try:
            with closing(sqlite3.connect(uri, uri=True)) as base:
                base.text_factory = streams.decode
                base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_CELL_BYTES)
                ((mark,),) = base.execute("PRAGMA application_id")
                if mark == files.STORE_ID:
                    raise InputError(_STORE)
                yield from _number(_read_tables(base), name)
        except sqlite3.Error as error:
            raise _damage(_SQLITE, error) from None


def _damage(title: str, error: Exception) -> InputError:
    msg = f"{title}: expected a whole file, found damage: {error}"
    return InputError(escape_controls(msg))


def _read_tables(base: sqlite3.Connection) -> Iterator[_Sheet]:
    tables = base.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' "
        "AND name NOT LIKE 'sqlite@_%' ESCAPE '@' AND sql NOT LIKE 'CREATE VIRTUAL%' "
        "ORDER BY name"
    ).fetchall()
    for (table,) in tables:
        columns = base.execute("SELECT name FROM pragma_table_info(?)", [table])
        names = [column for (column,) in columns]
        listed = ", ".join(map(_identifier, names))
        # In the order of the row ids, which an index might change.
        query = f"SELECT {listed} FROM {_identifier(table)} NOT INDEXED"  # noqa: S608
        if names:
            rows = base.execute(query)
            yield table, tuple(names), ([*map(_plain, row)] for row in rows)


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _number(sheets: Iterable[_Sheet], name: str) -> Entries:
    """Yield the rows of those tables that have a FEN in their first rows."""
    number = 0
    for title, given, rows in sheets:
        sample = [*islice(rows, _SAMPLE_ROWS)]
        holds = (any(any(find_fens(cell)) for cell in row) for row in sample)
        first = next((at for at, has_fen in enumerate(holds) if has_fen), None)
        if first is None:
            continue
        heads: tuple[str, ...] = (title,)
        names = given
        if not names:  # they are in the first row that has several cells
            before = [[cell for cell in row if cell.strip()] for row in sample[:first]]
            at = next((at for at, row in enumerate(before) if len(row) > 1), first)
            heads += tuple(row[0] for row in before[:at] if row)
            names = name_columns([*sample[at] * (at < first)], max(map(len, sample)))
            del sample[: at + (at < first)]
        for row in chain(sample, rows):
            number += 1
            if sum(map(len, row)) > streams.MAX_LINE_BYTES:
                yield FormatError(f"{name}:{number}", _TOO_LONG)
            elif any(row):
                yield entry_of(number, names, row, heads)


# Workbooks

_BOOK = "a workbook"
_MAX_WORKBOOK_BYTES = 1 << 28
_MAX_CELLS = 1 << 25


def read_workbook(stream: BinaryIO, name: str) -> Entries:
    """Read the sheets of an .xlsx workbook that hold FENs, in their order.

    Parameters
    ----------
    stream : BinaryIO
        The file; it is first copied to a temporary file if it is not seekable.
    name : str
        The file's name in `file:number`.

    Yields
    ------
    Entry or FormatError
        The rows, numbered from 1 through all sheets; the sheet's name is their heading.
        Formulas have the values that were saved with them. Each text has its place.

    Raises
    ------
    InputError
        The workbook is damaged or too large.
    """
    import openpyxl

    with streams.seekable(stream) as file:
        try:
            with zipfile.ZipFile(file) as parts:
                size = sum(part.file_size for part in parts.filelist)
            _limit(_BOOK, "bytes when unpacked", _MAX_WORKBOOK_BYTES, size)
            book = openpyxl.load_workbook(
                file, read_only=True, data_only=True, keep_links=False
            )
            with closing(book):
                yield from _number(_read_sheets(book), name)
        except (InputError, MemoryError):
            raise
        except Exception as error:  # openpyxl checks little
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise _damage(_BOOK, error) from error


def _limit(title: str, what: str, most: int, found: int) -> None:
    if found > most:
        raise refusal(title, f"at most {most:,} {what}", found)


def _read_sheets(book: Any) -> Iterator[_Sheet]:
    count = 0

    def rows(sheet: Any) -> Iterator[list[str]]:
        nonlocal count
        for at, row in enumerate(sheet.iter_rows(values_only=True), 1):
            count += len(row)
            _limit(_BOOK, "cells", _MAX_CELLS, count)
            yield [
                Placed(_plain(value), (sheet.title, at, column))
                for column, value in enumerate(row, 1)
            ]

    for sheet in book.worksheets:
        sheet.reset_dimensions()  # what some programs write there is wrong
        yield sheet.title, (), rows(sheet)


# The members of a zip

_MAX_MEMBERS = 10_000
_MAX_RATIO = 200
_ZIP = "a zip"
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
"""What is raised for damage, and for a member that is encrypted."""


class _Member(io.RawIOBase):
    """The content of a member; damage is an InputError."""

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            piece = self._content.read(len(buffer))
        except _DAMAGE as error:
            raise _damage(_ZIP, error) from None
        buffer[: len(piece)] = piece
        return len(piece)


def read_zip(
    stream: BinaryIO, name: str
) -> Iterator[tuple[str, BinaryIO] | FormatError]:
    """Open the members of a zip, in its order; nothing is unpacked to the disk.

    Parameters
    ----------
    stream : BinaryIO
        The file; it is first copied to a temporary file if it is not seekable.
    name : str
        Its name for messages.

    Yields
    ------
    tuple or FormatError
        The name of a member for messages, after the zip's, and its content, which is
        closed before the next one is opened. Reading it raises InputError at damage.
        Members that are encrypted, archives or damaged at their beginning are errors.

    Raises
    ------
    InputError
        The zip is damaged, or has too many members, or too much content for its size.
    """
    with streams.seekable(stream) as file, ExitStack() as opened:
        try:
            archive = opened.enter_context(zipfile.ZipFile(file))
        except _DAMAGE as error:
            raise _damage(_ZIP, error) from None
        members = [each for each in archive.infolist() if not _is_folder(each)]
        _limit(_ZIP, "files", _MAX_MEMBERS, len(members))
        most = max(_MAX_RATIO * file.seek(0, io.SEEK_END), streams.MAX_RECORD_BYTES)
        size = sum(each.file_size for each in members)
        _limit(_ZIP, "bytes when unpacked", most, size)
        for member in members:
            title = f"{name}/{escape_controls(member.filename)}"
            try:
                with _open_member(archive, member) as content:
                    yield title, content
            except InputError as error:
                yield FormatError(title, str(error))


def _open_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> BinaryIO:
    """Open a member; raise InputError if it is refused."""
    try:
        content = io.BufferedReader(_Member(archive.open(member)))
    except _DAMAGE as error:
        raise InputError(escape_controls(str(error))) from None
    is_zip = content.peek(2).startswith(b"PK")
    if is_zip and not member.filename.endswith(".xlsx"):
        msg = "expected a file, found an archive within an archive"
        raise InputError(msg)
    return content


def _is_folder(member: zipfile.ZipInfo) -> bool:
    """Return whether a member is no file, or what macOS adds for each file."""
    return member.is_dir() or member.filename.startswith("__MACOSX/")


# What is no text

_BINARY = (
    (
        rb"\xd0\xcf\x11\xe0",
        "an Excel workbook of 1997 to 2003; save it as .xlsx or CSV",
    ),
    (rb"%PDF", "a PDF; save it as text"),
    (rb"\x89PNG|\xff\xd8\xff|GIF8|RIFF.{4}WEBP", "an image"),
    (rb"PK\x03\x04.{26}(?:mimetype|.*?word/)", "an office document; save it as text"),
    (rb"PK[\x03\x05]", "a zip"),
    (rb"7z\xbc\xaf|Rar!|.{257}ustar", "an archive; unpack it"),
    (rb"\0\0[\x24\x2c]\0[\x2e\x2f]\x01|Scid\.s", "a database; export it as PGN"),
    (rb"(?:[^\0]\0){8}|(?:\0[^\0]){8}", "UTF-16 without a mark; save it as UTF-8"),
)
_NAMES = [(re.compile(magic, re.DOTALL).match, words) for magic, words in _BINARY]


def name_binary(head: bytes) -> str:
    """Return what a binary file is by its first bytes, and what to do with it.

    Parameters
    ----------
    head : bytes
        Its first bytes, 300 or more if there are as many.

    Returns
    -------
    str
        Such as `a PDF; save it as text`; `a binary file` if that is all that is known.
    """
    return next((words for match, words in _NAMES if match(head)), "a binary file")
