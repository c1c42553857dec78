"""Records of plain shape, read many at a time: a FEN, perhaps a number, a line, a name.

A `Shape` picks the texts of a record, and compiled code reads the positions and lines
of all that have arrived in one call. A record that is unusual in any way is left to the
reader of its format, which alone reports faults.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from solver.formats.claims import default_name
from solver.formats.evidence import AND_MORE, MATE_THEME, MATE_THEMES
from solver.position_text import read_many
from solver.problem import MATE, MAX_MOVES, Claim, Problem, draft_of, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SURROGATE = re.compile("[\ud800-\udfff]")
"""A surrogate without the other one of its pair: JSON can express it, but a text file
cannot."""

_RAW = list, str
_FEW_DIGITS = 4

Picked: TypeAlias = "tuple[str, str, str, Any]"
"""A FEN; a line, the opponent's first move included; a name, empty without one; and
what else the claim depends on, None if there is none."""

_DraftProblem, _DraftClaim = draft_of(Problem), draft_of(Claim)


class Shape(NamedTuple):
    """How to read records of plain shape.

    Attributes
    ----------
    pick : callable
        Returns what a record has; None if it is of another shape, or not selected.
    claim : callable
        Returns the claim, given what it depends on and the line in UCI notation; None
        if the record is unusual. Called in the order of the records.
    played : int
        How many of the opponent's moves come before the position; castling in their
        line is then a move of the king by two squares.
    """

    pick: Callable[[Any], Picked | None]
    claim: Callable[[Any, tuple[str, ...]], Claim | None]
    played: int = 0


def read_plain(
    shape: Shape | None, rows: Sequence[tuple[Any, ...]], file: str
) -> Iterator[Problem | None]:
    """Read the rows of plain shape in one call of compiled code; yield None for others.

    Parameters
    ----------
    shape : Shape or None
        None: no row is of plain shape.
    rows : sequence of tuple
        The number of each in the file, and a list or a text; else the row is unusual.
    file : str
        The file's name in `file:line`.
    """
    if shape is None:
        yield from repeat(None, len(rows))
        return
    pick, played = shape.pick, shape.played
    picked = [pick(row[1]) if type(row[1]) in _RAW else None for row in rows]
    fens = [one[0] for one in picked if one]
    lines = [one[1] for one in picked if one]
    lines = lines if any(lines) else []
    found = iter(read_many(fens, lines, played=played, uci_only=played > 0))
    prefix = default_name(f"{file}:")
    for row, one in zip(rows, picked, strict=True):
        position = next(found) if one else None
        if not (one and position):
            yield None
            continue
        given, moves, name, said = one
        claim = None
        if said is not None:
            line = position[1]
            claim = shape.claim(said, tuple(line.split()) if line else ())
            if claim is None:
                yield None
                continue
        problem = _DraftProblem()
        problem.fen = position[0]
        problem.source = f"{file}:{row[0]}"
        problem.id = name or f"{prefix}{row[0]}"
        problem.claim = claim
        problem.no_mate = None
        problem.stipulation = MATE
        problem.names_side = True
        problem.warnings = problem.line = ()
        problem.before = (given, moves.split(None, 1)[0]) if played else ()
        problem.__class__ = Problem
        yield problem


@lru_cache
def _claim_mate(moves: int) -> Claim:
    return Claim(moves)


def claim_number(moves: int, line: tuple[str, ...]) -> Claim:
    """Return the claim of a mate, with its line if there is one."""
    return _claim(moves, (), line) if line else _claim_mate(moves)


def _claim(
    mate: int, keys: tuple[str, ...], line: tuple[str, ...], *, any_last: bool = False
) -> Claim:
    claim = _DraftClaim()
    claim.mate = mate
    claim.keys = keys
    claim.line = line
    claim.any_last_move = any_last
    claim.solutions = None
    claim.by_line = claim.partly_read = False
    claim.variations = ()
    claim.__class__ = Claim
    made: Claim = claim
    return made


def _number_of(text: str) -> int:
    """Return the length of a mate in other digits; 0 for anything else."""
    number = int(text) if len(text) < _FEW_DIGITS and text.isdecimal() else 0
    return number if number <= MAX_MOVES else 0


LENGTHS = {str(number): number for number in range(1, MAX_MOVES + 1)}
"""The lengths of mates by their usual digits."""


def numbered_rows(at: int, claim_at: int, name_at: int) -> Shape:
    """Return the shape of rows with a position, a number and perhaps a name.

    Parameters
    ----------
    at, claim_at, name_at : int
        The places of their cells; -1: no name.
    """

    def pick(cells: Sequence[str]) -> Picked | None:
        fen, digits = cells[at], cells[claim_at].strip()
        number = LENGTHS.get(digits) or _number_of(digits)
        if not number or " " not in fen.strip():
            return None
        name = cells[name_at] if name_at >= 0 else ""
        return fen, "", SURROGATE.sub("\ufffd", name), number

    return Shape(pick, claim_number)


def lichess_rows(
    pick_cells: Callable[[Sequence[str]], Sequence[str]],
    selects: Callable[..., bool] | None,
) -> Shape:
    """Return the shape of lichess's rows.

    Parameters
    ----------
    pick_cells : callable
        Returns the name, position, moves and themes of a row, perhaps more.
    selects : callable or None
        Returns whether a row is selected, given its moves, its themes and what follows.
        None: those are that claim a mate.
    """

    def pick(cells: Sequence[str]) -> Picked | None:
        row = pick_cells(cells)
        said = _length_of(row[3])
        if said is None if selects is None else not selects(*row[2:]):
            return None
        return row[1], row[2], printable(row[0]), said

    return Shape(pick, _claim_line, played=1)


@lru_cache(1 << 12)
def _length_of(themes: str) -> int | None:
    """Return the length of the mate that themes claim, 0 for any; None for no mate.

    `_MIXED` stands for several lengths.
    """
    words = MATE_THEMES.intersection(themes.split()) if MATE_THEME in themes else None
    if not words:
        return None
    lengths = [int(word.removeprefix("mateIn")) for word in words - {MATE_THEME}]
    return _MIXED if len(lengths) > 1 else sum(lengths)


_MIXED = -1


def _claim_line(length: int, line: tuple[str, ...]) -> Claim | None:
    """Return the claim of a line; None if its length is not the claimed one."""
    plies = len(line)
    mate = (plies + 1) // 2
    is_claimed = length in (0, mate) or length == AND_MORE < mate
    if not (plies % 2 and is_claimed) or mate > MAX_MOVES:
        return None
    return _claim(mate, line[:1], line, any_last=True)
