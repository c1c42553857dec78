"""Rich consoles for what people read on a terminal.

Loading this module loads rich; records and text for a pipe are written without it.
"""

from __future__ import annotations

import sys
from typing import TextIO

from rich.console import Console

from solver.cli.streams import is_terminal

UNWRAPPED = 10_000
"""Columns of what is no terminal: a pipe takes a line whole."""


class _Console(Console):
    def __init__(self, stream: TextIO | None, *, stderr: bool) -> None:
        terminal = is_terminal(stream)
        super().__init__(
            stderr=stderr,
            force_terminal=terminal,
            width=None if terminal else UNWRAPPED,
            markup=False,
            emoji=False,
            highlight=False,
        )

    def on_broken_pipe(self) -> None:
        """Leave a closed pipe to `main`; rich's own answer is to exit with 1."""
        raise BrokenPipeError


def stdout_console() -> Console:
    """Console for answers: no colour off a terminal, `NO_COLOR` honoured."""
    return _Console(sys.stdout, stderr=False)


def stderr_console() -> Console:
    """Console for progress and notices."""
    return _Console(sys.stderr, stderr=True)


def paints(console: Console) -> bool:
    """Tell whether the console shows the figurines and colours of a painted board."""
    colours = not console.no_color and console.color_system in {"256", "truecolor"}
    return colours and console.encoding.startswith("utf")
