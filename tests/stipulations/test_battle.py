"""Whole answers of battle play: shortest, keys, line, limits."""

from __future__ import annotations

import chess
import pytest

from solver import InputError, Limits, Problem, Restriction, Solution, Status, StoppedBy
from solver.kernel.border.search_struct import BattlePlay
from solver.problem import Goal, Play, Stipulation
from solver.search.threads import Control
from solver.solving import Solver, solve
from solver.stipulations import BATTLE_PLAYS
from tests.cpu_time import after_work
from tests.oracles import battle_play as oracle
from tests.oracles import stipulated
from tests.sizes import sized

pytestmark = pytest.mark.usefixtures("battle_kernel")

SELFMATE = "8/8/Q7/8/8/1q6/2Q5/K5kr w - - 0 1"
"""s#2 by 1. Qf1+ alone."""

LONG = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
"""No stipulation is solved here within hours."""

OVERRUN = 5_000
"""Nodes by which a search may exceed its limit: it looks between two attacks, and reads
the line of a solution that it has proved."""

MOST_MOVES = 18
"""First moves for which the oracle answers within a second."""

each_stipulation = pytest.mark.parametrize("name", stipulated.STIPULATIONS)


@pytest.fixture
def solver() -> Solver:
    return Solver(hash_mib=16)


def solve_fen(solver: Solver, fen: str, stipulation: str, **limits: int) -> Solution:
    return solver.solve(Problem(fen, stipulation=stipulation), Limits(**limits))


def agree_with_the_definition(
    solver: Solver, name: str, moves: int, count: int, seed: int
) -> None:
    stipulation = Stipulation.parse(f"{name}{moves}")
    solved = 0
    for board in stipulated.quick_positions(name, count, seed, MOST_MOVES):
        problem = Problem(board.fen(), stipulation=stipulation)
        answer = solver.solve(problem)
        about = f"{board.fen()}: {stipulation}"
        shortest = oracle.shortest(board, stipulation)
        assert answer.mate == shortest, about
        assert answer.status is (Status.PROVED if shortest else Status.DISPROVED), about
        assert answer.lower_bound == (shortest or moves + 1), about
        assert set(answer.keys) == oracle.keys(board, stipulation, moves), about
        assert answer.keys_complete == bool(shortest), about
        assert answer.stopped_by is None, about
        solved += bool(shortest)
    assert solved >= count // 20


@sized("count", 4, 10)
@each_stipulation
def test_answers_are_as_defined(solver: Solver, name: str, count: int) -> None:
    count *= 1 if "r" in name else 4  # the oracle of reflex play is slow
    agree_with_the_definition(solver, name, 2, count, seed=11)


@pytest.mark.slow
@each_stipulation
def test_a_thousand_answers_are_as_defined(solver: Solver, name: str) -> None:
    agree_with_the_definition(solver, name, 2, count=1000, seed=12)


def test_the_kernel_has_a_word_for_each_stipulation() -> None:
    assert {*BATTLE_PLAYS.values(), BattlePlay.EXACT_MATE} == set(BattlePlay)
    for (play, goal), word in BATTLE_PLAYS.items():
        assert Stipulation(play, goal, 1).play is play, word
    assert (Play.DIRECT, Goal.MATE) not in BATTLE_PLAYS


def test_keys_are_all_first_moves_within_the_stipulation(solver: Solver) -> None:
    """Also those that reach the goal in more than the fewest moves."""
    fen = "8/8/2q2Q2/3Q4/2N5/6k1/8/7K w - - 0 1"
    short = solve_fen(solver, fen, "s#1")
    assert (short.mate, short.keys) == (1, ("d5g2",))
    long = solve_fen(solver, fen, "s#3")
    assert (long.mate, set(long.keys)) == (1, {"d5g2", "f6c3", "f6f3"})


def test_the_line_is_legal_and_ends_with_the_goal(solver: Solver) -> None:
    answer = solve_fen(solver, SELFMATE, "s#3")
    assert (answer.mate, answer.keys) == (2, ("a6f1",))
    board = chess.Board(SELFMATE)
    for move in answer.pv:
        board.push(chess.Move.from_uci(move))
    assert len(answer.pv) == 4
    assert board.is_checkmate()
    assert board.turn == chess.WHITE


@each_stipulation
def test_a_side_that_cannot_move_solves_nothing(solver: Solver, name: str) -> None:
    for fen in ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"):
        answer = solve_fen(solver, fen, f"{name}2")
        assert (answer.status, answer.mate) == (Status.DISPROVED, None)
        assert answer.lower_bound == 3


@each_stipulation
def test_every_node_limit_leaves_a_true_answer(solver: Solver, name: str) -> None:
    stops = 0
    for board in stipulated.positions(name, 6, seed=13):
        whole = solve_fen(solver, board.fen(), f"{name}3")
        for nodes in (1, 2, 5, 20, 100, 500):
            cut = solve_fen(solver, board.fen(), f"{name}3", nodes=nodes)
            assert cut.lower_bound <= whole.lower_bound
            assert cut.mate in {None, whole.mate}
            assert set(cut.keys) <= set(whole.keys)
            if cut.stopped_by is None:
                assert (cut.status, cut.keys) == (whole.status, whole.keys)
            else:
                assert cut.stopped_by is StoppedBy.NODES
                assert cut.status is (
                    Status.UNDECIDED if cut.mate is None else Status.PROVED
                )
                assert not cut.keys_complete
                stops += 1
            assert cut.stats.nodes <= nodes + OVERRUN
    assert stops > 5


def test_a_time_limit_and_a_stop_end_a_long_search(solver: Solver) -> None:
    problem = Problem(LONG, stipulation="s#6")
    answer = solver.solve(problem, Limits(time_s=0.2))
    assert (answer.status, answer.stopped_by) == (Status.UNDECIDED, StoppedBy.TIME)
    control = Control()
    with after_work(control.stop):
        answer = solver.solve(problem, control=control)
    assert (answer.status, answer.stopped_by) == (Status.UNDECIDED, StoppedBy.INTERRUPT)
    assert answer.lower_bound >= 2


def test_root_moves_restrict_the_keys(solver: Solver) -> None:
    fen = "8/8/2q2Q2/3Q4/2N5/6k1/8/7K w - - 0 1"
    problem = Problem(fen, stipulation="s#3")
    answer = solver.solve(problem, root_moves=["f6f3", "f6a1"])
    assert answer.keys == ("f6f3",)
    assert answer.pv[0] == "f6f3"
    assert answer.mate == 3
    answer = solver.solve(problem, root_moves=["f6a1"])
    assert (answer.status, answer.keys) == (Status.DISPROVED, ())


def test_a_restriction_or_a_bound_beside_the_stipulation_is_refused() -> None:
    problem = Problem(SELFMATE, stipulation="s#2")
    with pytest.raises(InputError, match="restriction: expected None with the stip"):
        solve(problem, restriction=Restriction(checks_only=True))
    with pytest.raises(InputError, match="within: expected None with the stipulation"):
        solve(problem, within=2)


def test_one_solver_answers_each_question_as_a_new_one(solver: Solver) -> None:
    """Mates and stipulations in turn, in one table."""
    for board in stipulated.positions("r#", 20, seed=14):
        for text in (None, "r#2", "s#2", "=2", "#2"):
            problem = Problem(board.fen(), stipulation=text)
            limits = Limits(max_moves=2)
            again, new = solver.solve(problem, limits), Solver(1).solve(problem, limits)
            assert (again.mate, again.keys) == (new.mate, new.keys), board.fen()
            if text not in {None, "#2"}:  # no endgame table has answered
                assert again.stats.nodes == new.stats.nodes, (board.fen(), text)


@each_stipulation
def test_threads_change_no_answer(name: str) -> None:
    alone, together = Solver(1), Solver(1, threads=2)
    for board in stipulated.positions(name, 8, seed=15):
        one = solve_fen(alone, board.fen(), f"{name}3")
        two = solve_fen(together, board.fen(), f"{name}3")
        assert (one.status, one.mate, one.keys, len(one.pv)) == (
            two.status,
            two.mate,
            two.keys,
            len(two.pv),
        ), board.fen()
