"""Nets: the final positions of help play, as far as they must be known.

Every final position that play can reach agrees with a net of the list. The list is made
by asking, again and again, what the placed pieces leave open, and placing another piece
in each way that closes it, as long as the moves of both sides suffice:

- In a mate, the attacker attacks the king. In a stalemate, it does not.
- Each square beside the king is attacked, or a piece of the defender is on it.
- No piece of the defender attacks the other king or answers the check.
- In a stalemate, none of these pieces can move, and each has a place or is captured.

An attack along a line makes the squares of the line empty for the rest of the net. So a
final position belongs to the first way that it agrees with, and a later one need not
place the same piece there.

Popeye's "intelligent mode" (Torsten Linss) lists complete final positions, and searches
for each by itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.kernel.border import search_struct
from solver.kernel.build.jit import (
    first_square,
    flip,
    halves_at,
    inlined,
    jit,
    needs_at,
    population,
    words_at,
)
from solver.kernel.build.words import Bitboard, Move, Nets, Number, Row, Search, Word
from solver.kernel.compositions import net_needs
from solver.kernel.rules import bitboards

# The list

HALF = np.uint64(32)
"""The shift of a net's index in its entry; see
`solver.kernel.compositions.net_list`."""


@jit
def is_open(net: net_needs.Net, nets: Nets) -> bool:
    """Return whether the placed pieces leave anything open; add the ways to close it.

    Without a way, no final position agrees with the net.
    """
    king = nets.mated
    king_square = first_square(king)
    occupied = net.attackers | net.defenders

    # 1. What the attacker's placed pieces attack, through the king.
    attacked = bitboards.ZERO
    answers = bitboards.ZERO
    checks = 0
    last = 0
    own_king = bitboards.ZERO
    for slot in range(nets.attackers):
        fate = nets.fates[slot]
        if fate == net_needs.FREE:
            continue
        place = np.uint64(fate & 63)
        kind = net_needs.kind_placed(fate)
        reached = net_needs.attacks_of(kind, place, occupied & ~king)
        attacked |= reached
        last += fate >> 6 >= net_needs.LAST
        if kind == net_needs.KING_KIND:
            own_king = bitboards.ONE << place
        if reached & king:
            line = (
                bitboards.BETWEEN[place, king_square]
                if net_needs.is_slider(kind)
                else bitboards.ZERO
            )
            if nets.is_stalemate:
                # 2. A stalemated king is not in check: put a piece in between.
                net_needs.add_blocks(line, 0, nets.slots, net, nets)
                return True
            checks += 1
            answers = line | bitboards.ONE << place
    if last > 1:
        return True

    # 3. A mated king is in check.
    if not nets.is_stalemate and not checks:
        net_needs.add_attacks(king_square, net, nets)
        return True

    # 4. It has no flight.
    flights = nets.field & ~(attacked | net.defenders)
    if flights:
        hard = flights & (occupied | net.clear)
        flights = hard or flights
        flight = flights & (bitboards.ZERO - flights)
        net_needs.add_attacks(first_square(flight), net, nets)
        net_needs.add_blocks(flight, nets.attackers, nets.slots, net, nets)
        return True

    # 5. The defender's other pieces cannot help.
    for slot in range(nets.attackers, nets.slots):
        if (
            nets.fates[slot] >= net_needs.FREE
            or nets.kinds[slot] == net_needs.DEFENDING + net_needs.KING_KIND
        ):
            continue
        if own_king and net_needs.is_check_to_attacker(slot, own_king, net, nets):
            return True
        if checks == 1 and net_needs.answers_check(slot, answers, net, nets):
            return True
        if nets.is_stalemate and net_needs.can_step(slot, net, nets):
            return True

    # 6. In a stalemate, the fate of each is known.
    if nets.is_stalemate:
        for slot in range(nets.attackers, nets.slots):
            if nets.fates[slot] == net_needs.FREE:
                net_needs.add_way(slot, net_needs.CAPTURED, bitboards.ZERO, net, nets)
                net_needs.add_blocks(~bitboards.ZERO, slot, slot + 1, net, nets)
                return True
    return False


@jit
def is_explored(slot: Number, fate: Number, clear: Bitboard, nets: Nets) -> bool:
    """Return whether an earlier way of any choice has all final positions of a way."""
    if not nets.explored[slot, fate >> 6] >> np.uint64(fate & 63) & bitboards.ONE:
        return False
    for choice in range(nets.choices):
        for way in range(nets.first_ways[choice], nets.next_ways[choice]):
            is_same = nets.way_slots[way] == slot and nets.way_fates[way] == fate
            if is_same and not nets.way_clear[way] & ~clear:
                return True
    return False


@jit
def write_net(net: net_needs.Net, nets: Nets) -> None:
    """Write a net that leaves nothing open."""
    for slot in range(nets.slots):
        fate = nets.fates[slot]
        if fate != net_needs.FREE and is_explored(slot, fate, net.clear, nets):
            return
    if nets.size == nets.most:
        nets.is_full = 1
        return
    codes = halves_at(nets.codes)
    total = net.needs
    for slot in range(nets.slots):
        fate = nets.fates[slot]
        if nets.kinds[slot] == net_needs.KING_KIND and fate == net_needs.FREE:
            fate = net_needs.FAR * 64 + np.int64(first_square(nets.mated))
            row = net_needs.row_of(net_needs.KING_KIND, nets.squares[slot])
            total += np.uint64(needs_at(nets.needs)[row + fate])
        codes[slot * nets.most + nets.size] = np.uint16(fate)
    if net_needs.suffices(nets.limits, total):
        words_at(nets.clear)[nets.size] = net.clear
        words_at(nets.entries)[nets.size] = np.uint64(nets.size) << HALF | total
        nets.size += 1


@jit
def extend(net: net_needs.Net, search: Search, nets: Nets) -> None:
    """List all nets with the pieces that are placed.

    Parameters
    ----------
    net : Net
        What is placed; `nets.fates` has the codes of the pieces.
    search : Search
        Its `stop` ends the listing.
    nets : Nets
        Receives the nets. Counts steps, and gives up at its budget.
    """
    nets.steps += 1
    if nets.steps >= nets.budget or nets.is_full or search.stop:
        return

    # 1. Nothing is open: the net is complete.
    first = nets.ways
    if not is_open(net, nets):
        write_net(net, nets)
        return
    if nets.choices == search_struct.MOST_CHOICES:
        nets.is_full = 1
        return

    # 2. Try each way to close what is open.
    needs = needs_at(nets.needs)
    end = nets.ways
    nets.steps += end - first
    choice = nets.choices
    nets.choices = choice + 1
    nets.first_ways[choice] = first
    for way in range(first, end):
        nets.next_ways[choice] = way
        slot, fate = nets.way_slots[way], nets.way_fates[way]
        clear = net.clear | nets.way_clear[way]
        if not is_explored(slot, fate, clear, nets):
            need = needs[net_needs.row_of(nets.kinds[slot], nets.squares[slot]) + fate]
            total = net.needs + np.uint64(need)
            place = (
                bitboards.ONE << np.uint64(fate & 63)
                if fate < net_needs.FREE
                else bitboards.ZERO
            )
            ours, theirs = net.attackers, net.defenders
            if slot < nets.attackers:
                ours |= place
            else:
                theirs |= place
            nets.fates[slot] = fate
            extend(net_needs.Net(ours, theirs, clear, total), search, nets)
            nets.fates[slot] = net_needs.FREE
        nets.explored[slot, fate >> 6] |= bitboards.ONE << np.uint64(fate & 63)

    # 3. Forget these ways.
    nets.choices = choice
    for way in range(first, end):
        slot, fate = nets.way_slots[way], nets.way_fates[way]
        nets.explored[slot, fate >> 6] &= ~(bitboards.ONE << np.uint64(fate & 63))
    nets.ways = first


@jit
def list_nets(plies: Number, search: Search, nets: Nets) -> bool:
    """List the nets of all final positions that play of `plies` plies can reach.

    Parameters
    ----------
    plies : int64
        At most 2 * MOST_NET_MOVES.
    search : Search
        Its `stop` ends the listing.
    nets : Nets
        Its memory, its budget, the goal and the slots are given.

    Returns
    -------
    bool
        Whether the list is complete; otherwise it was stopped, or its budget or memory
        was too small.
    """
    if not nets.is_filled:
        net_needs.fill_needs(nets)
        nets.is_filled = 1
    nets.listed = -1
    nets.size = nets.steps = nets.is_full = nets.ways = nets.choices = 0
    for slot in range(nets.slots):
        nets.fates[slot] = net_needs.FREE
        for group in range(search_struct.EXPLORED_GROUPS):
            nets.explored[slot, group] = bitboards.ZERO
    ours, theirs = nets.attackers - 1, nets.slots - nets.attackers - 1
    nets.limits = net_needs.limits_of((plies + 1) >> 1, plies >> 1, ours, theirs)
    for slot in range(nets.attackers, nets.slots):
        if nets.kinds[slot] != net_needs.DEFENDING + net_needs.KING_KIND:
            continue
        row = net_needs.row_of(
            net_needs.DEFENDING + net_needs.KING_KIND, nets.squares[slot]
        )
        for square in range(64):
            fate = net_needs.KING_KIND * 64 + square
            need = np.uint64(needs_at(nets.needs)[row + fate])
            if net_needs.suffices(nets.limits, need):
                nets.mated = bitboards.ONE << np.uint64(square)
                nets.field = bitboards.king_attacks(np.uint64(square))
                nets.fates[slot] = fate
                extend(
                    net_needs.Net(bitboards.ZERO, nets.mated, bitboards.ZERO, need),
                    search,
                    nets,
                )
    nets.starts[0] = 0
    nets.starts[1] = nets.size
    return nets.steps < nets.budget and not nets.is_full and not search.stop


# Nets in reach on the line of help play, ply by ply
#
# For each ply of its line, the walk keeps the nets that are in reach there, with the
# sums of the needs of their pieces. A move changes the needs of one or two slots, so
# the list of a ply is made from the list of the ply before. When it is empty, no final
# position can arise.
#
# An entry has the index of the net in its high half, and the sum in its low half.

SUM = np.uint64(0xFFFF_FFFF)
RANK_BITS = np.uint64(56)
"""Of a square; flipping it inverts them."""


KIND_BY_BOARDS = np.zeros(int(bitboards.KING) + 1, dtype=np.int64)
"""The kind of a piece by the boards that have it; see `bitboards.arrival`."""

KIND_BY_BOARDS[
    [
        bitboards.PAWN,
        bitboards.KNIGHT,
        bitboards.DIAGONAL,
        bitboards.ORTHOGONAL,
        bitboards.QUEEN,
        bitboards.KING,
    ]
] = range(net_needs.DEFENDING)


# What a move changes


class MoveEffect(NamedTuple):
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


@jit
def change_of(move: Move, ply: Number, left: Number, nets: Nets) -> MoveEffect:
    """Return what a move at a ply changes, as the rows of needs before and after.

    `left` are the plies after the move: an even number after the attacker's.
    """
    side = net_needs.DEFENDING if left & 1 else 0
    turn = RANK_BITS if left & 1 else bitboards.ZERO
    start, end = bitboards.origin(move) ^ turn, bitboards.target(move) ^ turn
    slot = np.int64(nets.slot_at[ply, start])
    kind = np.int64(nets.kind_of[ply, slot])
    new_kind = KIND_BY_BOARDS[bitboards.arrival(move)] + side

    # 1. Captures; a pawn that changes its file to an empty square takes en passant.
    is_capture = 0
    other, other_old, other_new = slot, 0, 0
    taken = end
    if (
        kind == net_needs.PAWN_KIND + side
        and nets.slot_at[ply, end] == search_struct.NO_SLOT
    ):
        taken = (start & RANK_BITS) | (end & bitboards.SEVEN)
    if taken != start and nets.slot_at[ply, taken] != search_struct.NO_SLOT:
        is_capture = 1
        other = np.int64(nets.slot_at[ply, taken])
        other_old = net_needs.row_of(
            np.int64(nets.kind_of[ply, other]), np.int64(taken)
        )
        other_new = net_needs.row_of(net_needs.GONE, 0)

    # 2. Castling.
    elif kind == net_needs.KING_KIND + side and (
        start == end + bitboards.TWO or end == start + bitboards.TWO
    ):
        rank = np.int64(start & RANK_BITS)
        corner, castled = (rank, rank + 3) if end < start else (rank + 7, rank + 5)
        other = np.int64(nets.slot_at[ply, corner])
        other_old = net_needs.row_of(net_needs.ROOK_KIND + side, corner)
        other_new = net_needs.row_of(net_needs.ROOK_KIND + side, castled)
    old, new = (
        net_needs.row_of(kind, np.int64(start)),
        net_needs.row_of(new_kind, np.int64(end)),
    )
    return MoveEffect(slot, old, new, other, other_old, other_new, is_capture)


@inlined
def square_of(row: Number) -> Number:
    """Return the square of a row of needs."""
    return row // search_struct.NEED_CODES & 63


@inlined
def changed(entry: Word, change: MoveEffect, nets: Nets) -> Word:
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


@inlined
def limits_after(
    position: bitboards.Position, is_capture: Number, left: Number
) -> Word:
    """Return the limits after a move; `left` plies are left then."""
    us, them = population(position.us) - 1, population(position.them) - 1 - is_capture
    ours, theirs = (them, us) if left & 1 else (us, them)
    return net_needs.limits_of((left + 1) >> 1, left >> 1, ours, theirs)


# Nets in reach


@jit
def can_clear(
    entry: Word, limits: Word, occupied: Bitboard, ply: Number, nets: Nets
) -> bool:
    """Return whether the moves suffice to clear the squares that have to be empty.

    A piece there that has no place in the net moves or is captured.
    """
    index = np.int64(entry >> HALF)
    rest = occupied & words_at(nets.clear)[index]
    if not rest:
        return True
    codes = halves_at(nets.codes)
    ours, theirs = bitboards.ZERO, bitboards.ZERO
    while rest:
        slot = np.int64(nets.slot_at[ply, first_square(rest)])
        rest &= rest - bitboards.ONE
        if np.int64(codes[slot * nets.most + index]) == net_needs.FREE:
            if nets.kind_of[ply, slot] < net_needs.DEFENDING:
                ours += bitboards.ONE
            else:
                theirs += bitboards.ONE
    attacks = (limits >> net_needs.MOVES[0]) & net_needs.MOVE_BITS
    replies = (limits >> net_needs.MOVES[1]) & net_needs.MOVE_BITS
    spare_attacks = attacks - ((entry >> net_needs.MOVES[0]) & net_needs.MOVE_BITS)
    spare_replies = replies - ((entry >> net_needs.MOVES[1]) & net_needs.MOVE_BITS)
    return ours <= spare_attacks + replies and theirs <= spare_replies + attacks


@jit
def keeps_any(
    move: Move, position: bitboards.Position, ply: Number, left: Number, nets: Nets
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
        if net_needs.suffices(limits, changed(entries[at], change, nets) & SUM):
            return True
    return False


@jit
def narrow(
    position: bitboards.Position, move: Move, ply: Number, left: Number, nets: Nets
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
        nets.slot_at[after, square] = np.uint8(search_struct.NO_SLOT)
        occupied &= ~(bitboards.ONE << np.uint64(square))
    if change.is_capture:
        nets.kind_of[after, change.other] = net_needs.GONE
    elif change.other_new:
        square = square_of(change.other_new)
        nets.slot_at[after, square] = np.uint8(change.other)
        occupied |= bitboards.ONE << np.uint64(square)
    start, end = square_of(change.old), square_of(change.new)
    nets.slot_at[after, start] = np.uint8(search_struct.NO_SLOT)
    nets.slot_at[after, end] = np.uint8(change.slot)
    nets.kind_of[after, change.slot] = np.uint8(
        change.new // search_struct.NEED_CODES >> 6
    )
    occupied = (
        occupied & ~(bitboards.ONE << np.uint64(start))
    ) | bitboards.ONE << np.uint64(end)

    # 2. The nets that stay in reach.
    limits = limits_after(position, change.is_capture, left)
    entries = words_at(nets.entries)
    first, last = nets.starts[ply], nets.starts[after]
    size = last
    for at in range(first, last):
        entry = changed(entries[at], change, nets)
        if net_needs.suffices(limits, entry & SUM) and can_clear(
            entry, limits, occupied, after, nets
        ):
            entries[size] = entry
            size += 1
    nets.starts[after + 1] = size
    nets.listed = after
    return size - last


@jit
def count_left(
    position: bitboards.Position,
    moves: Row,
    first: Number,
    end: Number,
    left: Number,
    nets: Nets,
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
            if net_needs.suffices(limits, changed(entries[at], change, nets) & SUM):
                found += 1
                break
    return found
