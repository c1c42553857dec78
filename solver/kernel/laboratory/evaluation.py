"""The evaluation of the laboratory's search: material, advanced pawns, a bare king.

It knows just enough to prefer promoting a pawn and driving a bare king to the edge. All
scores are in centipawns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.kernel.build.jit import (
    Bitboard,
    Number,
    Square,
    first_square,
    flip,
    i64,
    jit,
    population,
    types,
    u64,
)
from solver.kernel.rules.bitboards import EIGHT, ONE, SEVEN, ZERO
from solver.kernel.rules.position import Position, position_t

PAWN_WORTH = 100
KNIGHT_WORTH = 320
BISHOP_WORTH = 330
ROOK_WORTH = 500
QUEEN_WORTH = 900
PAWN_STEP = 3
EDGE = 10
CLOSENESS = 4
FARTHEST = 14
LOW_CENTRE = 3
HIGH_CENTRE = 4

RANK_MASKS = tuple(np.uint64(0xFF << 8 * rank) for rank in range(8))


class Pieces(NamedTuple):
    """How many pieces of each kind a side has, without the king."""

    pawns: Number
    knights: Number
    bishops: Number
    rooks: Number
    queens: Number


pieces_t = types.NamedUniTuple(i64, 5, Pieces)


@jit(pieces_t(position_t, u64), inline=True)
def count_pieces(position: Position, side: Bitboard) -> Pieces:
    """Count the pieces of one side by kind."""
    queens = position.diagonal & position.orthogonal & side
    return Pieces(
        population(position.pawns & side),
        population(position.knights & side),
        population(position.diagonal & side & ~queens),
        population(position.orthogonal & side & ~queens),
        population(queens),
    )


@jit(i64(pieces_t, pieces_t), inline=True)
def material_balance(ours: Pieces, theirs: Pieces) -> Number:
    """Return our material less theirs."""
    return (
        PAWN_WORTH * (ours.pawns - theirs.pawns)
        + KNIGHT_WORTH * (ours.knights - theirs.knights)
        + BISHOP_WORTH * (ours.bishops - theirs.bishops)
        + ROOK_WORTH * (ours.rooks - theirs.rooks)
        + QUEEN_WORTH * (ours.queens - theirs.queens)
    )


@jit(i64(u64), inline=True)
def pawn_progress(pawns: Bitboard) -> Number:
    """Return the worth of the ranks that pawns moving up have gained."""
    steps = 0
    for rank in range(2, 7):
        steps += (rank - 1) * population(pawns & RANK_MASKS[rank])
    return PAWN_STEP * steps


@jit(i64(u64), inline=True)
def _off_centre(line: Square) -> Number:
    """Return the distance of a file or rank from the two central ones."""
    place = np.int64(line)
    return max(LOW_CENTRE - place, place - HIGH_CENTRE)


@jit(i64(u64, u64), inline=True)
def drive(lone: Square, king: Square) -> Number:
    """Return the worth of a bare king near the edge and of the other king near it."""
    edge = _off_centre(lone & SEVEN) + _off_centre(lone // EIGHT)
    files = abs(np.int64(lone & SEVEN) - np.int64(king & SEVEN))
    ranks = abs(np.int64(lone // EIGHT) - np.int64(king // EIGHT))
    return EDGE * edge + CLOSENESS * (FARTHEST - files - ranks)


@jit(i64(position_t))
def evaluate(position: Position) -> Number:
    """Evaluate a position for the side to move."""
    we_have_more = position.us & (position.us - ONE) != ZERO
    they_have_more = position.them & (position.them - ONE) != ZERO
    score = material_balance(
        count_pieces(position, position.us), count_pieces(position, position.them)
    )
    score += pawn_progress(position.pawns & position.us)
    score -= pawn_progress(flip(position.pawns & position.them))
    king = first_square(position.kings & position.us)
    other = first_square(position.kings & position.them)
    if we_have_more and not they_have_more:
        score += drive(other, king)
    elif they_have_more and not we_have_more:
        score -= drive(king, other)
    return score
