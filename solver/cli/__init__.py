"""The command line: parse, delegate, render.

A command loads this package before anything else, so it knows how an interrupt ends the
process while the rest is loaded. It imports only what is part of the interpreter: until
`end` is the handler, Ctrl-C ends in a traceback.
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


def end(_number: int, _frame: object) -> None:
    """Handle an interrupt: end the process with one line on stderr."""
    try:
        os.write(2, b"interrupted\n")
    finally:  # stderr may be closed
        os._exit(INTERRUPTED)
