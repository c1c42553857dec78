"""The ways to close what a net leaves open: further pieces and their places.

`solver.kernel.compositions.net_list` takes them one after another. What is open is
judged with the placed pieces alone. All others can only close lines, so a placed piece
never attacks less here than in the final position.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.kernel.border.help_memory import MOST_WAYS
from solver.kernel.build.jit import (
    Bitboard,
    Number,
    Square,
    boolean,
    first_square,
    i64,
    jit,
    named_words,
    needs_at,
    nets_t,
    u64,
    void,
)
from solver.kernel.compositions.net_needs import (
    BISHOP_KIND,
    DEFENDING,
    FAR,
    FREE,
    KING_KIND,
    KNIGHT_KIND,
    LAST,
    MOVE_BITS,
    MOVES,
    PAWN_KIND,
    QUEEN_KIND,
    ROOK_KIND,
    row_of,
    suffices,
)
from solver.kernel.rules.bitboards import (
    BETWEEN,
    DIAGONAL_LINES,
    EIGHT,
    ONE,
    ORTHOGONAL_LINES,
    RANK_6,
    ZERO,
    diagonal_attacks,
    king_attacks,
    knight_attacks,
    orthogonal_attacks,
    pawns_attacks_down,
    pawns_attacks_up,
)


class Net(NamedTuple):
    """The net that is being listed.

    `attackers` and `defenders` are the squares of the placed pieces, the mated king's
    among them; `clear` are squares that are empty at the end, and `needs` is the sum of
    the needs of the placed pieces.
    """

    attackers: Bitboard
    defenders: Bitboard
    clear: Bitboard
    needs: Bitboard


net_t = named_words(Net)


# The placed pieces


@jit(u64(i64, u64, u64))
def attacks_of(kind: Number, square: Square, occupied: Bitboard) -> Bitboard:
    """Return what a piece attacks; a pawn is the attacker's."""
    if kind == PAWN_KIND:
        return pawns_attacks_up(ONE << square)
    if kind == KNIGHT_KIND:
        return knight_attacks(square)
    if kind == KING_KIND:
        return king_attacks(square)
    reached = ZERO
    if kind != ROOK_KIND:
        reached |= diagonal_attacks(square, occupied)
    if kind != BISHOP_KIND:
        reached |= orthogonal_attacks(square, occupied)
    return reached


@jit(boolean(i64), inline=True)
def is_slider(kind: Number) -> bool:
    """Return whether a kind is a bishop, rook or queen."""
    return BISHOP_KIND <= kind <= QUEEN_KIND


@jit(i64(i64), inline=True)
def kind_placed(fate: Number) -> Number:
    """Return the kind of a placed piece."""
    group = fate >> 6
    return group if group < FAR else group - LAST


@jit(boolean(i64, u64, nets_t))
def is_last(kind: Number, square: Square, nets: Any) -> bool:
    """Return whether a piece of the attacker there is the one that moves last.

    It is if it checks, and not on a line that another piece may have opened.
    """
    king = nets.mated
    if nets.is_stalemate or kind == KING_KIND:
        return False
    if not attacks_of(kind, square, ZERO) & king:
        return False
    return not is_slider(kind) or not BETWEEN[square, first_square(king)]


@jit(u64(u64, u64, u64))
def line_behind(king: Square, square: Square, occupied: Bitboard) -> Bitboard:
    """Return the squares from which a piece is pinned to the king, if by any.

    The first occupied square is the last.
    """
    here = ONE << square
    if BETWEEN[king, square] & occupied:
        return ZERO
    if DIAGONAL_LINES[king] & here:
        seen = diagonal_attacks(square, occupied)
    elif ORTHOGONAL_LINES[king] & here:
        seen = orthogonal_attacks(square, occupied)
    else:
        return ZERO
    behind = ZERO
    while seen:
        place = first_square(seen)
        seen &= seen - ONE
        if BETWEEN[king, place] & here:
            behind |= ONE << place
    return behind


@jit(boolean(u64, u64, nets_t))
def is_pinned(square: Square, behind: Bitboard, nets: Any) -> bool:
    """Return whether a placed piece on the line behind a piece pins it."""
    is_straight = ORTHOGONAL_LINES[first_square(nets.mated)] & (ONE << square) != ZERO
    for slot in range(nets.attackers):
        fate = nets.fates[slot]
        if fate < FREE and behind >> np.uint64(fate & 63) & ONE:
            kind = kind_placed(fate)
            return kind in (QUEEN_KIND, ROOK_KIND if is_straight else BISHOP_KIND)
    return False


# Ways to place a piece


@jit(void(i64, i64, u64, net_t, nets_t))
def add_way(slot: Number, fate: Number, clear: Bitboard, net: Net, nets: Any) -> None:
    """Add a way: the code of a slot, and the squares that must then be empty.

    A way for which the moves do not suffice is left out.
    """
    row = row_of(nets.kinds[slot], nets.squares[slot])
    need = np.uint64(needs_at(nets.needs)[row + fate])
    if not suffices(nets.limits, net.needs + need):
        return
    index = nets.ways
    if index == MOST_WAYS:
        nets.is_full = 1
        return
    nets.way_slots[index] = slot
    nets.way_fates[index] = fate
    nets.way_clear[index] = clear
    nets.ways = index + 1


@jit(i64(i64, net_t, nets_t), inline=True)
def end_of_kinds(slot: Number, net: Net, nets: Any) -> Number:
    """Return the end of the range of kinds that a slot may be, from its own kind on."""
    side = 1 if slot >= nets.attackers else 0
    own = nets.kinds[slot] - DEFENDING * side
    left = ((nets.limits - net.needs) >> MOVES[side]) & MOVE_BITS
    return own + 1 if left < np.uint64(nets.promotes[slot]) else KING_KIND


@jit(void(i64, i64, u64, u64, u64, net_t, nets_t))
def add_places(
    slot: Number,
    kind: Number,
    places: Bitboard,
    goal: Square,
    crossed: Bitboard,
    net: Net,
    nets: Any,
) -> None:
    """Add the ways to have a slot as a kind on any of these squares.

    The line from there to the goal has to be empty, but for the squares `crossed`.
    """
    places &= ~(net.attackers | net.defenders | net.clear)
    if kind == KING_KIND:
        places &= ~nets.field
    is_attacker = slot < nets.attackers
    while places:
        place = first_square(places)
        places &= places - ONE
        clear = BETWEEN[place, goal] & ~crossed if is_slider(kind) else ZERO
        group = kind
        if is_attacker and is_last(kind, place, nets):
            group += LAST
        add_way(slot, group * 64 + np.int64(place), clear, net, nets)


@jit(void(u64, net_t, nets_t))
def add_attacks(square: Square, net: Net, nets: Any) -> None:
    """Add the ways to attack a square, through the mated king if it is in between."""
    king = nets.mated
    occupied = (net.attackers | net.defenders) & ~king
    for slot in range(nets.attackers):
        if nets.fates[slot] != FREE:
            continue
        for kind in range(nets.kinds[slot], end_of_kinds(slot, net, nets)):
            if kind == PAWN_KIND:
                places = pawns_attacks_down(ONE << square)
            else:
                places = attacks_of(kind, square, occupied)
            add_places(slot, kind, places, square, king, net, nets)


@jit(void(u64, i64, i64, net_t, nets_t))
def add_blocks(
    squares: Bitboard, first: Number, end: Number, net: Net, nets: Any
) -> None:
    """Add the ways to place any free piece of some slots on any of these squares."""
    if not squares:
        return
    for slot in range(first, end):
        if nets.fates[slot] == FREE:
            own = nets.kinds[slot] - (DEFENDING if slot >= nets.attackers else 0)
            for kind in range(own, end_of_kinds(slot, net, nets)):
                add_places(slot, kind, squares, ZERO, ~ZERO, net, nets)


@jit(void(u64, u64, net_t, nets_t))
def add_pins(square: Square, behind: Bitboard, net: Net, nets: Any) -> None:
    """Add the ways to pin the defender's piece on a square from the line behind it."""
    if not behind:
        return
    king = first_square(nets.mated)
    here = ONE << square
    unfit = BISHOP_KIND if ORTHOGONAL_LINES[king] & here else ROOK_KIND
    for slot in range(nets.attackers):
        if nets.fates[slot] != FREE:
            continue
        for kind in range(nets.kinds[slot], end_of_kinds(slot, net, nets)):
            if is_slider(kind) and kind != unfit:
                add_places(slot, kind, behind, king, here, net, nets)


# Ways to stop a piece of the defender


@jit(u64(u64, u64), inline=True)
def _pushes(square: Square, occupied: Bitboard) -> Bitboard:
    """Return where a pawn of the defender can go without a capture."""
    step = (ONE << square) >> EIGHT & ~occupied
    return step | ((step & RANK_6) >> EIGHT & ~occupied)


@jit(boolean(i64, u64, net_t, nets_t))
def is_check_to_attacker(slot: Number, king: Bitboard, net: Net, nets: Any) -> bool:
    """Return whether a placed piece of the defender attacks the attacker's king.

    Adds the ways to put a piece in between.
    """
    square = np.uint64(nets.fates[slot] & 63)
    kind = nets.fates[slot] >> 6
    if kind == PAWN_KIND:
        reached = pawns_attacks_down(ONE << square)
    else:
        reached = attacks_of(kind, square, net.attackers | net.defenders)
    if not reached & king:
        return False
    if is_slider(kind):
        between = BETWEEN[square, first_square(king)]
        add_blocks(between, 0, nets.slots, net, nets)
    return True


@jit(boolean(i64, u64, net_t, nets_t))
def answers_check(slot: Number, answers: Bitboard, net: Net, nets: Any) -> bool:
    """Return whether a placed piece of the defender can answer the only check.

    `answers` are the squares where a piece ends the check. Adds the ways to stop it: a
    piece on its way, a pin, a second check.
    """
    king = first_square(nets.mated)
    square = np.uint64(nets.fates[slot] & 63)
    kind = nets.fates[slot] >> 6
    occupied = net.attackers | net.defenders
    if kind == PAWN_KIND:
        reached = pawns_attacks_down(ONE << square) & net.attackers
        reached |= _pushes(square, occupied)
    else:
        reached = attacks_of(kind, square, occupied)
    reached &= answers
    if not reached:
        return False
    behind = line_behind(king, square, occupied)
    if is_pinned(square, behind, nets):
        reached &= BETWEEN[king, square] | behind
        if not reached:
            return False
    if is_slider(kind) or kind == PAWN_KIND:
        between = BETWEEN[square, first_square(reached)]
        add_blocks(between, 0, nets.slots, net, nets)
    add_pins(square, behind, net, nets)
    add_attacks(king, net, nets)
    return True


@jit(boolean(i64, net_t, nets_t))
def can_step(slot: Number, net: Net, nets: Any) -> bool:
    """Return whether a placed piece of the defender can move, in a stalemate.

    Adds the ways to stop it: a piece in front of it, a pin. A piece that can move can
    move to the next square, so only these are considered.
    """
    king = first_square(nets.mated)
    square = np.uint64(nets.fates[slot] & 63)
    kind = nets.fates[slot] >> 6
    here = ONE << square
    occupied = net.attackers | net.defenders

    # 1. Where it can go; a capture or a step to an empty square cannot be prevented.
    if kind == PAWN_KIND:
        steps = here >> EIGHT & ~occupied
        captures = pawns_attacks_down(here) & net.attackers
    else:
        steps = knight_attacks(square)
        if kind != KNIGHT_KIND:
            steps = ZERO
            steps |= DIAGONAL_LINES[square] if kind != ROOK_KIND else ZERO
            steps |= ORTHOGONAL_LINES[square] if kind != BISHOP_KIND else ZERO
            steps &= king_attacks(square)
        steps &= ~net.defenders
        captures = steps & net.attackers
    behind = line_behind(king, square, occupied)
    if is_pinned(square, behind, nets):
        steps &= BETWEEN[king, square] | behind
        captures &= BETWEEN[king, square] | behind
        behind = ZERO
    if not steps | captures:
        return False

    # 2. Pin it, or block a step.
    add_pins(square, behind, net, nets)
    if not captures | (steps & net.clear):
        step = steps & (ZERO - steps)
        first = 0 if kind == PAWN_KIND else nets.attackers
        add_blocks(step, first, nets.slots, net, nets)
    return True
