"""Mates under a restriction of the attacker, by their definition and without pruning.

The attacker plays only moves that the restriction admits. Every mating move is allowed,
because it gives check and leaves neither flights nor replies.
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
class RestrictedGame:
    """A restriction of the attacker; answers "mate in n?" and keeps what it proved.

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
        """Return whether the side to move mates within `n` of its allowed moves."""
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
        """Return whether the side to move is mated within `n` of their moves."""
        if not any(board.legal_moves):
            return board.is_check()
        return n > 0 and all(self.mate_in(after, n) for after in _successors(board))

    def keys(self, board: chess.Board, n: int) -> set[str]:
        """Return the allowed first moves, in UCI notation, that mate within `n`."""
        return {
            after.peek().uci()
            for after in self.attacks(board)
            if self.mated_in(after, n - 1)
        }

    def attacks(self, board: chess.Board) -> Iterator[chess.Board]:
        """Yield the positions after the allowed moves."""
        return filter(self.admits, _successors(board))

    def admits(self, after: chess.Board) -> bool:
        """Return whether the move that led here is allowed; the defender is to move."""
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
        null = after.copy(stack=False)
        null.push(chess.Move.null())
        return self._anywhere.mate_in(null, self.threat or 0)


def _successors(board: chess.Board) -> Iterator[chess.Board]:
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        yield after
