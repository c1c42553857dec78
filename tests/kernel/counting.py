"""Iterations of the laboratory's search, in the oracle's type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.laboratory.search import Laboratory
from tests.oracles.scored import Iteration

if TYPE_CHECKING:
    import chess

    from solver.laboratory.techniques import Techniques

ENTRIES = 1 << 18
"""Enough that no bucket is ever full, because the oracle's table is unbounded."""


def deepen(
    board: chess.Board, techniques: Techniques, depth: int, entries: int = ENTRIES
) -> list[Iteration]:
    """Return what the compiled search finds at depths 1 to `depth`."""
    return deepen_in(Laboratory(entries), board, techniques, depth)


def deepen_in(
    laboratory: Laboratory, board: chess.Board, techniques: Techniques, depth: int
) -> list[Iteration]:
    """Return the same of a laboratory that may have searched before."""
    return [
        Iteration(found.score, found.move, found.nodes, found.nodes_total)
        for found in laboratory.deepen(board, techniques, depth)
    ]
