"""An answer as a page for browsers: its record on a board, and play that unfolds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from solver.output.text import analysis_link, describe
from solver.pages import fill_page, page_record
from solver.pages.board_page import viewer_data

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solver.output.shown_play import ShownPlay
    from solver.solution import Solution


def encode_page(
    solution: Solution,
    play: ShownPlay,
    modules: Mapping[str, bytes] | None = None,
) -> bytes:
    """Write an answer as one HTML page.

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
    record = solution.to_dict() | {"source": problem.source}
    texts = {"pgn": play.pgn().decode(), "popeye": "".join(play.popeye())}
    record = page_record(record) | {"texts": texts}
    data = {"records": [record], **viewer_data(modules or None)}
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
