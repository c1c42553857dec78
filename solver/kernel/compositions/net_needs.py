"""What a piece needs to get to its place in a net: moves, captures, its life.

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

from typing import Any

import numpy as np

from solver.kernel.border.help_memory import MOST_NET_MOVES, NEED_CODES
from solver.kernel.build.jit import (
    Bitboard,
    Number,
    boolean,
    first_square,
    i64,
    jit,
    needs_at,
    nets_t,
    u64,
    void,
)
from solver.kernel.rules.bitboards import (
    A1,
    ALL,
    C1,
    D1,
    DIAGONAL_LINES,
    E1,
    F1,
    G1,
    H1,
    ONE,
    ORTHOGONAL_LINES,
    ZERO,
    beside,
    knights_attacks,
)

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
NEVER = MOST_NET_MOVES + 1
"""Moves of a need that cannot be met."""

LIGHT_SQUARES = np.uint64(0x55AA_55AA_55AA_55AA)
TO_RANK_8 = np.uint64(56)


@jit(u64(i64, i64, i64, i64), inline=True)
def limits_of(attacks: Number, replies: Number, ours: Number, theirs: Number) -> Any:
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


@jit(boolean(u64, u64), inline=True)
def suffices(limits: Any, needs: Any) -> bool:
    """Return whether no counter of the needs is above its limit."""
    return ((limits | GUARDS) - needs) & GUARDS == GUARDS


@jit(i64(i64, i64), inline=True)
def row_of(kind: Number, square: Number) -> Number:
    """Return where the needs of a kind on a square begin."""
    return (kind * 64 + square) * NEED_CODES


@jit(void(nets_t, i64, i64, u64, u64))
def _write(nets: Any, row: Number, group: Number, squares: Bitboard, need: Any) -> None:
    """Write the need of a piece that has to be on one of these squares."""
    needs = needs_at(nets.needs)
    while squares:
        needs[row + group * 64 + np.int64(first_square(squares))] = np.uint32(need)
        squares &= squares - ONE


@jit(u64(i64, u64, i64))
def _reached(kind: Number, squares: Bitboard, moves: Number) -> Bitboard:
    """Return where a piece may be after one move more than `moves`."""
    if kind == KNIGHT_KIND:
        return knights_attacks(squares)
    if kind == KING_KIND:
        return beside(squares)
    if moves:
        if kind != BISHOP_KIND:
            return ALL
        return LIGHT_SQUARES if squares & LIGHT_SQUARES else ~LIGHT_SQUARES
    reached: Bitboard = ZERO
    while squares:
        square = first_square(squares)
        squares &= squares - ONE
        if kind != ROOK_KIND:
            reached |= DIAGONAL_LINES[square]
        if kind != BISHOP_KIND:
            reached |= ORTHOGONAL_LINES[square]
    return reached


@jit(void(nets_t, i64, i64, i64))
def _fill_piece(nets: Any, kind: Number, side: Number, square: Number) -> None:
    """Write the needs of a piece on a square; pawns are left out."""
    row = row_of(kind + DEFENDING * side, square)
    here = ONE << np.uint64(square)
    rank = TO_RANK_8 if side else ZERO
    long = nets.rights & A1 << rank
    short = nets.rights & H1 << rank

    # 1. Castling is a move of the king, so the rook has both squares at once.
    known = here
    castled = ZERO
    if kind == ROOK_KIND:
        known |= D1 << rank if here & long else ZERO
        known |= F1 << rank if here & short else ZERO
    elif kind == KING_KIND and here == E1 << rank:
        castled |= C1 << rank if long else ZERO
        castled |= G1 << rank if short else ZERO

    # 2. Move by move. Who moves last and is there already comes back: from where it
    #    castled to, or from where it has to go first.
    back_after = 2 if known == here else 1
    stays = ZERO if kind == KING_KIND else ONE << STAYS[side]
    fresh = known
    for moves in range(MOST_NET_MOVES + 1):
        need = np.uint64(moves) << MOVES[side] | stays
        _write(nets, row, kind, fresh, need)
        if kind != KING_KIND:
            back = here if moves == back_after else ZERO
            _write(nets, row, kind + LAST, fresh & ~here | back, need)
        fresh = (_reached(kind, known, moves) | castled) & ~known
        castled = ZERO
        known |= fresh

    # 3. A king that is far from a square.
    if kind == KING_KIND:
        near = beside(here)
        _write(nets, row, FAR, ~near, ZERO)
        _write(nets, row, FAR, near, ONE << MOVES[side])


@jit(void(nets_t, i64, i64, i64, i64))
def _lower(
    nets: Any, index: Number, side: Number, moves: Number, takes: Number
) -> None:
    """Lower a need to the fewest moves and the fewest captures of several ways."""
    needs = needs_at(nets.needs)
    known = np.uint64(needs[index])
    least = np.int64((known >> MOVES[side]) & MOVE_BITS)
    if least < NEVER:
        moves = min(moves, least)
        takes = min(takes, np.int64((known >> TAKES[side]) & PIECE_BITS))
    need = np.uint64(moves) << MOVES[side] | np.uint64(takes) << TAKES[side]
    needs[index] = np.uint32(need | ONE << STAYS[side])


@jit(void(nets_t, i64, i64))
def _fill_pawn(nets: Any, side: Number, square: Number) -> None:
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


@jit(void(nets_t))
def fill_needs(nets: Any) -> None:
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
            needs[row + CAPTURED] = np.uint32(ONE << TAKEN if side else ZERO)

    # 2. Pieces, then pawns, which may promote to them.
    for side in range(2):
        for square in range(64):
            for kind in range(KNIGHT_KIND, KING_KIND + 1):
                if nets.all_kinds >> np.uint64(kind + DEFENDING * side) & ONE:
                    _fill_piece(nets, kind, side, square)
        for square in range(8, 56):
            if nets.pawn_squares[side] >> np.uint64(square) & ONE:
                _fill_pawn(nets, side, square)
