"""Whole answers of battle play: shortest, keys, line, limits."""

from __future__ import annotations

import chess
import pytest

from solver import (
    InputError,
    Limits,
    Problem,
    Restriction,
    Solution,
    Status,
    StoppedBy,
    variations,
)
from solver.output.text import facts, say
from solver.problem import Stipulation
from solver.search.threads import Control
from solver.solving import Solver, solve
from tests.cpu_time import after_work
from tests.oracles import battle_play as oracle
from tests.oracles import stipulated
from tests.oracles.play import PlayOracle
from tests.play.test_whole_play import as_oracle, attacking_positions
from tests.sizes import sized
from tests.typed_play import typed

pytestmark = pytest.mark.usefixtures("battle_kernel")

SELFMATE = "8/8/Q7/8/8/1q6/2Q5/K5kr w - - 0 1"
"""s#2 by 1. Qf1+ alone."""

SHORT = "8/8/2q2Q2/3Q4/2N5/6k1/8/7K w - - 0 1"
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


@sized("count", 4, 250)
@each_stipulation
def test_answers_are_as_defined(solver: Solver, name: str, count: int) -> None:
    count *= 1 if "r" in name else 4  # the oracle of reflex play is slow
    stipulation, solved = Stipulation.parse(f"{name}2"), 0
    for board in stipulated.quick_positions(name, count, 11, MOST_MOVES):
        answer = solver.solve(Problem(board.fen(), stipulation=stipulation))
        about = f"{board.fen()}: {stipulation}"
        shortest = oracle.shortest(board, stipulation)
        assert answer.mate == shortest, about
        assert answer.status is (Status.PROVED if shortest else Status.DISPROVED), about
        assert answer.lower_bound == (shortest or 3), about
        assert set(answer.keys) == oracle.keys(board, stipulation, 2), about
        assert answer.keys_complete == bool(shortest), about
        assert answer.stopped_by is None, about
        solved += bool(shortest)
    assert solved >= count // 20


def test_the_line_is_legal_and_ends_with_the_goal(solver: Solver) -> None:
    answer = solve_fen(solver, SELFMATE, "s#3")
    assert (answer.mate, answer.keys, len(answer.pv)) == (2, ("a6f1",), 4)
    board = chess.Board(SELFMATE)
    for move in answer.pv:
        board.push(chess.Move.from_uci(move))
    assert (board.is_checkmate(), board.turn) == (True, chess.WHITE)


@each_stipulation
def test_a_side_that_cannot_move_solves_nothing(solver: Solver, name: str) -> None:
    for fen in ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"):
        answer = solve_fen(solver, fen, f"{name}2")
        assert (answer.status, answer.mate) == (Status.DISPROVED, None)
        assert answer.lower_bound == 3


@each_stipulation
def test_every_node_limit_leaves_a_true_answer(solver: Solver, name: str) -> None:
    stops = 0
    for board in stipulated.positions(name, 3, seed=13):
        whole = solve_fen(solver, board.fen(), f"{name}3")
        for nodes in (1, 2, 5, 20, 100, 500):
            cut = solve_fen(solver, board.fen(), f"{name}3", nodes=nodes)
            assert cut.lower_bound <= whole.lower_bound
            assert cut.mate in {None, whole.mate}
            assert set(cut.keys) <= set(whole.keys)
            if cut.stopped_by is None:
                assert (cut.status, cut.keys) == (whole.status, whole.keys)
            else:
                expected = Status.UNDECIDED if cut.mate is None else Status.PROVED
                assert (cut.stopped_by, cut.status) == (StoppedBy.NODES, expected)
                assert not cut.keys_complete
                stops += 1
            assert cut.stats.nodes <= nodes + OVERRUN
    assert stops > 2


def test_a_time_limit_and_a_stop_end_a_long_search(solver: Solver) -> None:
    problem = Problem(LONG, stipulation="s#6")
    answer = solver.solve(problem, Limits(time_s=0.2))
    assert (answer.status, answer.stopped_by) == (Status.UNDECIDED, StoppedBy.TIME)
    control = Control()
    with after_work(control.stop):
        answer = solver.solve(problem, control=control)
    assert (answer.status, answer.stopped_by) == (Status.UNDECIDED, StoppedBy.INTERRUPT)
    assert answer.lower_bound >= 2


def test_root_moves_restrict_the_keys_other_bounds_do_not(solver: Solver) -> None:
    problem = Problem(SHORT, stipulation="s#3")
    answer = solver.solve(problem, root_moves=["f6f3", "f6a1"])
    assert (answer.keys, answer.pv[0], answer.mate) == (("f6f3",), "f6f3", 3)
    answer = solver.solve(problem, root_moves=["f6a1"])
    assert (answer.status, answer.keys) == (Status.DISPROVED, ())
    with pytest.raises(InputError, match="restriction: expected None with the stip"):
        solve(problem, restriction=Restriction(checks_only=True))
    with pytest.raises(InputError, match="within: expected None with the stipulation"):
        solve(problem, within=2)


def test_one_solver_answers_each_question_as_a_new_one(solver: Solver) -> None:
    """Mates and stipulations in turn, in one table."""
    for board in stipulated.positions("r#", 8, seed=14):
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
    for board in stipulated.positions(name, 4, seed=15):
        answers = [solve_fen(one, board.fen(), f"{name}3") for one in (alone, together)]
        one, two = ((a.status, a.mate, a.keys, len(a.pv)) for a in answers)
        assert one == two, board.fen()


# --- exact lengths

BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
"""A mate in one; in two, Black makes room for its king."""


def test_the_words_say_that_the_length_is_exact(solver: Solver) -> None:
    proved = "Proved. Mates in fewer or more moves were not searched."
    headlines = "White mates in exactly 1.", "No mate in exactly 2."
    for length, headline in enumerate(headlines, 1):
        known = facts(solve_fen(solver, BACK_RANK, f"exact-#{length}"))
        assert (say("headline", known), say("proof", known)) == (headline, proved)
    for fen in ("7k/5Q2/6K1/8/8/8/8/8 b", "7k/6Q1/6K1/8/8/8/8/8 b"):
        answer = solve_fen(solver, f"{fen} - - 0 1", "exact-#2")
        found = (answer.status, answer.mate, answer.lower_bound)
        assert found == (Status.DISPROVED, None, 3)


@sized("count", 10, 200)
def test_exact_answers_and_play_are_as_defined(solver: Solver, count: int) -> None:
    stipulation = Stipulation.parse("exact-#2")
    expected_of = PlayOracle(stipulation)
    solved = 0
    for board in attacking_positions(count, seed=31):
        answer = solve_fen(solver, board.fen(), "exact-#2")
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
