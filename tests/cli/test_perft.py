"""Perft on a board: edge cases; the published counts are in tests/kernel."""

from __future__ import annotations

import chess
import pytest

from solver.cli.kernel import divide
from solver.search.threads import Control
from solver.solution import StoppedBy


@pytest.mark.parametrize("listed", [False, True])
def test_divide_lists_each_legal_move_with_its_leaves(*, listed: bool) -> None:
    board = chess.Board("8/P5k1/8/8/8/8/1K6/8 w - - 0 1")
    counts = dict(divide(board, 2, Control(), listed=listed))
    assert set(counts) == set(board.legal_moves)
    for move, leaves in counts.items():
        board.push(move)
        assert leaves == board.legal_moves.count()
        board.pop()


def test_with_black_to_move_the_moves_are_blacks() -> None:
    board = chess.Board("4k3/1p6/8/8/8/8/6p1/4K3 b - - 0 1")
    assert {move for move, _ in divide(board, 1, Control(), listed=False)} == set(
        board.legal_moves
    )


def test_a_stopped_count_is_not_yielded() -> None:
    control = Control()
    control.stop(StoppedBy.INTERRUPT)
    assert list(divide(chess.Board(), 5, control, listed=False)) == []
