"""Proof numbers between two visits of a node, kept in a table of fixed size.

An entry guides the search and proves nothing: what is proved stands in the bounds of
`solver.kernel.transposition`. So a lost entry, or one that another position overwrote,
costs time and no truth. Numbers hold for one question, "mate in n?", and the key names the
position and n.

Layout: as the bounds, buckets of four entries of two words, in the same memory behind
them. The first word is the key but for its low 6 bits, which tell the effort: how many
bits the number of nodes takes that were spent. The second packs, from its low bits:
generation (24), delta (20), phi (20).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.kernel.bitboards import ONE, ZERO
from solver.kernel.intrinsics import prefetch
from solver.kernel.jit import (
    Bitboard,
    Number,
    i64,
    jit,
    named_words,
    search_t,
    void,
)
from solver.kernel.transposition import (
    BUCKET_WORDS,
    ENTRY_WORDS,
    TABLE,
    Address,
    address_t,
    prefetch_bounds,
)


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
EFFORT_BITS = np.uint64(63)
KEY_BITS = ~EFFORT_BITS
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
    least = EFFORT_BITS + ONE + ONE
    for slot in range(4):
        entry = question.place + np.uint64(slot) * ENTRY_WORDS
        if table[entry + ONE] & GENERATION_BITS != search.generation:
            worth = ZERO
        elif table[entry] & KEY_BITS == question.key:
            chosen = entry
            break
        else:
            worth = ONE + (table[entry] & EFFORT_BITS)
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
