"""Read Olive's collections (`.olv`), which are YACPDB's entries as YAML documents.

What is read of an entry, as YACPDB describes it (yacpdb-entry.md in Olive's sources):

- `algebraic`: the men, by colour, such as `[Kg3, Qh5, Sd4, Pe2]`; a knight is S;
- `stipulation`: `"#n"`, which claims a mate in n;
- `options`: Popeye's, see `popeye_options`; anything else there is a fairy condition;
- `solution`: the key, if it is marked as such, see `solution_text`;
- `intended-solutions`: how many keys there are to be, one if it is not told;
- `authors`, `title`, `source` and `date`: the problem's name.

Refused are fairy and neutral men, conditions, twins, and other stipulations.

Entries are documents between lines `---`, or items of a list. One that cannot be read
costs itself only.
"""

from __future__ import annotations

import re
from collections import deque
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import chess
import yaml

from solver.errors import FormatError, InputError, missing_package
from solver.formats.claims import make_problem, printable, quote
from solver.formats.composition import Composition, find_keys
from solver.formats.popeye_options import parse_squares
from solver.formats.streams import decode
from solver.problem import Claim

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from solver.problem import Problem


# Read YAML for its text, lists and mappings, and nothing that could do harm.
#
# Every scalar is text. Tags of Python 2's text, which Olive wrote once, say no more
# than that; other tags but YAML's own are refused and never acted on. So are aliases,
# by which a few lines can stand for more than the memory holds, and deep nesting. The
# rest is PyYAML's.

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


MAX_ENTRY_BYTES = 1 << 17
"""The longest solutions have some ten thousand; PyYAML reads about 10^5 a second."""

_MARK = re.compile(rb"\A(?:---|\.\.\.)(?=\s|\Z)")
_ITEM = re.compile(rb"-(?=\s|\Z)")
_NOTHING = re.compile(rb"\s*(?:#|\Z)|%")
_COLORS = {"white": chess.WHITE, "black": chess.BLACK}


def read_olive(
    lines: Iterable[tuple[int, bytes]], name: str
) -> Iterator[Problem | FormatError]:
    """Read the problems of one of Olive's files.

    Parameters
    ----------
    lines : iterable of tuple
        Number, from 1, and bytes of each line.
    name : str
        What to call the file.

    Yields
    ------
    Problem or FormatError
        One for each entry, in their order; one error for the file if PyYAML is missing.
    """
    if find_spec("yaml") is None:
        yield FormatError(name, missing_package("reading YAML", "PyYAML"))
        return
    for chunk in _split(lines):
        yield from _read_chunk(chunk, name)


class _Chunk(NamedTuple):
    """A document, or an item of a list, as it stands in the file.

    Attributes
    ----------
    line : int
        Where it begins, from 1.
    text : bytes
        Its lines; of one that is too long, the beginning.
    """

    line: int
    text: bytes


def _split(lines: Iterable[tuple[int, bytes]]) -> Iterator[_Chunk]:
    """Cut at the lines that begin a document, or an item of a list at the margin."""
    chunk: list[bytes] = []
    start = size = 0
    is_list = False
    for number, whole_line in lines:
        line, marks = _MARK.subn(b"", whole_line, count=1)
        if chunk and (marks or (is_list and _ITEM.match(line))):
            yield _Chunk(start, b"".join(chunk))
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
        yield _Chunk(start, b"".join(chunk))


def _read_chunk(chunk: _Chunk, name: str) -> Iterator[Problem | FormatError]:

    try:
        for line, content in parse_document(_decode(chunk.text)):
            source = f"{name}:{chunk.line + line}"
            try:
                yield _make_problem(content, source)
            except InputError as error:
                yield FormatError(source, str(error))
    except InputError as error:
        yield FormatError(f"{name}:{chunk.line}", str(error))


def _decode(text: bytes) -> str:
    if len(text) > MAX_ENTRY_BYTES:
        msg = (
            f"expected an entry of at most {MAX_ENTRY_BYTES} bytes, found a longer one"
        )
        raise InputError(msg)
    # Neither is YAML where it stands in entries: tabs before text, and YACPDB's
    # references to other entries, such as >>1234.
    return decode(text).replace("\t", "  ").replace(">>", "//")


def _make_problem(entry: object, source: str) -> Problem:
    if isinstance(entry, InputError):
        raise entry
    if not isinstance(entry, dict):
        msg = f"expected an entry with algebraic and stipulation, found {_show(entry)}"
        raise InputError(msg)
    for unknown in ("twins", "conditions"):
        if found := entry.get(unknown):
            msg = f"{unknown}: expected none, found {_show(found)}"
            raise InputError(msg)
    composition = Composition()
    composition.stipulate(_text(entry.get("stipulation")))
    _take_options(composition, entry.get("options"))
    _take_men(composition, entry.get("algebraic"))
    board = composition.board()
    keys = find_keys(board, _text(entry.get("solution")), _intended(entry))
    claim = Claim(composition.moves, keys)
    return make_problem(board.fen(en_passant="fen"), _name(entry), source, claim, None)


def _take_options(composition: Composition, options: object) -> None:
    for option in _texts(options):
        words = deque(option.split())
        if not composition.options.take(words) or words:
            msg = f"conditions: expected none, found {quote(option)}"
            raise InputError(msg)


def _take_men(composition: Composition, algebraic: object) -> None:
    if not isinstance(algebraic, dict):
        msg = f"algebraic: expected lists of men, found {_show(algebraic)}"
        raise InputError(msg)
    for color, men in algebraic.items():
        if color not in _COLORS and men:
            msg = f"algebraic: expected white and black men, found {quote(color)}"
            raise InputError(msg)
        for man in _texts(men):
            squares = parse_squares(man[-2:])
            if not squares:
                msg = f"algebraic: expected men such as Kg3, found {quote(man)}"
                raise InputError(msg)
            composition.place(man[:-2], _COLORS[color], squares[0])


def _intended(entry: Mapping[str, object]) -> int:
    number = _text(entry.get("intended-solutions"))
    return int(number) if number.isdecimal() and len(number) < 5 else 1


def _name(entry: Mapping[str, object]) -> str:
    """Put together who made it, what it is called, where and when it appeared."""
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
    """Give text; Olive wrote quotes around it a second time, and None for none."""
    text = value.strip().strip("\"'").strip() if isinstance(value, str) else ""
    return "" if text == "None" else text


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [text for text in map(_text, values) if text]


def _show(value: object) -> str:
    """Show what was found in place of something else."""
    if isinstance(value, dict):
        value = ", ".join(f"{key}: {text}" for key, text in value.items())
    elif isinstance(value, list):
        value = ", ".join(map(str, value))
    return quote(str(value)) if value else "none"
