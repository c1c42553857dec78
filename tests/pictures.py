"""Pictures of the tutorial, drawn by the commands that the tutorial shows.

usage: python -m tests.pictures [CHROMIUM]

Runs the samples of the tutorial's pages and writes docs/tutorial/images: the diagram as
`solve --svg` writes it, and screenshots of the pages by Chromium.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

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


if __name__ == "__main__":
    main(*sys.argv[1:])
