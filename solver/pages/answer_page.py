"""An answer as a page for browsers: diagram, sentences, and play that unfolds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import chess.svg

from solver.output.diagram import SIZE, draw_diagram
from solver.output.text import analysis_link, describe
from solver.pages import fill_page, unstyled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.output.play_text import PlayLine
    from solver.solution import Solution

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
        "answer.html",
        title=problem.id or problem.fen,
        style="answer.css",
        scripts=["answer.js"] if play else [],
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
