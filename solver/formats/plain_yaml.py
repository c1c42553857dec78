"""Read YAML for its text, lists and mappings, and nothing that could do harm.

Every scalar is text. Tags of Python 2's text, which Olive wrote once, say no more than
that; other tags but YAML's own are refused and never acted on. So are aliases, by which
a few lines can stand for more than the memory holds, and deep nesting. The rest is
PyYAML's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from solver.errors import InputError
from solver.formats.wording import printable, quote

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_DEPTH = 16
"""An entry of Olive's nests to a depth of five."""

_SHOWN_CHARACTERS = 120
"""PyYAML's longest words for a fault, with the name of a tag or an anchor in them."""

_CORE = "tag:yaml.org,2002:"
_TEXTS = ("str", "int", "float", "bool", "null", "timestamp", "value")
_TAGS = frozenset(
    f"{_CORE}{tag}" for tag in (*_TEXTS, "python/str", "python/unicode", "seq", "map")
)


_NULLS = {"~", "null", "Null", "NULL"}


class Item(NamedTuple):
    """One item of a list at the top of a document, or the document where it is none.

    Attributes
    ----------
    line : int
        Where it begins, from 0.
    content : object or InputError
        Text, list or mapping of these; else why it cannot be had.
    """

    line: int
    content: object


def parse_document(text: str) -> Iterator[Item]:
    """Read one document.

    Yields
    ------
    Item
        One, or one for each item of a list.

    Raises
    ------
    InputError
        If it is no YAML, has an alias, or nests too deeply.
    """
    try:
        root = _Loader(text).get_single_node()
    except yaml.YAMLError as error:
        raise _explain(error) from None
    except (ValueError, OverflowError):
        # PyYAML lets through what Python says of an escape or a version too large.
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


class _Loader(yaml.BaseLoader):
    """Composes nodes; PyYAML's base takes all plain scalars for text."""

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
        raise _fault(node.start_mark, "a key that is no text")
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
