"""A board in the terminal: painted where there are colours, in letters elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess

if TYPE_CHECKING:
    from rich.text import Text

# Numbers of the 256-colour palette above its first 16, which themes leave alone. Both
# kinds of men have a contrast of at least 3 to 1 on both kinds of squares.
_SQUARES = {chess.WHITE: 103, chess.BLACK: 60}
_MEN = {chess.WHITE: 231, chess.BLACK: 16}

_COORDINATES = "dim"


def lettered_board(fen: str) -> list[str]:
    """Draw a board in ASCII: letters as in a FEN, dots for empty squares.

    Letters tell the sides apart on any background. Outlined and filled figurines do
    not: on a dark one, the filled men look white.

    Parameters
    ----------
    fen : str
        The position.

    Returns
    -------
    list of str
        Nine lines without their ends; White is at the bottom.
    """
    board = chess.Board(fen)
    rows = [
        f"{rank + 1} " + " ".join(_letter(board.piece_at(square)) for square in squares)
        for rank, squares in _ranks()
    ]
    return [*rows, "  " + " ".join(chess.FILE_NAMES)]


def painted_board(fen: str) -> Text:
    """Draw a board in colours of its own, the same on dark and light backgrounds.

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
    for rank, squares in _ranks():
        drawing.append(f"{rank + 1} ", _COORDINATES)
        for square in squares:
            drawing.append(*_painted_square(board.piece_at(square), square))
        drawing.append("\n")
    drawing.append(
        "  " + "".join(f" {name} " for name in chess.FILE_NAMES), _COORDINATES
    )
    return drawing


def _ranks() -> list[tuple[int, list[chess.Square]]]:
    """Give the ranks from the eighth down, each with its squares from a to h."""
    return [
        (rank, [chess.square(file, rank) for file in range(8)])
        for rank in reversed(range(8))
    ]


def _letter(piece: chess.Piece | None) -> str:
    return piece.symbol() if piece else "."


def _painted_square(piece: chess.Piece | None, square: chess.Square) -> tuple[str, str]:
    """Give three cells and their style."""
    light = bool(chess.BB_LIGHT_SQUARES & chess.BB_SQUARES[square])
    background = f"on color({_SQUARES[light]})"
    if piece is None:
        return "   ", background
    # The filled figurine serves both sides: its colour tells them apart.
    figurine = chess.UNICODE_PIECE_SYMBOLS[chess.piece_symbol(piece.piece_type)]
    return f" {figurine} ", f"bold color({_MEN[piece.color]}) {background}"
