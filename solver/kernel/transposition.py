"""What is proved of a position: bounds on its mate, kept in a table of fixed size.

An entry bounds one position, not one query: `no_mate` moves are proved not to suffice,
`mate` moves are proved to. So it answers any query up to the first and any from the
second on. Entries never lie; what is lost to the table's size is only speed.

Layout: buckets of four entries, an entry two words, a bucket one cache line. The second
word packs, from its low bits: no_mate (8), mate (8), move (17), effort (7), generation
(24); the first is the position's key xored with it. A generation is one problem:
entries of another count as empty, so that the node counts of a problem do not depend on
what was solved before it. A zeroed table is empty, and generations count from 1.

Threads may share a table: where the two words of an entry come from different writers,
their xor is no key that is looked for.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.kernel.bitboards import ONE, TWO, ZERO
from solver.kernel.interface import NO_BOUND
from solver.kernel.intrinsics import fold_product, prefetch
from solver.kernel.jit import (
    Bitboard,
    Move,
    Number,
    boolean,
    i64,
    jit,
    named_words,
    pointer,
    search_t,
    types,
    u64,
    void,
)
from solver.kernel.moves import MOVE_BITS
from solver.kernel.position import Position, position_t

UNKNOWN = np.int64(NO_BOUND)
"""An upper bound that says nothing."""

TABLE = pointer(u64)
"""The table's words: 8 for each of `Search.buckets` buckets."""

BUCKET_WORDS = np.uint64(8)
ENTRY_WORDS = np.uint64(2)
BYTE = np.uint64(255)
MATE_SHIFT = np.uint64(8)
MOVE_SHIFT = np.uint64(16)
EFFORT_SHIFT = np.uint64(33)
EFFORT_BITS = np.uint64(127)
GENERATION_SHIFT = np.uint64(40)

# Odd words without pattern: the fractional parts of the square roots of 2, 3, 5, ...
MIXERS = tuple(
    np.uint64(word)
    for word in (
        0x6A09E667F3BCC909,
        0xBB67AE8584CAA73B,
        0x3C6EF372FE94F82B,
        0xA54FF53A5F1D36F1,
        0x510E527FADE682D1,
        0x9B05688C2B3E6C1F,
        0x1F83D9ABFB41BD6B,
        0x5BE0CD19137E2179,
    )
)
(
    MIX_PAWNS,
    MIX_KNIGHTS,
    MIX_DIAGONAL,
    MIX_ORTHOGONAL,
    MIX_KINGS,
    MIX_US,
    MIX_THEM,
    MIX_RIGHTS,
) = MIXERS
DEFENDER = np.uint64(0xCBBB9D5DC1059ED9)


class Address(NamedTuple):
    """Where a position's entry is looked for, and the key that must stand there."""

    key: Bitboard
    place: Bitboard


class Bounds(NamedTuple):
    """What an entry tells: two bounds in moves and the move that was best."""

    no_mate: Number
    mate: Number
    move: Move


address_t = named_words(Address)
bounds_t = types.NamedTuple((i64, i64, u64), Bounds)


@jit(address_t(position_t, boolean))
def address(position: Position, attacking: bool) -> Address:
    """Hash a position; the same men mean another thing when the defender moves.

    Key and place are two functions of all eight words. A false hit needs the 64 bits
    of the key and the bits of the place to agree.
    """
    men = fold_product(
        position.pawns ^ MIX_PAWNS, position.knights ^ MIX_KNIGHTS
    ) + fold_product(
        position.diagonal ^ MIX_DIAGONAL, position.orthogonal ^ MIX_ORTHOGONAL
    )
    sides = fold_product(position.us ^ MIX_US, position.them ^ MIX_THEM) + fold_product(
        position.kings ^ MIX_KINGS, position.rights ^ MIX_RIGHTS
    )
    if not attacking:
        sides ^= DEFENDER
    return Address(fold_product(men ^ MIX_US, sides ^ MIX_PAWNS), men ^ sides)


@jit(void(TABLE, search_t, address_t), inline=True)
def prefetch_bounds(table: Any, search: Any, where: Address) -> None:
    """Ask for the cache line of a position's bounds before it is needed."""
    prefetch(table, (where.place & (search.buckets - ONE)) * BUCKET_WORDS)


@jit(bounds_t(TABLE, search_t, address_t), inline=True)
def probe(table: Any, search: Any, where: Address) -> Bounds:
    """Read what is proved of a position; bounds that say nothing, if nothing is."""
    start = (where.place & (search.buckets - ONE)) * BUCKET_WORDS
    for slot in range(4):
        entry = start + np.uint64(slot) * ENTRY_WORDS
        data = table[entry + ONE]
        is_ours = data >> GENERATION_SHIFT == search.generation
        if table[entry] ^ data == where.key and is_ours:
            return Bounds(
                np.int64(data & BYTE),
                np.int64((data >> MATE_SHIFT) & BYTE),
                (data >> MOVE_SHIFT) & MOVE_BITS,
            )
    return Bounds(np.int64(0), UNKNOWN, ZERO)


@jit(void(TABLE, search_t, address_t, bounds_t, i64))
def store(
    table: Any, search: Any, where: Address, bounds: Bounds, effort: Number
) -> None:
    """Write bounds, in the place of the same position or of the least effort.

    `effort` (0 to 127) grows with what it cost to prove them.
    """
    start = (where.place & (search.buckets - ONE)) * BUCKET_WORDS
    chosen = start
    least = EFFORT_BITS + TWO
    for slot in range(4):
        entry = start + np.uint64(slot) * ENTRY_WORDS
        data = table[entry + ONE]
        if data >> GENERATION_SHIFT != search.generation:
            worth = ZERO
        elif table[entry] ^ data == where.key:
            chosen = entry
            break
        else:
            worth = ONE + ((data >> EFFORT_SHIFT) & EFFORT_BITS)
        if worth < least:
            least = worth
            chosen = entry
    packed = (
        np.uint64(bounds.no_mate)
        | (np.uint64(bounds.mate) << MATE_SHIFT)
        | (bounds.move << MOVE_SHIFT)
        | ((np.uint64(effort) & EFFORT_BITS) << EFFORT_SHIFT)
        | (search.generation << GENERATION_SHIFT)
    )
    table[chosen] = where.key ^ packed
    table[chosen + ONE] = packed
