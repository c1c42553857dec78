"""Mate in n by its definition, with a table, for mates too long for the naive oracle.

It keeps what is proved of a position, searches shorter mates before longer ones and
checks before other moves. The attacker's last move must be a check.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tests.oracles.naive import successors

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

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
            if any(
                self.mated_in(after, moves - 1) for after in self.attacks(board, moves)
            ):
                self._shortest_mate[position] = moves
                return True
            self._longest_refuted[position] = moves
        return False

    def mated_in(self, board: chess.Board, n: int) -> bool:
        """Return whether the side to move is mated within `n` moves of its opponent."""
        if not any(board.legal_moves):
            return board.is_check()
        return n > 0 and all(self.mate_in(after, n) for _, after in successors(board))

    def keys(self, board: chess.Board, n: int) -> set[str]:
        """Return the keys, in UCI notation, of a mate within `n` (>= 1) moves."""
        return {
            after.peek().uci()
            for after in self.attacks(board, n)
            if self.mated_in(after, n - 1)
        }

    def attacks(self, board: chess.Board, moves: int) -> Iterable[chess.Board]:
        """Return the positions after the attacker's moves, checks first."""
        after = [after for _, after in successors(board)]
        checks = [each for each in after if each.is_check()]
        return checks + [each for each in after if not each.is_check() and moves > 1]
