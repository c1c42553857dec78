"""What the live board says and copies, held against the Python program."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from solver import Problem, Solution, Solver, variations
from solver.output.shown_play import ShownPlay, ShownSolutions, ShownTree
from solver.output.text import facts, say
from solver.pages.layout import STIPULATIONS
from solver.stipulation import Stipulation
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.pages.live import Opener

pytestmark = pytest.mark.browser

PUZZLES = Path(__file__).parents[2] / "puzzles"

TIMES = ("nodes", "time_s", "id")
"""Fields of a record that differ, because the page's table is not empty."""

ANSWER = """
async ([fen, name, length]) => {
  viewer.fillForm({ name, length, nodes: null });
  await viewer.setUp(fen);
  const play = await viewer.play.wholePlay();
  const { answer } = viewer.state;
  const known = factsOf(answer);
  return {
    headline: say("headline", known), proof: say("proof", known),
    pgn: pgnText(answer, play), popeye: popeyeText(answer, play),
    json: JSON.parse(jsonText(answer, play)),
  };
}
"""


def problems(count: int) -> Iterator[tuple[str, Stipulation]]:
    """Positions of puzzles/ with stipulations that most of them do not have."""
    for name, moves in product(STIPULATIONS, (1, 2)):
        lines = (PUZZLES / f"generated-{moves}.epd").read_text().splitlines()
        fens = [" ".join(line.split()[:4]) for line in lines if line[0] != "#"]
        for fen in random.Random(f"{name}{moves}").sample(fens, count):
            half = ".5" if "h" in name and moves == 1 and " w " in fen else ""
            yield f"{fen} 0 1", Stipulation.parse(f"{name}{moves}{half}")


def shown_by_solve(solver: Solver, problem: Problem) -> tuple[Solution, ShownPlay]:
    """Return the answer, and the play of `solve --set-play --tries 1`."""
    solution = solver.solve(problem)
    if problem.stipulation.is_help:
        return solution, ShownSolutions(solution)
    play = variations(problem, set_play=True, tries=1)
    return solution, ShownTree(solution, play, tries=True)


def expected(solver: Solver, problem: Problem) -> dict[str, Any]:
    """Return what the program prints and writes."""
    solution, play = shown_by_solve(solver, problem)
    known = facts(solution)
    record = solution.to_dict()
    if isinstance(play, ShownTree):
        record["play"] = play.record()
    return {
        "headline": say("headline", known),
        "proof": say("proof", known),
        "pgn": play.pgn().decode(),
        "popeye": "".join(play.popeye()),
        "json": json.loads(json.dumps(record)),
    }


def untimed(answer: dict[str, Any]) -> dict[str, Any]:
    record = {key: answer["json"][key] for key in answer["json"] if key not in TIMES}
    return answer | {"json": record}


@sized("count", 8, 40)
def test_copies_are_what_solve_writes(live: Opener, solver: Solver, count: int) -> None:
    board = live.open()
    board.wait()
    for fen, stipulation in problems(count):
        problem = Problem(fen, stipulation=stipulation)
        text = str(stipulation)
        name = text.rstrip("0123456789.")
        asked = [fen, name, text.removeprefix(name)]
        shown = board.page.evaluate(ANSWER, asked)
        assert untimed(shown) == untimed(expected(solver, problem)), (fen, text)
