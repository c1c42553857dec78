"""Workspaces with little memory for tests of the search, and what their tables have."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import numpy as np

from solver.board import pack_board
from solver.kernel.border.interface import NO_LIMIT, TableBounds
from solver.search import queries
from solver.search.workspaces import BUCKET_BYTES, MIB, Workspace
from solver.solution import Stats

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest
    from numpy.typing import NDArray

    from solver.kernel.border.query_struct import Query
    from solver.kernel.border.search_struct import Search
    from solver.search.queries import Question
    from solver.solution import Solution

NOTHING = TableBounds(0, None, 0)
"""The bounds of a position that the table does not have."""

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


def workspace_of(first_bits: int, most_bits: int) -> Workspace:
    """Return a workspace that begins with 2^first_bits buckets and gets 2^most_bits."""
    workspace = Workspace(hash_mib=max(1, (2 * BUCKET_BYTES << most_bits) // MIB))
    workspace.search.first_bits = first_bits
    workspace.search.most_buckets = 1 << most_bits
    return workspace


def table_of(search: Search) -> NDArray[np.uint64]:
    """Return the table by half, bucket, entry and word; writing to it changes it."""
    words = ctypes.c_uint64 * (2 * search.most_buckets * BUCKET_BYTES // 8)
    table = np.frombuffer(words.from_address(search.table), np.uint64)
    return table.reshape(2, search.most_buckets, 4, 2)


def fill(workspace: Workspace, buckets: int, boards: Iterable[chess.Board]) -> None:
    """Search positions as one problem, in a table of so many buckets of each kind."""
    workspace.begin(None)
    search = workspace.search
    search.buckets, search.grow_at = buckets, NO_LIMIT
    search.used_buckets = max(search.used_buckets, buckets)
    for board in boards:
        for decide in (workspace.search_dfpn, workspace.prove):
            with workspace.budget(3000):
                decide(pack_board(board), 5, attacking=True)


def known(workspace: Workspace, boards: Iterable[chess.Board]) -> list[TableBounds]:
    """Return what the table has of positions and of those after their moves."""
    found = []
    for board in boards:
        for move in [None, *board.legal_moves]:
            after = board.copy(stack=False)
            if move:
                after.push(move)
            position, attacking = pack_board(after), move is None
            bounds = workspace.kernel.bounds
            found.append(bounds(position, workspace.search, attacking=attacking))
    return found
