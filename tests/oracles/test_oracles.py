"""The oracles agree with published facts and with each other."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import islice

import chess
import pytest

from solver.laboratory.techniques import NodeCount, Techniques
from tests.oracles import endgames, naive, special, walks
from tests.oracles.remembering import Oracle
from tests.oracles.scored import Iteration, ScoredSearch
from tests.sizes import sized

ROOK_AND_QUEEN = (chess.ROOK, pytest.param(chess.QUEEN, marks=pytest.mark.slow))


@pytest.fixture(scope="module", params=ROOK_AND_QUEEN, ids=chess.piece_name)
def endgame(request: pytest.FixtureRequest) -> endgames.Endgame:
    return endgames.solve_endgame(request.param)


def test_rook_ending_of_the_seed_is_mate_in_eight() -> None:
    rook = endgames.solve_endgame(chess.ROOK)
    board = chess.Board("8/7K/8/8/8/8/R7/7k w - - 0 1")
    assert rook.plies_to_mate(board) == 15
    plies_after = {}
    for move in board.legal_moves:
        board.push(move)
        plies_after[move.uci()] = rook.plies_to_mate(board)
        board.pop()
    assert [move for move, plies in plies_after.items() if plies == 14] == ["h7g6"]


def test_longest_wins_are_the_published_ones(endgame: endgames.Endgame) -> None:
    moves = {chess.ROOK: 16, chess.QUEEN: 10}[endgame.piece]
    assert max(endgame.white_to_move) == 2 * moves - 1
    assert max(endgame.black_to_move) == 2 * moves
    won = [board for board, plies in endgame.won(chess.WHITE) if plies == 7]
    for board in random.Random(3).sample(won, 4):
        oracle = Oracle()
        assert not oracle.mate_in(board, 3), board.fen()
        assert oracle.mate_in(board, 4), board.fen()


def test_endgame_agrees_with_the_definition(endgame: endgames.Endgame) -> None:
    rng = random.Random(1)
    boards = [board for board, plies in endgame.won(chess.WHITE) if plies <= 5]
    for board in rng.sample(boards, 25):
        plies = endgame.plies_to_mate(board)
        expected = {1: 1, 3: 2}.get(plies or 0)
        assert naive.shortest_mate(board, 2) == expected, board.fen()
    boards = [board for board, _ in islice(endgame.won(chess.BLACK), 0, None, 997)]
    for board in rng.sample(boards, 25):
        plies = endgame.plies_to_mate(board)
        assert plies is not None
        for n in (0, 1, 2):
            assert naive.mated_in(board, n) == (plies <= 2 * n), board.fen()
    symbol = chess.piece_symbol(endgame.piece).upper()
    board = chess.Board(f"8/8/8/8/8/k7/{symbol}7/4K3 b - - 0 1")
    assert endgame.plies_to_mate(board) is None, "Black takes the piece"
    assert not naive.mated_in(board, 1)


@sized("count", 20, 60)
def test_memory_changes_no_answer_of_the_definition(count: int) -> None:
    oracle = Oracle()
    for board in walks.small_positions(count, seed=3):
        for n in (1, 2):
            assert oracle.mate_in(board, n) == naive.mate_in(board, n), board.fen()
            assert oracle.mated_in(board, n) == naive.mated_in(board, n), board.fen()
        assert oracle.keys(board, 2) == naive.keys(board, 2), board.fen()


def test_walks_meet_every_kind_of_move_and_small_positions_many_mates() -> None:
    met: Counter[str] = Counter()
    for board in walks.random_positions(4000, seed=1):
        moves = list(board.legal_moves)
        met.update({special.name_special(board, move) for move in moves})
        met["double check"] += len(board.checkers()) == 2
        met["no moves"] += not moves
    assert min(met.values()) > 0
    assert len(met) == 6
    boards = list(walks.small_positions(300, seed=1))
    assert boards == list(walks.small_positions(300, seed=1))
    assert {chess.popcount(board.occupied) for board in boards} == {3, 4, 5, 6}
    assert {board.turn for board in boards} == {chess.WHITE, chess.BLACK}
    assert sum(naive.mate_in(board, 1) for board in boards) >= 10


# The laboratory's oracles

PLAIN = Techniques(aspiration=0)


def test_search_counted_by_hand() -> None:
    """Depths 1 and 2 of a position with two black moves.

    Depth 1: Kh7, which has the larger move word, scores -6, then g4 scores -3. Depth 2:
    g4, the table's move, and White's seven replies (six of the king, and h7), of which
    the best scores 6; then Kh7, which the first reply Kf8 refutes.

    Calls: the root, 2 moves, and g4 again, since it raises alpha; the root, 10 moves,
    and the one of White's replies that is better than the first, again. Interior nodes:
    the root; the root and both of its moves.
    """
    board = chess.Board("7k/5K2/7P/6p1/8/8/8/8 b - - 0 1")
    assert list(ScoredSearch(PLAIN).deepen(board, 2)) == [
        Iteration(-3, "g5g4", 2, 2),
        Iteration(-6, "g5g4", 10, 12),
    ]
    for count, expected in (
        (NodeCount.CALLS, [4, 4 + 12]),
        (NodeCount.INTERIOR, [1, 1 + 3]),
        (NodeCount.AGAIN, [1, 1 + 1]),
    ):
        search = ScoredSearch(replace(PLAIN, count=count))
        assert [found.nodes_total for found in search.deepen(board, 2)] == expected
