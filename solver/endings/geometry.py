"""What men see on an empty board, or on one with a single blocker, as arrays."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import chess
import numpy as np

if TYPE_CHECKING:
    from solver.endgames.table import Words

STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
SLIDES = {
    chess.BISHOP: DIAGONAL,
    chess.ROOK: STRAIGHT,
    chess.QUEEN: STRAIGHT + DIAGONAL,
}
"""Steps of a slider, in ranks and files."""

LEAPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
"""Leaps of a knight, in ranks and files."""

SQUARES: Words = np.uint64(1) << np.arange(64, dtype=np.uint64)
"""The word of each square."""

KING_STEPS: Words = np.array(chess.BB_KING_ATTACKS, np.uint64)
"""The squares that a king reaches from each square."""

BETWEEN: Words = np.array(
    [[chess.between(a, b) for b in chess.SQUARES] for a in chess.SQUARES], np.uint64
)
"""The squares strictly between two squares of one line."""


@cache
def sight(kind: chess.PieceType) -> Words:
    """Give what a man sees with one blocker on the board.

    Several blockers leave it what it sees with each of them.

    Returns
    -------
    ndarray of uint64, shape (64, 64)
        By the squares of man and blocker, the blocker's own square seen too. Where
        both are the same, nothing blocks.
    """
    seen = np.empty((64, 64), np.uint64)
    for square in chess.SQUARES:
        for blocker in chess.SQUARES:
            board = chess.BaseBoard(None)
            board.set_piece_at(blocker, chess.Piece(chess.PAWN, chess.WHITE))
            board.set_piece_at(square, chess.Piece(kind, chess.WHITE))
            seen[square, blocker] = board.attacks_mask(square)
    return seen


def has_square(words: Words, square: int | Words) -> Words:
    """Tell which of the words have the bit of a square: all bits set, or none."""
    bit = (words >> np.asarray(square, np.uint64)) & np.uint64(1)
    return np.uint64(0) - bit
