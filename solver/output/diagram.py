"""Boards as SVG drawings."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import chess
import chess.svg

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solver.solution import Solution

SIZE = 400
"""Width and height of a diagram in pixels, unless the page sets them."""

MAX_ARROWS = 6
"""The most keys that are drawn; more would hide the pieces."""

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def encode_svg(solution: Solution) -> bytes:
    """Draw the position of an answer as an SVG file; see `svg`."""
    return (DECLARATION + svg(solution) + "\n").encode()


def svg(solution: Solution) -> str:
    """Draw the position of an answer, with its keys; see `draw_board`."""
    return draw_board(solution.problem.fen, solution.keys)


def draw_board(fen: str, moves: Iterable[str] = ()) -> str:
    """Draw a position.

    White is at the bottom. A king in check is marked. The title has the side to move
    and the FEN.

    Parameters
    ----------
    fen : str
    moves : iterable of str
        Moves to draw as arrows, in UCI notation, the first `MAX_ARROWS`; promotions to
        several pieces share one.

    Returns
    -------
    str
        An `svg` element, ready to stand in a page.
    """
    board = chess.Board(fen)
    keys = [chess.Move.from_uci(move) for move in moves]
    arrows = dict.fromkeys((key.from_square, key.to_square) for key in keys)
    drawing = chess.svg.board(
        board,
        arrows=list(arrows)[:MAX_ARROWS],
        check=board.king(board.turn) if board.is_check() else None,
        size=SIZE,
    )
    mover = chess.COLOR_NAMES[board.turn].capitalize()
    title = escape(f"{mover} to move: {fen}")
    start, _, rest = drawing.partition(">")  # a title must be the first child
    return f"{start}><title>{title}</title>{rest}"
