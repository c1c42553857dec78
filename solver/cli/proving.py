"""What is built of an answer once it is printed, while Ctrl-C is heard."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from solver.background import run_stoppable
from solver.certificate import BuildingStoppedError
from solver.cli.interrupt import interruptible
from solver.cli.progress import progress
from solver.search.threads import Control

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.solution import Solution

Built = TypeVar("Built")


def build_of(solution: Solution, build: Callable[[Control], Built]) -> Built:
    """Build something of an answer, with its progress shown, until Ctrl-C ends it.

    Parameters
    ----------
    solution : Solution
        The answer.
    build : callable
        Runs in a thread of its own. What it is given is to take charge of the search.

    Raises
    ------
    BuildingStoppedError
        Ctrl-C came, be it at the last moment.
    """
    control = Control()
    control.lower_bound = solution.lower_bound
    with interruptible(control), progress(control):
        built = run_stoppable(lambda: build(control), control)
    if control.reason:
        raise BuildingStoppedError
    return built
