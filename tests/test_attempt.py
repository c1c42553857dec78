"""Small endings inside a whole answer: proved where a search would not get there."""

from __future__ import annotations

import chess
import pytest

from solver.lane import Lane
from solver.problem import Limits, Problem
from solver.solution import Status, StoppedBy
from solver.solving import Solver

pytestmark = pytest.mark.usefixtures("kernel")

BISHOP_AND_KNIGHT = "7k/8/5K2/8/4N3/8/8/5B2 w - - 0 1"
"""Mate in 22."""

QUEEN_AGAINST_ROOK = "8/8/8/8/8/2k5/1r6/K2Q4 b - - 0 1"
"""Black is mated in 34, and has nothing to mate with in time."""


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(hash_mib=16)


def replay(fen: str, line: tuple[str, ...]) -> chess.Board:
    board = chess.Board(fen)
    for move in line:
        board.push_uci(move)
    return board


def test_a_small_ending_is_proved_with_its_line_and_keys(solver: Solver) -> None:
    found = solver.solve(Problem(BISHOP_AND_KNIGHT), Limits())
    assert (found.status, found.mate, found.lower_bound) == (Status.PROVED, 22, 22)
    assert found.keys_complete
    assert found.pv[0] in found.keys
    assert len(found.pv) == 43
    assert replay(BISHOP_AND_KNIGHT, found.pv).is_checkmate()


def test_a_small_ending_is_proved_for_the_side_that_is_mated(solver: Solver) -> None:
    found = solver.solve(Problem(QUEEN_AGAINST_ROOK), Limits())
    assert (found.status, found.mate) == (Status.PROVED, -34)
    assert len(found.pv) == 68
    assert replay(QUEEN_AGAINST_ROOK, found.pv).is_checkmate()


def test_a_small_ending_has_no_mate_in_fewer_moves(solver: Solver) -> None:
    none = solver.solve(Problem(BISHOP_AND_KNIGHT), Limits(max_moves=21))
    assert (none.status, none.mate, none.lower_bound) == (Status.DISPROVED, None, 22)
    assert none.stopped_by is None


def test_any_mate_in_time_is_told_of_a_small_ending(solver: Solver) -> None:
    found = solver.solve(Problem(BISHOP_AND_KNIGHT), Limits(), within=30)
    assert found.mate is not None
    assert 22 <= found.mate <= 30
    assert found.stopped_by is None


@pytest.mark.parametrize("fen", [BISHOP_AND_KNIGHT, QUEEN_AGAINST_ROOK])
def test_a_node_limit_holds_before_an_ending_is_solved(
    solver: Solver, fen: str
) -> None:
    stopped = solver.solve(Problem(fen), Limits(nodes=20_000))
    assert (stopped.status, stopped.stopped_by) == (Status.UNDECIDED, StoppedBy.NODES)


def test_a_lane_asks_no_ending(solver: Solver) -> None:
    narrow = solver.solve(
        Problem(BISHOP_AND_KNIGHT), Limits(max_moves=30), lane=Lane(checks_only=True)
    )
    assert narrow.status is Status.DISPROVED
