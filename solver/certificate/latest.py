"""The certificate of what a workspace has just answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.certificate.build import certify
from solver.certificate.prover import WorkspaceProver

if TYPE_CHECKING:
    from solver.certificate.build import Certification
    from solver.search.threads import Control
    from solver.search.workspace import Workspace
    from solver.solution import Solution


def certify_last(
    solution: Solution, workspace: Workspace, control: Control
) -> Certification:
    """Build what can be built of the last answer that was found in a workspace.

    Raises
    ------
    BuildingStoppedError
        `control` stopped it.
    """
    workspace.resume()
    control.attach(workspace.search)
    return certify(solution, WorkspaceProver(workspace))
