"""What pieces need to get to their places in a net, and the ways to place further ones.

A *need* is a word of several counters, so that the needs of all pieces of a net are
added, and compared with what is left, in one operation each. The bit above a counter is
a guard, which is zero in every sum:

    bits   counter                                     at most
    0-4    moves of the attacker                       its moves left
    6-10   moves of the defender                       its moves left
    12-15  the defender's pieces that have a place,    the defender's pieces
           and captures by the attacker's pawns
    17-20  the same of the other side                  the attacker's pieces
    22-25  the defender's pieces that are captured     the attacker's moves left

Kings are not among the pieces. Needs are those of an empty board, so they are never too
large: pieces in the way cost nothing, and a pawn captures wherever it likes. Castling
is one move, and only the king needs it: a rook in its corner is also on the square
where castling takes it, having made no move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.kernel.border import search_struct
from solver.kernel.build.jit import first_square, inlined, jit, needs_at
from solver.kernel.build.words import Bitboard, Nets, Number, Square, Word
from solver.kernel.rules import bitboards

# Needs

# Kinds of slots: the attacker's, the defender's, and a piece that was captured.
PAWN_KIND, KNIGHT_KIND, BISHOP_KIND, ROOK_KIND, QUEEN_KIND, KING_KIND = range(6)
DEFENDING = 6
GONE = 12

# Codes of what becomes of a slot: 64 * group + square, or one of the last two. A group
# below FAR is the kind of the piece there.
FAR = 6
"""A king that is not beside the square."""
LAST = 7
"""Added to a kind: the piece makes the last move."""
FREE = 12 * 64
CAPTURED = FREE + 1

# The shifts of the counters, by side, the attacker first.
MOVES = (np.uint64(0), np.uint64(6))
STAYS = (np.uint64(17), np.uint64(12))
TAKES = (np.uint64(12), np.uint64(17))
TAKEN = np.uint64(22)
GUARDS = np.uint64(1 << 5 | 1 << 11 | 1 << 16 | 1 << 21 | 1 << 26)
MOVE_BITS = np.uint64(31)
PIECE_BITS = np.uint64(15)
NEVER = search_struct.MOST_NET_MOVES + 1
"""Moves of a need that cannot be met."""

LIGHT_SQUARES = np.uint64(0x55AA_55AA_55AA_55AA)
TO_RANK_8 = np.uint64(56)


@inlined
def limits_of(attacks: Number, replies: Number, ours: Number, theirs: Number) -> Word:
    """Return the most that needs may add up to.

    Parameters
    ----------
    attacks, replies : int64
        The moves that the attacker and the defender have left.
    ours, theirs : int64
        Their pieces besides the king, at most 15.
    """
    return (
        np.uint64(attacks)
        | (np.uint64(replies) << MOVES[1])
        | (np.uint64(theirs) << TAKES[0])
        | (np.uint64(ours) << TAKES[1])
        | (np.uint64(attacks) << TAKEN)
    )


@inlined
def suffices(limits: Word, needs: Word) -> bool:
    """Return whether no counter of the needs is above its limit."""
    return ((limits | GUARDS) - needs) & GUARDS == GUARDS


@inlined
def row_of(kind: Number, square: Number) -> Number:
    """Return where the needs of a kind on a square begin."""
    return (kind * 64 + square) * search_struct.NEED_CODES


@jit
def _write(
    nets: Nets, row: Number, group: Number, squares: Bitboard, need: Word
) -> None:
    """Write the need of a piece that has to be on one of these squares."""
    needs = needs_at(nets.needs)
    while squares:
        needs[row + group * 64 + np.int64(first_square(squares))] = np.uint32(need)
        squares &= squares - bitboards.ONE


@jit
def _reached(kind: Number, squares: Bitboard, moves: Number) -> Bitboard:
    """Return where a piece may be after one move more than `moves`."""
    if kind == KNIGHT_KIND:
        return bitboards.knights_attacks(squares)
    if kind == KING_KIND:
        return bitboards.beside(squares)
    if moves:
        if kind != BISHOP_KIND:
            return bitboards.ALL
        return LIGHT_SQUARES if squares & LIGHT_SQUARES else ~LIGHT_SQUARES
    reached: Bitboard = bitboards.ZERO
    while squares:
        square = first_square(squares)
        squares &= squares - bitboards.ONE
        if kind != ROOK_KIND:
            reached |= bitboards.DIAGONAL_LINES[square]
        if kind != BISHOP_KIND:
            reached |= bitboards.ORTHOGONAL_LINES[square]
    return reached


@jit
def _fill_piece(nets: Nets, kind: Number, side: Number, square: Number) -> None:
    """Write the needs of a piece on a square; pawns are left out."""
    row = row_of(kind + DEFENDING * side, square)
    here = bitboards.ONE << np.uint64(square)
    rank = TO_RANK_8 if side else bitboards.ZERO
    long = nets.rights & bitboards.A1 << rank
    short = nets.rights & bitboards.H1 << rank

    # 1. Castling is a move of the king, so the rook has both squares at once.
    known = here
    castled = bitboards.ZERO
    if kind == ROOK_KIND:
        known |= bitboards.D1 << rank if here & long else bitboards.ZERO
        known |= bitboards.F1 << rank if here & short else bitboards.ZERO
    elif kind == KING_KIND and here == bitboards.E1 << rank:
        castled |= bitboards.C1 << rank if long else bitboards.ZERO
        castled |= bitboards.G1 << rank if short else bitboards.ZERO

    # 2. Move by move. Who moves last and is there already comes back: from where it
    #    castled to, or from where it has to go first.
    back_after = 2 if known == here else 1
    stays = bitboards.ZERO if kind == KING_KIND else bitboards.ONE << STAYS[side]
    fresh = known
    for moves in range(search_struct.MOST_NET_MOVES + 1):
        need = np.uint64(moves) << MOVES[side] | stays
        _write(nets, row, kind, fresh, need)
        if kind != KING_KIND:
            back = here if moves == back_after else bitboards.ZERO
            _write(nets, row, kind + LAST, fresh & ~here | back, need)
        fresh = (_reached(kind, known, moves) | castled) & ~known
        castled = bitboards.ZERO
        known |= fresh

    # 3. A king that is far from a square.
    if kind == KING_KIND:
        near = bitboards.beside(here)
        _write(nets, row, FAR, ~near, bitboards.ZERO)
        _write(nets, row, FAR, near, bitboards.ONE << MOVES[side])


@jit
def _lower(
    nets: Nets, index: Number, side: Number, moves: Number, takes: Number
) -> None:
    """Lower a need to the fewest moves and the fewest captures of several ways."""
    needs = needs_at(nets.needs)
    known = np.uint64(needs[index])
    least = np.int64((known >> MOVES[side]) & MOVE_BITS)
    if least < NEVER:
        moves = min(moves, least)
        takes = min(takes, np.int64((known >> TAKES[side]) & PIECE_BITS))
    need = np.uint64(moves) << MOVES[side] | np.uint64(takes) << TAKES[side]
    needs[index] = np.uint32(need | bitboards.ONE << STAYS[side])


@jit
def _fill_pawn(nets: Nets, side: Number, square: Number) -> None:
    """Write the needs of a pawn on a square; those of other pieces are known."""
    needs = needs_at(nets.needs)
    row = row_of(DEFENDING * side, square)
    rank = 7 - (square >> 3) if side else square >> 3
    for end in range(64):
        end_rank = 7 - (end >> 3) if side else end >> 3
        moves = end_rank - rank
        takes = abs((end & 7) - (square & 7))
        if moves < takes or (moves == 0 and end != square):
            continue
        if rank == 1 and takes <= moves - 2:  # a double step
            moves -= 1
        if end_rank < 7:
            _lower(nets, row + PAWN_KIND * 64 + end, side, moves, takes)
            if moves:
                _lower(nets, row + (PAWN_KIND + LAST) * 64 + end, side, moves, takes)
            continue
        for kind in range(KNIGHT_KIND, KING_KIND):
            promoted = row_of(kind + DEFENDING * side, end) + kind * 64
            for place in range(64):
                onward = np.uint64(needs[promoted + place])
                total = moves + np.int64((onward >> MOVES[side]) & MOVE_BITS)
                if total < NEVER:
                    index = row + kind * 64 + place
                    _lower(nets, index, side, total, takes)
                    _lower(nets, index + LAST * 64, side, total, takes)


@jit
def fill_needs(nets: Nets) -> None:
    """Write the needs of all kinds that the slots may have, on all squares."""
    needs = needs_at(nets.needs)
    # 1. No need can be met but by the ways that follow.
    for kind in range(GONE + 1):
        side = 1 if DEFENDING <= kind < GONE else 0
        never = np.uint32(np.uint64(NEVER) << MOVES[side])
        for square in range(64):
            row = row_of(kind, square)
            for code in range(FREE):
                needs[row + code] = never
            needs[row + FREE] = np.uint32(0)
            needs[row + CAPTURED] = np.uint32(
                bitboards.ONE << TAKEN if side else bitboards.ZERO
            )

    # 2. Pieces, then pawns, which may promote to them.
    for side in range(2):
        for square in range(64):
            for kind in range(KNIGHT_KIND, KING_KIND + 1):
                if nets.all_kinds >> np.uint64(kind + DEFENDING * side) & bitboards.ONE:
                    _fill_piece(nets, kind, side, square)
        for square in range(8, 56):
            if nets.pawn_squares[side] >> np.uint64(square) & bitboards.ONE:
                _fill_pawn(nets, side, square)


# Ways
#
# They close what a net leaves open: further pieces and their places. `net_list` takes
# them one after another. What is open is judged with the placed pieces alone. All
# others can only close lines, so a placed piece never attacks less here than in the
# final position.


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


# The placed pieces


@jit
def attacks_of(kind: Number, square: Square, occupied: Bitboard) -> Bitboard:
    """Return what a piece attacks; a pawn is the attacker's."""
    if kind == PAWN_KIND:
        return bitboards.pawns_attacks_up(bitboards.ONE << square)
    if kind == KNIGHT_KIND:
        return bitboards.knight_attacks(square)
    if kind == KING_KIND:
        return bitboards.king_attacks(square)
    reached = bitboards.ZERO
    if kind != ROOK_KIND:
        reached |= bitboards.diagonal_attacks(square, occupied)
    if kind != BISHOP_KIND:
        reached |= bitboards.orthogonal_attacks(square, occupied)
    return reached


@inlined
def is_slider(kind: Number) -> bool:
    """Return whether a kind is a bishop, rook or queen."""
    return BISHOP_KIND <= kind <= QUEEN_KIND


@inlined
def kind_placed(fate: Number) -> Number:
    """Return the kind of a placed piece."""
    group = fate >> 6
    return group if group < FAR else group - LAST


@jit
def is_last(kind: Number, square: Square, nets: Nets) -> bool:
    """Return whether a piece of the attacker there is the one that moves last.

    It is if it checks, and not on a line that another piece may have opened.
    """
    king = nets.mated
    if nets.is_stalemate or kind == KING_KIND:
        return False
    if not attacks_of(kind, square, bitboards.ZERO) & king:
        return False
    return not is_slider(kind) or not bitboards.BETWEEN[square, first_square(king)]


@jit
def line_behind(king: Square, square: Square, occupied: Bitboard) -> Bitboard:
    """Return the squares from which a piece is pinned to the king, if by any.

    They end with the first occupied square.
    """
    here = bitboards.ONE << square
    if bitboards.BETWEEN[king, square] & occupied:
        return bitboards.ZERO
    if bitboards.DIAGONAL_LINES[king] & here:
        seen = bitboards.diagonal_attacks(square, occupied)
    elif bitboards.ORTHOGONAL_LINES[king] & here:
        seen = bitboards.orthogonal_attacks(square, occupied)
    else:
        return bitboards.ZERO
    behind = bitboards.ZERO
    while seen:
        place = first_square(seen)
        seen &= seen - bitboards.ONE
        if bitboards.BETWEEN[king, place] & here:
            behind |= bitboards.ONE << place
    return behind


@jit
def is_pinned(square: Square, behind: Bitboard, nets: Nets) -> bool:
    """Return whether a placed piece on the line behind a piece pins it."""
    is_straight = (
        bitboards.ORTHOGONAL_LINES[first_square(nets.mated)] & (bitboards.ONE << square)
        != bitboards.ZERO
    )
    for slot in range(nets.attackers):
        fate = nets.fates[slot]
        if fate < FREE and behind >> np.uint64(fate & 63) & bitboards.ONE:
            kind = kind_placed(fate)
            return kind in (QUEEN_KIND, ROOK_KIND if is_straight else BISHOP_KIND)
    return False


# Ways to place a piece


@jit
def add_way(slot: Number, fate: Number, clear: Bitboard, net: Net, nets: Nets) -> None:
    """Add a way: the code of a slot, and the squares that must then be empty.

    A way for which the moves do not suffice is left out.
    """
    row = row_of(nets.kinds[slot], nets.squares[slot])
    need = np.uint64(needs_at(nets.needs)[row + fate])
    if not suffices(nets.limits, net.needs + need):
        return
    index = nets.ways
    if index == search_struct.MOST_WAYS:
        nets.is_full = 1
        return
    nets.way_slots[index] = slot
    nets.way_fates[index] = fate
    nets.way_clear[index] = clear
    nets.ways = index + 1


@inlined
def end_of_kinds(slot: Number, net: Net, nets: Nets) -> Number:
    """Return the end of the range of kinds that a slot may be, from its own kind on."""
    side = 1 if slot >= nets.attackers else 0
    own = nets.kinds[slot] - DEFENDING * side
    left = ((nets.limits - net.needs) >> MOVES[side]) & MOVE_BITS
    return own + 1 if left < np.uint64(nets.promotes[slot]) else KING_KIND


@jit
def add_places(
    slot: Number,
    kind: Number,
    places: Bitboard,
    goal: Square,
    crossed: Bitboard,
    net: Net,
    nets: Nets,
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
        places &= places - bitboards.ONE
        clear = (
            bitboards.BETWEEN[place, goal] & ~crossed
            if is_slider(kind)
            else bitboards.ZERO
        )
        group = kind
        if is_attacker and is_last(kind, place, nets):
            group += LAST
        add_way(slot, group * 64 + np.int64(place), clear, net, nets)


@jit
def add_attacks(square: Square, net: Net, nets: Nets) -> None:
    """Add the ways to attack a square, through the mated king if it is in between."""
    king = nets.mated
    occupied = (net.attackers | net.defenders) & ~king
    for slot in range(nets.attackers):
        if nets.fates[slot] != FREE:
            continue
        for kind in range(nets.kinds[slot], end_of_kinds(slot, net, nets)):
            if kind == PAWN_KIND:
                places = bitboards.pawns_attacks_down(bitboards.ONE << square)
            else:
                places = attacks_of(kind, square, occupied)
            add_places(slot, kind, places, square, king, net, nets)


@jit
def add_blocks(
    squares: Bitboard, first: Number, end: Number, net: Net, nets: Nets
) -> None:
    """Add the ways to place any free piece of some slots on any of these squares."""
    if not squares:
        return
    for slot in range(first, end):
        if nets.fates[slot] == FREE:
            own = nets.kinds[slot] - (DEFENDING if slot >= nets.attackers else 0)
            for kind in range(own, end_of_kinds(slot, net, nets)):
                add_places(
                    slot, kind, squares, bitboards.ZERO, ~bitboards.ZERO, net, nets
                )


@jit
def add_pins(square: Square, behind: Bitboard, net: Net, nets: Nets) -> None:
    """Add the ways to pin the defender's piece on a square from the line behind it."""
    if not behind:
        return
    king = first_square(nets.mated)
    here = bitboards.ONE << square
    unfit = BISHOP_KIND if bitboards.ORTHOGONAL_LINES[king] & here else ROOK_KIND
    for slot in range(nets.attackers):
        if nets.fates[slot] != FREE:
            continue
        for kind in range(nets.kinds[slot], end_of_kinds(slot, net, nets)):
            if is_slider(kind) and kind != unfit:
                add_places(slot, kind, behind, king, here, net, nets)


# Ways to stop a piece of the defender


@inlined
def _pushes(square: Square, occupied: Bitboard) -> Bitboard:
    """Return where a pawn of the defender can go without a capture."""
    step = (bitboards.ONE << square) >> bitboards.EIGHT & ~occupied
    return step | ((step & bitboards.RANK_6) >> bitboards.EIGHT & ~occupied)


@jit
def is_check_to_attacker(slot: Number, king: Bitboard, net: Net, nets: Nets) -> bool:
    """Return whether a placed piece of the defender attacks the attacker's king.

    Adds the ways to put a piece in between.
    """
    square = np.uint64(nets.fates[slot] & 63)
    kind = nets.fates[slot] >> 6
    if kind == PAWN_KIND:
        reached = bitboards.pawns_attacks_down(bitboards.ONE << square)
    else:
        reached = attacks_of(kind, square, net.attackers | net.defenders)
    if not reached & king:
        return False
    if is_slider(kind):
        between = bitboards.BETWEEN[square, first_square(king)]
        add_blocks(between, 0, nets.slots, net, nets)
    return True


@jit
def answers_check(slot: Number, answers: Bitboard, net: Net, nets: Nets) -> bool:
    """Return whether a placed piece of the defender can answer the only check.

    `answers` are the squares where a piece ends the check. Adds the ways to stop it: a
    piece on its way, a pin, a second check.
    """
    king = first_square(nets.mated)
    square = np.uint64(nets.fates[slot] & 63)
    kind = nets.fates[slot] >> 6
    occupied = net.attackers | net.defenders
    if kind == PAWN_KIND:
        reached = bitboards.pawns_attacks_down(bitboards.ONE << square) & net.attackers
        reached |= _pushes(square, occupied)
    else:
        reached = attacks_of(kind, square, occupied)
    reached &= answers
    if not reached:
        return False
    behind = line_behind(king, square, occupied)
    if is_pinned(square, behind, nets):
        reached &= bitboards.BETWEEN[king, square] | behind
        if not reached:
            return False
    if is_slider(kind) or kind == PAWN_KIND:
        between = bitboards.BETWEEN[square, first_square(reached)]
        add_blocks(between, 0, nets.slots, net, nets)
    add_pins(square, behind, net, nets)
    add_attacks(king, net, nets)
    return True


@jit
def can_step(slot: Number, net: Net, nets: Nets) -> bool:
    """Return whether a placed piece of the defender can move, in a stalemate.

    Adds the ways to stop it: a piece in front of it, a pin. A piece that can move can
    move to the next square, so only these are considered.
    """
    king = first_square(nets.mated)
    square = np.uint64(nets.fates[slot] & 63)
    kind = nets.fates[slot] >> 6
    here = bitboards.ONE << square
    occupied = net.attackers | net.defenders

    # 1. Where it can go; a capture or a step to an empty square cannot be prevented.
    if kind == PAWN_KIND:
        steps = here >> bitboards.EIGHT & ~occupied
        captures = bitboards.pawns_attacks_down(here) & net.attackers
    else:
        steps = bitboards.knight_attacks(square)
        if kind != KNIGHT_KIND:
            steps = bitboards.ZERO
            steps |= (
                bitboards.DIAGONAL_LINES[square]
                if kind != ROOK_KIND
                else bitboards.ZERO
            )
            steps |= (
                bitboards.ORTHOGONAL_LINES[square]
                if kind != BISHOP_KIND
                else bitboards.ZERO
            )
            steps &= bitboards.king_attacks(square)
        steps &= ~net.defenders
        captures = steps & net.attackers
    behind = line_behind(king, square, occupied)
    if is_pinned(square, behind, nets):
        steps &= bitboards.BETWEEN[king, square] | behind
        captures &= bitboards.BETWEEN[king, square] | behind
        behind = bitboards.ZERO
    if not steps | captures:
        return False

    # 2. Pin it, or block a step.
    add_pins(square, behind, net, nets)
    if not captures | (steps & net.clear):
        step = steps & (bitboards.ZERO - steps)
        first = 0 if kind == PAWN_KIND else nets.attackers
        add_blocks(step, first, nets.slots, net, nets)
    return True
