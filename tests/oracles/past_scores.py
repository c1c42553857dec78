"""What material has scored, read from plain counts with python-chess and fractions.

Counts are White's results by the name of the material, such as `KRPvKR`: positions from
games that White won, drew and lost.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.kernel.border.scored_struct import MipUse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solver.laboratory.techniques import Techniques

PAWNS = {"Q": 9, "R": 5, "B": 3, "N": 3, "P": 1, "K": 0}
MOST = {"Q": 1, "R": 2, "B": 2, "N": 2, "P": 8, "K": 1}


class Counts(NamedTuple):
    """Positions from games that White won, drew and lost."""

    won: int
    drawn: int
    lost: int


NONE = Counts(0, 0, 0)


class PastScores:
    """The scores that one search reads."""

    def __init__(self, counts: Mapping[str, Counts], techniques: Techniques) -> None:
        self._counts = counts
        self._use = techniques.mip
        self._positions = techniques.mip_positions

    def per_cent(self, board: chess.Board, *, is_white: bool) -> int | None:
        """Return what the side to move has scored, None if that is not known.

        Parameters
        ----------
        board : chess.Board
            As the side to move sees it: it has the white pieces.
        is_white : bool
            Whether that side is White in the game.
        """
        ours, theirs = pieces(board, chess.WHITE), pieces(board, chess.BLACK)
        balance = sum(PAWNS[piece] for piece in ours)
        balance -= sum(PAWNS[piece] for piece in theirs)
        if abs(balance) <= 1 or any(
            side.count(piece) > most
            for side in (ours, theirs)
            for piece, most in MOST.items()
        ):
            return None
        if MipUse.WHITE not in self._use:
            white = self._counts.get(f"{ours}v{theirs}", NONE)
            black = self._counts.get(f"{theirs}v{ours}", NONE)
            return self._score(
                Counts(*map(sum, zip(white, reversed(black), strict=True)))
            )
        if is_white:
            return self._score(self._counts.get(f"{ours}v{theirs}", NONE))
        score = self._score(self._counts.get(f"{theirs}v{ours}", NONE))
        return None if score is None else 100 - score

    def _score(self, counts: Counts) -> int | None:
        number = sum(counts)
        if number == 0:
            return None
        score = 100 * Fraction(2 * counts.won + counts.drawn, 2 * number)
        if MipUse.CURVE in self._use:
            trust = Fraction(number, number + self._positions)
            return rounded(50 + (score - 50) * trust)
        if number < self._positions:
            return None
        if MipUse.ROUNDED in self._use or score in {0, 100}:
            return rounded(score)
        return min(max(rounded(score), 1), 99)


def pieces(board: chess.Board, color: chess.Color) -> str:
    """Return the letters of a side's pieces, the king's first."""
    return "".join(
        letter * len(board.pieces(kind, color))
        for letter, kind in (
            ("K", chess.KING),
            ("Q", chess.QUEEN),
            ("R", chess.ROOK),
            ("B", chess.BISHOP),
            ("N", chess.KNIGHT),
            ("P", chess.PAWN),
        )
    )


def rounded(number: Fraction) -> int:
    """Round to the nearest whole number, halves up."""
    return floor(number + Fraction(1, 2))
