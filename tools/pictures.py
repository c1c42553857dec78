"""Pictures of pages, for light and for dark readers of the docs.

usage: python -m tools.pictures [PICTURE...]

Draws the pictures of the table below, or the named ones (`howto/images/board.webp`), in
Chromium. A picture `name.webp` has a twin `name-dark.webp`, which docs/conf.py shows on
dark pages. That of lichess's puzzles needs their first 500 rows in ../shared/data.
"""

from __future__ import annotations

import base64
import json
import shlex
import shutil
import subprocess
import sys
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from solver.cli.main import run as matesolve
from tests.pages.html import CHROMIUM
from tools.samples import ROOT, run, sample_folder, samples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

DOCS = ROOT / "docs"
DATA = ROOT.parent / "shared" / "data"
TWO_MOVER = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1"
SMOTHERED = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
SCORES = "trace 4r3/8/8/8/8/q4r2/2Q5/k1KR4 --depth 5 --html trace.html"
NUMBERS = (
    "trace 8/8/8/8/np6/K2P4/4Q3/k7 --search proof-number --no-prover --html trace.html"
)
GLASS = (
    "trace 8/7K/8/8/8/8/R7/7k --depth 16 --technique mdp=cpw --cuts --html trace.html"
)
LESSONS = tomllib.loads((DOCS / "lessons" / "lessons.toml").read_text("utf-8"))
WHOLE_TREES = ("check-extension", "certificate")
"""The lessons whose picture shows the end of the search."""
FAR_MATE = "5bk1/p3p1p1/p3P1P1/p7/p7/8/P7/5K2 w - - 0 1"


@dataclass(frozen=True)
class Picture:
    """A picture: the docs page that shows it, and how it is made.

    The samples of the page are run, then `commands` and the `cells` of a notebook.
    `file` is opened in a window of `size`, and each selector of `clicks` is clicked.
    The picture shows the window, or the element `shown`.
    """

    page: str
    file: str
    size: tuple[int, int] = (960, 720)
    commands: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    clicks: tuple[str, ...] = ()
    shown: str = ""


PICTURES = {
    **{
        f"lessons/images/{name}.webp": Picture(
            f"lessons/{name}.md",
            "trace.html",
            (1100, 900),
            (f"trace {asked} --html trace.html",),
            clicks=("#trace-last",) if name in WHOLE_TREES else (),
            shown=".trace-view >> nth=-1 >> .drawn",
        )
        for name, asked in LESSONS.items()
        if name not in {"mate-scores", "proof-numbers"}  # the explanations have theirs
    },
    "tutorial/images/mate.svg": Picture("tutorial/first-mate.md", "mate.svg"),
    "tutorial/images/solution.webp": Picture("tutorial/first-mate.md", "mate.html"),
    "tutorial/images/report.webp": Picture(
        "tutorial/audit.md", "report.html", (1200, 690)
    ),
    "howto/images/board.webp": Picture(
        "howto/board.md",
        "board.html",
        (1200, 700),
        (f"board '{TWO_MOVER}' -o board.html",),
    ),
    "howto/images/far-mate.webp": Picture(
        "howto/solving.md",
        "far.html",
        (960, 560),
        (f"solve '{FAR_MATE}' --html far.html",),
    ),
    "howto/images/play.webp": Picture(
        "howto/composing.md",
        "block.html",
        (960, 900),
        (f"solve '{TWO_MOVER}' --set-play --tries --html block.html",),
    ),
    "howto/images/problems.webp": Picture(
        "howto/olive.md",
        "report.html",
        (1200, 600),
        (
            "verify puzzles/stipulations.olv --keys --store run.db",
            "report run.db -o report.html --title 'Problems of many kinds'",
        ),
    ),
    "howto/images/lichess.webp": Picture(
        "howto/lichess.md",
        "report.html",
        (1200, 560),
        (
            "verify lichess_500.csv --every-ply --store run.db",
            "report run.db -o report.html --title 'Mates of the first 500 puzzles'",
        ),
    ),
    "howto/images/claims.webp": Picture(
        "howto/engine-mates.md",
        "claims.html",
        (1200, 690),
        (
            "verify claims.epd --within --follow --nodes 1000000 --store claims.db",
            "report claims.db -o claims.html --title 'Mates of an engine'",
        ),
    ),
    "howto/images/counts.webp": Picture(
        "howto/node-counts.md",
        "counts.html",
        (1000, 800),
        ("table --html counts.html",),
        shown="#charts",
    ),
    "howto/images/trace.webp": Picture(
        "howto/tracing.md",
        "trace.html",
        (1000, 620),
        (SCORES,),
        clicks=("#trace-ends button >> nth=0",),
    ),
    "explanation/images/mate-scores.webp": Picture(
        "explanation/mate-scores.md",
        "trace.html",
        (900, 575),
        (f"{SCORES} --technique mdp=cpw",),
        clicks=("#trace-last",),
        shown=".drawn",
    ),
    "explanation/images/first-cut.webp": Picture(
        "explanation/mate-scores.md",
        "trace.html",
        (1000, 900),
        (GLASS,),
        clicks=("#trace-ends button >> nth=0",),
        shown=".ladder",
    ),
    "explanation/images/mate-in-2.webp": Picture(
        "explanation/certificates.md",
        "certificate.html",
        (900, 570),
        clicks=("#trace-last",),
    ),
    "explanation/images/proof-numbers.webp": Picture(
        "explanation/proof-numbers.md",
        "trace.html",
        (960, 560),
        (NUMBERS,),
        clicks=("#trace-last",),
    ),
    "howto/images/notebook.webp": Picture(
        "howto/python.md",
        "notebook-{}.html",
        (900, 700),
        cells=(
            f"from solver import solve, solve_many\n\nsolve({SMOTHERED!r})",
            f"fens = [\n    {SMOTHERED!r},\n    {TWO_MOVER!r},\n    {FAR_MATE!r},\n]\n"
            "solve_many(fens, max_moves=3)",
        ),
    ),
}
"""The pictures by their files below docs."""

TO_WEBP = """async ([png, quality]) => {
    const image = new Image();
    image.src = png;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", quality);
}"""
QUALITY = 0.85


def write_notebook(cells: tuple[str, ...]) -> None:
    """Run a notebook and write it as light and as dark page."""
    cell: dict[str, object] = {"cell_type": "code", "metadata": {}, "outputs": []}
    cell["execution_count"] = None
    notebook = {
        "cells": [{**cell, "id": f"c{n}", "source": x} for n, x in enumerate(cells)],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    Path("notebook.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    convert = [sys.executable, "-m", "nbconvert", "--to", "html", "--execute"]
    for theme in ("light", "dark"):
        output = ["--theme", theme, "--output", f"notebook-{theme}"]
        subprocess.run([*convert, *output, "notebook.ipynb"], check=True)


def shoot(
    browser: Browser, picture: Picture, scheme: Literal["light", "dark"]
) -> bytes:
    """Return a picture as WebP, which Chromium itself encodes."""
    width, height = picture.size
    page = browser.new_page(
        viewport={"width": width, "height": height}, color_scheme=scheme
    )
    page.goto(Path(picture.file.format(scheme)).absolute().as_uri())
    for selector in picture.clicks:
        page.click(selector)
    page.wait_for_timeout(500)  # for what the page draws after a click
    shown = page.locator(picture.shown).screenshot() if picture.shown else None
    png = base64.b64encode(shown or page.screenshot()).decode()
    page.goto("about:blank")
    webp = page.evaluate(TO_WEBP, [f"data:image/png;base64,{png}", QUALITY])
    page.close()
    return base64.b64decode(webp.partition(",")[2])


def draw(browser: Browser, name: str) -> None:
    """Draw a picture and its twin for dark pages."""
    picture, target = PICTURES[name], DOCS / name
    target.parent.mkdir(exist_ok=True)
    with sample_folder():
        for file in DATA.glob("lichess_*.csv"):
            Path(file.name).symlink_to(file)
        for sample in samples((DOCS / picture.page).read_text(encoding="utf-8")):
            run(sample)
        for command in picture.commands:
            matesolve(shlex.split(command))
        if picture.cells:
            write_notebook(picture.cells)
        if target.suffix == ".svg":
            shutil.copy(picture.file, target)
        else:
            target.write_bytes(shoot(browser, picture, "light"))
            dark = target.with_stem(f"{target.stem}-dark")
            dark.write_bytes(shoot(browser, picture, "dark"))


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium, and close it in the end."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"]
        )
        yield browser
        browser.close()


def main(*names: str) -> None:
    """Draw the named pictures, or all."""
    with chromium() as browser:
        for name in names or PICTURES:
            draw(browser, name)


if __name__ == "__main__":
    main(*sys.argv[1:])
