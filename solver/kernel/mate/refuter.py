"""Which attacks one reply refutes, found for all attacks at once.

Two moves from the leaves nearly every attack fails to a reply that has just refuted
another attack. So we fix a reply r, let the attacker pass, and compute in the position
after "null move, r" what an attack must do so that a mate may follow. If an attack does
none of this, r refutes it, and it need not be made. The test errs on one side only: it
may keep an attack that r refutes.

Let k be the king's square after r. In a mate after attack a, reply r and mating move m,
the attacker attacks k and every square of the king's ring without a piece of the
defender. Each attack on the ring comes from the piece of m on its target, from the
piece of a, or from a piece that has not moved. For the last we let attack lines pass
through all of our own pieces (`blockers`), so whatever a and m vacate cannot open more.
This fails only if a captures and the same piece then moves on, which leaves a square of
the defender open; such attacks are kept if a line of ours reaches that square. Hence:

- m is played by another piece than a. With m's target w, let M be the squares of the
  ring that neither unmoved pieces nor the piece on w cover, and w itself if it is in
  the ring and unguarded. Then the piece of a covers all of M from its target. All M of
  checking moves are collected as patterns of eight bits, one for each square of the
  ring; 256 bits say which patterns of an attack's cover contain one of them.
- m is played by the piece of a. Then M is empty for some w that this piece reaches
  from the target of a (`_second_steps`).
- m opens a line of another piece. That line attacks k through our own pieces only, so
  either it did so before a, and then there is no `Refuter`; or the piece of a came to
  it, and then it arrived on a square from which it attacks k (through our pieces).

The reply is legal after a unless a takes the piece that moves, stands in its way or
attacks k, and it leads to the position that was examined unless a meets it on its
target. All these attacks are kept. Castling, captures en passant and promotions as
attacks are kept, and if r is a double step, pawns that arrive beside it; there is no
`Refuter` if we may castle or could take r in passing at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.kernel.build.jit import first_square, inlined, jit, population
from solver.kernel.build.words import Bitboard, Move, Square
from solver.kernel.mate import ordering
from solver.kernel.rules import bitboards, mating

RANK_7 = np.uint64(0xFF) << np.uint64(48)
FLIP = np.uint64(56)
"""Exclusive or with it mirrors the rank of a square."""

# Patterns of the king's ring

LAST = np.uint64(63)
WORD_BITS = np.uint64(64)
UPPER_SHIFT = np.uint64(11)
BELOW, WEST, EAST, ABOVE = (np.uint64(bits) for bits in (0x07, 0x08, 0x10, 0xE0))


class Patterns(NamedTuple):
    """A set of patterns, which are 8-bit numbers; each word has 64 of them."""

    first: Bitboard
    second: Bitboard
    third: Bitboard
    fourth: Bitboard


IN_HALVES = np.uint64(0x0000_0000_FFFF_FFFF)
IN_QUARTERS = np.uint64(0x0000_FFFF_0000_FFFF)
IN_BYTES = np.uint64(0x00FF_00FF_00FF_00FF)
IN_NIBBLES = np.uint64(0x0F0F_0F0F_0F0F_0F0F)
IN_PAIRS = np.uint64(0x3333_3333_3333_3333)
IN_BITS = np.uint64(0x5555_5555_5555_5555)
TWO, FOUR, SIXTEEN, THIRTY_TWO = (np.uint64(shift) for shift in (2, 4, 16, 32))


@inlined
def ring_pattern(squares: Bitboard, king: Square) -> Bitboard:
    """Return the pattern of squares of the king's ring, from below left to above right.

    All `squares` are on the ring.
    """
    turn = (king - bitboards.NINE) & LAST  # moves the king to b2
    near = (squares >> turn) | (squares << ((WORD_BITS - turn) & LAST))
    return (
        (near & BELOW)
        | ((near >> bitboards.FIVE) & WEST)
        | ((near >> bitboards.SIX) & EAST)
        | ((near >> UPPER_SHIFT) & ABOVE)
    )


@inlined
def _with(patterns: Patterns, pattern: Bitboard) -> Patterns:
    bit = bitboards.ONE << (pattern & LAST)
    word = pattern >> bitboards.SIX
    return Patterns(
        patterns.first | (bit if word == bitboards.ZERO else bitboards.ZERO),
        patterns.second | (bit if word == bitboards.ONE else bitboards.ZERO),
        patterns.third | (bit if word == TWO else bitboards.ZERO),
        patterns.fourth | (bit if word > TWO else bitboards.ZERO),
    )


@inlined
def _supersets_in_word(word: Bitboard) -> Bitboard:
    word |= (word & IN_BITS) << bitboards.ONE
    word |= (word & IN_PAIRS) << TWO
    word |= (word & IN_NIBBLES) << FOUR
    word |= (word & IN_BYTES) << bitboards.EIGHT
    word |= (word & IN_QUARTERS) << SIXTEEN
    return word | ((word & IN_HALVES) << THIRTY_TWO)


@inlined
def supersets(patterns: Patterns) -> Patterns:
    """Return all patterns that contain one of `patterns`."""
    first = _supersets_in_word(patterns.first)
    second = _supersets_in_word(patterns.second) | first
    third = _supersets_in_word(patterns.third) | first
    fourth = _supersets_in_word(patterns.fourth) | second | third
    return Patterns(first, second, third, fourth)


# Mates after the reply


class MateNeeds(NamedTuple):
    """What a mate needs after a null move and the reply.

    Attributes
    ----------
    king : uint64
        The square of the defender's king.
    ring : uint64
        The squares around it.
    blockers : uint64
        The defender's other pieces: our lines pass through our own.
    flights : uint64
        The squares of the ring that none of our pieces covers.
    once, twice : uint64
        The squares that our pieces attack, and those that two attack.
    """

    king: Square
    ring: Bitboard
    blockers: Bitboard
    flights: Bitboard
    once: Bitboard
    twice: Bitboard


@inlined
def _missing(
    goal: MateNeeds, needed: Bitboard, guarded: Bitboard, end: Square, kind: Move
) -> Bitboard:
    """Return what a piece that checks from `end` leaves uncovered."""
    needed |= (bitboards.ONE << end) & goal.ring & ~guarded
    return needed & ~bitboards.attacks_of_kind(kind, end, goal.blockers)


@jit
def _add_checks(
    goal: MateNeeds,
    patterns: Patterns,
    needed: Bitboard,
    guarded: Bitboard,
    targets: Bitboard,
    kind: Move,
) -> Patterns:
    """Add what the attack must cover after each of a piece's checks."""
    while targets:
        missing = _missing(goal, needed, guarded, first_square(targets), kind)
        patterns = _with(patterns, ring_pattern(missing, goal.king))
        targets &= targets - bitboards.ONE
    return patterns


@jit
def _second_steps(goal: MateNeeds, targets: Bitboard, kind: Move) -> Bitboard:
    """Return the squares from which a piece mates alone by a move to `targets`."""
    steps = bitboards.ZERO
    while targets:
        end = first_square(targets)
        targets &= targets - bitboards.ONE
        if not _missing(goal, goal.flights, goal.once, end, kind):
            steps |= bitboards.attacks_of_kind(kind, end, goal.blockers)
    return steps


class Refuter(NamedTuple):
    """A reply, and what an attack must do so that the reply may not refute it.

    Attributes
    ----------
    reply : uint64
        The reply; NO_MOVE if nothing is known.
    king, ring, blockers : uint64
        As in `MateNeeds`.
    taken : uint64
        The reply's target: a piece of ours that stood there.
    pawn, knight, diagonal, orthogonal, queen, king_to : uint64
        Targets of each kind of piece; an attack that goes there is not refuted.
    first, second, third, fourth : uint64
        `Patterns` of the ring; an attack that covers one of them is not refuted.
    """

    reply: Move
    king: Square
    ring: Bitboard
    blockers: Bitboard
    taken: Bitboard
    pawn: Bitboard
    knight: Bitboard
    diagonal: Bitboard
    orthogonal: Bitboard
    queen: Bitboard
    king_to: Bitboard
    first: Bitboard
    second: Bitboard
    third: Bitboard
    fourth: Bitboard


NO_REFUTER = Refuter(bitboards.NO_MOVE, *[bitboards.ZERO] * 14)

# The most squares of the ring that a checking piece covers, by kind.
MOST_BY_KNIGHT = 2
MOST_BY_BISHOP = 2
MOST_BY_ROOK = 3
MOST_BY_QUEEN = 5


@jit
def find_refuter(position: bitboards.Position, reply: Move) -> Refuter:
    """Find what an attack must do so that `reply` may not refute it.

    Parameters
    ----------
    position : Position
        The attacker is to move, and does not mate at once.
    reply : uint64
        A move of the defender from any position, or NO_MOVE.

    Returns
    -------
    Refuter
        NO_REFUTER if the reply cannot be played after a null move (or takes our king,
        which is in check), or if any attack may be followed by a mate.
    """
    # 1. The position after a null move and the reply.
    if position.rights & bitboards.RANK_1 or reply == bitboards.NO_MOVE:
        return NO_REFUTER
    passed = bitboards.after_null_move(position)
    if not ordering.is_plain_move(passed, reply):
        return NO_REFUTER
    after = bitboards.make(passed, reply)
    if after.rights & bitboards.RANK_6 or not after.kings & after.us:
        return NO_REFUTER

    # 2. The cover of our pieces; the king must not be attacked.
    king_board = after.kings & after.them
    king = first_square(king_board)
    ring = bitboards.king_attacks(king)
    blockers = after.them ^ king_board
    cover = mating.find_cover(after, blockers)
    if cover.once & king_board:
        return NO_REFUTER
    field = ring & ~after.them
    flights = field & ~cover.once
    lonely = field & ~cover.twice
    goal = MateNeeds(king, ring, blockers, flights, cover.once, cover.twice)

    # 3. Another piece than the attack's mates: what does it leave uncovered?
    knight_checks = bitboards.knight_attacks(king)
    diagonal_checks = bitboards.diagonal_attacks(king, blockers)
    orthogonal_checks = bitboards.orthogonal_attacks(king, blockers)
    queen_checks = diagonal_checks | orthogonal_checks
    pawn_checks = bitboards.pawns_attacks_down(king_board)
    patterns = Patterns(bitboards.ZERO, bitboards.ZERO, bitboards.ZERO, bitboards.ZERO)
    pieces = after.us & (after.knights | after.diagonal | after.orthogonal)
    while pieces:
        piece = pieces & (bitboards.ZERO - pieces)
        pieces ^= piece
        checks = knight_checks
        kind = bitboards.KNIGHT
        if not after.knights & piece:
            checks = bitboards.ZERO
            kind = bitboards.ZERO
            if after.diagonal & piece:
                checks = diagonal_checks
                kind = bitboards.DIAGONAL
            if after.orthogonal & piece:
                checks |= orthogonal_checks
                kind |= bitboards.ORTHOGONAL
        reached = bitboards.attacks_of_kind(kind, first_square(piece), blockers)
        needed = flights | (lonely & reached)  # it covers its old squares no more
        checks &= reached
        patterns = _add_checks(goal, patterns, needed, cover.twice, checks, kind)
    pawns = after.pawns & after.us
    pushed = (pawns << bitboards.EIGHT) & ~after.them
    pushed |= ((pushed & bitboards.RANK_3) << bitboards.EIGHT) & ~after.them
    taking = ((pawns & bitboards.NOT_FILE_A) << bitboards.SEVEN) | (
        (pawns & bitboards.NOT_FILE_H) << bitboards.NINE
    )
    moved = pushed | (taking & after.them)
    for kind, targets in (
        (bitboards.PAWN, moved & pawn_checks),
        (bitboards.QUEEN, moved & queen_checks & bitboards.RANK_8),
        (bitboards.KNIGHT, moved & knight_checks & bitboards.RANK_8),
    ):
        patterns = _add_checks(goal, patterns, flights, cover.once, targets, kind)
    if patterns.first & bitboards.ONE:
        return NO_REFUTER
    patterns = supersets(patterns)

    # 4. The attack's own piece mates, or attacks the king after the reply.
    knight = knight_checks
    diagonal = diagonal_checks
    orthogonal = orthogonal_checks
    queen = queen_checks
    pawn = pawn_checks | RANK_7 | (position.rights & bitboards.RANK_6)
    most = population(flights)
    if most <= MOST_BY_KNIGHT and after.knights & after.us:
        knight |= _second_steps(goal, knight_checks, bitboards.KNIGHT)
    if most <= MOST_BY_BISHOP and after.diagonal & ~after.orthogonal & after.us:
        diagonal |= _second_steps(goal, diagonal_checks, bitboards.DIAGONAL)
    if most <= MOST_BY_ROOK and after.orthogonal & ~after.diagonal & after.us:
        orthogonal |= _second_steps(goal, orthogonal_checks, bitboards.ORTHOGONAL)
    if most <= MOST_BY_QUEEN and after.diagonal & after.orthogonal & after.us:
        queen |= _second_steps(goal, queen_checks, bitboards.QUEEN)
    if not flights and _second_steps(goal, pawn_checks, bitboards.PAWN):
        pawn = bitboards.ALL

    # 5. The attack prevents the reply, meets it, or opens a line by a capture.
    start = bitboards.origin(reply) ^ FLIP
    end = bitboards.target(reply) ^ FLIP
    kept = (
        (bitboards.ONE << start)
        | (bitboards.ONE << end)
        | bitboards.BETWEEN[start, end]
    )
    kept |= after.them & cover.by_sliders
    if (
        bitboards.arrival(reply) == bitboards.PAWN
        and bitboards.target(reply) == bitboards.origin(reply) + SIXTEEN
    ):
        passer = (
            bitboards.ONE << end
        )  # a pawn that arrives beside it may take it in passing
        pawn |= ((passer & bitboards.NOT_FILE_H) << bitboards.ONE) | (
            (passer & bitboards.NOT_FILE_A) >> bitboards.ONE
        )
    return Refuter(
        reply,
        king,
        ring,
        blockers,
        bitboards.ONE << end,
        pawn | kept,
        knight | kept,
        diagonal | kept,
        orthogonal | kept,
        queen | kept,
        ring | kept,
        patterns.first,
        patterns.second,
        patterns.third,
        patterns.fourth,
    )


@inlined
def is_refuted(position: bitboards.Position, refuter: Refuter, attack: Move) -> bool:
    """Return whether the reply is legal after `attack` and no mate in one follows.

    False says nothing.

    Parameters
    ----------
    position : Position
        The position that the refuter was found for.
    refuter : Refuter
        Not NO_REFUTER.
    attack : uint64
        A legal move.
    """
    start = bitboards.ONE << bitboards.origin(attack)
    end = bitboards.target(attack)
    kind = bitboards.arrival(attack)
    if kind == bitboards.PAWN:
        kept = refuter.pawn
    elif position.pawns & start:
        return False
    elif kind == bitboards.KNIGHT:
        kept = refuter.knight
    elif kind == bitboards.DIAGONAL:
        kept = refuter.diagonal
    elif kind == bitboards.ORTHOGONAL:
        kept = refuter.orthogonal
    elif kind == bitboards.QUEEN:
        kept = refuter.queen
    else:
        kept = refuter.king_to
    if kept & (bitboards.ONE << end) or start & refuter.taken:
        return False
    covered = bitboards.attacks_of_kind(kind, end, refuter.blockers) & refuter.ring
    pattern = ring_pattern(covered, refuter.king)
    low = refuter.second if pattern & WORD_BITS else refuter.first
    high = refuter.fourth if pattern & WORD_BITS else refuter.third
    word = high if pattern >> bitboards.SEVEN else low
    return not (word >> (pattern & LAST)) & bitboards.ONE
