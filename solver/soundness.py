"""Whether a problem is sound: it has a key, just one, and the one that is claimed.

Duals are found here too. They leave a problem sound, as problemists use the word.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.problem import Claim
    from solver.solution import Solution


class Soundness(StrEnum):
    """What an audit says of keys and line."""

    SOUND = "sound"
    """One key, or just the claimed ones, and nothing against the line."""

    COOKED = "cooked"
    """Keys beside the claimed one."""

    SHORT_SOLUTION = "short-solution"
    """There is a shorter mate than claimed."""

    NO_SOLUTION = "no-solution"
    """There is no mate in the moves claimed."""

    MISSING_SOLUTION = "missing-solution"
    """A claimed key, or the first move of the line, does not solve."""

    NOT_SHORTEST_LINE = "not-shortest-line"
    """The line takes longer than the mate, or does not end in it."""


class Ply(NamedTuple):
    """One of the solver's moves in a claimed line, and what would mate as fast.

    Attributes
    ----------
    move : str
        The move of the line, in UCI notation.
    mate : int or None
        Moves to mate where it is played; None: a limit came first, or there is none.
    keys : tuple of str
        All moves that mate as fast there, in UCI notation; none where a limit came
        before all were known.
    only : bool or None
        Whether this move mates as fast as any, and has no rival that the claim leaves
        out; see `is_only`. None where that is not known.
    """

    move: str
    mate: int | None
    keys: tuple[str, ...]
    only: bool | None = None


def first_moves_claimed(claim: Claim) -> tuple[str, ...]:
    """Give the claimed keys, or else the first move of the claimed line."""
    return claim.keys or claim.line[:1]


def weigh(claim: Claim, answer: Solution, plies: Sequence[Ply]) -> Soundness | None:
    """Hold all keys of a proved mate, of the length claimed, against the claim.

    Parameters
    ----------
    claim : Claim
        A mate by the side to move.
    answer : Solution
        Its mate is as long as claimed and proved to be the shortest.
    plies : sequence of Ply
        The solver's moves in the line, as far as they were looked at.

    Returns
    -------
    Soundness or None
        None where not all keys are known.
    """
    if not answer.keys_complete:
        return None
    claimed = first_moves_claimed(claim)
    if any(move not in answer.keys for move in claimed):
        return Soundness.MISSING_SOLUTION
    if _takes_longer(claim, answer) or any(is_slow(ply) for ply in plies):
        return Soundness.NOT_SHORTEST_LINE
    if len(answer.keys) > max(1, len(claimed)) and not _is_free(claim, claim.mate):
        return Soundness.COOKED
    return Soundness.SOUND


def is_slow(ply: Ply) -> bool:
    """Tell whether other moves mate, and faster than the line's."""
    return bool(ply.keys) and ply.move not in ply.keys


def weigh_plies(claim: Claim, plies: Sequence[Ply]) -> tuple[Ply, ...]:
    """Hold each of the solver's moves in the claimed line against its rivals.

    Returns
    -------
    tuple of Ply
        The same with `only`.
    """
    return tuple(
        ply._replace(only=is_only(claim, ply, is_first=number == 0))
        for number, ply in enumerate(plies)
    )


def is_only(claim: Claim, ply: Ply, *, is_first: bool) -> bool | None:
    """Decide whether a move is the only one that mates as fast.

    What the claim itself allows is no rival: the other claimed keys at the first move,
    and other mates in one where the source counts them all alike.

    Returns
    -------
    bool or None
        None where a limit left that open.
    """
    if not ply.keys:
        return None
    if ply.move not in ply.keys:
        return False
    allowed = {ply.move, *(claim.keys if is_first else ())}
    return _is_free(claim, ply.mate) or allowed.issuperset(ply.keys)


def only_moves(claim: Claim, plies: Sequence[Ply]) -> bool | None:
    """Decide whether each of the solver's moves is the only one that mates as fast.

    Returns
    -------
    bool or None
        None where the line was not looked at, or a limit left that open.
    """
    only = [ply.only for ply in weigh_plies(claim, plies)]
    if False in only:
        return False
    return True if only and None not in only else None


def has_dual(plies: Sequence[Ply]) -> bool:
    """Decide whether a move after the key has a rival that mates as fast.

    Rivals of the key are cooks, and `Soundness` has words for them.
    """
    return any(map(is_dual, plies[1:]))


def is_dual(ply: Ply) -> bool:
    """Decide whether a move mates as fast as any, and another does so too."""
    return ply.only is False and not is_slow(ply)


def recorded_only(
    move: str, keys: Sequence[str], *, only_moves: bool | None
) -> bool | None:
    """Give `Ply.only` for a record of an earlier version, which has it for all alone.

    Parameters
    ----------
    move, keys
        As in `Ply`.
    only_moves : bool or None
        What the record says of all moves of the line together: where it is not False,
        those that have rivals are allowed them.
    """
    if only_moves is not False:
        return only_moves
    return tuple(keys) == (move,) if keys else None


def _is_free(claim: Claim, mate: int | None) -> bool:
    """Tell whether the source counts all mates alike there."""
    return mate == 1 and claim.any_last_move


def _takes_longer(claim: Claim, answer: Solution) -> bool:
    plies = 2 * claim.mate - 1
    if len(claim.line) < plies:  # cut short, or not defended as long as possible
        return False
    if len(claim.line) > plies:
        return True
    import chess

    board = chess.Board(answer.problem.fen)
    for move in claim.line:
        board.push_uci(move)
    return not board.is_checkmate()
