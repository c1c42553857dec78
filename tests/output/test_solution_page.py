"""The page of an answer: its sentences, its variations, and what it may load."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from solver.output.solution_page import encode_page
from solver.play.tree import Attack, Defence, Variations
from solver.problem import Problem
from solver.solution import Solution, Status
from tests.output.answers import (
    MATED,
    ROOK_DISPROVED,
    ROOK_FOUND,
    ROOK_UNDECIDED,
    SMOTHERED,
    SMOTHERED_BY_BLACK,
)
from tests.processes import run

if TYPE_CHECKING:
    from pathlib import Path

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    None,
)

VOID = {"meta", "link", "br"}

ROOK_PLAY = Variations(
    keys=(
        Attack(
            "a2a8",
            2,
            defences=[
                Defence("g1h2", [Attack("a8a1", 1)]),
                Defence("g1f1", [Attack("a8a1", 0)]),
            ],
        ),
        Attack("a2a7", 2),
    ),
    complete_moves=1,
)


class Page(HTMLParser):
    """A page whose elements are closed in their order."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.lines: list[str] = []
        self.feed(data.decode())
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "svg"} & set(self.open) and data.strip():
            self.lines.append(data.strip())

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def page(solution: Solution, variations: Variations | None = None) -> Page:
    return Page(encode_page(solution, variations or Variations()))


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


@pytest.mark.parametrize(
    "solution", [SMOTHERED_BY_BLACK, MATED, ROOK_DISPROVED, ROOK_UNDECIDED]
)
def test_every_answer_has_its_page(solution: Solution) -> None:
    shown = page(solution)
    assert [tag for tag, _ in shown.tags].count("h1") == 1
    assert [tag for tag, _ in shown.tags].count("svg") == 1
    assert "Variations" not in shown.lines


def test_the_page_loads_nothing_and_runs_nothing() -> None:
    text = encode_page(ROOK_FOUND, ROOK_PLAY).decode()
    shown = Page(text.encode())
    policy = next(
        attributes["content"]
        for attributes in shown.attributes("meta")
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    tags = {tag for tag, _ in shown.tags}
    assert not tags & {"script", "img", "link", "iframe", "object"}
    assert not re.search(r"\bon\w+=|url\((?!#)|@import", text)
    assert set(re.findall(r"https?://([^/\"]+)", text)) == {"www.w3.org", "lichess.org"}


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
    shown = page(ROOK_FOUND, ROOK_PLAY)
    start = shown.lines.index("Variations")
    assert shown.lines[start:-1] == [
        "Variations",
        "All first defences are shown; after them only the main line.",
        "1. Ra8",
        "mate in 2 more",
        "1... Kh2 2. Ra1",
        "mate in 1 more",
        "1... Kf1 2. Ra1#",
        "1. Ra7",
        "mate in 2 more",
    ]


def smothered(first: str, reply: str, last: str) -> Variations:
    return Variations(
        keys=(Attack(first, 1, defences=[Defence(reply, [Attack(last, 0)])]),)
    )


def test_moves_without_alternatives_are_in_one_line() -> None:
    shown = page(SMOTHERED, smothered(*SMOTHERED.pv))
    assert shown.lines[-3:-1] == ["Variations", "1. Qg8+ Rxg8 2. Nf7#"]
    assert not shown.attributes("details")


def test_duals_unfold_from_their_defence() -> None:
    defence = Defence("f8g8", [Attack("h6f7", 0), Attack("h6f5", 0)])
    duals = Variations(keys=(Attack("c4g8", 1, defences=[defence]),))
    lines = page(SMOTHERED, duals).lines
    start = lines.index("Variations")
    assert lines[start:-1] == ["Variations", "1. Qg8+ Rxg8", "2. Nf7#", "2. Nf5"]


def test_moves_are_numbered_from_the_first_of_the_problem() -> None:
    problem = Problem("6k1/8/8/2q5/8/7n/6PP/5R1K b - - 0 34")
    play = smothered("c5g1", "f1g1", "h3f2")
    shown = page(replace(SMOTHERED_BY_BLACK, problem=problem), play)
    assert shown.lines[-2] == "1... Qg1+ 2. Rxg1 Nf2#"


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
    return Solution(problem, Status.FOUND, moves, 1), Variations(keys=(first,))


def test_the_longest_mates_can_be_shown_and_the_mainline_is_open() -> None:
    shown = page(*branching(200))
    unfolded = shown.attributes("details")
    assert len(unfolded) == 199
    assert all("open" in attributes for attributes in unfolded)


def test_only_the_mainline_is_open() -> None:
    deep = Attack("a2a7", 2, defences=[Defence("g1f1"), Defence("g1h1")])
    shown = page(ROOK_FOUND, Variations(keys=(ROOK_PLAY.keys[0], deep)))
    assert ["open" in attributes for attributes in shown.attributes("details")] == [
        True,
        False,
    ]


@pytest.mark.skipif(CHROMIUM is None, reason="needs a browser")
def test_a_browser_reports_no_errors(tmp_path: Path) -> None:
    assert CHROMIUM is not None
    (tmp_path / "page.html").write_bytes(encode_page(ROOK_FOUND, ROOK_PLAY))
    done = run(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--enable-logging=stderr",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--dump-dom",
            (tmp_path / "page.html").as_uri(),
        ],
        check=True,
    )
    assert "CONSOLE" not in done.stderr
    assert '<details open="">' in done.stdout
    assert "1... Kh2 2. Ra1" in done.stdout
