"""The SAN of a record's moves, for pages that show the record."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from solver.position_text import first_moves, write_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Lines = list[list[str]]


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
    written = iter(write_lines(fen, chain(*given.values())) if given else [])
    san = {
        name: _SHAPES[name].field([next(written) for _ in lines])
        for name, lines in given.items()
    }
    if "plies" in record:
        line = record.get("claimed_line", [])
        san["plies"] = [
            first_moves(fen, ply["keys"], line[: 2 * index])
            for index, ply in enumerate(record["plies"])
        ]
    return san
