"""What is seen without scrolling, in windows of two sizes, for records of all kinds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from solver.output.shown_play import ShownTree
from solver.pages.collection_page import render_page
from solver.pages.viewer_pages import encode_answer
from solver.play.record import Variations
from solver.problem import Claim, Problem
from tests.output.answers import MATED, ROOK_DISPROVED, ROOK_FOUND, ROOK_UNDECIDED
from tests.output.answers import SMOTHERED as SMOTHERED_ANSWER
from tests.output.answers import SMOTHERED_BY_BLACK as BLACK_ANSWER
from tests.pages.live import Opener
from tests.pages.records import SMOTHERED, SMOTHERED_BY_BLACK, UNREADABLE, record

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from solver.pages.collection_page import Record

WIDE = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}

LONG = ["g1f1", "h8g8", "f1g1", "g8h8"] * 20
"""Forty moves to and fro, of a mate in forty."""

MANY = [{"uci": f"{file}{rank}{file}8"} for file in "abcdefgh" for rank in "1234567"]

NONE: dict[str, Any] = {"mate": None, "keys": [], "pv": []}
REFUTED = {"verdict": "refuted", "status": "disproved", "lower_bound": 3, **NONE}
UNDECIDED = {"verdict": "undecided", "status": "undecided", "keys_complete": False}
HELP = {"stipulation": "h#2.5", "claim": 3, "mate": 3, "keys": [], "pv": []}
PLIES = [
    {"move": "c4c7", "mate": 3, "keys": ["c4g8"], "only": False},
    {"move": "c7e5", "mate": 2, "keys": ["c7e5", "h6f7"], "only": False},
] * 10

KINDS: dict[str, Mapping[str, Any]] = {
    "proved": {"soundness": "sound"},
    "holds": {"verdict": "holds", "status": "found", "lower_bound": 1},
    "shorter": {"claim": 3, "verdict": "shorter", "soundness": "short-solution"},
    "refuted": {**REFUTED, "soundness": "no-solution"},
    "hint": {**REFUTED, "hint": "solves as claimed without Black's castling (O-O)"},
    "undecided": {**UNDECIDED, **NONE, "stopped_by": "nodes", "lower_bound": 2},
    "several solutions": {**HELP, "solutions": [LONG[:5]] * 3, "claimed_solutions": 2},
    "many solutions": {**HELP, "solutions": [LONG[:5]] * 50, "claimed_solutions": 50},
    "selfmate": {"stipulation": "s#2"},
    "wrong line": {"soundness": "not-shortest-line", "claimed_line": LONG[:3]},
    "wrong keys": {
        "soundness": "missing-solution",
        "claimed_keys": ["c4g8", "c4c7"],
        "wrong_keys": ["c4c7"],
    },
    "no mate claimed": {"claim": None, "nomate": 2, "verdict": "refuted"},
    "nothing claimed": {"claim": None, "verdict": None},
    "mated": {"claim": -2, "mate": -2, "keys": [], "fen": SMOTHERED_BY_BLACK},
    "cooked": {"soundness": "cooked", "keys": MANY, "claimed_keys": ["c4g8"]},
    "dual": {"only_moves": False, "plies": PLIES, "claimed_line": LONG[:39]},
    "long": {"claim": 40, "mate": 40, "pv": LONG[:79], "claimed_line": LONG[:79]},
    "tablebase": {
        "tablebase": "syzygy",
        "warnings": ["bm: unreadable"],
        "mark": "cook",
    },
}

NAMES = {
    "": {},
    "with a long source": {"source": "collections/problems of the 19th century.epd:7"},
    "of many words": {"id": "Samuel Loyd, The Chess Monthly, version of " * 6},
    "of one word": {"id": "x" * 300, "source": "y" * 300},
}

RECORDS: list[Record] = [
    record(id=f"{kind} {name}".strip()) | dict(fields) | names
    for name, names in NAMES.items()
    for kind, fields in KINDS.items()
]
RECORDS += [UNREADABLE, UNREADABLE | {"id": "x" * 300, "error": "expected a FEN " * 9}]
RECORDS += [
    Problem(SMOTHERED, "unsolved"),
    Problem(SMOTHERED, "x", Claim(2, ("c4g8",))),
]

BOXES = """() => Object.fromEntries(Object.entries({
  board: "#board", title: "#record-title", headline: "#answer-headline",
  verdict: "#answer-claim p:first-child", claimed: "#answer-claim p:last-child",
  line: "#answer-line:not(:empty)", solutions: "#answer-solutions:not(:empty)",
  copy: "#answer-json", said: "#record-said :first-child",
}).flatMap(([name, selector]) => {
  const box = document.querySelector(selector)?.getBoundingClientRect();
  return box?.height ? [[name, [box.left, box.top, box.right, box.bottom]]] : [];
}))"""


BOTTOM = "document.querySelector('{}').getBoundingClientRect().bottom"


def boxes(page: Page) -> dict[str, list[float]]:
    """Left, top, right and bottom of the visible parts of an answer."""
    found: dict[str, list[float]] = page.evaluate(BOXES)
    return found


def opened(
    browser: Browser, folder: Path, viewport: dict[str, int], data: bytes
) -> tuple[Opener, Page]:
    opener = Opener(browser, data, folder)
    page = opener.open(viewport=viewport).page
    if page.locator("#list").count():
        page.wait_for_selector("#list tr[data-place]")
    return opener, page


SEEN = {
    "long": {"headline", "verdict", "claimed", "line", "copy"},
    "many solutions": {"headline", "verdict", "solutions", "copy"},
    "refuted": {"headline", "verdict", "copy"},
    "hint": {"headline", "verdict", "copy", "said"},
    "nothing claimed": {"headline", "line", "copy"},
    "unsolved": {"headline", "copy"},
}


@pytest.mark.browser
def test_the_answer_is_beside_the_top_of_the_board(
    chromium: Browser, tmp_path: Path
) -> None:
    data = render_page(RECORDS, title="All kinds of records")
    opener, page = opened(chromium, tmp_path, WIDE, data)
    page.goto(f"{page.url}#all=1")
    page.reload()
    page.wait_for_selector("#list tr[data-place]")
    places = set()

    for _ in RECORDS:
        found, name = boxes(page), page.inner_text("#record-title")
        places.add(page.get_attribute("#list [aria-current]", "data-place"))
        for part, (_, top, _, bottom) in found.items():
            assert 0 <= top < bottom <= WIDE["height"], (name, part)
        if "board" in found:
            _, top, right, bottom = found["board"]
            assert found["headline"][0] >= right, name
            assert found["headline"][1] < (top + bottom) / 2, name
            assert found.keys() >= SEEN.get(name, {"headline", "copy"}), name
        else:
            assert {"title", "said"} == found.keys(), name
        page.keyboard.press("j")

    assert page.evaluate("scrollY") == 0
    assert len(places) == len(RECORDS) > 50
    opener.close()
    assert opener.messages == []


@pytest.mark.browser
def test_on_a_phone_a_record_is_opened_to_its_board_and_verdict(
    chromium: Browser, tmp_path: Path
) -> None:
    data = render_page(RECORDS, title="All kinds of records")
    opener, page = opened(chromium, tmp_path, PHONE, data)
    tools = page.evaluate(BOTTOM.format("#marking").replace("bottom", "top"))
    for seen in ("#list", ".fault", "#board"):
        assert page.evaluate(BOTTOM.format(seen)) <= tools, seen
    page.check("#agreeing input")

    for _ in RECORDS:
        page.keyboard.press("j")
        found, name = boxes(page), page.inner_text("#record-title")
        shown = {"board", "headline", "verdict"} if "board" in found else {"said"}
        for part in shown & found.keys():
            _, top, _, bottom = found[part]
            assert 0 <= top < bottom <= PHONE["height"], (name, part, found)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    opener.close()
    assert opener.messages == []


LONG_CLAIM = Problem(SMOTHERED, "x" * 300, Claim(40), "y" * 300)
ANSWERS = {
    "smothered": SMOTHERED_ANSWER,
    "black": BLACK_ANSWER,
    "mated": MATED,
    "found": ROOK_FOUND,
    "disproved": ROOK_DISPROVED,
    "undecided": ROOK_UNDECIDED,
    "long": replace(SMOTHERED_ANSWER, problem=LONG_CLAIM, mate=40, pv=(*LONG[:79],)),
}


@pytest.mark.browser
@pytest.mark.parametrize("name", ANSWERS)
def test_the_page_of_an_answer_begins_with_it(
    name: str, chromium: Browser, tmp_path: Path
) -> None:
    answer = ANSWERS[name]
    play = ShownTree(answer, Variations(fen=answer.problem.fen).to_dict())
    opener, page = opened(chromium, tmp_path, WIDE, encode_answer(answer, play))
    for width, height in (WIDE.values(), PHONE.values()):
        page.set_viewport_size({"width": width, "height": height})
        found = boxes(page)
        assert found.keys() >= {"board", "headline", "copy"}
        for part, (_, top, _, bottom) in found.items():
            assert 0 <= top < bottom <= height, part
    opener.close()
    assert opener.messages == []


@pytest.mark.browser
def test_totals_are_a_line_if_all_agree_and_a_row_of_bars_otherwise(
    chromium: Browser, tmp_path: Path
) -> None:
    """And a list of sixteen leaves no half of the page empty."""
    for soundness, most in (("sound", 60), ("cooked", 110)):
        records = [record(id=f"n{n}", soundness=soundness) for n in range(15)]
        data = render_page([*records, record(soundness="sound")], title="Sixteen")
        opener, page = opened(chromium, tmp_path, WIDE, data)
        header = page.evaluate(BOTTOM.format("header"))
        assert header < most
        bars = page.locator("#totals svg").count()
        assert bars == (2 if soundness == "cooked" else 0)
        list_bottom = page.evaluate(BOTTOM.format("#list"))
        viewer_bottom = page.evaluate(BOTTOM.format("#viewer"))
        assert min(list_bottom, viewer_bottom) > WIDE["height"] * 3 / 4
        opener.close()
