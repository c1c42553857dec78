"""How far an experiment is, on stderr where people watch it."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from solver.cli.streams import is_terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress, Task, TaskID


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
