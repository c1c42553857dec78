"""A running audit seen from outside, as `solving.Control` is a running search."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from solver.search.threads import Control
from solver.solution import StoppedBy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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
