"""Progress on stderr: a line that a terminal redraws and erases at the end.

Work that can be counted has a bar and shows how much is done; if all steps take about
as long, it also shows the time left and the rate. Without a terminal, an audit and a
node-count table print their line once a minute.
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

    from rich.console import RenderableType
    from rich.progress import Progress as RichProgress
    from rich.progress import Task

    from solver.audit.result import AuditResult
    from solver.search.threads import Control

PATIENCE_S = 1.0
"""A search that ends within this time shows no progress."""

EVERY_S = 60.0
"""How often progress is printed without a terminal, where it is."""

RECENT_S = 30.0
"""A rate covers this time, because stored results come faster than new ones."""

_REFRESHES_PER_S = 4

_BAR = 6
"""A bar takes this part of the terminal's width."""


class Progress:
    """Shows progress while a `with` block runs.

    Parameters
    ----------
    words : callable
        Returns what is said of the work; another thread calls this while it goes on.
    total : callable
        Returns how many steps there are; None: this is unknown, and there is no bar.

    Attributes
    ----------
    done : int
        How many steps are done.
    """

    def __init__(
        self,
        words: Callable[[], str] = lambda: "",
        total: Callable[[], int | None] = lambda: None,
    ) -> None:
        self._words = words
        self._total = total
        self._display: RichProgress | None = None
        self._marks = deque([(time.monotonic(), 0)])
        self.done = 0

    def __enter__(self) -> Self:
        """Show the line if stderr is a terminal."""
        if console.is_terminal(sys.stderr):
            display = self._make_display()
            display.add_task("")
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

    def line(self) -> str:
        """Return how much is done, and the text that describes it."""
        return ": ".join(filter(None, (self._counts(), self._words())))

    def _counts(self) -> str:
        total = self._total()
        return "" if total is None else f"{self.done:,}/{total:,}"

    def _make_display(self) -> RichProgress:
        from rich.progress import Progress as Display
        from rich.progress import ProgressColumn
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        shown_on = console.stderr_console()

        class Line(ProgressColumn):
            def render(_self, _task: Task) -> RenderableType:  # noqa: N805 -- self is outside
                text = Text(self.line(), "dim", no_wrap=True, overflow="ellipsis")
                total = self._total()
                if total is None:
                    return text
                bar = ProgressBar(max(total, 1), self.done, shown_on.width // _BAR)
                row = Table.grid(padding=(0, 1, 0, 0))
                row.add_row(bar, text)
                return row

        return Display(
            Line(),
            console=shown_on,
            transient=True,
            refresh_per_second=_REFRESHES_PER_S,
            redirect_stdout=False,
            redirect_stderr=False,
        )


class SearchProgress(Progress):
    """Progress of the search for one position, shown once it takes a while."""

    def __init__(self, search: Control) -> None:
        super().__init__(self._known)
        self._search = search
        self._ended = threading.Event()
        self._starter = threading.Thread(target=self._start_late, daemon=True)

    def _known(self) -> str:
        from solver.output.text import known_so_far

        return known_so_far(self._search)

    def __enter__(self) -> Self:
        """Show the line after a delay, so that a short search does not load rich."""
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


class TimedProgress(Progress):
    """Progress of steps that take about as long: a bar, the time left and the rate."""

    def _counts(self) -> str:
        done, total, rate = self.done, self._total(), self._recent_rate()
        parts = [f"{done:,} done" if total is None else f"{done:,}/{total:,}"]
        if total is not None and rate:
            parts.append(f"{_clock(max(total - done, 0) / rate)} left")
        parts.append(f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s")
        return ", ".join(parts)

    def _recent_rate(self) -> float:
        """Return the steps a second over the last `RECENT_S`."""
        now = time.monotonic()
        self._marks.append((now, self.done))
        while len(self._marks) > 2 and now - self._marks[1][0] > RECENT_S:
            self._marks.popleft()
        since, before = self._marks[0]
        return (self.done - before) / max(now - since, 1e-9)


class PrintedProgress(Progress):
    """Progress that is printed once a minute where there is no terminal."""

    def __init__(
        self,
        words: Callable[[], str] = lambda: "",
        total: Callable[[], int | None] = lambda: None,
    ) -> None:
        super().__init__(words, total)
        self._ended = threading.Event()
        self._printer = threading.Thread(target=self._print_lines, daemon=True)

    def __enter__(self) -> Self:
        """Show the line on a terminal, or print it once a minute elsewhere."""
        if not console.is_terminal(sys.stderr):
            self._printer.start()
        return super().__enter__()

    def __exit__(self, *_error: object) -> None:
        """Erase the line, or stop printing it."""
        self._ended.set()
        if self._printer.ident is not None:
            self._printer.join()
        super().__exit__()

    def _print_lines(self) -> None:
        while not self._ended.wait(EVERY_S):
            console.notify(self.line())


class AuditProgress(PrintedProgress, TimedProgress):
    """Progress of an audit, with counts by verdict.

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
        super().__init__(self._verdicts, expected)
        self._hidden = hidden
        self._counted: Counter[str] = Counter()

    def add(self, result: AuditResult) -> None:
        """Count one more result."""
        self._counted[result.word] += 1
        self.done += 1

    def __enter__(self) -> Self:
        """Show the line, if it is not hidden."""
        return self if self._hidden else super().__enter__()

    def _verdicts(self) -> str:
        counts = self._counted.most_common()
        return ", ".join(f"{count:,} {word}" for word, count in counts)


def time_progress(work: str) -> Progress:
    """Return the progress of work that cannot be measured: the time taken so far."""
    started = time.monotonic()
    return Progress(lambda: f"{work}, {time.monotonic() - started:.1f} s")


def _clock(seconds: float) -> str:
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}"
