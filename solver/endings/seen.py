"""Which endings one solver has met, and which endgame tables it has probed."""

from __future__ import annotations

from typing import TypeAlias

import chess

Pieces: TypeAlias = tuple[int, ...]
"""How many queens, rooks, bishops and knights the attacker has, then the defender."""


class SeenEndings:
    """The endings that one solver has met.

    A solver begins with none, whatever tables others in the same process have built,
    so that what its answers cost depends on its own problems alone.
    """

    def __init__(self) -> None:
        self._first: dict[Pieces, tuple[int, ...]] = {}
        self._probed: set[Pieces] = set()

    def is_further(self, board: chess.Board) -> bool:
        """Note a position; return whether another of the same pieces came first.

        Pieces are the same in either colour.
        """
        pieces = max(_pieces(board, side) for side in chess.COLORS)
        # Without pawns and castling rights, this is all of a position.
        position = (
            *(board.turn, board.occupied_co[chess.WHITE], board.occupied, board.kings),
            *(board.queens, board.rooks, board.bishops),
        )
        return self._first.setdefault(pieces, position) != position

    def note_probe(self, board: chess.Board, attacker: chess.Color) -> None:
        """Note that the table of an ending was probed."""
        self._probed.add(_pieces(board, attacker))

    def was_probed(self, board: chess.Board, attacker: chess.Color) -> bool:
        """Whether the table of an ending was probed, or a bare king needs none."""
        pieces = _pieces(board, attacker)
        return not any(pieces[: len(pieces) // 2]) or pieces in self._probed


def _pieces(board: chess.Board, attacker: chess.Color) -> Pieces:
    kinds = (board.queens, board.rooks, board.bishops, board.knights)
    ours, theirs = board.occupied_co[attacker], board.occupied_co[not attacker]
    return tuple(
        chess.popcount(kind & side) for side in (ours, theirs) for kind in kinds
    )
