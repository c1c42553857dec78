"""Who examines an audit's batches: this process, or another that can be lost."""

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

from solver.audit.job import Examined, Examiner, Patience
from solver.audit.result import audit_result
from solver.audit.verdict import judge
from solver.solution import Solution, Status, StoppedBy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection

    from solver.audit.job import Inquiry
    from solver.audit.queue import AuditControl, Desk, Task
    from solver.endgames.tablebases import Tablebases
    from solver.problem import Problem


WINDOW = 2048
"""How many records a job on this machine may be ahead of those that are told."""

PATIENCE = Patience(problem_s=0.1, batch_s=0.5)


class WorkerLostError(Exception):
    """A worker ended without an answer: killed, crashed, or its machine is gone."""


class Worker(Protocol):
    """Examines one batch after the other."""

    @property
    def batch_s(self) -> float:
        """How much work a batch should be, in seconds; 0: one problem at a time."""

    def examine_all(self, problems: Sequence[Problem]) -> list[Examined | None]:
        """Examine a batch; see `Examiner.examine_all`.

        Raises
        ------
        WorkerLostError
            The worker is lost; the next call has another one.
        """

    def close(self) -> None:
        """Free what the worker holds."""


class Staff(NamedTuple):
    """All who examine an audit's batches.

    Attributes
    ----------
    make_worker : callable
        Makes one of them.
    jobs : int
        How many of them work at once.
    window : int
        How many records each may be ahead of those that are told. A batch is at most
        half as large.
    """

    make_worker: Callable[[AuditControl], Worker]
    jobs: int
    window: int = WINDOW


def local_staff(
    inquiry: Inquiry, jobs: int, tablebases: Tablebases | None = None
) -> Staff:
    """Have an audit done on this machine.

    Parameters
    ----------
    inquiry : Inquiry
        What is asked.
    jobs : int
        How many workers there will be: one works in this process, several in their own.
    tablebases : Tablebases or None
        The inquiry's endgame tables, open until the audit has ended.
    """
    if jobs == 1:
        return Staff(lambda control: ThreadWorker(inquiry, control, tablebases), jobs)
    return Staff(lambda control: ProcessWorker(inquiry, control), jobs)


class ThreadWorker:
    """Examines in the calling thread."""

    batch_s = 0.0

    def __init__(
        self, inquiry: Inquiry, control: AuditControl, tablebases: Tablebases | None
    ) -> None:
        self._examiner = Examiner(inquiry, tablebases, control.search)

    def examine_all(self, problems: Sequence[Problem]) -> list[Examined | None]:
        """Examine problem after problem."""
        return [self._examiner.examine(problem) for problem in problems]

    def close(self) -> None:
        """Do nothing."""


class ProcessWorker:
    """Examines in a process of its own, which ends with the audit.

    It is started anew where nothing of this one is inherited: threads that hold locks,
    open files, signal handlers.
    """

    batch_s = 0.05

    def __init__(self, inquiry: Inquiry, control: AuditControl) -> None:
        self._inquiry = inquiry
        self._control = control
        self._start()

    def examine_all(self, problems: Sequence[Problem]) -> list[Examined | None]:
        """Send a batch and wait for what comes back."""
        try:
            with self._control.stopping(self._kill):
                self._near.send(list(problems))
                answer = self._near.recv()
        except (EOFError, OSError):
            self.close()
            if not self._control.is_stopped():
                self._start()
            raise WorkerLostError from None
        if isinstance(answer, BaseException):
            raise answer
        examined: list[Examined | None] = answer
        return examined

    def close(self) -> None:
        """End the process; it waits for a batch, or nobody waits for its answer."""
        self._near.close()
        self._process.kill()
        self._process.join()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._near, far = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(far, self._inquiry), daemon=True
        )
        with interrupts_held_back():
            self._process.start()
        far.close()

    def _kill(self, _reason: StoppedBy) -> None:
        self._process.kill()


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Let interrupts wait; what begins meanwhile never hears of them.

    Terminals and supervisors send them to all processes, but only the audit's own is
    to act on them.
    """
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # its start would let Ctrl-C through again
    interrupts = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, interrupts)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, inquiry: Inquiry) -> None:
    """Be the other process: answer batches until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it could not be held back
    if sys.platform != "win32":  # at its exit the audit's process may send this one
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    examiner: Examiner | None = None
    while True:
        try:
            problems = pipe.recv()
        except EOFError:
            return
        answer: list[Examined | None] | Exception
        try:
            examiner = examiner or Examiner(inquiry)
            answer = examiner.examine_all(problems, PATIENCE)
        except Exception as error:  # raised again by the process that asked
            answer = error
        pipe.send(answer)


def _end_with_parent() -> None:
    """Leave no search running for an audit that was killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


# A worker's thread: takes batches of a fitting size, and hands in what they gave.

GROWTH = 4
"""A batch is at most so many times as large as the last one."""

LOSSES = 3
"""A problem that was alone with so many lost workers is not given to another."""


class Dispatcher:
    """Keeps workers busy.

    Parameters
    ----------
    desk : Desk
        Where problems wait.
    control : AuditControl
        Ends the audit.
    make_worker : callable
        Makes a worker, when there is something to do.
    share : int
        How many workers share what waits.
    largest : int
        How many problems a batch may have.
    """

    def __init__(
        self,
        desk: Desk,
        control: AuditControl,
        make_worker: Callable[[], Worker],
        *,
        share: int,
        largest: int,
    ) -> None:
        self._desk = desk
        self._control = control
        self._make_worker = make_worker
        self._share = share
        self._largest = largest
        self._losses: dict[int, int] = {}

    def work(self) -> None:
        """Serve one worker until there is no more work; in a thread of its own."""
        worker: Worker | None = None
        size = 1
        try:
            while tasks := self._desk.take(size, self._share):
                try:
                    worker = worker or self._make_worker()
                    started = time.perf_counter()
                    examined = self._examine(worker, tasks)
                    spent = time.perf_counter() - started
                    self._desk.hand_in(tasks, examined)
                except Exception as error:
                    self._desk.give_up(tasks, error)
                    continue  # in order, what comes before is told before the error
                if len(tasks) == 1 < size:
                    continue  # it came again, and says nothing of those to come
                done = len(tasks) - examined.count(None)
                fitting = int(done * worker.batch_s / max(spent, 1e-6))
                size = max(1, min(fitting, GROWTH * size, self._largest))
        finally:
            if worker:
                worker.close()

    def _examine(self, worker: Worker, tasks: Sequence[Task]) -> list[Examined | None]:
        try:
            return worker.examine_all([task.problem for task in tasks])
        except WorkerLostError:
            # None of a batch is known to be at fault: each comes again, alone.
            if len(tasks) > 1 or self._control.is_stopped():
                return [None] * len(tasks)
        (task,) = tasks
        losses = self._losses[task.number] = self._losses.get(task.number, 0) + 1
        return [None if losses < LOSSES else _lost(task.problem)]


def _lost(problem: Problem) -> Examined:
    """Tell of a problem that nobody lived to answer."""
    answer = Solution(problem, Status.UNDECIDED, None, 1, stopped_by=StoppedBy.CRASH)
    return Examined(audit_result(judge(answer)))
