"""What is built of an answer once it is printed, by the search that found it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from solver.background import run_stoppable
from solver.certificate import BuildingStoppedError, WorkspaceProver
from solver.cli.interrupt import interruptible
from solver.cli.progress import progress
from solver.control import Control

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.certificate import Prover
    from solver.solution import Solution
    from solver.workspace import Workspace

Built = TypeVar("Built")


def build_of_last(
    solution: Solution, workspace: Workspace, build: Callable[[Prover], Built]
) -> Built:
    """Build something of the last answer that was found in a workspace.

    Progress is shown, and Ctrl-C ends it.

    Parameters
    ----------
    solution : Solution
        The answer.
    workspace : Workspace
        Still holds what is proved of it.
    build : callable
        Is given who proves it again, in a thread of its own.

    Raises
    ------
    BuildingStoppedError
        Ctrl-C came, be it at the last moment.
    """
    control = Control()
    control.lower_bound = solution.lower_bound

    def work() -> Built:
        return build(resumed_prover(workspace, control))

    with interruptible(control), progress(control):
        built = run_stoppable(work, control)
    if control.reason:
        raise BuildingStoppedError
    return built


def resumed_prover(workspace: Workspace, control: Control) -> WorkspaceProver:
    """Let the search that has ended go on as a prover, which `control` can stop."""
    workspace.resume()
    control.attach(workspace.search)
    return WorkspaceProver(workspace)
