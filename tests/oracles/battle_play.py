"""Battle play by its definition: python-chess, no pruning, no table.

Stalemate, self- and reflex play and exact mates as docs/reference/stipulations.md
defines them. The fifty-move rule and repetition are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.problem import Goal, Play
from tests.oracles.naive import successors

if TYPE_CHECKING:
    import chess

    from solver.problem import Stipulation


def solves(board: chess.Board, stipulation: Stipulation, n: int) -> bool:
    """Return whether the side to move reaches the goal within `n` of its moves.

    With an exact length, whether it does so with its move number `n`.
    """
    return bool(keys(board, stipulation, n))


def keys(board: chess.Board, stipulation: Stipulation, n: int) -> set[str]:
    """Return the first moves that reach the goal within `n` moves, in UCI notation."""
    if n < 1 or (stipulation.play is Play.REFLEX and _ends_in_one(board, stipulation)):
        return set()
    return {
        move.uci()
        for move, after in successors(board)
        if is_lost(after, stipulation, n - 1)
    }


def is_lost(board: chess.Board, stipulation: Stipulation, n: int) -> bool:
    """Return whether the side to move cannot prevent the goal within `n` moves."""
    match stipulation.play:
        case Play.DIRECT:
            if not any(board.legal_moves):
                is_due = n == 0 or not stipulation.exact
                return is_due and _is_goal(board, stipulation)
            return all(solves(after, stipulation, n) for _, after in successors(board))
        case Play.SELF:
            return any(board.legal_moves) and all(
                _is_goal(after, stipulation) or solves(after, stipulation, n)
                for _, after in successors(board)
            )
        case _:
            if _ends_in_one(board, stipulation):
                return True
            return any(board.legal_moves) and all(
                solves(after, stipulation, n) for _, after in successors(board)
            )


def refutations(board: chess.Board, stipulation: Stipulation, n: int) -> set[str]:
    """Return the replies after which the goal is not reached within `n` moves."""
    is_reflex = stipulation.play in {Play.REFLEX, Play.SEMI_REFLEX}
    if is_reflex and _ends_in_one(board, stipulation):
        return set()
    ends_by_reply = stipulation.play is Play.SELF
    return {
        move.uci()
        for move, after in successors(board)
        if not (ends_by_reply and _is_goal(after, stipulation))
        and not solves(after, stipulation, n)
    }


def shortest(board: chess.Board, stipulation: Stipulation) -> int | None:
    """Return the fewest moves to the goal; None if more than the stipulation's."""
    first = stipulation.length if stipulation.exact else 1
    numbers = range(first, stipulation.length + 1)
    return next((n for n in numbers if solves(board, stipulation, n)), None)


def _is_goal(board: chess.Board, stipulation: Stipulation) -> bool:
    """Return whether the side to move is mated, or stalemated, as is demanded."""
    if stipulation.goal is Goal.MATE:
        return board.is_checkmate()
    return board.is_stalemate()


def _ends_in_one(board: chess.Board, stipulation: Stipulation) -> bool:
    return any(_is_goal(after, stipulation) for _, after in successors(board))
