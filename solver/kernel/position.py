"""A position as eight words, and what a move makes of it."""

from __future__ import annotations

from typing import NamedTuple

from solver.kernel.attacks import (
    diagonal_attacks,
    king_attacks,
    knight_attacks,
    orthogonal_attacks,
    pawns_attacks_down,
    pawns_attacks_up,
)
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
    SIXTEEN,
    ZERO,
)
from solver.kernel.intrinsics import first_square, turn_over
from solver.kernel.jit import Bitboard, Move, Square, boolean, jit, named_words, u64
from solver.kernel.moves import (
    DIAGONAL,
    KING,
    KNIGHT,
    ORTHOGONAL,
    PAWN,
    arrival,
    origin,
    target,
)


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
def turned(position: Position) -> Position:
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
def passed(position: Position) -> Position:
    """The position after no move at all."""
    return turned(
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
def _settled(men: Bitboard, left: Bitboard, arrived: Bitboard, kind: Move) -> Bitboard:
    """`men` without the squares `left`, and with `arrived` if it is of that kind."""
    return (men & ~left) | (arrived if kind else ZERO)


@jit(position_t(position_t, u64), inline=True)
def make(position: Position, move: Move) -> Position:
    """The position after a legal move, seen by the other side."""
    start = ONE << origin(move)
    arrived = ONE << target(move)
    span = start | arrived
    kind = arrival(move)
    pawns = _settled(position.pawns, span, arrived, kind & PAWN)
    orthogonal = _settled(position.orthogonal, span, arrived, kind & ORTHOGONAL)
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
    return turned(
        Position(
            pawns,
            _settled(position.knights, span, arrived, kind & KNIGHT),
            _settled(position.diagonal, span, arrived, kind & DIAGONAL),
            orthogonal,
            _settled(position.kings, span, arrived, kind & KING),
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
