"""The page of a collection has no fault that axe-core finds, in light and in dark."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from solver.pages.collection_page import render_page
from solver.problem import Claim, Problem
from tests.pages.live import Opener
from tests.pages.records import SMOTHERED, UNREADABLE, record
from tests.pages.test_first_view import KINDS, LONG, PHONE, WIDE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from solver.pages.collection_page import Record

FOLDERS = [Path(folder).parent / "axe-core" for folder in os.get_exec_path()]
AXE = next(filter(Path.is_file, (each / "axe.min.js" for each in FOLDERS)), None)
"""The script of npm's package, which is beside the commands of other packages."""

RECORDS: list[Record] = [
    *(record(id=kind) | dict(fields) for kind, fields in KINDS.items()),
    record(id="long " * 99, verdict="shorter", hint="a hint " * 60, pv=LONG[:79]),
    UNREADABLE | {"error": "expected a FEN " * 30},
    Problem(SMOTHERED, "unsolved", Claim(2)),
]

FAULTS = """async () => (await axe.run()).violations.flatMap(({ id, nodes }) =>
  nodes.map(({ html, failureSummary }) => [id, html, failureSummary]))"""


def faults(page: Page) -> list[Any]:
    found: list[Any] = page.evaluate(FAULTS)
    return found


@pytest.mark.browser
@pytest.mark.skipif(AXE is None, reason="needs axe-core")
@pytest.mark.parametrize(
    ("viewport", "scheme"),
    [
        (WIDE, "light"),
        (PHONE, "dark"),
        pytest.param(WIDE, "dark", marks=pytest.mark.slow),
        pytest.param(PHONE, "light", marks=pytest.mark.slow),
    ],
)
def test_axe_finds_no_fault_in_the_page_of_a_collection(
    viewport: dict[str, int],
    scheme: str,
    chromium: Browser,
    board_modules: dict[str, bytes],
    tmp_path: Path,
) -> None:
    assert AXE
    script = AXE.read_text(encoding="utf-8")
    for modules in (None, board_modules):  # of `report` and of `board`
        made = render_page(RECORDS, title="Faults", modules=modules)
        opener = Opener(chromium, made, tmp_path)
        page = opener.open(viewport=viewport, color_scheme=scheme).page
        page.wait_for_selector("#list tr[data-place]")
        page.evaluate(script)
        assert faults(page) == []
        page.click("#claims summary")
        page.keyboard.press("a")
        for name in ("long long", "x.epd:7", "unsolved"):
            page.click(f"#list tr:has-text('{name}')")
            assert faults(page) == [], name
        opener.close()
        assert opener.messages == []
