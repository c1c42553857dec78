"""The scored oracle agrees with minimax, and both evaluations with each other."""

from __future__ import annotations

from dataclasses import replace

import chess
import pytest

from solver.kernel.border.scored_struct import Horizon, Mdp
from solver.laboratory.techniques import NodeCount, Techniques
from tests.oracles import minimax, walks
from tests.oracles.scored import MATE, Iteration, ScoredSearch
from tests.oracles.scored_positions import evaluate, from_whites_side

PLAIN = Techniques(aspiration=0)


def test_both_evaluations_are_one() -> None:
    for board in (*walks.small_positions(300, 32), *walks.random_positions(300, 32)):
        seen = evaluate(from_whites_side(board))
        assert seen == minimax.evaluate(board), board.fen()


@pytest.mark.parametrize(
    ("fen", "expected"),
    [
        pytest.param("8/7K/8/8/8/8/R7/7k w - - 0 1", 500 + 60 + 32, id="cornered"),
        pytest.param("8/8/8/3k4/8/3K4/7p/8 w - - 0 1", -(115 + 10 + 48), id="central"),
        pytest.param("4k3/P6p/8/8/8/8/8/4K2N b - - 0 1", -335, id="pawns"),
        pytest.param("8/8/8/3k4/8/3K4/8/8 w - - 0 1", 0, id="bare kings"),
    ],
)
def test_evaluation_added_up_by_hand(fen: str, expected: int) -> None:
    assert minimax.evaluate(chess.Board(fen)) == expected


@pytest.mark.parametrize("mdp", Mdp)
def test_scores_without_a_table_are_those_of_minimax(mdp: Mdp) -> None:
    techniques = replace(PLAIN, mdp=mdp)
    for board in walks.small_positions(12, seed=31):
        search = ScoredSearch(techniques, table=False)
        found = [iteration.score for iteration in search.deepen(board, 3)]
        expected = [minimax.score(board, plies) for plies in (1, 2, 3)]
        assert found == expected, board.fen()


def test_search_counted_by_hand() -> None:
    """Depths 1 and 2 of a position with two black moves.

    Depth 1: Kh7, which has the larger move word, scores -6, then g4 scores -3. Depth 2:
    g4, the table's move, and White's seven replies (six of the king, and h7), of which
    the best scores 6; then Kh7, which the first reply Kf8 refutes.
    """
    board = chess.Board("7k/5K2/7P/6p1/8/8/8/8 b - - 0 1")
    assert list(ScoredSearch(PLAIN).deepen(board, 2)) == [
        Iteration(-3, "g5g4", 2, 2),
        Iteration(-6, "g5g4", 10, 12),
    ]


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        # The root, 2 moves, and g4 again, since it raises alpha; the root, 10 moves,
        # and the one of White's replies that is better than the first, again.
        pytest.param(NodeCount.CALLS, [4, 4 + 12], id="calls"),
        # The root; the root and both of its moves.
        pytest.param(NodeCount.INTERIOR, [1, 1 + 3], id="interior"),
        pytest.param(NodeCount.AGAIN, [1, 1 + 1], id="again"),
    ],
)
def test_other_nodes_of_the_same_search_counted_by_hand(
    count: NodeCount, expected: list[int]
) -> None:
    board = chess.Board("7k/5K2/7P/6p1/8/8/8/8 b - - 0 1")
    search = ScoredSearch(replace(PLAIN, count=count))
    assert [found.nodes_total for found in search.deepen(board, 2)] == expected


@pytest.mark.parametrize("horizon", Horizon)
def test_scores_at_each_horizon_are_those_of_minimax(horizon: Horizon) -> None:
    for board in walks.small_positions(12, seed=34):
        search = ScoredSearch(replace(PLAIN, horizon=horizon), table=False)
        found = [iteration.score for iteration in search.deepen(board, 2)]
        expected = [minimax.score(board, plies, horizon=horizon) for plies in (1, 2)]
        assert found == expected, board.fen()


def test_finished_games_cost_nothing() -> None:
    for fen, score in (
        ("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", -MATE),
        ("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", 0),
    ):
        (found,) = ScoredSearch(PLAIN).deepen(chess.Board(fen), 1)
        assert found == Iteration(score, "", 0, 0)
