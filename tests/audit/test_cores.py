"""The workers of an audit share the cores of those that have no work."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from solver.audit import workers
from solver.audit.job import AuditJob, AuditOptions
from solver.audit.results import AuditResult, audit_result
from solver.audit.workers import ProcessWorker, WorkerPool, audit, local_workers
from solver.problem import Claim, Limits, Problem
from solver.search.threads import SharedCores
from solver.solution import Solution, Status
from tests.processes import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.search.threads import GroupControl

FEN = "8/7K/8/8/8/8/R7/7k w - - 0 1"
EASY = [
    Problem("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", f"easy {number}", Claim(1))
    for number in range(40)
]
HARD = Problem("5r2/8/3pp3/7B/3N4/2nP4/5pNp/5k1K w - - 0 1", "hard", Claim(8))
"""Five million nodes with all keys."""

SMALL = AuditOptions(Limits(hash_mib=16, threads=2), all_keys=True)


class NotingWorker:
    """Notes its cores; with a slow problem until all such problems have `wanted`."""

    batch_s = 0.0

    def __init__(
        self,
        cores: SharedCores,
        noted: list[tuple[str, int]],
        wanted: int,
        together: threading.Barrier,
    ) -> None:
        self._cores, self._noted = cores, noted
        self._wanted, self._together = wanted, together

    def run_batch(self, problems: Sequence[Problem]) -> list[AuditResult | None]:
        (problem,) = problems
        self._noted.append((problem.id, self._cores()))
        if problem.id == "slow":
            until = time.monotonic() + PATIENCE_S
            while self._cores() != self._wanted and time.monotonic() < until:
                time.sleep(0.005)
            self._noted.append(("last", self._cores()))
            self._together.wait(PATIENCE_S)
        answer = Solution(problem, Status.PROVED, 1, 1)
        return [audit_result(answer)]

    def close(self) -> None:
        """Nothing is held."""


@pytest.mark.parametrize(
    ("threads", "slow", "first", "last"),
    [(4, 1, 1, 4), (4, 2, 1, 2), (4, 3, 1, 1), (9, 1, 2, 9), (9, 2, 2, 4)],
)
def test_the_last_problems_have_the_cores_of_idle_workers(
    threads: int, slow: int, first: int, last: int
) -> None:
    problems = [Problem(FEN, "slow") for _ in range(slow)]
    problems += [Problem(FEN, "quick") for _ in range(20)]
    cores = SharedCores(4, threads)
    noted: list[tuple[str, int]] = []
    together = threading.Barrier(slow)

    def make(_control: GroupControl) -> NotingWorker:
        return NotingWorker(cores, noted, last, together)

    options = AuditOptions(Limits(threads=threads))
    results = list(audit(problems, options, WorkerPool(make, 4, cores=cores)))
    assert len(results) == len(problems)
    assert noted.count(("last", last)) == slow
    assert ("slow", first) in noted
    # The last easy ones may have the cores of a worker that ended, too.
    assert noted.count(("quick", first)) >= 16


def test_a_worker_waits_for_more_problems_with_one_core_each() -> None:
    """While the collection is being read, an idle worker may get work at any time."""
    cores = SharedCores(2, 2)
    seen: list[int] = []

    def records() -> list[Problem]:
        seen.append(cores())
        return []

    list(audit(records(), SMALL, WorkerPool(lambda _: AuditJob(SMALL), 2, cores=cores)))
    assert seen == [1]


def untimed(results: Sequence[AuditResult]) -> dict[str, AuditResult]:
    return {result.id: result._replace(time_s=0.0) for result in results}


@pytest.mark.usefixtures("kernel", "worker_processes")
def test_a_hard_row_among_easy_ones_gets_the_idle_worker_and_the_same_answer() -> None:
    problems = [*EASY[:20], HARD, *EASY[20:]]
    alone = replace(SMALL, limits=replace(SMALL.limits, threads=1))
    expected = untimed(list(audit(problems, alone, local_workers(alone, 1))))
    unshared = untimed(list(audit(problems, alone, local_workers(alone, 2))))
    assert unshared == expected
    shared = untimed(list(audit(problems, SMALL, local_workers(SMALL, 2))))
    helped = shared["hard"].nodes
    assert helped != expected["hard"].nodes
    assert shared["hard"].word == "proved"
    assert shared | {"hard": shared["hard"]._replace(nodes=0)} == expected | {
        "hard": expected["hard"]._replace(nodes=0)
    }


# An audit without a number of jobs


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "usable_cores", lambda: 2)


@pytest.mark.usefixtures("kernel", "two_cores")
def test_a_short_audit_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "SHORT_S", PATIENCE_S)
    monkeypatch.setattr(workers, "ProcessWorker", None)
    results = list(audit(EASY, SMALL, local_workers(SMALL, None)))
    assert [result.id for result in results] == [problem.id for problem in EASY]
    assert {result.word for result in results} == {"proved"}


@pytest.mark.usefixtures("kernel", "two_cores", "worker_processes")
def test_processes_take_over_an_audit_that_is_not_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[ProcessWorker] = []

    def start(*given: object) -> ProcessWorker:
        started.append(ProcessWorker(*given))  # type: ignore[arg-type]
        return started[-1]

    monkeypatch.setattr(workers, "SHORT_S", 0.0)
    monkeypatch.setattr(workers, "ProcessWorker", start)
    expected = untimed(list(audit(EASY, SMALL, local_workers(SMALL, 1))))
    assert not started
    found = untimed(list(audit(EASY, SMALL, local_workers(SMALL, None))))
    assert found == expected
    assert 1 <= len(started) <= 2
    assert not any(worker._process.is_alive() for worker in started)


@pytest.mark.usefixtures("kernel", "two_cores")
def test_a_stop_ends_an_audit_whose_other_workers_have_not_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from solver.search.threads import GroupControl

    monkeypatch.setattr(workers, "SHORT_S", PATIENCE_S)
    control = GroupControl()
    results = audit(EASY, SMALL, local_workers(SMALL, None), control=control)
    next(results)
    control.stop()
    assert len(list(results)) < len(EASY)
