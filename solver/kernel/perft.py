"""Perft: the number of move sequences of a length, the measure of a move generator."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.jit import Number, boolean, i64, jit, search_t
from solver.kernel.movegen import count, generate
from solver.kernel.position import Position, make, position_t

NOTHING = np.int64(0)
LAST_PLY = np.int64(1)
NEAR_THE_LEAVES = np.int64(3)
"""So close to the leaves nobody asks whether to stop."""


@jit(i64(position_t, i64, search_t, boolean))
def perft(position: Position, depth: Number, search: Any, listed: bool) -> Number:
    """Count the leaves of the tree of legal moves.

    Parameters
    ----------
    position : Position
    depth : int64
        Plies, at least 1.
    search : Search
        Its rows are overwritten.
    listed : bool
        List the last ply's moves, as a search would, instead of only counting them.

    Returns
    -------
    int64
        The leaves; fewer when `search.stop` was set.
    """
    if depth == LAST_PLY and not listed:
        return count(position)
    if depth > NEAR_THE_LEAVES and search.stop:
        return NOTHING
    moves = search.rows[depth]
    size = generate(position, moves)
    if depth == LAST_PLY:
        return size
    leaves = NOTHING
    for index in range(size):
        child = make(position, moves[index])
        leaves += perft(child, depth - LAST_PLY, search, listed)
    return leaves
