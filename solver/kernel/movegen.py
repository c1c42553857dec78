"""Legal moves: nothing is generated that would have to be taken back.

Pins and checks are found first (`Restrictions`); then every man is moved within them.
`generate` lists the moves, `count` only counts them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.kernel.attacks import (
    diagonal_attacks,
    king_attacks,
    knight_attacks,
    orthogonal_attacks,
    pawns_attacks_down,
)
from solver.kernel.bitboards import (
    A1,
    C1,
    EIGHT,
    G1,
    H1,
    LONG_CASTLING_EMPTY,
    LONG_CASTLING_SAFE,
    NINE,
    NOT_FILE_A,
    NOT_FILE_H,
    ONE,
    RANK_3,
    RANK_6,
    RANK_8,
    SEVEN,
    SHORT_CASTLING_EMPTY,
    SHORT_CASTLING_SAFE,
    SIXTEEN,
    ZERO,
)
from solver.kernel.intrinsics import first_square, population
from solver.kernel.jit import (
    ROW,
    Bitboard,
    Move,
    Number,
    Square,
    boolean,
    i64,
    jit,
    named_words,
    u64,
)
from solver.kernel.moves import (
    DIAGONAL,
    KING,
    KNIGHT,
    ORTHOGONAL,
    PAWN,
    QUEEN,
    encode,
)
from solver.kernel.position import (
    Position,
    attackers_of_us,
    position_t,
)
from solver.kernel.restrictions import Restrictions, restrictions, restrictions_t

NONE = np.int64(0)
ONE_MOVE = np.int64(1)
PROMOTIONS = np.int64(4)
MORE_PROMOTIONS = np.int64(3)


class PawnTargets(NamedTuple):
    """Where our pawns may go, one board a kind of move, so that the origin is known."""

    single: Bitboard
    double: Bitboard
    left: Bitboard
    right: Bitboard


pawn_targets_t = named_words(PawnTargets)


@jit(pawn_targets_t(position_t, restrictions_t), inline=True)
def pawn_targets(position: Position, limits: Restrictions) -> PawnTargets:
    """Pawn moves within the pins and the check, en passant left out."""
    empty = ~(position.us | position.them)
    pawns = position.pawns & position.us
    unpinned = pawns & ~(limits.diagonal_pins | limits.orthogonal_pins)
    # A pawn on a pin line may go where the same line leads it.
    along = ((pawns & limits.orthogonal_pins) << EIGHT) & limits.orthogonal_pins
    single = ((unpinned << EIGHT) | along) & empty
    double = ((single & RANK_3) << EIGHT) & empty
    pinned = pawns & limits.diagonal_pins
    left = ((unpinned & NOT_FILE_A) << SEVEN) | (
        ((pinned & NOT_FILE_A) << SEVEN) & limits.diagonal_pins
    )
    right = ((unpinned & NOT_FILE_H) << NINE) | (
        ((pinned & NOT_FILE_H) << NINE) & limits.diagonal_pins
    )
    takeable = position.them & limits.parries
    return PawnTargets(
        single & limits.parries,
        double & limits.parries,
        left & takeable,
        right & takeable,
    )


@jit(boolean(position_t, u64, u64), inline=True)
def en_passant_is_legal(position: Position, pawn: Bitboard, passed: Bitboard) -> bool:
    """Whether our king is safe after `pawn` takes on the square `passed`.

    Two men leave their squares at once, which no pin line tells; so look again.
    """
    taken = passed >> EIGHT
    occupied = ((position.us | position.them) ^ pawn ^ taken) | passed
    king = first_square(position.kings & position.us)
    return not (attackers_of_us(position, king, occupied) & ~taken)


@jit(u64(position_t), inline=True)
def en_passant_takers(position: Position) -> Bitboard:
    """Our pawns that stand beside the pawn that can be taken en passant."""
    return pawns_attacks_down(position.rights & RANK_6) & position.pawns & position.us


@jit(u64(position_t, restrictions_t), inline=True)
def castling_targets(position: Position, limits: Restrictions) -> Bitboard:
    """Where our king goes by castling."""
    targets = ZERO
    occupied = position.us | position.them
    if position.rights & H1 and not (
        occupied & SHORT_CASTLING_EMPTY | limits.danger & SHORT_CASTLING_SAFE
    ):
        targets |= G1
    if position.rights & A1 and not (
        occupied & LONG_CASTLING_EMPTY | limits.danger & LONG_CASTLING_SAFE
    ):
        targets |= C1
    return targets


@jit(i64(ROW, i64, u64, u64, u64), inline=True)
def _emit(
    moves: np.ndarray, size: Number, start: Square, targets: Bitboard, kind: Move
) -> Number:
    """Append a move to each target; return the new size."""
    while targets:
        moves[size] = encode(start, first_square(targets), kind)
        size += ONE_MOVE
        targets &= targets - ONE
    return size


@jit(i64(ROW, i64, u64, u64), inline=True)
def _emit_pawns(
    moves: np.ndarray, size: Number, targets: Bitboard, step: Square
) -> Number:
    """Append the pawn moves to the targets, which lie `step` above their origins."""
    promoting = targets & RANK_8
    targets ^= promoting
    while targets:
        end = first_square(targets)
        moves[size] = encode(end - step, end, PAWN)
        size += ONE_MOVE
        targets &= targets - ONE
    while promoting:
        end = first_square(promoting)
        moves[size] = encode(end - step, end, QUEEN)
        moves[size + np.int64(1)] = encode(end - step, end, KNIGHT)
        moves[size + np.int64(2)] = encode(end - step, end, ORTHOGONAL)
        moves[size + np.int64(3)] = encode(end - step, end, DIAGONAL)
        size += PROMOTIONS
        promoting &= promoting - ONE
    return size


@jit(u64(position_t, restrictions_t, u64), inline=True)
def diagonal_targets(
    position: Position, limits: Restrictions, slider: Bitboard
) -> Bitboard:
    """Where a bishop goes that is not pinned to a file or rank."""
    reached = diagonal_attacks(first_square(slider), position.us | position.them)
    return reached & limits.diagonal_pins if slider & limits.diagonal_pins else reached


@jit(u64(position_t, restrictions_t, u64), inline=True)
def orthogonal_targets(
    position: Position, limits: Restrictions, slider: Bitboard
) -> Bitboard:
    """Where a rook goes that is not pinned to a diagonal."""
    reached = orthogonal_attacks(first_square(slider), position.us | position.them)
    return (
        reached & limits.orthogonal_pins if slider & limits.orthogonal_pins else reached
    )


@jit(i64(position_t, ROW))
def generate(position: Position, moves: np.ndarray) -> Number:
    """List the legal moves.

    Parameters
    ----------
    position : Position
    moves : uint64 array, shape (MAX_LEGAL_MOVES,)
        Overwritten from its start.

    Returns
    -------
    int64
        How many there are.
    """
    limits = restrictions(position)
    king = first_square(position.kings & position.us)
    targets = king_attacks(king) & ~position.us & ~limits.danger
    if not limits.checkers:
        targets |= castling_targets(position, limits)
    size = _emit(moves, NONE, king, targets, KING)
    if not limits.parries:  # double check
        return size

    pawns = pawn_targets(position, limits)
    size = _emit_pawns(moves, size, pawns.single, EIGHT)
    size = _emit_pawns(moves, size, pawns.double, SIXTEEN)
    size = _emit_pawns(moves, size, pawns.left, SEVEN)
    size = _emit_pawns(moves, size, pawns.right, NINE)
    takers = en_passant_takers(position)
    while takers:
        passed = position.rights & RANK_6
        pawn = takers & (ZERO - takers)
        takers ^= pawn
        if en_passant_is_legal(position, pawn, passed):
            size = _emit(moves, size, first_square(pawn), passed, PAWN)

    allowed = ~position.us & limits.parries
    knights = position.knights & position.us
    knights &= ~(limits.diagonal_pins | limits.orthogonal_pins)
    while knights:
        start = first_square(knights)
        size = _emit(moves, size, start, knight_attacks(start) & allowed, KNIGHT)
        knights &= knights - ONE
    sliders = position.diagonal & position.us & ~limits.orthogonal_pins
    while sliders:
        slider = sliders & (ZERO - sliders)
        sliders ^= slider
        targets = diagonal_targets(position, limits, slider) & allowed
        kind = QUEEN if position.orthogonal & slider else DIAGONAL
        size = _emit(moves, size, first_square(slider), targets, kind)
    sliders = position.orthogonal & position.us & ~limits.diagonal_pins
    while sliders:
        slider = sliders & (ZERO - sliders)
        sliders ^= slider
        targets = orthogonal_targets(position, limits, slider) & allowed
        kind = QUEEN if position.diagonal & slider else ORTHOGONAL
        size = _emit(moves, size, first_square(slider), targets, kind)
    return size


@jit(i64(position_t, restrictions_t), inline=True)
def count_within(position: Position, limits: Restrictions) -> Number:
    """How many legal moves there are, for whoever has found the restrictions."""
    king = first_square(position.kings & position.us)
    targets = king_attacks(king) & ~position.us & ~limits.danger
    if not limits.checkers:
        targets |= castling_targets(position, limits)
    size = population(targets)
    if not limits.parries:
        return size

    pawns = pawn_targets(position, limits)
    size += population(pawns.single) + population(pawns.double)
    size += population(pawns.left) + population(pawns.right)
    promoting = (pawns.single | pawns.left | pawns.right) & RANK_8
    if promoting:
        size += MORE_PROMOTIONS * (
            population(pawns.single & RANK_8)
            + population(pawns.left & RANK_8)
            + population(pawns.right & RANK_8)
        )
    takers = en_passant_takers(position)
    while takers:
        pawn = takers & (ZERO - takers)
        takers ^= pawn
        if en_passant_is_legal(position, pawn, position.rights & RANK_6):
            size += ONE_MOVE

    allowed = ~position.us & limits.parries
    knights = position.knights & position.us
    knights &= ~(limits.diagonal_pins | limits.orthogonal_pins)
    while knights:
        size += population(knight_attacks(first_square(knights)) & allowed)
        knights &= knights - ONE
    sliders = position.diagonal & position.us & ~limits.orthogonal_pins
    while sliders:
        slider = sliders & (ZERO - sliders)
        sliders ^= slider
        size += population(diagonal_targets(position, limits, slider) & allowed)
    sliders = position.orthogonal & position.us & ~limits.diagonal_pins
    while sliders:
        slider = sliders & (ZERO - sliders)
        sliders ^= slider
        size += population(orthogonal_targets(position, limits, slider) & allowed)
    return size


@jit(i64(position_t))
def count(position: Position) -> Number:
    """How many legal moves there are, without listing them."""
    return count_within(position, restrictions(position))
