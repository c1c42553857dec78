"""JSON lines, as `verify --jsonl` prints them, and JSON documents.

Called by `registry` and `cli`; imports `claims`, `rows`, `streams`, `errors` and
`problem`.

In a document, the outermost objects that hold a position are the records. Documents are
not loaded whole.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from solver.errors import InputError, quote, refusal
from solver.formats import rows
from solver.formats.streams import MAX_RECORD_BYTES, read_each, read_lines
from solver.problem import Problem, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from solver.formats.claims import FileSummary, ReadOptions
    from solver.formats.streams import Lines, Records

_LINE = re.compile(rb'\{\s*(?:"[^"]*"\s*:|\}|\Z)')
"""The beginning of a JSON line, even of a bad one."""

_SURE = 3
"""Text with more tokens of JSON is JSON, even with a fault: `[Event` has one."""

_TOO_LONG = re.compile(rb"[0-9]{601}")
"""So long a number could crash ijson 3.6 in C: Python does not convert it."""

_FAULT = "fault"
_SLASHES = 7
"""How many there are in the first field of a FEN."""

_MAX_DEPTH = 50
_NUMBER_BYTES = 8
"""About as long is a number, true, false or null."""

_Record: TypeAlias = "tuple[str, dict[str, Any], int]"
"""The key of a record in an object, its fields, and about how many bytes they have."""


def find_json(head: bytes, options: ReadOptions) -> str | None:
    """Find out whether a file has JSON lines or a JSON document.

    Parameters
    ----------
    head : bytes
        Its beginning: the first line, or as much as has arrived.
    options : ReadOptions

    Returns
    -------
    str or None
        `jsonl` or `json`; None if it is something else.
    """
    positions = rows.known_fields(options)["position"]
    line = head.splitlines(keepends=True)[0]
    tokens, depth, depths = [*_parse([line], is_whole=False)], 0, set()
    for (_, key), (kind, value) in pairwise(chain([("", "")], tokens)):
        depth += kind.startswith("start_") - kind.startswith("end_")
        if _is_position(kind, key, value, positions):
            depths.add(depth)
    is_faulty = tokens[-1][0] == _FAULT
    if is_faulty and _LINE.match(line):
        return "jsonl"
    if (depth and line != head) or is_faulty:  # no whole value
        tokens = [*_parse([head], is_whole=False)]
        return None if tokens[-1][0] == _FAULT and len(tokens) <= _SURE else "json"
    is_record = 1 in depths or not (depth or depths)
    return "jsonl" if tokens[0][0] == "start_map" and is_record else "json"


def _is_position(kind: str, key: Any, value: Any, positions: list[str]) -> bool:
    """Return whether a token is a position, legal or not, and not only named so."""
    is_fen = kind == "string" and value.count("/") >= _SLASHES
    return is_fen and isinstance(key, str) and rows.plain_name(key) in positions


def read_jsonl(lines: Lines, summary: FileSummary, options: ReadOptions) -> Records:
    """Read JSON lines; see `read_lines`."""
    reader = rows.RowReader(summary, options)

    def parse(text: str, source: str) -> Problem | None:
        return _read_object(reader, parse_object(text), source)

    return rows.keep_selected(read_lines(lines, summary.name, parse), summary)


def parse_object(text: str) -> dict[str, Any]:
    """Parse a JSON object.

    Raises
    ------
    InputError
        The text is something else.
    """
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"expected a JSON object, found {quote(text)}: {error}"
        raise InputError(msg) from None
    if not isinstance(record, dict):
        msg = f"expected a JSON object, found {quote(text)}"
        raise InputError(msg)
    return record


def _read_object(
    reader: rows.RowReader, record: dict[str, Any], source: str, name: str = ""
) -> Problem | None:
    for column in reader.nested:
        value: Any = record
        for key in column.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            record.setdefault(column, value)
    try:
        cells = [*map(rows.cell_text, record.values())]
    except RecursionError:
        msg = f"expected a flat JSON object, found {quote(', '.join(record))}"
        raise InputError(msg) from None
    return reader.read(reader.plan(tuple(record)), cells, source, name)


def read_json(
    pieces: Iterable[bytes], summary: FileSummary, options: ReadOptions
) -> Records:
    """Read a JSON document, or several one after another.

    Parameters
    ----------
    pieces : iterable of bytes
        The file.
    summary : FileSummary
        Counts the records that are not selected.
    options : ReadOptions
        Which records to read, and how.

    Yields
    ------
    Problem or FormatError
        In file order; the source is `file:record`. After a fault of the document there
        are no more.
    """
    reader = rows.RowReader(summary, options)
    positions = rows.known_fields(options)["position"]

    def find() -> Iterator[_Record | InputError]:
        try:
            yield from _find_records(_parse(pieces), positions, summary)
        except InputError as error:
            yield error

    def parse(record: _Record | InputError, source: str) -> Problem | None:
        if isinstance(record, InputError):
            raise record
        name, fields, size = record
        if size > MAX_RECORD_BYTES:
            msg = f"expected at most {MAX_RECORD_BYTES:,} bytes, found a larger one"
            raise InputError(msg)
        return _read_object(reader, fields, source, name)

    records = read_each(enumerate(find(), 1), summary.name, parse)
    return rows.keep_selected(records, summary)


def _parse(
    pieces: Iterable[bytes], *, is_whole: bool = True
) -> Iterator[tuple[str, Any]]:
    """Yield the tokens of JSON texts, as ijson names them, as soon as they arrive.

    The last may be a fault and what it is; with `is_whole` also an unexpected end.
    """
    import ijson

    tokens = ijson.sendable_list()
    parser = ijson.basic_parse_coro(tokens, multiple_values=True)
    faults = (ijson.JSONError, ValueError, ArithmeticError)
    digits = b""  # at the end of the last piece
    try:
        for piece in pieces:
            before, digits = len(digits), digits + piece
            if found := _TOO_LONG.search(digits):
                piece = piece[: max(0, found.start() - before)] + b"?"  # noqa: PLW2901
            digits = digits[len(digits.rstrip(b"0123456789")) :]
            parser.send(piece)
            yield from tokens
            tokens.clear()
        if is_whole:
            parser.close()
    except faults as error:
        yield from tokens
        yield _FAULT, printable(f"{error}".partition("\n")[0])
    finally:
        with suppress(*faults):  # otherwise ijson in Python complains about the rest
            parser.close()


class _Open:
    """A list or an object that has begun.

    Attributes
    ----------
    items : list of tuple
        The keys and values that it holds, without records; a list has no keys.
    key : str
        In an object, the last key.
    size : int
        About how many bytes of it have been read, without records.
    is_record : bool
        Whether it holds a position.
    has_records, leads_to_records : bool
        Whether it holds records itself, or at any depth.
    others : int
        How many objects without a position a list has before its first record.
    """

    def __init__(self, *, is_object: bool) -> None:
        self.items: list[tuple[str, Any]] = []
        self.is_object, self.key, self.size, self.others = is_object, "", 0, 0
        self.is_record = self.has_records = self.leads_to_records = False

    def add(self, value: Any, size: int) -> None:
        """Add a value, unless the whole is too large."""
        self.size += size + len(self.key)
        if self.size <= MAX_RECORD_BYTES:
            self.items.append((self.key, value))


def _find_records(
    tokens: Iterable[tuple[str, Any]], positions: list[str], summary: FileSummary
) -> Iterator[_Record]:
    """Yield each record.

    Objects beside a record that have no position are yielded too, to be refused. What
    else there is beside records is noted in the summary.

    Raises
    ------
    InputError
        After the records before a fault; at the end if there are none.
    """
    title = summary.title
    stack = [root := _Open(is_object=False)]
    for kind, value in tokens:
        last = stack[-1]
        if kind == "map_key":
            last.key = value
        elif kind.startswith("start_"):
            stack.append(_Open(is_object=kind == "start_map"))
            if len(stack) > _MAX_DEPTH:
                msg = f"{title}: expected at most {_MAX_DEPTH} levels, found more"
                raise InputError(msg)
        elif kind.startswith("end_"):
            yield from _close(stack, summary)
        elif kind == _FAULT:
            msg = f"{title}: expected JSON, found a fault: {value}"
            raise InputError(msg)
        else:
            last.add(value, len(value) if kind == "string" else _NUMBER_BYTES)
            last.is_record |= _is_position(kind, last.key, value, positions)
    if not root.leads_to_records:
        found = root.items[0][1] if root.items else None
        raise refusal(title, "objects with a field fen, epd or position", found)


def _close(stack: list[_Open], summary: FileSummary) -> Iterator[_Record]:
    """End the innermost list or object; yield it if it is a record."""
    last, parent = stack.pop(), stack[-1]
    fields = dict(last.items)
    if last.is_record and not any(outer.is_record for outer in stack):
        yield from parent.others * [("", {}, 0)]
        parent.others, parent.has_records = 0, True
        for outer in stack:
            outer.leads_to_records = True
        yield parent.key, fields, last.size
    elif last.leads_to_records:
        for name in fields if last.is_object else ():
            may_claim = not rows.NO_CLAIMS.fullmatch(rows.plain_name(name))
            summary.ignore(printable(name), may_claim=may_claim)
    elif last.is_object and parent.has_records:
        yield parent.key, fields, last.size
    else:
        parent.others += last.is_object and not parent.key
        value = fields if last.is_object else [item for _, item in last.items]
        parent.add(value, last.size)


def write_jsonl(problem: Problem) -> str:
    """Write a problem as one line, without empty fields."""
    fields = rows.fields_of(problem).items()
    record = {name: value for name, value in fields if value is not None}
    # Escaped, a name with control characters does no harm to a terminal.
    escaped = not problem.id.isprintable()
    return json.dumps(record, ensure_ascii=escaped, separators=(",", ":")) + "\n"
