"""Pictures of the tutorial, drawn by the commands that it shows, and of the live board.

usage: python -m tests.pictures [CHROMIUM]

Runs the samples of the tutorial's pages and writes docs/tutorial/images: the diagram as
`solve --svg` writes it, and screenshots of the pages by Chromium. Then opens the live
board and writes docs/howto/images/board.png.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from solver.cli.main import run as matesolve
from tests.samples import ROOT, run, sample_folder, samples

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TUTORIAL = ROOT / "docs" / "tutorial"
IMAGES = TUTORIAL / "images"

SCREENSHOTS = {
    "solution.png": ("mate.html", 960, 730),
    "report.png": ("report.html", 1280, 860),
}
"""Picture: the page that a sample writes, and the size of the window."""

BOARD = ROOT / "docs" / "howto" / "images" / "board.png"
TWO_MOVER = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1"


def draw_board(browser: Browser) -> None:
    """Draw the live board with the play of a mate in two, one level open."""
    page = browser.new_page(viewport={"width": 1200, "height": 860})
    matesolve(["board", TWO_MOVER, "-o", "board.html"])
    page.goto(Path("board.html").absolute().as_uri())
    page.wait_for_selector("#tree-play li")
    page.click("#tree-open")
    page.wait_for_selector("#tree-play :text('(dual)')")
    BOARD.parent.mkdir(exist_ok=True)
    page.screenshot(path=BOARD)


def main(chromium: str = "chromium") -> None:
    """Draw all pictures."""
    from playwright.sync_api import sync_playwright

    IMAGES.mkdir(exist_ok=True)
    with sample_folder(), sync_playwright() as playwright:
        for path in sorted(TUTORIAL.glob("*.md")):
            for sample in samples(path.read_text(encoding="utf-8")):
                run(sample)
        shutil.copy("mate.svg", IMAGES)
        browser = playwright.chromium.launch(
            executable_path=shutil.which(chromium), args=["--no-sandbox"]
        )
        for picture, (name, width, height) in SCREENSHOTS.items():
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto(Path(name).absolute().as_uri())
            page.screenshot(path=IMAGES / picture)
        draw_board(browser)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
