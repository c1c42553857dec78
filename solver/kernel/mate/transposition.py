"""What a search remembers: the transposition table, and the log of its nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.kernel.border import interface, search_struct
from solver.kernel.build.jit import (
    fold_product,
    inlined,
    jit,
    logged_node_at,
    prefetch,
    words_at,
)
from solver.kernel.build.words import LOGGED_NODE_BYTES, Bitboard, Move, Number, Search
from solver.kernel.rules import bitboards

# --------------------------------------------------------------------------------------
# The log of a search: the nodes in the order in which they were entered.
#
# `matesolve trace` shows it. A search without a log pays one comparison a node, and
# searches the same nodes with a log.

NOT_LOGGED = -1
"""The entry of a node that is not in the log."""

OPEN = search_struct.LogEnd.OPEN.value
MATE_DISTANCE = search_struct.LogEnd.MATE_DISTANCE.value


@inlined
def enter_node(
    search: Search,
    ply: Number,
    move: Move,
    depth: Number,
    kind: Number,
    given: tuple[Number, Number],
    own: tuple[Number, Number],
) -> Number:
    """Log a node; the arguments are fields of `LoggedNode`.

    Returns
    -------
    int64
        Its entry, for `leave_node`; NOT_LOGGED if there is no log or it is full.
    """
    entry: Number = search.log_size
    if entry >= search.log_room:
        return NOT_LOGGED
    search.log_size = entry + 1
    node = logged_node_at(search.log + np.uint64(entry * LOGGED_NODE_BYTES))
    node.ply = ply
    node.move = move
    node.depth = depth
    node.kind = kind
    node.nodes = search.nodes
    node.given[0] = given[0]
    node.given[1] = given[1]
    node.own[0] = own[0]
    node.own[1] = own[1]
    node.score = 0
    node.end = OPEN
    node.cuts = search.log_cuts
    return entry


@inlined
def leave_node(search: Search, entry: Number, end: Number, score: Number) -> Number:
    """Log why and with which score the search of a node ended; return the score."""
    if entry != NOT_LOGGED:
        node = logged_node_at(search.log + np.uint64(entry * LOGGED_NODE_BYTES))
        node.score = score
        node.end = end
        if end == MATE_DISTANCE:
            search.log_cuts += 1
        if search.log_only_cuts and node.cuts == search.log_cuts:
            search.log_size = entry + 1
    return score


@inlined
def leave_numbers(
    search: Search, entry: Number, end: Number, numbers: tuple[Number, Number]
) -> None:
    """Log with which numbers the df-pn search left a node."""
    if entry != NOT_LOGGED:
        node = logged_node_at(search.log + np.uint64(entry * LOGGED_NODE_BYTES))
        node.own[0] = numbers[0]
        node.own[1] = numbers[1]
        node.end = end


# --------------------------------------------------------------------------------------
# The transposition table: hash keys, bounds on mates, and proof numbers.
#
# The table has two halves. The first holds *bounds*: what is proved of a position. A
# bound belongs to the position and not to the question that found it: `no_mate` moves
# are proved not to suffice, and `mate` moves are proved to suffice. So one entry
# answers every question up to `no_mate` and from `mate` on. Replacing an entry costs
# time and never makes an answer wrong.
#
# The second half holds the *proof numbers* of nodes of the df-pn search between two
# visits. They hold for one question, "mate in n?", so their key combines the position
# and n, or the position and a group of neighbouring n (`Search.shared_lengths`). They
# guide the search and prove nothing.
#
# Layout: a bucket is one cache line of four entries, an entry is two 64-bit words.
#
# ========  ========================================================================
# bounds    word 0: the key's check word xor word 1
#           word 1, from bit 0: no_mate (8), mate (8), move (17), effort (7), stamp (24)
# numbers   word 0: the key's check word; its low 6 bits are the effort, which is the
#           bit length of the number of nodes that the numbers took
#           word 1, from bit 0: delta (20), phi (20), stamp (24)
# stamp     from bit 0: the generation (12), the tag (12)
# ========  ========================================================================
#
# A generation is one problem. Entries of another generation count as empty, so the node
# count of a problem does not depend on earlier problems. A zeroed table is empty, and
# generations count from 1.
#
# A search begins with few buckets, which fit the CPU's caches, and doubles them as it
# becomes longer: memory costs time only when it is used. No entry is lost, because its
# *tag* has the bits of its bucket's index that a larger table needs.
#
# Threads may share a table without locks, as long as it does not grow. If two threads
# write one entry of bounds at the same time and their words mix, the xor of the words
# matches no key (Hyatt and Mann, "A lock-less transposition table implementation for
# parallel search chess engines", ICGA Journal 25, 2002).

BUCKET_WORDS = np.uint64(8)
ENTRY_WORDS = np.uint64(2)
ENTRIES = 4
"""Entries of a bucket."""


# Hash keys

# Odd numbers without a pattern: fractional parts of the square roots of primes.
MIX_PAWNS = np.uint64(0x6A09E667F3BCC909)
MIX_KNIGHTS = np.uint64(0xBB67AE8584CAA73B)
MIX_DIAGONAL = np.uint64(0x3C6EF372FE94F82B)
MIX_ORTHOGONAL = np.uint64(0xA54FF53A5F1D36F1)
MIX_KINGS = np.uint64(0x510E527FADE682D1)
MIX_US = np.uint64(0x9B05688C2B3E6C1F)
MIX_THEM = np.uint64(0x1F83D9ABFB41BD6B)
MIX_RIGHTS = np.uint64(0x5BE0CD19137E2179)
MIX_DEFENDER = np.uint64(0xCBBB9D5DC1059ED9)


class HashKey(NamedTuple):
    """Two hash words of a position: `bucket` chooses the bucket, `check` the entry.

    A false hit requires that all 64 bits of `check` and the bucket's bits of `bucket`
    agree.
    """

    check: Bitboard
    bucket: Bitboard


BUCKET_BITS = np.uint64((1 << 25) - 1)
"""What entries of the smallest table have of `HashKey.bucket`: index and tag."""


@inlined
def complete_key(check: Bitboard, bucket: Bitboard) -> HashKey:
    """Return a key of 89 bits: beyond BUCKET_BITS, `bucket` has bits of `check`."""
    return HashKey(check, check ^ ((check ^ bucket) & BUCKET_BITS))


@jit
def hash_key(position: bitboards.Position, attacking: bool) -> HashKey:
    """Hash all eight words of a position and whether the attacker is to move.

    The words are multiplied in pairs and the halves of each 128-bit product folded, as
    in wyhash (Wang Yi). That is fast enough to hash from scratch at every node.
    """
    pieces = fold_product(
        position.pawns ^ MIX_PAWNS, position.knights ^ MIX_KNIGHTS
    ) + fold_product(
        position.diagonal ^ MIX_DIAGONAL, position.orthogonal ^ MIX_ORTHOGONAL
    )
    sides = fold_product(position.us ^ MIX_US, position.them ^ MIX_THEM) + fold_product(
        position.kings ^ MIX_KINGS, position.rights ^ MIX_RIGHTS
    )
    if not attacking:
        sides ^= MIX_DEFENDER
    check = fold_product(pieces ^ MIX_US, sides ^ MIX_PAWNS)
    return complete_key(check, pieces ^ sides)


# Size and stamps

NODES_PER_BUCKET = 16
NODES_PER_LARGE_BUCKET = 64
LARGE_BUCKETS = np.uint64(1 << 17)
"""A search with this many nodes for each bucket of bounds gets twice as many buckets.
From 16 MiB on it waits longer: lost entries then cost less than memory."""

LAST_GENERATION = np.uint64((1 << 12) - 1)
GENERATION_BITS = np.uint64((1 << 12) - 1)
TAG_SHIFT = np.uint64(12)
TAG_BITS = np.uint64(((1 << 12) - 1) << 12)
STAMP_SHIFT = np.uint64(40)
POLL_MASK = np.uint64((1 << 16) - 1)
"""While it grows, the table checks after this many buckets (20 ms at most) whether the
search is to stop."""


@inlined
def _stamp(search: Search, key: HashKey) -> Bitboard:
    """Return the stamp of an entry with this key."""
    tag = (key.bucket >> search.first_bits) << TAG_SHIFT
    return (tag & TAG_BITS) | search.generation


@inlined
def _is_current(search: Search, data: Bitboard) -> bool:
    """Return whether the second word of an entry is one of this problem."""
    return (data >> STAMP_SHIFT) & GENERATION_BITS == search.generation


@jit
def spread(search: Search, half: Bitboard, buckets: Bitboard) -> bool:
    """Move the entries of a half, which begins at this bucket, among more buckets.

    A new bucket gets entries of one old bucket only, so an entry keeps its slot.
    Returns False if the search was stopped.
    """
    table = words_at(search.table)
    for number in range(np.int64(search.buckets)):
        bucket = np.uint64(number)
        if not bucket & POLL_MASK and search.stop > search.patience:
            return False
        for slot in range(ENTRIES):
            place = np.uint64(slot) * ENTRY_WORDS
            entry = (half + bucket) * BUCKET_WORDS + place
            data = table[entry + bitboards.ONE]
            if not _is_current(search, data):
                continue
            tag = (data >> STAMP_SHIFT) >> TAG_SHIFT
            index = bucket | (tag << search.first_bits)
            moved = (half + (index & (buckets - bitboards.ONE))) * BUCKET_WORDS + place
            if moved != entry:
                table[moved] = table[entry]
                table[moved + bitboards.ONE] = data
                table[entry + bitboards.ONE] = bitboards.ZERO
    return True


@inlined
def grow_later(search: Search) -> None:
    """Set the number of nodes at which the table grows."""
    nodes = NODES_PER_BUCKET
    if search.buckets >= LARGE_BUCKETS:
        nodes = NODES_PER_LARGE_BUCKET
    search.grow_at = np.int64(search.buckets) * nodes


@jit
def grow(search: Search, buckets: Bitboard) -> None:
    """Continue with more buckets of each kind, as far as there is memory.

    No entry is lost, unless the search is stopped meanwhile: then the table keeps its
    size, and the entries that have moved are lost. No other thread may use the table.

    Parameters
    ----------
    search : Search
    buckets : uint64
        A power of two.
    """
    buckets = min(buckets, search.most_buckets)
    search.grow_at = interface.NO_LIMIT
    if search.buckets >= buckets:
        return
    search.used_buckets = max(search.used_buckets, buckets)
    is_moved = spread(search, bitboards.ZERO, buckets)
    if is_moved and spread(search, search.most_buckets, buckets):
        search.buckets = buckets
    if search.buckets < search.most_buckets:
        grow_later(search)


@jit
def clear(search: Search) -> None:
    """Write zeros wherever a search may have written, and count generations anew."""
    table = words_at(search.table)
    for half in (bitboards.ZERO, search.most_buckets):
        start = np.int64(half * BUCKET_WORDS)
        for word in range(start, start + np.int64(search.used_buckets * BUCKET_WORDS)):
            table[word] = bitboards.ZERO
    search.generation = bitboards.ZERO
    search.used_buckets = bitboards.ZERO


@jit
def empty_table(search: Search) -> None:
    """Make the table empty and as small as a search begins with."""
    if search.generation >= LAST_GENERATION:
        clear(search)
    search.generation += bitboards.ONE
    search.buckets = bitboards.ONE << search.first_bits
    search.used_buckets = max(search.used_buckets, search.buckets)
    grow_later(search)


# Bounds


class Bounds(NamedTuple):
    """What is proved about a position: two bounds in moves, and the best move.

    The move is the attacker's mating move or the defender's refutation; NO_MOVE if
    neither is known.
    """

    no_mate: Number
    mate: Number
    move: Move


UNKNOWN = np.int64(interface.NO_BOUND)
"""The `mate` of a position with no known mate."""

NO_BOUNDS = Bounds(np.int64(0), UNKNOWN, bitboards.NO_MOVE)

BYTE = np.uint64(255)
MATE_SHIFT = np.uint64(8)
MOVE_SHIFT = np.uint64(16)
EFFORT_SHIFT = np.uint64(33)
EFFORT_BITS = np.uint64(127)


@inlined
def _bounds_bucket(search: Search, key: HashKey) -> Bitboard:
    """Return the index of the first word of the key's bucket."""
    return (key.bucket & (search.buckets - bitboards.ONE)) * BUCKET_WORDS


@inlined
def prefetch_bounds(search: Search, key: HashKey) -> None:
    """Start loading the cache line of a position's bounds."""
    prefetch(words_at(search.table), _bounds_bucket(search, key))


@inlined
def _unpacked(data: Bitboard) -> Bounds:
    """Return the bounds in the second word of an entry."""
    return Bounds(
        np.int64(data & BYTE),
        np.int64((data >> MATE_SHIFT) & BYTE),
        (data >> MOVE_SHIFT) & bitboards.MOVE_BITS,
    )


@inlined
def probe(search: Search, key: HashKey) -> Bounds:
    """Return the bounds of a position, or NO_BOUNDS if none are stored."""
    table = words_at(search.table)
    start = _bounds_bucket(search, key)
    stamp = _stamp(search, key)
    for slot in range(ENTRIES):
        entry = start + np.uint64(slot) * ENTRY_WORDS
        data = table[entry + bitboards.ONE]
        if table[entry] ^ data == key.check and data >> STAMP_SHIFT == stamp:
            return _unpacked(data)
    return NO_BOUNDS


@jit
def store(search: Search, key: HashKey, bounds: Bounds, effort: Number) -> None:
    """Store the bounds of a position, after the table has grown if that is due.

    They replace the entry of the same position, else an empty entry, else the entry
    of the least effort.

    Parameters
    ----------
    search : Search
    key : HashKey
    bounds : Bounds
        Each bound at most 255 moves.
    effort : int64
        0 to 127; grows with the cost of proving the bounds.
    """
    if search.nodes >= search.grow_at:
        grow(search, search.buckets << bitboards.ONE)
    table = words_at(search.table)
    start = _bounds_bucket(search, key)
    stamp = _stamp(search, key)
    chosen = start
    least = EFFORT_BITS + bitboards.TWO
    for slot in range(ENTRIES):
        entry = start + np.uint64(slot) * ENTRY_WORDS
        data = table[entry + bitboards.ONE]
        if not _is_current(search, data):
            worth = bitboards.ZERO
        elif table[entry] ^ data == key.check and data >> STAMP_SHIFT == stamp:
            chosen = entry
            break
        else:
            worth = bitboards.ONE + ((data >> EFFORT_SHIFT) & EFFORT_BITS)
        if worth < least:
            least = worth
            chosen = entry
    packed = (
        np.uint64(bounds.no_mate)
        | (np.uint64(bounds.mate) << MATE_SHIFT)
        | (bounds.move << MOVE_SHIFT)
        | ((np.uint64(effort) & EFFORT_BITS) << EFFORT_SHIFT)
        | (stamp << STAMP_SHIFT)
    )
    table[chosen] = key.check ^ packed
    table[chosen + bitboards.ONE] = packed


# Proof numbers


class Numbers(NamedTuple):
    """Proof numbers seen by the side to move (Nagai's phi and delta).

    At least `phi` leaves must be won for the side to move to succeed, and at least
    `delta` must be lost for it to fail. At an attacker node phi is the proof number and
    delta the disproof number; at a defender node it is the other way round. A number of
    0 is a proof, and the other number is then INFINITE. A sum that grows too large
    stops at MOST, because a saturated number proves nothing.
    """

    phi: Bitboard
    delta: Bitboard


INFINITE = np.uint64((1 << 30) - 1)
MOST = np.uint64((1 << 30) - 2)
NO_NUMBERS = Numbers(bitboards.ZERO, bitboards.ZERO)
"""No entry is stored, or the search was stopped; no node has these numbers."""

NUMBER_BITS = np.uint64((1 << 20) - 1)
PHI_SHIFT = np.uint64(20)
PROOF_EFFORT_BITS = np.uint64(63)
CHECK_BITS = ~PROOF_EFFORT_BITS
MIX_MOVES = np.uint64(0x9E3779B97F4A7C15)
"""The fractional part of the golden ratio, made odd."""
MIX_SHIFT = np.uint64(20)
GROUP_BITS = np.uint64(8)


NUMBER_BUCKET_BITS = np.uint64((1 << 24) - 1)
"""What there is room for, beside exported numbers; see `complete_key`."""


@inlined
def _number_key(check: Bitboard, bucket: Bitboard) -> HashKey:
    return HashKey(check, check ^ ((check ^ bucket) & NUMBER_BUCKET_BITS))


@inlined
def _numbers_key(search: Search, key: HashKey, moves_left: Number) -> HashKey:
    """Return the key of a position and n.

    `Search.shared_lengths` says which n have the same key: none but n, or n and its
    neighbours.
    """
    shared = search.shared_lengths
    group = (
        np.uint64(moves_left) + (bitboards.ONE << shared) - bitboards.ONE
    ) >> shared
    mixed = (group | (shared << GROUP_BITS)) * MIX_MOVES
    check, bucket = key.check ^ mixed, key.bucket ^ (mixed >> MIX_SHIFT)
    return _number_key(check & CHECK_BITS, bucket)


@inlined
def _numbers_bucket(search: Search, key: HashKey) -> Bitboard:
    """Return the index of the first word of the bucket of a `_numbers_key`."""
    bucket = key.bucket & (search.buckets - bitboards.ONE)
    return (search.most_buckets + bucket) * BUCKET_WORDS


@inlined
def prefetch_node(search: Search, key: HashKey, moves_left: Number) -> None:
    """Start loading the cache lines of a node's bounds and proof numbers."""
    prefetch_bounds(search, key)
    numbers_key = _numbers_key(search, key, moves_left)
    prefetch(words_at(search.table), _numbers_bucket(search, numbers_key))


@inlined
def probe_numbers(search: Search, key: HashKey, moves_left: Number) -> Numbers:
    """Return a node's proof numbers, or NO_NUMBERS if none are stored."""
    table = words_at(search.table)
    numbers_key = _numbers_key(search, key, moves_left)
    start = _numbers_bucket(search, numbers_key)
    stamp = _stamp(search, numbers_key)
    for slot in range(ENTRIES):
        entry = start + np.uint64(slot) * ENTRY_WORDS
        if table[entry] & CHECK_BITS == numbers_key.check:
            data = table[entry + bitboards.ONE]
            if data >> STAMP_SHIFT == stamp:
                return Numbers((data >> PHI_SHIFT) & NUMBER_BITS, data & NUMBER_BITS)
    return NO_NUMBERS


@jit
def _put_numbers(
    search: Search, key: HashKey, numbers: Numbers, effort: Bitboard
) -> None:
    """Store numbers by their `_numbers_key`; see `store_numbers`."""
    table = words_at(search.table)
    start = _numbers_bucket(search, key)
    stamp = _stamp(search, key)
    chosen = start
    least = PROOF_EFFORT_BITS + bitboards.TWO
    for slot in range(ENTRIES):
        entry = start + np.uint64(slot) * ENTRY_WORDS
        data = table[entry + bitboards.ONE]
        if not _is_current(search, data):
            worth = bitboards.ZERO
        elif table[entry] & CHECK_BITS == key.check and data >> STAMP_SHIFT == stamp:
            chosen = entry
            break
        else:
            worth = bitboards.ONE + (table[entry] & PROOF_EFFORT_BITS)
        if worth < least:
            least = worth
            chosen = entry
    if not effort and least > bitboards.ONE:
        return
    table[chosen] = key.check | effort
    table[chosen + bitboards.ONE] = (
        min(numbers.delta, NUMBER_BITS)
        | (min(numbers.phi, NUMBER_BITS) << PHI_SHIFT)
        | (stamp << STAMP_SHIFT)
    )


@jit
def store_numbers(
    search: Search, key: HashKey, moves_left: Number, numbers: Numbers, nodes: Number
) -> None:
    """Store a node's proof numbers.

    They replace the entry of the same node, else an empty entry, else the entry of the
    least effort. First numbers never replace numbers of another node that took a
    search.

    Parameters
    ----------
    search : Search
    key : HashKey
    moves_left : int64
        The n of the question "mate in n?".
    numbers : Numbers
        Neither is 0: what is proved is stored as bounds.
    nodes : int64
        How many nodes the numbers took; 0 for first numbers.
    """
    effort = bitboards.ZERO
    while nodes:
        effort += bitboards.ONE
        nodes >>= 1
    _put_numbers(search, _numbers_key(search, key, moves_left), numbers, effort)


# Checkpoints
#
# What took the most effort, without the table: an entry is two words, which say the
# same in a table of any size. The first is the check word of the key; of numbers, its
# low 6 bits are the effort. From bit 0, the second has
#
# =======  =================================================================
# bounds   no_mate (8), mate (8), move (17), effort (5), the key's bucket (25)
# numbers  delta (20), phi (20), the key's bucket (24)
# =======  =================================================================

MOST_EXPORTED = np.uint64((1 << 5) - 1)
PROVED_BITS = np.uint64((1 << 33) - 1)
"""The bounds and the move of an entry."""
BUCKET_SHIFT = np.uint64(38)
BOTH_NUMBERS = np.uint64((1 << 40) - 1)
NUMBER_BUCKET_SHIFT = np.uint64(40)


@jit
def export_entries(
    search: Search,
    address: Number,
    room: Number,
    of_numbers: bool,
    efforts: tuple[Number, Number],
) -> Number:
    """Write the entries of these efforts; the search may go on meanwhile.

    Parameters
    ----------
    search : Search
        Any thread may be searching in its table. An entry that is being written or
        moved is exported as it was, twice, or with a key that no position has.
    address : int64
        Where the entries go.
    room : int64
        How many can be written.
    of_numbers : bool
        Whether to write proof numbers instead of bounds.
    efforts : tuple of int64
        The least, at least 1, and the most.

    Returns
    -------
    int64
        How many there are, with those that had no room.
    """
    table, exported = words_at(search.table), words_at(address)
    first_buckets = (bitboards.ONE << search.first_bits) - bitboards.ONE
    least, most = np.uint64(efforts[0]), np.uint64(efforts[1])
    half = search.most_buckets if of_numbers else bitboards.ZERO
    size = 0
    for number in range(np.int64(search.used_buckets)):
        bucket = np.uint64(number)
        for slot in range(ENTRIES):
            entry = (half + bucket) * BUCKET_WORDS + np.uint64(slot) * ENTRY_WORDS
            check, data = table[entry], table[entry + bitboards.ONE]
            effort = check & PROOF_EFFORT_BITS
            if not of_numbers:
                effort = (data >> EFFORT_SHIFT) & EFFORT_BITS
            if not (least <= effort <= most and _is_current(search, data)):
                continue
            if size < room:
                tag = (data >> STAMP_SHIFT) >> TAG_SHIFT
                bits = (bucket & first_buckets) | (tag << search.first_bits)
                word = (data & BOTH_NUMBERS) | (bits << NUMBER_BUCKET_SHIFT)
                if not of_numbers:
                    check ^= data
                    word = data & PROVED_BITS
                    word |= min(effort, MOST_EXPORTED) << EFFORT_SHIFT
                    word |= bits << BUCKET_SHIFT
                exported[2 * size] = check
                exported[2 * size + 1] = word
            size += 1
    return size


@jit
def make_room(search: Search, size: Number) -> None:
    """Let the table grow until this many entries fill at most half of its buckets."""
    buckets = search.buckets
    while np.int64(buckets) * ENTRIES < 2 * size:
        buckets <<= bitboards.ONE
    if buckets > search.buckets:
        grow(search, buckets)


@jit
def merge_bounds(search: Search, address: Number, size: Number) -> Number:
    """Add exported bounds to the table.

    Returns
    -------
    int64
        How many were merged: all, or those before one that contradicts the table.
    """
    exported = words_at(address)
    make_room(search, size)
    for index in range(size):
        data = exported[2 * index + 1]
        key = complete_key(exported[2 * index], data >> BUCKET_SHIFT)
        known, added = probe(search, key), _unpacked(data)
        no_mate = max(known.no_mate, added.no_mate)
        mate = min(known.mate, added.mate)
        if no_mate >= mate:
            return index
        # The move belongs to the shorter mate, else to the larger bound.
        is_better = added.mate < known.mate or (
            added.mate == known.mate and added.no_mate >= known.no_mate
        )
        move = added.move if is_better else known.move
        effort = np.int64((data >> EFFORT_SHIFT) & MOST_EXPORTED)
        store(search, key, Bounds(no_mate, mate, move), effort)
    return size


@jit
def merge_numbers(search: Search, address: Number, size: Number) -> None:
    """Add exported proof numbers to the table; none of them is 0."""
    exported = words_at(address)
    make_room(search, size)
    for index in range(size):
        check, data = exported[2 * index], exported[2 * index + 1]
        key = _number_key(check & CHECK_BITS, data >> NUMBER_BUCKET_SHIFT)
        numbers = Numbers((data >> PHI_SHIFT) & NUMBER_BITS, data & NUMBER_BITS)
        if min(numbers.phi, numbers.delta):
            _put_numbers(search, key, numbers, check & PROOF_EFFORT_BITS)


@jit
def begin_table(search: Search) -> None:
    """Begin with an empty table, or with what a checkpoint has."""
    empty_table(search)
    if search.known_size:
        merge_bounds(search, np.int64(search.known), search.known_size)
    if search.known_numbers:
        merge_numbers(search, np.int64(search.numbers), search.known_numbers)
