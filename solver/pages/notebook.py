"""Answers in a notebook: what a cell shows if it ends with one.

The HTML has a style but no script, and can be read without the style, as in an
untrusted notebook.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver import pages
from solver.columns.solve_many import MateTable
from solver.output import diagram, play_text, shown_play, text
from solver.play import record
from solver.play.tree import Variations
from solver.solution import Solution

if TYPE_CHECKING:
    from solver.columns.grade import Grade

SHOWN_ROWS = 20
"""The most rows of a table; to_pandas() and to_polars() have ways to show more."""


def html(answer: Solution | Variations | MateTable | Grade) -> str:
    """Draw an answer or its play below a board; write a table or a grade as a table."""
    if isinstance(answer, Solution):
        drawing, sentences = diagram.svg(answer), text.describe(answer)
        lines = [*shown_play.ShownSolutions(answer).lines(marks=False)]
        return _fill("board", drawing, sentences, lines)
    if isinstance(answer, Variations):
        keys = [key.move for key in answer.keys]
        drawing = diagram.draw_board(answer.fen, keys)
        play = play_text.describe_play(record.play_record(answer), answer.fen)
        return _fill("board", drawing, (), play)

    if isinstance(answer, MateTable):
        return _table_html(answer)
    rows = [
        ("status", answer.status),
        ("ply", "" if answer.ply is None else answer.ply),
        ("reason", answer.reason),
        ("line", " ".join(answer.line)),
        ("right moves", " ".join(answer.right_moves)),
    ]
    return _fill("table", (), [(name, cell) for name, cell in rows if cell != ""], "")


def _table_html(table: MateTable) -> str:
    """Write the first rows of a table, and how many have each status."""
    rows = [
        (
            number,
            row.status,
            *("" if cell is None else cell for cell in (row.mate, row.lower_bound)),
            " ".join(row.keys),
            " ".join(row.pv),
            f"{row.nodes:,}",
            row.error,
        )
        for number, row in enumerate(table[:SHOWN_ROWS])
    ]
    head = ("", "status", "mate", "lower_bound", "keys", "pv", "nodes", "error")
    caption = table.words()
    if len(table) > SHOWN_ROWS:
        caption += f"; the first {SHOWN_ROWS} rows"
    return _fill("table", head, rows, caption)


def _fill(macro: str, *values: object) -> str:
    return pages.fill_macro("notebook.html", macro, *values)
