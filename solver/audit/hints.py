"""What explains a claim that fails: a convention with which it holds, or a longer mate.

A composition may begin with an en passant capture, or deny a right to castle, because
no game leads to its position otherwise; many files do not say so. `variants` are the
same problem with each such convention.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import chess

from solver.audit.result import find_soundness, find_verdict, find_wrong_keys
from solver.errors import InputError
from solver.position_text import GivenPosition
from solver.search.question import Question
from solver.stipulation import MATE
from solver.stipulations.kind import Soundness, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.problem import Problem
    from solver.solution import Solution

FARTHER_NODES = 1_000_000
"""What the search for a longer mate than claimed may cost: less than half a second."""

_CASTLING = {
    chess.H1: "White's castling (O-O)",
    chess.A1: "White's castling (O-O-O)",
    chess.H8: "Black's castling (O-O)",
    chess.A8: "Black's castling (O-O-O)",
}
_SIDES = {
    chess.BB_RANK_1: "White's castling",
    chess.BB_RANK_8: "Black's castling",
}


def variants(problem: Problem) -> Iterator[tuple[str, Problem]]:
    """Yield the problem with each en passant capture, and with less castling.

    Yields
    ------
    tuple of str and Problem
        The convention in words, and the problem that follows it.
    """
    board = GivenPosition(problem.fen).board
    for square in _skipped(board):
        ways = board.copy(stack=False)
        ways.ep_square = square
        if ways.has_legal_en_passant():
            yield from _legal(problem, ways, f"with en passant on {_name(square)}")
    rights = board.castling_rights
    lost = [(chess.BB_SQUARES[corner], words) for corner, words in _CASTLING.items()]
    lost += [
        (rank, words)
        for rank, words in _SIDES.items()
        if chess.popcount(rights & rank) > 1
    ]
    for mask, words in lost:
        if rights & mask:
            ways = board.copy(stack=False)
            ways.castling_rights &= ~mask
            yield from _legal(problem, ways, f"without {words}")


def _skipped(board: chess.Board) -> Iterator[chess.Square]:
    """Yield the squares that a pawn may just have skipped, the position's own left out.

    No one could capture on most of them.
    """
    behind = -8 if board.turn == chess.BLACK else 8
    rank = chess.BB_RANK_4 if board.turn == chess.BLACK else chess.BB_RANK_5
    for pawn in chess.scan_forward(
        board.pawns & board.occupied_co[not board.turn] & rank
    ):
        skipped, start = pawn + behind, pawn + 2 * behind
        is_free = not board.occupied & (
            chess.BB_SQUARES[skipped] | chess.BB_SQUARES[start]
        )
        if is_free and skipped != board.ep_square:
            yield skipped


def _legal(
    problem: Problem, board: chess.Board, words: str
) -> Iterator[tuple[str, Problem]]:
    """Yield a variant unless its position is illegal."""
    try:
        fen = GivenPosition(board.fen(en_passant="fen")).fen
    except InputError:
        return
    yield words, replace(problem, fen=fen)


def farther(question: Question) -> Question:
    """Return the question whether there is a longer mate than claimed.

    Parameters
    ----------
    question : Question
        About a claim of a mate that is refuted.
    """
    problem, limits = question.problem, question.limits
    nodes = min(limits.nodes or FARTHER_NODES, FARTHER_NODES)
    return Question(
        replace(problem, stipulation=MATE),
        replace(limits, max_moves=None, nodes=nodes),
        all_keys=question.all_keys,
    )


def solves_as_claimed(answer: Solution, *, within: bool) -> bool:
    """Return whether a claim holds exactly, its length and keys included.

    Parameters
    ----------
    answer : Solution
        The answer to a variant.
    within : bool
        See `find_verdict`.
    """
    verdict = find_verdict(answer, within=within)
    if answer.solutions:
        return find_soundness(verdict, answer) is Soundness.SOUND
    holds = verdict is Verdict.PROVED or (within and verdict is Verdict.HOLDS)
    return holds and not find_wrong_keys(answer)


_name = chess.square_name
