"""Boards: as SVG drawings, and in text or colours on a terminal."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import chess
import chess.svg

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.text import Text

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


# On a terminal


def lettered_board(fen: str) -> list[str]:
    """Draw a board in ASCII: letters as in a FEN, dots for empty squares.

    Letters distinguish the sides on any background; outlined and filled figurines do
    not, because filled ones look white on a dark background.

    Parameters
    ----------
    fen : str
        The position.

    Returns
    -------
    list of str
        Nine lines without line ends; White is at the bottom.
    """
    ranks = str(chess.Board(fen)).splitlines()
    rows = [f"{8 - row} {rank}" for row, rank in enumerate(ranks)]
    return [*rows, "  " + " ".join(chess.FILE_NAMES)]


# Numbers in the 256-colour palette, above the first 16, which themes change. Pieces of
# both colours have a contrast of at least 3 to 1 on squares of both colours.
_SQUARES = {chess.WHITE: 103, chess.BLACK: 60}
_PIECES = {chess.WHITE: 231, chess.BLACK: 16}

_COORDINATES = "dim"


def painted_board(fen: str) -> Text:
    """Draw a board in colours that are the same on dark and light backgrounds.

    Parameters
    ----------
    fen : str
        The position.

    Returns
    -------
    rich.text.Text
        Nine lines; White is at the bottom. Needs 256 colours.
    """
    from rich.text import Text

    board = chess.Board(fen)
    drawing = Text()
    for rank in reversed(range(8)):
        drawing.append(f"{rank + 1} ", _COORDINATES)
        for square in range(8 * rank, 8 * rank + 8):
            drawing.append(*_painted_square(board.piece_at(square), square))
        drawing.append("\n")
    drawing.append(
        "  " + "".join(f" {name} " for name in chess.FILE_NAMES), _COORDINATES
    )
    return drawing


def _painted_square(piece: chess.Piece | None, square: chess.Square) -> tuple[str, str]:
    """Return the three characters of a square, and their style."""
    light = bool(chess.BB_LIGHT_SQUARES & chess.BB_SQUARES[square])
    background = f"on color({_SQUARES[light]})"
    if piece is None:
        return "   ", background
    # Both sides use the filled figurine; their colours distinguish them.
    figurine = chess.UNICODE_PIECE_SYMBOLS[chess.piece_symbol(piece.piece_type)]
    return f" {figurine} ", f"bold color({_PIECES[piece.color]}) {background}"
