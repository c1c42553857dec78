"""How far a count of positions is, on stderr where people watch it."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from solver.cli import streams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_REFRESH_PER_SECOND = 4


class Counting(Protocol):
    """What is read of a count while it runs."""

    @property
    def positions(self) -> int:
        """Counted so far."""


@contextmanager
def show_count(count: Counting) -> Iterator[Callable[[str], None]]:
    """Show positions and their rate while the block runs, and erase them at its end.

    Yields
    ------
    callable
        Tells a line of notice or error, above what is shown. Off a terminal, that is
        all that is told.
    """
    if not streams.is_terminal(sys.stderr):
        yield streams.tell
        return

    from rich.live import Live
    from rich.text import Text

    from solver.cli.console import stderr_console

    started = time.monotonic()

    def state() -> Text:
        rate = count.positions / max(time.monotonic() - started, 1e-9)
        told = f"{count.positions:,} positions, {rate:,.0f} a second"
        return Text(told, style="dim")

    console = stderr_console()
    with Live(
        get_renderable=state,
        console=console,
        transient=True,
        refresh_per_second=_REFRESH_PER_SECOND,
        redirect_stdout=False,
        redirect_stderr=False,
    ):
        yield lambda message: console.print(message, soft_wrap=True)
