"""An answer as a page for browsers: diagram, sentences, and play that unfolds."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, NamedTuple

import chess
import chess.svg

from solver.output import fill_page, unstyled
from solver.output.text import analysis_link, describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.output.play_text import PlayLine
    from solver.solution import Solution

SIZE = 400
"""Width and height of a diagram in pixels, where the page around it sets none."""

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

_ID = re.compile(r' id="[^"]*"')


def encode_page(solution: Solution, lines: Sequence[PlayLine]) -> bytes:
    """Write an answer as one HTML page.

    The page loads nothing. Its own script shows the position after a move; without it,
    the play can still be read and unfolded.

    Parameters
    ----------
    solution : Solution
        The answer.
    lines : sequence of PlayLine
        Its play; each move has the pieces after it.

    Returns
    -------
    bytes
        UTF-8.
    """
    problem = solution.problem
    play = play_entries(lines)
    return fill_page(
        "solution_page.html",
        title=problem.id or problem.fen,
        style="solution_page.css",
        scripts=["solution_page.js"] if play else [],
        diagram=unstyled(draw_diagram(solution)),
        empty_board=_empty_board(),
        pieces={x: _ID.sub("", unstyled(art)) for x, art in chess.svg.PIECES.items()},
        answer=describe(solution),
        fen=problem.fen,
        link=analysis_link(problem.fen),
        play=play,
    )


class PlayEntry(NamedTuple):
    """A line of the play, and where it stands among the others."""

    line: PlayLine

    opens: bool
    """Whether the next lines continue it."""

    closes: int
    """How many lines that were continued end with it."""


def play_entries(lines: Sequence[PlayLine]) -> list[PlayEntry]:
    """Return the lines of play as the macro `play_lines` takes them."""
    following_depths = [*(line.depth for line in lines), 0][1:]
    entries = []
    for line, following in zip(lines, following_depths, strict=True):
        closes = max(0, line.depth - max(1, following)) if line.depth else 0
        entries.append(PlayEntry(line, 0 < line.depth < following, closes))
    return entries


def _empty_board() -> str:
    """Return a board without pieces, which the script draws on it."""
    drawing = chess.svg.board(None, size=SIZE)
    start, _, rest = drawing.rpartition("</svg>")
    return f'{start}<g class="squares"></g><g class="pieces"></g></svg>{rest}'


def encode_svg(solution: Solution) -> bytes:
    """Draw the position of an answer as an SVG file; see `draw_diagram`."""
    return (DECLARATION + draw_diagram(solution) + "\n").encode()


def draw_diagram(solution: Solution) -> str:
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
        Moves to draw as arrows, in UCI notation; promotions to several pieces share
        one.

    Returns
    -------
    str
        An `svg` element, ready to stand in a page.
    """
    board = chess.Board(fen)
    keys = [chess.Move.from_uci(move) for move in moves]
    drawing = chess.svg.board(
        board,
        arrows=dict.fromkeys((key.from_square, key.to_square) for key in keys),
        check=board.king(board.turn) if board.is_check() else None,
        size=SIZE,
    )
    mover = chess.COLOR_NAMES[board.turn].capitalize()
    title = escape(f"{mover} to move: {fen}")
    start, _, rest = drawing.partition(">")  # a title must be the first child
    return f"{start}><title>{title}</title>{rest}"
