"""No page has a fault that axe-core finds, as it opens and while it is used."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest

from solver.output.shown_play import ShownSolutions
from solver.pages.collection_page import render_page
from solver.pages.laboratory_pages import encode_counts, encode_trace
from solver.pages.viewer_pages import encode_answer, encode_board
from solver.play.record import Variations
from solver.problem import Claim, Problem
from tests.laboratory.counts import GLASS_POSITION, SEVERAL_FILES
from tests.output.answers import ROOK_FOUND
from tests.output.play_trees import BLOCK, BLOCK_PLAY
from tests.pages.live import Opener
from tests.pages.records import SMOTHERED, UNREADABLE, record
from tests.pages.test_answer_page import HELP, ROOK_TREE
from tests.pages.test_first_view import KINDS, LONG, PHONE, WIDE
from tests.pages.test_live_board import NO_KING, TWO_MOVER
from tests.pages.test_notebook import table
from tests.pages.test_trace_page import NUMBERS, PROOF, SCORES
from tests.typed_play import play_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser

    from solver.pages.collection_page import Record
    from tests.pages.live import Live

Modules: TypeAlias = dict[str, bytes]
Use: TypeAlias = "Callable[[Live], Iterator[str]]"
"""What a reader does on a page; names the state that it is in, one after the other."""
Opened: TypeAlias = "Iterator[tuple[bytes, Use]]"

FOLDERS = [Path(folder).parent / "axe-core" for folder in os.get_exec_path()]
AXE = next(filter(Path.is_file, (each / "axe.min.js" for each in FOLDERS)), None)
"""The script of npm's package, which is beside the commands of other packages."""

RECORDS: list[Record] = [
    *(record(id=kind) | dict(fields) for kind, fields in KINDS.items()),
    record(id="long " * 99, verdict="shorter", hint="a hint " * 60, pv=LONG[:79]),
    UNREADABLE | {"error": "expected a FEN " * 30},
    Problem(SMOTHERED, "unsolved", Claim(2)),
]

PROMOTION = "8/P6k/8/8/8/8/8/K7 w - - 0 1"
HELPMATE = "8/5K2/2r5/7p/5R2/6B1/8/7k b - - 0 1"

FAULTS = """async () => (await axe.run()).violations.flatMap(({ id, nodes }) =>
  nodes.map(({ html, failureSummary }) => [id, html, failureSummary]))"""


# The pages, and what a reader does on each


def only_open(_: Live) -> Iterator[str]:
    yield "opened"


def boards(modules: Modules) -> Opened:
    yield encode_board(modules), use_board


def use_board(live: Live) -> Iterator[str]:
    live.wait()
    live.type_fen(TWO_MOVER)
    live.wait(fen=TWO_MOVER)
    yield "an answer"
    live.page.click("#tree-show")
    live.page.wait_for_selector("#tree-play li")
    live.page.click("#tree-unfold")
    live.page.click("#tree-play .move >> nth=0")
    yield "its play"
    live.page.click("header summary")
    live.page.click("#setup-toggle")
    live.page.click("#setup-palette button >> nth=0")
    yield "set-up"
    live.type_fen(NO_KING)
    live.wait("error")
    yield "a fault"
    live.page.click("#setup-toggle")
    live.type_fen(PROMOTION)
    live.drag("a7", "a8")
    live.page.wait_for_selector("dialog[open]")
    yield "a promotion"
    live.page.keyboard.press("Escape")
    live.page.click("#setup-toggle")
    live.solve(HELPMATE, "h#2")
    live.page.click("#tree-show")
    live.until("!viewer.state.doing")
    yield "help play and its set play"
    live.page.click("#setup-duplex")
    live.wait()
    live.until("!element('answer-roles').hidden")
    yield "twins and exchanged roles"


def answers(modules: Modules) -> Opened:
    yield encode_answer(ROOK_FOUND, ROOK_TREE, modules), use_answer
    yield encode_answer(HELP, ShownSolutions(HELP)), only_open


def use_answer(live: Live) -> Iterator[str]:
    yield "an answer"
    live.page.click("#tree-unfold")
    live.page.click("#board-forward")
    yield "its play"
    live.page.click("#tree-show")
    live.page.wait_for_selector("#tree-play > ul")
    live.page.click("#tree-unfold")
    yield "its play, searched here"
    live.page.click("#answer-solve")
    live.wait()
    yield "solved here"


def collections(modules: Modules) -> Opened:
    """The pages of `report` and of `board`."""
    for searching in (None, modules):
        data = render_page(RECORDS, title="Faults", modules=searching)
        yield data, use_collection


def use_collection(live: Live) -> Iterator[str]:
    live.page.wait_for_selector("#list tr[data-place]")
    yield "the list"
    live.page.click("#claims summary")
    live.page.keyboard.press("a")
    for name in ("long long", "x.epd:7", "unsolved"):
        live.page.click(f"#list tr:has-text('{name}')")
        yield name


def counts(_: Modules) -> Opened:
    yield encode_counts(GLASS_POSITION, "a command"), use_counts
    yield encode_counts(SEVERAL_FILES, "a command"), only_open


def use_counts(live: Live) -> Iterator[str]:
    yield "all curves"
    live.page.get_by_role("checkbox", name="cpw").uncheck()
    yield "a curve less"


def traces(modules: Modules) -> Opened:
    yield encode_trace(SCORES, modules), use_trace
    yield encode_trace(NUMBERS), use_trace
    yield encode_trace(PROOF), use_trace


def use_trace(live: Live) -> Iterator[str]:
    yield "the first step"
    for iterations in live.page.locator("summary").all():
        iterations.click()
    live.page.fill("#trace-step", "3")
    yield "a step"


def notebooks(_: Modules) -> Opened:
    """What a cell shows, in a page that has what a notebook's page has."""
    play = Variations(
        BLOCK_PLAY.stipulation, BLOCK, keys=play_record(BLOCK_PLAY)["keys"]
    )
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Cells</title>'
    cells = "".join(each._repr_html_() for each in (ROOK_FOUND, play, table("no FEN")))
    yield f"{head}<main><h1>Cells</h1>{cells}</main>".encode(), use_notebook


def use_notebook(live: Live) -> Iterator[str]:
    yield "folded"
    for line in live.page.locator("summary").all():
        line.evaluate("(line) => { line.parentElement.open = true; }")
    yield "unfolded"


PAGES = {
    "board": boards,
    "answer": answers,
    "collection": collections,
    "counts": counts,
    "trace": traces,
    "notebook": notebooks,
}

QUICK = {
    ("board", "phone", "dark"),
    ("answer", "wide", "light"),
    ("collection", "wide", "light"),
    ("collection", "phone", "dark"),
    ("counts", "phone", "dark"),
    ("trace", "wide", "dark"),
    ("notebook", "phone", "light"),
}
"""What the gate tests: a window and a scheme for each page, and two for the list."""


@pytest.mark.browser
@pytest.mark.skipif(AXE is None, reason="needs axe-core")
@pytest.mark.parametrize(
    ("name", "window", "scheme"),
    [
        pytest.param(*case, marks=() if case in QUICK else pytest.mark.slow)
        for case in product(PAGES, ("wide", "phone"), ("light", "dark"))
    ],
)
def test_axe_finds_no_fault_in_a_page(
    name: str,
    window: str,
    scheme: str,
    chromium: Browser,
    board_modules: Modules,
    tmp_path: Path,
) -> None:
    assert AXE
    script = AXE.read_text(encoding="utf-8")
    viewport = {"wide": WIDE, "phone": PHONE}[window]
    for data, use in PAGES[name](board_modules):
        opener = Opener(chromium, data, tmp_path)
        live = opener.open(viewport=viewport, color_scheme=scheme)
        live.page.evaluate(script)
        for state in use(live):
            assert live.page.evaluate(FAULTS) == [], state
        opener.close()
        assert opener.messages == []
