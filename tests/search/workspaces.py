"""Workspaces with almost no memory, for tests of the search."""

from __future__ import annotations

from solver.search.workspace import Workspace


def tiny() -> Workspace:
    """Make a workspace that remembers four bounds and four pairs of proof numbers."""
    workspace = Workspace(hash_mib=1)
    shrink(workspace)
    return workspace


def shrink(workspace: Workspace) -> None:
    """Leave a workspace one bucket of bounds and one of proof numbers."""
    workspace._buckets = 1
    workspace.search.proofs_from = workspace.search.proof_buckets = 1
