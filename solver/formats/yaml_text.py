"""YAML read for its text, lists and mappings, and nothing that could do harm.

Every scalar is text. The tags of Python 2's strings, which Olive once wrote, are read
as text; other tags than YAML's own are refused and never executed. Aliases are refused,
because a few lines of them can expand beyond all memory, and so is deep nesting.

PyYAML does the rest. Where it was built with libyaml, whose events arrive ten times as
fast, these are read first; PyYAML's own parser then reads only what is unusual or
faulty. libyaml accepts a little more, such as `?` in a list in brackets.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from solver.errors import InputError, quote
from solver.formats.claims import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_DEPTH = 16
"""Olive's entries have at most five levels."""

_SHOWN_CHARACTERS = 120
"""Enough for PyYAML's longest message with the name of a tag or an anchor."""

_CORE = "tag:yaml.org,2002:"
_TEXTS = ("str", "int", "float", "bool", "null", "timestamp", "value")
_TAGS = frozenset(
    f"{_CORE}{tag}" for tag in (*_TEXTS, "python/str", "python/unicode", "seq", "map")
)
_NULLS = {"~", "null", "Null", "NULL"}


class Item(NamedTuple):
    """An item of the list that is a document, or a document that is not a list.

    Attributes
    ----------
    line : int
        The line where it begins, from 0.
    content : object or InputError
        Text, or a list or mapping of these; the error if it cannot be read.
    """

    line: int
    content: object


def parse_document(text: str) -> Iterator[Item]:
    """Parse one YAML document.

    Returns
    -------
    iterator of Item
        One, or one for each item of a list.

    Raises
    ------
    InputError
        If it is not YAML, has an alias, or nests too deeply.
    """
    if yaml.__with_libyaml__:
        with suppress(yaml.YAMLError, ValueError, OverflowError, _UnusualError):
            return iter(_parse_events(text))
    return _parse_nodes(text)


def _parse_nodes(text: str) -> Iterator[Item]:
    try:
        root = _Loader(text).get_single_node()
    except yaml.YAMLError as error:
        raise _explain(error) from None
    except (ValueError, OverflowError):
        # PyYAML does not catch Python's errors for an escape or a version too large.
        msg = "expected YAML, found a number out of range in an escape or a directive"
        raise InputError(msg) from None
    if root is None:
        return
    for node in root.value if isinstance(root, yaml.SequenceNode) else [root]:
        content: object
        try:
            content = _construct(node)
        except InputError as error:
            content = error
        yield Item(node.start_mark.line, content)


class _UnusualError(Exception):
    """What only nodes can say: a tag, an alias, several documents, deep nesting."""


def _parse_events(text: str) -> list[Item]:
    """Parse a document without anything unusual from libyaml's events.

    Raises
    ------
    YAMLError, ValueError, OverflowError
        If libyaml cannot read it.
    _UnusualError
        If it is empty, or has anything else than texts, lists and mappings.
    """
    loader: Any = yaml.CBaseLoader(text)
    try:
        _require(loader.get_event(), yaml.StreamStartEvent)
        _require(loader.get_event(), yaml.DocumentStartEvent)
        event = loader.get_event()
        if isinstance(event, yaml.SequenceStartEvent):
            _require_no_tag(event)
            items = []
            while not isinstance(item := loader.get_event(), yaml.SequenceEndEvent):
                items.append(Item(item.start_mark.line, _read(loader, item, 1)))
        else:
            items = [Item(event.start_mark.line, _read(loader, event, 0))]
        _require(loader.get_event(), yaml.DocumentEndEvent)
        _require(loader.get_event(), yaml.StreamEndEvent)
        return items
    finally:
        loader.dispose()


def _read(loader: Any, event: yaml.Event, depth: int) -> object:
    """Return what an event begins; `depth` counts the levels around it."""
    if depth == _MAX_DEPTH:
        raise _UnusualError
    if isinstance(event, yaml.ScalarEvent):
        _require_no_tag(event)
        return "" if not event.style and event.value in _NULLS else event.value
    if isinstance(event, yaml.SequenceStartEvent):
        _require_no_tag(event)
        values = []
        while not isinstance(item := loader.get_event(), yaml.SequenceEndEvent):
            values.append(_read(loader, item, depth + 1))
        return values
    if isinstance(event, yaml.MappingStartEvent):
        _require_no_tag(event)
        entry = {}
        while not isinstance(item := loader.get_event(), yaml.MappingEndEvent):
            key = _read(loader, item, depth + 1)
            if not isinstance(key, str):
                raise _UnusualError
            entry[key] = _read(loader, loader.get_event(), depth + 1)
        return entry
    raise _UnusualError


def _require(event: yaml.Event, kind: type[yaml.Event]) -> None:
    if not isinstance(event, kind):
        raise _UnusualError


def _require_no_tag(event: Any) -> None:
    if event.tag is not None or event.anchor is not None:
        raise _UnusualError


class _Loader(yaml.BaseLoader):
    """Compose nodes; PyYAML's base loader reads every plain scalar as text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent):
            raise _fault(event.start_mark, "an alias")
        if self._depth == _MAX_DEPTH:
            raise _fault(event.start_mark, f"more than {_MAX_DEPTH} levels")
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def _construct(node: yaml.Node) -> object:
    if node.tag not in _TAGS:
        raise _fault(node.start_mark, f"the tag {node.tag.removeprefix(_CORE)}")
    if isinstance(node, yaml.SequenceNode):
        return [_construct(item) for item in node.value]
    if isinstance(node, yaml.MappingNode):
        return {_key(key): _construct(value) for key, value in node.value}
    if isinstance(node, yaml.ScalarNode) and not node.style and node.value in _NULLS:
        return ""
    return node.value


def _key(node: yaml.Node) -> str:
    key = _construct(node)
    if not isinstance(key, str):
        raise _fault(node.start_mark, "a key that is not text")
    return key


def _explain(error: yaml.YAMLError) -> InputError:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        return _fault(error.problem_mark, error.problem or "")
    return InputError(f"expected YAML, found {quote(str(error).splitlines()[0])}")


def _fault(mark: Any, problem: str) -> InputError:
    shown = printable(problem[:_SHOWN_CHARACTERS])
    dots = "..." if len(problem) > _SHOWN_CHARACTERS else ""
    msg = f"expected YAML, found in line {mark.line + 1} of the entry: {shown}{dots}"
    return InputError(msg)
