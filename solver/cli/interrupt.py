"""An interrupt during a search: stop the search, and print what it has."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from solver.cli import signals
from solver.solution import StoppedBy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


class Stoppable(Protocol):
    """Anything that runs until told to end, such as `solving.Control`."""

    def stop(self, reason: StoppedBy = ...) -> None:
        """Ask it to end soon, and give the reason to tell."""


@contextmanager
def interruptible(search: Stoppable) -> Iterator[None]:
    """Let the first interrupt stop `search`; Ctrl-C after it raises KeyboardInterrupt.

    Outside the main thread, where Python lets nobody handle signals, nothing is
    changed, nor for signals that the process was started to ignore (`nohup`, a
    script's `&`).
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _frame: FrameType | None) -> None:
        signals.raise_interrupts()
        if number != signal.SIGINT:
            signals.ignore_repeats()
        search.stop(StoppedBy.INTERRUPT)

    previous = {number: signal.signal(number, stop) for number in signals.heard()}
    try:
        yield
    finally:
        for number, handler in previous.items():
            if signal.getsignal(number) is not signals.ignore:
                signal.signal(number, handler)
