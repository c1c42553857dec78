"""Whole answers to `exact-#n`: words, keys, line and play."""

from __future__ import annotations

import chess
import pytest

from solver import Problem, Solution, Status, variations
from solver.output.text import facts, say
from solver.problem import Stipulation
from solver.solving import Solver
from tests.oracles import battle_play as oracle
from tests.oracles.play import PlayOracle
from tests.play.test_whole_play import as_oracle, attacking_positions
from tests.sizes import sized
from tests.typed_play import typed

pytestmark = pytest.mark.usefixtures("battle_kernel")

BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
"""A mate in one; in two, Black makes room for its king."""


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(hash_mib=16)


def solve_fen(solver: Solver, fen: str, length: int) -> Solution:
    return solver.solve(Problem(fen, stipulation=Stipulation.parse(f"exact-#{length}")))


def words(solution: Solution) -> tuple[str, str]:
    known = facts(solution)
    return say("headline", known), say("proof", known)


def test_the_words_say_that_the_length_is_exact(solver: Solver) -> None:
    proved = "Proved. Mates in fewer or more moves were not searched."
    mate = solve_fen(solver, BACK_RANK, 1)
    assert words(mate) == ("White mates in exactly 1.", proved)
    none = solve_fen(solver, BACK_RANK, 2)
    assert words(none) == ("No mate in exactly 2.", proved)


@pytest.mark.parametrize("fen", ["7k/5Q2/6K1/8/8/8/8/8 b", "7k/6Q1/6K1/8/8/8/8/8 b"])
def test_a_side_that_cannot_move_has_no_exact_mate(solver: Solver, fen: str) -> None:
    answer = solve_fen(solver, f"{fen} - - 0 1", 2)
    assert (answer.status, answer.mate, answer.lower_bound) == (
        Status.DISPROVED,
        None,
        3,
    )


@sized("count", 10, 200)
def test_exact_answers_and_their_play_are_as_defined(
    solver: Solver, count: int
) -> None:
    stipulation = Stipulation.parse("exact-#2")
    expected_of = PlayOracle(stipulation)
    solved = 0
    for board in attacking_positions(count, seed=31):
        answer = solve_fen(solver, board.fen(), 2)
        keys = oracle.keys(board, stipulation, 2)
        assert set(answer.keys) == keys, board.fen()
        assert (answer.mate, answer.lower_bound) == ((2, 2) if keys else (None, 3))
        assert answer.status is (Status.PROVED if keys else Status.DISPROVED)
        end = chess.Board(board.fen())
        for move in answer.pv:
            end.push_uci(move)
        assert len(answer.pv) == (3 if keys else 0)
        assert end.is_checkmate() == bool(keys)
        play = variations(answer.problem, solver=solver, set_play=True, tries=2)
        assert as_oracle(typed(play)) == expected_of.whole_play(board, 2), board.fen()
        solved += bool(keys)
    assert solved > count // 10
