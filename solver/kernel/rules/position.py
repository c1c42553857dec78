"""A position as eight words, moves as 17 bits, and making a move.

A move is its origin (6 bits), its target (6 bits) and the boards that have the piece
after the move (5 bits). A queen is on both slider boards, and a promotion is an arrival
like any other. Castling is the king's move over two squares; a capture en passant is a
pawn's arrival on the en passant square. Neither needs a flag. No legal move is 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.kernel.build.jit import (
    Bitboard,
    Move,
    Square,
    boolean,
    first_square,
    flip,
    jit,
    named_words,
    pointer,
    u64,
    void,
)
from solver.kernel.rules.bitboards import (
    A1,
    C1,
    CORNERS,
    D1,
    E1,
    EIGHT,
    F1,
    G1,
    H1,
    NOT_FILE_A,
    NOT_FILE_H,
    ONE,
    RANK_1,
    RANK_6,
    SIX,
    SIXTEEN,
    ZERO,
    diagonal_attacks,
    king_attacks,
    knight_attacks,
    orthogonal_attacks,
    pawns_attacks_down,
    pawns_attacks_up,
)

# Moves

PAWN = np.uint64(1)
KNIGHT = np.uint64(2)
DIAGONAL = np.uint64(4)
ORTHOGONAL = np.uint64(8)
QUEEN = np.uint64(12)
KING = np.uint64(16)

NO_MOVE = np.uint64(0)
SQUARE_BITS = np.uint64(63)
ARRIVAL_SHIFT = np.uint64(12)
ARRIVAL_BITS = np.uint64(31)
MOVE_BITS = np.uint64((1 << 17) - 1)


@jit(u64(u64), inline=True)
def origin(move: Move) -> Square:
    """Return the square that the piece comes from."""
    return move & SQUARE_BITS


@jit(u64(u64), inline=True)
def target(move: Move) -> Square:
    """Return the square that the piece goes to."""
    return (move >> SIX) & SQUARE_BITS


@jit(u64(u64), inline=True)
def arrival(move: Move) -> Move:
    """Return the boards that have the piece after the move."""
    return (move >> ARRIVAL_SHIFT) & ARRIVAL_BITS


@jit(u64(u64, u64, u64), inline=True)
def encode(start: Square, end: Square, kind: Move) -> Move:
    """Encode a move."""
    return start | (end << SIX) | (kind << ARRIVAL_SHIFT)


@jit(u64(u64), inline=True)
def without_origin(move: Move) -> Move:
    """Return what arrives and where, without its origin; less than ARRIVALS."""
    return move >> SIX


# Positions


class Position(NamedTuple):
    """A position seen by the side to move, which moves up the board.

    Each field is a bitboard. `rights` has the rooks that may still castle (corner
    squares) and, on the sixth rank, the en passant square. That square is set only if a
    pawn is beside the pawn that can be taken.
    """

    pawns: Bitboard
    knights: Bitboard
    diagonal: Bitboard
    orthogonal: Bitboard
    kings: Bitboard
    us: Bitboard
    them: Bitboard
    rights: Bitboard


position_t = named_words(Position)


@jit(position_t(pointer(u64)), inline=True)
def position_at(words: Any) -> Position:
    """Return the position whose eight words a pointer points to."""
    return Position(
        words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7]
    )


@jit(void(pointer(u64), position_t))
def write_position(words: Any, position: Position) -> None:
    """Write a position's fields to the eight words that a pointer points to."""
    words[0] = position.pawns
    words[1] = position.knights
    words[2] = position.diagonal
    words[3] = position.orthogonal
    words[4] = position.kings
    words[5] = position.us
    words[6] = position.them
    words[7] = position.rights


@jit(position_t(position_t), inline=True)
def flipped(position: Position) -> Position:
    """Return the same position seen by the other side, which is to move."""
    return Position(
        flip(position.pawns),
        flip(position.knights),
        flip(position.diagonal),
        flip(position.orthogonal),
        flip(position.kings),
        flip(position.them),
        flip(position.us),
        flip(position.rights),
    )


@jit(position_t(position_t), inline=True)
def after_null_move(position: Position) -> Position:
    """Return the position after a null move."""
    return flipped(
        Position(
            position.pawns,
            position.knights,
            position.diagonal,
            position.orthogonal,
            position.kings,
            position.us,
            position.them,
            position.rights & CORNERS,
        )
    )


@jit(u64(u64, u64, u64, u64), inline=True)
def _moved(pieces: Bitboard, left: Bitboard, arrived: Bitboard, kind: Move) -> Bitboard:
    """Return `pieces` without the squares `left`, with `arrived` if `kind` is set."""
    return (pieces & ~left) | (arrived if kind else ZERO)


@jit(position_t(position_t, u64), inline=True)
def make(position: Position, move: Move) -> Position:
    """Return the position after a move, seen by the other side.

    The move is pseudo-legal; see `leaves_king_attacked`.
    """
    start = ONE << origin(move)
    arrived = ONE << target(move)
    span = start | arrived
    kind = arrival(move)
    pawns = _moved(position.pawns, span, arrived, kind & PAWN)
    orthogonal = _moved(position.orthogonal, span, arrived, kind & ORTHOGONAL)
    us = (position.us & ~start) | arrived
    them = position.them & ~arrived
    # Any move from or to a rook's corner ends the right to castle with it.
    rights = position.rights & CORNERS & ~span
    if kind & PAWN:
        if arrived == start << SIXTEEN:
            beside = ((arrived & NOT_FILE_H) << ONE) | ((arrived & NOT_FILE_A) >> ONE)
            if beside & pawns & them:
                rights |= start << EIGHT
        elif arrived & position.rights & RANK_6:
            pawns &= ~(arrived >> EIGHT)
            them &= ~(arrived >> EIGHT)
    elif kind & KING:
        rights &= ~RANK_1
        if start == E1:
            rook = ZERO
            if arrived == G1 and position.rights & H1:
                rook = H1 | F1
            elif arrived == C1 and position.rights & A1:
                rook = A1 | D1
            orthogonal ^= rook
            us ^= rook
    return flipped(
        Position(
            pawns,
            _moved(position.knights, span, arrived, kind & KNIGHT),
            _moved(position.diagonal, span, arrived, kind & DIAGONAL),
            orthogonal,
            _moved(position.kings, span, arrived, kind & KING),
            us,
            them,
            rights,
        )
    )


@jit(u64(position_t, u64, u64), inline=True)
def attackers_of_us(position: Position, square: Square, occupied: Bitboard) -> Bitboard:
    """Return their pieces that attack `square`, given the occupancy."""
    return position.them & (
        (pawns_attacks_up(ONE << square) & position.pawns)
        | (knight_attacks(square) & position.knights)
        | (king_attacks(square) & position.kings)
        | (diagonal_attacks(square, occupied) & position.diagonal)
        | (orthogonal_attacks(square, occupied) & position.orthogonal)
    )


@jit(u64(position_t), inline=True)
def checkers(position: Position) -> Bitboard:
    """Return their pieces that give check to our king."""
    king = first_square(position.kings & position.us)
    return attackers_of_us(position, king, position.us | position.them)


@jit(boolean(position_t), inline=True)
def leaves_king_attacked(position: Position) -> bool:
    """Return whether the side that has just moved left its king in check."""
    king = position.kings & position.them
    square = first_square(king)
    occupied = position.us | position.them
    return bool(
        position.us
        & (
            (pawns_attacks_down(king) & position.pawns)
            | (knight_attacks(square) & position.knights)
            | (king_attacks(square) & position.kings)
            | (diagonal_attacks(square, occupied) & position.diagonal)
            | (orthogonal_attacks(square, occupied) & position.orthogonal)
        )
    )
