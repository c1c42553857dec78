"""Help play by its definition: python-chess, no pruning, no table.

Both sides play any legal moves; the last move mates or stalemates. The play is as long
as stipulated, or shorter by whole moves (a move of each side).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import chess

Line = tuple[str, ...]
"""The moves of a solution, in UCI notation."""


def solutions(board: chess.Board, plies: int, *, stalemate: bool = False) -> set[Line]:
    """Return every solution of at most `plies` plies (and as even or odd as these)."""
    found: set[Line] = set()
    for length in range(plies, 0, -2):
        found |= set(of_length(board.copy(stack=False), length, stalemate=stalemate))
    return found


def of_length(board: chess.Board, plies: int, *, stalemate: bool) -> list[Line]:
    """Return every solution of exactly `plies` plies; the board is left as it was."""
    if plies == 0:
        over = board.is_stalemate() if stalemate else board.is_checkmate()
        return [()] if over else []
    found = []
    for move in list(board.legal_moves):
        board.push(move)
        below = of_length(board, plies - 1, stalemate=stalemate)
        found += [(move.uci(), *line) for line in below]
        board.pop()
    return found
