"""A solver and a control serve one search at a time; any other use is refused."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
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
from tests.search.controls import Hooked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.solution import Solution

pytestmark = pytest.mark.usefixtures("kernel")

ENDING = "8/7K/8/8/8/8/R7/7k w - -"
"""Mate in 8."""
SHORT = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -"
"""Mate in 2."""

IN_USE = "solver is already in use; use one for each thread, for one search at a time"
CONTROL_IN_USE = "control is already in use; use one for each search"


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


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_hook_of_a_search_cannot_use_its_solver(
    solver: Solver, use: Callable[[Solver], object]
) -> None:
    alone = found(solver.solve(ENDING, Limits(max_moves=6)))
    refused: list[str] = []

    def hook() -> None:
        with pytest.raises(InUseError) as caught:
            use(solver)
        refused.append(str(caught.value))

    answer = solver.solve(ENDING, Limits(max_moves=6), control=Hooked(hook))
    assert refused == [IN_USE]
    assert found(answer) == alone


def test_the_solver_is_in_use_until_the_play_is_built(
    solver: Solver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(*_: object) -> None:
        with pytest.raises(InUseError):
            solver.solve(SHORT)

    monkeypatch.setattr(play, "build_variations", build)
    variations(SHORT, solver=solver)
    assert solver.solve(SHORT).mate == 2


@pytest.mark.parametrize("threads", [2, 4, 8])
def test_of_several_threads_one_gets_its_answer_and_the_others_an_error(
    threads: int,
) -> None:
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
    assert set(outcomes) <= {alone, IN_USE}


def test_each_thread_can_use_a_solver_of_its_own() -> None:
    fens, limits = [ENDING, SHORT] * 2, Limits(max_moves=6)
    solvers = [Solver(hash_mib=1) for _ in fens]
    alone = [found(Solver(hash_mib=1).solve(fen, limits)) for fen in fens]
    with ThreadPoolExecutor(len(fens)) as pool:
        answers = pool.map(lambda one, fen: one.solve(fen, limits), solvers, fens)
        assert [found(answer) for answer in answers] == alone


def test_several_threads_can_grade_at_once() -> None:
    with ThreadPoolExecutor(4) as pool:
        grades = pool.map(grade, [SHORT] * 8, ["Qg8+", "Nf7+"] * 4, [2] * 8)
        assert [each.is_right for each in grades] == [True, False] * 4


@pytest.mark.parametrize("abandon", ["close", "drop"])
def test_abandoned_answers_free_the_solver(solver: Solver, abandon: str) -> None:
    answers = solutions(solver, SHORT, ENDING)
    next(answers)
    if abandon == "close":
        answers.close()  # type: ignore[attr-defined]
    else:
        del answers
    assert solver.solve(SHORT).mate == 2


def test_answers_that_have_not_begun_do_not_use_the_solver(solver: Solver) -> None:
    answers = solutions(solver, SHORT)
    assert solver.solve(ENDING, Limits(max_moves=3)).lower_bound == 4
    assert [answer.mate for answer in answers] == [2]


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


def test_a_control_cannot_control_two_searches_at_once(solver: Solver) -> None:
    other, refused = Solver(hash_mib=1), list[str]()

    def hook() -> None:
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
