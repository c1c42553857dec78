"""The live board: its size, and its times in Chromium.

usage: python -m benchmarks.board [ROUNDS]

Prints the size of the page, and medians over ROUNDS (default 9) of the time from
opening the file to the proved answer of a mate in 8, and from dropping a piece to the
proved answer of a mate in 2.
"""

from __future__ import annotations

import gzip
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from solver.kernel.border.parts import SEARCH
from solver.kernel.build.loader import load_module
from solver.pages.viewer_pages import SOLVER_PARTS, encode_board
from tools.pictures import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Page

BEFORE = "7k/8/5K2/8/8/8/8/R7%20b%20-%20-%200%201"
"""After 1...Kg8 there is a mate in 2."""

WATCH = """
const note = () => { globalThis.droppedAt = performance.now(); };
addEventListener("pointerup", note, true);
addEventListener("DOMContentLoaded", () => {
  const answer = document.getElementById("answer");
  new MutationObserver(() => {
    if (answer.dataset.state === "closed") globalThis.closedAt = performance.now();
  }).observe(answer, { attributes: true });
});
"""


def main(rounds: str = "9") -> None:
    """Measure and print."""
    modules = {part.name: load_module(part).code for part in SOLVER_PARTS}
    page = encode_board(modules)
    alone = encode_board({SEARCH.name: modules[SEARCH.name]})
    for name, data in (("all parts", page), ("the search alone", alone)):
        packed = len(gzip.compress(data)) / 1000
        print(f"{name}: {len(data) / 1000:.0f} kB, {packed:.0f} kB gzipped")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "board.html"
        path.write_bytes(page)
        opened, moved = measured(path.as_uri(), int(rounds))
    print(f"opened to mate in 8, proved: {statistics.median(opened):.0f} ms")
    print(f"dropped to mate in 2, proved: {statistics.median(moved):.0f} ms")


def measured(url: str, rounds: int) -> tuple[list[float], list[float]]:
    """Return both times of each round, in milliseconds."""
    opened: list[float] = []
    moved: list[float] = []
    with chromium() as browser:
        for _ in range(rounds):
            page = browser.new_page()
            page.add_init_script(WATCH)
            page.goto(url)
            wait(page, "8")
            opened.append(page.evaluate("closedAt"))
            page.goto("about:blank")
            page.goto(f"{url}#fen={BEFORE}")
            wait(page, "-2")
            page.drag_and_drop("[data-square=h8]", "[data-square=g8]", force=True)
            wait(page, "2")
            moved.append(page.evaluate("closedAt - droppedAt"))
            page.close()
    return opened, moved


def wait(page: Page, mate: str) -> None:
    """Wait for a proved answer."""
    page.wait_for_selector(f'#answer[data-state="closed"][data-mate="{mate}"]')


if __name__ == "__main__":
    main(*sys.argv[1:])
