"""The oracles agree with published facts and with each other."""

from __future__ import annotations

import random
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

import chess
import pytest

from tests.oracles import endgames, naive, walks
from tests.oracles.remembering import Oracle
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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


def test_endgame_agrees_with_the_definition_up_to_two_moves(
    endgame: endgames.Endgame,
) -> None:
    boards = [board for board, plies in endgame.won(chess.WHITE) if plies <= 5]
    for board in random.Random(1).sample(boards, 40):
        plies = endgame.plies_to_mate(board)
        assert naive.shortest_mate(board, 2) == {1: 1, 3: 2}.get(plies or 0), (
            board.fen()
        )


def test_endgame_agrees_with_the_definition_when_black_is_to_move(
    endgame: endgames.Endgame,
) -> None:
    rng = random.Random(2)
    boards = [board for board, _ in islice(endgame.won(chess.BLACK), 0, None, 997)]
    for board in rng.sample(boards, 40):
        plies = endgame.plies_to_mate(board)
        assert plies is not None
        for n in (0, 1, 2):
            assert naive.mated_in(board, n) == (plies <= 2 * n), board.fen()


def test_black_that_takes_the_piece_escapes(endgame: endgames.Endgame) -> None:
    symbol = chess.piece_symbol(endgame.piece).upper()
    board = chess.Board(f"8/8/8/8/8/k7/{symbol}7/4K3 b - - 0 1")
    assert endgame.plies_to_mate(board) is None
    assert not naive.mated_in(board, 1)


@pytest.mark.parametrize(
    ("fen", "n", "expected"),
    [
        pytest.param("k7/8/1K6/8/8/8/8/7R w - - 0 1", 1, {"h1h8"}, id="mate in one"),
        pytest.param("k7/8/1K6/8/8/8/8/7R w - - 0 1", 0, None, id="no moves left"),
        pytest.param("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", 0, None, id="stalemate"),
    ],
)
def test_definition_on_positions_seen_at_a_glance(
    fen: str, n: int, expected: set[str] | None
) -> None:
    board = chess.Board(fen)
    assert naive.mate_in(board, n) == (expected is not None)
    assert not naive.mated_in(board, n)
    if expected is not None:
        assert naive.keys(board, n) == expected
        assert naive.shortest_mate(board, n) == n


@sized("count", 20, 60)
def test_memory_changes_no_answer_of_the_definition(count: int) -> None:
    oracle = Oracle()
    for board in walks.small_positions(count, seed=3):
        for n in (1, 2):
            assert oracle.mate_in(board, n) == naive.mate_in(board, n), board.fen()
            assert oracle.mated_in(board, n) == naive.mated_in(board, n), board.fen()
        assert oracle.keys(board, 2) == naive.keys(board, 2), board.fen()


def test_memory_finds_the_distances_of_the_solved_endgame(
    endgame: endgames.Endgame,
) -> None:
    boards = [board for board, plies in endgame.won(chess.WHITE) if plies == 7]
    for board in random.Random(3).sample(boards, 4):
        oracle = Oracle()
        assert not oracle.mate_in(board, 3), board.fen()
        assert oracle.mate_in(board, 4), board.fen()


@pytest.mark.parametrize("start", walks.STARTS)
def test_walks_begin_at_legal_positions(start: str) -> None:
    assert chess.Board(start).is_valid()


@pytest.mark.parametrize("positions", [walks.random_positions, walks.small_positions])
def test_positions_are_legal_and_the_same_for_the_same_seed(
    positions: Callable[[int, int], Iterator[chess.Board]],
) -> None:
    first = [board.fen() for board in positions(300, 5)]
    assert first == [board.fen() for board in positions(300, 5)]
    assert first != [board.fen() for board in positions(300, 6)]
    assert all(chess.Board(fen).is_valid() for fen in first)


def test_walks_meet_every_kind_of_move() -> None:
    met: Counter[str] = Counter()
    for board in walks.random_positions(4000, seed=1):
        moves = list(board.legal_moves)
        met["castling"] += any(board.is_castling(move) for move in moves)
        met["en passant"] += any(board.is_en_passant(move) for move in moves)
        met["promotion"] += any(move.promotion for move in moves)
        met["double check"] += len(board.checkers()) == 2
        met["no moves"] += not moves
    assert min(met.values()) > 0
    assert len(met) == 5


def test_small_positions_are_often_near_mate() -> None:
    boards = list(walks.small_positions(300, seed=1))
    assert {chess.popcount(board.occupied) for board in boards} == {3, 4, 5, 6}
    assert {board.turn for board in boards} == {chess.WHITE, chess.BLACK}
    assert sum(naive.mate_in(board, 1) for board in boards) >= 10
