"""Audits with fake workers: order, windows, interruptions, crashes.

A fake worker finds the mate that each claim says. On a problem whose `id` begins with
"slow" it waits until the test lets it go on or the audit is stopped.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest

from solver.audit.job import AuditOptions
from solver.audit.results import audit_result
from solver.audit.workers import MAX_CRASHES, WINDOW, WorkerDiedError, WorkerPool, audit
from solver.errors import FormatError
from solver.problem import Claim, Limits, Problem
from solver.search.threads import GroupControl
from solver.solution import Solution, Status, StoppedBy
from tests.processes import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from solver.audit.results import AuditResult

pytestmark = pytest.mark.usefixtures("worker_processes")

FEN = "8/7K/8/8/8/8/R7/7k w - - 0 1"
OPTIONS = AuditOptions(Limits(time_s=5.0, hash_mib=3))


@dataclass
class Workers:
    """What the fake workers were given, and when they may answer."""

    batch_s: float = 0.0
    deaths: dict[str, int] = field(default_factory=dict)
    batches: list[list[str]] = field(default_factory=list)
    made: int = 0
    closed: int = 0
    started: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    go_on: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def make(self, control: GroupControl) -> _Worker:
        with self.lock:
            self.made += 1
        return _Worker(self, control, self.batch_s)

    def audit(
        self, records: Iterable[Problem | FormatError], jobs: int = 1, **more: Any
    ) -> Generator[AuditResult]:
        return audit(records, OPTIONS, WorkerPool(self.make, jobs), **more)


@dataclass
class _Worker:
    workers: Workers
    control: GroupControl
    batch_s: float

    def run_batch(self, problems: Sequence[Problem]) -> list[AuditResult | None]:
        with self.workers.lock:
            self.workers.batches.append([problem.id for problem in problems])
        alone = len(problems) == 1
        return [self._run(problem, alone=alone) for problem in problems]

    def close(self) -> None:
        with self.workers.lock:
            self.workers.closed += 1

    def _run(self, problem: Problem, *, alone: bool) -> AuditResult | None:
        workers = self.workers
        workers.started.release()
        if workers.deaths.get(problem.id, 0):
            workers.deaths[problem.id] -= 1
            raise WorkerDiedError
        if problem.id.startswith("slow"):
            if not alone:
                return None
            while not workers.go_on.wait(0.005):
                if self.control.is_stopped():
                    return None
        return audit_result(Solution(problem, Status.PROVED, 2, 2))


@pytest.fixture
def workers() -> Workers:
    return Workers()


def problems(*names: str) -> list[Problem | FormatError]:
    return [Problem(FEN, name, Claim(2), f"x.epd:{name}") for name in names]


def names(results: Iterable[AuditResult]) -> list[str]:
    return [result.id for result in results]


@pytest.mark.parametrize(("jobs", "ordered"), [(1, False), (2, True), (5, True)])
@pytest.mark.parametrize("batch_s", [0.0, 1.0])
def test_each_record_has_one_result_in_input_order_if_requested(
    jobs: int, ordered: bool, batch_s: float
) -> None:
    """A single worker always keeps it."""
    workers = Workers(batch_s)
    asked = [str(number) for number in range(300)]
    records = problems(*asked)
    records.insert(7, FormatError("x.epd:8", "expected a FEN, found nothing"))
    results = list(workers.audit(records, jobs=jobs, ordered=ordered))
    assert names(results) == [*asked[:7], "x.epd:8", *asked[7:]]
    assert [result.word for result in results].count("unreadable") == 1
    assert sorted(chain(*workers.batches)) == sorted(asked)
    assert workers.closed == workers.made <= jobs


@pytest.mark.parametrize("ordered", [False, True])
def test_a_slow_position_delays_only_ordered_results_and_no_searches(
    workers: Workers, ordered: bool
) -> None:
    results = workers.audit(problems("slow", "1", "2"), jobs=2, ordered=ordered)
    yielded: list[str] = []
    reader = threading.Thread(target=lambda: yielded.extend(names(results)))
    reader.start()
    for _ in range(3):
        assert workers.started.acquire(timeout=PATIENCE_S)
    assert "slow" not in yielded
    assert not (ordered and yielded)
    workers.go_on.set()
    reader.join(PATIENCE_S)
    assert yielded == (["slow", "1", "2"] if ordered else ["1", "2", "slow"])


def test_only_a_problem_that_crashes_every_worker_is_undecided() -> None:
    workers = Workers(1e9, {"20": 2, "50": 1, "deadly": 99})
    asked = ["deadly", *map(str, range(60))]
    results = {x.id: x for x in workers.audit(problems(*asked), jobs=2)}
    assert sorted(results) == sorted(asked)
    deadly = results.pop("deadly")
    assert (deadly.word, deadly.stopped_by) == ("undecided", StoppedBy.CRASH)
    assert {result.word for result in results.values()} == {"proved"}
    assert 99 - workers.deaths["deadly"] == MAX_CRASHES


def test_no_worker_is_made_if_there_is_nothing_to_solve(workers: Workers) -> None:
    error = FormatError("x.epd:1", "expected a FEN, found nothing")
    assert names(workers.audit([error], jobs=2)) == ["x.epd:1"]
    assert list(workers.audit([], jobs=4)) == []
    assert workers.made == 0


def test_records_are_read_no_further_ahead_than_the_window(workers: Workers) -> None:
    read = 0
    full = threading.Event()

    def endless() -> Iterator[Problem]:
        nonlocal read
        while True:
            read += 1
            if read > 2 * WINDOW:
                full.set()
            yield Problem(FEN, "slow" if read == 1 else str(read))

    results = workers.audit(endless(), jobs=2, ordered=True)
    reader = threading.Thread(target=lambda: names([next(results)]))
    reader.start()
    for _ in range(2 * WINDOW):
        assert workers.started.acquire(timeout=PATIENCE_S)
    assert not workers.started.acquire(timeout=0.05)
    assert full.wait(PATIENCE_S)
    assert read == 2 * WINDOW + 1  # one waits for room
    workers.go_on.set()
    reader.join(PATIENCE_S)
    results.close()


def test_neither_a_result_nor_a_stop_waits_for_the_next_record(
    workers: Workers,
) -> None:
    more, forever = threading.Event(), threading.Event()
    control = GroupControl()

    def typed() -> Iterator[Problem]:
        yield Problem(FEN, "first")
        assert more.wait(PATIENCE_S)
        yield Problem(FEN, "second")
        forever.wait()

    results = workers.audit(typed(), jobs=2, control=control)
    assert names([next(results)]) == ["first"]
    more.set()
    assert names([next(results)]) == ["second"]
    control.stop()
    assert names(results) == []
    forever.set()


def test_a_stop_keeps_complete_results_and_leaves_out_interrupted_ones(
    workers: Workers,
) -> None:
    control = GroupControl()
    records = problems("1", "slow", "3", "slow too")
    results = workers.audit(records, jobs=2, control=control)
    yielded = [next(results), next(results)]
    control.stop()
    with control.search() as search:  # a later one is stopped too
        assert search.reason is StoppedBy.INTERRUPT
    assert names([*yielded, *results]) == ["1", "3"]


def test_a_problem_too_slow_for_its_batch_runs_again_alone() -> None:
    workers = Workers(batch_s=1e9)
    workers.go_on.set()
    asked = [*map(str, range(40)), "slow", *map(str, range(40, 90))]
    assert sorted(names(workers.audit(problems(*asked)))) == sorted(asked)
    first, *others = (batch for batch in workers.batches if "slow" in batch)
    assert len(first) > 1
    assert others == [["slow"]]


def test_closing_the_generator_early_ends_the_workers(workers: Workers) -> None:
    before = set(threading.enumerate())
    results = workers.audit(problems("1", "slow", *"abcdef"), jobs=2)
    next(results)
    results.close()
    for worker in set(threading.enumerate()) - before:
        worker.join(PATIENCE_S)
        assert not worker.is_alive()
    assert workers.closed == workers.made
