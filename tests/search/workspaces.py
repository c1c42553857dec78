"""Workspaces with almost no memory, for tests of the search."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import chess

from solver.search import queries
from solver.search.workspaces import Workspace
from solver.solution import Stats

if TYPE_CHECKING:
    import pytest

    from solver.kernel.border.query_struct import Query
    from solver.search.queries import Question
    from solver.solution import Solution

MATES_IN_FIVE = Path(__file__).parents[2] / "puzzles" / "generated-5.epd"


def tiny() -> Workspace:
    """Make a workspace that remembers four bounds and four pairs of proof numbers."""
    workspace = Workspace(hash_mib=1)
    shrink(workspace)
    return workspace


def shrink(workspace: Workspace) -> None:
    """Leave a workspace one bucket of bounds and one of proof numbers."""
    workspace.search.first_bits, workspace.search.most_buckets = 0, 1


def set_first_budget(monkeypatch: pytest.MonkeyPatch, nodes: int) -> None:
    """Let each search begin with this budget, so that easy problems take many turns."""
    ask = queries.ask

    def ask_impatiently(query: Query, question: Question) -> None:
        ask(query, question)
        query.first_budget = nodes

    monkeypatch.setattr(queries, "ask", ask_impatiently)


def untimed(solution: Solution) -> Solution:
    return replace(solution, stats=Stats(solution.stats.nodes))


def mates_in_five(count: int) -> list[chess.Board]:
    lines = MATES_IN_FIVE.read_text(encoding="utf-8").splitlines()
    fens = [line.split(" dm ")[0] for line in lines if not line.startswith("#")]
    return [chess.Board(f"{fen} 0 1") for fen in fens[:count]]
