"""A line on the terminal while a long search runs."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from solver.cli.streams import is_terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE_S = 1.0
"""A search that ends sooner shows nothing."""

_REFRESH_PER_SECOND = 4


class Running(Protocol):
    """What is read of a search while it runs, such as `solving.Control`."""

    @property
    def nodes(self) -> int:
        """Positions entered so far."""

    @property
    def lower_bound(self) -> int:
        """No mate takes fewer moves than this, so far."""

    @property
    def best(self) -> tuple[int, tuple[str, ...]] | None:
        """The shortest mate so far and its line."""


@contextmanager
def progress(search: Running) -> Iterator[None]:
    """Show on stderr how far the search is, and erase it at the end.

    Off a terminal nothing is shown.
    """
    if not is_terminal(sys.stderr):
        yield
        return
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(search, ended), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def _watch(search: Running, ended: threading.Event) -> None:
    # Without nodes the search has not begun: what takes so long is being compiled.
    while not ended.wait(PATIENCE_S):
        if search.nodes:
            break
    else:
        return

    from rich.live import Live
    from rich.text import Text

    from solver.cli.console import stderr_console
    from solver.output.text import at_most

    def state() -> Text:
        excluded = search.lower_bound - 1
        told = [f"no mate in {at_most(excluded)}"] if excluded else []
        if search.best:
            told.append(f"mate in {abs(search.best[0])} found")
        told.append(f"{search.nodes:,} nodes")
        return Text(", ".join(told), style="dim")

    with Live(
        get_renderable=state,
        console=stderr_console(),
        transient=True,
        refresh_per_second=_REFRESH_PER_SECOND,
        redirect_stdout=False,
    ):
        ended.wait()
