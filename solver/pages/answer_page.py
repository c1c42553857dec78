"""An answer as a page for browsers: its record on a board, and play that unfolds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from solver import __version__
from solver.output.move_names import san_of
from solver.output.text import analysis_link, describe
from solver.pages import fill_page, show_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from solver.output.play_text import PlayLine
    from solver.solution import Solution


def encode_page(
    solution: Solution,
    lines: Iterable[PlayLine],
    modules: Mapping[str, bytes] | None = None,
) -> bytes:
    """Write an answer as one HTML page.

    The page loads nothing. Without scripts it has the diagram, the answer in sentences
    and the play, which unfolds.

    Parameters
    ----------
    solution : Solution
        The answer.
    lines : iterable of PlayLine
        Its play.
    modules : mapping of str to bytes or None
        The WebAssembly modules with which the page solves, by the names of their parts.

    Returns
    -------
    bytes
        UTF-8.
    """
    problem = solution.problem
    record = solution.to_dict()
    record["san"] = san_of(record)
    record["source"] = problem.source
    show_names(record)
    data: dict[str, object] = {"version": __version__, "records": [record]}
    if modules:
        from solver.pages.board_page import solver_data

        data |= solver_data(modules)
    sentences = describe(solution)
    (headline,) = [each for each in sentences if "bold" in each.style]
    return fill_page(
        "answer.html",
        title=problem.id or problem.fen,
        scripts=["modules/solution.mjs"],
        data=data,
        names=_names(record),
        asked=_asked(solution),
        headline=headline.text,
        sentences=[each for each in sentences if each is not headline],
        fen=problem.fen,
        link=analysis_link(problem.fen),
        play=[*lines],
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
