"""The record of an answer, its moves in SAN, and how it is written as JSON."""

from __future__ import annotations

import json
import sys
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from solver import position_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Lines = list[list[str]]
    Line = tuple[str, ...]


# Its moves in SAN


class _Shape(NamedTuple):
    """How a field of a record becomes lines of moves, and lines become a field."""

    lines: Callable[[Any], Lines]
    field: Callable[[Lines], object]


_LINE = _Shape(lambda line: [line], lambda lines: lines[0])
_MOVES = _Shape(
    lambda moves: [[move] for move in moves], lambda lines: [move for (move,) in lines]
)
_SHAPES = {
    "pv": _LINE,
    "claimed_line": _LINE,
    "claimed_keys": _MOVES,
    "wrong_keys": _MOVES,
    "solutions": _Shape(list, list),
}


def san_of(record: Mapping[str, Any]) -> dict[str, object]:
    """Name the moves of a record in SAN.

    Parameters
    ----------
    record : mapping
        Of an audit or an answer; see docs/reference/record.md.

    Returns
    -------
    dict
        What pages have as the field `san`: the fields `pv`, `claimed_line`,
        `claimed_keys`, `wrong_keys`, `solutions` and `plies` that the record has, the
        last as a list of keys for each ply. In each line, moves from the first illegal
        one on stay as given.
    """
    fen = record["fen"]
    given = {
        name: shape.lines(record[name])
        for name, shape in _SHAPES.items()
        if name in record
    }
    written = iter(
        position_text.write_lines(fen, chain(*given.values())) if given else []
    )
    san = {
        name: _SHAPES[name].field([next(written) for _ in lines])
        for name, lines in given.items()
    }
    if "plies" in record:
        line = record.get("claimed_line", [])
        san["plies"] = [
            position_text.first_moves(fen, ply["keys"], line[: 2 * index])
            for index, ply in enumerate(record["plies"])
        ]
    return san


# JSON

_DEEPEST = 20_000
"""The recursion limit while a record is written: python-chess and json need a few
nested calls for each move of a mate in 200."""

CHUNK = 1000
"""How many solutions of help play are written together."""


def never() -> bool:
    """Return False: nothing stops what is written."""
    return False


def chunks(
    lines: Sequence[Line], is_over: Callable[[], bool] = never
) -> Iterator[Sequence[Line]]:
    """Yield `CHUNK` lines at a time.

    Parameters
    ----------
    lines : sequence
        Such as the solutions of help play.
    is_over : callable
        Called before each chunk except the first; if it returns True, that chunk and
        the others are left out.
    """
    for first in range(0, len(lines), CHUNK):
        if first and is_over():
            return
        yield lines[first : first + CHUNK]


def dump_solutions(
    record: dict[str, Any], indent: int | None, is_over: Callable[[], bool] = never
) -> Iterator[str]:
    """Write the record of an answer as `dump` does, in parts.

    Parameters
    ----------
    record : dict
        The record. If it has `solutions`, they are written in chunks.
    indent : int or None
        See `dump`.
    is_over : callable
        See `chunks`. If solutions are left out, the record says so: it is not
        complete, and has the field `solutions_found`.
    """
    solutions = record.get("solutions", ())
    if len(solutions) <= CHUNK:
        yield dump(record, indent)
        return
    end_of_line = "" if indent is None else "\n" + " " * indent
    begin, end = _around_solutions(record, indent)
    written = 0
    for lines in chunks(solutions, is_over):
        yield "," if written else begin
        yield _dump_lines(lines, indent)
        written += len(lines)
    if written < len(solutions):
        found = {"solutions_found": len(solutions), "solutions_complete": False}
        _, end = _around_solutions(record | found, indent)
    yield end_of_line
    yield end


def _around_solutions(record: dict[str, Any], indent: int | None) -> tuple[str, str]:
    """Return the text of a record up to its solutions, and from their end on."""
    without = dump(record | {"solutions": []}, indent)
    name = '"solutions":' + ("[" if indent is None else " [")
    begin, _, end = without.partition(f"{name}]")
    return begin + name, f"]{end}"


def _dump_lines(lines: Sequence[Line], indent: int | None) -> str:
    """Write lines of moves as they stand in a list of a record."""
    text = json.dumps(lines, separators=(",", ":"))[1:-1]
    if indent is None:
        return text
    # json is slow if it indents.
    outer, inner = ("\n" + " " * (indent * level) for level in (2, 3))
    text = text.replace('","', f'",{inner}"').replace(
        "],[", f"{outer}],{outer}[{inner}"
    )
    return f"{outer}[{inner}{text[1:-1]}{outer}]"


def dump(record: dict[str, object], indent: int | None) -> str:
    """Return a record as JSON; its play may be of any depth.

    Parameters
    ----------
    record : dict
        The record of an answer.
    indent : int or None
        Spaces a level; None: one line without spaces.
    """
    separators = (",", ":") if indent is None else None
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        return json.dumps(record, indent=indent, separators=separators)
    finally:
        sys.setrecursionlimit(before)
