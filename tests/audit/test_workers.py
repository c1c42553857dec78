"""Workers: processes give the same results as threads, and kills lose none."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from benchmarks import kills
from solver.audit import workers
from solver.audit.job import AuditJob, AuditOptions
from solver.errors import TablebaseError
from solver.formats.registry import read_collection
from solver.problem import Claim, Limits, Problem
from solver.search.threads import GroupControl
from tests.cli.processes import process
from tests.cpu_time import after_work
from tests.processes import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.audit.results import AuditResult

pytestmark = pytest.mark.usefixtures("worker_processes")

PUZZLES = Path(__file__).parents[2] / "puzzles"
BACK_RANK = Problem("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "quick", Claim(1))
LONG = Problem(
    "2k1N3/p2NPP2/2p3p1/2pp1P2/K7/6p1/p2Bp3/5brn w - - 0 1", "long", Claim(12)
)
SMALL = AuditOptions(Limits(hash_mib=1), all_keys=True)

linux = pytest.mark.skipif(
    sys.platform != "linux", reason="looks for processes as Linux lists them"
)


@pytest.fixture
def control() -> GroupControl:
    return GroupControl()


@pytest.fixture
def worker(control: GroupControl) -> Iterator[workers.ProcessWorker]:
    worker = workers.local_workers(SMALL, 2).make_worker(control)
    assert isinstance(worker, workers.ProcessWorker)
    yield worker
    worker.close()


def untimed(results: list[AuditResult | None]) -> list[AuditResult | None]:
    return [x and x._replace(time_s=0.0) for x in results]


def wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < until, "it takes too long"
        time.sleep(0.01)


def test_a_process_answers_as_a_thread_does(
    worker: workers.ProcessWorker, control: GroupControl
) -> None:
    problems = [
        problem
        for name in ("generated-1.epd", "generated-2.epd", "traps.epd")
        for problem in list(read_collection(PUZZLES / name))[:20]
        if isinstance(problem, Problem)
    ]
    thread = workers.local_workers(SMALL, 1).make_worker(control)
    assert isinstance(thread, AuditJob)
    expected = untimed(thread.run_batch(problems))
    assert None not in expected
    assert worker.run_batch([BACK_RANK, LONG])[1] is None  # too slow for a batch
    # One by one: on a slow machine a batch would return some unfinished.
    found = [x for problem in problems for x in worker.run_batch([problem])]
    assert untimed(found) == expected


def test_a_killed_worker_is_reported_once_and_replaced(
    worker: workers.ProcessWorker,
) -> None:
    """Killed between two searches, then during one."""
    (before,) = worker.run_batch([BACK_RANK])
    killed = worker._process
    killed.kill()
    killed.join()
    with pytest.raises(workers.WorkerDiedError):
        worker.run_batch([BACK_RANK])
    searching = worker._process
    assert searching is not killed
    assert untimed(worker.run_batch([BACK_RANK])) == untimed([before])
    with (
        pytest.raises(workers.WorkerDiedError),
        after_work(searching.kill, pid=searching.pid),
    ):
        worker.run_batch([LONG])
    assert worker.run_batch([BACK_RANK])[0] is not None


def test_a_stop_ends_the_search_and_the_process(
    worker: workers.ProcessWorker, control: GroupControl
) -> None:
    assert worker.run_batch([BACK_RANK])[0] is not None
    with (
        pytest.raises(workers.WorkerDiedError),
        after_work(control.stop, pid=worker._process.pid),
    ):
        worker.run_batch([LONG])
    assert not worker._process.is_alive()


def test_an_error_in_the_process_is_raised_here_and_a_closed_one_has_ended(
    control: GroupControl, tmp_path: Path
) -> None:
    options = AuditOptions(Limits(hash_mib=1), directories=(str(tmp_path),))
    worker = workers.ProcessWorker(options, control)
    for _ in range(2):
        with pytest.raises(TablebaseError):
            worker.run_batch([BACK_RANK])
    assert worker._process.is_alive()
    for _ in range(2):  # a second time does nothing
        worker.close()
        assert not worker._process.is_alive()


# --- workers share the cores of those that have no work

EASY = [
    Problem("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", f"easy {number}", Claim(1))
    for number in range(40)
]
HARD = Problem("5r2/8/3pp3/7B/3N4/2nP4/5pNp/5k1K w - - 0 1", "hard", Claim(8))
"""Five million nodes with all keys."""

SHARED = AuditOptions(Limits(hash_mib=16, threads=2), all_keys=True)


def answers_to(
    problems: list[Problem], options: AuditOptions, jobs: int | None
) -> dict[str, AuditResult]:
    results = workers.audit(problems, options, workers.local_workers(options, jobs))
    return {result.id: result._replace(time_s=0.0) for result in results}


def test_a_hard_row_among_easy_ones_gets_the_idle_worker_and_the_same_answer() -> None:
    problems = [*EASY[:20], HARD, *EASY[20:]]
    alone = replace(SHARED, limits=replace(SHARED.limits, threads=1))
    expected, shared = answers_to(problems, alone, 1), answers_to(problems, SHARED, 2)
    helped = shared["hard"].nodes
    assert helped != expected["hard"].nodes
    assert shared["hard"].word == "proved"
    assert shared == expected | {"hard": expected["hard"]._replace(nodes=helped)}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[workers.ProcessWorker]:
    """The processes that audits with two cores have started."""
    started: list[workers.ProcessWorker] = []
    make = workers.ProcessWorker

    def start(*given: Any) -> workers.ProcessWorker:
        started.append(make(*given))
        return started[-1]

    monkeypatch.setattr(workers, "usable_cores", lambda: 2)
    monkeypatch.setattr(workers, "ProcessWorker", start)
    return started


def test_processes_take_over_an_audit_that_is_not_short(
    monkeypatch: pytest.MonkeyPatch, made: list[workers.ProcessWorker]
) -> None:
    monkeypatch.setattr(workers, "SHORT_S", PATIENCE_S)
    expected = answers_to(EASY, SHARED, 1)
    assert [*expected] == [problem.id for problem in EASY]
    assert answers_to(EASY, SHARED, None) == expected
    assert not made
    monkeypatch.setattr(workers, "SHORT_S", 0.0)
    assert answers_to(EASY, SHARED, None) == expected
    assert 1 <= len(made) <= 2
    assert not any(worker._process.is_alive() for worker in made)


# --- processes whose audit is gone


def used_ticks(pid: int) -> int:
    """Return the time that a process has used; -1 if it has ended."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return -1
    state, *fields = status.rpartition(")")[2].split()
    return -1 if state == "Z" else int(fields[10]) + int(fields[11])


def has_ended(pid: int) -> bool:
    return used_ticks(pid) < 0


@linux
@pytest.mark.parametrize(
    "how", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_no_process_outlives_its_audit(tmp_path: Path, how: signal.Signals) -> None:
    collection = tmp_path / "long.epd"
    collection.write_text(f"{LONG.fen} dm 12;\n{LONG.fen.replace(' 0 1', ' 3 9')}\n")
    words = ("verify", str(collection), "--jobs", "2", "--time", "3000", "--hash", "1")
    with process(*words) as running:
        searching: set[int] = set()
        enough = os.sysconf("SC_CLK_TCK") // 2

        def is_searching() -> bool:
            children = psutil.Process(running.pid).children(recursive=True)
            searching.update(child.pid for child in children)
            return sum(used_ticks(pid) > enough for pid in searching) >= 2

        wait_until(is_searching)
        running.send_signal(how)
        _, error = running.communicate()
        wait_until(lambda: all(map(has_ended, searching)))
        assert "Traceback" not in error


# --- audits killed at random moments, as benchmarks.kills does

RECORDS = 1564


def collections(folder: Path) -> list[str]:
    """Write the project's puzzles twice, the second time under other ids."""
    files = sorted(PUZZLES.glob("*.epd"))
    again = folder / "again.epd"
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    again.write_text(text.replace('id "', 'id "again '), encoding="utf-8")
    return [*map(str, files), str(again)]


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_audit_interrupted_and_killed_has_the_same_results(
    tmp_path: Path, jobs: int
) -> None:
    """Interrupted, it prints what it stored."""
    audit = kills.Audit(collections(tmp_path), jobs, nodes=100_000)
    # With this seed both come after a second, when there are results to lose.
    found = kills.compare(audit, jobs, seed=0, folder=tmp_path, longest_s=1.6, terms=1)
    assert found == RECORDS
