"""The laboratory's search with its root window, recording every node."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from solver.laboratory.techniques import NodeCount
from tests.oracles.scored import (
    INFINITY,
    MATE_ZONE,
    Expected,
    Node,
    ScoredSearch,
    from_whites_side,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import chess

    from solver.laboratory.techniques import Techniques

MARGIN = 50
WIDENING = 4
WIDEST = 2_000


class Recorded(NamedTuple):
    """A node, with its windows as given and as narrowed."""

    ply: int
    depth: int
    kind: str
    alpha: int
    beta: int
    low: int
    high: int
    score: int


class Recorder(ScoredSearch):
    """The oracle's search, which remembers the nodes of the last iteration.

    `totals` are the moves made to the end of each iteration.
    """

    def __init__(self, techniques: Techniques) -> None:
        super().__init__(techniques)
        self.nodes: list[Recorded] = []
        self.totals: list[int] = []

    def run(self, board: chess.Board, depth: int) -> None:
        """Search depths 1 to `depth` within the root window."""
        root = from_whites_side(board)
        score, margin = 0, 0
        for self._iteration_depth in range(1, depth + 1):
            self.nodes.clear()
            self._trees = dict.fromkeys(root.legal_moves, 0)
            returned: list[int] = []
            for alpha, beta in windows(score, margin, returned):
                node = Node(root, alpha, beta, self._iteration_depth, 0, Expected.PV)
                returned.append(self._search(node))
            score = returned[-1]
            margin = 0 if abs(score) >= MATE_ZONE else MARGIN
            self.totals.append(self.counts[NodeCount.MOVES])

    def _search(self, node: Node) -> int:
        place = len(self.nodes)
        given = node.alpha, node.beta
        kind = node.expected.name.lower()
        self.nodes.append(Recorded(node.ply, node.depth, kind, *given, *given, 0))
        score = super()._search(node)
        self.nodes[place] = self.nodes[place]._replace(
            low=node.alpha, high=node.beta, score=score
        )
        return score


def windows(centre: int, margin: int, returned: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the windows of an iteration until a score lies inside."""
    alpha, beta = _around(centre, margin)
    low = high = False
    while True:
        yield alpha, beta
        score = returned[-1]
        if alpha < score < beta:
            return
        low |= score <= alpha
        high |= score >= beta
        margin *= WIDENING
        while 0 < margin <= min(abs(score - centre), WIDEST):
            margin *= WIDENING
        alpha, beta = _around(centre, 0 if low and high else margin)
        if low and not high:
            beta = score + 1
        elif high and not low:
            alpha = score - 1


def _around(centre: int, margin: int) -> tuple[int, int]:
    if 0 < margin <= WIDEST:
        return centre - margin, centre + margin
    return -INFINITY, INFINITY
