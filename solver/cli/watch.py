"""How far an audit is: a line on a terminal's stderr, else one a minute."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter, deque
from contextlib import contextmanager
from typing import TYPE_CHECKING

from solver.cli import streams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from solver.audit.result import Finding

EVERY_S = 60.0
"""How often the progress is told where nobody watches a terminal."""

RECENT_S = 30.0
"""The rate is that of so many seconds: what a store answers is no measure of what is
left."""

_REFRESH_PER_SECOND = 4


class Watch:
    """Whoever waits for an audit.

    Parameters
    ----------
    expected : callable
        Estimates how many records there are.
    """

    def __init__(self, expected: Callable[[], int | None]) -> None:
        self._expected = expected
        self._marks = deque([(time.monotonic(), 0)])
        self._words: Counter[str] = Counter()
        self._console: Console | None = None

    def advance(self, finding: Finding) -> None:
        """Hear of one more finding."""
        self._words[finding.word] += 1

    def tell(self, message: str) -> None:
        """Hear a line of notice or error."""
        if self._console:
            self._console.print(message, soft_wrap=True)
        else:
            streams.tell(message)

    def show_above(self, console: Console | None) -> None:
        """Print messages there from now on; None: on stderr as they are."""
        self._console = console

    def line(self) -> str:
        """Tell in a line how far the audit is, how fast, and what was found."""
        done = self._words.total()
        rate = self._rate(done)
        told = [f"{done:,} done"]
        rates = [f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"]
        if (expected := self._expected()) is not None:
            left = max(expected - done, 0)
            told.append(f"{left:,} left")
            if rate:
                rates.append(f"{_clock(left / rate)} to go")
        told += rates
        counts = [f"{count:,} {word}" for word, count in self._words.most_common()]
        return ", ".join(told) + (f": {', '.join(counts)}" if counts else "")

    def _rate(self, done: int) -> float:
        """Give findings a second, of late."""
        now = time.monotonic()
        self._marks.append((now, done))
        while len(self._marks) > 2 and now - self._marks[1][0] > RECENT_S:
            self._marks.popleft()
        since, before = self._marks[0]
        return (done - before) / max(now - since, 1e-9)


@contextmanager
def showing(watch: Watch, *, hidden: bool) -> Iterator[None]:
    """Show the progress on stderr while the audit runs; a terminal's is erased.

    Parameters
    ----------
    watch : Watch
        Knows the progress.
    hidden : bool
        Show nothing.
    """
    if hidden:
        yield
    elif streams.is_terminal(sys.stderr):
        with _live(watch):
            yield
    else:
        with _every_minute(watch):
            yield


@contextmanager
def _live(watch: Watch) -> Iterator[None]:
    from rich.live import Live
    from rich.text import Text

    from solver.cli.console import stderr_console

    def line() -> Text:
        return Text(watch.line(), style="dim", no_wrap=True, overflow="ellipsis")

    console = stderr_console()
    with Live(
        get_renderable=line,
        console=console,
        transient=True,
        refresh_per_second=_REFRESH_PER_SECOND,
        redirect_stdout=False,
        redirect_stderr=False,
    ):
        watch.show_above(console)
        try:
            yield
        finally:
            watch.show_above(None)


@contextmanager
def _every_minute(watch: Watch) -> Iterator[None]:
    ended = threading.Event()

    def tell() -> None:
        while not ended.wait(EVERY_S):
            streams.tell(watch.line())

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


def _clock(seconds: float) -> str:
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}"
