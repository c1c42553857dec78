"""A position as eight words, and what a move makes of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.kernel.bitboards import (
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
from solver.kernel.jit import (
    Bitboard,
    Move,
    Square,
    boolean,
    first_square,
    jit,
    named_words,
    turn_over,
    u64,
)

# A move in 17 bits: origin (6), target (6), and what arrives on the target (5).
#
# What arrives is told as the boards that it stands in, so a queen is a diagonal and
# an orthogonal slider, and a promotion is an arrival like any other. Castling is the
# king's two-square move, a capture en passant a pawn's arrival on the en passant
# square; neither needs a mark. No legal move is 0.

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
    """Where the man comes from."""
    return move & SQUARE_BITS


@jit(u64(u64), inline=True)
def target(move: Move) -> Square:
    """Where it goes."""
    return (move >> SIX) & SQUARE_BITS


@jit(u64(u64), inline=True)
def arrival(move: Move) -> Move:
    """The boards in which the man stands after the move."""
    return (move >> ARRIVAL_SHIFT) & ARRIVAL_BITS


@jit(u64(u64, u64, u64), inline=True)
def encode(start: Square, end: Square, kind: Move) -> Move:
    """Pack a move."""
    return start | (end << SIX) | (kind << ARRIVAL_SHIFT)


@jit(u64(u64), inline=True)
def without_origin(move: Move) -> Move:
    """What arrives, and where, whatever it came from; below ARRIVALS."""
    return move >> SIX


class Position(NamedTuple):
    """A position seen by the side to move, which moves up the board.

    Each field is a bitboard. A queen stands in both slider boards. `rights` holds the
    rooks that may still castle (corner squares) and, on the sixth rank, the square
    where a pawn can be taken en passant; it is set only when a pawn stands ready to
    take there.
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


@jit(position_t(position_t), inline=True)
def flipped(position: Position) -> Position:
    """The same men seen by the other side."""
    return Position(
        turn_over(position.pawns),
        turn_over(position.knights),
        turn_over(position.diagonal),
        turn_over(position.orthogonal),
        turn_over(position.kings),
        turn_over(position.them),
        turn_over(position.us),
        turn_over(position.rights),
    )


@jit(position_t(position_t), inline=True)
def after_null_move(position: Position) -> Position:
    """The position after no move at all."""
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
    """`men` without the squares `left`, and with `arrived` if it is of that kind."""
    return (pieces & ~left) | (arrived if kind else ZERO)


@jit(position_t(position_t, u64), inline=True)
def make(position: Position, move: Move) -> Position:
    """The position after a legal move, seen by the other side."""
    start = ONE << origin(move)
    arrived = ONE << target(move)
    span = start | arrived
    kind = arrival(move)
    pawns = _moved(position.pawns, span, arrived, kind & PAWN)
    orthogonal = _moved(position.orthogonal, span, arrived, kind & ORTHOGONAL)
    us = (position.us & ~start) | arrived
    them = position.them & ~arrived
    # A right goes with the square of its rook, whatever moved from or to it.
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
    """Their men that attack `square`, which would be ours, given the occupancy."""
    return position.them & (
        (pawns_attacks_up(ONE << square) & position.pawns)
        | (knight_attacks(square) & position.knights)
        | (king_attacks(square) & position.kings)
        | (diagonal_attacks(square, occupied) & position.diagonal)
        | (orthogonal_attacks(square, occupied) & position.orthogonal)
    )


@jit(u64(position_t), inline=True)
def checkers(position: Position) -> Bitboard:
    """Their men that give check to our king."""
    king = first_square(position.kings & position.us)
    return attackers_of_us(position, king, position.us | position.them)


@jit(boolean(position_t), inline=True)
def leaves_king_attacked(position: Position) -> bool:
    """Whether the side that has just moved left its king to be taken."""
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
