"""The laboratory's search beside the oracle: iterations, positions, mixtures.

The iterations of both have the oracle's type.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import chess

from solver.kernel.border.scored_struct import (
    Extension,
    Horizon,
    Mdp,
    PrunedNodes,
    RootOrder,
)
from solver.laboratory.iterative_deepening import Laboratory
from solver.laboratory.techniques import ADDITIONS, NodeCount, Techniques
from tests.oracles.scored import Iteration, ScoredSearch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tests.oracles.scored import Counts

ENTRIES = 1 << 18
"""Enough that no bucket is ever full, because the oracle's table is unbounded."""

PLAIN = Techniques(aspiration=0)
SOUND = [replace(PLAIN, mdp=mdp) for mdp in Mdp]
EXTENSIONS = [
    Extension.CHECKS,
    Extension.CAPTURING_CHECKS,
    Extension.PROMOTIONS,
    Extension.CHECKS | Extension.UNCAPPED,
    Extension.CHECKS | Extension.PROMOTIONS,
    Extension.CHECKS | Extension.PROMOTIONS | Extension.UNCAPPED,
    Extension.CAPTURING_CHECKS | Extension.PROMOTIONS,
]
EXTENDED = [replace(PLAIN, extension=extension) for extension in EXTENSIONS]


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


def defined(
    board: chess.Board,
    techniques: Techniques,
    depth: int,
    budget: int,
    *,
    table: bool,
    counts: Mapping[str, Counts] | None = None,
) -> Iterator[Iteration]:
    """Yield the oracle's iterations up to the first one over the budget of nodes."""
    search = ScoredSearch(techniques, table=table, counts=counts)
    for found in search.deepen(board, depth):
        yield found
        if found.nodes_total > budget:
            return


def narrow_endings(count: int, seed: int) -> Iterator[chess.Board]:
    """Yield endgames of a few pawns and knights, which have few moves."""
    random = Random(seed)
    while count:
        kings = [chess.Piece(chess.KING, color) for color in chess.COLORS]
        others = [
            chess.Piece(random.choice((chess.PAWN, chess.PAWN, chess.KNIGHT)), color)
            for color in random.choices(chess.COLORS, k=random.randint(1, 3))
        ]
        pieces = kings + others
        squares = random.sample(chess.SQUARES, len(pieces))
        board = chess.Board(None)
        board.set_piece_map(dict(zip(squares, pieces, strict=True)))
        board.turn = random.choice(chess.COLORS)
        if board.is_valid() and board.legal_moves.count() <= 8:
            count -= 1
            yield board


def mixtures(seed: int) -> Iterator[tuple[Techniques, bool]]:
    """Yield endless combinations of all switches, and whether there is a table."""
    random = Random(seed)
    powers = [0, 1, 2, 3]
    while True:
        additions = frozenset(k for k in sorted(ADDITIONS) if random.random() < 0.5)
        nodes = random.choice([*PrunedNodes, PrunedNodes.CUT_AND_ALL])
        prunes = nodes is not PrunedNodes.NONE
        techniques = Techniques(
            aspiration=0,
            mdp=random.choice(list(Mdp)),
            extension=random.choice([Extension.NONE, *EXTENSIONS]),
            pruned_nodes=nodes,
            additions=additions if prunes else frozenset(),
            null_reduction=random.choice(powers),
            cuts=random.choice(powers),
            tries=random.randint(1, 8),
            horizon=random.choice([Horizon.STATIC, *Horizon]),
            root_order=random.choice([RootOrder.SEARCH, *RootOrder]),
            count=random.choice(list(NodeCount)),
        )
        yield techniques, random.random() < 0.7


def agree(
    questions: Iterable[tuple[chess.Board, tuple[Techniques, bool]]],
    depth: int,
    budget: int,
) -> None:
    """Require the oracle's scores, moves and node counts in every iteration."""
    for board, (techniques, table) in questions:
        expected = list(defined(board, techniques, depth, budget, table=table))
        found = deepen(board, techniques, len(expected), ENTRIES if table else 0)
        assert found == expected, f"{board.fen()}: {techniques}, table: {table}"
