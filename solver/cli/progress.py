"""A line on the terminal while a long search runs."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter, deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from solver.cli import console as streams
from solver.cli.console import is_terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console
    from rich.progress import Progress, Task, TaskID

    from solver.audit.result import AuditResult


# How far an audit is: a line on a terminal's stderr, else one a minute.

EVERY_S = 60.0
"""How often the progress is told where nobody watches a terminal."""

RECENT_S = 30.0
"""The rate is that of so many seconds: what a store answers is no measure of what is
left."""


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

    def advance(self, result: AuditResult) -> None:
        """Hear of one more finding."""
        self._words[result.word] += 1

    def notify(self, message: str) -> None:
        """Hear a line of notice or error."""
        if self._console:
            self._console.print(message, soft_wrap=True)
        else:
            streams.notify(message)

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

    def notify() -> None:
        while not ended.wait(EVERY_S):
            streams.notify(watch.line())

    teller = threading.Thread(target=notify, daemon=True)
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


# How far an experiment is, on stderr where people watch it.


class Counting(Protocol):
    """What is read of an experiment while it runs."""

    @property
    def nodes(self) -> int:
        """Nodes of the search that runs, so far."""


class Gauge(Protocol):
    """Whoever waits for an experiment."""

    def show(self, what: str) -> None:
        """Hear what is searched now."""

    def advance(self) -> None:
        """Hear of one more step done."""


class _Nobody:
    """Shows nothing."""

    def show(self, what: str) -> None:
        pass

    def advance(self) -> None:
        pass


class _Bar:
    """Shows a bar of the steps, behind what is searched now."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def show(self, what: str) -> None:
        self._progress.update(self._task, description=what)

    def advance(self) -> None:
        self._progress.advance(self._task)


@contextmanager
def gauge(experiment: Counting, steps: int) -> Iterator[Gauge]:
    """Show progress on stderr while an experiment runs, and erase it at its end.

    Off a terminal nothing is shown.

    Parameters
    ----------
    experiment : Counting
        Whose nodes to show.
    steps : int
        How often it will be told to advance.

    Yields
    ------
    Gauge
    """
    if not is_terminal(sys.stderr):
        yield _Nobody()
        return

    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
    )
    from rich.text import Text

    from solver.cli.console import stderr_console

    class Nodes(ProgressColumn):
        """The count as it is when the line is drawn."""

        def render(self, task: Task) -> Text:  # noqa: ARG002
            return Text(f"{experiment.nodes:,} nodes", style="dim")

    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        Nodes(),
        console=stderr_console(),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as progress:
        yield _Bar(progress, progress.add_task("", total=steps))


# How far a count of positions is, on stderr where people watch it.


class RecordCount(Protocol):
    """What is read of a count while it runs."""

    @property
    def positions(self) -> int:
        """Counted so far."""


@contextmanager
def show_count(count: RecordCount) -> Iterator[Callable[[str], None]]:
    """Show positions and their rate while the block runs, and erase them at its end.

    Yields
    ------
    callable
        Tells a line of notice or error, above what is shown. Off a terminal, that is
        all that is told.
    """
    if not streams.is_terminal(sys.stderr):
        yield streams.notify
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
