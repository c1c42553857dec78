"""The command line: parse, delegate, render.

A command loads this package before anything else, so it knows how an interrupt ends the
process while the rest is loaded. It imports only what is part of the interpreter: until
`end_at_once` is called, Ctrl-C ends in a traceback.
"""

import _signal  # type: ignore[import-not-found]
import os

INTERRUPTED = 130
"""The exit code that shells report for a command ended by Ctrl-C."""

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")

INTERRUPTS: tuple[int, ...] = tuple(
    getattr(_signal, name) for name in _NAMES if hasattr(_signal, name)
)
"""Windows has no SIGHUP."""


def active() -> tuple[int, ...]:
    """Return the interrupts that are handled: not those that `nohup` ignores."""
    return tuple(
        number for number in INTERRUPTS if _signal.getsignal(number) != _signal.SIG_IGN
    )


def end_at_once() -> None:
    """Make an interrupt end the process with one line on stderr.

    This is for the time before and after the work, when there is no result to print.
    """
    for number in active():
        _signal.signal(number, _end)


def _end(_number: int, _frame: object) -> None:
    try:
        os.write(2, b"interrupted\n")
    finally:  # stderr may be closed
        os._exit(INTERRUPTED)
