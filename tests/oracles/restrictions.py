"""Mates under a restriction of the attacker, by their definition and without pruning.

The attacker plays only moves that the restriction admits. Every mating move is allowed,
because it gives check and leaves neither flights nor replies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess

from tests.oracles.naive import successors
from tests.oracles.remembering import Oracle

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass
class RestrictedGame(Oracle):
    """A restriction of the attacker, None restricts nothing; "mate in n" under it."""

    checks_only: bool = False
    king_flights: int | None = None
    replies: int | None = None
    threat: int | None = None

    def __post_init__(self) -> None:
        super().__init__()
        self._anywhere = Oracle()

    def attacks(self, board: chess.Board, moves: int) -> Iterable[chess.Board]:
        """Return the positions after the allowed moves, however many are left."""
        assert moves > 0
        return [after for _, after in successors(board) if self.admits(after)]

    def admits(self, after: chess.Board) -> bool:
        """Return whether the move that led here is allowed; the defender is to move."""
        if self.checks_only and not after.is_check():
            return False
        replies = list(after.legal_moves)
        if self.replies is not None and len(replies) > self.replies:
            return False
        king = after.king(after.turn)
        flights = sum(
            reply.from_square == king and not after.is_castling(reply)
            for reply in replies
        )
        if self.king_flights is not None and flights > self.king_flights:
            return False
        if self.threat is None or after.is_check():
            return True
        null = after.copy(stack=False)
        null.push(chess.Move.null())
        return self._anywhere.mate_in(null, self.threat)
