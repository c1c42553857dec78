"""The laboratory's iterations in the oracle's terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.laboratory.search import Laboratory
from tests.oracles.scored import Iteration

if TYPE_CHECKING:
    import chess

    from solver.laboratory.techniques import Techniques

ENTRIES = 1 << 18
"""So many that no bucket is ever full: the oracle's table forgets nothing."""


def told(
    board: chess.Board, techniques: Techniques, depth: int, entries: int = ENTRIES
) -> list[Iteration]:
    """What the compiled search tells, one ply deep to `depth`."""
    return [
        Iteration(found.score, found.move, found.nodes, found.nodes_total)
        for found in Laboratory(entries).deepen(board, techniques, depth)
    ]
