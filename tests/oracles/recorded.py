"""The laboratory's search with its root window, recording the first cuts.

The oracle keeps every entry of its table. With the root window of laboratory.md, its
node counts on Glass's position are those of `matesolve table --mdp cpw --table-entries
2^22`, to the node.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.kernel.border.experiment import Mdp
from solver.laboratory.techniques import NodeCount, Techniques
from tests.oracles.scored import (
    INFINITY,
    MATE,
    Expected,
    Node,
    ScoredSearch,
)
from tests.oracles.scored_positions import from_whites_side

if TYPE_CHECKING:
    from collections.abc import Iterator

MARGIN = 50
WIDENING = 4
WIDEST = 2_000


class Frame(NamedTuple):
    """A node of the line to a cut.

    Attributes
    ----------
    move : str
        The move that leads to it, in SAN; empty at the root.
    fen : str
    ply, depth : int
    expected : str
        `PV`, `cut` or `all`.
    window : tuple of int
        Alpha and beta as the parent gives them.
    narrowed : tuple of int
        The same after mate-distance pruning.
    returned : int
        The score that the search of this node returns.
    """

    move: str
    fen: str
    ply: int
    depth: int
    expected: str
    window: tuple[int, int]
    narrowed: tuple[int, int]
    returned: int


class Position(chess.Board):
    """A position with White to move that keeps its moves and what they lead to."""

    def __init__(self, fen: str | None = chess.STARTING_FEN) -> None:
        super().__init__(fen)
        self.children: dict[chess.Move, Position] = {}
        self._listed: list[chess.Move] | None = None

    @property
    def legal_moves(self) -> list[chess.Move]:  # type: ignore[override]
        """All legal moves; the position must not change any more."""
        if self._listed is None:
            self._listed = list(super().legal_moves)
        return self._listed


@dataclass(slots=True)
class _Open:
    """A node that is being searched."""

    node: Node
    window: tuple[int, int]


@dataclass(slots=True)
class Cut:
    """A node that was cut, and the nodes above it."""

    line: list[_Open]
    nodes: int
    returned: dict[int, int] = field(default_factory=dict)


class Recorder(ScoredSearch):
    """The oracle's search, which remembers the first cut by each bound.

    Attributes
    ----------
    cuts : dict
        A `Cut` for `upper` and for `lower`.
    windows : list
        For each search of the root: its depth, alpha, beta and score.
    totals : list of int
        Nodes to the end of each iteration.
    """

    def __init__(self) -> None:
        super().__init__(Techniques(mdp=Mdp.CPW, aspiration=0))
        self.cuts: dict[str, Cut] = {}
        self.windows: list[tuple[int, int, int, int]] = []
        self.totals: list[int] = []
        self._open: list[_Open] = []
        self._positions: dict[str, Position] = {}

    def run(self, fen: str, depth: int) -> None:
        """Search depths 1 to `depth` within the root window."""
        root = self._intern(chess.Board(fen))
        score, margin, last = 0, 0, 0
        for self._iteration_depth in range(1, depth + 1):
            self._trees = dict.fromkeys(root.legal_moves, 0)
            for alpha, beta in windows(score, margin, self.windows):
                node = Node(root, alpha, beta, self._iteration_depth, 0, Expected.PV)
                last = self._search(node)
                self.windows.append((self._iteration_depth, alpha, beta, last))
            score, margin = last, MARGIN
            self.totals.append(self.counts[NodeCount.MOVES])

    def _intern(self, board: chess.Board) -> Position:
        flipped = from_whites_side(board)
        key = flipped.epd()
        if key not in self._positions:
            self._positions[key] = Position(flipped.fen())
        return self._positions[key]

    def _make(self, board: chess.Board, move: chess.Move) -> chess.Board:
        assert isinstance(board, Position)
        self.counts[NodeCount.MOVES] += 1
        child = board.children.get(move)
        if child is None:
            after = chess.Board(board.fen())
            after.push(move)
            child = board.children[move] = self._intern(after)
        return child

    def _search(self, node: Node) -> int:
        self._open.append(_Open(node, (node.alpha, node.beta)))
        score = super()._search(node)
        self._open.pop()
        for cut in self.cuts.values():
            for place, one in enumerate(cut.line):
                if one.node is node:
                    cut.returned[place] = score
        return score

    def _clip(self, node: Node) -> int | None:
        score = super()._clip(node)
        if score is not None:
            bound = "upper" if score == MATE - node.ply else "lower"
            if bound not in self.cuts:
                self.cuts[bound] = Cut(list(self._open), self.counts[NodeCount.MOVES])
        return score


def windows(
    centre: int, margin: int, searched: list[tuple[int, int, int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield the windows of an iteration until a score lies inside."""
    alpha, beta = _around(centre, margin)
    low = high = False
    while True:
        yield alpha, beta
        score = searched[-1][3]
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


def frames(cut: Cut, fen: str) -> list[Frame]:
    """Return the line to a cut, with moves and positions as they are on the board."""
    board = chess.Board(fen)
    line = []
    above: Node | None = None
    for place, one in enumerate(cut.line):
        move = ""
        if above is not None:
            assert isinstance(above.board, Position)
            (played,) = (
                move
                for move, child in above.board.children.items()
                if child is one.node.board
            )
            flip = 0 if board.turn == chess.WHITE else 56
            real = chess.Move(played.from_square ^ flip, played.to_square ^ flip)
            move = board.san(real)
            board.push(real)
        node = above = one.node
        expected = "PV" if node.expected is Expected.PV else node.expected.name.lower()
        line.append(
            Frame(
                move,
                board.fen(),
                node.ply,
                node.depth,
                expected,
                one.window,
                (node.alpha, node.beta),
                cut.returned[place],
            )
        )
    return line
