"""Perft: the number of move sequences of a length, the measure of a move generator."""

from __future__ import annotations

import numpy as np
from numba import types

from solver.kernel.jit import Number, boolean, i64, jit
from solver.kernel.movegen import count, generate
from solver.kernel.position import Position, make, position_t

ROWS = types.Array(types.uint64, 2, "C")
"""Rows of moves, one a ply; shape (at least depth, MAX_LEGAL_MOVES)."""

LAST_PLY = np.int64(1)
NOTHING = np.int64(0)


@jit(i64(position_t, i64, ROWS, boolean))
def perft(position: Position, depth: Number, rows: np.ndarray, listed: bool) -> Number:
    """Count the leaves of the tree of legal moves.

    Parameters
    ----------
    position : Position
    depth : int64
        Plies, at least 1.
    rows : uint64 array, shape (depth, MAX_LEGAL_MOVES)
        Overwritten.
    listed : bool
        List the last ply's moves, as a search would, instead of only counting them.
    """
    if depth == LAST_PLY and not listed:
        return count(position)
    moves = rows[depth - LAST_PLY]
    size = generate(position, moves)
    if depth == LAST_PLY:
        return size
    leaves = NOTHING
    for index in range(size):
        child = make(position, moves[index])
        leaves += perft(child, depth - LAST_PLY, rows, listed)
    return leaves
