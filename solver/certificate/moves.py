"""The kernel's moves and positions as a proof needs them: played, listed and named."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import chess

from solver.kernel.loader import load_kernel
from solver.kernel.memory import Position, Search

if TYPE_CHECKING:
    from collections.abc import Iterator

_SQUARE_BITS = 63
_FLIP_RANKS = 56
_LAST_RANK = 56
_PROMOTIONS = {2: "n", 4: "b", 8: "r", 12: "q"}


class Moves:
    """Plays and lists moves of packed positions, the bytes of a `Position`.

    Bytes are what nodes are told apart by. Scratch memory makes it of one thread.
    """

    def __init__(self) -> None:
        self._kernel = load_kernel().kernel
        self._search = Search()

    def legal(self, packed: bytes) -> list[int]:
        """List the legal moves."""
        position = Position.from_buffer_copy(packed)
        return self._kernel.moves(position, self._search)

    def checks(self, packed: bytes) -> list[int]:
        """List the legal moves that give check."""
        position = Position.from_buffer_copy(packed)
        return self._kernel.checking_moves(position, self._search)

    def play(self, packed: bytes, move: int) -> bytes:
        """Make a legal move."""
        position = Position.from_buffer_copy(packed)
        return bytes(self._kernel.made(position, self._search, move))

    def after_each(self, packed: bytes) -> Iterator[tuple[int, bytes]]:
        """Give each legal move, and the position after it."""
        position = Position.from_buffer_copy(packed)
        for move in self._kernel.moves(position, self._search):
            yield move, bytes(self._kernel.made(position, self._search, move))


def name_of(packed: bytes, move: int, color: chess.Color) -> str:
    """Name a move in UCI notation.

    Parameters
    ----------
    packed : bytes
        The position before it, as the side to move sees it.
    move : int
        The kernel's move.
    color : chess.Color
        The side to move.
    """
    start, end = move & _SQUARE_BITS, (move >> 6) & _SQUARE_BITS
    promotes = (
        end >= _LAST_RANK and Position.from_buffer_copy(packed).pawns >> start & 1
    )
    promotion = _PROMOTIONS[move >> 12] if promotes else ""
    flip = 0 if color == chess.WHITE else _FLIP_RANKS
    return _spell(start ^ flip, end ^ flip, promotion)


@cache
def _spell(start: int, end: int, promotion: str) -> str:
    """Write a move; one string serves all of its occurrences."""
    return chess.SQUARE_NAMES[start] + chess.SQUARE_NAMES[end] + promotion


def has_king_alone(packed: bytes) -> bool:
    """Tell whether the side to move has no man but its king, and so never mates."""
    us: int = Position.from_buffer_copy(packed).us
    return us.bit_count() == 1
