"""Who is to mate whom, and within how many moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess

from solver.problem import MAX_MOVES, signed_length

if TYPE_CHECKING:
    from solver.problem import Limits, Problem


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a position.

    Attributes
    ----------
    attacking : bool
        The side to move is the attacker; else it is the defender.
    most_moves : int
        How far to look, in attacker's moves.
    both_sides : bool
        Nobody said who attacks, so its being mated is an answer as well.
    hopeless : bool
        The attacker has but its king, and mates in no number of moves.
    any_length : bool
        Any mate within `most_moves` will do; else the shortest is asked for.
    expected : int or None
        How long the source says that the mate is.
    """

    attacking: bool
    most_moves: int
    both_sides: bool
    hopeless: bool
    any_length: bool
    expected: int | None


def understand(
    problem: Problem, board: chess.Board, limits: Limits, within: int | None
) -> Question:
    """Read the question out of what was given.

    A number of moves, asked or claimed, tells by its sign who attacks. Else it is the
    side to move, unless that has but its king.

    Raises
    ------
    InputError
        `within` is no whole number, 0, or more moves than a search looks for.
    """
    mover_is_bare, other_is_bare = (
        chess.popcount(board.occupied_co[color]) == 1
        for color in (board.turn, not board.turn)
    )
    most = limits.max_moves
    if within is not None:
        within = signed_length("within", within)
        most = abs(within)
    told = within
    if told is None:
        told = problem.claim.mate if problem.claim else problem.no_mate
    attacking = not mover_is_bare or other_is_bare if told is None else told > 0
    return Question(
        attacking=attacking,
        most_moves=MAX_MOVES if most is None else most,
        both_sides=told is None and attacking and not other_is_bare,
        hopeless=mover_is_bare if attacking else other_is_bare,
        any_length=within is not None,
        expected=abs(problem.claim.mate) if problem.claim else None,
    )
