"""An answer as a page for browsers: diagram, sentences, and variations that unfold."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

import chess
import chess.svg

from solver import __version__
from solver.output import render_template
from solver.output.text import analysis_link, describe
from solver.play.tree import Attack, Defence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.play.tree import Variations
    from solver.solution import Solution

SIZE = 400
"""Width and height of a diagram in pixels, where the page around it sets none."""

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def encode_page(solution: Solution, variations: Variations) -> bytes:
    """Write an answer as one HTML page, which loads nothing and runs no script.

    Parameters
    ----------
    solution : Solution
        The answer.
    variations : Variations
        Its play, from `solver.play.builder.build_variations`.

    Returns
    -------
    bytes
        UTF-8.
    """
    fen = solution.problem.fen
    board = chess.Board(fen)
    board.fullmove_number = 1  # problems are numbered from their first move
    page = render_template(
        "solution_page.html",
        title=solution.problem.id or fen,
        version=__version__,
        diagram=draw_diagram(solution),
        answer=describe(solution),
        fen=fen,
        link=analysis_link(fen),
        cut=variations.words(),
        play=_lines(board, variations.keys or variations.defences, on_mainline=True),
    )
    return page.encode()


def encode_svg(solution: Solution) -> bytes:
    """Draw the position of an answer as an SVG file; see `draw_diagram`."""
    return (DECLARATION + draw_diagram(solution) + "\n").encode()


def draw_diagram(solution: Solution) -> str:
    """Draw the position of an answer.

    White is at the bottom. Each key is an arrow; promotions to several pieces share
    one. A king in check is marked. The title has the side to move and the FEN.

    Parameters
    ----------
    solution : Solution
        The answer.

    Returns
    -------
    str
        An `svg` element, ready to stand in a page.
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
    start, _, rest = drawing.partition(">")  # a title must be the first child
    return f"{start}><title>{title}</title>{rest}"


class _Line(NamedTuple):
    """Moves without alternatives, and the lines that continue them."""

    moves: str
    """In SAN, with numbers."""

    moves_left: int
    """Moves to mate after them; 0: the last one mates, or is a defence."""

    is_main: bool
    next: list[_Line]


def _lines(
    board: chess.Board, moves: Sequence[Attack | Defence], *, on_mainline: bool
) -> list[_Line]:
    """Return the alternatives in a position, of which the first may be the mainline.

    The template recurses as deep as these lines do: less than once per attacker's move,
    of which a mate has at most `solver.stipulation.MAX_MOVES`.
    """
    lines: list[_Line] = []
    for move in moves:
        run = _run(move)
        last = run[-1]
        words, after = _play(board, run)
        is_main = on_mainline and not lines
        left = last.moves_left if isinstance(last, Attack) else 0
        following = _lines(after, _after(last), on_mainline=is_main)
        lines.append(_Line(words, left, is_main, following))
    return lines


def _after(move: Attack | Defence) -> Sequence[Attack | Defence]:
    return move.defences if isinstance(move, Attack) else move.continuations


def _run(move: Attack | Defence) -> list[Attack | Defence]:
    """Follow the play until there is a choice of moves."""
    run = [move]
    while len(following := _after(run[-1])) == 1:
        run += following
    return run


def _play(
    board: chess.Board, run: Sequence[Attack | Defence]
) -> tuple[str, chess.Board]:
    """Write moves in SAN with numbers; return them with the position after them."""
    moves = [chess.Move.from_uci(move.move) for move in run]
    line = board.variation_san(moves).replace("...", "... ")
    after = board.copy(stack=False)
    for move in moves:
        after.push(move)
    return line, after
