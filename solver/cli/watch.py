"""How far an audit is, on stderr where people watch it."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from solver.cli import streams
from solver.formats.lines import count_records, open_collection

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.progress import Progress, TaskID


class Watch(Protocol):
    """Whoever waits for an audit."""

    def advance(self) -> None:
        """Hear of one more result."""

    def tell(self, message: str) -> None:
        """Hear a line of notice or error."""


class _Nobody:
    """Shows no progress; messages go to stderr as they are."""

    def advance(self) -> None:
        pass

    def tell(self, message: str) -> None:
        streams.tell(message)


class _Bar:
    """Shows a bar, and messages above it."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def advance(self) -> None:
        self._progress.advance(self._task)

    def tell(self, message: str) -> None:
        self._progress.console.print(message, soft_wrap=True)


@contextmanager
def watch(files: Sequence[str], *, hidden: bool) -> Iterator[Watch]:
    """Show a progress bar on stderr while the audit runs, and erase it at its end.

    Parameters
    ----------
    files : sequence of str
        What is audited. Where all of it are regular files their records are counted
        beforehand, so that the bar tells the time that is left.
    hidden : bool
        Show nothing, as is done off a terminal in any case.

    Yields
    ------
    Watch
        To be told of each result.
    """
    if hidden or not streams.is_terminal(sys.stderr):
        yield _Nobody()
        return

    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TimeRemainingColumn,
    )

    from solver.cli.console import stderr_console

    with Progress(
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=stderr_console(),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as progress:
        yield _Bar(progress, progress.add_task("", total=_count(files)))


def _count(files: Sequence[str]) -> int | None:
    if not all(Path(file).is_file() for file in files):
        return None
    total = 0
    for file in files:
        try:
            with open_collection(file) as stream:
                total += count_records(stream)
        except OSError:
            return None  # the audit itself will meet the fault and tell it
    return total
