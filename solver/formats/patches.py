"""Where the values of a file's records are, and how others are written there.

`patch` goes through a file that has been read, gives each wanted record to its caller
with the fields that may claim something, and yields the file with what replaces them.
All else stays: in a text each other byte, in its own encoding; in a workbook each other
cell and its format.
"""

from __future__ import annotations

import codecs
import io
import json
import re
import sys
import zipfile
from bisect import bisect_left, bisect_right
from collections import defaultdict
from contextlib import contextmanager
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeAlias

from solver.errors import InputError, refuse
from solver.formats import epd, pgn, streams, tables, trees
from solver.formats.claims import FileSummary
from solver.formats.entries import Entry, Placed

if TYPE_CHECKING:
    import os
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )

    from solver.problem import Problem

_TABLES, _EPD, _PGN, _LINES = {"csv", "lichess"}, {"epd", "fen"}, "pgn", "jsonl"
_DOCUMENT, WORKBOOK = "json", "xlsx"

FORMATS = frozenset({*_TABLES, *_EPD, _PGN, _LINES, _DOCUMENT, WORKBOOK})
"""The formats that can be patched, of `registry.FORMATS`."""

_OPERATIONS = dict.fromkeys(
    (*epd.LENGTHS, "mated", "mated in", "stipulation"), "claim"
) | {"bm": "keys", "pv": "line", "nomate": "nomate"}
"""The part of a problem that an operation of EPD has."""

_TAGS = {"Stipulation": "claim", "NoMate": "nomate", "Keys": "keys", "FEN": "position"}
"""The part that a tag of PGN has; others may have words."""

_TAG = re.compile(r'\[\s*(?P<name>\w+)\s*"(?P<text>(?:[^"\\]|\\.)*)"\s*\]\s*')
_COMMENT = re.compile(r"\{(?P<text>[^}]*)\}\s*")
_MOVES = re.compile(r"(?P<text>[^{(;]*?)\s*(?:\*|1-0|0-1|1/2-1/2)?\s*\Z")
"""A main line without comments and variations, and the result."""

_TOKEN = re.compile(
    r'(?P<mark>[{}\[\]])|(?P<string>"(?:[^"\\]|\\.)*")|[^\s,:{}\[\]"]+', re.DOTALL
)
_Items: TypeAlias = "list[tuple[int, int]]"
_WORDS = {"true": True, "false": False, "null": None}


class PlacedField(NamedTuple):
    """A field of a record that may claim something.

    Attributes
    ----------
    part : str
        See `evidence.FIELDS`; empty if it is not read, but for words that claim.
    name : str
        Its name in the file.
    text : str
        What it says.
    at : object
        Its place; two fields may have the same.
    """

    part: str
    name: str
    text: str
    at: Any


class Located(NamedTuple):
    """A record in its file.

    Attributes
    ----------
    fields : tuple of PlacedField
        Those that may claim something, and the position.
    read : callable
        Reads the record with other texts by their places; returns None or raises
        InputError if it then is no record.
    """

    fields: tuple[PlacedField, ...] = ()
    read: Callable[[Mapping[Any, str]], Problem | None] = lambda _texts: None


Decide: TypeAlias = "Callable[[int, Located], Mapping[Any, str] | None]"
"""Gets the number of a record and where it is. Returns other texts by their places, or
None to leave the record out."""


Write: TypeAlias = "Callable[[str, Any, str], str]"
"""Gets a text, a place in it, and a new text; returns what to write at the place."""


class KeptError(InputError):
    """A record cannot be left out of its file."""


def patch(
    path: str | os.PathLike[str],
    summary: FileSummary,
    wanted: Collection[int],
    decide: Decide,
) -> Iterator[bytes]:
    """Yield the content of a file piece by piece, with other texts in some records.

    Parameters
    ----------
    path : str or PathLike
        A file in one of `FORMATS`, perhaps compressed; what is yielded is not.
    summary : FileSummary
        What was understood when the file was read.
    wanted : collection of int
        The numbers of the records to decide about, as in `file:number`.
    decide : callable
        See `Decide`; called for each wanted record, in file order.

    Raises
    ------
    KeptError
        A record cannot be left out, because it is not an item of a list, or formulas
        may refer to the rows below it.
    """
    if summary.learnt:
        summary.learnt.select_all()  # whatever the new claim
    if summary.format == WORKBOOK:
        with streams.open_decompressed(path) as stream:
            yield _patch_workbook(stream, summary, wanted, decide)
        return
    ends = _find_ends(path, summary, wanted)
    with _open_text(path) as (stream, mark):
        yield mark
        pieces = (
            iter([_patch_document(stream.read(), summary, wanted, decide)])
            if summary.format == _DOCUMENT
            else _patch_lines(stream, summary, ends, decide)
        )
        for piece in pieces:
            text = piece.decode(errors="surrogatepass") if mark else ""
            yield text.encode(_UTF16[mark], "surrogatepass") if mark else piece


# Texts


_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@contextmanager
def _open_text(path: str | os.PathLike[str]) -> Iterator[tuple[BinaryIO, bytes]]:
    """Open a text; of one in UTF-16, return its mark, and the rest in UTF-8."""
    with streams.open_decompressed(path) as stream:
        mark = stream.peek(2)[:2]
        if mark in _UTF16:
            content = stream.read()[len(mark) :].decode(_UTF16[mark], "surrogatepass")
            yield io.BytesIO(content.encode(errors="surrogatepass")), mark
        else:
            yield stream, b""


def _lines_of(stream: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of each line, as `NumberedLines` counts them."""
    lines = (line for part in stream for line in part.splitlines(keepends=True))
    yield from enumerate(lines, 1)


def _find_ends(
    path: str | os.PathLike[str], summary: FileSummary, wanted: Collection[int]
) -> dict[int, int]:
    """Return the line after each wanted record, by its first line."""
    if summary.format not in {_PGN, *_TABLES}:
        return {number: number + 1 for number in wanted}
    with _open_text(path) as (stream, _):
        # Without the mark that comes before the first line.
        lines = (
            (number, line.removeprefix(codecs.BOM_UTF8))
            for number, line in _lines_of(stream)
        )
        found: Iterable[tuple[int, Any]] = (
            pgn.split_games(lines)
            if summary.format == _PGN
            else chain.from_iterable(
                tables.split_rows(([line] for line in lines), summary.table.delimiter)
            )
        )
        starts = chain((number for number, _ in found), [10**18])
        return {start: end for start, end in pairwise(starts) if start in wanted}


def _patch_lines(
    stream: BinaryIO, summary: FileSummary, ends: Mapping[int, int], decide: Decide
) -> Iterator[bytes]:
    """Yield the records of a file whose records are lines, and what is between them."""
    lines = _lines_of(stream)
    start, record = 0, b""
    for number, line in chain(lines, [(10**18, b"")]):
        if record and number < ends[start]:
            record += line
            continue
        if record:
            yield _patch_record(start, record, summary, decide)
        start, record = (number, line) if number in ends else (0, b"")
        yield b"" if record else line


def _patch_record(
    number: int, record: bytes, summary: FileSummary, decide: Decide
) -> bytes:
    mark = codecs.BOM_UTF8 if record.startswith(codecs.BOM_UTF8) else b""
    raw = record.removeprefix(mark)
    text, encoding = _decode(raw)
    locate, write = _WAYS[summary.format]
    texts = decide(number, locate(number, text, summary))
    if texts is None:
        return mark
    edited = _edit(text, texts, write)
    return mark + edited.encode(encoding, errors="surrogateescape")


def _decode(raw: bytes) -> tuple[str, str]:
    """Return a text and its encoding, so that its bytes come back; see `decode`."""
    try:
        return raw.decode(), "utf-8"
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="surrogateescape"), "cp1252"


def _edit(text: str, texts: Mapping[Any, str], write: Write) -> str:
    """Return a text with others at their places; `write` quotes them as there."""
    for at in sorted(texts, reverse=True):
        start, end = at
        text = text[:start] + write(text, at, texts[at]) + text[end:]
    return text


def _located(entry: Entry, summary: FileSummary) -> Located:
    """Return where the fields of an entry are that have a place."""
    reading, cells = summary.learnt, [*entry.fields.values()]

    def read(texts: Mapping[Any, str]) -> Problem | None:
        fields = {
            name: texts.get(cell.at, cell) if isinstance(cell, Placed) else cell
            for name, cell in entry.fields.items()
        }
        problem: Problem | None = reading.read_entry(entry._replace(fields=fields), "")
        return problem

    found = (
        PlacedField(part, name, cell, cell.at)
        for part, name, place in reading.plan(tuple(entry.fields)).fields
        if isinstance(cell := cells[place], Placed)
    )
    return Located((*found,), read)


def _places(entry: Entry) -> list[Any]:
    return [one.at for one in entry.fields.values() if isinstance(one, Placed)]


# Tables


def _locate_row(number: int, text: str, summary: FileSummary) -> Located:
    delimiter, names, _ = summary.table
    cells = [*_split_cells(text, delimiter)]
    lines = enumerate(text.encode(errors="replace").splitlines(keepends=True), 1)
    (_, read), *_ = chain.from_iterable(tables.split_rows([[*lines]], delimiter))
    is_clear = isinstance(read, list) and len(read) == len(cells) == len(names)
    if not is_clear:
        return Located()
    return _located(Entry(number, dict(zip(names, cells, strict=True))), summary)


def _split_cells(text: str, delimiter: str) -> Iterator[Placed]:
    row = text.rstrip("\r\n")
    cell = re.compile(rf' *"(?:[^"]|"")*"[^{delimiter}]*|[^{delimiter}]*')
    start = 0
    while start <= len(row):
        found = cell.match(row, start)
        assert found
        yield Placed(_unquote_cell(found[0]), found.span())
        start = found.end() + 1


def _unquote_cell(raw: str) -> str:
    is_quoted = raw.lstrip(" ").startswith('"')
    return raw.strip(" ")[1:-1].replace('""', '"') if is_quoted else raw


def _write_cell(text: str, at: tuple[int, int], new: str) -> str:
    is_quoted = text[at[0] :].lstrip(" ").startswith('"')
    is_plain = _is_plain_cell(new) and not is_quoted
    return new if is_plain else '"' + new.replace('"', '""') + '"'


_is_plain_cell = re.compile(r'[^",;\t|\r\n]*').fullmatch
"""Whether a cell needs no quotes, whatever is between cells."""


# EPD and PGN


def _locate_operations(_number: int, text: str, summary: FileSummary) -> Located:
    fen, operations = epd.find_operations(text)
    start = text.find(fen)
    fields = [PlacedField("position", "fen", fen, (start, start + len(fen)))]
    for found in operations:
        opcode = epd.opcode_of(found)
        is_comment = epd.is_comment(opcode)
        usual = summary.names.get(opcode, opcode)
        if part := "words" if is_comment else _OPERATIONS.get(usual):
            fields.append(PlacedField(part, opcode, found["operand"], found.span()))

    def read(texts: Mapping[Any, str]) -> Problem | None:
        assert summary.parse
        return summary.parse(_edit(text, texts, _write_operand).strip(), "")

    return Located((*fields,), read)


def _write_operand(text: str, at: tuple[int, int], new: str) -> str:
    """Return an operation with another operand, or nothing; or another position."""
    _, operations = epd.find_operations(text)
    spans = (each.span("operand") for each in operations if each.span() == at)
    start, end = next(spans, at)
    is_removed = not new.strip() and (start, end) != at
    return "" if is_removed else text[at[0] : start] + new + text[end : at[1]]


def _write_plain(_text: str, _at: object, new: str) -> str:
    return new


def _locate_game(_number: int, text: str, summary: FileSummary) -> Located:
    def read(texts: Mapping[Any, str]) -> Problem | None:
        assert summary.parse
        edited = _edit(text, texts, _write_plain).encode(errors="replace")
        lines = edited.splitlines(keepends=True)
        ((_, game),) = pgn.split_games(enumerate(lines, 1))
        return summary.parse(game, "")

    return Located((*_split_game(text, summary.names),), read)


def _split_game(text: str, names: Mapping[str, str]) -> Iterator[PlacedField]:
    """Yield the tags of a game, the comments above its moves, and the moves."""
    at = len(text) - len(text.lstrip())
    while found := _TAG.match(text, at):
        name = found["name"]
        part = _TAGS.get(names.get(name, name), "words")
        part = {"Line": "line"}.get(names.get(name, ""), part)
        if name not in {"SetUp", "Round"}:
            yield PlacedField(part, name, found["text"], found.span("text"))
        at = found.end()
    while found := _COMMENT.match(text, at):
        yield PlacedField("words", "comment", found["text"], found.span("text"))
        at = found.end()
    if found := _MOVES.match(text, at):
        yield PlacedField("line", "moves", found["text"], found.span("text"))


# JSON


class _Tokens:
    """The tokens of a JSON text, as ijson names them; values have their places.

    Attributes
    ----------
    lists : list of list of tuple
        The places of the items of each list that has any.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.lists: list[_Items] = []

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        # Of each open list or object: where it begins, and the places of its items;
        # an object has no places, but perhaps a key whose value comes next.
        opened: list[tuple[int, _Items | None]] = []
        has_key = False
        for found in _TOKEN.finditer(self._text):
            raw, (start, end) = found[0], found.span()
            if raw in "{[":
                opened.append((start, [] if raw == "[" else None))
                has_key = False
                yield "start_array" if raw == "[" else "start_map", None
                continue
            if raw in "}]":
                start, items = opened.pop()
                yield "end_array" if raw == "]" else "end_map", None
                if items:
                    self.lists.append(items)
            elif opened and opened[-1][1] is None and not has_key:
                has_key = True
                yield "map_key", json.loads(raw)
                continue
            else:
                yield _read_scalar(raw, (start, end))
            has_key = False
            if opened and opened[-1][1] is not None:
                opened[-1][1].append((start, end))


def _read_scalar(raw: str, at: tuple[int, int]) -> tuple[str, Any]:
    if raw in _WORDS:
        return "null" if raw == "null" else "boolean", _WORDS[raw]
    value = json.loads(raw)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    # A number is a text too: only texts can have places.
    return "string", Placed(str(value), at)


def _locate_object(number: int, text: str, summary: FileSummary) -> Located:
    from ijson.common import ObjectBuilder

    builder = ObjectBuilder()
    for kind, value in _Tokens(text):
        builder.event(kind, value)
    entries = [*trees.entries_of(builder.value, number)]
    return _located(entries[0], summary) if len(entries) == 1 else Located()


def _write_json(text: str, at: tuple[int, int], new: str) -> str:
    """Write a text as the kind of value that it replaces: also the items of a list."""
    raw = text[slice(*at)]
    before, after = text[: at[0]].rstrip(), text[at[1] :].lstrip()
    items = json.loads(f"[{raw}]")
    are_words = all(isinstance(item, str) and " " not in item for item in items)
    if before.endswith("[") and after.startswith("]") and are_words:
        values: list[Any] = [*new.split()]
    elif isinstance(items[0], str) or not new.lstrip("-").isdecimal():
        values = [new]
    else:
        values = [int(new)]
    glue = ", " if ", " in raw or len(items) == 1 else ","
    return glue.join(json.dumps(one, ensure_ascii=raw.isascii()) for one in values)


def _patch_document(
    content: bytes, summary: FileSummary, wanted: Collection[int], decide: Decide
) -> bytes:
    """Return a JSON document with other values and without some items of its lists."""
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    text, encoding = _decode(content.removeprefix(mark))
    tokens, written = _Tokens(text), dict[Any, str]()
    places, dropped = dict[int, tuple[int, int]](), list[int]()
    for entry in _read_entries(tokens):
        if ats := _places(entry):
            starts, ends = zip(*ats, strict=True)
            places[entry.number] = min(starts), max(ends)
        if entry.number not in wanted:
            continue
        texts = decide(entry.number, _located(entry, summary))
        if texts is None:
            dropped.append(entry.number)
        else:
            written |= {at: _write_json(text, at, new) for at, new in texts.items()}
    written |= dict.fromkeys(_removed(dropped, places, tokens.lists), "")
    edited = _edit(text, written, _write_plain)
    return mark + edited.encode(encoding, errors="surrogateescape")


def _read_entries(tokens: _Tokens) -> Iterator[Entry]:
    """Yield the entries of a document with their places, up to a fault of it."""
    document = trees.Document(FileSummary())

    def read() -> trees.Found:
        try:
            for token in tokens:
                yield from document.read(*token)
        except (ValueError, IndexError):  # the reader has reported the fault
            yield from document.abandon()
        else:
            yield from document.end("")

    return (entry for entry in read() if isinstance(entry, Entry))


def _removed(
    dropped: Collection[int],
    places: Mapping[int, tuple[int, int]],
    lists: Sequence[_Items],
) -> Iterator[tuple[int, int]]:
    """Yield what to remove: each record is the smallest item of a list around it."""
    starts = sorted(start for start, _ in places.values())
    gone: dict[tuple[int, int], tuple[_Items, set[int]]] = {}
    for number in dropped:
        start, end = places.get(number, (0, 0))
        around = [
            (items, at)
            for items in lists
            if (at := bisect_right(items, (start, sys.maxsize)) - 1) >= 0
            and start < end <= items[at][1]
        ]
        items, at = min(around, key=_size, default=([(0, sys.maxsize)], 0))
        first, last = (bisect_left(starts, place) for place in items[at])
        if not around or last - first > 1:
            msg = f"record {number}: expected an item of a list to drop, found none"
            raise KeptError(msg)
        gone.setdefault(items[0], (items, set()))[1].add(at)
    for items, places_gone in gone.values():
        for at in places_gone:
            if not places_gone.issuperset(range(at, len(items))):
                yield items[at][0], items[at + 1][0]
            else:  # with the comma before it
                yield (items[at - 1][1] if at else items[0][0]), items[at][1]


def _size(place: tuple[_Items, int]) -> int:
    items, at = place
    return items[at][1] - items[at][0]


# Workbooks


def _patch_workbook(
    stream: BinaryIO, summary: FileSummary, wanted: Collection[int], decide: Decide
) -> bytes:
    """Return a workbook with other values in some cells, and without some rows."""
    import openpyxl

    dropped: defaultdict[str, list[int]] = defaultdict(list)
    with streams.seekable(stream) as file:
        _require_cells(file)
        book = openpyxl.load_workbook(file, rich_text=True)
        file.seek(0)
        for entry in tables.read_workbook(file, summary.name):
            if not isinstance(entry, Entry) or entry.number not in wanted:
                continue
            cells = {
                name: cell
                if _cell(book, cell.at).data_type != "f"
                else str.__str__(cell)  # a formula has no place for a text
                for name, cell in entry.fields.items()
                if isinstance(cell, Placed)
            }
            texts = decide(
                entry.number, _located(entry._replace(fields=cells), summary)
            )
            for at, new in (texts or {}).items():
                cell = _cell(book, at)
                is_number = isinstance(cell.value, int | float)
                cell.value = int(new) if is_number and new.isdecimal() else new
            if texts is None:
                (sheet, row, _), *_ = _places(entry)
                dropped[sheet].append(row)
    for name, rows in dropped.items():
        _require_plain(book, name)
        for row in sorted(rows, reverse=True):
            book[name].delete_rows(row)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def _cell(book: Any, at: tuple[str, int, int]) -> Any:
    sheet, row, column = at
    return book[sheet].cell(row, column)


_NOT_KEPT = re.compile("xl/(?:media|charts|drawings|embeddings|vbaProject)")


def _require_cells(file: BinaryIO) -> None:
    """Refuse a workbook with parts that openpyxl does not keep."""
    with zipfile.ZipFile(file) as parts:
        found = next(filter(_NOT_KEPT.match, parts.namelist()), None)
    if found:
        msg = (
            "a workbook: expected cells to correct, found pictures or charts, which "
            f"would be lost ({found}); save a copy without them"
        )
        raise InputError(msg)
    file.seek(0)


def _require_plain(book: Any, name: str) -> None:
    """Refuse to drop rows that something else may name."""
    sheet = book[name]
    named = {
        "merged cells": sheet.merged_cells.ranges,
        "a table": sheet.tables,
        "conditional formats": len(sheet.conditional_formatting),
        "names of cells": book.defined_names or sheet.defined_names,
        "formulas": any(
            cell.data_type == "f" for one in book for row in one for cell in row
        ),
    }
    if found := next((words for words, value in named.items() if value), None):
        refuse(f"sheet {name}: expected cells only to drop rows", found, KeptError)


_WAYS: dict[str, tuple[Callable[[int, str, FileSummary], Located], Write]] = {
    **dict.fromkeys(_TABLES, (_locate_row, _write_cell)),
    **dict.fromkeys(_EPD, (_locate_operations, _write_operand)),
    _PGN: (_locate_game, _write_plain),
    _LINES: (_locate_object, _write_json),
}
"""For each format of lines: what finds the fields of a record, and writes one."""
