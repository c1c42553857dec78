"""The scored search's transposition table: scores per position, bounded in size.

Layout: buckets of four entries, an entry two words. The first word is the position's
key, the second packs, from its low bits: score (16, from `LOWEST` on), depth (8), bound
(2), move (17). A zeroed table is empty. Mate scores are stored as seen from the entry's
own position, so that they hold at any distance from the root.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.kernel.bitboards import EIGHT, ONE, RANK_6, SIX, TWO, ZERO
from solver.kernel.interface import MATE_ZONE
from solver.kernel.jit import (
    ROW,
    Bitboard,
    Move,
    Number,
    boolean,
    i64,
    jit,
    search_t,
    types,
    u64,
    void,
)
from solver.kernel.ordering import WORTH_SHIFT
from solver.kernel.position import (
    DIAGONAL,
    KNIGHT,
    MOVE_BITS,
    ORTHOGONAL,
    PAWN,
    Position,
    arrival,
    origin,
    position_t,
    target,
)
from solver.kernel.transposition import (
    BUCKET_WORDS,
    ENTRY_WORDS,
    TABLE,
    Address,
    address_t,
)

# The order of moves in the scored search, and which moves are quiet.
#
# The table's move; captures and promotions by what they win, then by who wins it;
# killers; the rest by history. Equal worths are told apart by the moves' words, so that
# the order, and with it every node count, is a matter of definition.

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


NO_ENTRY = np.int64(0)
EXACT = np.int64(1)
LOWER = np.int64(2)
UPPER = np.int64(3)

LOWEST = np.int64(-(1 << 15))
MATE_FROM = np.int64(MATE_ZONE)
SCORE_BITS = np.uint64(0xFFFF)
DEPTH_SHIFT = np.uint64(16)
DEPTH_BITS = np.uint64(0xFF)
BOUND_SHIFT = np.uint64(24)
BOUND_BITS = np.uint64(3)
MOVE_SHIFT = np.uint64(26)


class Scored(NamedTuple):
    """What an entry tells: a score as the root sees it, how deep, which bound."""

    score: Number
    depth: Number
    bound: Number
    move: Move


scored_t = types.NamedTuple((i64, i64, i64, u64), Scored)


@jit(i64(i64, i64), inline=True)
def seen_from_node(score: Number, ply: Number) -> Number:
    """Count a mate's distance from the position instead of from the root."""
    if score >= MATE_FROM:
        return score + ply
    if score <= -MATE_FROM:
        return score - ply
    return score


@jit(i64(i64, i64), inline=True)
def seen_from_root(score: Number, ply: Number) -> Number:
    """Undo `seen_from_node`, perhaps at another distance from the root."""
    if score >= MATE_FROM:
        return score - ply
    if score <= -MATE_FROM:
        return score + ply
    return score


@jit(scored_t(TABLE, search_t, address_t, i64), inline=True)
def probe_score(table: Any, search: Any, where: Address, ply: Number) -> Scored:
    """Read an entry; its bound is NO_ENTRY if there is none."""
    if search.buckets:
        start = (where.place & (search.buckets - ONE)) * BUCKET_WORDS
        for slot in range(4):
            entry = start + np.uint64(slot) * ENTRY_WORDS
            data = table[entry + ONE]
            if table[entry] == where.key and data:
                return Scored(
                    seen_from_root(np.int64(data & SCORE_BITS) + LOWEST, ply),
                    np.int64((data >> DEPTH_SHIFT) & DEPTH_BITS),
                    np.int64((data >> BOUND_SHIFT) & BOUND_BITS),
                    (data >> MOVE_SHIFT) & MOVE_BITS,
                )
    return Scored(NO_ENTRY, NO_ENTRY, NO_ENTRY, ZERO)


@jit(boolean(scored_t, i64, i64), inline=True)
def decides(entry: Scored, alpha: Number, beta: Number) -> bool:
    """Whether an entry's score says all that a window asks for."""
    return (
        entry.bound == EXACT
        or (entry.bound == LOWER and entry.score >= beta)
        or (entry.bound == UPPER and entry.score <= alpha)
    )


@jit(void(TABLE, search_t, address_t, scored_t, i64))
def store_score(
    table: Any, search: Any, where: Address, entry: Scored, ply: Number
) -> None:
    """Write an entry, in the place of the same position or of the least depth."""
    if not search.buckets:
        return
    start = (where.place & (search.buckets - ONE)) * BUCKET_WORDS
    chosen = start
    least = DEPTH_BITS + ONE
    for slot in range(4):
        other = start + np.uint64(slot) * ENTRY_WORDS
        data = table[other + ONE]
        if table[other] == where.key or not data:
            chosen = other
            break
        depth = (data >> DEPTH_SHIFT) & DEPTH_BITS
        if depth < least:
            least = depth
            chosen = other
    table[chosen] = where.key
    table[chosen + ONE] = (
        np.uint64(seen_from_node(entry.score, ply) - LOWEST)
        | (np.uint64(entry.depth) << DEPTH_SHIFT)
        | (np.uint64(entry.bound) << BOUND_SHIFT)
        | (entry.move << MOVE_SHIFT)
    )
