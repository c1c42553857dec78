"""Pages with a board: an answer with its play, and the live board.

Both show a record in the same viewer; a page with the search also solves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from solver import __version__, pages
from solver.output import text
from solver.pages import layout
from solver.problem import Limits
from solver.search.workspace import MIB

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solver.output.shown_play import ShownPlay
    from solver.solution import Solution

TABLE_BYTES = Limits().hash_mib * MIB
"""The table size that a page requests, as the command does; a browser may have less."""

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
    data = {"fen": fen, "experiments": layout.experiments(), **viewer_data(modules)}
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
        asked=_asked(solution),
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


def _asked(solution: Solution) -> str:
    """Return stipulation and number of pieces: `#2 (6+9)`."""
    problem = solution.problem
    length = problem.claim.mate if problem.claim else solution.mate
    asked = problem.stipulation.text or f"#{length if length and length > 0 else ''}"
    pieces = problem.fen.split()[0]
    white, black = (sum(map(side, pieces)) for side in (str.isupper, str.islower))
    return f"{asked} ({white}+{black})"


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
