"""Answers in a notebook: what a cell shows if it ends with one.

The HTML has a style but no script, and can be read without the style, as in an
untrusted notebook.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.output.diagram import draw_board, draw_diagram
from solver.output.play_text import describe_play
from solver.output.shown_play import ShownSolutions
from solver.output.text import describe
from solver.pages import fill_macro

if TYPE_CHECKING:
    from solver.columns.grade import Grade
    from solver.columns.solve_many import MateTable
    from solver.output.play_text import PlayLine
    from solver.play.tree import Variations
    from solver.solution import Solution

SHOWN_ROWS = 20
"""The most rows of a table; to_pandas() and to_polars() have ways to show more."""


def solution_text(solution: Solution) -> str:
    """Return the sentences that `solve` prints, without the position and the cost."""
    sentences = [part for part in describe(solution) if part.style != "dim"]
    lines = [line for part in sentences for line in part.lines()]
    return "\n".join([*lines, *(line.text for line in _solutions(solution))])


def solution_html(solution: Solution) -> str:
    """Draw the position with its keys, and write the answer and help play below it."""
    return fill_macro(
        "notebook.html",
        "board",
        draw_diagram(solution),
        describe(solution),
        _solutions(solution),
    )


def _solutions(solution: Solution) -> list[PlayLine]:
    """Return the lines of the solutions of help play."""
    return [*ShownSolutions(solution).lines(marks=False)]


def variations_html(variations: Variations) -> str:
    """Draw the position with its keys above play that unfolds."""
    return fill_macro(
        "notebook.html",
        "board",
        draw_board(variations.fen, [key.move for key in variations.keys]),
        (),
        describe_play(variations),
    )


def table_html(table: MateTable) -> str:
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
    return fill_macro("notebook.html", "table", head, rows, caption)


def grade_html(grade: Grade) -> str:
    """Write a grade as a table with a row for each fact."""
    rows = [
        ("status", grade.status),
        ("ply", "" if grade.ply is None else grade.ply),
        ("reason", grade.reason),
        ("line", " ".join(grade.line)),
        ("right moves", " ".join(grade.right_moves)),
    ]
    facts = [(name, cell) for name, cell in rows if cell != ""]
    return fill_macro("notebook.html", "table", (), facts, "")
