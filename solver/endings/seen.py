"""Which endings one solver has met, and which endgame tables it has probed."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import chess

from solver.endings.men import read_placement

if TYPE_CHECKING:
    from solver.endings.men import Men

    Pieces: TypeAlias = frozenset[Men]
    """The pieces of an ending, the same in either colour: as each side attacks."""


class SeenEndings:
    """The endings that one solver has met.

    A solver begins with none, whatever tables others in the same process have built,
    so that what its answers cost depends on its own problems alone.
    """

    def __init__(self) -> None:
        self._first: dict[Pieces, tuple[str, chess.Color]] = {}
        self._probed: set[Men] = set()

    def is_further(self, board: chess.Board) -> bool:
        """Note a position; return whether another of the same pieces came first."""
        pieces = frozenset(read_placement(board, side).men for side in chess.COLORS)
        position = board.board_fen(), board.turn
        return self._first.setdefault(pieces, position) != position

    def note_probe(self, board: chess.Board, attacker: chess.Color) -> None:
        """Note that the table of an ending was probed."""
        self._probed.add(read_placement(board, attacker).men)

    def was_probed(self, board: chess.Board, attacker: chess.Color) -> bool:
        """Whether the table of an ending was probed, or a bare king needs none."""
        is_bare = chess.popcount(board.occupied_co[attacker]) == 1
        return is_bare or read_placement(board, attacker).men in self._probed
