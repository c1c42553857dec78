"""YAML from files of unknown origin, in bounded memory and without running anything.

Only text, lists and mappings are read, and every scalar is text. The tags of Python 2's
strings, which Olive once wrote, are accepted; tags outside YAML are refused and never
executed. Aliases are refused, because a few lines of them can exhaust all memory, and
so is deep nesting.

This module needs PyYAML.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml

from solver.errors import InputError, quote
from solver.formats import streams
from solver.problem import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MARK = re.compile(rb"\A(?:---|\.\.\.)(?=\s|\Z)")
_ITEM = re.compile(rb"-(?=\s|\Z)")
_NOTHING = re.compile(rb"\s*(?:#|\Z)|%")

_MAX_DEPTH = 16
"""Olive's entries have at most five levels; books of problems hardly more."""

_SHOWN_CHARACTERS = 120
"""Enough for PyYAML's longest message with the name of a tag or an anchor."""

_CORE = "tag:yaml.org,2002:"
_KNOWN = "str int float bool null timestamp value seq map python/str python/unicode"
_TAGS = {None, "!", *(f"{_CORE}{tag}" for tag in _KNOWN.split())}
_NULLS = {"~", "null", "Null", "NULL"}


Item: TypeAlias = tuple[int, object]
"""An item of the list that is a document, or a document that is not a list.

It has the line where the item begins, and its content: text, or a list or mapping of
these, or the error if it cannot be read.
"""


def read_items(
    lines: streams.Lines, limit: int, mend: Callable[[str], str] = str
) -> Iterator[Item]:
    """Read YAML documents, each item of a list apart.

    PyYAML's parser explains what libyaml refuses, and accepts nearly the same texts:
    libyaml accepts a little more, such as `?` in a list in brackets.

    Parameters
    ----------
    lines : iterable of tuple
        The number of each line, and its bytes.
    limit : int
        How many bytes a document may have, or an item of an unindented list.
    mend : callable
        Makes YAML of a document's text.

    Yields
    ------
    Item
        In file order. An error is that the item is too long, is not YAML, has an alias,
        or nests too deeply.
    """
    for start, raw in _split(lines, limit):
        if len(raw) > limit:
            msg = f"expected at most {limit:,} bytes, found a longer entry"
            yield start, InputError(msg)
            continue
        try:
            items = _parse_document(mend(streams.decode(raw)))
        except InputError as error:
            items = [(0, error)]
        for line, content in items:
            yield start + line, content


def _split(lines: streams.Lines, limit: int) -> Iterator[tuple[int, bytes]]:
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
        if size <= limit:
            chunk.append(line)
            size += len(line)
    if chunk:
        yield start, b"".join(chunk)


def _parse_document(text: str) -> list[Item]:
    if yaml.__with_libyaml__:  # ten times as fast
        with suppress(InputError):
            items = _parse_with(yaml.CBaseLoader, text)
            if not any(isinstance(content, InputError) for _, content in items):
                return items
    return _parse_with(yaml.BaseLoader, text)


def _parse_with(make_loader: Any, text: str) -> list[Item]:
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
    loader : yaml.BaseLoader or yaml.CBaseLoader
    """

    def __init__(self, loader: Any) -> None:
        self._next = loader.get_event
        self._faults: list[InputError] = []

    def items(self) -> list[Item]:
        """Read the whole document; see `read_items`; lines count from 0."""
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

    def _item(self, event: Any, depth: int) -> Item:
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
