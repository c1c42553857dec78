"""Mates of an attacker who keeps to a lane, by their definition: no pruning.

The attacker plays only moves that the lane admits. One that mates is among them by the
definitions themselves: it checks, and leaves neither flights nor replies.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import chess

from tests.oracles.remembering import Oracle

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator


@dataclass
class LaneGame:
    """What the attacker is restricted to, and answers that remember one another.

    Attributes
    ----------
    checks_only : bool
    king_flights, replies, threat : int or None
        None restricts nothing.
    """

    checks_only: bool = False
    king_flights: int | None = None
    replies: int | None = None
    threat: int | None = None
    _mates: dict[Hashable, int] = field(default_factory=dict)
    _refuted: defaultdict[Hashable, int] = field(
        default_factory=lambda: defaultdict(int)
    )
    _anywhere: Oracle = field(default_factory=Oracle)

    def mate_in(self, board: chess.Board, n: int) -> bool:
        """Whether the side to move mates within `n` of its moves, all in the lane."""
        position = board._transposition_key()
        if position in self._mates:
            return self._mates[position] <= n
        for moves in range(self._refuted[position] + 1, n + 1):
            if any(self.mated_in(after, moves - 1) for after in self.attacks(board)):
                self._mates[position] = moves
                return True
            self._refuted[position] = moves
        return False

    def mated_in(self, board: chess.Board, n: int) -> bool:
        """Whether the side to move is mated within `n` moves of its opponent's."""
        if not any(board.legal_moves):
            return board.is_check()
        return n > 0 and all(self.mate_in(after, n) for after in _successors(board))

    def keys(self, board: chess.Board, n: int) -> set[str]:
        """First moves, in UCI notation, that mate within `n` moves in the lane."""
        return {
            after.peek().uci()
            for after in self.attacks(board)
            if self.mated_in(after, n - 1)
        }

    def attacks(self, board: chess.Board) -> Iterator[chess.Board]:
        """Yield what the admitted moves lead to."""
        return filter(self.admits, _successors(board))

    def admits(self, after: chess.Board) -> bool:
        """Whether the move that led here is in the lane; the defender is to move."""
        if self.checks_only and not after.is_check():
            return False
        replies = list(after.legal_moves)
        if self.replies is not None and len(replies) > self.replies:
            return False
        if self.king_flights is not None:
            king = after.king(after.turn)
            flights = sum(
                reply.from_square == king and not after.is_castling(reply)
                for reply in replies
            )
            if flights > self.king_flights:
                return False
        return self.threat is None or after.is_check() or self._threatens(after)

    def _threatens(self, after: chess.Board) -> bool:
        passed = after.copy(stack=False)
        passed.push(chess.Move.null())
        return self._anywhere.mate_in(passed, self.threat or 0)


def _successors(board: chess.Board) -> Iterator[chess.Board]:
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        yield after
