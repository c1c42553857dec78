"""A worker's thread: takes batches of a fitting size, and hands in what they gave."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from solver.audit.job import Examined
from solver.audit.result import finding_of
from solver.audit.verdict import judge
from solver.audit.workers import WorkerLostError
from solver.solution import Solution, Status, StoppedBy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from solver.audit.control import AuditControl
    from solver.audit.queue import Desk, Task
    from solver.audit.workers import Worker
    from solver.problem import Problem

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
    return Examined(finding_of(judge(answer)))
