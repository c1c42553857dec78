"""Pictures of the tutorial, drawn by the commands that it shows, and of the live board.

usage: python -m tests.pictures [CHROMIUM]

Runs the samples of the tutorial's pages and writes docs/tutorial/images: the diagram as
`solve --svg` writes it, and screenshots of the pages by Chromium. Then opens the live
board and writes docs/howto/images/board.png.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from solver.cli.main import run as matesolve
from tests.samples import ROOT, run, sample_folder, samples

TUTORIAL = ROOT / "docs" / "tutorial"
IMAGES = TUTORIAL / "images"

SCREENSHOTS = {
    "solution.png": ("mate.html", 0, 730),
    "report.png": ("report.html", 0, 1040),
    "disagreements.png": ("report.html", 1030, 760),
}
"""Picture: the page that a sample writes, and the first and number of its lines."""

WIDTH = 960
FRAME = """<body style="margin:0;overflow:hidden"><iframe src="{page}" style="border:0;
position:absolute;top:-{top}px;left:0;width:{width}px;height:4000px"></iframe>"""

BOARD = ROOT / "docs" / "howto" / "images" / "board.png"
TWO_MOVER = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1"


def draw_board(chromium: str) -> None:
    """Draw the live board with the play of a mate in two, one level open."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = shutil.which(chromium)
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1200, "height": 860})
        matesolve(["board", TWO_MOVER, "-o", "board.html"])
        page.goto(Path("board.html").absolute().as_uri())
        page.wait_for_selector("#tree-play li")
        page.click("#tree-open")
        page.wait_for_selector("#tree-play :text('(dual)')")
        BOARD.parent.mkdir(exist_ok=True)
        page.screenshot(path=BOARD)
        browser.close()


def main(chromium: str = "chromium") -> None:
    """Draw all pictures."""
    IMAGES.mkdir(exist_ok=True)
    with sample_folder() as folder:
        for path in sorted(TUTORIAL.glob("*.md")):
            for sample in samples(path.read_text(encoding="utf-8")):
                run(sample)
        shutil.copy("mate.svg", IMAGES)
        for picture, (page, top, height) in SCREENSHOTS.items():
            frame = FRAME.format(page=page, top=top, width=WIDTH)
            Path("frame.html").write_text(frame, encoding="utf-8")
            subprocess.run(
                [
                    chromium,
                    "--headless",
                    "--no-sandbox",
                    "--hide-scrollbars",
                    f"--window-size={WIDTH},{height}",
                    f"--screenshot={IMAGES / picture}",
                    f"file://{folder}/frame.html",
                ],
                check=True,
                capture_output=True,
                timeout=60,
            )
        draw_board(chromium)


if __name__ == "__main__":
    main(*sys.argv[1:])
