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
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.errors import FormatError, InputError, missing_package
from solver.formats.claims import make_problem
from solver.formats.composition import Composition
from solver.formats.encoding import decode
from solver.formats.popeye_options import parse_squares
from solver.formats.solution_text import find_keys
from solver.formats.wording import printable, quote
from solver.problem import Claim

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from solver.problem import Problem

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
    from solver.formats.plain_yaml import parse_document

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
