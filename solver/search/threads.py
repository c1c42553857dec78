"""A running search seen from outside: told to stop, asked how far it is."""

from __future__ import annotations

import heapq
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from solver.kernel.interface import NO_LIMIT
from solver.solution import StoppedBy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.kernel.memory import Search
    from solver.problem import Lane
    from solver.search.workspace import Workspace


class Control:
    """Stops a search, from any thread, and reads how far it is.

    Nothing here takes a lock, so that a signal handler may call it.
    """

    def __init__(self) -> None:
        self._search: Search | None = None
        self._reason: StoppedBy | None = None
        self._must_finish = False
        self.lower_bound = 1
        """No mate takes fewer moves than this: proved so far."""
        self.best: tuple[int, tuple[str, ...]] | None = None
        """The shortest mate so far, negative when the side to move is mated, and its
        line in UCI notation."""

    @property
    def nodes(self) -> int:
        """Positions entered so far."""
        search = self._search
        return search.nodes if search else 0

    @property
    def reason(self) -> StoppedBy | None:
        """What the search was asked to stop for; the first reason given is kept."""
        return self._reason

    def stop(self, reason: StoppedBy = StoppedBy.INTERRUPT) -> None:
        """Ask the search to end."""
        self._reason = self._reason or reason
        self._apply(reason)

    def attach(self, search: Search) -> None:
        """Take charge of a search that is about to begin."""
        search.stop = 0
        self._search = search
        if self._reason:
            self._apply(self._reason)

    @contextmanager
    def finishing(self) -> Iterator[None]:
        """Let what is proved be written down: only an interrupt ends this part."""
        search = self._search
        assert search is not None
        self._must_finish = True
        limit, search.node_limit = search.node_limit, NO_LIMIT
        if self._reason is not StoppedBy.INTERRUPT:
            search.stop = 0
        try:
            yield
        finally:
            search.node_limit = limit
            self._must_finish = False
            if self._reason:
                search.stop = 1

    def _apply(self, reason: StoppedBy) -> None:
        if self._search and (reason is StoppedBy.INTERRUPT or not self._must_finish):
            self._search.stop = 1


class Watchdog:
    """One thread that stops searches when their time is over."""

    def __init__(self) -> None:
        self._deadlines: list[tuple[float, int, Control]] = []
        self._changed = threading.Condition()
        self._count = 0
        self._thread: threading.Thread | None = None

    @contextmanager
    def limit(self, control: Control, seconds: float | None) -> Iterator[None]:
        """Stop `control` once that many seconds have passed inside the block."""
        if seconds is None:
            yield
            return
        with self._changed:
            self._count += 1
            entry = (time.monotonic() + seconds, self._count, control)
            heapq.heappush(self._deadlines, entry)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._watch, daemon=True)
                self._thread.start()
            self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                if entry in self._deadlines:
                    self._deadlines.remove(entry)
                    heapq.heapify(self._deadlines)

    def _watch(self) -> None:
        with self._changed:
            while True:
                now = time.monotonic()
                while self._deadlines and self._deadlines[0][0] <= now:
                    heapq.heappop(self._deadlines)[2].stop(StoppedBy.TIME)
                soonest = self._deadlines[0][0] - now if self._deadlines else None
                self._changed.wait(soonest)


WATCHDOG = Watchdog()


# Long work in a thread of its own, so that the caller's thread still hears Ctrl-C.

Result = TypeVar("Result")

WAIT_S = 0.05
"""How long the caller sleeps at a time: not every system wakes it for a signal."""


def run_stoppable(work: Callable[[], Result], control: Control) -> Result:
    """Do the work in another thread and wait for it.

    An exception of the work is raised here. One that reaches the waiting caller, such
    as KeyboardInterrupt, stops the work through `control` and goes on.
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # raised again in the caller's thread
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    try:
        thread.start()
        while thread.is_alive():
            thread.join(WAIT_S)
    except BaseException:
        control.stop(StoppedBy.INTERRUPT)
        if thread.ident is not None:  # else it never began
            thread.join()
        raise
    if errors:
        raise errors[0]
    return results[0]


# Further threads on a hard position: companions that share the leader's table.
#
# They ask what the leader asks, in another order. What one has proved the others find
# in the table, so the leader's answer, which is the one that counts, comes sooner.


class Crew:
    """The companions of one workspace, one thread each while they are at work.

    Parameters
    ----------
    leader : Workspace
        Whose table they share.
    size : int
        How many; none is fine.
    """

    def __init__(self, leader: Workspace, size: int) -> None:
        self._leader = leader
        self._companions = [leader.companion() for _ in range(size)]
        self._threads: list[threading.Thread] = []
        self._controls: list[Control] = []
        self._counted = 0

    @property
    def nodes(self) -> int:
        """Positions that the companions entered for the last problem."""
        return self._counted

    def begin(self) -> None:
        """Forget the last problem."""
        self._counted = 0

    def start(
        self, work: Callable[[Workspace, Control], object], lane: Lane | None
    ) -> None:
        """Let each companion do the work, unless they are at it.

        What is left of the leader's node limit is shared among all.
        """
        if self._threads or not self._companions:
            return
        leader = self._leader.search
        share = (leader.node_limit - leader.nodes) // (len(self._companions) + 1)
        leader.node_limit = leader.nodes + share
        for companion in self._companions:
            companion.accompany(self._leader, lane, share)
            control = Control()
            control.attach(companion.search)  # here, so that no stop is overlooked
            self._controls.append(control)
            task = (companion, control)
            thread = threading.Thread(target=work, args=task, daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """End their work, and wait for that."""
        for control in self._controls:
            control.stop()  # not the search itself, which may be finishing a mate
        for thread in self._threads:
            thread.join()
        if self._threads:
            self._counted = sum(mate.search.nodes for mate in self._companions)
        self._threads.clear()
        self._controls.clear()
