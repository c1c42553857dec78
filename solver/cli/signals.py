"""The signals that interrupt the program: Ctrl-C, SIGTERM and SIGHUP, all alike.

The program loads this module before anything else, so it imports next to nothing.
"""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_raised = False

INTERRUPTED = 130
"""The exit code, as for a shell's command that Ctrl-C has ended."""

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")

INTERRUPTS = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))
"""Windows has no SIGHUP."""


def heard() -> tuple[signal.Signals, ...]:
    """List the interrupts that are not ignored, as `nohup` and a script's `&` do."""
    return tuple(
        number for number in INTERRUPTS if signal.getsignal(number) != signal.SIG_IGN
    )


def end_at_once() -> None:
    """Let an interrupt end the process with one line: there is nothing to print."""
    for number in heard():
        signal.signal(number, _end)


@contextmanager
def ending_at_once() -> Iterator[None]:
    """Let an interrupt end the process inside the block, and do as before behind it.

    This is for the compiler: LLVM calls back into Python, which would print an
    exception raised there with its traceback, and go on. Outside the main thread
    nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = {number: signal.getsignal(number) for number in heard()}
    end_at_once()
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def raise_interrupts() -> None:
    """Let an interrupt raise KeyboardInterrupt in the main thread."""
    for number in heard():
        signal.signal(number, _raise)


def forget_interrupts() -> None:
    """Begin anew: no interrupt was raised."""
    global _raised  # noqa: PLW0603 -- signals belong to the process
    _raised = False


def has_interrupted() -> bool:
    """Tell whether an interrupt was raised, which an import can turn into an error."""
    return _raised


def ignore_repeats() -> None:
    """Do nothing when SIGTERM and SIGHUP come again.

    A supervisor sends them more than once: `timeout` to the process and to its group,
    systemd one behind the other. A second one asks for no more than the first.
    """
    for number in heard():
        if number != signal.SIGINT:
            signal.signal(number, ignore)


def ignore(_number: int, _frame: FrameType | None) -> None:
    """Do nothing; children, unlike with SIG_IGN, do not inherit this."""


def _raise(number: int, _frame: FrameType | None) -> None:
    global _raised  # noqa: PLW0603 -- signals belong to the process
    _raised = True
    if number != signal.SIGINT:
        ignore_repeats()
    raise KeyboardInterrupt


def _end(_number: int, _frame: FrameType | None) -> None:
    with suppress(OSError):  # stderr may be closed
        os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)
