"""Ctrl-C during a search: stop it and tell what it has."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

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
    """Let the first Ctrl-C stop `search`; the second raises KeyboardInterrupt.

    Outside the main thread, where Python lets nobody handle signals, and in a process
    started with interrupts ignored (`nohup`, a script's `&`), nothing is changed.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        search.stop(StoppedBy.INTERRUPT)

    previous = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
