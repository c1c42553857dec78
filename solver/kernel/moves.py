"""A move in 17 bits: origin (6), target (6), and what arrives on the target (5).

What arrives is told as the boards that it stands in, so a queen is a diagonal and an
orthogonal slider, and a promotion is an arrival like any other. Castling is the king's
two-square move, a capture en passant a pawn's arrival on the en passant square; neither
needs a mark. No legal move is 0.
"""

from __future__ import annotations

import numpy as np

from solver.kernel.bitboards import SIX
from solver.kernel.jit import Move, Square, jit, u64

PAWN = np.uint64(1)
KNIGHT = np.uint64(2)
DIAGONAL = np.uint64(4)
ORTHOGONAL = np.uint64(8)
QUEEN = np.uint64(12)
KING = np.uint64(16)

NO_MOVE = np.uint64(0)
SQUARE_BITS = np.uint64(63)
ARRIVAL_SHIFT = np.uint64(12)
ARRIVAL_BITS = np.uint64(31)
MOVE_BITS = np.uint64((1 << 17) - 1)


@jit(u64(u64), inline=True)
def origin(move: Move) -> Square:
    """Where the man comes from."""
    return move & SQUARE_BITS


@jit(u64(u64), inline=True)
def target(move: Move) -> Square:
    """Where it goes."""
    return (move >> SIX) & SQUARE_BITS


@jit(u64(u64), inline=True)
def arrival(move: Move) -> Move:
    """The boards in which the man stands after the move."""
    return (move >> ARRIVAL_SHIFT) & ARRIVAL_BITS


@jit(u64(u64, u64, u64), inline=True)
def encode(start: Square, end: Square, kind: Move) -> Move:
    """Pack a move."""
    return start | (end << SIX) | (kind << ARRIVAL_SHIFT)


@jit(u64(u64), inline=True)
def without_origin(move: Move) -> Move:
    """What arrives, and where, whatever it came from; below ARRIVALS."""
    return move >> SIX
