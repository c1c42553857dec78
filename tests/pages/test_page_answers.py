"""What the live board says and copies, held against the Python program."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver import Control, Problem, Solution, Solver
from solver.audit.results import audit_result
from solver.output.audit_records import audit_record
from solver.output.popeye_text import draw
from solver.output.shown_play import (
    ShownPlay,
    ShownSolutions,
    ShownTree,
    find_play,
    popeye_diagram,
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
from tests.pages.live import COPIED, PATIENCE_MS, PAUSE_MS
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.pages.live import Live, Opener

pytestmark = pytest.mark.browser

PUZZLES = Path(__file__).parents[2] / "puzzles"

TIMES = ("nodes", "time_s", "id")
"""Fields of a record that differ, because the page's table is not empty."""


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver()


ANSWER = """
async ([fen, find]) => {
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


POSITIONS = (
    "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1",
    "8/8/8/8/8/5KR1/8/7k w - - 0 1",
    "8/8/4BQ1Q/8/5b2/4R1p1/8/5k1K w - - 0 1",
    "8/5K2/2r5/7p/5R2/6B1/8/7k",
    "8/5K2/2r5/7p/5R2/6B1/8/7k b - - 0 1",
    "7k/8/5K2/8/8/8/8/R7 w - - 0 1",
    "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1",
    "6k1/8/8/2q5/8/7n/6PP/5R1K b - - 0 34",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "7k/8/8/8/8/8/8/K7 w - - 0 1",
)


def puzzles(moves: int) -> list[str]:
    """The positions of puzzles/ with a mate in so many moves."""
    lines = (PUZZLES / f"generated-{moves}.epd").read_text().splitlines()
    return [" ".join(line.split()[:4]) for line in lines if line[0] != "#"]


def problems(count: int) -> Iterator[tuple[str, Stipulation]]:
    """Mates in up to four, and stipulations that most positions do not have."""
    for moves in (2, 3, 4):
        for fen in random.Random(moves).sample(puzzles(moves), count):
            yield f"{fen} 0 1", Stipulation.parse(f"#{moves}")
    for name, moves in product(STIPULATIONS, (1, 2)):
        for fen in random.Random(f"{name}{moves}").sample(puzzles(moves), count):
            half = ".5" if "h" in name and moves == 1 and " w " in fen else ""
            yield f"{fen} 0 1", Stipulation.parse(f"{name}{moves}{half}")


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
    if with_set_play and problem.stipulation.is_help:
        play = find_play(
            read_question(problem, None),
            solution,
            solver,
            PlayOptions(set_play=True),
            Control(),
        )
    known = facts(solution)
    record = solution.to_dict()
    if isinstance(play, ShownTree) and (
        solution.mate or problem.stipulation.has_number
    ):
        record["play"] = play.record()
    if with_set_play and isinstance(play, ShownSolutions):
        record["play"] = play.record()
    return {
        "headline": say("headline", known),
        "proof": say("proof", known),
        "roles": say("roles", known),
        "title": asked(solution),
        "pgn": play.pgn().decode(),
        "popeye": "".join(play.popeye()),
        "json": json.loads(json.dumps(record)),
    }


def untimed(answer: dict[str, Any]) -> dict[str, Any]:
    record = {key: answer["json"][key] for key in answer["json"] if key not in TIMES}
    return answer | {"json": record}


EARLY = """
async ([fen, find]) => {
  viewer.fillForm({ find, nodes: null });
  const asked = viewer.setUp(fen);
  const isListing = () => viewer.state.doing === "listing";
  while (!isListing()) await new Promise((each) => setTimeout(each));
  await viewer.play.copy("pgn");
  await asked;
  return globalThis.copied;
}
"""


def test_a_copy_waits_for_the_play_that_is_being_listed(
    live: Opener, solver: Solver
) -> None:
    board = live.open(before=COPIED)
    board.wait()
    problem = Problem(POSITIONS[1], stipulation=Stipulation.parse("#3"))
    copied = board.page.evaluate(EARLY, [problem.fen, "#3"])
    assert copied == expected(solver, problem)["pgn"]


@sized("count", 4, 40)
def test_copies_are_what_solve_writes(live: Opener, solver: Solver, count: int) -> None:
    board = live.open()
    board.wait()
    for fen, stipulation in problems(count):
        problem = Problem(fen, stipulation=stipulation)
        shown = board.page.evaluate(ANSWER, [fen, str(stipulation)])
        wanted = expected(solver, problem, with_set_play=True)
        assert untimed(shown) == untimed(wanted), problem


SOUND = """
(records) => records.map((record) => [isSound(record), recordTitle(record).at(-1)]);
"""


def claiming(
    solution: Solution, claim: Claim | None = None, **changes: Any
) -> Solution:
    """The same answer to a problem that claims something."""
    claimed = {"claim": claim, "no_mate": changes.pop("no_mate", None)}
    problem = replace(solution.problem, id="", **claimed)
    return replace(solution, problem=problem, **changes)


ONE = replace(HELPMATE, solutions=HELPMATE.solutions[:1])

MARKED = {
    claiming(BLOCK_SOLUTION): "#2 (6+10) C+",
    claiming(BLOCK_SOLUTION, Claim(2, ("h5a5",))): "#2 (6+10) C+",
    claiming(BLOCK_SOLUTION, Claim(2, ("h5h6",))): "#2 (6+10)",
    claiming(BLOCK_SOLUTION, Claim(3)): "#3 (6+10)",
    claiming(BLOCK_SOLUTION, Claim(-2)): "# (6+10)",
    claiming(BLOCK_SOLUTION, no_mate=1): "#2 (6+10) C+",
    claiming(BLOCK_SOLUTION, no_mate=2): "#2 (6+10)",
    claiming(BLOCK_SOLUTION, keys=("h5a5", "h5h6")): "#2 (6+10)",
    claiming(BLOCK_SOLUTION, keys_complete=False): "#2 (6+10)",
    claiming(BLOCK_SOLUTION, status=Status.FOUND): "#2 (6+10)",
    claiming(BLOCK_SOLUTION, restriction=Restriction(checks_only=True)): "#2 (6+10)",
    claiming(ONE, Claim(2)): "h#2 (2+1) C+",
    claiming(ONE, Claim(2, solutions=2)): "h#2 (2+1)",
    claiming(ONE, Claim(2, ("a1b1",))): "h#2 (2+1) C+",
    claiming(ONE, Claim(2, ("a1a2",))): "h#2 (2+1)",
    claiming(ONE, Claim(2), solutions_complete=False, status=Status.FOUND): (
        "h#2 (2+1)"
    ),
    claiming(ONE, Claim(2), solutions=(("a1b1", "h3h1"),)): "h#2 (2+1)",
    claiming(HELPMATE, Claim(2)): "h#2 (2+1)",
    claiming(HELPMATE, Claim(2, solutions=2)): "h#2 (2+1) C+",
    claiming(
        HELPMATE,
        Claim(2, solutions=0),
        solutions=(),
        mate=None,
        lower_bound=3,
        status=Status.DISPROVED,
    ): "h#2 (2+1)",
}
"""What is beside an answer."""


def test_page_and_program_mark_the_same_answers_as_sound(live: Opener) -> None:
    board = live.open()
    board.wait()
    records = [
        page_record(audit_record(audit_result(each)) | each.to_dict())
        for each in MARKED
    ]
    shown = board.page.evaluate(SOUND, records)
    assert shown == [[text.endswith("C+"), text] for text in MARKED.values()]
    assert [asked(each) for each in MARKED] == [*MARKED.values()]


@pytest.mark.parametrize(
    ("fen", "stipulation", "solutions"),
    [
        ("k7/p1K5/8/8/8/8/8/1R6 b - - 0 1", "h#2", 6),
        ("k7/p1K5/8/8/8/8/8/1R6 w - - 3 7", "h#1.5", 0),
        ("k7/p1K5/8/8/8/8/8/1R6 w - - 3 7", "exact-h#2.5", 9),
        ("k7/p1K4r/8/8/8/8/8/1R6 w - - 0 1", "h#1.5", 0),
        ("k7/2K5/8/8/8/8/8/1R6 w - - 0 1", "h#0.5", 0),
    ],
)
def test_copies_have_the_set_play_of_help_play(
    live: Opener, solver: Solver, fen: str, stipulation: str, solutions: int
) -> None:
    board = live.open()
    board.wait()
    problem = Problem(fen, stipulation=stipulation)
    shown = board.page.evaluate(ANSWER, [fen, stipulation])
    assert untimed(shown) == untimed(expected(solver, problem, with_set_play=True))
    assert shown["pgn"].count("[SetPlay ") == solutions


CUT_SET_PLAY = """
async ([record, solutions]) => {
  const play = helpPlay(record, { state: "undecided", solutions });
  return [pgnText(record, play), popeyeText(record, play)];
}
"""


@pytest.mark.parametrize("found", [0, 1])
def test_copies_say_that_there_may_be_other_set_play(live: Opener, found: int) -> None:
    board = live.open()
    board.wait()
    names = [
        {"uci": "h3h4", "san": "Rh4", "long": "Rh3-h4"},
        {"uci": "a1b1", "san": "Kb1", "long": "Ka1-b1"},
        {"uci": "h4h1", "san": "Rh1#", "long": "Rh4-h1#"},
    ]
    record = page_record(ONE.to_dict())
    shown = board.page.evaluate(CUT_SET_PLAY, [record, [names][:found]])
    line = tuple(name["uci"] for name in names)
    play = ShownSolutions(ONE, (line,) * found, set_play_complete=False)
    assert shown == [play.pgn().decode(), "".join(play.popeye())]
    assert all("set play" in text for text in shown)


NAMED = """
(records) => records.map((record) => popeyeText(record, null));
"""


@pytest.mark.parametrize(
    ("id_", "source"),
    [
        ("", ""),
        ("A name", "mates.epd:3"),
        ("mates.epd:3", "folder/mates.epd:3"),
        ("mates.epd:3", "mates.epd:3"),
        (" two\n\x1blines", "x.epd:1"),
        ("x" * 60, ""),
        ("\N{BLACK CHESS PAWN}\U0001fa00 odd", ""),
    ],
)
def test_diagrams_have_the_names_of_their_problems(
    live: Opener, id_: str, source: str
) -> None:
    board = live.open()
    board.wait()
    named = [
        replace(each, problem=replace(each.problem, id=id_, source=source))
        for each in MARKED
    ]
    records = [
        page_record(audit_record(audit_result(each)) | each.to_dict())
        for each in named
        if not each.solutions
    ]
    shown = board.page.evaluate(NAMED, records)
    assert shown == [popeye_diagram(each) for each in named if not each.solutions]


GIVEN = """
(record) => popeyeText({ ...record, author: "A. Author", origin: "Somewhere 1999",
  title: "A title" }, null);
"""


def test_a_page_can_give_the_lines_above_the_diagram(live: Opener) -> None:
    board = live.open()
    board.wait()
    shown = board.page.evaluate(GIVEN, page_record(BLOCK_SOLUTION.to_dict()))
    texts = ["A. Author", "Somewhere 1999", "A title"]
    assert shown == draw(BLOCK_SOLUTION.problem.fen, "#2", texts, "C+")


LONG = {
    6: "8/8/7p/5K1k/8/6p1/5bPP/4N3 w - - 0 1",
    7: "K7/8/8/8/8/5Q2/2k5/8 w - - 0 1",
    8: "8/7K/8/8/8/8/R7/7k w - - 0 1",
    9: "8/8/8/8/8/R7/8/5k1K w - - 0 1",
}
"""Mates in 6 to 9."""


@pytest.mark.parametrize("moves", LONG)
def test_the_play_of_a_long_mate_is_what_solve_writes(live: Opener, moves: int) -> None:
    board = live.open()
    board.wait()
    board.page.fill("#tree-tries", "0")
    shown = board.page.evaluate(ANSWER, [LONG[moves], "#"])
    wanted = expected(Solver(), Problem(LONG[moves]), 0)  # which knows no endgame yet
    assert wanted["json"]["mate"] == moves
    assert wanted["json"]["play"]["complete_moves"] is None
    assert untimed(shown) == untimed(wanted)


SEEN = """
() => { const paths = (id) =>
  [...document.querySelectorAll(`#${id} .move`)].map((each) => each.dataset.path);
return ({
  fen: document.getElementById("setup-fen").value,
  find: document.getElementById("answer-find").value,
  state: document.getElementById("answer").dataset.state,
  headline: document.getElementById("answer-headline").textContent,
  proof: document.getElementById("answer-proof").textContent,
  keys: paths("answer-keys"),
  play: paths("tree-play"),
}); }
"""

IS_IDLE = "!viewer.state.doing"

LENGTHS = ("", "1", "2", "0.5", "1.5", "0", "3")


class Walker:
    """A user who does one thing after the other, and compares what the page says."""

    def __init__(self, board: Live, solver: Solver, seed: int) -> None:
        self.board = board
        self.page = board.page
        self.solver = solver
        self.random = random.Random(seed)
        self.done: list[str] = []
        self.tries = int(self.page.input_value("#tree-tries"))
        self.actions: list[Callable[[], None]] = [
            *[self.set_up] * 2,
            *[self.find] * 2,
            *[self.follow] * 3,
            *[self.play_a_move] * 2,
            *[partial(self.press, name) for name in BUTTONS],
            self.open_level,
            self.paste,
            self.remove_a_piece,
            self.change_the_tries,
        ]

    def step(self) -> None:
        """Do something; half of the time, do not wait for what comes of it."""
        self.random.choice(self.actions)()
        self.compare()
        if self.random.random() < 0.5:
            self.settle()
            self.compare()

    def settle(self) -> None:
        """Wait for the answer and its play; a search that takes long is stopped."""
        for _ in range(PATIENCE_MS // PAUSE_MS // 5):
            if self.page.evaluate(IS_IDLE):
                return
            self.page.wait_for_timeout(PAUSE_MS)
        self.done.append("stop")
        self.page.evaluate(
            "viewer.state.doing === 'listing' ? viewer.play.list() : viewer.pause()"
        )

    def set_up(self) -> None:
        fen = self.random.choice(POSITIONS)
        self.done.append(f"set up {fen}")
        self.board.type_fen(fen)

    def paste(self) -> None:
        fen = self.random.choice(POSITIONS)
        self.done.append(f"link to {fen}")
        self.page.evaluate("(fen) => { location.hash = `fen=${fen}`; }", fen)
        self.page.wait_for_timeout(20)

    def find(self) -> None:
        name, length = self.random.choice(STIPULATIONS), self.random.choice(LENGTHS)
        self.done.append(f"find {name} in {length}")
        self.board.find(name + length)

    def follow(self) -> None:
        moves = self.page.locator(".move:visible")
        if count := moves.count():
            number = self.random.randrange(count)
            self.done.append(f"follow move {number}")
            moves.nth(number).evaluate("(move) => move.click()")

    def play_a_move(self) -> None:
        moves = self.page.evaluate("viewer.state.here?.moves.map(({uci}) => uci) ?? []")
        if moves:
            uci = self.random.choice(moves)
            self.done.append(f"play {uci}")
            self.page.evaluate("(uci) => viewer.board.options.onMove(uci)", uci)

    def remove_a_piece(self) -> None:
        """Take a piece off the board, as the tools to set up a position do."""
        number = self.random.randrange(32)
        self.done.append(f"remove piece {number}")
        self.page.evaluate(
            """(number) => {
              const { board } = viewer;
              const squares = [...board.letters.keys()].filter((at) =>
                board.letters[at] && !/k/i.test(board.letters[at]));
              if (!squares.length) return;
              viewer.toStart();
              board.letters[squares[number % squares.length]] = "";
              board.options.onPlacement(board.placement);
            }""",
            number,
        )

    def change_the_tries(self) -> None:
        if not self.page.is_visible("#tree-tries"):  # help play has none
            return
        self.tries = self.random.choice((0, 1, 2))
        self.done.append(f"tries with {self.tries} refutations")
        self.page.fill("#tree-tries", str(self.tries))
        self.page.press("#tree-tries", "Enter")

    def press(self, name: str) -> None:
        if self.page.is_enabled(f"#{name}"):
            self.done.append(f"press {name}")
            self.page.evaluate(f"document.getElementById('{name}').click()")

    def open_level(self) -> None:
        closed = self.page.locator("#tree-play details:not([open]) > summary")
        if count := closed.count():
            self.done.append("open a level")
            closed.nth(self.random.randrange(count)).evaluate("(row) => row.click()")

    def problem(self, seen: dict[str, Any]) -> Problem:
        """The position and the stipulation on the page."""
        asked = seen["find"]
        stipulation = None if asked == "#" else Stipulation.parse(asked)
        return Problem(seen["fen"], stipulation=stipulation)

    def compare(self) -> None:
        """What the page says is nothing, or the answer to what is on the page."""
        seen = self.page.evaluate(SEEN)
        if seen["state"] != "closed":
            assert not seen["play"] or seen["state"] == "stopped", self.done
            return
        problem = self.problem(seen)
        solution, _ = answered(self.solver, problem)
        known = facts(solution)
        assert seen["headline"] == say("headline", known), self.done
        assert seen["proof"] == say("proof", known), self.done
        assert set(seen["keys"]) in ({*solution.keys}, set()), self.done
        for path in seen["play"]:
            require_legal(problem.fen, path)

    def compare_copies(self) -> None:
        """The three texts are those of the program, or the page says why not."""
        seen = self.page.evaluate(SEEN)
        for name in ("json", "pgn", "popeye"):
            text = self.page.evaluate(
                """async (name) => {
                  globalThis.copied = "";
                  await viewer.play.copy(name);
                  return globalThis.copied;
                }""",
                name,
            )
            if seen["state"] != "closed":  # nothing, or what a limit has left
                if text and name == "json":
                    record = json.loads(text)
                    asked = record["fen"], record.get("stipulation", "#")
                    assert asked == (seen["fen"], seen["find"])
                continue
            problem = self.problem(seen)
            shown = untimed(expected(self.solver, problem, self.tries))
            if name == "json":
                text = untimed({"json": json.loads(text)})["json"]
                if text["pv"] != shown["json"]["pv"]:  # an earlier search knew another
                    require_mate(problem.fen, text["pv"], len(shown["json"]["pv"]))
                    return
            assert text == shown[name], (problem, self.tries, self.done)


BUTTONS = (
    *("board-back", "board-forward", "board-start", "answer-stop"),
    *("tree-show", "tree-unfold", "tree-fold", "setup-undo", "setup-flip"),
)


def require_mate(fen: str, line: list[str], plies: int) -> None:
    """Fail unless a line of so many plies mates."""
    assert len(line) == plies
    assert require_legal(fen, " ".join(line)).is_checkmate()


def require_legal(fen: str, path: str) -> chess.Board:
    """Fail if the moves of a path cannot be played; return the position after it."""
    board = chess.Board(fen)
    for uci in path.split():
        move = chess.Move.from_uci(uci)
        assert not move or board.is_legal(move), (fen, path)
        board.push(move)
    return board


@sized("count", 5, 500)
def test_any_sequence_of_actions_shows_and_copies_the_answer_to_what_is_on_the_page(
    live: Opener, solver: Solver, count: int
) -> None:
    board = live.open(before=COPIED)
    board.wait()
    for seed in range(count):
        walker = Walker(board, solver, seed)
        for _ in range(8):
            walker.step()
        walker.settle()
        walker.compare()
        walker.compare_copies()


CUT = """
async ([fen, moves, line, most]) => {
  const stipulation = { ...kindOf("#"), moves };
  const wanted = { fen, stipulation, line, all: false, tries: 1, levels: null, most };
  return JSON.parse(jsonText({}, await viewer.thinker.ask("play", wanted))).play;
}
"""


@pytest.mark.parametrize("most", [5, 40, 200, 1000])
def test_a_play_is_cut_where_solve_cuts_it(
    live: Opener, solver: Solver, most: int
) -> None:
    board = live.open()
    board.wait()
    cut = 0
    for fen in random.Random(most).sample(puzzles(4), 8):
        problem = Problem(f"{fen} 0 1", stipulation=Stipulation.parse("#4"))
        options = PlayOptions(set_play=True, tries=1, most_moves=most)
        question = read_question(problem, None)
        play = find_variations(solver, question, options, Control())
        line = [*answered(solver, problem)[0].pv]
        shown = board.page.evaluate(CUT, [problem.fen, 4, line, most])
        assert shown == json.loads(json.dumps(play.to_dict())), problem.fen
        cut += play.complete_moves is not None
    assert cut or most == 1000
