"""The scored search's transposition table: scores per position, bounded in size.

Layout: buckets of four entries, an entry two words. The first word is the position's
key, the second packs, from its low bits: score (16, from `LOWEST` on), depth (8), bound
(2), move (17). A zeroed table is empty. Mate scores are stored as seen from the entry's
own position, so that they hold at any distance from the root.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.kernel.bitboards import ONE, ZERO
from solver.kernel.interface import MATE_ZONE
from solver.kernel.jit import (
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
from solver.kernel.moves import MOVE_BITS
from solver.kernel.transposition import (
    BUCKET_WORDS,
    ENTRY_WORDS,
    TABLE,
    Address,
    address_t,
)

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
