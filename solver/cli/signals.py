"""The signals that interrupt the program: Ctrl-C, SIGTERM and SIGHUP, all alike.

`solver.cli` itself has what an interrupt does before this module is loaded. Like it,
this module uses what `signal` is made of: `signal` itself defines enums of all names,
which takes longer than a mate in 2.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]
import atexit
import math
import os
import sys
import threading
import time
from contextlib import contextmanager, suppress

from solver import cli

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType
    from typing import NoReturn, Protocol

    from solver import solution

    class Stoppable(Protocol):
        """Anything that can be stopped while it runs, such as a search's `Control`."""

        def stop(self, reason: solution.StoppedBy = ...) -> None:
            """Make it stop soon, for this reason."""


_raised = False

PRINTING_S = 0.5
"""How long an interrupted command prints what it has found, in seconds."""


def active() -> tuple[int, ...]:
    """Return the interrupts that are handled: not those that `nohup` ignores."""
    return tuple(
        number
        for number in cli.INTERRUPTS
        if signal.getsignal(number) != signal.SIG_IGN
    )


def end_at_once() -> None:
    """Make an interrupt end the process with one line on stderr.

    This is for the time before and after the work, when there is no result to print.
    """
    for number in active():
        signal.signal(number, cli.end)


def ignore_at_exit() -> None:
    """Ignore interrupts once the interpreter shuts down.

    It would restore the default of each signal, and a SIGTERM in the last milliseconds
    would end the process as -15 in place of its exit code.
    """
    atexit.register(_ignore_all)


def _ignore_all() -> None:
    numbers = active()
    if hasattr(signal, "pthread_sigmask"):
        # This handles a signal that has arrived; Python would complain about it later.
        signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)


def leave(code: int) -> NoReturn:
    """End the process with an exit code; what the command printed is flushed already.

    Freeing every object would take longer than a short search, so this leaves them to
    the system, as mypy does. Like `sys.exit`, it waits for threads that still run.
    """
    if threading.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()  # noqa: SLF001 -- there is no public name
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.flush()
    os._exit(code)


@contextmanager
def ending_at_once() -> Iterator[None]:
    """Make an interrupt inside the block end the process at once.

    The compiler needs this: LLVM calls back into Python; an exception raised there
    would be printed with its traceback and ignored. Outside the main thread this does
    nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = {number: signal.getsignal(number) for number in active()}
    end_at_once()
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def raise_interrupts() -> None:
    """Make an interrupt raise KeyboardInterrupt in the main thread."""
    for number in active():
        signal.signal(number, _raise)


def forget_interrupts() -> None:
    """Forget earlier interrupts, so that `has_interrupted` starts at False."""
    global _raised  # noqa: PLW0603 -- signals belong to the process
    _raised = False


def has_interrupted() -> bool:
    """Return whether an interrupt was raised; an import can turn it into an error."""
    return _raised


def ignore_repeats() -> None:
    """Ignore further SIGTERM and SIGHUP signals.

    Supervisors send them more than once: `timeout` signals the process and its group,
    systemd sends one after the other. The second one has no further effect.
    """
    for number in active():
        if number != signal.SIGINT:
            signal.signal(number, ignore)


def ignore(_number: int, _frame: FrameType | None) -> None:
    """Do nothing. Unlike SIG_IGN, child processes do not inherit this."""


class Patience:
    """How long to print a long answer: to its end, unless an interrupt comes.

    Parameters
    ----------
    is_interrupted : bool
        Whether an interrupt ended the search: then what was found is printed for
        `PRINTING_S`.
    """

    def __init__(self, *, is_interrupted: bool) -> None:
        self.is_interrupted = is_interrupted
        self._end = time.monotonic() + PRINTING_S if is_interrupted else math.inf

    def stop(self, _reason: object = None) -> None:
        """End the printing."""
        self.is_interrupted = True
        self._end = -math.inf

    def is_over(self) -> bool:
        """Return whether to stop printing."""
        return time.monotonic() > self._end


@contextmanager
def interruptible(search: Stoppable) -> Iterator[None]:
    """Make the first interrupt stop `search`; a Ctrl-C after it ends the program.

    A signal that the process was started to ignore stays ignored (`nohup`, a script's
    `&`). Outside the main thread, where Python handles no signals, this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    from solver import solution

    def stop(number: int, _frame: FrameType | None) -> None:
        raise_interrupts()
        if number != signal.SIGINT:
            ignore_repeats()
        search.stop(solution.StoppedBy.INTERRUPT)

    previous = {number: signal.signal(number, stop) for number in active()}
    try:
        yield
    finally:
        for number, handler in previous.items():
            if signal.getsignal(number) is not ignore:
                signal.signal(number, handler)


def _raise(number: int, _frame: FrameType | None) -> None:
    global _raised  # noqa: PLW0603 -- signals belong to the process
    _raised = True
    if number != signal.SIGINT:
        ignore_repeats()
    raise KeyboardInterrupt
