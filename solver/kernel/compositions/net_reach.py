"""The nets that are in reach on the line of help play, ply by ply.

For each ply of its line, the walk keeps the nets that are in reach there, with the sums
of the needs of their pieces. A move changes the needs of one or two slots, so the list
of a ply is made from the list of the ply before. When it is empty, no final position
can arise.

An entry has the index of the net in its high half, and the sum in its low half.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.kernel.border.help_memory import NEED_CODES, NO_SLOT
from solver.kernel.build.jit import (
    ROW,
    Bitboard,
    Move,
    Number,
    boolean,
    first_square,
    flip,
    halves_at,
    i64,
    jit,
    needs_at,
    nets_t,
    population,
    types,
    u64,
    words_at,
)
from solver.kernel.compositions.net_list import HALF
from solver.kernel.compositions.net_needs import (
    DEFENDING,
    FREE,
    GONE,
    KING_KIND,
    MOVE_BITS,
    MOVES,
    PAWN_KIND,
    ROOK_KIND,
    limits_of,
    row_of,
    suffices,
)
from solver.kernel.rules.bitboards import ONE, SEVEN, TWO, ZERO
from solver.kernel.rules.position import (
    DIAGONAL,
    KING,
    KNIGHT,
    ORTHOGONAL,
    PAWN,
    QUEEN,
    Position,
    arrival,
    origin,
    position_t,
    target,
)

SUM = np.uint64(0xFFFF_FFFF)
RANK_BITS = np.uint64(56)
"""Of a square; flipping it inverts them."""


KIND_BY_BOARDS = np.zeros(int(KING) + 1, dtype=np.int64)
"""The kind of a piece by the boards that have it; see `position.arrival`."""

KIND_BY_BOARDS[[PAWN, KNIGHT, DIAGONAL, ORTHOGONAL, QUEEN, KING]] = range(DEFENDING)


# What a move changes


class Change(NamedTuple):
    """What a move changes: the kinds and squares of one slot or two.

    The other slot is captured or castles; if there is none, it has the mover's number,
    and both rows are 0.
    """

    slot: Number
    old: Number
    new: Number
    other: Number
    other_old: Number
    other_new: Number
    is_capture: Number


change_t = types.NamedUniTuple(i64, len(Change._fields), Change)


@jit(change_t(u64, i64, i64, nets_t))
def change_of(move: Move, ply: Number, left: Number, nets: Any) -> Change:
    """Return what a move at a ply changes, as the rows of needs before and after.

    `left` are the plies after the move: an even number after the attacker's.
    """
    side = DEFENDING if left & 1 else 0
    turn = RANK_BITS if left & 1 else ZERO
    start, end = origin(move) ^ turn, target(move) ^ turn
    slot = np.int64(nets.slot_at[ply, start])
    kind = np.int64(nets.kind_of[ply, slot])
    new_kind = KIND_BY_BOARDS[arrival(move)] + side

    # 1. Captures; a pawn that changes its file to an empty square takes en passant.
    is_capture = 0
    other, other_old, other_new = slot, 0, 0
    taken = end
    if kind == PAWN_KIND + side and nets.slot_at[ply, end] == NO_SLOT:
        taken = (start & RANK_BITS) | (end & SEVEN)
    if taken != start and nets.slot_at[ply, taken] != NO_SLOT:
        is_capture = 1
        other = np.int64(nets.slot_at[ply, taken])
        other_old = row_of(np.int64(nets.kind_of[ply, other]), np.int64(taken))
        other_new = row_of(GONE, 0)

    # 2. Castling.
    elif kind == KING_KIND + side and (start == end + TWO or end == start + TWO):
        rank = np.int64(start & RANK_BITS)
        corner, castled = (rank, rank + 3) if end < start else (rank + 7, rank + 5)
        other = np.int64(nets.slot_at[ply, corner])
        other_old = row_of(ROOK_KIND + side, corner)
        other_new = row_of(ROOK_KIND + side, castled)
    old, new = row_of(kind, np.int64(start)), row_of(new_kind, np.int64(end))
    return Change(slot, old, new, other, other_old, other_new, is_capture)


@jit(i64(i64), inline=True)
def square_of(row: Number) -> Number:
    """Return the square of a row of needs."""
    return row // NEED_CODES & 63


@jit(u64(u64, change_t, nets_t), inline=True)
def changed(entry: Any, change: Change, nets: Any) -> Any:
    """Return an entry after a move."""
    needs = needs_at(nets.needs)
    codes = halves_at(nets.codes)
    index = np.int64(entry >> HALF)
    code = np.int64(codes[change.slot * nets.most + index])
    entry += np.uint64(needs[change.new + code])
    entry -= np.uint64(needs[change.old + code])
    code = np.int64(codes[change.other * nets.most + index])
    entry += np.uint64(needs[change.other_new + code])
    entry -= np.uint64(needs[change.other_old + code])
    return entry


@jit(u64(position_t, i64, i64), inline=True)
def limits_after(position: Position, is_capture: Number, left: Number) -> Any:
    """Return the limits after a move; `left` plies are left then."""
    us, them = population(position.us) - 1, population(position.them) - 1 - is_capture
    ours, theirs = (them, us) if left & 1 else (us, them)
    return limits_of((left + 1) >> 1, left >> 1, ours, theirs)


# Nets in reach


@jit(boolean(u64, u64, u64, i64, nets_t))
def can_clear(
    entry: Any, limits: Any, occupied: Bitboard, ply: Number, nets: Any
) -> bool:
    """Return whether the moves suffice to clear the squares that have to be empty.

    A piece there that has no place in the net moves or is captured.
    """
    index = np.int64(entry >> HALF)
    rest = occupied & words_at(nets.clear)[index]
    if not rest:
        return True
    codes = halves_at(nets.codes)
    ours, theirs = ZERO, ZERO
    while rest:
        slot = np.int64(nets.slot_at[ply, first_square(rest)])
        rest &= rest - ONE
        if np.int64(codes[slot * nets.most + index]) == FREE:
            if nets.kind_of[ply, slot] < DEFENDING:
                ours += ONE
            else:
                theirs += ONE
    attacks = (limits >> MOVES[0]) & MOVE_BITS
    replies = (limits >> MOVES[1]) & MOVE_BITS
    spare_attacks = attacks - ((entry >> MOVES[0]) & MOVE_BITS)
    spare_replies = replies - ((entry >> MOVES[1]) & MOVE_BITS)
    return ours <= spare_attacks + replies and theirs <= spare_replies + attacks


@jit(boolean(u64, position_t, i64, i64, nets_t))
def keeps_any(
    move: Move, position: Position, ply: Number, left: Number, nets: Any
) -> bool:
    """Return whether a net may still be in reach after a move.

    Parameters
    ----------
    move : uint64
    position : Position
        The position before it, seen by the side to move.
    ply : int64
        Its ply; the nets in reach there are listed.
    left : int64
        The plies left after the move.
    nets : Nets
    """
    change = change_of(move, ply, left, nets)
    limits = limits_after(position, change.is_capture, left)
    entries = words_at(nets.entries)
    for at in range(nets.starts[ply], nets.starts[ply + 1]):
        if suffices(limits, changed(entries[at], change, nets) & SUM):
            return True
    return False


@jit(i64(position_t, u64, i64, i64, nets_t))
def narrow(
    position: Position, move: Move, ply: Number, left: Number, nets: Any
) -> Number:
    """List the nets in reach after a move; return their number.

    Parameters are those of `keeps_any`.
    """
    # 1. The slots after the move.
    after = ply + 1
    change = change_of(move, ply, left, nets)
    for square in range(64):
        nets.slot_at[after, square] = nets.slot_at[ply, square]
    for slot in range(nets.slots):
        nets.kind_of[after, slot] = nets.kind_of[ply, slot]
    occupied = position.us | position.them
    if left & 1:
        occupied = flip(occupied)
    if change.other_old:
        square = square_of(change.other_old)
        nets.slot_at[after, square] = np.uint8(NO_SLOT)
        occupied &= ~(ONE << np.uint64(square))
    if change.is_capture:
        nets.kind_of[after, change.other] = GONE
    elif change.other_new:
        square = square_of(change.other_new)
        nets.slot_at[after, square] = np.uint8(change.other)
        occupied |= ONE << np.uint64(square)
    start, end = square_of(change.old), square_of(change.new)
    nets.slot_at[after, start] = np.uint8(NO_SLOT)
    nets.slot_at[after, end] = np.uint8(change.slot)
    nets.kind_of[after, change.slot] = np.uint8(change.new // NEED_CODES >> 6)
    occupied = (occupied & ~(ONE << np.uint64(start))) | ONE << np.uint64(end)

    # 2. The nets that stay in reach.
    limits = limits_after(position, change.is_capture, left)
    entries = words_at(nets.entries)
    first, last = nets.starts[ply], nets.starts[after]
    size = last
    for at in range(first, last):
        entry = changed(entries[at], change, nets)
        if suffices(limits, entry & SUM) and can_clear(
            entry, limits, occupied, after, nets
        ):
            entries[size] = entry
            size += 1
    nets.starts[after + 1] = size
    nets.listed = after
    return size - last


@jit(i64(position_t, ROW, i64, i64, i64, nets_t))
def count_left(
    position: Position,
    moves: np.ndarray,
    first: Number,
    end: Number,
    left: Number,
    nets: Any,
) -> Number:
    """Return how many nets the moves from `first` on may reach in the first position.

    `left` plies are left after the move.
    """
    entries = words_at(nets.entries)
    found = 0
    for at in range(nets.starts[0], nets.starts[1]):
        for index in range(first, end):
            change = change_of(moves[index], 0, left, nets)
            limits = limits_after(position, change.is_capture, left)
            if suffices(limits, changed(entries[at], change, nets) & SUM):
                found += 1
                break
    return found
