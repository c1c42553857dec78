"""The kernel with a table of its own, and what it answers."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from solver.board import pack_board, unpack_move
from solver.kernel.border.interface import (
    NO_LIMIT,
    Decision,
)
from solver.kernel.border.search_struct import Search
from solver.problem import Stipulation
from solver.stipulations import Battle as Genre
from tests.oracles import stipulated

if TYPE_CHECKING:
    import chess

    from solver.kernel.border.interface import Kernel


BUCKET_BYTES = 64
FEW_BUCKETS = 1 << 12


class Asked:
    """The kernel with a search and its table; `forget` empties the table."""

    def __init__(
        self, kernel: Kernel, buckets: int = FEW_BUCKETS, **fields: Any
    ) -> None:
        self.kernel = kernel
        self._memory = (ctypes.c_char * (buckets * BUCKET_BYTES))()
        table = ctypes.addressof(self._memory)
        self.search = Search(
            node_limit=NO_LIMIT, table=table, buckets=buckets, generation=1, **fields
        )

    def forget(self) -> None:
        self.search.generation += 1

    def decide(self, board: chess.Board, moves: int, *, attacking: bool) -> Decision:
        return self.kernel.mates_within(
            pack_board(board), self.search, moves, attacking=attacking
        )

    def reaches(self, board: chess.Board, moves: int, *, attacking: bool) -> bool:
        verdict = self.decide(board, moves, attacking=attacking)
        assert verdict is not Decision.STOPPED
        return verdict is Decision.MATE

    def answers(self, board: chess.Board, most: int) -> list[bool]:
        """Return the answers for 1 to `most` moves, then, defending, 0 to `most`."""
        self.forget()
        return [
            *(self.reaches(board, n, attacking=True) for n in range(1, most + 1)),
            *(self.reaches(board, n, attacking=False) for n in range(most + 1)),
        ]

    def solving(self, board: chess.Board, moves: int) -> list[str]:
        words = self.kernel.solving_moves(pack_board(board), self.search, moves)
        assert words is not None
        return [unpack_move(board, word).uci() for word in words]

    def refutations(self, board: chess.Board, moves: int, most: int = 256) -> list[str]:
        words = self.kernel.refutations(pack_board(board), self.search, moves, most)
        assert words is not None
        return [unpack_move(board, word).uci() for word in words]


EXACT = "exact-#"
EVERY = (*stipulated.STIPULATIONS, EXACT)
"""The names of all stipulations, without their numbers."""


class Battle(Asked):
    """The battle kernel, asked about one stipulation."""

    def __init__(self, kernel: Kernel, name: str, buckets: int = FEW_BUCKETS) -> None:
        self.stipulation = Stipulation.parse(f"{name}1")
        super().__init__(kernel, buckets, play=Genre(self.stipulation).play)

    def decide(self, board: chess.Board, moves: int, *, attacking: bool) -> Decision:
        return self.kernel.reaches_within(
            pack_board(board), self.search, moves, attacking=attacking
        )
