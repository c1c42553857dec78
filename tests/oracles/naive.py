"""Mate in n by its definition: python-chess, no pruning, no table.

The attacker mates within n of its own moves, whatever the defender replies.
Stalemate is an escape; the fifty-move rule and repetition are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import chess


def mate_in(board: chess.Board, n: int) -> bool:
    """Return whether the side to move mates within `n` of its moves."""
    return n > 0 and any(mated_in(after, n - 1) for _, after in successors(board))


def mated_in(board: chess.Board, n: int) -> bool:
    """Return whether the side to move is mated within `n` moves of its opponent."""
    if not any(board.legal_moves):
        # Stalemate is an escape.
        return board.is_check()
    return all(mate_in(after, n) for _, after in successors(board))


def keys(board: chess.Board, n: int) -> set[str]:
    """Return the keys, in UCI notation, of a mate within `n` (>= 1) moves."""
    return {move.uci() for move, after in successors(board) if mated_in(after, n - 1)}


def shortest_mate(board: chess.Board, limit: int) -> int | None:
    """Return the mover's shortest mate in moves; None if above `limit`."""
    return next((n for n in range(1, limit + 1) if mate_in(board, n)), None)


def successors(board: chess.Board) -> Iterator[tuple[chess.Move, chess.Board]]:
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        yield move, after
