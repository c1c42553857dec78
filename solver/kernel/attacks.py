"""Which squares a man attacks.

Sliders by hyperbola quintessence (Dillon, "o ^ (o - 2r)"): subtracting the slider from
the line's occupancy flips the bits up to the first blocker; the same on the board
turned over gives the other direction. Turning over leaves a rank as it is, so ranks are
looked up.
"""

from __future__ import annotations

import numpy as np

from solver.kernel.bitboards import (
    EIGHT,
    FALLING_DIAGONALS,
    FILES,
    KING_ATTACKS,
    KNIGHT_ATTACKS,
    NINE,
    NOT_FILE_A,
    NOT_FILE_H,
    NOT_FILES_AB,
    NOT_FILES_GH,
    ONE,
    RANK_ATTACKS,
    RISING_DIAGONALS,
    SEVEN,
    SIXTEEN,
    TWO,
)
from solver.kernel.intrinsics import turn_over
from solver.kernel.jit import Bitboard, Square, jit, u64

INNER_FILES = np.uint64(63)
RANK_OF = np.uint64(56)


@jit(u64(u64), inline=True)
def king_attacks(square: Square) -> Bitboard:
    """Squares that a king on `square` attacks."""
    return KING_ATTACKS[square]


@jit(u64(u64), inline=True)
def knight_attacks(square: Square) -> Bitboard:
    """Squares that a knight on `square` attacks."""
    return KNIGHT_ATTACKS[square]


@jit(u64(u64), inline=True)
def knights_attacks(knights: Bitboard) -> Bitboard:
    """Squares that any of the knights attacks."""
    one_file = ((knights >> ONE) & NOT_FILE_H) | ((knights << ONE) & NOT_FILE_A)
    two_files = ((knights >> TWO) & NOT_FILES_GH) | ((knights << TWO) & NOT_FILES_AB)
    return (
        (one_file << SIXTEEN)
        | (one_file >> SIXTEEN)
        | (two_files << EIGHT)
        | (two_files >> EIGHT)
    )


@jit(u64(u64), inline=True)
def pawns_attacks_up(pawns: Bitboard) -> Bitboard:
    """Squares that our pawns attack."""
    return ((pawns & NOT_FILE_A) << SEVEN) | ((pawns & NOT_FILE_H) << NINE)


@jit(u64(u64), inline=True)
def pawns_attacks_down(pawns: Bitboard) -> Bitboard:
    """Squares that their pawns attack; equally, where pawns of ours attack these."""
    return ((pawns & NOT_FILE_A) >> NINE) | ((pawns & NOT_FILE_H) >> SEVEN)


@jit(u64(u64, u64, u64), inline=True)
def _line_attacks(slider: Bitboard, occupied: Bitboard, line: Bitboard) -> Bitboard:
    blockers = occupied & line
    upwards = blockers - slider
    downwards = turn_over(turn_over(blockers) - turn_over(slider))
    return (upwards ^ downwards) & line


@jit(u64(u64, u64), inline=True)
def diagonal_attacks(square: Square, occupied: Bitboard) -> Bitboard:
    """Squares that a bishop on `square` attacks, the first blockers included."""
    slider = ONE << square
    return _line_attacks(slider, occupied, RISING_DIAGONALS[square]) | _line_attacks(
        slider, occupied, FALLING_DIAGONALS[square]
    )


@jit(u64(u64, u64), inline=True)
def orthogonal_attacks(square: Square, occupied: Bitboard) -> Bitboard:
    """Squares that a rook on `square` attacks, the first blockers included."""
    rank = square & RANK_OF
    inner = (occupied >> (rank + ONE)) & INNER_FILES
    along_rank = RANK_ATTACKS[inner, square & SEVEN] << rank
    return along_rank | _line_attacks(ONE << square, occupied, FILES[square])
