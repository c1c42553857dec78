"""The page of an answer: its sentences, its variations, and what it may load."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from solver.output.play_text import describe_play
from solver.output.shown_play import describe_solutions
from solver.pages.answer_page import encode_page
from solver.play.tree import Attack, Defence, Variations
from solver.problem import Problem
from solver.solution import Solution, Status
from solver.stipulation import Stipulation
from tests.output.answers import (
    MATED,
    ROOK,
    ROOK_DISPROVED,
    ROOK_FOUND,
    ROOK_UNDECIDED,
    SMOTHERED,
    SMOTHERED_BY_BLACK,
)
from tests.pages.html import Page, browser, opened, require_own_style_and_script

if TYPE_CHECKING:
    from pathlib import Path

ROOK_PLAY = Variations(
    Stipulation.parse("#3"),
    ROOK.fen,
    keys=(
        Attack(
            "a2a8",
            2,
            defences=[
                Defence("g1h2", [Attack("a8a1", 1, is_cut=True)]),
                Defence("g1f1", [Attack("a8a1", 0)]),
            ],
        ),
        Attack("a2a7", 2, is_cut=True),
    ),
    key_moves=1,
    keys_complete=True,
)


ROOK_LINES = describe_play(ROOK_PLAY, positions=True)


def page(solution: Solution, variations: Variations | None = None) -> Page:
    lines = describe_play(variations or Variations(), positions=True)
    return Page(encode_page(solution, lines))


def test_a_page_has_the_answer_in_sentences_and_the_position() -> None:
    lines = page(SMOTHERED).lines
    fen = SMOTHERED.problem.fen
    start = lines.index(f"smothered: {fen}")
    assert lines[start : start + 9] == [
        f"smothered: {fen}",
        "White to move",
        "White mates in 2.",
        "1. Qg8+ Rxg8 2. Nf7#",
        "Only key: Qg8+",
        "Proved: mate in 2 is forced, and none is shorter.",
        "1,234,567 nodes in 0.41 s",
        fen,
        "Analyse on lichess",
    ]


def test_a_page_says_once_who_is_to_move() -> None:
    shown = page(ROOK_FOUND, ROOK_PLAY)
    assert shown.lines.count("White to move") == 1
    assert '<figcaption id="after"></figcaption>' in shown.text


@pytest.mark.parametrize(
    "solution", [SMOTHERED_BY_BLACK, MATED, ROOK_DISPROVED, ROOK_UNDECIDED]
)
def test_every_answer_has_its_page(solution: Solution) -> None:
    shown = page(solution)
    assert [tag for tag, _ in shown.tags].count("h1") == 1
    assert [tag for tag, _ in shown.tags].count("svg") == 1
    assert shown.play == []
    assert shown.scripts == []


def test_the_page_loads_nothing_and_runs_only_its_own_script() -> None:
    require_own_style_and_script(encode_page(ROOK_FOUND, ROOK_LINES))


def test_the_name_of_a_position_is_only_text() -> None:
    problem = replace(SMOTHERED.problem, id="</title><script>alert('x')</script>$fen")
    shown = page(replace(SMOTHERED, problem=problem))
    assert not shown.attributes("script")
    assert f"{problem.id}: {problem.fen}" in shown.lines


def test_a_link_opens_the_position_for_analysis() -> None:
    (link,) = page(SMOTHERED).attributes("a")
    assert link["href"] == (
        "https://lichess.org/analysis/standard/5r1k/6pp/7N/8/2Q5/8/8/6K1_w_-_-_0_1"
    )


def test_variations_unfold_from_the_move_before_them() -> None:
    assert page(ROOK_FOUND, ROOK_PLAY).play == [
        "Keys",
        "1.Ra8!",
        "1...Kh2 2.Ra1 (mate in 1 more)",
        "1...Kf1 2.Ra1#",
        "1.Ra7! (mate in 2 more)",
        "The play of the first move is shown; after it only the main line.",
    ]


def smothered(fen: str, first: str, reply: str, *last: str) -> Variations:
    defence = Defence(reply, [Attack(move, 0) for move in last])
    key = Attack(first, 1, defences=[defence])
    return Variations(Stipulation.parse("#2"), fen, keys=(key,), keys_complete=True)


def test_moves_without_alternatives_are_in_one_line() -> None:
    play = smothered(SMOTHERED.problem.fen, *SMOTHERED.pv)
    assert page(SMOTHERED, play).play == ["Key", "1.Qg8+!", "1...Rxg8 2.Nf7#"]


def test_duals_stand_behind_their_defence() -> None:
    duals = smothered(SMOTHERED.problem.fen, "c4g8", "f8g8", "h6f7", "h6f5")
    assert page(SMOTHERED, duals).play[-1] == "1...Rxg8 2.Nf7# or 2.Nf5 (dual)"


def test_moves_are_numbered_from_the_first_of_the_problem() -> None:
    problem = Problem("6k1/8/8/2q5/8/7n/6PP/5R1K b - - 0 34")
    play = smothered(problem.fen, "c5g1", "f1g1", "h3f2")
    shown = page(replace(SMOTHERED_BY_BLACK, problem=problem), play)
    assert shown.play == ["Key", "1...Qg1+!", "2.Rxg1 Nf2#"]


def test_each_move_has_the_position_after_it() -> None:
    shown = page(ROOK_FOUND, ROOK_PLAY)
    moves = [a for a in shown.attributes("span") if "data-uci" in a]
    lines = [["a2a8"], ["a2a8", "g1h2"], ["a2a8", "g1h2", "a8a1"]]
    for move, line in zip(moves, lines, strict=False):
        board = ROOK_FOUND.board
        for uci in line:
            board.push_uci(uci)
        assert move["data-uci"] == line[-1]
        assert move["data-placement"] == board.board_fen()
    assert len(moves) == 6


def test_the_solutions_of_help_play_are_numbered() -> None:
    problem = Problem("8/8/8/8/8/1K6/8/k6R w - - 0 1", stipulation=HALF)
    solution = Solution(problem, Status.PROVED, 1, 1, solutions=(("h1g1",), ("h1f1",)))
    shown = Page(encode_page(solution, describe_solutions(solution)))
    assert shown.play == ["1) 1...Rg1#", "2) 1...Rf1#"]


def branching(moves: int) -> tuple[Solution, Variations]:
    """Kings that go to and fro for a number of moves, with a choice each time."""
    steps = ["a1b1", "h8g8", "b1a1", "g8h8"]
    first = Attack(steps[0], moves - 1)
    attack = first
    for move in range(1, moves):
        reply, answer = steps[2 * move % 4 - 1], steps[2 * move % 4]
        other = "h8h7" if reply == "h8g8" else "g8f8"
        following = Attack(answer, moves - move - 1)
        attack.defences = [
            Defence(reply, [following]),
            Defence(other, [Attack("a2a3", 0)]),
        ]
        attack = following
    problem = Problem("7k/8/8/8/8/8/R7/K7 w - - 0 1")
    return Solution(problem, Status.FOUND, moves, 1), Variations(
        Stipulation.parse(f"#{moves}"), problem.fen, keys=(first,)
    )


def test_the_longest_mates_can_be_shown_and_the_mainline_is_open() -> None:
    shown = page(*branching(200))
    unfolded = shown.attributes("details")
    assert len(unfolded) == 199
    assert all("open" in attributes for attributes in unfolded)


def test_only_the_mainline_is_open() -> None:
    replies = [Defence(move, [Attack("a7a1", 1)]) for move in ("g1f1", "g1h1")]
    deep = Attack("a2a7", 2, defences=replies)
    shown = page(ROOK_FOUND, replace(ROOK_PLAY, keys=(ROOK_PLAY.keys[0], deep)))
    assert ["open" in attributes for attributes in shown.attributes("details")] == [
        True,
        False,
    ]


HALF = Stipulation.parse("h#0.5")


@browser
def test_a_browser_reports_no_errors(tmp_path: Path) -> None:
    shown = opened(encode_page(ROOK_FOUND, ROOK_LINES), tmp_path)
    assert '<details class="top" open="">' in shown
    assert '<p id="controls">' in shown  # the script ran
    assert ">1...Kh2</span>" in shown


CLICKS = """
addEventListener("load", () => {
  const moves = document.querySelectorAll(".move");
  moves[1].dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const key = (name) =>
    document.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
  key("ArrowRight");
  document.title = document.getElementById("after").textContent;
  key("Escape");
  document.title += `, then "${document.getElementById("after").textContent}"`;
  moves[3].dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
});
"""


@browser
def test_a_click_shows_the_position_after_a_move(tmp_path: Path) -> None:
    page = encode_page(ROOK_FOUND, ROOK_LINES).decode()
    page = re.sub(r"script-src '[^']*'", "script-src 'unsafe-inline'", page, count=1)
    page = page.replace("</body>", f"<script>{CLICKS}</script></body>")
    shown = opened(page.encode(), tmp_path)
    assert '<title>After 2.Ra1, then ""</title>' in shown
    assert '<figcaption id="after">After 1...Kf1</figcaption>' in shown
    drawn = re.findall(r'href="#piece-(\w)" x="(\d+)" y="(\d+)"', shown)
    assert drawn == [("R", "15", "15"), ("K", "240", "240"), ("k", "240", "330")]
    marked = re.findall(r'<rect x="(\d+)" y="(\d+)" width="45"', shown)
    assert marked[-2:] == [("285", "330"), ("240", "330")]
