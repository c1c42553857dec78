"""The page of a trace: stepped through in a browser, and read without scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import chess
import pytest

from solver.laboratory.traces import record_of
from solver.pages.laboratory_pages import FIRST_ROWS, encode_trace
from tests.pages.html import Page, require_own_style_and_script
from tests.pages.live import Live, Opener
from tests.pages.records import HOSTILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    from solver.laboratory.traces import Trace

Row: TypeAlias = tuple[Any, ...]

ROOK = "7k/5K2/8/8/8/8/8/6R1 w - - 0 1"
SMOTHERED = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"


def trace(name: str, columns: str, rows: list[Row], **fields: Any) -> dict[str, Any]:
    """A trace whose log has these rows."""
    log = dict(zip(columns.split(), map(list, zip(*rows, strict=True)), strict=True))
    found = {"name": name, "depth": 2, "mate": 1, "nodes": len(rows), "log": log}
    rest = {"nodes_before": 0, "complete": True, "only_cuts": False}
    return found | rest | fields


SCORED = "ply uci san depth nodes kind alpha beta low high score end"
ROOT = (0, "", "", 2, 10, "pv", -32_000, 32_000)
MATING = (1, "g1h1", "Rh1#", 1, 11, "pv", -32_000, 32_000)
QUIET = (1, "g1g2", "Rg2", 1, 12, "cut", -30_000, -29_999)
OFF = trace(
    "off",
    SCORED,
    [
        (*ROOT, -32_000, 32_000, 29_999, "moves"),
        (*MATING, -32_000, 32_000, -29_999, "mate"),
        (*QUIET, -30_000, -29_999, -608, "beta"),
        (
            2,
            "h8h7",
            "Kh7",
            0,
            13,
            "all",
            29_999,
            30_000,
            29_999,
            30_000,
            608,
            "horizon",
        ),
    ],
    nodes=13,
    nodes_before=9,
    iterations=[
        {"depth": 0, "score": -1_027, "nodes": 1, "nodes_total": 1},
        {"depth": 1, "score": "M1", "nodes": 8, "nodes_total": 9},
    ],
)
ON = trace(
    "mdp=cpw",
    SCORED,
    [
        (*ROOT, -30_000, 30_000, 29_999, "moves"),
        (*MATING, -29_999, 29_999, -29_999, "mate"),
        (*QUIET, -29_999, -29_999, -29_999, "mate-distance"),
    ],
)
SCORES = {"schema": 1, "fen": ROOK, "search": "alpha-beta", "traces": [OFF, ON]}

WIDE_TREE = "4r3/8/8/8/8/q4r2/2Q5/k1KR4 w - - 0 1"


def scored(fen: str, name: str) -> Trace:
    from solver.laboratory.iterative_deepening import Laboratory, Runner
    from solver.laboratory.techniques import parse_variant
    from solver.laboratory.traces import trace_scores

    laboratory, variant = Laboratory(), parse_variant(name)
    return trace_scores(Runner(laboratory), laboratory, chess.Board(fen), variant, 5)


NUMBERED = "ply uci san depth nodes kind pn_limit dn_limit pn dn end by"
KEY, REPLY, LAST = ("c4g8", "Qg8+"), ("f8g8", "Rxg8"), ("h6f7", "Nf7#")
NUMBERS = {
    "schema": 1,
    "fen": SMOTHERED,
    "search": "proof-number",
    "traces": [
        trace(
            "proof-number",
            NUMBERED,
            [
                (0, "", "", 2, 0, "attacker", None, None, 0, None, "proved", "moves"),
                (1, *KEY, 1, 0, "child", None, None, 1, 1, "", ""),
                (1, "g1h1", "Kh1", 1, 0, "child", None, None, 3, 1, "", ""),
                (0, *KEY, 2, 0, "update", None, None, 1, 2, "", ""),
                (1, *KEY, 1, 1, "defender", 4, None, 0, None, "proved", "moves"),
                (2, *REPLY, 1, 1, "child", None, None, 1, 1, "", ""),
                (1, *REPLY, 1, 1, "update", None, None, 1, 1, "", ""),
                (2, *REPLY, 1, 2, "attacker", 4, None, 0, None, "proved", "prover"),
                (1, *REPLY, 1, 3, "update", None, None, 0, None, "", ""),
                (0, *KEY, 2, 3, "update", None, None, 0, None, "", ""),
            ],
            mate=2,
        )
    ],
}

PROOF = {
    "schema": 1,
    "fen": SMOTHERED,
    "search": "certificate",
    "traces": [
        trace(
            "certificate",
            "ply uci san depth nodes kind mate end",
            [
                (0, "", "", 2, 0, "attacker", 2, "moves"),
                (1, *KEY, 1, 1, "defender", 1, "moves"),
                (2, *REPLY, 1, 2, "attacker", 1, "moves"),
                (3, *LAST, 0, 3, "defender", 0, "mate"),
            ],
            mate=2,
        )
    ],
}


def of(traced: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A record of one trace with other fields."""
    first, *_ = traced["traces"]
    return traced | {"traces": [first | fields]}


# Without scripts


def test_the_page_loads_nothing_and_runs_only_its_own_script() -> None:
    require_own_style_and_script(encode_trace(SCORES))


def test_without_scripts_a_page_has_the_counts_and_the_first_nodes() -> None:
    page = Page(encode_trace(SCORES))
    start = page.lines.index("off")
    assert page.lines[start + 1 : start + 6] == [
        "Mate in 1. Depth 2: 4 nodes, after 9 in the iterations before, which are not "
        "shown.",
        "The root returns 29,999 (mate on ply 1). All moves searched: the best one "
        "counts.",
        "Rh1#. Mate: Black is mated on ply 1. It returns 29,999 (mate on ply 1).",
        "Rg2 returns 608. A move reaches beta: White avoids this position, so the "
        "other moves are not searched.",
        "Kh7. Evaluated at the horizon: no plies are left. It returns 608.",
    ]


def test_the_scores_of_all_iterations_are_listed() -> None:
    lines = Page(encode_trace(SCORES)).lines
    start = lines.index("in all") + 1
    assert lines[start : start + 8] == ["0", "-1,027", "1", "1", "1", "M1", "8", "9"]


def test_visits_of_proof_numbers_and_moves_to_the_mate_are_listed() -> None:
    assert "Qg8+. Proved: White mates by force." in Page(encode_trace(NUMBERS)).lines
    assert (
        "Rxg8. Some move is enough: Nf7# mates in 1 move."
        in Page(encode_trace(PROOF)).lines
    )


def test_a_log_that_was_full_or_left_out_subtrees_says_so() -> None:
    cut = of(SCORES, complete=False, only_cuts=True, mate=None)
    facts = next(line for line in Page(encode_trace(cut)).lines if "kept" in line)
    assert facts.startswith("No mate found.")
    assert "The log kept 4 rows: the first part of the tree." in facts
    assert facts.endswith("with a cut by mate-distance pruning are kept.")


def test_only_the_first_rows_are_listed() -> None:
    rows = [
        (min(row, 1), "g1h1", f"Rh{row}", 1, 0, "defender", 1, "moves")
        for row in range(FIRST_ROWS + 9)
    ]
    long = trace("long", "ply uci san depth nodes kind mate end", rows)
    assert (
        Page(encode_trace(PROOF | {"traces": [long]})).text.count("<li>") == FIRST_ROWS
    )


# In Chromium

Look: TypeAlias = "Callable[..., Live]"


@pytest.fixture
def look(chromium: Browser, tmp_path: Path) -> Iterator[Look]:
    """Opens the page of a record; it may report nothing to the console."""
    openers: list[Opener] = []

    def open_page(
        record: dict[str, Any], modules: dict[str, bytes] | None = None, **options: Any
    ) -> Live:
        openers.append(Opener(chromium, encode_trace(record, modules), tmp_path))
        live = openers[-1].open(**options)
        if options.get("java_script_enabled", True):
            live.page.wait_for_selector("#trace-controls", state="visible")
        return live

    yield open_page
    for opener in openers:
        opener.close()
        assert opener.messages == []


def sentences(live: Live) -> list[str]:
    return [text.strip() for text in live.page.locator(".sentence").all_inner_texts()]


def go(live: Live, step: int) -> None:
    live.page.locator("#trace-step").fill(str(step))


def numbers_of(live: Live) -> dict[str, str]:
    """What is in the nodes of the drawing, by their moves."""
    found: dict[str, str] = live.page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll(".drawn .node")].map(
          (node) => [node.querySelector(".move-name").textContent,
            [...node.querySelectorAll("text:not(.move-name, .more-leaves)")]
              .map((text) => text.textContent).join(" ")]))"""
    )
    return found


@pytest.mark.browser
def test_a_search_is_stepped_with_buttons_and_keys(look: Look) -> None:
    live = look(of(SCORES))
    at = live.page.locator("#trace-at")
    assert at.inner_text() == "Step 1 of 6"
    assert live.page.get_by_role("button", name="Back").is_disabled()
    live.page.get_by_role("button", name="Forward").click()
    assert sentences(live) == [
        "Rh1#. Mate: Black is mated on ply 1. It returns 29,999 (mate on ply 1)."
    ]
    assert "white rook" in str(
        live.page.get_attribute('[data-square="h1"]', "aria-label")
    )
    live.page.keyboard.press("ArrowRight")
    assert sentences(live)[0].startswith(
        "Rg2. Black to move, 1 ply left. The window is"
    )
    live.page.keyboard.press("End")
    assert at.inner_text() == "Step 6 of 6"
    assert live.page.get_by_role("button", name="Last step").is_disabled()
    live.page.keyboard.press("Home")
    live.page.get_by_role("button", name="Next mate").click()
    assert at.inner_text() == "Step 2 of 6"


@pytest.mark.browser
def test_a_page_opens_at_the_step_of_its_record_or_address(look: Look) -> None:
    live = look(SCORES | {"traces": [OFF | {"step": 4}, ON]})
    at = live.page.locator("#trace-at")
    assert at.inner_text() == "Step 4 of 6"
    assert (
        live.page.get_by_role("button", name="off", exact=True).get_attribute(
            "aria-pressed"
        )
        == str(True).lower()
    )
    live.page.goto(f"{live.page.url}#3")
    live.page.reload()
    live.page.wait_for_selector("#trace-controls", state="visible")
    assert at.inner_text() == "Step 3 of 6"


@pytest.mark.browser
def test_a_button_leads_to_each_way_to_prune_or_extend(look: Look) -> None:
    extended = ON["log"] | {"depth": [2, 2, 1], "end": ["moves", "mate", "null-move"]}
    live = look(SCORES | {"traces": [ON | {"log": extended}]})
    live.page.get_by_role("button", name="Next extension").click()
    assert sentences(live)[0].startswith("Rh1#. The check costs no depth. Mate:")
    live.page.get_by_role("button", name="Next null move").click()
    assert "Cut by the null move" in sentences(live)[0]
    assert live.page.locator(".ladder .is-cut th").inner_text() == "1Rg2 ✕"


@pytest.mark.browser
def test_scores_appear_when_nodes_return(look: Look) -> None:
    live = look(of(SCORES))
    assert numbers_of(live) == {"root": "…", "Rh1#": "", "Rg2": "", "Kh7": ""}
    go(live, 3)
    assert numbers_of(live) == {"root": "…", "Rh1#": "29,999", "Rg2": "…", "Kh7": "608"}
    rows = live.page.locator(".ladder tbody tr")
    assert [row.locator("td").last.inner_text() for row in rows.all()] == [
        "…",
        "…",
        "608",
    ]
    assert "Kh7 608" in live.page.locator(".tried").inner_text()
    live.page.locator(".ladder .move", has_text="Rg2").click()
    assert sentences(live)[0].startswith("Rg2 returns 608. A move reaches beta: White")


@pytest.mark.browser
def test_a_cut_says_why_and_the_other_search_where_it_was_cut(look: Look) -> None:
    live = look(SCORES)
    live.page.get_by_role("button", name="Next cut").click()
    cut = (
        "Cut by mate distance: even if Black is mated here (mate in 1), that is no "
        "better for White than the mate in 1 already found."
    )
    off, on = sentences(live)
    assert on == f"Rg2. {cut} It returns 29,999 (mate on ply 1)."
    assert off.startswith("Rg2 returns 608.")
    assert live.page.locator(".ladder .is-cut th").inner_text() == "1Rg2 ✕"
    live.page.get_by_role("button", name="off", exact=True).click()
    live.page.locator("#trace-0 .tried .move", has_text="Kh7").click()
    off, on = sentences(live)
    assert off.startswith("Kh7. Evaluated at the horizon")
    assert on == f"Kh7 is not searched after Rg2. {cut}"


@pytest.mark.browser
def test_proof_numbers_change_step_by_step(look: Look) -> None:
    live = look(NUMBERS)
    go(live, 1)
    assert sentences(live) == [
        "The root has proof number 1, the least of its children's, and disproof number "
        "2. Best child: Qg8+."
    ]
    assert numbers_of(live) == {"root": "1 2", "Qg8+": "1 1", "Kh1": "3 1", "Rxg8": ""}
    go(live, 2)
    assert "Search while its proof number is below 4." in sentences(live)[0]
    live.page.get_by_role("button", name="Next proved").click()
    assert "Proved by the exact search" in sentences(live)[0]
    live.page.keyboard.press("End")
    assert numbers_of(live)["root"] == "0 ∞"
    assert live.page.locator(".node.proved").count() == 3


@pytest.mark.browser
def test_a_proof_has_some_move_and_every_reply(look: Look) -> None:
    live = look(PROOF)
    assert sentences(live) == ["The root. Some move is enough: Qg8+ mates in 2 moves."]
    go(live, 1)
    assert sentences(live)[0].startswith("Qg8+. Every reply loses")
    assert numbers_of(live) == {"root": "2", "Qg8+": "1", "Rxg8": "", "Nf7#": ""}


FIRST_VIEW = """
  () => [...document.querySelectorAll(
      "#board, #board-side, .sentence, .drawn svg, #trace-controls button")]
    .map((each) => [each, each.getBoundingClientRect()])
    .filter(([, { width, left, right, bottom }]) => width
      && (left < 0 || right > innerWidth || bottom > innerHeight))
    .map(([each]) => each.outerHTML.slice(0, 80))
"""
"""What the first view of a page cuts."""


@pytest.mark.browser
@pytest.mark.usefixtures("laboratory_kernel")
def test_a_wide_tree_fits_its_card_and_the_first_view(look: Look) -> None:
    traces = [scored(WIDE_TREE, name) for name in ("off", "mdp=cpw")]
    record = record_of(WIDE_TREE, "alpha-beta", traces)
    live = look(record, viewport={"width": 1280, "height": 720})
    assert live.page.evaluate(FIRST_VIEW) == []
    for step in range(0, 100, 7):
        go(live, step)
        assert live.page.locator(".drawn").evaluate_all(
            "all => all.every((each) => each.scrollWidth <= each.clientWidth)"
        )
        assert live.page.locator(".node.current").count() == 2
    left_out = live.page.locator("#trace-0 .more-leaves").all_text_contents()
    assert "+23" in left_out


CONTRAST = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d",
    { willReadFrequently: true });
  const light = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data]
      .map((part) => part / 255)
      .map((part) =>
        part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const style = (element) => getComputedStyle(element);
  const card = light(style(document.querySelector(".card")).backgroundColor);
  return [...document.querySelectorAll(".drawn text")].map((text) => {
    const [less, more] = [light(style(text).fill), card].sort((a, b) => a - b);
    return Number(style(text.parentElement).opacity) * (more + 0.05) / (less + 0.05);
  });
}"""
"""How much each name and number of a tree differs from the card, as WCAG defines it."""


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nodes_that_are_not_visited_are_legible(look: Look, scheme: str) -> None:
    live = look(NUMBERS, color_scheme=scheme)
    assert live.page.locator(".node.pale").count() == 1
    assert min(live.page.evaluate(CONTRAST)) >= 4.5


@pytest.mark.browser
def test_the_side_to_move_stands_below_the_board(look: Look) -> None:
    live = look(SCORES)
    side = live.page.locator("#board-side")
    assert side.inner_text() == "White to move (2+1)"
    go(live, 1)
    assert side.inner_text() == "Black to move (2+1)"
    assert side.get_attribute("data-side") == "black"


@pytest.mark.browser
def test_the_search_of_a_page_with_a_proof_finds_the_mate(
    look: Look, modules: dict[str, bytes]
) -> None:
    live = look(PROOF, modules)
    live.until("document.getElementById('tracer-search').value === 'proof-number'")
    live.page.get_by_role("button", name="Search", exact=True).click()
    live.until("document.querySelector('h1').textContent[0] === 'P'")
    live.until("document.getElementById('tracer-status').textContent === ''")
    assert live.page.inner_text("#trace-0-name + p").startswith("Mate in 2.")


@pytest.mark.browser
def test_a_technique_is_not_compared_with_itself(
    look: Look, modules: dict[str, bytes]
) -> None:
    live = look(SCORES, modules)
    live.until("document.getElementById('tracer-second').value === 'mdp=cpw'")
    live.page.select_option("#tracer-first", "mdp=cpw")
    assert live.page.input_value("#tracer-second") == ""
    same = live.page.locator("#tracer-second option[value='mdp=cpw']")
    assert same.get_attribute("hidden") == ""
    live.page.select_option("#tracer-search", "proof-number")
    assert live.page.input_value("#tracer-depth") == "1"


@pytest.mark.browser
def test_names_are_text(look: Look) -> None:
    live = look(of(SCORES, name=HOSTILE))
    assert HOSTILE in live.page.inner_text("h2")


@pytest.mark.browser
@pytest.mark.parametrize("scripts", [True, False])
def test_a_page_fits_its_window_and_paper(look: Look, *, scripts: bool) -> None:
    live = look(SCORES, java_script_enabled=scripts)
    wide = "document.documentElement.scrollWidth"
    for width in (1280, 1000, 390):
        live.page.set_viewport_size({"width": width, "height": 800})
        live.page.emulate_media(media="screen")
        assert live.page.evaluate(wide) <= width
        assert "Rg2" in live.page.inner_text("#trace-1")
        assert live.page.is_visible("#trace-controls") == scripts
        live.page.emulate_media(media="print")
        assert live.page.evaluate(wide) <= width
        assert not live.page.is_visible("#trace-controls")


@pytest.mark.browser
def test_controls_and_drawings_have_names(look: Look) -> None:
    live = look(SCORES)
    unnamed = live.page.locator(
        "button, input, [role=img], [role=region]"
    ).evaluate_all(
        """all => all.filter((each) => !each.getAttribute("aria-label")
          && !each.textContent.trim()).map((each) => each.outerHTML)"""
    )
    assert unnamed == []
    assert live.page.locator('.sentence[aria-live="polite"]').count() == 1


@pytest.fixture(scope="module")
def modules(kernel: object) -> dict[str, bytes]:  # noqa: ARG001
    from solver.kernel.border.parts import LABORATORY, SEARCH
    from solver.kernel.build.loader import load_module

    return {part.name: load_module(part).code for part in (SEARCH, LABORATORY)}


def search(live: Live, fen: str, depth: int) -> str:
    """Search in the page; return what it says then."""
    live.page.fill("#tracer-fen", fen)
    live.page.fill("#tracer-depth", str(depth))
    live.page.get_by_role("button", name="Search", exact=True).click()
    live.until("document.getElementById('tracer-status').textContent[0] !== 's'")
    return live.page.inner_text("#tracer-status")


@pytest.mark.browser
def test_a_page_with_the_search_traces_another_position(
    look: Look, modules: dict[str, bytes]
) -> None:
    live = look(SCORES, modules)
    assert search(live, ROOK, 3) == ""
    assert live.page.locator(".trace-views h2").all_inner_texts() == ["off", "mdp=cpw"]
    assert live.page.inner_text("#trace-1-name + p").startswith("Mate in 1. Depth 3: ")
    live.page.get_by_role("button", name="Next cut").click()
    assert "even if Black is mated here" in sentences(live)[1]
    live.page.select_option("#tracer-search", "proof-number")
    assert not live.page.is_visible("#tracer-techniques")
    assert search(live, SMOTHERED, 2) == ""
    assert live.page.inner_text("h1") == "Proof-number search, node by node"
    live.page.keyboard.press("End")
    live.page.locator("#trace-last").click(force=True)
    assert numbers_of(live)["root"] == numbers_of(live)["Qg8+"] == "0 ∞"
    assert "expected" in search(live, "8/8/8", 2)


KEPT = """
  self.traced = [];
  self.Worker = class extends Worker {
    constructor(url) {
      super(url);
      this.addEventListener("message", ({ data }) => {
        if (data.result?.log) self.traced.push(data.result.log);
      });
    }
  };
"""
"""Keeps the logs that the worker returns."""


@pytest.mark.browser
@pytest.mark.usefixtures("laboratory_kernel")
def test_a_log_of_the_page_is_that_of_the_command(
    look: Look, modules: dict[str, bytes]
) -> None:
    from solver.laboratory.iterative_deepening import Laboratory, Runner
    from solver.laboratory.techniques import parse_variant
    from solver.laboratory.traces import trace_numbers, trace_scores
    from solver.search.threads import Control

    board = chess.Board("7k/8/8/4K3/8/8/R7/8 w - - 0 1")
    live = look(SCORES, modules, before=KEPT)
    live.until("document.getElementById('tracer-second').value === 'mdp=cpw'")
    search(live, board.fen(), 5)
    live.page.select_option("#tracer-search", "proof-number")
    search(live, board.fen(), 4)
    *scores, numbers = live.page.evaluate("traced")
    for name, log in zip(("off", "mdp=cpw"), scores, strict=True):
        laboratory = Laboratory()
        variant, runner = parse_variant(name), Runner(laboratory)
        assert log == trace_scores(runner, laboratory, board, variant, 5).log
    expected = trace_numbers(board, 4, Control(), stepwise=True).log
    assert len(numbers["ply"]) > 100
    assert numbers == expected
