"""What the live board says and copies, held against the Python program."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver import Control, Problem, Solution, Solver
from solver.audit.results import audit_result
from solver.output.audit_records import audit_record
from solver.output.shown_play import (
    ShownSolutions,
    ShownTree,
    find_play,
)
from solver.output.text import facts, say
from solver.pages import page_record
from solver.pages.layout import STIPULATIONS
from solver.pages.viewer_pages import asked
from solver.play.builder import find_variations
from solver.play.record import PlayOptions
from solver.problem import Claim, Restriction, Stipulation
from solver.search.queries import read_question
from solver.solution import Status
from tests.output.play_trees import BLOCK_SOLUTION, HELPMATE
from tests.pages.live import PATIENCE_MS, PAUSE_MS
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.output.shown_play import ShownPlay
    from tests.pages.live import Live, Look

pytestmark = pytest.mark.browser

TIMES = ("nodes", "time_s", "id")
"""Fields of a record that differ, because the page's table is not empty."""

POSITIONS = (
    "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1",
    "8/8/8/8/8/5KR1/8/7k w - - 0 1",
    "8/8/4BQ1Q/8/5b2/4R1p1/8/5k1K w - - 0 1",
    "8/5K2/2r5/7p/5R2/6B1/8/7k",
    "8/5K2/2r5/7p/5R2/6B1/8/7k b - - 0 1",
    "7k/8/5K2/8/8/8/8/R7 w - - 0 1",
    "6k1/8/8/2q5/8/7n/6PP/5R1K b - - 0 34",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "7k/8/8/8/8/8/8/K7 w - - 0 1",
)


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver()


# Copies of one answer, in each format


@cache
def answered(
    solver: Solver, problem: Problem, tries: int = 1
) -> tuple[Solution, ShownPlay]:
    """Return the answer, and the play of `solve --set-play --tries 1`."""
    solution = solver.solve(problem)
    if problem.stipulation.is_help:
        return solution, ShownSolutions(solution)
    options = PlayOptions(set_play=True, tries=tries, popeye=True)
    question = read_question(problem, None)
    play = find_variations(Solver(), question, options, Control())
    return solution, ShownTree(solution, play.to_dict(), tries > 0, True)


def expected(
    solver: Solver, problem: Problem, tries: int = 1, *, with_set_play: bool = False
) -> dict[str, Any]:
    """Return what the program prints and writes.

    The set play of help play is part of it only if wanted.
    """
    solution, play = answered(solver, problem, tries)
    known, record = facts(solution), solution.to_dict()
    if problem.stipulation.is_help:
        if with_set_play:
            question, options = read_question(problem, None), PlayOptions(set_play=True)
            play = find_play(question, solution, solver, options, Control())
            record["play"] = play.record()
    elif solution.mate or problem.stipulation.has_number:
        record["play"] = play.record()
    return {
        **{name: say(name, known) for name in ("headline", "proof", "roles")},
        "title": asked(solution),
        "pgn": play.pgn().decode(),
        "popeye": "".join(play.popeye()),
        "json": json.loads(json.dumps(record)),
    }


def untimed(answer: dict[str, Any]) -> dict[str, Any]:
    record = {key: answer["json"][key] for key in answer["json"] if key not in TIMES}
    return answer | {"json": record}


ANSWER = """
async ([fen, find, tries]) => {
  element("tree-tries").value = tries;
  viewer.fillForm({ find, nodes: null });
  await viewer.setUp(fen);
  const { answer, question, root } = viewer.state;
  const { moves } = question;
  let play = await viewer.play.wholePlay();
  const json = JSON.parse(jsonText(answer, play));
  if (question.part === "help") {
    const about = { fen: played(fen, ["0000"]), moves: [], nodes: null,
      stipulation: { ...question, moves: moves - 0.5 } };
    play = helpPlay(answer, moves === 0.5 || root.check ? null
      : await viewer.thinker.ask("search", about, () => {}, "help"));
    const { names, ...record } = play;
    json.play = record;
  }
  const known = factsOf(answer);
  return {
    headline: say("headline", known), proof: say("proof", known),
    roles: say("roles", known), title: recordTitle(answer).join(""),
    pgn: pgnText(answer, play), popeye: popeyeText(answer, play), json,
  };
}
"""

ASKED = [
    *((POSITIONS[1], "#3"), (POSITIONS[0], "#2"), (POSITIONS[2], "s#2")),
    *((POSITIONS[5], "exact-#3"), (POSITIONS[6], "r#2"), (POSITIONS[8], "=2")),
    ("k7/p1K5/8/8/8/8/8/1R6 b - - 0 1", "h#2"),  # with set play, and without
    ("k7/p1K5/8/8/8/8/8/1R6 w - - 3 7", "exact-h#2.5"),
    ("k7/p1K4r/8/8/8/8/8/1R6 w - - 0 1", "h#1.5"),
    ("k7/2K5/8/8/8/8/8/1R6 w - - 0 1", "h#0.5"),
]


def test_copies_are_what_solve_writes(board: Live, solver: Solver) -> None:
    for fen, stipulation in ASKED:
        problem = Problem(fen, stipulation=stipulation)
        shown = board.page.evaluate(ANSWER, [fen, stipulation, 1])
        wanted = expected(solver, problem, with_set_play=True)
        assert untimed(shown) == untimed(wanted), problem


def test_the_play_of_a_long_mate_is_what_solve_writes(live: Look) -> None:
    board, problem = live(), Problem("K7/8/8/8/8/5Q2/2k5/8 w - - 0 1")
    board.wait()
    shown = board.page.evaluate(ANSWER, [problem.fen, "#", 0])
    wanted = expected(Solver(), problem, 0)  # which knows no endgame yet
    assert wanted["json"]["mate"] == 7
    assert wanted["json"]["play"]["complete_moves"] is None
    assert untimed(shown) == untimed(wanted)


# Sound problems, and texts for Popeye


def claiming(
    solution: Solution, claim: Claim | None = None, **changes: Any
) -> Solution:
    """The same answer to a problem that claims something."""
    claimed = {"claim": claim, "no_mate": changes.pop("no_mate", None)}
    problem = replace(solution.problem, id="", **claimed)
    return replace(solution, problem=problem, **changes)


ONE = replace(HELPMATE, solutions=HELPMATE.solutions[:1])
NO_HELP = {"solutions": (), "mate": None, "lower_bound": 3, "status": Status.DISPROVED}
CHECKS = Restriction(checks_only=True)

# fmt: off
MARKED: dict[Solution, str] = {
    claiming(BLOCK_SOLUTION, Claim(2, ("h5a5",))): "#2 (6+10) C+",
    claiming(BLOCK_SOLUTION, Claim(2, ("h5h6",))): "#2 (6+10)",
    claiming(BLOCK_SOLUTION, Claim(3)): "#3 (6+10)",
    claiming(BLOCK_SOLUTION, Claim(-2)): "# (6+10)",
    claiming(BLOCK_SOLUTION, no_mate=2): "#2 (6+10)",
    claiming(BLOCK_SOLUTION, keys=("h5a5", "h5h6")): "#2 (6+10)",
    claiming(BLOCK_SOLUTION, keys_complete=False): "#2 (6+10)",
    claiming(BLOCK_SOLUTION, status=Status.FOUND): "#2 (6+10)",
    claiming(BLOCK_SOLUTION, restriction=CHECKS): "#2 (6+10)",
    claiming(ONE, Claim(2, solutions=2)): "h#2 (2+1)",
    claiming(ONE, Claim(2, ("a1b1",))): "h#2 (2+1) C+",
    claiming(ONE, Claim(2, ("a1a2",))): "h#2 (2+1)",
    claiming(ONE, Claim(2), solutions_complete=False, status=Status.FOUND): "h#2 (2+1)",
    claiming(HELPMATE, Claim(2)): "h#2 (2+1)",
    claiming(HELPMATE, Claim(2, solutions=2)): "h#2 (2+1) C+",
    claiming(HELPMATE, Claim(2, solutions=0), **NO_HELP): "h#2 (2+1)",
}
"""What is beside an answer."""
# fmt: on


def recorded(solution: Solution) -> dict[str, Any]:
    return page_record(audit_record(audit_result(solution)) | solution.to_dict())


SOUND = "(all) => all.map((each) => [isSound(each), recordTitle(each).at(-1)])"


def test_page_and_program_mark_the_same_answers_as_sound(board: Live) -> None:
    shown = board.page.evaluate(SOUND, [*map(recorded, MARKED)])
    assert shown == [[text.endswith("C+"), text] for text in MARKED.values()]
    assert [asked(each) for each in MARKED] == [*MARKED.values()]


# One state a page: an answer to another question is never shown

SEEN = """
() => { const paths = (id) =>
  [...document.querySelectorAll(`#${id} .move`)].map((each) => each.dataset.path);
return ({
  fen: element("setup-fen").value,
  find: element("answer-find").value,
  state: element("answer").dataset.state,
  headline: element("answer-headline").textContent,
  proof: element("answer-proof").textContent,
  keys: paths("answer-keys"),
  play: paths("tree-play"),
}); }
"""


LENGTHS = ("", "1", "2", "0.5", "1.5", "0", "3")

BUTTONS = (
    *("board-back", "board-forward", "board-start", "answer-stop"),
    *("tree-show", "tree-unfold", "tree-fold", "setup-undo", "setup-flip"),
)


class Walker:
    """A user who does one thing after the other, and compares what the page says."""

    def __init__(self, board: Live, solver: Solver, seed: int) -> None:
        self.board = board
        self.page = board.page
        self.solver = solver
        self.random = random.Random(seed)
        self.done: list[str] = []

    def step(self) -> None:
        """Do something; half of the time, do not wait for what comes of it."""
        rows = ".move:visible", "#tree-play details:not([open]) > summary"
        actions: list[Callable[[], str]] = [
            *[self.set_up, self.find, self.play_a_move] * 2,
            *[partial(self.click, row) for row in rows] * 2,
            *[partial(self.press, name) for name in BUTTONS],
        ]
        self.done.append(self.random.choice(actions)())
        self.compare()
        if self.random.random() < 0.5:
            self.settle()
            self.compare()

    def settle(self) -> None:
        """Wait for the answer and its play; a search that takes long is stopped."""
        for _ in range(PATIENCE_MS // PAUSE_MS // 5):
            if self.page.evaluate("!viewer.state.doing"):
                return
            self.page.wait_for_timeout(PAUSE_MS)
        self.done.append("stop")
        self.page.evaluate(
            "viewer.state.doing === 'listing' ? viewer.play.list() : viewer.pause()"
        )

    def set_up(self) -> str:
        fen = self.random.choice(POSITIONS)
        if self.random.random() < 0.7:
            self.board.type_fen(fen)
        else:
            self.board.go(f"fen={fen}")
            self.page.wait_for_timeout(PAUSE_MS)
        return f"set up {fen}"

    def find(self) -> str:
        text = self.random.choice(STIPULATIONS) + self.random.choice(LENGTHS)
        self.board.find(text)
        return f"find {text}"

    def play_a_move(self) -> str:
        moves = self.page.evaluate("viewer.state.here?.moves.map(({uci}) => uci) ?? []")
        uci = self.random.choice(moves or [""])
        if uci:
            self.page.evaluate("(uci) => viewer.board.options.onMove(uci)", uci)
        return f"play {uci}"

    def click(self, rows: str) -> str:
        found = self.page.locator(rows)
        if count := found.count():
            number = self.random.randrange(count)
            found.nth(number).evaluate("(row) => row.click()")
        return f"click {rows}"

    def press(self, name: str) -> str:
        if self.page.is_enabled(f"#{name}"):
            self.page.evaluate(f"element('{name}').click()")
        return f"press {name}"

    def compare(self) -> None:
        """What the page says is nothing, or the answer to what is on the page."""
        seen = self.page.evaluate(SEEN)
        if seen["state"] != "closed":
            assert not seen["play"] or seen["state"] == "stopped", self.done
            return
        problem = problem_of(seen)
        solution, _ = answered(self.solver, problem)
        known = facts(solution)
        assert seen["headline"] == say("headline", known), self.done
        assert seen["proof"] == say("proof", known), self.done
        assert set(seen["keys"]) in ({*solution.keys}, set()), self.done
        for path in seen["play"]:
            require_legal(problem.fen, path)


def problem_of(seen: dict[str, Any]) -> Problem:
    """The position and the stipulation on the page."""
    asked = None if seen["find"] == "#" else Stipulation.parse(seen["find"])
    return Problem(seen["fen"], stipulation=asked)


def require_legal(fen: str, path: str) -> chess.Board:
    """Fail if the moves of a path cannot be played; return the position after it."""
    board = chess.Board(fen)
    for uci in path.split():
        move = chess.Move.from_uci(uci)
        assert not move or board.is_legal(move), (fen, path)
        board.push(move)
    return board


@sized("count", 3, 500)
def test_any_sequence_of_actions_shows_the_answer_to_what_is_on_the_page(
    live: Look, solver: Solver, count: int
) -> None:
    board = live()
    board.wait()
    for seed in range(count):
        walker = Walker(board, solver, seed)
        for _ in range(8):
            walker.step()
        walker.settle()
        walker.compare()
