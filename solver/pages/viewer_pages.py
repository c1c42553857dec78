"""Pages with a board: of an answer, of problems to solve, and in notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from solver import __version__, pages
from solver.columns.grade_table import GradeTable
from solver.columns.solve_many import MateTable
from solver.kernel.border import parts
from solver.output import play_text, popeye_text, shown_play, text
from solver.pages import layout
from solver.play.record import Variations
from solver.problem import Limits
from solver.search.workspaces import MIB
from solver.solution import Solution
from solver.stipulations import genre_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solver.columns.grade_table import Grade
    from solver.output.shown_play import ShownPlay


# --------------------------------------------------------------------------------------
# Pages with a board: an answer with its play, and the live board.
#
# Both show a record in the same viewer; a page with the search also solves.

TABLE_BYTES = Limits().hash_mib * MIB
"""The table size that a page requests, as the command does; a browser may have less."""

SOLVER_PARTS = (parts.SEARCH, parts.BATTLE, parts.HELP)
"""The parts of the kernel with which a page solves."""

PROBLEM = "8/7K/8/8/8/8/R7/7k w - - 0 1"
"""The position of a board without a given one."""


def encode_board(modules: Mapping[str, bytes], fen: str = PROBLEM) -> bytes:
    """Write the live board as one HTML page, which loads nothing.

    Parameters
    ----------
    modules : mapping of str to bytes
        The WebAssembly modules by the names of their parts; a page without one does not
        solve what needs it.
    fen : str
        The position to begin with.

    Returns
    -------
    bytes
        UTF-8.
    """
    data = {"fen": fen, **viewer_data(modules)}
    title = "matesolve: live board"
    return pages.fill_page(
        "board.html", title=title, scripts=["modules/page.mjs"], data=data
    )


def encode_answer(
    solution: Solution, play: ShownPlay, modules: Mapping[str, bytes] | None = None
) -> bytes:
    """Write an answer as one HTML page: its record on a board, and play that unfolds.

    The page loads nothing. Without scripts it has the diagram, the answer in sentences
    and the play, which unfolds.

    Parameters
    ----------
    solution : Solution
        The answer.
    play : ShownPlay
        Its play.
    modules : mapping of str to bytes or None
        The WebAssembly modules with which the page solves, by the names of their parts.

    Returns
    -------
    bytes
        UTF-8.
    """
    problem = solution.problem
    record = pages.page_record(solution.to_dict() | {"source": problem.source})
    texts = {"pgn": play.pgn().decode(), "popeye": "".join(play.popeye())}
    sentences = text.describe(solution)
    (headline,) = [each for each in sentences if "bold" in each.style]
    return pages.fill_page(
        "answer.html",
        title=problem.id or problem.fen,
        scripts=["modules/viewer.mjs"],
        data={"records": [record | {"texts": texts}], **viewer_data(modules or None)},
        names=_names(record),
        asked=asked(solution),
        headline=headline.text,
        sentences=[each for each in sentences if each is not headline],
        fen=problem.fen,
        link=text.analysis_link(problem.fen),
        play=[*play.lines()],
    )


def _names(record: Mapping[str, Any]) -> list[str]:
    """Return the record's name, and its source if it says more."""
    name, source = (
        record["shown"].get(name, record[name]) for name in ("id", "source")
    )
    names = [name, "" if f"/{source}".endswith(f"/{name}") else source]
    return [*filter(None, names)]


def asked(solution: Solution) -> str:
    """Return stipulation, number of pieces and soundness: `#2 (6+9) C+`."""
    problem = solution.problem
    pieces = problem.fen.split()[0]
    white, black = (sum(map(side, pieces)) for side in (str.isupper, str.islower))
    mark = " C+" if genre_of(problem.stipulation).is_sound(solution) else ""
    return f"{text.stipulation_text(solution)} ({white}+{black}){mark}"


def viewer_data(modules: Mapping[str, bytes] | None) -> dict[str, Any]:
    """Return the data of a page with a board, besides its records.

    Parameters
    ----------
    modules : mapping of str to bytes or None
        As for `encode_board`; None: the page does not solve.
    """
    return {
        "version": __version__,
        "sentences": text.TABLE,
        "popeye": {
            "board": popeye_text.BOARD,
            "templates": popeye_text.TEMPLATES,
            "lists": popeye_text.LISTS,
        },
        "stipulations": layout.describe_stipulations(),
        **({} if modules is None else solver_data(modules)),
    }


def solver_data(modules: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the data with which a page searches; `modules` as for `encode_board`."""
    return {
        "layout": layout.describe_kernel(),
        "tableBytes": TABLE_BYTES,
        "modules": {name: pages.packed(code) for name, code in modules.items()},
    }


# --------------------------------------------------------------------------------------
# Answers in a notebook: what a cell shows if it ends with one.
#
# The HTML has a style but no script, and can be read without the style, as in an
# untrusted notebook.

SHOWN_ROWS = 20
"""The most rows of a table; to_pandas() and to_polars() have ways to show more."""


def html(answer: Solution | Variations | MateTable | GradeTable | Grade) -> str:
    """Draw an answer or its play below a board; write a table or a grade as a table."""
    if isinstance(answer, Solution):
        drawing, sentences = shown_play.svg(answer), text.describe(answer)
        lines = [*shown_play.ShownSolutions(answer).lines(marks=False)]
        return _fill("board", drawing, sentences, lines)
    if isinstance(answer, Variations):
        keys = [key["uci"] for key in answer.keys]
        drawing = shown_play.draw_board(answer.fen, keys)
        play = play_text.describe_play(answer.to_dict(), answer.fen)
        return _fill("board", drawing, (), play)

    if isinstance(answer, MateTable | GradeTable):
        return _table_html(answer)
    rows = [
        ("status", answer.status),
        ("ply", "" if answer.ply is None else answer.ply),
        ("reason", answer.reason),
        ("line", " ".join(answer.line_san)),
        ("right moves", " ".join(answer.right_moves_san)),
        ("reply", answer.reply_san or ""),
        ("refutation", " ".join(answer.refutation_san)),
        ("position", answer.fen),
    ]
    return _fill("table", (), [(name, cell) for name, cell in rows if cell != ""], "")


_COLUMNS: dict[type[Any], tuple[str, ...]] = {
    MateTable: ("status", "mate", "lower_bound", "keys", "pv", "nodes", "error"),
    GradeTable: ("status", "ply", "reason", "line", "right_moves"),
}
"""What is shown of each kind of table."""


def _table_html(table: MateTable | GradeTable) -> str:
    """Write the first rows of a table, and how many have each status."""
    names = _COLUMNS[type(table)]
    rows = [
        (number, *(_cell(getattr(row, name)) for name in names))
        for number, row in enumerate(table[:SHOWN_ROWS])
    ]
    caption = table.words()
    if len(table) > SHOWN_ROWS:
        caption += f"; the first {SHOWN_ROWS} rows"
    return _fill("table", ("", *names), rows, caption)


def _cell(value: object) -> object:
    if isinstance(value, tuple):
        return " ".join(value)
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else value


def _fill(macro: str, *values: object) -> str:
    return pages.fill_macro("notebook.html", macro, *values)
