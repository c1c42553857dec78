"""No page has a fault that axe-core finds, as it opens and while it is used."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest

from solver.pages.collection_page import render_page
from solver.pages.laboratory_pages import encode_counts, encode_trace
from solver.pages.viewer_pages import encode_answer, encode_board
from solver.problem import Claim, Problem
from tests.laboratory.counts import GLASS_POSITION
from tests.output.answers import ROOK_FOUND
from tests.pages.live import PHONE, WIDE
from tests.pages.records import SMOTHERED, SMOTHERED_BY_BLACK, UNREADABLE, record
from tests.pages.test_answer_page import ROOK_TREE
from tests.pages.test_live_board import HELP as HELPMATE
from tests.pages.test_live_board import NO_KING
from tests.pages.test_page_answers import POSITIONS
from tests.pages.test_trace_page import NUMBERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.pages.collection_page import Record
    from tests.pages.live import Live, Look

Modules: TypeAlias = dict[str, bytes]
Use: TypeAlias = "Callable[[Live], Iterator[str]]"
"""What a reader does on a page; names the state that it is in, one after the other."""

FOLDERS = [Path(folder).parent / "axe-core" for folder in os.get_exec_path()]
AXE = next(filter(Path.is_file, (each / "axe.min.js" for each in FOLDERS)), None)
"""The script of npm's package, which is beside the commands of other packages."""

LONG = ["g1f1", "h8g8", "f1g1", "g8h8"] * 20
MANY = [{"uci": f"{file}{rank}{file}8"} for file in "abcdefgh" for rank in "1234567"]

RECORDS: list[Record] = [
    record(soundness="sound"),
    record(id="shorter", claim=3, verdict="shorter", soundness="short-solution"),
    record(id="mated", claim=-2, mate=-2, keys=[], fen=SMOTHERED_BY_BLACK),
    record(id="cooked", soundness="cooked", keys=MANY, claimed_keys=["c4g8"]),
    record(id="table", tablebase="syzygy", warnings=["bm: unreadable"], mark="cook"),
    record(id="xxx " * 99, verdict="shorter", hint="a hint " * 60, pv=LONG[:79]),
    UNREADABLE | {"error": "expected a FEN " * 30},
    Problem(SMOTHERED, "unsolved", Claim(2)),
]

PROMOTION = "8/P6k/8/8/8/8/8/K7 w - - 0 1"
TWO_MOVER, *_ = POSITIONS

FAULTS = """async () => (await axe.run()).violations.flatMap(({ id, nodes }) =>
  nodes.map(({ html, failureSummary }) => [id, html, failureSummary]))"""


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
    live.page.click("#setup-duplex")
    live.wait()
    live.until("!element('answer-roles').hidden")
    yield "twins and exchanged roles"


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


def use_collection(live: Live) -> Iterator[str]:
    live.page.wait_for_selector("#list tr[data-place]")
    yield "the list"
    live.page.click("#claims summary")
    live.page.keyboard.press("a")
    for name in ("xxx", "x.epd:7", "unsolved"):
        live.page.click(f"#list tr:has-text('{name}')")
        yield name


def use_counts(live: Live) -> Iterator[str]:
    yield "all curves"
    live.page.get_by_role("checkbox", name="cpw").uncheck()
    yield "a curve less"


def use_trace(live: Live) -> Iterator[str]:
    yield "the first step"
    for iterations in live.page.locator("summary").all():
        iterations.click()
    live.page.fill("#trace-step", "3")
    yield "a step"


PAGES: dict[str, tuple[Callable[[Modules], bytes], Use]] = {
    "board": (encode_board, use_board),
    "answer": (partial(encode_answer, ROOK_FOUND, ROOK_TREE), use_answer),
    "collection": (
        lambda modules: render_page(RECORDS, title="Faults", modules=modules),
        use_collection,
    ),
    "counts": (lambda _: encode_counts(GLASS_POSITION, "a command"), use_counts),
    "trace": (partial(encode_trace, NUMBERS), use_trace),
}


@pytest.mark.browser
@pytest.mark.skipif(AXE is None, reason="needs axe-core")
@pytest.mark.parametrize(
    ("name", "window", "scheme"),
    [
        *(("board", PHONE, "dark"), ("answer", WIDE, "light")),
        *(("collection", WIDE, "light"), ("collection", PHONE, "dark")),
        *(("counts", PHONE, "dark"), ("trace", WIDE, "dark")),
    ],
)
def test_axe_finds_no_fault_in_a_page(
    look: Look, modules: Modules, name: str, window: dict[str, int], scheme: str
) -> None:
    assert AXE
    make, use = PAGES[name]
    live = look(make(modules), viewport=window, color_scheme=scheme)
    live.page.evaluate(AXE.read_text(encoding="utf-8"))
    for state in use(live):
        assert live.page.evaluate(FAULTS) == [], state
