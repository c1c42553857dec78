"""Workers: processes give the same results as threads, and none outlives its audit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from multiprocessing import spawn
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from solver.audit import workers
from solver.audit.job import AuditJob, AuditOptions
from solver.errors import TablebaseError
from solver.formats.registry import read_collection
from solver.problem import Claim, Limits, Problem
from solver.search.threads import GroupControl
from tests.cli.processes import process
from tests.cpu_time import after_work
from tests.processes import PATIENCE_S, started

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
    not Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").exists(),
    reason="looks for processes as Linux lists them",
)


@pytest.fixture
def control() -> GroupControl:
    return GroupControl()


@pytest.fixture
def worker(control: GroupControl) -> Iterator[workers.ProcessWorker]:
    worker = workers.ProcessWorker(SMALL, control)
    yield worker
    worker.close()


def untimed(results: list[AuditResult | None]) -> list[AuditResult | None]:
    return [x and x._replace(time_s=0.0) for x in results]


def mixed() -> list[Problem]:
    return [
        problem
        for name in ("generated-1.epd", "generated-2.epd", "traps.epd")
        for problem in list(read_collection(PUZZLES / name))[:20]
        if isinstance(problem, Problem)
    ]


def wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < until, "it takes too long"
        time.sleep(0.01)


def test_a_process_answers_as_a_thread_does(worker: workers.ProcessWorker) -> None:
    problems = mixed()
    expected = untimed(AuditJob(SMALL).run_batch(problems))
    assert None not in expected
    # One by one: on a slow machine a batch would return some unfinished.
    found = [x for problem in problems for x in worker.run_batch([problem])]
    assert untimed(found) == expected


def test_a_slow_problem_of_a_batch_is_returned_unfinished(
    worker: workers.ProcessWorker,
) -> None:
    results = worker.run_batch([BACK_RANK, LONG])
    assert results[1] is None


def test_one_worker_is_in_this_process_and_several_are_not(
    control: GroupControl,
) -> None:
    assert isinstance(workers.local_workers(SMALL, 1).make_worker(control), AuditJob)
    worker = workers.local_workers(SMALL, 2).make_worker(control)
    assert isinstance(worker, workers.ProcessWorker)
    worker.close()


def test_a_killed_worker_is_reported_once_and_replaced(
    worker: workers.ProcessWorker,
) -> None:
    (before,) = worker.run_batch([BACK_RANK])
    killed = worker._process
    killed.kill()
    killed.join()
    with pytest.raises(workers.WorkerDiedError):
        worker.run_batch([BACK_RANK])
    assert worker._process is not killed
    assert untimed(worker.run_batch([BACK_RANK])) == untimed([before])


def test_a_worker_that_is_killed_during_a_search_is_replaced_too(
    worker: workers.ProcessWorker,
) -> None:
    searching = worker._process
    assert worker.run_batch([BACK_RANK])[0] is not None  # it works, and is loaded
    with (
        pytest.raises(workers.WorkerDiedError),
        after_work(searching.kill, pid=searching.pid),
    ):
        worker.run_batch([LONG])
    assert worker.run_batch([BACK_RANK])[0] is not None


def test_an_error_in_the_process_is_raised_here(
    control: GroupControl, tmp_path: Path
) -> None:
    options = AuditOptions(Limits(hash_mib=1), directories=(str(tmp_path),))
    worker = workers.ProcessWorker(options, control)
    try:
        for _ in range(2):
            with pytest.raises(TablebaseError):
                worker.run_batch([BACK_RANK])
    finally:
        worker.close()


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


def test_a_worker_that_is_closed_has_no_process(control: GroupControl) -> None:
    worker = workers.ProcessWorker(SMALL, control)
    assert worker._process.is_alive()
    worker.close()
    assert not worker._process.is_alive()
    worker.close()  # a second time does nothing


def test_an_audit_survives_workers_that_are_killed(control: GroupControl) -> None:
    made: list[workers.ProcessWorker] = []

    def make(control: GroupControl) -> workers.ProcessWorker:
        made.append(workers.ProcessWorker(SMALL, control))
        return made[-1]

    problems = mixed()
    found = []
    for result in workers.audit(
        problems, SMALL, workers.WorkerPool(make, 2), control=control
    ):
        found.append(result)
        if len(found) in {5, 25}:
            made[len(found) % len(made)]._process.kill()
    assert sorted(f.source for f in found) == sorted(p.source for p in problems)
    assert {f.word for f in found} == {"proved"}
    assert not any(worker._process.is_alive() for worker in made)


# --- processes whose audit is gone


def children(pid: int) -> set[int]:
    """Return the child processes of a process, and theirs."""
    found: set[int] = set()
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, listed.read_text().split()):
            found |= {child} | children(child)
    return found


def is_running(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"  # ended, but not waited for


@linux
@pytest.mark.parametrize(
    "how",
    [
        signal.SIGKILL,
        signal.SIGINT,
        pytest.param(signal.SIGTERM, marks=pytest.mark.slow),
    ],
)
def test_no_process_outlives_its_audit(tmp_path: Path, how: signal.Signals) -> None:
    collection = tmp_path / "long.epd"
    collection.write_text(f"{LONG.fen} dm 12;\n{LONG.fen.replace(' 0 1', ' 3 9')}\n")
    words = ("verify", str(collection), "--jobs", "2", "--time", "3000", "--hash", "1")
    with process(*words) as running:
        searching: set[int] = set()

        def is_searching() -> bool:
            searching.update(children(running.pid))
            busy = [pid for pid in searching if is_running(pid) and has_worked(pid)]
            return len(busy) >= 2

        wait_until(is_searching)
        running.send_signal(how)
        _, error = running.communicate()
        wait_until(lambda: not any(map(is_running, searching)))
        assert "Traceback" not in error


def has_worked(pid: int) -> bool:
    """Return whether a process has used enough time to be searching."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return False
    ticks = int(fields[11]) + int(fields[12])
    return ticks > os.sysconf("SC_CLK_TCK") // 2


@linux
def test_a_process_ends_if_its_audit_is_gone_before_it_starts() -> None:
    program = (
        "import os, signal\n"
        "from solver.audit.job import AuditOptions\n"
        "from solver.search.threads import GroupControl\n"
        "from solver.audit.workers import ProcessWorker\n"
        "from solver.problem import Limits\n"
        "if __name__ == '__main__':\n"
        "    worker = ProcessWorker(AuditOptions(Limits(hash_mib=1)), GroupControl())\n"
        "    print(worker._process.pid, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    words = [sys.executable, "-c", program]
    with started(words, stdout=subprocess.PIPE, cwd=PUZZLES.parent) as running:
        out, _ = running.communicate()
        assert running.returncode == -signal.SIGKILL
        wait_until(lambda: not is_running(int(out)))


@linux
@pytest.mark.parametrize("written", [b"", b"\x80\x04\x95"], ids=["nothing", "a part"])
def test_a_process_that_reads_no_order_ends_without_a_traceback(written: bytes) -> None:
    """The audit was killed between starting it and writing to its pipe."""
    with workers.interrupts_blocked():
        pass
    order, end = os.pipe()
    os.write(end, written)
    os.close(end)
    words = spawn.get_command_line(tracker_fd=order, pipe_handle=order)
    with started(words, stderr=subprocess.PIPE, pass_fds=[order]) as running:
        os.close(order)
        assert running.communicate()[1] == ""
        assert running.returncode == 1
