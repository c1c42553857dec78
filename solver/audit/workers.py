"""What a worker of an audit does, and a worker in a process that may be killed.

`AuditJob` is a worker in this process, `ClusterWorker` one on a cluster.

A short audit starts no process, so multiprocessing is imported when the first one is.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from solver.audit.job import BATCH_S, AuditJob

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection

    from solver.audit.job import AuditOptions
    from solver.audit.result import AuditResult
    from solver.problem import Problem
    from solver.search.threads import GroupControl
    from solver.solution import StoppedBy


SHORT_S = 0.5
"""An audit that takes less CPU time, in seconds, needs no other process: starting one
takes 0.15 s."""

WINDOW = 2048
"""How many records a worker on this machine may be ahead of the last one yielded."""


class WorkerDiedError(Exception):
    """A worker was killed or crashed, or its machine is gone."""


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
    cores : SharedCores or None
        The cores that the workers' searches share; None: they share none.
    make_first : callable or None
        Makes the worker of a short audit, which `make_worker` replaces by all the
        others when the audit has taken `SHORT_S`; None: they begin at once.
    """

    make_worker: Callable[[GroupControl], Worker]
    jobs: int
    window: int = WINDOW
    cores: SharedCores | None = None
    make_first: Callable[[GroupControl], Worker] | None = None


class SharedCores:
    """How many cores one search of an audit may use.

    It is one while every worker has work. At the end of a collection, the last workers
    share the cores of those that have none. Processes that are started with it read the
    number in shared memory.

    Parameters
    ----------
    jobs : int
        How many workers there are.
    threads : int
        The most that one search may use. If they are more than the workers, they are
        all the cores that the workers share.
    """

    def __init__(self, jobs: int, threads: int) -> None:
        self.jobs = jobs
        self._total = max(jobs, threads)
        self._number = ctypes.c_int32(self._total // jobs)
        self._is_shared = False
        self._lock = threading.Lock()

    def __call__(self) -> int:
        """Return how many cores one search may use at present."""
        return self._number.value

    def divide(self, workers: int) -> None:
        """Divide the cores among this many workers, which are searching."""
        with self._lock:
            self._number.value = self._total // max(1, workers)

    def share(self) -> ctypes.c_int32:
        """Return the number, in memory that a process can be started with."""
        with self._lock:
            if not self._is_shared:
                from multiprocessing.sharedctypes import RawValue

                shared = RawValue(ctypes.c_int32, self._number.value)
                self._number, self._is_shared = shared, True
            return self._number


class ProcessWorker:
    """Runs batches in a separate process, which ends with the audit.

    The process is spawned, so that it inherits no threads that hold locks, no open
    files and no signal handlers.
    """

    batch_s = BATCH_S

    def __init__(
        self,
        options: AuditOptions,
        control: GroupControl,
        cores: SharedCores | None = None,
    ) -> None:
        self._options = options
        self._cores = cores.share() if cores else None
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
        """Kill the process; it is idle, or its results are not needed."""
        self._near.close()
        self._process.kill()
        self._process.join()

    def _start(self) -> None:
        from multiprocessing import get_context

        context = get_context("spawn")
        self._near, far = context.Pipe()
        given = far, self._options, self._cores
        process = context.Process(target=_serve, args=given, daemon=True)
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
    that called the audit should handle them.
    """
    if sys.platform == "win32":
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # its start would unblock Ctrl-C
    interrupts = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, interrupts)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(
    pipe: Connection, options: AuditOptions, cores: ctypes.c_int32 | None
) -> None:
    """Run in a worker process: answer batches until the pipe is closed."""
    begin_process()
    job: AuditJob | None = None
    while True:
        try:
            problems = pipe.recv()
        except EOFError:
            return
        answer: list[AuditResult | None] | Exception
        try:
            if job is None:
                allowed = None if cores is None else lambda: cores.value
                job = AuditJob(options, cores=allowed)
            answer = job.run_batch(problems)
        except Exception as error:  # raised again in the audit's process
            answer = error
        pipe.send(answer)


def begin_process(*pipes: Connection) -> None:
    """Prepare a process started with interrupts blocked.

    It exits when its parent is gone, so that no search outlives it, or when one of
    these pipes is closed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it cannot be blocked
    if sys.platform != "win32":  # the parent may send it at its own exit
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    threading.Thread(target=_end_with_parent, args=pipes, daemon=True).start()


def _end_with_parent(*pipes: Connection) -> None:
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel, *pipes])
    os._exit(1)
