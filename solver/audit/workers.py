"""The workers of an audit: in this process, or in processes that may be killed.

A worker that dies costs only the problem that it was searching: its batch is searched
again, problem by problem, by the worker that replaces it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, NamedTuple, Protocol

from solver.audit.job import BATCH_S, AuditJob
from solver.audit.result import AuditResult, audit_result
from solver.solution import Solution, Status, StoppedBy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection

    from solver.audit.job import AuditOptions
    from solver.audit.pipeline import Task, WorkQueue
    from solver.endgames.tablebases import Tablebases
    from solver.problem import Problem
    from solver.search.threads import GroupControl


WINDOW = 2048
"""How many records a worker on this machine may be ahead of those yielded."""

BATCH_GROWTH = 4
"""A batch is at most this many times as large as the one before."""

MAX_CRASHES = 3
"""A problem is given up after it was alone with this many workers that died."""


class WorkerDiedError(Exception):
    """A worker ended without an answer: killed, crashed, or its machine is gone."""


class Worker(Protocol):
    """Runs one batch after another."""

    @property
    def batch_s(self) -> float:
        """How much work to put into a batch, in seconds; 0: one problem at a time."""

    def run_batch(self, problems: Sequence[Problem]) -> list[AuditResult | None]:
        """Audit a batch; see `AuditJob.run_batch`.

        Raises
        ------
        WorkerDiedError
            The worker died; the next call starts another one.
        """

    def close(self) -> None:
        """Free what the worker holds."""


class WorkerPool(NamedTuple):
    """The workers of an audit.

    Attributes
    ----------
    make_worker : callable
        Makes one of them.
    jobs : int
        How many of them work at once.
    window : int
        How many records each may be ahead of those yielded. A batch is at most half as
        large.
    """

    make_worker: Callable[[GroupControl], Worker]
    jobs: int
    window: int = WINDOW


def local_workers(
    options: AuditOptions, jobs: int, tablebases: Tablebases | None = None
) -> WorkerPool:
    """Return workers on this machine.

    Parameters
    ----------
    options : AuditOptions
        What to search for.
    jobs : int
        The number of workers: a single one runs in this process, several run in
        processes of their own.
    tablebases : Tablebases or None
        The endgame tables of the options, open until the audit has ended.
    """
    if jobs == 1:
        return WorkerPool(
            lambda control: AuditJob(options, tablebases, control.search), jobs
        )
    return WorkerPool(lambda control: ProcessWorker(options, control), jobs)


class WorkerLoop:
    """Keeps the workers of a pool busy; each thread that calls `run` serves one.

    Parameters
    ----------
    queue : WorkQueue
        Where the problems wait.
    control : GroupControl
        Stops the audit.
    pool : WorkerPool
        Makes a worker as soon as there is work for it.
    largest : int
        The largest number of problems in a batch.
    """

    def __init__(
        self, queue: WorkQueue, control: GroupControl, pool: WorkerPool, largest: int
    ) -> None:
        self._queue = queue
        self._control = control
        self._pool = pool
        self._largest = largest
        self._crashes: dict[int, int] = {}

    def run(self) -> None:
        """Serve one worker until there is no more work."""
        worker: Worker | None = None
        size = 1
        try:
            while tasks := self._queue.take(size, self._pool.jobs):
                try:
                    worker = worker or self._pool.make_worker(self._control)
                    started = time.perf_counter()
                    results = self._run_batch(worker, tasks)
                    spent = time.perf_counter() - started
                    self._queue.finish(tasks, results)
                except Exception as error:
                    self._queue.fail(tasks, error)
                    continue  # results before it in the collection come first
                if len(tasks) == 1 < size:
                    continue  # a slow problem, taken alone, says nothing of the next
                done = len(tasks) - results.count(None)
                fitting = int(done * worker.batch_s / max(spent, 1e-6))
                size = max(1, min(fitting, BATCH_GROWTH * size, self._largest))
        finally:
            if worker:
                worker.close()

    def _run_batch(
        self, worker: Worker, tasks: Sequence[Task]
    ) -> list[AuditResult | None]:
        try:
            return worker.run_batch([task.problem for task in tasks])
        except WorkerDiedError:
            # Any problem of the batch may be the cause: run each again, alone.
            if len(tasks) > 1 or self._control.is_stopped():
                return [None] * len(tasks)
        (task,) = tasks
        crashes = self._crashes[task.number] = self._crashes.get(task.number, 0) + 1
        if crashes < MAX_CRASHES:
            return [None]
        answer = Solution(
            task.problem, Status.UNDECIDED, None, 1, stopped_by=StoppedBy.CRASH
        )
        return [audit_result(answer)]


class ProcessWorker:
    """Runs batches in a process of its own, which ends with the audit.

    The process is spawned, so that it inherits no threads that hold locks, no open
    files and no signal handlers.
    """

    batch_s = BATCH_S

    def __init__(self, options: AuditOptions, control: GroupControl) -> None:
        self._options = options
        self._control = control
        self._start()

    def run_batch(self, problems: Sequence[Problem]) -> list[AuditResult | None]:
        """Send a batch and wait for its results."""
        try:
            with self._control.stopping(self._kill):
                self._near.send(list(problems))
                answer = self._near.recv()
        except (EOFError, OSError):
            self.close()
            if not self._control.is_stopped():
                self._start()
            raise WorkerDiedError from None
        if isinstance(answer, BaseException):
            raise answer
        results: list[AuditResult | None] = answer
        return results

    def close(self) -> None:
        """Kill the process, which is idle or searches for nobody."""
        self._near.close()
        self._process.kill()
        self._process.join()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._near, far = context.Pipe()
        process = context.Process(target=_serve, args=(far, self._options), daemon=True)
        with interrupts_blocked():
            process.start()
        self._process = process  # only now can it be killed
        far.close()

    def _kill(self, _reason: StoppedBy) -> None:
        self._process.kill()


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block interrupts; a process that is started in the block never receives them.

    Terminals and supervisors send interrupts to all processes, but only the process
    that called the audit is to handle them.
    """
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # its start would unblock Ctrl-C
    interrupts = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, interrupts)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, options: AuditOptions) -> None:
    """Run in a worker process: answer batches until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it cannot be blocked
    if sys.platform != "win32":  # the audit's process may send it at its own exit
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    job: AuditJob | None = None
    while True:
        try:
            problems = pipe.recv()
        except EOFError:
            return
        answer: list[AuditResult | None] | Exception
        try:
            job = job or AuditJob(options)
            answer = job.run_batch(problems)
        except Exception as error:  # raised again in the audit's process
            answer = error
        pipe.send(answer)


def _end_with_parent() -> None:
    """Exit when the audit's process is gone, so that no search outlives it."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
