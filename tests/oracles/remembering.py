"""Mate in n by its definition, with a memory: for mates too long for the naive oracle.

What is proved of a position is kept, shorter mates are looked for before longer ones,
checks are tried first, and the last move of the attacker must be one.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    import chess


class Oracle:
    """Answers to "mate in n?" that remember one another."""

    def __init__(self) -> None:
        self._longest_refuted: defaultdict[Hashable, int] = defaultdict(int)
        self._shortest_mate: dict[Hashable, int] = {}

    def mate_in(self, board: chess.Board, n: int) -> bool:
        """Whether the side to move mates within `n` of its moves."""
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
        """Whether the side to move is mated within `n` moves of its opponent."""
        if not any(board.legal_moves):
            return board.is_check()
        return n > 0 and all(self.mate_in(after, n) for after in _successors(board))

    def keys(self, board: chess.Board, n: int) -> set[str]:
        """First moves, in UCI notation, that mate within `n` moves, n at least 1."""
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
