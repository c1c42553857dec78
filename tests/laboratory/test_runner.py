"""The runner: limits, stops, and the results that remain."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, cast

import chess
import pytest

from solver.laboratory.iterative_deepening import Laboratory, Runner
from solver.laboratory.techniques import Iteration, Outcome, Techniques
from solver.solution import StoppedBy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from solver.search.threads import Control

BOARD = chess.Board()
ANSWER = Outcome(3, settled=True, proved=True, nodes=5, nodes_total=9, complete=True)


class Fake:
    """Deepens until it is stopped; waits for the stop at depth 3."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int | None]] = []
        self.threads: set[threading.Thread] = set()
        self.waiting = threading.Event()

    def deepen(
        self,
        _board: chess.Board,
        _techniques: Techniques,
        depth: int,
        *,
        nodes: int | None,
        control: Control,
    ) -> Iterator[Iteration]:
        self.asked.append((depth, nodes))
        for reached in range(1, depth + 1):
            self.threads.add(threading.current_thread())
            if reached == 3:
                self.waiting.set()
                wait_for_stop(control)
            if control.reason:
                return
            yield Iteration(reached, 10, "e2e4", reached, reached)

    def find_mate(
        self, iterations: Iterable[Iteration], _techniques: Techniques, _depth: int
    ) -> Outcome:
        self.asked += [(iteration.depth, 0) for iteration in iterations]
        return ANSWER


def wait_for_stop(control: Control) -> None:
    for _ in range(6000):
        if control.reason:
            return
        threading.Event().wait(0.01)
    pytest.fail("never stopped")


@pytest.fixture
def fake() -> Fake:
    return Fake()


def runner_of(fake: Fake, **limits: float) -> Runner:
    return Runner(cast("Laboratory", fake), **limits)  # type: ignore[arg-type]


def test_iterations_arrive_one_by_one_from_another_thread(fake: Fake) -> None:
    runner = runner_of(fake, nodes=7)
    iterations = list(runner.deepen(BOARD, Techniques(), 2))
    assert [iteration.depth for iteration in iterations] == [1, 2]
    assert fake.asked == [(2, 7)]
    assert threading.current_thread() not in fake.threads
    assert not runner.is_stopped()


def test_a_time_limit_ends_one_search_and_not_the_next(fake: Fake) -> None:
    runner = runner_of(fake, time_s=0.05)
    assert len(list(runner.deepen(BOARD, Techniques(), 9))) == 2
    assert not runner.is_stopped()
    assert len(list(runner.deepen(BOARD, Techniques(), 2))) == 2
    assert runner.find_mate(BOARD, Techniques(), 3) == ANSWER


def test_a_stop_ends_the_running_search_and_all_later_ones(fake: Fake) -> None:
    runner = runner_of(fake)

    def stop() -> None:
        assert fake.waiting.wait(60)
        runner.stop()

    stopper = threading.Thread(target=stop)
    stopper.start()
    assert len(list(runner.deepen(BOARD, Techniques(), 9))) == 2
    stopper.join()
    assert runner.is_stopped()
    assert list(runner.deepen(BOARD, Techniques(), 2)) == []
    assert runner.find_mate(BOARD, Techniques(), 2) is None


def test_an_answer_cut_short_by_a_stop_is_not_returned(fake: Fake) -> None:
    runner = runner_of(fake)

    def stop() -> None:
        assert fake.waiting.wait(60)
        runner.stop(StoppedBy.INTERRUPT)

    stopper = threading.Thread(target=stop)
    stopper.start()
    assert runner.find_mate(BOARD, Techniques(), 3) is None
    stopper.join()


@pytest.mark.usefixtures("kernel")
def test_the_nodes_of_the_running_search_are_known() -> None:
    runner = Runner(Laboratory(4))
    assert runner.nodes == 0
    first = next(runner.deepen(BOARD, Techniques(), 2))
    assert runner.nodes == first.nodes_total


def test_an_error_of_a_search_is_not_lost(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(fake, "deepen", fail)
    with pytest.raises(ZeroDivisionError):
        runner_of(fake).find_mate(BOARD, Techniques(), 1)
