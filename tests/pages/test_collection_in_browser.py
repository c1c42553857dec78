"""The page of a collection in Chromium: what its scripts make of the records."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from solver.pages.collection_page import render_page
from tests.pages.live import NARROW, WIDE, Live, Opener
from tests.pages.records import (
    HOSTILE,
    SMOTHERED_BY_BLACK,
    UNREADABLE,
    data_of,
    record,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

MIXED = [
    record(id="fine", soundness="sound"),
    record(id=HOSTILE, verdict="shorter", claim=3, nodes=5, soundness="short-solution"),
    record(
        id="black",
        fen=SMOTHERED_BY_BLACK,
        keys=[{"uci": "c5g1", "san": "Qg1+"}],
        pv=["c5g1", "f1g1", "h3f2"],
        verdict="refuted",
        claim=-2,
        nodes=9,
        wrong_keys=["c5f2"],
    ),
    UNREADABLE,
    record(id="cooked", soundness="cooked", nodes=7, source="two.epd:4", mark="cook"),
]

REFUSED = """Object.defineProperty(window, "localStorage", {
  get() { throw new DOMException("refused", "SecurityError"); } })"""


class Look(Protocol):
    def __call__(
        self, records: list[dict[str, Any]], fragment: str = "", **options: Any
    ) -> Page: ...


@pytest.fixture
def look(chromium: Browser, tmp_path: Path) -> Iterator[Look]:
    """Opens the page of records; it must report nothing to the console."""
    openers: list[Opener] = []

    def open_page(
        records: list[dict[str, Any]], fragment: str = "", **options: Any
    ) -> Page:
        made = render_page(records, title=f"Audit of {HOSTILE}")
        openers.append(Opener(chromium, made, tmp_path))
        live = openers[-1].open(**options)
        if options.get("java_script_enabled", True):
            if fragment:
                live.page.evaluate(f"location.hash = {json.dumps(fragment)}")
            until(live.page, "document.querySelector('#list tr[data-place]')")
        return live.page

    yield open_page
    for opener in openers:
        opener.close()
        assert opener.messages == []


def until(page: Page, condition: str) -> None:
    Live(page).until(f"Boolean({condition})")


def names(page: Page) -> list[str]:
    """The records of the visible rows."""
    return page.locator("#list tbody .record b").all_text_contents()


def opened(page: Page) -> str:
    """The record on the board."""
    return page.inner_text("#record-title")


def marks(page: Page, export: str) -> str:
    """What is downloaded."""
    with page.expect_download() as download:
        page.click(f"[data-export={export}]")
    return download.value.path().read_text(encoding="utf-8")


def test_names_from_a_file_are_text(look: Look) -> None:
    page = look(MIXED)

    assert names(page) == [HOSTILE, "black", "x.epd:7", "cooked"]
    assert opened(page) == HOSTILE
    assert page.title() == f"Audit of {HOSTILE}"
    assert page.locator("main img").count() == 0


@pytest.mark.parametrize(
    ("fragment", "listed"),
    [
        ("verdict=refuted", ["black"]),
        ("soundness=cooked&claim=%232", ["cooked"]),
        ("all=1&soundness=sound", ["fine"]),
        ("all=1&sort=-nodes&q=5R1K+b", ["black"]),
        ("all=1&sort=-claim&claim=%232", ["fine", "cooked"]),
        ("q=TWO.epd&verdict=nonsense", ["cooked"]),
        ("sort=nodes", [HOSTILE, "cooked", "black", "x.epd:7"]),
        ("mark=cook", ["cooked"]),
        ("all=1", ["fine", HOSTILE, "black", "x.epd:7", "cooked"]),
    ],
)
def test_the_address_filters_and_sorts(
    fragment: str, listed: list[str], look: Look
) -> None:
    page = look(MIXED)
    page.evaluate(f"location.hash = '{fragment}'")
    until(page, f"document.querySelectorAll('#list b').length === {len(listed)}")
    assert names(page) == listed


def test_a_total_opens_its_records_and_a_click_on_a_column_sorts(look: Look) -> None:
    page = look(MIXED)

    page.click(".tiles .cooked a")
    until(page, "document.querySelectorAll('#list b').length === 1")
    assert names(page) == ["cooked"]
    assert "soundness=cooked" in page.url

    page.click("#filters button[type=reset]")
    until(page, "document.querySelectorAll('#list b').length === 4")
    page.click("[data-sort=nodes]")
    assert names(page)[0] == HOSTILE
    page.click("[data-sort=nodes]")
    assert names(page)[:2] == ["x.epd:7", "black"]
    assert page.get_attribute("th:has([data-sort=nodes])", "aria-sort") == "descending"
    page.fill("[name=q]", "nothing has this")
    assert page.inner_text("#shown").endswith("none matches the filters.")


def test_all_records_are_listed_if_all_agree(look: Look) -> None:
    page = look([record(id="a"), record(id="b")])
    assert names(page) == ["a", "b"]


def test_keys_step_through_the_records_and_mark_them(look: Look) -> None:
    page = look(MIXED)

    page.keyboard.press("j")
    assert opened(page) == "black"
    assert "c5f2" not in page.inner_text("#record-facts")
    assert "Qf2" in page.inner_text("#record-facts")
    page.keyboard.press("x")
    page.keyboard.press("j")
    assert "expected a FEN" in page.inner_text("#record-facts")
    page.keyboard.press("k")
    assert page.get_attribute("[data-mark=reject]", "aria-pressed") == "true"
    page.click("[data-mark=reject]")
    assert page.get_attribute("[data-mark=reject]", "aria-pressed") == "false"
    page.click("#list tr:has-text('cooked')")
    assert opened(page) == "cooked"
    page.focus("[name=q]")
    page.keyboard.type("jack")
    assert page.input_value("[name=q]") == "jack"


def test_marks_outlive_the_page_and_are_exported(look: Look) -> None:
    page = look(MIXED)
    page.keyboard.press("a")
    page.reload()
    until(page, "document.querySelector('#list tr[data-place]')")
    assert page.inner_text("#marked") == "2 marked"

    read = [json.loads(line) for line in marks(page, "jsonl").splitlines()]
    rows = list(csv.DictReader(io.StringIO(marks(page, "csv"), newline="")))

    assert [mark["mark"] for mark in read] == ["accept", "cook"]
    assert read[0] == {
        "schema": 1,
        "fen": MIXED[1]["fen"],
        "stipulation": None,
        "claim": 3,
        "nomate": None,
        "id": HOSTILE,
        "source": "",
        "mark": "accept",
    }
    assert [(row["id"], row["claim"], row["mark"]) for row in rows] == [
        (HOSTILE, "3", "accept"),
        ("cooked", "2", "cook"),
    ]
    page.click("#list tr:has-text('cooked')")
    page.keyboard.press("c")  # taken back
    assert page.inner_text("#marked") == "1 marked"
    read = [json.loads(line) for line in marks(page, "jsonl").splitlines()]
    assert [mark["mark"] for mark in read] == ["accept", ""]


def test_without_storage_marks_last_as_long_as_the_page(look: Look) -> None:
    page = look(MIXED, before=REFUSED)
    page.keyboard.press("c")
    assert page.get_attribute("[data-mark=cook]", "aria-pressed") == "true"
    assert "stores nothing" in page.inner_text("#note")


def test_20_000_records_have_few_rows_in_the_document(look: Look) -> None:
    many = [record(id=f"n{number}", verdict="shorter") for number in range(20_000)]
    page = look(many)

    assert page.inner_text("#shown") == "20,000 of 20,000 records."
    page.evaluate("document.getElementById('list').scrollTop = 1e9")
    until(page, "document.getElementById('list').textContent.includes('n19999')")
    assert page.locator("#list tbody tr").count() < 100
    page.keyboard.press("j")
    assert opened(page) == "n1"
    assert page.locator("#list [aria-current]").inner_text().startswith("n1\t")


def test_records_of_another_schema_are_refused_in_a_line(
    chromium: Browser, tmp_path: Path
) -> None:
    made = render_page([record(id="a")], title="x")
    packed = data_of(made)["records"]
    opener = Opener(chromium, made, tmp_path)
    page = opener.open(replaced=(re.escape(packed[:40]), "A" * 40)).page
    until(page, "document.getElementById('note').textContent")
    assert "cannot be read" in page.inner_text("#note")
    assert names(page) == ["a"]
    opener.close()
    assert opener.messages == []


def test_without_scripts_the_page_has_totals_and_the_first_rows(look: Look) -> None:
    page = look(MIXED, java_script_enabled=False)

    assert page.inner_text("#headline").startswith("5 records: 1 sound, 1 cooked")
    assert names(page) == [HOSTILE, "black", "x.epd:7", "cooked", "fine"]
    assert page.locator("#list .diagram:visible").count() == 4
    assert not page.is_visible("#filters")
    assert not page.is_visible("#viewer")


def test_all_rows_are_printed(look: Look) -> None:
    page = look([record(id=f"n{number}", verdict="shorter") for number in range(600)])

    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")

    assert len(names(page)) == 600
    assert page.locator("#list .diagram").count() == 500
    assert not page.is_visible("#viewer")
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert len(names(page)) < 100


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW])
def test_the_page_is_no_wider_than_the_window(
    scheme: str, viewport: dict[str, int], look: Look
) -> None:
    page = look(MIXED, viewport=viewport, color_scheme=scheme)
    page.keyboard.press("j")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= viewport["width"]
