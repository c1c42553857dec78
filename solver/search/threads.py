"""A running search seen from outside: told to stop, asked how far it is."""

from __future__ import annotations

import heapq
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from solver.kernel.interface import NO_LIMIT
from solver.solution import StoppedBy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.kernel.memory import Search


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
