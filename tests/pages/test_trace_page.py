"""The page of a trace: stepped through in a browser, and read without scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from solver.pages.laboratory_pages import encode_trace
from tests.pages.html import Page, require_own_style_and_script
from tests.pages.records import HOSTILE

if TYPE_CHECKING:
    from tests.pages.live import Live, Look

ROOK = "7k/5K2/8/8/8/8/8/6R1 w - - 0 1"
SMOTHERED = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"


def trace(name: str, columns: str, *rows: tuple[Any, ...], **fields: Any) -> Any:
    """A trace whose log has these rows."""
    log = dict(zip(columns.split(), map(list, zip(*rows, strict=True)), strict=True))
    found = {"name": name, "depth": 2, "mate": 1, "nodes": len(rows), "log": log}
    rest = {"nodes_before": 0, "complete": True, "only_cuts": False}
    return found | rest | fields


SCORED = "ply uci san depth nodes kind alpha beta low high score end"
ROOT = (0, "", "", 2, 10, "pv", -32_000, 32_000)
MATING = (1, "g1h1", "Rh1#", 1, 11, "pv", -32_000, 32_000)
QUIET = (1, "g1g2", "Rg2", 1, 12, "cut", -30_000, -29_999)
LAST_KING = (2, "h8h7", "Kh7", 0, 13, "all", 29_999, 30_000)
OFF = trace(
    "off",
    SCORED,
    (*ROOT, -32_000, 32_000, 29_999, "moves"),
    (*MATING, -32_000, 32_000, -29_999, "mate"),
    (*QUIET, -30_000, -29_999, -608, "beta"),
    (*LAST_KING, 29_999, 30_000, 608, "horizon"),
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
    (*ROOT, -30_000, 30_000, 29_999, "moves"),
    (*MATING, -29_999, 29_999, -29_999, "mate"),
    (*QUIET, -29_999, -29_999, -29_999, "mate-distance"),
)
SCORES = {"schema": 1, "fen": ROOK, "search": "alpha-beta", "traces": [OFF, ON]}

KEY, REPLY, LAST = ("c4g8", "Qg8+"), ("f8g8", "Rxg8"), ("h6f7", "Nf7#")
NUMBERS_TRACE = trace(
    "proof-number",
    "ply uci san depth nodes kind pn_limit dn_limit pn dn end by",
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
    mate=2,
)
PROOF_COLUMNS = "ply uci san depth nodes kind mate end"
PROOF_TRACE = trace(
    "certificate",
    PROOF_COLUMNS,
    (0, "", "", 2, 0, "attacker", 2, "moves"),
    (1, *KEY, 1, 1, "defender", 1, "moves"),
    (2, *REPLY, 1, 2, "attacker", 1, "moves"),
    (3, *LAST, 0, 3, "defender", 0, "mate"),
    mate=2,
)
OF_SMOTHERED = {"schema": 1, "fen": SMOTHERED}
NUMBERS = OF_SMOTHERED | {"search": "proof-number", "traces": [NUMBERS_TRACE]}
PROOF = OF_SMOTHERED | {"search": "certificate", "traces": [PROOF_TRACE]}


def of(traced: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A record of one trace with other fields."""
    first, *_ = traced["traces"]
    return traced | {"traces": [first | fields]}


# Without scripts


def test_without_scripts_a_page_has_the_counts_and_the_first_nodes() -> None:
    require_own_style_and_script(encode_trace(SCORES))
    lines = Page(encode_trace(SCORES)).lines
    start = lines.index("off")
    assert lines[start + 1 : start + 6] == [
        "Mate in 1. Depth 2: 4 nodes, after 9 in the iterations before, which are not "
        "shown.",
        "The root returns 29,999 (mate on ply 1). All moves searched: the best one "
        "counts.",
        "Rh1#. Mate: Black is mated on ply 1. It returns 29,999 (mate on ply 1).",
        "Rg2 returns 608. A move reaches beta: White avoids this position, so the "
        "other moves are not searched.",
        "Kh7. Evaluated at the horizon: no plies are left. It returns 608.",
    ]
    start = lines.index("in all") + 1
    assert lines[start : start + 8] == ["0", "-1,027", "1", "1", "1", "M1", "8", "9"]
    assert "Qg8+. Proved: White mates by force." in Page(encode_trace(NUMBERS)).lines
    mating = "Rxg8. Some move is enough: Nf7# mates in 1 move."
    assert mating in Page(encode_trace(PROOF)).lines


# In Chromium


def opened(
    look: Look,
    record: dict[str, Any],
    modules: dict[str, bytes] | None = None,
    **options: Any,
) -> Live:
    live = look(encode_trace(record, modules), **options)
    if options.get("java_script_enabled", True):
        live.page.wait_for_selector("#trace-controls", state="visible")
    return live


def sentences(live: Live) -> list[str]:
    return [text.strip() for text in live.page.locator(".sentence").all_inner_texts()]


def go(live: Live, step: int) -> None:
    live.page.locator("#trace-step").fill(str(step))


def press(live: Live, name: str) -> None:
    live.page.get_by_role("button", name=name, exact=True).click()


NODES = """() => Object.fromEntries([...document.querySelectorAll(".drawn .node")].map(
  (node) => [node.querySelector(".move-name").textContent,
    [...node.querySelectorAll("text:not(.move-name, .more-leaves)")]
      .map((text) => text.textContent).join(" ")]))"""


def numbers_of(live: Live) -> dict[str, str]:
    """What is in the nodes of the drawing, by their moves."""
    found: dict[str, str] = live.page.evaluate(NODES)
    return found


@pytest.mark.browser
def test_a_search_is_stepped_with_buttons_and_keys(look: Look) -> None:
    live = opened(look, of(SCORES, name=HOSTILE))
    assert HOSTILE in live.page.inner_text("h2")
    assert live.text("trace-at") == "Step 1 of 6"
    assert live.page.get_by_role("button", name="Back").is_disabled()
    assert numbers_of(live) == {"root": "…", "Rh1#": "", "Rg2": "", "Kh7": ""}
    assert live.text("board-side") == "White to move (2+1)"
    press(live, "Forward")
    mated = "Rh1#. Mate: Black is mated on ply 1. It returns 29,999 (mate on ply 1)."
    assert sentences(live) == [mated]
    assert live.text("board-side") == "Black to move (2+1)"
    live.page.keyboard.press("ArrowRight")
    assert sentences(live)[0].startswith("Rg2. Black to move, 1 ply left. The window")
    live.page.keyboard.press("End")
    assert live.text("trace-at") == "Step 6 of 6"
    live.page.keyboard.press("Home")
    press(live, "Next mate")
    assert live.text("trace-at") == "Step 2 of 6"

    go(live, 3)  # scores appear when nodes return
    assert numbers_of(live) == {"root": "…", "Rh1#": "29,999", "Rg2": "…", "Kh7": "608"}
    assert "Kh7 608" in live.page.locator(".tried").inner_text()
    live.page.locator(".ladder .move", has_text="Rg2").click()
    assert sentences(live)[0].startswith("Rg2 returns 608. A move reaches beta: White")


@pytest.mark.browser
def test_a_cut_says_why_and_the_other_search_where_it_was_cut(look: Look) -> None:
    live = opened(look, SCORES)
    press(live, "Next cut")
    cut = (
        "Cut by mate distance: even if Black is mated here (mate in 1), that is no "
        "better for White than the mate in 1 already found."
    )
    off, on = sentences(live)
    assert on == f"Rg2. {cut} It returns 29,999 (mate on ply 1)."
    assert off.startswith("Rg2 returns 608.")
    assert live.page.locator(".ladder .is-cut th").inner_text() == "1Rg2 ✕"
    press(live, "off")
    live.page.locator("#trace-0 .tried .move", has_text="Kh7").click()
    off, on = sentences(live)
    assert off.startswith("Kh7. Evaluated at the horizon")
    assert on == f"Kh7 is not searched after Rg2. {cut}"


# Searched in the page


def search(live: Live, fen: str, depth: int) -> str:
    """Search in the page; return what it says then."""
    live.page.fill("#tracer-fen", fen)
    live.page.fill("#tracer-depth", str(depth))
    press(live, "Search")
    live.until("document.getElementById('tracer-status').textContent[0] !== 's'")
    return live.text("tracer-status")


@pytest.mark.browser
def test_a_page_with_the_search_traces_another_position(
    look: Look, modules: dict[str, bytes]
) -> None:
    live = opened(look, SCORES, modules)
    live.until("document.getElementById('tracer-second').value === 'mdp=cpw'")
    assert search(live, ROOK, 3) == ""
    assert live.page.locator(".trace-views h2").all_inner_texts() == ["off", "mdp=cpw"]
    assert live.page.inner_text("#trace-1-name + p").startswith("Mate in 1. Depth 3: ")
    press(live, "Next cut")
    assert "even if Black is mated here" in sentences(live)[1]
    live.page.select_option("#tracer-search", "proof-number")
    assert not live.page.is_visible("#tracer-techniques")
    assert search(live, SMOTHERED, 2) == ""
    assert live.page.inner_text("h1") == "Proof-number search, node by node"
    live.page.keyboard.press("End")
    live.page.locator("#trace-last").click(force=True)
    assert numbers_of(live)["root"] == numbers_of(live)["Qg8+"] == "0 ∞"
    assert "expected" in search(live, "8/8/8", 2)
