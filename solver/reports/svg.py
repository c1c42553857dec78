"""A position as a picture: the board, and the keys as arrows."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import chess
import chess.svg

if TYPE_CHECKING:
    from solver.solution import Solution

SIZE = 400
"""Pixels a side, where nothing else is said; the picture scales."""

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def draw_diagram(solution: Solution) -> str:
    """Draw the position of an answer.

    White is at the bottom. Each key is an arrow; promotions to several men share one. A
    king in check is marked. The title tells the side to move and the FEN.

    Parameters
    ----------
    solution : Solution
        The answer.

    Returns
    -------
    str
        An element `svg`, which may stand in a page as it is.
    """
    board = chess.Board(solution.problem.fen)
    keys = [chess.Move.from_uci(key) for key in solution.keys]
    drawing = chess.svg.board(
        board,
        arrows=dict.fromkeys((key.from_square, key.to_square) for key in keys),
        check=board.king(board.turn) if board.is_check() else None,
        size=SIZE,
    )
    mover = chess.COLOR_NAMES[board.turn].capitalize()
    title = escape(f"{mover} to move: {solution.problem.fen}")
    start, _, rest = drawing.partition(">")  # the title stands first in its element
    return f"{start}><title>{title}</title>{rest}"


def encode_svg(solution: Solution) -> bytes:
    """Draw the position of an answer as a file of its own."""
    return (DECLARATION + draw_diagram(solution) + "\n").encode()
