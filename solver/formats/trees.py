"""Records in nested values: JSON documents, JSON lines, YAML and TOML.

This module decides which object is a record, not what a field means:

- A record is the largest object that holds exactly one FEN, at any depth. An object
around a single list or object is not a record.
- An object with a field that is a FEN, beside other fields, is a record whatever else
  it holds. If all its fields are FENs, it names positions.
- In a list of several objects each is a record, and so may be the only one with a FEN,
  unless this FEN stands among words, as in a dialogue: then the objects are parts of
  one record.
- An object with several records as its values is a map of records. Each of its objects
  is one, as in a list, and is named by its key if the key is not a claim.
- An object of columns, lists or objects of equal length of which one has only FENs, has
  a record for each FEN.
- If a key is a FEN, its value describes this position.
- A list of texts, numbers and moves with one FEN is a record whose fields are `1`, `2`,
  and so on. If each item has a FEN, each is a text; otherwise the list is one text.
- Texts with several FENs are texts.
- If no object holds a FEN, objects may be games that lead to a position: the root, or
  those in its lists.

An entry that is a text has the single field `text`.

JSON documents are not loaded whole: a list at the root yields each item at its end. An
object is kept until it ends, or until it is too large to be a record; then it holds
records, and those that it has are yielded.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from functools import lru_cache
from itertools import count, islice
from typing import TYPE_CHECKING, Any, TypeAlias

from solver.errors import InputError, quote, refusal
from solver.formats import words
from solver.formats.entries import Entry, joined
from solver.formats.evidence import NO_CLAIMS, plain_name
from solver.formats.json_tokens import FAULT, OBJECTS, parse_tokens
from solver.formats.streams import MAX_RECORD_BYTES
from solver.position_text import find_fens
from solver.problem import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from solver.formats.claims import FileSummary

Found: TypeAlias = "Iterator[Entry | InputError]"
"""What a reader yields: entries, and errors for unreadable records."""

_MANY = 2
"""So many FENs, or more."""

_SLASHES = 7
"""The fewest slashes of a text with a FEN."""

_SCALARS = {str, int, float, bool, type(None)}
_MAX_DEPTH = 50
_MAX_DOCUMENT_BYTES = 1 << 22
"""The longest YAML or TOML document, which is loaded whole."""

_NUMBER_BYTES = 8
"""About the length of a number, true, false or null."""

_TITLES = {"title", "name", "heading", "description", "theme"}
"""The names of texts that are headings of the lists after them."""

_MOVES = "uci", "san", "move"
_REPLIES = {"replies", "children", "responses", "answers", "continuation", "next"}
_is_square = re.compile(r"[a-h][1-8]").fullmatch
_is_move = re.compile(
    r"(?:\d{1,3}\.+\s*)?(?:[O0]-[O0](?:-[O0])?|[A-Z♔-♟]?[a-h]?[1-8]?[x:-]?[a-h][1-8]"
    r"(?:[=/(]?[A-Za-z]\)?)?)[+#!?]*"
).fullmatch


def read_document(pieces: Iterable[bytes], summary: FileSummary) -> Found:
    """Read a JSON document, or several one after another, in constant memory.

    Parameters
    ----------
    pieces : iterable of bytes
        The file.
    summary : FileSummary
        Has the document's title; notes what is beside records.

    Yields
    ------
    Entry or InputError
        In file order. After a fault of the document there are no more.
    """
    stream = Document(summary)
    for kind, value in parse_tokens(pieces, levels=stream.levels):
        if kind == FAULT:
            fault = f"expected JSON, found a fault: {value}"
        elif len(stream.stack) > _MAX_DEPTH and kind.startswith("start_"):
            fault = f"expected at most {_MAX_DEPTH} levels, found more"
        else:
            yield from stream.read(kind, value)
            continue
        yield from stream.abandon()
        yield InputError(f"{summary.title}: {fault}")
        return
    yield from stream.end(summary.title or "JSON")


def entries_of(
    value: object,
    number: int,
    heads: tuple[str, ...] = (),
    summary: FileSummary | None = None,
) -> Iterator[Entry]:
    """Yield the entries of a parsed value, such as a JSON line.

    Parameters
    ----------
    value : object
        Of dicts, lists, texts, numbers, booleans and None.
    number : int
        The number of the first entry; those of others follow it.
    heads : tuple of str
        The headings above it.
    summary : FileSummary, optional
        Notes what is beside records.

    Raises
    ------
    InputError
        There are none, or the value is nested too deeply.
    """
    if fields := _plain_fields(value):
        yield Entry(number, fields, heads=heads)
        return
    tree = _Tree(number, heads, summary)
    try:
        yield from tree.take(tree.root, "", value)
        for entry in tree.end("record"):
            if isinstance(entry, InputError):
                raise entry
            yield entry
    except RecursionError:
        msg = f"expected at most {_MAX_DEPTH} levels, found more"
        raise InputError(msg) from None


def parse_object(text: str) -> dict[str, Any] | list[Any]:
    """Parse a JSON object or list.

    Raises
    ------
    InputError
        The text is something else.
    """
    try:
        record = json.loads(text.rstrip(" \t\r\n,"))
    except (ValueError, RecursionError) as error:
        msg = f"expected a JSON object, found {quote(text)}: {error}"
        raise InputError(msg) from None
    if not isinstance(record, dict | list):
        msg = f"expected a JSON object, found {quote(text)}"
        raise InputError(msg)
    return record


def read_yaml(text: str, summary: FileSummary) -> Found:
    """Read YAML documents; see `safe_yaml` for what is refused.

    An item that cannot be read is an error, and the others are read. Scalars are texts.
    """
    from solver.formats import safe_yaml

    tree = _Tree(1, (), summary)
    lines = enumerate(text.encode(errors="replace").splitlines(keepends=True), 1)
    for line, value in safe_yaml.read_items(lines, _MAX_DOCUMENT_BYTES):
        if isinstance(value, InputError):
            yield tree.refuse(f"line {line}: {value}")
        else:
            yield from tree.take(tree.root, "", value)
    yield from tree.end(summary.title or "YAML")


def read_toml(text: str) -> Found:
    """Read a TOML document."""
    import tomllib

    try:
        if len(text) > _MAX_DOCUMENT_BYTES:
            raise _too_large(_MAX_DOCUMENT_BYTES)
        yield from entries_of(tomllib.loads(text), 1)
    except (ValueError, RecursionError, InputError) as error:
        is_limit = isinstance(error, InputError)
        fault = "" if is_limit else "expected TOML, found a fault: "
        yield InputError(f"{fault}{printable(str(error))}")


def _too_large(limit: int = MAX_RECORD_BYTES) -> InputError:
    return InputError(f"expected at most {limit:,} bytes, found a larger one")


# Which objects are records


class _Container:
    """A list or an object whose values are taken one after another.

    Attributes
    ----------
    items : list of tuple
        The keys and values that it keeps; a list has no keys.
    heads : tuple of str
        The headings above it.
    name : str
        The name of the only record in it.
    key : str
        In an object, the last key.
    size : int
        About how many bytes the kept values have.
    is_released : bool
        Whether what it holds is yielded before its end is known.
    is_too_large : bool
        Whether it is a record, or part of one, of which nothing is kept.
    has_entries, has_record : bool
        Whether it holds entries at any depth, or is a list with a record or a map of
        records.
    ignored : list of str
        The names of fields beside entries.
    """

    def __init__(self, heads: tuple[str, ...], *, is_object: bool) -> None:
        self.items: list[tuple[str, Any]] = []
        self.ignored: list[str] = []
        self.heads, self.is_object, self.size = heads, is_object, 0
        self.name = self.key = ""
        self.is_released = self.is_too_large = False
        self.has_entries = self.has_record = False

    def see_map(self, others: int = 0) -> None:
        """Find out whether an object is a map of records.

        Parameters
        ----------
        others : int
            How many records it has beside those that it keeps.
        """
        if self.is_object:
            records = sum(
                isinstance(item, dict) and (_is_record(item) or _count_fens(item) == 1)
                for _, item in self.items
            )
            self.has_record = records + others > 1

    def value(self) -> Any:
        """Return what it keeps."""
        return dict(self.items) if self.is_object else [item for _, item in self.items]


class _Tree:
    """Finds the entries of values.

    Attributes
    ----------
    root : _Container
        A list of the documents.
    """

    def __init__(
        self, number: int, heads: tuple[str, ...], summary: FileSummary | None
    ) -> None:
        self.root = _Container(heads, is_object=False)
        self._numbers, self._first, self._summary = count(number), number, summary

    def _entry(
        self, fields: dict[str, str], heads: tuple[str, ...], name: str = ""
    ) -> Entry:
        return Entry(next(self._numbers), fields, heads=heads, name=name)

    def refuse(self, reason: str) -> InputError:
        """Return the error of a record, which has a number too."""
        next(self._numbers)
        return InputError(reason)

    def end(self, title: str) -> Found:
        """Yield what remains, or an error if there is a title and no entry."""
        yield from self._end_list(self.root)
        values = self.root.value()
        if not self.root.has_entries:
            for value in values:
                yield from self.games(value, self.root.heads)
        if next(self._numbers) == self._first and title:
            found = values[0] if values else None
            yield refusal(title, "objects, lists or texts with a FEN", found)

    def games(self, value: object, heads: tuple[str, ...]) -> Iterator[Entry]:
        """Yield the objects of a document without a FEN."""
        if isinstance(value, list):
            for item in value:
                yield from self.games(item, heads)
        elif isinstance(value, dict):
            inner = [key for key, item in value.items() if _objects(item) > 1]
            inner = inner or [key for key, item in value.items() if _objects(item)]
            if len(value) == 1 or any(_objects(value[key]) > 1 for key in inner):
                for key in inner:
                    yield from self.games(value[key], (*heads, key))
            if not inner or (len(value) > 1 and _objects(value[inner[0]]) <= 1):
                yield self._entry(_flatten(value), heads)

    def take(self, last: _Container, key: str, value: object) -> Iterator[Entry]:
        """Take a value of a list or an object, and yield the entries in it."""
        is_next = last.has_record and not (last.is_object or last.items)
        if is_next and (fields := _plain_fields(value)):
            yield self._entry(fields, last.heads)
            return
        fens = _count_fens(value)
        if last.is_object:
            yield from self._take_field(last, key, value, fens)
        elif fens and isinstance(value, dict | list):
            last.has_entries = True
            if isinstance(value, dict) and _is_record(value):
                last.has_record = True
            yield from self._flush(last)
            yield from self._find(value, last.heads)
        elif last.has_record and isinstance(value, dict):
            yield self._entry(_flatten(value), last.heads)
        else:
            last.items.append(("", value))

    def _take_field(
        self, last: _Container, key: str, value: object, fens: int
    ) -> Iterator[Entry]:
        text = value if isinstance(value, str) else ""
        if _count_fens(key):
            last.has_entries = True
            described = value if isinstance(value, dict) else {"value": value}
            yield self._entry({"fen": key} | _flatten(described), last.heads)
        elif fens and _is_fen(text):
            last.has_entries = True
            yield self._entry({"name": key, "fen": text.strip()}, last.heads)
        elif fens or (last.has_record and isinstance(value, dict)):
            last.has_entries = True
            is_name = last.has_record and not _is_claim(key)
            name = key if is_name else last.name
            yield from self._find(value, (*last.heads, key), name)
        elif text and key.casefold() in _TITLES and not last.has_entries:
            last.heads += (text,)
        else:
            last.ignored.append(key)

    def _find(
        self, value: Any, heads: tuple[str, ...], name: str = ""
    ) -> Iterator[Entry]:
        """Yield the entries of a value with FENs, or of an object beside records."""
        if isinstance(value, dict) and (rows := _rows_of(value)):
            for row in rows:
                yield self._entry(_flatten(row), heads, name)
        elif isinstance(value, str):
            yield self._entry({"text": value}, heads)
        elif isinstance(value, dict) and (_is_record(value) or not _count_fens(value)):
            yield self._entry(_flatten(value), heads, name)
        else:
            inner = _Container(heads, is_object=isinstance(value, dict))
            inner.items = [*value.items()] if inner.is_object else []
            inner.see_map()
            inner.name = name if _count_fens(value) == 1 else ""
            items = inner.items or [("", item) for item in value]
            inner.items = []
            for key, item in items:
                yield from self.take(inner, key, item)
            yield from self.close(inner)

    def close(self, last: _Container) -> Iterator[Entry]:
        """End a list, or an object that is no record."""
        yield from () if last.is_object else self._end_list(last)
        if self._summary and last.has_entries:
            for name in last.ignored:
                may_claim = not NO_CLAIMS.fullmatch(plain_name(name))
                self._summary.ignore(printable(name), may_claim=may_claim)

    def _end_list(self, last: _Container) -> Iterator[Entry]:
        """Yield the records that items without records form together."""
        values = last.value()
        counts, texts = [*map(_count_fens, values)], [*map(_text, values)]
        if not (last.has_entries or any(counts)):
            return
        if last.has_entries or None in texts or all(counts):
            yield from self._flush(last)
        elif sum(counts) == 1:
            yield self._entry(_flatten(values), last.heads)
        else:
            whole = "\n".join(text.rstrip("\n") for text in texts if text)
            yield self._entry({"text": whole}, last.heads)
        last.has_entries, last.items, last.size = True, [], 0

    def _flush(self, last: _Container) -> Iterator[Entry]:
        """Yield a list's texts, and its objects without a FEN beside records."""
        items, last.items, last.size = last.items, [], 0
        for _, value in items:
            if isinstance(value, str) and _count_fens(value):
                yield self._entry({"text": value}, last.heads)
            elif last.has_record and isinstance(value, dict):
                yield self._entry(_flatten(value), last.heads)


class Document(_Tree):
    """Finds the entries of a document, token by token.

    Attributes
    ----------
    stack : list of _Container
        The root, and what has begun in it.
    """

    def __init__(self, summary: FileSummary) -> None:
        super().__init__(1, (), summary)
        self.root.is_released = True
        self.stack = [self.root]

    def read(self, kind: str, value: Any) -> Found:
        """Read a token, and yield the entries that end with it."""
        last = self.stack[-1]
        if kind == OBJECTS:
            for one in value:
                yield from self.take(last, "", one)
        elif kind == "map_key":
            last.key = value
        elif kind.startswith("start_"):
            heads = (*last.heads, last.key) if last.is_object else last.heads
            inner = _Container(heads, is_object=kind == "start_map")
            inner.is_too_large = last.is_too_large
            starts = last is self.root or (last.is_released and last.is_object)
            inner.is_released = starts and not inner.is_object
            self.stack.append(inner)
        elif kind.startswith("end_"):
            yield from self._close(self.stack.pop())
        else:
            size = len(value) if kind == "string" else _NUMBER_BYTES
            exact = float(value) if isinstance(value, Decimal) else value
            yield from self._give(exact, size)

    def levels(self) -> int:
        """Return how many levels an object may have that is taken whole.

        Nothing of it is kept: the list that it belongs to has a record.
        """
        last = self.stack[-1]
        is_none = last is self.root or last.is_object or last.is_too_large
        return (last.has_record and not is_none) * (_MAX_DEPTH + 1 - len(self.stack))

    def abandon(self) -> Found:
        """Yield the records before a fault."""
        yield from self._release()
        while len(self.stack) > 1:
            last = self.stack.pop()
            if not (last.is_object or last.is_too_large):
                yield from self._close(last)
        yield from self.end("")

    def _close(self, last: _Container) -> Found:
        outer = self.stack[-1]
        if last.is_too_large:
            if not outer.is_too_large:
                outer.has_entries = outer.has_record = True
                yield self.refuse(str(_too_large()))
        elif not last.is_released:
            yield from self._give(last.value(), last.size + _NUMBER_BYTES)
        else:
            yield from self.close(last)
            outer.has_entries |= last.has_entries
            if not last.has_entries:
                yield from self._give(last.value(), last.size + _NUMBER_BYTES)

    def _give(self, value: object, size: int) -> Found:
        """Give a value to the list or object that holds it."""
        last = self.stack[-1]
        if last.is_too_large:
            return
        if last.is_released and last.is_object and _is_late(last, value):
            last.is_too_large = True
        elif last.is_released:
            kept = len(last.items)
            yield from self.take(last, last.key, value)
            last.size += size if len(last.items) > kept else 0
        else:
            last.items.append((last.key, value))
            last.size += size + len(last.key)
        if last.size > MAX_RECORD_BYTES:
            yield from self._release()

    def _release(self) -> Found:
        """Keep less: yield what is known not to be part of a larger record."""
        outer = self.root
        for depth, last in enumerate(self.stack, 1):
            if not last.is_released:
                if outer.is_object:
                    last.heads = (*outer.heads, outer.key)
                value = last.value()
                begun = [one for one in self.stack[depth : depth + 1] if one.is_object]
                last.see_map(sum(_has_position(one.value()) for one in begun))
                if outer.is_too_large or (last.is_object and _has_position(value)):
                    last.is_too_large = True
                last.is_released, items, last.items = True, last.items, []
                for key, item in () if last.is_too_large else items:
                    yield from self.take(last, key, item)
            if not last.is_object and last.size > MAX_RECORD_BYTES:
                yield from self._end_list(last)
                if not (self.root.has_entries or last.has_entries):
                    last.has_entries = last.has_record = True
                    yield from self._flush(last)
                last.items = []
            last.size = 0
            if last.has_entries:
                self.root.has_entries = True
            outer = last


def _is_claim(key: str) -> bool:
    """Return whether a key says what is claimed, so that it names nothing."""
    return bool(words.find_lengths(key.replace("_", " "), "white"))


def _is_late(last: _Container, value: object) -> bool:
    """Return whether an object turns out to be a record after parts of it are lost."""
    return bool(last.ignored) and isinstance(value, str) and _is_fen(value)


def _count_fens(value: Any) -> int:
    """Return how many FENs a value holds: 0, 1 or `_MANY`.

    `_MANY` also stands for one FEN that does not make the object around it a record: a
    key, or a FEN in one of several objects of a list.
    """
    if isinstance(value, str):
        return _read_text(value)[0] if value.count("/") >= _SLASHES else 0
    is_object, total = isinstance(value, dict), 0
    if is_object and "".join(value).count("/") >= _SLASHES:
        total = _MANY * any(map(_count_fens, value))
    items = value.values() if is_object else value if isinstance(value, list) else ()
    for item in items:
        total += _count_fens(item)
        if total >= _MANY:
            return _MANY
    if total and not is_object and _objects(value) > 1 and _has_fen(value):
        return _MANY
    return total


def _has_fen(value: object) -> bool:
    """Return whether a text in a value is a FEN without other words."""
    if isinstance(value, dict | list):
        return any(map(_has_fen, value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and _is_fen(value)


def _is_fen(text: str) -> bool:
    return text.count("/") >= _SLASHES and _read_text(text)[1]


@lru_cache(maxsize=8)
def _read_text(text: str) -> tuple[int, bool]:
    """Return how many FENs a text holds, at most `_MANY`, and whether it is one.

    The cache serves repeated calls about one record.
    """
    text = text.strip().strip("\"'")
    found = [*islice(find_fens(text), _MANY)]
    return len(found), [each[:2] for each in found] == [(0, len(text))]


def _rows_of(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of an object of columns, one of which has only FENs."""
    columns = {
        key: [*item.values()] if isinstance(item, dict) else item
        for key, item in value.items()
        if isinstance(item, dict | list) and item
    }
    of_fens = [one for one in columns.values() if _are_fens(one)]
    size = len(of_fens[0]) if len(of_fens) == 1 else 0
    alike = {key: one for key, one in columns.items() if len(one) == size}
    if size < _MANY or len(alike) < _MANY:
        return []
    return [
        dict(zip(alike, row, strict=True)) for row in zip(*alike.values(), strict=True)
    ]


def _are_fens(values: list[Any]) -> bool:
    return all(isinstance(value, str) and _is_fen(value) for value in values)


def _objects(value: object) -> int:
    """Return how many objects and lists a list holds; an object is one."""
    if isinstance(value, list):
        return sum(isinstance(item, dict | list) for item in value)
    return int(isinstance(value, dict))


def _has_position(value: dict[str, Any]) -> bool:
    """Return whether an object has a FEN beside other fields, or only a FEN."""
    has_fen = any(isinstance(item, str) and _is_fen(item) for item in value.values())
    return has_fen and not _names_positions(value)


def _names_positions(value: dict[str, Any]) -> bool:
    texts = [item for item in value.values() if isinstance(item, str)]
    if (
        len(value) < _MANY
        or len(texts) < len(value)
        or not all(map(_count_fens, texts))
    ):
        return False
    boards = {next(find_fens(text)).fen.partition(" ")[0] for text in texts}
    return len(boards) > 1 or sum(map(_is_fen, texts)) != 1  # a FEN beside its game


def _is_record(value: dict[str, Any]) -> bool:
    """Return whether an object is one record; see the module."""
    if any(map(_count_fens, value)) or _names_positions(value):
        return False
    if _has_position(value):
        return True
    if _count_fens(value) == 1:
        (only, *others) = value.values()
        return bool(others) or isinstance(only, str) or _objects(only) > 1
    counts = {True: [0], False: [0]}
    for item in value.values():
        counts[isinstance(item, str)].append(_count_fens(item))
    return max(counts[True]) == 1 and not any(counts[False])


# Fields as texts


def _plain_fields(value: object) -> dict[str, str] | None:
    """Return the fields of an object of texts, numbers and lists of these.

    None if it has enough slashes for a second FEN, or for one that is not a field.
    """
    fields: dict[str, str] = {}
    for name, item in value.items() if isinstance(value, dict) else ():
        kind = type(item)
        text = item if kind is str else str(item) if kind is int else _plain_text(item)
        if text is None:
            return None
        fields[name] = text
    names, texts = "".join(fields).count("/"), "".join(fields.values()).count("/")
    return fields if fields and names < _SLASHES and texts < 2 * _SLASHES else None


def _plain_text(value: object) -> str | None:
    """Return the text of a number or a list; None if it may have fields."""
    items = value if type(value) is list else [value]
    is_plain = _SCALARS.issuperset(map(type, items))
    text = _text(items[0] if len(items) == 1 else items) if is_plain else None
    return text if text is not None and text.count("/") < _SLASHES else None


def _flatten(value: dict[str, Any] | list[Any]) -> dict[str, str]:
    """Return the fields of a record; the name of a nested one is its path."""
    fields: dict[str, str] = {}
    _spread(value, "", fields)
    return fields


def _spread(value: Any, path: str, fields: dict[str, str]) -> None:
    is_object = isinstance(value, dict)
    for name, item in value.items() if is_object else enumerate(value, 1):
        inner = f"{path}{name}"
        while isinstance(item, list) and len(item) == 1:
            (item,) = item  # noqa: PLW2901
        text = _text(item)
        if text is None:
            _spread(item, f"{inner}.", fields)
        else:
            fields.setdefault(inner, text)


def _text(value: Any) -> str | None:
    """Return a value as the text of a field; None if it has fields itself."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return _list_text(value)
    if isinstance(value, dict):
        return None if _count_fens(value) else _tagged_text(value) or _move_text(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        is_exact = abs(value) < 1e15 and value.is_integer()
        return str(int(value) if is_exact else value)
    return "" if value is None else str(value)


def _tagged_text(value: dict[str, Any]) -> str | None:
    """Return a number that names its type, as MongoDB writes it."""
    names = [*value]
    is_typed = len(names) == 1 and names[0].startswith("$")
    return _text(value[names[0]]) if is_typed else None


def _list_text(values: list[Any]) -> str | None:
    """Join texts or moves; of moves with replies, the first is the main line.

    Texts that end with line breaks, but for the last, are lines of one text, as in a
    notebook.
    """
    are_lines = len(values) > 1 and all(
        isinstance(text, str) and text.endswith("\n") for text in values[:-1]
    )
    if len(values) > 1 and not are_lines and any(map(_count_fens, values)):
        return None
    texts = [_text(value) for value in values]
    if None in texts:
        return None
    if any(isinstance(value, dict) and _replies(value) for value in values):
        return texts[0]
    text = ("" if are_lines else " ").join(text for text in texts if text)
    return joined(text, texts) if texts else text


def _move_text(value: dict[str, Any]) -> str | None:
    """Return the move that an object is, or the main line of a tree of moves."""
    fields = {key.casefold(): item for key, item in value.items()}
    squares = [fields.get(name) for name in ("from", "to")]
    if all(isinstance(square, str) and _is_square(square) for square in squares):
        promotion = str(fields.get("promotion") or "").lower()
        piece = promotion.removeprefix("k")[:1]  # of a knight too
        return f"{squares[0]}{squares[1]}{piece}"
    for name in _MOVES:
        move = fields.get(name)
        text = _move_text(move) if isinstance(move, dict) else move
        if isinstance(text, str) and _is_move(text):
            return f"{text} {_main_line(_replies(value))}".rstrip()
    if value and all(map(_is_move, value)):
        move, replies = next(iter(value.items()))
        return f"{move} {_main_line(replies)}".rstrip()
    return None


def _replies(value: dict[str, Any]) -> Any:
    """Return what follows a move in a tree."""
    return next((value[key] for key in value if key.casefold() in _REPLIES), None)


def _main_line(replies: Any) -> str:
    if isinstance(replies, list) and any(isinstance(each, dict) for each in replies):
        replies = replies[0]
    return _text(replies) or ""
