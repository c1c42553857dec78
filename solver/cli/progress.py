"""Progress on stderr: a line that a terminal redraws and erases at the end.

Each kind of work has its own line. Off a terminal only an audit shows progress: it
prints its line once a minute.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter, deque
from typing import TYPE_CHECKING

from solver.cli import console

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from rich.progress import Progress as RichProgress
    from rich.progress import ProgressColumn, Task
    from rich.text import Text

    from solver.audit.result import AuditResult
    from solver.search.threads import Control

PATIENCE_S = 1.0
"""A search that ends within this time shows no progress."""

EVERY_S = 60.0
"""How often an audit prints its progress off a terminal."""

RECENT_S = 30.0
"""An audit's rate covers this time: results read from a store come faster than those
that are still to be searched."""

_REFRESHES_PER_S = 4


class Progress:
    """Shows progress while a `with` block runs.

    Parameters
    ----------
    line : callable
        Returns the current progress; another thread calls this while work goes on.
    steps : int or None
        Length of the bar in front of the line; None: no bar.
    """

    def __init__(self, line: Callable[[], str], steps: int | None = None) -> None:
        self._line = line
        self._steps = steps
        self._display: RichProgress | None = None

    def __enter__(self) -> Self:
        """Show the line if stderr is a terminal."""
        if console.is_terminal(sys.stderr):
            display = self._make_display()
            display.add_task("", total=self._steps)
            display.start()
            self._display = display
        return self

    def __exit__(self, *_error: object) -> None:
        """Erase the line."""
        if self._display:
            display, self._display = self._display, None
            display.stop()

    def notify(self, message: str) -> None:
        """Print a notice or an error above the line, or on stderr without one."""
        if self._display:
            self._display.console.print(message, soft_wrap=True)
        else:
            console.notify(message)

    def describe(self, step: str) -> None:
        """Show what the current step is, in front of the bar."""
        if self._display:
            self._display.update(self._display.task_ids[0], description=step)

    def advance(self, steps: int = 1) -> None:
        """Move the bar by some steps."""
        if self._display:
            self._display.advance(self._display.task_ids[0], steps)

    def _make_display(self) -> RichProgress:
        from rich import progress
        from rich.text import Text

        class Line(progress.ProgressColumn):
            def render(_self, _task: Task) -> Text:  # noqa: N805 -- self is outside
                return Text(self._line(), "dim", no_wrap=True, overflow="ellipsis")

        columns: list[ProgressColumn] = [Line()]
        if self._steps is not None:
            columns[:0] = [
                progress.TextColumn("{task.description}", markup=False),
                progress.BarColumn(),
                progress.TextColumn("{task.completed:,}/{task.total:,}"),
            ]
        return progress.Progress(
            *columns,
            console=console.stderr_console(),
            transient=True,
            refresh_per_second=_REFRESHES_PER_S,
            redirect_stdout=False,
            redirect_stderr=False,
        )


class SearchProgress(Progress):
    """Progress of the search for one position, shown once it takes a while."""

    def __init__(self, search: Control) -> None:
        super().__init__(self.line)
        self._search = search
        self._ended = threading.Event()
        self._starter = threading.Thread(target=self._start_late, daemon=True)

    def line(self) -> str:
        """Return both bounds, or what is built from the answer, and the nodes."""
        from solver.stipulations.kind import at_most

        if self._search.work:
            return f"{self._search.work}, {self._search.nodes:,} nodes"
        excluded = self._search.lower_bound - 1
        parts = [f"no mate in {at_most(excluded)}"] if excluded else []
        if best := self._search.best:
            parts.append(f"mate in {abs(best[0])} found")
        return ", ".join([*parts, f"{self._search.nodes:,} nodes"])

    def __enter__(self) -> Self:
        """Show the line later, so that a short search does not load rich."""
        self._starter.start()
        return self

    def __exit__(self, *_error: object) -> None:
        """Erase the line if it is shown."""
        self._ended.set()
        self._starter.join()
        super().__exit__()

    def _start_late(self) -> None:
        # A search without nodes has not begun: its code is still being compiled.
        while not self._ended.wait(PATIENCE_S):
            if self._search.nodes:
                super().__enter__()
                return


class AuditProgress(Progress):
    """Progress of an audit: counts by verdict, rate and time to go.

    Parameters
    ----------
    expected : callable
        Returns an estimate of how many records there are, or None.
    hidden : bool
        Only print notices.
    """

    def __init__(
        self, expected: Callable[[], int | None], *, hidden: bool = False
    ) -> None:
        super().__init__(self.line)
        self._expected = expected
        self._hidden = hidden
        self._marks = deque([(time.monotonic(), 0)])
        self._words: Counter[str] = Counter()
        self._ended = threading.Event()
        self._printer = threading.Thread(target=self._print_lines, daemon=True)

    def add(self, result: AuditResult) -> None:
        """Count one more result."""
        self._words[result.word] += 1

    def line(self) -> str:
        """Return how much is done and left, the rate, and the results by verdict."""
        done = self._words.total()
        rate = self._recent_rate(done)
        parts = [f"{done:,} done"]
        rates = [f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"]
        if (expected := self._expected()) is not None:
            left = max(expected - done, 0)
            parts.append(f"{left:,} left")
            if rate:
                rates.append(f"{_clock(left / rate)} to go")
        counts = [f"{count:,} {word}" for word, count in self._words.most_common()]
        return ", ".join(parts + rates) + (f": {', '.join(counts)}" if counts else "")

    def __enter__(self) -> Self:
        """Show the line on a terminal, or print it once a minute elsewhere."""
        if not self._hidden:
            if not console.is_terminal(sys.stderr):
                self._printer.start()
            super().__enter__()
        return self

    def __exit__(self, *_error: object) -> None:
        """Erase the line, or stop printing it."""
        self._ended.set()
        if self._printer.ident is not None:
            self._printer.join()
        super().__exit__()

    def _print_lines(self) -> None:
        while not self._ended.wait(EVERY_S):
            console.notify(self.line())

    def _recent_rate(self, done: int) -> float:
        """Return the results a second over the last `RECENT_S`."""
        now = time.monotonic()
        self._marks.append((now, done))
        while len(self._marks) > 2 and now - self._marks[1][0] > RECENT_S:
            self._marks.popleft()
        since, before = self._marks[0]
        return (done - before) / max(now - since, 1e-9)


class GamesProgress(Progress):
    """Progress of play: a bar of the games, and what they have come to.

    Parameters
    ----------
    games : int
        How many will be played.
    """

    def __init__(self, games: int) -> None:
        super().__init__(lambda: self._score, games)
        self._score = ""
        self._played = 0

    def show(self, played: int, score: str = "") -> None:
        """Move the bar to the games played so far, and show their score."""
        self._score = score
        self.advance(played - self._played)
        self._played = played


def position_progress(positions: Callable[[], int]) -> Progress:
    """Return the progress of reading: the positions so far, and how many a second."""
    started = time.monotonic()

    def line() -> str:
        read = positions()
        rate = read / max(time.monotonic() - started, 1e-9)
        return f"{read:,} positions, {rate:,.0f} a second"

    return Progress(line)


def time_progress(work: str) -> Progress:
    """Return the progress of work that cannot be measured: the time it has taken."""
    started = time.monotonic()
    return Progress(lambda: f"{work}, {time.monotonic() - started:.1f} s")


def _clock(seconds: float) -> str:
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}"
