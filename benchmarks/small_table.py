"""How a small transposition table makes mate-distance pruning cost nodes.

With 2^15 entries, iteration 15 on Glass's position searches the root three times, and
only the second search has a window that ends at a mate score. This repeats iteration 15
with the pruning in some of the three searches, and with the history of another run.
docs/explanation/laboratory-glass.md explains the counts.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.board import pack_board
from solver.kernel.border.interface import NO_LIMIT
from solver.kernel.border.parts import LABORATORY
from solver.kernel.border.scored_struct import Experiment, Mdp
from solver.kernel.border.search_struct import Search
from solver.kernel.build.loader import load_part
from solver.laboratory.node_counts import GLASS_FEN
from solver.search.workspaces import BUCKET_BYTES
from tests.oracles.recorded import MARGIN, windows

if TYPE_CHECKING:
    from collections.abc import Collection

BUCKETS = (1 << 15) // 4
DEPTH = 15
LAST = 3
"""The number of the search that finds the principal variation."""


class Iteration(NamedTuple):
    """Iteration 15.

    Attributes
    ----------
    searched : list of tuple of int
        For each search of the root: depth, alpha, beta and score.
    nodes : list of int
        For each search of the root.
    history : bytes
        The history of the move order before the last search.
    """

    searched: list[tuple[int, int, int, int]]
    nodes: list[int]
    history: bytes


def iterate(pruned: Collection[int], history: bytes | None = None) -> Iteration:
    """Search iterations 1 to 15, and return the last.

    Parameters
    ----------
    pruned : collection of int
        The searches of iteration 15 that use mate-distance pruning, from 1. Before
        iteration 15 it would change nothing.
    history : bytes, optional
        Replaces the history before the last search.
    """
    kernel = load_part(LABORATORY).kernel
    position = pack_board(chess.Board(GLASS_FEN))
    memory = ctypes.create_string_buffer(BUCKETS * BUCKET_BYTES)
    search = Search(buckets=BUCKETS, table=ctypes.addressof(memory))
    search.node_limit = NO_LIMIT
    experiment = Experiment()
    searched: list[tuple[int, int, int, int]] = []
    nodes: list[int] = []
    before = b""
    score, margin = 0, 0
    for experiment.depth in range(1, DEPTH + 1):
        searched, nodes = [], []
        scores: list[int] = []
        for window in windows(score, margin, scores):
            number = len(searched) + 1
            is_pruned = experiment.depth == DEPTH and number in pruned
            experiment.mdp = Mdp.CPW if is_pruned else Mdp.OFF
            if experiment.depth == DEPTH and number == LAST:
                before = bytes(search.history)
                if history:
                    ctypes.memmove(search.history, history, len(history))
            spent = search.nodes
            experiment.alpha, experiment.beta = window
            kernel.search_score(position, search, experiment)
            searched.append((experiment.depth, *window, experiment.score))
            scores.append(experiment.score)
            nodes.append(search.nodes - spent)
        score, margin = experiment.score, MARGIN
    return Iteration(searched, nodes, before)
