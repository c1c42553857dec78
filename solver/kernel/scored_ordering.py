"""The order of moves in the scored search, and which moves are quiet.

The table's move; captures and promotions by what they win, then by who wins it;
killers; the rest by history. Equal worths are told apart by the moves' words, so that
the order, and with it every node count, is a matter of definition.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.bitboards import EIGHT, ONE, RANK_6, SIX, TWO, ZERO
from solver.kernel.jit import (
    ROW,
    Bitboard,
    Move,
    Number,
    boolean,
    i64,
    jit,
    search_t,
    u64,
    void,
)
from solver.kernel.moves import (
    DIAGONAL,
    KNIGHT,
    ORTHOGONAL,
    PAWN,
    arrival,
    origin,
    target,
)
from solver.kernel.ordering import WORTH_SHIFT
from solver.kernel.position import Position, position_t

THREE = np.uint64(3)
FOUR = np.uint64(4)
FIVE = np.uint64(5)

TABLE_MOVE = np.uint64(1 << 30)
GAIN = np.uint64(1 << 29)
SECOND_KILLER = np.uint64(1 << 28)
KILLER = SECOND_KILLER + ONE
MOST_HISTORY = SECOND_KILLER - ONE


@jit(u64(position_t, u64), inline=True)
def man_on(position: Position, square: Bitboard) -> Bitboard:
    """Rank the man on a square: pawn 1, knight, bishop, rook, queen 5, king 6."""
    if position.pawns & square:
        return ONE
    if position.knights & square:
        return TWO
    if position.diagonal & square:
        return FIVE if position.orthogonal & square else THREE
    if position.orthogonal & square:
        return FOUR
    return SIX if position.kings & square else ZERO


@jit(u64(u64), inline=True)
def man_arriving(kind: Move) -> Bitboard:
    """Rank what a pawn becomes."""
    if kind & KNIGHT:
        return TWO
    if kind & DIAGONAL:
        return FIVE if kind & ORTHOGONAL else THREE
    return FOUR


@jit(boolean(position_t, u64), inline=True)
def promotes(position: Position, move: Move) -> bool:
    """Whether a pawn becomes another man."""
    return (
        position.pawns & (ONE << origin(move)) != ZERO and arrival(move) & PAWN == ZERO
    )


@jit(boolean(position_t, u64), inline=True)
def captures(position: Position, move: Move) -> bool:
    """Whether a man is taken, in passing or not."""
    arrived = ONE << target(move)
    in_passing = arrival(move) & PAWN and arrived & position.rights & RANK_6
    return position.them & arrived != ZERO or in_passing != ZERO


@jit(u64(position_t, u64, i64, u64, search_t), inline=True)
def worth(
    position: Position, move: Move, ply: Number, known: Move, search: Any
) -> Bitboard:
    """What a move is worth trying early."""
    if move == known:
        return TABLE_MOVE
    taking = captures(position, move)
    promoting = promotes(position, move)
    if taking or promoting:
        gain = ZERO
        if taking:
            victim = man_on(position, ONE << target(move))
            gain += EIGHT * max(victim, ONE)  # en passant takes a pawn elsewhere
        if promoting:
            gain += EIGHT * man_arriving(arrival(move))
        return GAIN + gain + SIX - man_on(position, ONE << origin(move))
    if move == search.killers[ply, 0]:
        return KILLER
    if move == search.killers[ply, 1]:
        return SECOND_KILLER
    return min(np.uint64(search.history[move]), MOST_HISTORY)


@jit(void(position_t, ROW, i64, i64, u64, search_t))
def rank_moves(
    position: Position,
    moves: np.ndarray,
    size: Number,
    ply: Number,
    known: Move,
    search: Any,
) -> None:
    """Write each move's worth above it, for `bring_best`."""
    for index in range(size):
        move = moves[index]
        moves[index] = move | (worth(position, move, ply, known, search) << WORTH_SHIFT)
