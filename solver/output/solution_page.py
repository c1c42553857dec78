"""An answer as a page for browsers: diagram, sentences, and the play to unfold."""

from __future__ import annotations

from html import escape
from importlib import resources
from string import Template
from typing import TYPE_CHECKING

import chess
import chess.svg

from solver import __version__
from solver.output.text import describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from solver.output.text import Sentence
    from solver.solution import Solution
    from solver.variations.tree import Variation, Variations


# A position as a picture: the board, and the keys as arrows.

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


# Where a position can be looked at.

_BOARD = "https://lichess.org/analysis/standard/"


def analysis_link(fen: str) -> str:
    """Give the address of lichess's analysis board with a position."""
    return _BOARD + fen.replace(" ", "_")


def encode_page(solution: Solution, variations: Variations) -> bytes:
    """Write an answer as one page of HTML, which loads nothing and runs no script.

    Parameters
    ----------
    solution : Solution
        The answer.
    variations : Variations
        Its play, as `solver.certificate.build_variations` gives it.

    Returns
    -------
    bytes
        UTF-8.
    """
    fen = solution.problem.fen
    template = resources.files("solver.output") / "solution_page.html"
    page = Template(template.read_text(encoding="utf-8")).substitute(
        title=escape(solution.problem.id or fen),
        version=escape(__version__),
        diagram=draw_diagram(solution),
        answer="\n".join(map(_paragraph, describe(solution))),
        fen=escape(fen),
        link=escape(analysis_link(fen)),
        play="\n".join(_play(fen, variations)),
    )
    return page.encode()


def _paragraph(sentence: Sentence) -> str:
    """Show a sentence; the words of its style are classes of the page."""
    tag = "h1" if "bold" in sentence.style else "p"
    classes = f' class="{escape(sentence.style)}"' if sentence.style else ""
    return f"<{tag}{classes}>{escape(' '.join(sentence.lines()))}</{tag}>"


def _play(fen: str, variations: Variations) -> Iterator[str]:
    if not variations.first:
        return
    board = chess.Board(fen)
    board.fullmove_number = 1  # problems are numbered from their first move
    yield '<section id="play">\n<h2>Variations</h2>'
    if cut := variations.words():
        yield f'<p class="dim">{escape(cut)}</p>'
    yield from _siblings(board, variations.first, on_mainline=True)
    yield "</section>"


def _siblings(
    board: chess.Board, variations: Iterable[Variation], *, on_mainline: bool
) -> Iterator[str]:
    """Show what may be played in a position, one below the other.

    What has no alternatives runs on in one line; what has some is unfolded from it, and
    on the mainline is so from the start.
    """
    for variation in variations:
        run = _run(variation)
        moves, after = _numbered(board, run)
        last = run[-1]
        if on_mainline:
            moves = f'<b class="main">{moves}</b>'
        if last.moves_left:
            moves += f' <small class="left">mate in {last.moves_left} more</small>'
        if last.next:
            yield f"<details{' open' * on_mainline}><summary>{moves}</summary>"
            yield from _siblings(after, last.next, on_mainline=on_mainline)
            yield "</details>"
        else:
            yield f'<div class="leaf"><span>{moves}</span></div>'
        on_mainline = False


def _run(variation: Variation) -> list[Variation]:
    """Follow a variation for as long as there is but one move."""
    run = [variation]
    while len(run[-1].next) == 1:
        run += run[-1].next
    return run


def _numbered(board: chess.Board, run: Sequence[Variation]) -> tuple[str, chess.Board]:
    """Write a run of moves in SAN with numbers, and give the position after it."""
    moves = [chess.Move.from_uci(variation.move) for variation in run]
    line = board.variation_san(moves).replace("...", "... ")
    after = board.copy(stack=False)
    for move in moves:
        after.push(move)
    return escape(line), after
