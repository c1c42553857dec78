"""Read Olive's collections (`.olv`), which are YACPDB's entries as YAML documents.

Loaded by its name; imports `claims`, `compositions`, `popeye`, `streams`, `errors` and
`problem`.

These fields of an entry are read, as YACPDB describes them (yacpdb-entry.md in Olive's
sources):

- `algebraic`: the pieces by colour, such as `[Kg3, Qh5, Sd4, Pe2]`; a knight is S;
- `stipulation`: such as `"#3"` or `h#2.5`, see `solver.problem`;
- `options`: Popeye's, see `compositions.Options`; anything else is a fairy condition;
- `twins`: Popeye's words by label, see `popeye`; the label `a` marks a zero position;
- `solution`: the key, if it is marked, see `compositions.find_marked_keys`, or the
  solutions of help play; with twins, in the part that follows the label, such as `b)`;
- `intended-solutions`: the number of keys (default: one), or of solutions of help play
  (default: as many as `solution` lists). `2.1.1` says how many moves continue each
  move, and counts as their product in help play, else as the first;
- `authors`, `title`, `source` and `date`: the problem's name.

Each twin is a separate problem, and its label follows the name. Fairy and neutral
pieces, conditions and other stipulations are refused.

Entries are documents separated by lines `---`, or items of a list. An entry that cannot
be parsed is reported and skipped.

Only text, lists and mappings are read from YAML, and every scalar is text. The tags of
Python 2's strings, which Olive once wrote, are accepted; tags outside YAML are refused
and never executed. Aliases are refused, because a few lines of them can exhaust all
memory, and so is deep nesting.

This module needs PyYAML.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import chess
import yaml

from solver.errors import FormatError, InputError, quote
from solver.formats import compositions, popeye, streams
from solver.formats.claims import MAX_SOLUTIONS, Draft, FileSummary
from solver.formats.compositions import (
    WORD,
    Composition,
    PopeyeWords,
    parse_squares,
    piece_kind,
    refuse,
)
from solver.problem import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from solver.formats.compositions import Options


MAX_ENTRY_BYTES = 1 << 17
"""The longest solutions have about ten thousand; PyYAML reads about 10^5 per second."""

_MARK = re.compile(rb"\A(?:---|\.\.\.)(?=\s|\Z)")
_ITEM = re.compile(rb"-(?=\s|\Z)")
_NOTHING = re.compile(rb"\s*(?:#|\Z)|%")
_LABEL = re.compile(r"[a-z]|z[0-9]{1,3}")
_NUMBERS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){0,20}(?:\.\.\.)?")
_PARTS = {"algebraic": "position", "stipulation": "stipulation", "twins": "twins"}
_PARTS |= {"options": "options", "conditions": "options"}
_PARTS |= dict.fromkeys(("authors", "title", "source", "date"), "name")
"""What is read from each field, for the summary."""

_COLORS = {"white": chess.WHITE, "black": chess.BLACK}


def read_olive(lines: streams.Lines, summary: FileSummary) -> streams.Records:
    """Read the problems of one of Olive's files; see `read_each`.

    Yields
    ------
    Problem or FormatError
        One for each twin, in file order.
    """
    parse = partial(_make_problems, summary)
    for found in streams.read_each(_entries(lines), summary.name, parse):
        yield from [found] if isinstance(found, FormatError) else found


def _entries(lines: streams.Lines) -> Iterator[tuple[int, object]]:
    """Yield the line and the content of each entry; see `_Item`."""
    for start, text in _split(lines):
        try:
            items = _parse_document(text)
        except InputError as error:
            items = [(0, error)]
        for line, content in items:
            yield start + line, content


def _split(lines: streams.Lines) -> Iterator[tuple[int, bytes]]:
    """Split at lines that begin a document, or an item of an unindented list.

    Yields
    ------
    tuple
        The line where a document or an item begins, and its text; if it is too long,
        only the beginning.
    """
    chunk: list[bytes] = []
    start = size = 0
    is_list = False
    for number, whole_line in lines:
        line, marks = _MARK.subn(b"", whole_line, count=1)
        if chunk and (marks or (is_list and _ITEM.match(line))):
            yield start, b"".join(chunk)
            chunk, size = [], 0
        is_list = is_list and not marks
        if not chunk:
            if _NOTHING.match(line):
                continue
            start = number
            is_list = is_list or _ITEM.match(line) is not None
        if size <= MAX_ENTRY_BYTES:
            chunk.append(line)
            size += len(line)
    if chunk:
        yield start, b"".join(chunk)


def _make_problems(summary: FileSummary, entry: object, source: str) -> streams.Records:
    """Return the problems of an entry after its pieces and twins are read."""
    if isinstance(entry, InputError):
        raise entry
    if not isinstance(entry, dict):
        refuse("expected an entry with algebraic and stipulation", _show(entry))
    if found := entry.get("conditions"):
        refuse("conditions: expected none", _show(found))
    for field in entry:
        if part := _PARTS.get(field):
            summary.read(part, field)
        elif "solution" not in field:  # the draft notes what claims are read from
            summary.ignore(field)
    diagram = Composition()
    diagram.stipulate(_text(entry.get("stipulation")))
    _parse_options(diagram, entry.get("options"))
    _place_pieces(diagram, entry.get("algebraic"))
    intended = _text(entry.get("intended-solutions"))
    solution = _text(entry.get("solution"))
    parts = compositions.parts_of(solution) if entry.get("twins") else {"": solution}
    read_claim = partial(_read_claim, diagram.options, intended, parts)
    twins = _parse_twins(diagram, entry.get("twins"), source)
    return popeye.make_problems(twins, _name(entry), source, summary, read_claim)


def _read_claim(
    options: Options, intended: str, parts: Mapping[str, str], draft: Draft, label: str
) -> None:
    """Read the keys that the solution marks, or the number of solutions.

    With `Duplex` the solution lists those of both sides without a distinction.
    """
    numbers = None
    if intended:
        field = "intended-solutions"
        numbers = draft.read("solutions", field, _parse_intended, intended)
    asked, part = draft.stipulation, parts.get(label, "").strip()
    if not asked.is_help:
        key = draft.position, part, numbers[0] if numbers else 1
        draft.keys = (
            draft.read("keys", "solution", compositions.find_marked_keys, *key) or ()
        )
    elif numbers:
        draft.solutions = math.prod(numbers)
    elif part and not intended and "Duplex" not in options:
        count = compositions.count_solutions
        draft.solutions = draft.read("solutions", "solution", count, part, asked)


def _parse_twins(diagram: Composition, twins: object, source: str) -> popeye.Twins:
    """Return the twins in the order of their labels.

    A label `a` means that the diagram is a zero position.
    """
    if not twins:
        return [popeye.Twin("", diagram)]
    if not isinstance(twins, dict) or not all(map(_LABEL.fullmatch, twins)):
        refuse("twins: expected labels such as b, each with changes", _show(twins))
    found: popeye.Twins = []
    twins = {"a": ""} | twins
    for label in sorted(twins, key=lambda label: (len(label), label)):
        words = PopeyeWords(WORD.findall(_text(twins[label])))
        if words:
            found.append(popeye.parse_twin(label, diagram, found, words, source))
        else:
            found.append(popeye.Twin(label, diagram))
    return found


def _parse_options(diagram: Composition, options: object) -> None:
    for option in _texts(options):
        words = PopeyeWords(option.split())
        if not diagram.options.parse_next(words) or words:
            refuse("conditions: expected none", quote(option))
    diagram.options.refuse("PostKeyPlay")


def _place_pieces(diagram: Composition, algebraic: object) -> None:
    if not isinstance(algebraic, dict):
        refuse("algebraic: expected lists of pieces", _show(algebraic))
    for color, pieces in algebraic.items():
        if color not in _COLORS and pieces:
            refuse("algebraic: expected white and black pieces", quote(color))
        for text in _texts(pieces):
            squares = parse_squares(text[-2:])
            if not squares:
                refuse("algebraic: expected pieces such as Kg3", quote(text))
            piece = chess.Piece(piece_kind(text[:-2]), _COLORS[color])
            diagram.place(squares[0], piece)


def _parse_intended(name: str, text: str) -> tuple[int, ...]:
    """Read `3` or `2.1.1...`: how many moves continue each move."""
    numbers = tuple(map(int, re.findall("[0-9]{1,4}", text)))
    if not _NUMBERS.fullmatch(text) or math.prod(numbers) > MAX_SOLUTIONS:
        refuse(f"{name}: expected a number, or one a move as in 2.1.1", quote(text))
    return numbers


def _name(entry: Mapping[str, object]) -> str:
    """Join the authors, the title, and the source with its year."""
    source = entry.get("source")
    if not isinstance(source, dict):
        source = {"name": source, "date": entry.get("date")}
    date = source.get("date")
    year = date.get("year") if isinstance(date, dict) else date
    authors = " & ".join(_texts(entry.get("authors")))
    title, name = _text(entry.get("title")), _text(source.get("name"))
    parts = (authors, title, name, _text(year)[:4])
    return printable(" / ".join(part for part in parts if part))


def _text(value: object) -> str:
    """Return text without the extra quotes that Olive adds; its None becomes empty."""
    text = value.strip().strip("\"'").strip() if isinstance(value, str) else ""
    return "" if text == "None" else text


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [text for text in map(_text, values) if text]


def _show(value: object) -> str:
    """Quote what was found, for a message."""
    if isinstance(value, dict):
        value = ", ".join(f"{key}: {text}" for key, text in value.items())
    elif isinstance(value, list):
        value = ", ".join(map(str, value))
    return quote(str(value)) if value else "none"


# YAML

_MAX_DEPTH = 16
"""Olive's entries have at most five levels."""

_SHOWN_CHARACTERS = 120
"""Enough for PyYAML's longest message with the name of a tag or an anchor."""

_CORE = "tag:yaml.org,2002:"
_KNOWN = "str int float bool null timestamp value seq map python/str python/unicode"
_TAGS = {None, "!", *(f"{_CORE}{tag}" for tag in _KNOWN.split())}
_NULLS = {"~", "null", "Null", "NULL"}


_Item: TypeAlias = tuple[int, object]
"""An item of the list that is a document, or a document that is not a list.

It has the line where the item begins, counted from 0, and its content: text, or a list
or mapping of these, or the error if it cannot be read.
"""


def _parse_document(raw: bytes) -> list[_Item]:
    """Parse one YAML document.

    PyYAML's parser explains what libyaml refuses, and accepts nearly the same texts:
    libyaml accepts a little more, such as `?` in a list in brackets.

    Returns
    -------
    list of _Item
        One, or one for each item of a list; none if the document is empty.

    Raises
    ------
    InputError
        If it is too long, is not YAML, has an alias, or nests too deeply.
    """
    if len(raw) > MAX_ENTRY_BYTES:
        refuse(f"expected at most {MAX_ENTRY_BYTES:,} bytes", "a longer entry")
    # Entries contain two things that are not YAML: tabs before text, and YACPDB's
    # references to other entries, such as >>1234.
    text = streams.decode(raw).replace("\t", "  ").replace(">>", "//")
    if yaml.__with_libyaml__:  # ten times as fast
        with suppress(InputError):
            items = _parse_with(yaml.CBaseLoader, text)
            if not any(isinstance(content, InputError) for _, content in items):
                return items
    return _parse_with(yaml.BaseLoader, text)


def _parse_with(make_loader: Any, text: str) -> list[_Item]:
    try:
        return _Document(make_loader(text)).items()
    except yaml.YAMLError as error:
        if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
            raise _fault(error.problem_mark, error.problem or "") from None
        msg = f"expected YAML, found {quote(str(error).splitlines()[0])}"
    except (ValueError, OverflowError):
        # PyYAML does not catch Python's errors for an escape or a version too large.
        msg = "expected YAML, found a number out of range in an escape or a directive"
    raise InputError(msg)


class _Document:
    """A document, read from its events.

    Parameters
    ----------
    loader : BaseLoader or CBaseLoader
    """

    def __init__(self, loader: Any) -> None:
        self._next = loader.get_event
        self._faults: list[InputError] = []

    def items(self) -> list[_Item]:
        """Read the whole document; see `_parse_document`."""
        self._next()  # the stream's beginning
        if isinstance(self._next(), yaml.StreamEndEvent):
            return []
        event = self._next()
        is_list = isinstance(event, yaml.SequenceStartEvent)
        begun = self._until(yaml.SequenceEndEvent) if is_list else [event]
        items = [self._item(item, int(is_list)) for item in begun]
        self._next()  # the document's end
        if not isinstance(event := self._next(), yaml.StreamEndEvent):
            raise _fault(event.start_mark, "but found another document")
        return items

    def _item(self, event: Any, depth: int) -> _Item:
        """Read an item to its end; its content is the first fault, if it has any."""
        self._faults.clear()
        content = self._read(event, depth)
        return event.start_mark.line, next(iter(self._faults), content)

    def _read(self, event: Any, depth: int) -> object:
        """Return what an event begins; `depth` counts the levels around it."""
        mark = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            raise _fault(mark, "an alias")
        if depth == _MAX_DEPTH:
            raise _fault(mark, f"more than {_MAX_DEPTH} levels")
        if event.tag not in _TAGS:
            self._note(mark, f"the tag {event.tag.removeprefix(_CORE)}")
        if isinstance(event, yaml.SequenceStartEvent):
            items = self._until(yaml.SequenceEndEvent)
            return [self._read(item, depth + 1) for item in items]
        if isinstance(event, yaml.MappingStartEvent):
            entry = {}
            for item in self._until(yaml.MappingEndEvent):
                key = self._read(item, depth + 1)
                if not isinstance(key, str):
                    self._note(item.start_mark, "a key that is not text")
                entry[str(key)] = self._read(self._next(), depth + 1)
            return entry
        return "" if not event.style and event.value in _NULLS else event.value

    def _until(self, end: type[yaml.Event]) -> Iterator[Any]:
        while not isinstance(event := self._next(), end):
            yield event

    def _note(self, mark: Any, problem: str) -> None:
        self._faults.append(_fault(mark, problem))


def _fault(mark: Any, problem: str) -> InputError:
    shown = printable(problem[:_SHOWN_CHARACTERS])
    dots = "..." if len(problem) > _SHOWN_CHARACTERS else ""
    msg = f"expected YAML, found in line {mark.line + 1} of the entry: {shown}{dots}"
    return InputError(msg)
