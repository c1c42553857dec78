"""Sphinx configuration: Markdown pages, the CLI from click, the API from docstrings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import solver

if TYPE_CHECKING:
    import click
    from sphinx.application import Sphinx

project = "matesolve"
author = "The matesolve authors"
release = version = solver.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx_click"]
exclude_patterns = ["_build"]
default_role = "code"
myst_heading_anchors = 3

html_theme = "furo"
html_title = "matesolve"

autodoc_member_order = "bysource"
numpydoc_show_class_members = False

# The site builds offline, so it has no inventory of Python's and python-chess's names.
# The other names are types in signatures that the public API does not export.
nitpick_ignore_regex = [
    (r"py:.*", r"(chess|collections|enum|typing)\..*"),
    (r"py:class", r"Sequence|tuple\[.*|Question|Search|TableFormat"),
    (r"py:class", r"NDArray|np\..*|TextColumn"),
    (r"py:class", r"Tablebases|Workspace"),
    (r"py:class", r"solver\.(?!Problem|Limits|Solution).*"),
]


def quote_help(text: str) -> str:
    """Return click's plain text as reStructuredText that shows the same characters."""
    return re.sub(
        r"`([^`]+)`|([*|])",
        lambda found: f"``{found[1]}``" if found[1] else f"\\{found[2]}",
        text,
    )


def describe(_app: Sphinx, _context: click.Context, lines: list[str]) -> None:
    """Escape a command's description in place."""
    lines[:] = [quote_help(line) for line in lines]


def mark_code(_app: Sphinx, _context: click.Context, lines: list[str]) -> None:
    """Turn single backquotes in the help of options into code, in place."""
    lines[:] = [re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", line) for line in lines]


def show_epilog(_app: Sphinx, context: click.Context, lines: list[str]) -> None:
    """Replace an epilog with a literal block, as the terminal shows it."""
    text = (context.command.epilog or "").replace("\b\n", "")
    lines[:] = [".. code-block:: text", "", *(f"   {x}" for x in text.splitlines()), ""]


def write_live_board(app: Sphinx, error: Exception | None) -> None:
    """Write the live board into the site; its modules are compiled if need be."""
    if error or app.builder.format != "html":
        return
    from solver.kernel.border.parts import PARTS
    from solver.kernel.build.loader import load_module
    from solver.pages.board_page import encode_board

    page = encode_board({part.name: load_module(part).code for part in PARTS})
    (Path(app.outdir) / "board.html").write_bytes(page)


def setup(app: Sphinx) -> None:
    """Connect the functions above to events of Sphinx and of sphinx-click."""
    app.connect("build-finished", write_live_board)
    app.connect("sphinx-click-process-description", describe)
    app.connect("sphinx-click-process-options", mark_code)
    app.connect("sphinx-click-process-epilog", show_epilog)
