"""The certificate of what a workspace has just answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.certificate.certification import certify
from solver.certificate.prover import WorkspaceProver

if TYPE_CHECKING:
    from solver.certificate.certification import Certification
    from solver.control import Control
    from solver.solution import Solution
    from solver.workspace import Workspace


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
