"""Random positions and names to write and read again."""

from __future__ import annotations

import random

import chess
from hypothesis import strategies as st


def play(seed: int) -> chess.Board:
    """Play up to 80 random plies."""
    choice = random.Random(seed)
    board = chess.Board()
    for _ in range(choice.randrange(80)):
        moves = sorted(board.legal_moves, key=chess.Move.uci)
        if not moves:
            break
        board.push(choice.choice(moves))
    return board.copy(stack=False)


def play_line(board: chess.Board, seed: int, plies: int) -> tuple[str, ...]:
    """Play at most some random plies from a position."""
    choice = random.Random(seed)
    board = board.copy()
    start = len(board.move_stack)
    for _ in range(plies):
        moves = sorted(board.legal_moves, key=chess.Move.uci)
        if not moves:
            break
        board.push(choice.choice(moves))
    return tuple(move.uci() for move in board.move_stack[start:])


SEEDS = st.integers(0, 2**32)

NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=2, max_size=40
)
"""Names of printable characters without white space."""
