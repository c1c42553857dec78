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

from typing import Any

import numpy as np

from solver.kernel.border.help_memory import EXPLORED_GROUPS, MOST_CHOICES
from solver.kernel.build.jit import (
    Bitboard,
    Number,
    boolean,
    first_square,
    halves_at,
    i64,
    jit,
    needs_at,
    nets_t,
    search_t,
    u64,
    void,
    words_at,
)
from solver.kernel.compositions.net_needs import (
    CAPTURED,
    DEFENDING,
    FAR,
    FREE,
    KING_KIND,
    LAST,
    fill_needs,
    limits_of,
    row_of,
    suffices,
)
from solver.kernel.compositions.net_ways import (
    Net,
    add_attacks,
    add_blocks,
    add_way,
    answers_check,
    attacks_of,
    can_step,
    is_check_to_attacker,
    is_slider,
    kind_placed,
    net_t,
)
from solver.kernel.rules.bitboards import (
    BETWEEN,
    ONE,
    ZERO,
    king_attacks,
)

HALF = np.uint64(32)
"""The shift of a net's index in its entry; see
`solver.kernel.compositions.net_reach`."""


@jit(boolean(net_t, nets_t))
def is_open(net: Net, nets: Any) -> bool:
    """Return whether the placed pieces leave anything open; add the ways to close it.

    Without a way, no final position agrees with the net.
    """
    king = nets.mated
    king_square = first_square(king)
    occupied = net.attackers | net.defenders

    # 1. What the attacker's placed pieces attack, through the king.
    attacked = ZERO
    answers = ZERO
    checks = 0
    last = 0
    own_king = ZERO
    for slot in range(nets.attackers):
        fate = nets.fates[slot]
        if fate == FREE:
            continue
        place = np.uint64(fate & 63)
        kind = kind_placed(fate)
        reached = attacks_of(kind, place, occupied & ~king)
        attacked |= reached
        last += fate >> 6 >= LAST
        if kind == KING_KIND:
            own_king = ONE << place
        if reached & king:
            line = BETWEEN[place, king_square] if is_slider(kind) else ZERO
            if nets.is_stalemate:
                # 2. A stalemated king is not in check: put a piece in between.
                add_blocks(line, 0, nets.slots, net, nets)
                return True
            checks += 1
            answers = line | ONE << place
    if last > 1:
        return True

    # 3. A mated king is in check.
    if not nets.is_stalemate and not checks:
        add_attacks(king_square, net, nets)
        return True

    # 4. It has no flight.
    flights = nets.field & ~(attacked | net.defenders)
    if flights:
        hard = flights & (occupied | net.clear)
        flights = hard or flights
        flight = flights & (ZERO - flights)
        add_attacks(first_square(flight), net, nets)
        add_blocks(flight, nets.attackers, nets.slots, net, nets)
        return True

    # 5. The defender's other pieces cannot help.
    for slot in range(nets.attackers, nets.slots):
        if nets.fates[slot] >= FREE or nets.kinds[slot] == DEFENDING + KING_KIND:
            continue
        if own_king and is_check_to_attacker(slot, own_king, net, nets):
            return True
        if checks == 1 and answers_check(slot, answers, net, nets):
            return True
        if nets.is_stalemate and can_step(slot, net, nets):
            return True

    # 6. In a stalemate, the fate of each is known.
    if nets.is_stalemate:
        for slot in range(nets.attackers, nets.slots):
            if nets.fates[slot] == FREE:
                add_way(slot, CAPTURED, ZERO, net, nets)
                add_blocks(~ZERO, slot, slot + 1, net, nets)
                return True
    return False


@jit(boolean(i64, i64, u64, nets_t))
def is_explored(slot: Number, fate: Number, clear: Bitboard, nets: Any) -> bool:
    """Return whether an earlier way of any choice has all final positions of a way."""
    if not nets.explored[slot, fate >> 6] >> np.uint64(fate & 63) & ONE:
        return False
    for choice in range(nets.choices):
        for way in range(nets.first_ways[choice], nets.next_ways[choice]):
            is_same = nets.way_slots[way] == slot and nets.way_fates[way] == fate
            if is_same and not nets.way_clear[way] & ~clear:
                return True
    return False


@jit(void(net_t, nets_t))
def write_net(net: Net, nets: Any) -> None:
    """Write a net that leaves nothing open."""
    for slot in range(nets.slots):
        fate = nets.fates[slot]
        if fate != FREE and is_explored(slot, fate, net.clear, nets):
            return
    if nets.size == nets.most:
        nets.is_full = 1
        return
    codes = halves_at(nets.codes)
    total = net.needs
    for slot in range(nets.slots):
        fate = nets.fates[slot]
        if nets.kinds[slot] == KING_KIND and fate == FREE:
            fate = FAR * 64 + np.int64(first_square(nets.mated))
            row = row_of(KING_KIND, nets.squares[slot])
            total += np.uint64(needs_at(nets.needs)[row + fate])
        codes[slot * nets.most + nets.size] = np.uint16(fate)
    if suffices(nets.limits, total):
        words_at(nets.clear)[nets.size] = net.clear
        words_at(nets.entries)[nets.size] = np.uint64(nets.size) << HALF | total
        nets.size += 1


@jit(void(net_t, search_t, nets_t))
def extend(net: Net, search: Any, nets: Any) -> None:
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
    if nets.choices == MOST_CHOICES:
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
            need = needs[row_of(nets.kinds[slot], nets.squares[slot]) + fate]
            total = net.needs + np.uint64(need)
            place = ONE << np.uint64(fate & 63) if fate < FREE else ZERO
            ours, theirs = net.attackers, net.defenders
            if slot < nets.attackers:
                ours |= place
            else:
                theirs |= place
            nets.fates[slot] = fate
            extend(Net(ours, theirs, clear, total), search, nets)
            nets.fates[slot] = FREE
        nets.explored[slot, fate >> 6] |= ONE << np.uint64(fate & 63)

    # 3. Forget these ways.
    nets.choices = choice
    for way in range(first, end):
        slot, fate = nets.way_slots[way], nets.way_fates[way]
        nets.explored[slot, fate >> 6] &= ~(ONE << np.uint64(fate & 63))
    nets.ways = first


@jit(boolean(i64, search_t, nets_t))
def list_nets(plies: Number, search: Any, nets: Any) -> bool:
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
        fill_needs(nets)
        nets.is_filled = 1
    nets.listed = -1
    nets.size = nets.steps = nets.is_full = nets.ways = nets.choices = 0
    for slot in range(nets.slots):
        nets.fates[slot] = FREE
        for group in range(EXPLORED_GROUPS):
            nets.explored[slot, group] = ZERO
    ours, theirs = nets.attackers - 1, nets.slots - nets.attackers - 1
    nets.limits = limits_of((plies + 1) >> 1, plies >> 1, ours, theirs)
    for slot in range(nets.attackers, nets.slots):
        if nets.kinds[slot] != DEFENDING + KING_KIND:
            continue
        row = row_of(DEFENDING + KING_KIND, nets.squares[slot])
        for square in range(64):
            fate = KING_KIND * 64 + square
            need = np.uint64(needs_at(nets.needs)[row + fate])
            if suffices(nets.limits, need):
                nets.mated = ONE << np.uint64(square)
                nets.field = king_attacks(np.uint64(square))
                nets.fates[slot] = fate
                extend(Net(ZERO, nets.mated, ZERO, need), search, nets)
    nets.starts[0] = 0
    nets.starts[1] = nets.size
    return nets.steps < nets.budget and not nets.is_full and not search.stop
