"""A solver serves one search at a time, and what is kept from one changes no other."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from random import Random
from threading import Barrier
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver import Limits, Problem, grade, solve, variations
from solver.errors import InUseError, MatesolveError
from solver.play import builder as play
from solver.search.queries import Question, Questions
from solver.search.threads import Control
from solver.solving import Solver
from solver.uci.analysis import Analysis
from solver.uci.protocol import parse_go
from tests import processes
from tests.search.workspaces import untimed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.kernel.border.search_struct import Search
    from solver.solution import Solution


pytestmark = pytest.mark.usefixtures("kernel")

ENDING = "8/7K/8/8/8/8/R7/7k w - -"
"""Mate in 8."""
SHORT = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -"
"""Mate in 2."""

IN_USE = "solver is already in use; use one for each thread, for one search at a time"
CONTROL_IN_USE = "control is already in use; use one for each search"


class Hooked(Control):
    """A control that calls a function whenever a search begins."""

    def __init__(self, hook: Callable[[], object]) -> None:
        super().__init__()
        self._hook = hook

    def attach(self, search: Search) -> None:
        super().attach(search)
        self._hook()


@pytest.fixture
def solver() -> Solver:
    return Solver(hash_mib=1)


def solutions(solver: Solver, *fens: str) -> Iterator[Solution]:
    asked = [Question(Problem(f"{fen} 0 1"), Limits(max_moves=3)) for fen in fens]
    batch = Questions(solver.workspace, asked)
    for answered in solver.answers(batch, lambda: nullcontext(Control())):
        yield from batch.solutions(answered)


def analyse(solver: Solver) -> None:
    Analysis(chess.Board(f"{SHORT} 0 1"), parse_go(""), 1).run(solver)


def found(solution: Solution) -> tuple[Any, ...]:
    """Return all of an answer but its time."""
    stopped_by, nodes = solution.stopped_by, solution.stats.nodes
    return solution.status, solution.lower_bound, solution.pv, stopped_by, nodes


USES: dict[str, Callable[[Solver], object]] = {
    "Solver.solve": lambda solver: solver.solve(SHORT),
    "solve": lambda solver: solve(SHORT, solver=solver),
    "answers": lambda solver: list(solutions(solver, SHORT)),
    "variations": lambda solver: variations(SHORT, solver=solver),
    "uci": analyse,
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_while_answers_are_half_consumed_every_other_use_is_refused(
    solver: Solver, use: Callable[[Solver], object]
) -> None:
    answers = solutions(solver, SHORT, SHORT, ENDING)
    first = next(answers)
    with pytest.raises(InUseError) as refused:
        use(solver)
    assert str(refused.value) == IN_USE
    with ThreadPoolExecutor(1) as pool, pytest.raises(InUseError):
        pool.submit(use, solver).result()
    again, last = answers
    assert (first.mate, again.mate, last.lower_bound) == (2, 2, 4)
    use(solver)


def test_answers_that_have_not_begun_or_are_abandoned_leave_the_solver_free(
    solver: Solver,
) -> None:
    answers = solutions(solver, SHORT)
    assert solver.solve(ENDING, Limits(max_moves=3)).lower_bound == 4
    assert [answer.mate for answer in answers] == [2]
    closed, dropped = (solutions(solver, SHORT, ENDING) for _ in range(2))
    next(closed)
    closed.close()  # type: ignore[attr-defined]
    next(dropped)
    del dropped
    assert solver.solve(SHORT).mate == 2


def test_the_solver_is_in_use_until_the_play_is_built(
    solver: Solver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(*_: object) -> None:
        with pytest.raises(InUseError):
            solver.solve(SHORT)

    monkeypatch.setattr(play, "build_variations", build)
    variations(SHORT, solver=solver)
    assert solver.solve(SHORT).mate == 2


@pytest.mark.parametrize("threads", [2, 8])
def test_of_several_threads_one_gets_its_answer_and_the_others_an_error(
    threads: int,
) -> None:
    """Each may use a solver of its own, and all may grade."""
    solver, start = Solver(), Barrier(threads)
    limits = Limits(max_moves=6)
    alone = found(solver.solve(ENDING, limits))

    def run(_: int) -> tuple[Any, ...] | str:
        start.wait()
        try:
            return found(solver.solve(ENDING, limits))
        except MatesolveError as error:
            return str(error)

    with ThreadPoolExecutor(threads) as pool:
        outcomes = list(pool.map(run, range(threads)))
        assert alone in outcomes
        solvers = [Solver() for _ in outcomes]
        own = pool.map(lambda each: each.solve(ENDING, limits), solvers)
        assert [found(answer) for answer in own] == [alone] * threads
        grades = pool.map(grade, [SHORT] * 8, ["Qg8+", "Nf7+"] * 4, [2] * 8)
        assert [each.is_right for each in grades] == [True, False] * 4
    assert set(outcomes) <= {alone, IN_USE}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_frees_the_solver_and_the_control(
    solver: Solver, error: type[BaseException]
) -> None:
    errors: list[BaseException] = [error()]

    def hook() -> None:
        if errors:
            raise errors.pop()

    control = Hooked(hook)
    with pytest.raises(error):
        solver.solve(SHORT, control=control)
    assert solver.solve(SHORT, control=control).mate == 2


def test_a_hook_cannot_use_its_solver_nor_its_control(solver: Solver) -> None:
    other, refused = Solver(hash_mib=1), list[str]()

    def hook() -> None:
        with pytest.raises(InUseError, match="solver is already in use"):
            solver.solve(SHORT)
        for use in (other.solve, variations):
            with pytest.raises(InUseError) as caught:
                use(SHORT, control=control)
            refused.append(str(caught.value))

    control = Hooked(hook)
    assert solver.solve(SHORT, control=control).mate == 2
    assert refused == [CONTROL_IN_USE] * 2
    assert other.solve(SHORT).mate == 2


@pytest.mark.parametrize("attempt", [pickle.dumps, copy.deepcopy])
def test_a_solver_says_why_it_cannot_be_pickled(
    solver: Solver, attempt: Callable[[Solver], object]
) -> None:
    with pytest.raises(TypeError) as refused:
        attempt(solver)
    assert str(refused.value) == (
        "solver: cannot be pickled, because it belongs to this process; "
        "make one in each process"
    )


# Short calls of `solve` and `grade` use kept memory; no answer depends on that


NO_MATE = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
ENDINGS = ("8/7K/8/8/8/8/R7/7k w - - 0 1", "8/8/8/8/1R6/3K4/8/7k w - - 0 1")
"""A mate in 8 and one in 5, with the same pieces."""

QUESTIONS: list[tuple[Problem, Limits]] = [
    (Problem(SHORT), Limits()),
    (Problem(NO_MATE), Limits(max_moves=2)),
    (Problem(NO_MATE), Limits(nodes=500)),
    (Problem(NO_MATE), Limits(nodes=30_000)),
    *((Problem(fen), Limits()) for fen in ENDINGS),
    (Problem(ENDINGS[1]), Limits(hash_mib=1)),
    (Problem(SHORT, stipulation="s#1"), Limits()),
]


def fresh(problem: Problem, limits: Limits) -> Solution:
    return untimed(Solver(limits.hash_mib).solve(problem, limits))


@pytest.mark.usefixtures("battle_kernel")
def test_answers_and_nodes_are_those_of_a_new_solver_in_any_order() -> None:
    expected = [fresh(*question) for question in QUESTIONS]
    order = list(range(len(QUESTIONS))) * 3
    Random(5).shuffle(order)
    for index in order:
        assert untimed(solve(*QUESTIONS[index])) == expected[index], index
    assert expected[2].stats.nodes < 1000

    def work(number: int) -> bool:
        is_right = grade(SHORT, "Qg8+ Rxg8 Nf7#", 2).is_right
        found = untimed(solve(*QUESTIONS[number % 3]))
        return is_right and found == expected[number % 3]

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(60)))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers of POSIX")
def test_interrupts_at_any_moment_spoil_no_later_call() -> None:
    class AlarmError(Exception):
        pass

    def interrupt(*_: object) -> None:
        raise AlarmError

    draw, heard = Random(7), 0
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(300):
            try:
                signal.setitimer(signal.ITIMER_REAL, draw.uniform(1e-5, 4e-4))
                assert solve(SHORT).mate == 2
                assert grade(SHORT, "Nf7+", 2).ply == 0
                signal.setitimer(signal.ITIMER_REAL, 0)
            except AlarmError:
                heard += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert heard
    assert untimed(solve(SHORT)) == fresh(Problem(SHORT), Limits())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_its_own_memory() -> None:
    script = f"""
import os
from solver import grade, solve
def work():
    assert solve({SHORT!r}).mate == 2
    assert grade({SHORT!r}, "Qg8+", 2).is_right
for _ in range(2):
    work()
child = os.fork()
for _ in range(20):
    work()
if not child:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""
    processes.run([sys.executable, "-W", "ignore", "-c", script], check=True)
