"""Short calls of `solve` and `grade` use kept memory; no answer may depend on that."""

from __future__ import annotations

import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from solver import Limits, Problem, grade, solve
from solver.solution import Solution, StoppedBy
from solver.solving import Solver
from tests import processes
from tests.search.controls import Hooked
from tests.search.workspaces import untimed

pytestmark = pytest.mark.usefixtures("kernel")

MATE_IN_TWO = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
NO_MATE = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
ENDINGS = ("8/7K/8/8/8/8/R7/7k w - - 0 1", "8/8/8/8/1R6/3K4/8/7k w - - 0 1")
"""A mate in 8 and one in 5, with the same pieces."""

QUESTIONS: list[tuple[Problem, Limits]] = [
    (Problem(MATE_IN_TWO), Limits()),
    (Problem(NO_MATE), Limits(max_moves=2)),
    (Problem(NO_MATE), Limits(nodes=500)),
    (Problem(NO_MATE), Limits(nodes=30_000)),
    *((Problem(fen), Limits()) for fen in ENDINGS),
    (Problem(ENDINGS[1]), Limits(hash_mib=1)),
    (Problem(MATE_IN_TWO, stipulation="s#1"), Limits()),
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


def test_a_search_that_is_not_short_goes_on_in_another_thread() -> None:
    solve(MATE_IN_TWO)  # loads the kernel
    threads: list[threading.Thread] = []
    control = Hooked(lambda: threads.append(threading.current_thread()))
    solve(MATE_IN_TWO, control=control)
    assert threads == [threading.main_thread()]
    found = solve(NO_MATE, Limits(nodes=20_000), control=control)
    assert threads[:2] == [threading.main_thread()] * 2
    assert threading.main_thread() not in threads[2:]
    assert len(threads) == 3
    assert found.stopped_by is StoppedBy.NODES
    assert found.stats.nodes >= 20_000


def test_a_search_may_begin_while_another_one_is_short() -> None:
    """As in a signal handler."""
    inner: list[bool] = []

    def hook() -> None:
        inner.extend(
            (solve(ENDINGS[1]).mate == 5, grade(MATE_IN_TWO, "Qg8+", 2).is_right)
        )

    alone = fresh(Problem(MATE_IN_TWO), Limits())
    for _ in range(2):
        found = solve(MATE_IN_TWO, control=Hooked(hook))
        assert untimed(found) == alone
    assert inner == [True] * 4


def test_an_error_in_a_short_search_spoils_no_later_one() -> None:
    def fail() -> None:
        raise KeyboardInterrupt

    alone = fresh(Problem(MATE_IN_TWO), Limits())
    own = Solver(1)
    for solver in (None, own):
        with pytest.raises(KeyboardInterrupt):
            solve(MATE_IN_TWO, control=Hooked(fail), solver=solver)
        assert untimed(solve(MATE_IN_TWO, solver=solver)) == alone


def test_threads_do_not_share_what_is_kept() -> None:
    expected = [fresh(*question) for question in QUESTIONS[:3]]

    def work(number: int) -> bool:
        index = number % 3
        is_right = grade(MATE_IN_TWO, "Qg8+ Rxg8 Nf7#", 2).is_right
        return is_right and untimed(solve(*QUESTIONS[index])) == expected[index]

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
                assert solve(MATE_IN_TWO).mate == 2
                assert grade(MATE_IN_TWO, "Nf7+", 2).ply == 0
                signal.setitimer(signal.ITIMER_REAL, 0)
            except AlarmError:
                heard += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert heard
    assert untimed(solve(MATE_IN_TWO)) == fresh(Problem(MATE_IN_TWO), Limits())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_its_own_memory() -> None:
    script = f"""
import os
from solver import grade, solve
def work():
    assert solve({MATE_IN_TWO!r}).mate == 2
    assert grade({MATE_IN_TWO!r}, "Qg8+", 2).is_right
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
