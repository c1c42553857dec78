"""Mate in n by its definition, with a table, for mates too long for the naive oracle.

It keeps what is proved of a position, searches shorter mates before longer ones and
checks before other moves. The attacker's last move must be a check.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    import chess


class Oracle:
    """Answers "mate in n?" and keeps what it has proved."""

    def __init__(self) -> None:
        self._longest_refuted: defaultdict[Hashable, int] = defaultdict(int)
        self._shortest_mate: dict[Hashable, int] = {}

    def mate_in(self, board: chess.Board, n: int) -> bool:
        """Return whether the side to move mates within `n` of its moves."""
        position = board._transposition_key()
        if position in self._shortest_mate:
            return self._shortest_mate[position] <= n
        for moves in range(self._longest_refuted[position] + 1, n + 1):
            if any(self.mated_in(after, moves - 1) for after in _tries(board, moves)):
                self._shortest_mate[position] = moves
                return True
            self._longest_refuted[position] = moves
        return False

    def mated_in(self, board: chess.Board, n: int) -> bool:
        """Return whether the side to move is mated within `n` moves of its opponent."""
        if not any(board.legal_moves):
            return board.is_check()
        return n > 0 and all(self.mate_in(after, n) for after in _successors(board))

    def keys(self, board: chess.Board, n: int) -> set[str]:
        """Return the keys, in UCI notation, of a mate within `n` (>= 1) moves."""
        return {
            after.peek().uci()
            for after in _tries(board, n)
            if self.mated_in(after, n - 1)
        }


def _tries(board: chess.Board, moves: int) -> list[chess.Board]:
    successors = list(_successors(board))
    checks = [after for after in successors if after.is_check()]
    quiet = [after for after in successors if not after.is_check()]
    return checks + quiet if moves > 1 else checks


def _successors(board: chess.Board) -> Iterator[chess.Board]:
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        yield after
