"""Where an audit's problems wait for workers, and its findings for whoever tells them.

One thread reads the collection, as far ahead as there is room for; workers take what
is there. A problem that kept others waiting comes back and is taken alone. Problems
that were answered before, or that are being answered under another name, are not
answered again.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from solver.audit.result import AuditResult, audit_result, renamed
from solver.audit.verdict import judge
from solver.errors import FormatError
from solver.search.threads import Control
from solver.solution import StoppedBy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from solver.audit.job import Examined
    from solver.audit.resume import Archive
    from solver.problem import Problem


# A running audit seen from outside, as `solving.Control` is a running search.


class AuditControl:
    """Stops an audit, from any thread.

    Nothing here takes a lock: a signal handler calls it in a thread that may hold any.
    """

    def __init__(self) -> None:
        self._reason: StoppedBy | None = None
        self._stops: set[Callable[[StoppedBy], None]] = set()

    def is_stopped(self) -> bool:
        """Tell whether the audit was asked to end."""
        return self._reason is not None

    def stop(self, reason: StoppedBy = StoppedBy.INTERRUPT) -> None:
        """Ask the audit and its searches to end."""
        self._reason = self._reason or reason
        for stop in tuple(self._stops):
            stop(reason)

    @contextmanager
    def stopping(self, stop: Callable[[StoppedBy], None]) -> Iterator[None]:
        """Call `stop` once if the audit is to end inside the block or was before."""
        self._stops.add(stop)
        try:
            if self._reason is not None:  # it may have come before the line above
                stop(self._reason)
            yield
        finally:
            self._stops.discard(stop)

    @contextmanager
    def search(self) -> Iterator[Control]:
        """Give the control of a new search, which ends with the audit."""
        control = Control()
        with self.stopping(control.stop):
            yield control


TICK_S = 0.01
"""How soon a thread that waits notices what happened, in seconds."""

OnExamined: TypeAlias = "Callable[[Examined], None]"


class Task(NamedTuple):
    """A problem, and its place in the collection.

    Attributes
    ----------
    number : int
        From 0, among all records.
    problem : Problem
    key : bytes
        Which question it is to the archive; empty without one.
    """

    number: int
    problem: Problem
    key: bytes = b""


class Told(NamedTuple):
    """What became of a record: a finding, or an error that ends the audit."""

    number: int
    what: AuditResult | BaseException


class Desk:
    """The middle of an audit; any number of threads may come to it.

    Parameters
    ----------
    records : iterable of Problem or FormatError
        The collection.
    control : AuditControl
        Ends the audit.
    archive : Archive or None
        Knows what was answered before, and keeps what is answered now.
    on_examined : callable or None
        Called with each answer before it is kept, in a worker's thread.
    room : int
        How many records may be between being read and being told.
    """

    def __init__(
        self,
        records: Iterable[Problem | FormatError],
        control: AuditControl,
        *,
        archive: Archive | None,
        on_examined: OnExamined | None,
        room: int,
    ) -> None:
        self._records = records
        self._control = control
        self._archive = archive
        self._on_examined = on_examined
        self._room = threading.Semaphore(room)
        self._changed = threading.Condition()
        self._tasks: deque[Task] = deque()
        self._late: deque[Task] = deque()
        self._same: dict[bytes, list[Task]] = {}
        self._held = 0
        self._at_end = False
        self._told: deque[Told] = deque()

    def read(self) -> None:
        """Read the collection to its end; the work of one thread."""
        number = 0
        try:
            for record in self._records:
                if not self._wait_for_room():
                    break
                self._receive(number, record)
                number += 1
        except BaseException as error:  # raised again where the findings are told
            self._told.append(Told(number, error))
        finally:
            with self._changed:
                self._at_end = True
                self._changed.notify_all()

    def take(self, most: int, share: int = 1) -> list[Task]:
        """Give a worker what it may work on, as soon as there is something.

        Parameters
        ----------
        most : int
            How many problems at most.
        share : int
            And no more than this part of those that wait.

        Returns
        -------
        list of Task
            Empty when there is no more work.
        """
        with self._changed:
            while not self._control.is_stopped():
                if self._late:
                    self._held += 1
                    return [self._late.popleft()]
                if self._tasks:
                    count = max(1, min(most, len(self._tasks) // share))
                    self._held += count
                    return [self._tasks.popleft() for _ in range(count)]
                if self._at_end and not self._held:
                    self._changed.notify_all()
                    break
                self._changed.wait(TICK_S)
        return []

    def hand_in(
        self, tasks: Sequence[Task], examined: Sequence[Examined | None]
    ) -> None:
        """Take back a batch; what has no finding was late, or cut short by the end."""
        for task, result in zip(tasks, examined, strict=True):
            if result is None:
                continue
            if self._on_examined:
                self._on_examined(result)
            self._tell(task, result.result)
        late = [
            task for task, result in zip(tasks, examined, strict=True) if not result
        ]
        with self._changed:
            self._late.extend(late)
            self._held -= len(tasks)
            self._changed.notify_all()

    def give_up(self, tasks: Sequence[Task], error: BaseException) -> None:
        """Tell the error that a batch met; it ends the audit where it is told."""
        self._told.append(Told(tasks[0].number, error))
        with self._changed:
            self._held -= len(tasks)
            self._changed.notify_all()

    def results(self) -> Iterator[Told]:
        """Give what becomes of the records, until all is told or the audit stopped."""
        while True:
            is_over = self._control.is_stopped() or self._is_done()
            while self._told:
                yield self._told.popleft()
            if is_over:
                return
            if self._archive:
                self._archive.commit_if_due()
            time.sleep(TICK_S)

    def make_room(self) -> None:
        """Let one more record be read, since one was told."""
        self._room.release()

    def _is_done(self) -> bool:
        with self._changed:
            return self._at_end and not (self._held or self._tasks or self._late)

    def _wait_for_room(self) -> bool:
        while not self._room.acquire(timeout=TICK_S):
            if self._control.is_stopped():
                return False
        return not self._control.is_stopped()

    def _receive(self, number: int, record: Problem | FormatError) -> None:
        if isinstance(record, FormatError):
            result = audit_result(judge(record))
            if self._archive:
                self._archive.keep_record(result, None)
            self._told.append(Told(number, result))
            return
        key = self._archive.key(record) if self._archive else b""
        task = Task(number, record, key)
        with self._changed:
            if self._archive and not self._is_new(task, self._archive):
                return
            self._tasks.append(task)
            self._changed.notify()

    def _is_new(self, task: Task, archive: Archive) -> bool:
        """Tell whether a question has to be answered; if not, the answer is told."""
        if task.key in self._same:
            self._same[task.key].append(task)
            return False
        if (result := archive.recall(task.problem, task.key)) is not None:
            self._told.append(Told(task.number, result))
            return False
        self._same[task.key] = []
        return True

    def _tell(self, task: Task, result: AuditResult) -> None:
        """Tell a finding, of this task and of all that ask the same."""
        self._told.append(Told(task.number, result))
        if self._archive is None:
            return
        self._archive.keep(task.key, result)
        with self._changed:  # the archive knows it by now, so nobody asks again
            same = self._same.pop(task.key)
        for other in same:
            named = renamed(result, other.problem)
            self._archive.keep_record(named, task.key)
            self._told.append(Told(other.number, named))
