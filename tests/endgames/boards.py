"""Small endgames by name, and random positions of them."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import TYPE_CHECKING

import chess

if TYPE_CHECKING:
    from collections.abc import Iterator

THREE_PIECES = ("KQvK", "KRvK", "KBvK", "KNvK")

TWO_AGAINST_KING = (
    *("KQQvK", "KQRvK", "KQBvK", "KQNvK", "KRRvK"),
    *("KRBvK", "KRNvK", "KBBvK", "KBNvK", "KNNvK"),
)

ONE_AGAINST_ONE = tuple(f"K{ours}vK{theirs}" for ours in "QRBN" for theirs in "QRBN")

ENDINGS = THREE_PIECES + TWO_AGAINST_KING + ONE_AGAINST_ONE


def random_boards(
    name: str, count: int, seed: int
) -> Iterator[tuple[chess.Board, chess.Color]]:
    """Yield legal positions, either side to move, with the attacker of either colour.

    The attacker has the pieces that the name lists first.
    """
    return islice(_boards(name, Random(seed)), count)


def _boards(name: str, random: Random) -> Iterator[tuple[chess.Board, chess.Color]]:
    ours, theirs = name.split("v")
    while True:
        attacker = random.choice(chess.COLORS)
        pieces = [(symbol, attacker) for symbol in ours]
        pieces += [(symbol, not attacker) for symbol in theirs]
        board = chess.Board(None)
        board.turn = random.choice(chess.COLORS)
        squares = random.sample(chess.SQUARES, len(pieces))
        for square, (symbol, color) in zip(squares, pieces, strict=True):
            kind = chess.Piece.from_symbol(symbol).piece_type
            board.set_piece_at(square, chess.Piece(kind, color))
        if board.is_valid():
            yield board, attacker
