"""The page of an audit in a browser: what its script makes of the data."""

from __future__ import annotations

import html
import math
import re
import shutil
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import pytest

from solver.pages.collection_page import write_page
from tests.pages.records import (
    HOSTILE,
    SMOTHERED,
    SMOTHERED_BY_BLACK,
    UNREADABLE,
    record,
)
from tests.processes import run

if TYPE_CHECKING:
    from pathlib import Path

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    None,
)

pytestmark = pytest.mark.skipif(BROWSER is None, reason="needs a browser")

MIXED = [
    record(id="fine"),
    record(id=HOSTILE, verdict="shorter", claim=3, nodes=5, soundness="short-solution"),
    record(
        id="black",
        fen=SMOTHERED_BY_BLACK,
        pv=["c5g1", "f1g1", "h3f2"],
        verdict="refuted",
        claim=-2,
        nodes=9,
        wrong_keys=["c5f2"],
    ),
    UNREADABLE,
    record(id="cooked", soundness="cooked", nodes=7, source="two.epd:4"),
]


class Page(NamedTuple):
    """A page as it is when its script has run."""

    document: str
    console: list[str]

    def texts(self, tag: str) -> list[str]:
        """The texts of all elements of a kind, without the tags inside."""
        inside = re.findall(rf"<{tag}\b[^>]*>(.*?)</{tag}>", self.document, re.DOTALL)
        return [html.unescape(re.sub("<[^>]*>", "", text)) for text in inside]

    def by_id(self, name: str) -> str:
        """The text of an element without elements inside."""
        found = re.search(rf'id="{name}"[^>]*>([^<]*)<', self.document)
        assert found
        return html.unescape(found[1])


class Look(Protocol):
    def __call__(self, records: list[dict[str, Any]], fragment: str = "") -> Page: ...


LOOKS_AGAIN = 4


@pytest.fixture
def look(tmp_path: Path) -> Look:
    """Write a page and open it, with a fragment of its URL, in a profile of its own.

    A browser says which diagrams are visible when it draws a frame, and the page draws
    all of these at once. `--dump-dom` does not wait for a frame, and on a busy machine
    it may come first; then the page is opened again.
    """

    def open_page(records: list[dict[str, Any]], fragment: str = "") -> Page:
        path = tmp_path / "page.html"
        write_page(records, path, title=f"Audit of {HOSTILE}")
        url, profile = path.as_uri() + fragment, tmp_path / "profile"
        page = dump(url, profile)
        for _ in range(LOOKS_AGAIN):
            has_frame = 'class="board"' in page.document
            if has_frame or 'class="diagram"' not in page.document:
                break
            page = dump(url, profile)
        return page

    return open_page


def dump(url: str, profile: Path) -> Page:
    """Open a page in the browser and return what its script has made of it."""
    assert BROWSER
    seen = run(
        [
            BROWSER,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--virtual-time-budget=2000",
            "--run-all-compositor-stages-before-draw",
            "--window-size=1200,1600",
            f"--user-data-dir={profile}",
            "--dump-dom",
            url,
        ],
        check=True,
        text=False,
    )
    logged = seen.stderr.decode(errors="replace").splitlines()
    console = [line for line in logged if "CONSOLE" in line]
    return Page(seen.stdout.decode(), console)


def test_disagreements_are_listed_with_boards_and_run_no_script(
    look: Look,
) -> None:
    page = look(MIXED)

    assert page.console == []
    assert (
        page.by_id("origin")
        == "5 records audited by matesolve 1.2.3: 121 nodes in 8 ms"
    )
    assert page.by_id("shown") == "4 entries"
    assert page.texts("title")[0] == page.texts("h1")[0] == f"Audit of {HOSTILE}"
    assert page.texts("h3")[-4:] == [HOSTILE, "black", "x.epd:7", "cooked"]
    assert "<b>bold" not in page.document
    assert "<img" not in page.document
    boards = re.findall(r'class="board"[^>]*aria-label="([^"]*)"', page.document)
    assert boards == [SMOTHERED, SMOTHERED_BY_BLACK, SMOTHERED]
    pieces = re.findall(r'<use href="#piece-(\w)" x="315" y="0">', page.document)
    assert pieces == ["k", "k"]  # on h8, where Black's mate has nobody
    assert arrows(page) == ["key", "key", "claimed", "key"]
    assert (
        "https://lichess.org/analysis/standard/"
        "6k1/8/8/2q5/8/7n/6PP/5R1K_b_-_-_0_1" in page.document
    )
    assert "1... Qg1+ 2. Rxg1 Nf2#" in page.texts("dd")
    assert "expected a FEN, found nothing" in page.texts("dd")


@pytest.mark.parametrize("claimed", ["c4g8", "c4e6", "c4b3", "f8g8"])
def test_a_claimed_key_is_drawn_on_top_of_the_found_one(
    claimed: str, look: Look
) -> None:
    page = look([record(verdict="shorter", claimed_keys=[claimed])])

    assert page.console == []
    assert arrows(page) == ["key", "claimed"]  # what comes later lies on top
    key, on_top = re.findall(r'<path d="M[\d.]+ 0l-(\d+) -([\d.]+)v', page.document)
    assert all(
        float(over) < float(under) for over, under in zip(on_top, key, strict=True)
    )
    assert "White to move; dashed: claimed" in page.texts("p")


def test_a_malformed_move_has_no_arrow(look: Look) -> None:
    given = [["x"], ["c4c4"], ["z9z8"], ["0000"], ["Q@e4"]]

    page = look([record(verdict="shorter", claimed_keys=keys) for keys in given])

    assert page.console == []
    assert arrows(page) == ["key"] * len(given)


def arrows(page: Page) -> list[str]:
    """The kinds of all arrows, in the order in which they are drawn."""
    return re.findall(r'<g class="arrow (\w+)"', page.document)


def test_stipulations_are_described_by_their_own_names(look: Look) -> None:
    helpmate = record(
        fen="7k/8/5K2/8/8/8/8/R7 b - - 0 1",
        stipulation="h#2",
        claimed_solutions=1,
        solutions=[["h8g8", "f6g6", "g8h8", "a1a8"], ["h8h7", "f6f7", "h7h8", "a1h1"]],
        solutions_complete=True,
        keys=[],
        pv=["h8g8", "f6g6", "g8h8", "a1a8"],
        soundness="cooked",
        disagreements=["cooked"],
    )
    refuted: dict[str, Any] = {
        "verdict": "refuted",
        "status": "disproved",
        "mate": None,
        "pv": [],
    }
    page = look(
        [
            helpmate,
            helpmate | refuted | {"claimed_solutions": 2, "solutions": []},
            record(stipulation="s#3", claim=3, verdict="shorter"),
            record(stipulation="h#1.5", solutions=[], lower_bound=3) | refuted,
            record(
                stipulation="=2", verdict="undecided", status="undecided", mate=None
            ),
        ]
    )

    assert page.console == []
    facts = page.texts("dd")
    assert "h#2 with 1 solution" in facts
    assert "h#2 with 2 solutions, and there are no others" in facts
    assert "1. Kg8 Kg6 2. Kh8 Ra8#1. Kh7 Kf7 2. Kh8 Rh1#" in facts
    assert "h#2 with 2 solutions" in facts
    assert "no h#1" in facts  # the lower bound of `record` is 2
    assert "s#3" in facts
    assert "s#2, and none is shorter" in facts
    assert "no h#1.5" in facts
    assert "no solution found so far; proved: no =1" in facts
    assert not [text for text in facts if "mate" in text]


def test_the_summary_counts_every_record(look: Look) -> None:
    page = look(MIXED, "#q=nothing+has+this")

    assert page.console == []
    assert page.by_id("shown") == "0 entries"
    assert "No entry matches these filters." in page.texts("p")
    rows = [" ".join(text.split()) for text in page.texts("tr")]
    assert len(rows) == 6  # a head, four claims, all
    assert page.texts("th")[:5] == [
        "claim",
        "proved",
        "shorter",
        "refuted",
        "unreadable",
    ]
    assert page.texts("th")[-1] == "all"
    assert page.texts("td")[-7:] == ["2", "1", "1", "1", "5", "121", "8 ms"]
    assert page.document.count('class="segment') == 4
    assert page.document.count('class="median"') == 3
    assert 'href="#verdict=shorter&amp;claim=3"' in page.document


def test_the_median_is_exact_and_not_that_of_its_bin(look: Look) -> None:
    times = [0.00101] * 3 + [0.00125] + [9.5] * 3

    page = look([record(time_s=time) for time in times])

    assert page.console == []
    assert page.texts("text").count("1.25 ms") == 1
    (x,) = map(float, re.findall(r'class="median" x1="([^"]*)"', page.document))
    bars = re.findall(r'class="count" x="([^"]*)"[^>]*width="([^"]*)"', page.document)
    first, *_ = [(float(left), float(width)) for left, width in bars]
    share = 10 * math.log10(1.25)  # of the bin from 1 to 1.26 ms
    assert x == pytest.approx(first[0] + share * (first[1] + 0.5))


@pytest.mark.parametrize(
    ("fragment", "listed"),
    [
        ("#verdict=refuted", ["black"]),
        ("#soundness=cooked&claim=2", ["cooked"]),
        ("#all=1&sort=-nodes&q=5R1K+b", ["black"]),
        ("#all=1&sort=-claim&claim=2", ["fine", "cooked"]),
        ("#q=TWO.epd&verdict=nonsense", ["cooked"]),
        ("#sort=nodes", ["x.epd:7", HOSTILE, "cooked", "black"]),
    ],
)
def test_the_url_selects_and_orders_the_list(
    fragment: str, listed: list[str], look: Look
) -> None:
    page = look(MIXED, fragment)

    assert page.console == []
    names = page.texts("h3")
    assert names[names.index("Claims") + 1 :] == listed


def test_an_empty_audit_says_that_there_are_no_records(look: Look) -> None:
    page = look([])

    assert page.console == []
    assert page.by_id("origin") == "0 records audited: 0 nodes in 0 µs"
    assert "There are no records." in page.texts("p")


def test_many_entries_are_on_pages_and_boards_are_drawn_when_visible(
    look: Look,
) -> None:
    many = [record(id=f"n{number}", verdict="shorter") for number in range(1234)]

    page = look(many, "#page=3")

    assert page.console == []
    assert page.by_id("shown") == "101 to 150 of 1,234 entries"
    assert page.document.count("page 3 of 25") == 2
    assert page.texts("h3")[-50:] == [f"n{number}" for number in range(100, 150)]
    assert 0 < page.document.count('class="board"') < 50
