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
from solver.kernel.jit import (
    Bitboard,
    Move,
    Number,
    boolean,
    fold_product,
    i64,
    jit,
    named_words,
    pointer,
    prefetch,
    search_t,
    types,
    u64,
    void,
)
from solver.kernel.position import MOVE_BITS, Position, position_t

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


# Proof numbers between two visits of a node, kept in a table of fixed size.
#
# An entry guides the search and proves nothing: what is proved stands in the bounds
# of `solver.kernel.transposition`. So a lost entry, or one that another position
# overwrote, costs time and no truth. Numbers hold for one question, "mate in n?", and
# the key names the position and n.
#
# Layout: as the bounds, buckets of four entries of two words, in the same memory
# behind them. The first word is the key but for its low 6 bits, which tell the
# effort: how many bits the number of nodes takes that were spent. The second packs,
# from its low bits: generation (24), delta (20), phi (20).


class Numbers(NamedTuple):
    """What it takes at least, in leaves, to settle a node, seen by the side to move.

    `phi` leaves must go its way for it to succeed, `delta` against it for it to fail.
    At an attacker node phi is the proof number and delta the disproof number, at a
    defender node the other way round. 0 is success or failure proved, and the other
    number is then `INFINITE`; a sum that grows too large stays below, at `MOST`.
    """

    phi: Bitboard
    delta: Bitboard


numbers_t = named_words(Numbers)

INFINITE = np.uint64((1 << 30) - 1)
MOST = np.uint64((1 << 30) - 2)

NUMBER_BITS = np.uint64((1 << 20) - 1)
PHI_SHIFT = np.uint64(44)
DELTA_SHIFT = np.uint64(24)
GENERATION_BITS = np.uint64((1 << 24) - 1)
PROOF_EFFORT_BITS = np.uint64(63)
KEY_BITS = ~PROOF_EFFORT_BITS
MIX_MOVES = np.uint64(0x9E3779B97F4A7C15)
"""An odd word without pattern: the fractional part of the golden ratio."""
MIX_SHIFT = np.uint64(20)


@jit(address_t(search_t, address_t, i64), inline=True)
def _question(search: Any, where: Address, moves_left: Number) -> Address:
    """The key of a position with a number of moves, and the first word of its place."""
    mixed = np.uint64(moves_left) * MIX_MOVES
    bucket = (where.place ^ (mixed >> MIX_SHIFT)) & (search.proof_buckets - ONE)
    return Address(
        (where.key ^ mixed) & KEY_BITS, (search.proofs_from + bucket) * BUCKET_WORDS
    )


@jit(numbers_t(TABLE, search_t, address_t, i64), inline=True)
def probe_numbers(
    table: Any, search: Any, where: Address, moves_left: Number
) -> Numbers:
    """Read a node's numbers; both 0 when there are none, for none that is kept is 0."""
    question = _question(search, where, moves_left)
    for slot in range(4):
        entry = question.place + np.uint64(slot) * ENTRY_WORDS
        if table[entry] & KEY_BITS == question.key:
            data = table[entry + ONE]
            if data & GENERATION_BITS == search.generation:
                return Numbers(data >> PHI_SHIFT, (data >> DELTA_SHIFT) & NUMBER_BITS)
    return Numbers(ZERO, ZERO)


@jit(void(TABLE, search_t, address_t, i64, numbers_t, i64))
def store_numbers(
    table: Any,
    search: Any,
    where: Address,
    moves_left: Number,
    numbers: Numbers,
    nodes: Number,
) -> None:
    """Write a node's numbers, in the place of its own or of the least effort.

    `nodes` is what they cost. Neither number is 0.
    """
    question = _question(search, where, moves_left)
    chosen = question.place
    least = PROOF_EFFORT_BITS + ONE + ONE
    for slot in range(4):
        entry = question.place + np.uint64(slot) * ENTRY_WORDS
        if table[entry + ONE] & GENERATION_BITS != search.generation:
            worth = ZERO
        elif table[entry] & KEY_BITS == question.key:
            chosen = entry
            break
        else:
            worth = ONE + (table[entry] & PROOF_EFFORT_BITS)
        if worth < least:
            least = worth
            chosen = entry
    effort = ZERO
    while nodes:
        effort += ONE
        nodes >>= np.int64(1)
    table[chosen] = question.key | effort
    table[chosen + ONE] = (
        (min(numbers.phi, NUMBER_BITS) << PHI_SHIFT)
        | (min(numbers.delta, NUMBER_BITS) << DELTA_SHIFT)
        | search.generation
    )


@jit(void(TABLE, search_t, address_t, i64), inline=True)
def prefetch_node(table: Any, search: Any, where: Address, moves_left: Number) -> None:
    """Ask for the cache lines of a node's bounds and numbers."""
    prefetch_bounds(table, search, where)
    prefetch(table, _question(search, where, moves_left).place)
