"""A collection against its claims: several positions at once, told in their order.

Each worker thread takes the next record when it is free for one, so that a source that
is typed or piped is never read ahead of need, and owns the one `Solver` that it works
with. Results wait in a bounded window for their turn, so that memory stays flat however
long the collection is.
"""

from __future__ import annotations

import threading
from concurrent import futures
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeAlias

from solver.errors import FormatError
from solver.solution import StoppedBy
from solver.solving import Control, Solver
from solver.verdict import Result, judge

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from solver.problem import Limits, Problem
    from solver.solution import Solution
    from solver.tablebases import Tablebases

WINDOW = 64
"""How many records a job may be ahead of the one that is next to be told."""

OnAnswer: TypeAlias = "Callable[[Solution, Solver, Control], None]"

Promise: TypeAlias = "Future[Result | None]"

_TICK_S = 0.01
"""How soon a waiting audit notices that it was stopped, in seconds."""

_PATIENCE_S = 1.0
"""How long an audit waits for searches that it has stopped, in seconds."""


class AuditControl:
    """A running audit seen from outside, as `Control` is a running search."""

    def __init__(self) -> None:
        self._reason: StoppedBy | None = None
        self._searches: set[Control] = set()

    def is_stopped(self) -> bool:
        """Tell whether the audit was asked to end."""
        return self._reason is not None

    def stop(self, reason: StoppedBy = StoppedBy.INTERRUPT) -> None:
        """Ask the audit and its searches to end.

        Takes no lock: a signal handler calls it in a thread that may hold any.
        """
        self._reason = self._reason or reason
        for search in tuple(self._searches):
            search.stop(reason)

    @contextmanager
    def search(self) -> Iterator[Control]:
        """Give the control of a new search, which ends with the audit."""
        control = Control()
        self._searches.add(control)
        try:
            if self._reason is not None:  # it may have come before the line above
                control.stop(self._reason)
            yield control
        finally:
            self._searches.discard(control)


def audit(
    records: Iterable[Problem | FormatError],
    limits: Limits,
    *,
    within: bool = False,
    all_keys: bool = False,
    jobs: int = 1,
    tablebases: Tablebases | None = None,
    on_answer: OnAnswer | None = None,
    control: AuditControl | None = None,
) -> Generator[Result]:
    """Answer each problem and judge what its source claims of it.

    A claim of N moves is searched up to N and no further, unless `limits.max_moves`
    says otherwise. A problem without a claim is solved within the limits as they are.

    Parameters
    ----------
    records : iterable of Problem or FormatError
        The collection. It is read in worker threads, by one at a time.
    limits : Limits
        What one search may cost; the table's size is that of each worker.
    within : bool
        Ask of each claim only whether there is a mate in at most so many moves.
    all_keys : bool
        Look for all keys, and compare them with the claimed ones.
    jobs : int
        How many positions to search at once.
    tablebases : Tablebases or None
        Endgame tables to ask as well, open until the audit has ended.
    on_answer : callable or None
        Called in the worker's thread with each answer, the solver that has given it
        and, for what it does, a control that ends with the audit.
    control : AuditControl or None
        Whoever holds it can stop the audit: results that are complete by then are
        told, searches that were cut short are left out.

    Yields
    ------
    Result
        One for each record, in the order of the records, as soon as it is known.

    Raises
    ------
    Exception
        What a worker or the source of the records raised, in the place of the result.
    """
    question = _Question(limits, tablebases, within=within, all_keys=all_keys)
    control = control or AuditControl()
    desk = _Desk(records, control, room=WINDOW * jobs)
    work = (desk, question, on_answer)
    for _ in range(jobs):
        # Daemons: one that waits for a line of standard input must not delay the exit.
        threading.Thread(target=_work, args=work, daemon=True).start()
    try:
        yield from desk.results()
    except BaseException:
        control.stop()  # also when the caller has left off: nobody wants the rest
        raise
    finally:
        desk.close(jobs)


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked of each problem."""

    limits: Limits
    tablebases: Tablebases | None
    within: bool
    all_keys: bool

    def solver(self) -> Solver:
        """Make what a worker solves with."""
        limits = self.limits
        return Solver(limits.hash_mib, self.tablebases, threads=limits.threads)

    def put(self, problem: Problem, solver: Solver, control: Control) -> Solution:
        """Search as far as the claim goes, or as the limits say."""
        limits, within = self.limits, None
        claimed = problem.claim.mate if problem.claim else problem.no_mate
        if problem.claim and self.within:
            within = claimed
        elif claimed and limits.max_moves is None:
            limits = replace(limits, max_moves=abs(claimed))
        return solver.solve(
            problem, limits, within=within, all_keys=self.all_keys, control=control
        )


class _Desk:
    """Where workers take records, and where results are promised in their order.

    A promise is made while the record is being read, by one worker at a time: that is
    what keeps the order. A promise kept with `None` is a search that was cut short.
    """

    def __init__(
        self,
        records: Iterable[Problem | FormatError],
        control: AuditControl,
        *,
        room: int,
    ) -> None:
        self.control = control
        self._records = iter(records)
        self._reading = threading.Lock()
        self._at_end = False
        self._room = threading.Semaphore(room)
        self._promises: SimpleQueue[Promise | None] = SimpleQueue()  # None: the end

    def take(self) -> tuple[Problem | FormatError, Promise] | None:
        """Give a worker its next record; None: there is no more work."""
        self._room.acquire()
        with self._reading:
            if self._at_end or self.control.is_stopped():
                return None
            promise: Promise = Future()
            try:
                record = next(self._records, None)
            except Exception as error:
                self._at_end = True
                promise.set_exception(error)
                self._promises.put(promise)
                return None
            if record is None:
                self._at_end = True
                self._promises.put(None)
                return None
            if self.control.is_stopped():
                return None
            self._promises.put(promise)
            return record, promise

    def results(self) -> Iterator[Result]:
        """Give each result in its turn; once stopped, those that are complete."""
        while (promise := self._next_promise()) is not None:
            while not promise.done():
                # Not for ever: some systems deliver Ctrl-C only between two waits.
                futures.wait((promise,), timeout=_TICK_S)
            result = promise.result()
            if result is not None:
                yield result
            self._room.release()

    def _next_promise(self) -> Promise | None:
        while True:
            try:
                return self._promises.get(timeout=_TICK_S)
            except Empty:
                if self.control.is_stopped():
                    return None

    def close(self, jobs: int) -> None:
        """Send all workers home, and wait a moment for those that search."""
        self._room.release(jobs)
        open_promises = []
        while not self._promises.empty():
            if promise := self._promises.get():
                open_promises.append(promise)
        futures.wait(open_promises, timeout=_PATIENCE_S)


def _work(desk: _Desk, question: _Question, on_answer: OnAnswer | None) -> None:
    solver: Solver | None = None
    while (task := desk.take()) is not None:
        record, promise = task
        try:
            if isinstance(record, FormatError):
                promise.set_result(judge(record))
                continue
            solver = solver or question.solver()
            with desk.control.search() as control:
                solution = question.put(record, solver, control)
            cut_short = solution.stopped_by is StoppedBy.INTERRUPT
            if on_answer and not cut_short:
                with desk.control.search() as control:
                    on_answer(solution, solver, control)
            result = None if cut_short else judge(solution, within=question.within)
            promise.set_result(result)
        except Exception as error:
            promise.set_exception(error)
