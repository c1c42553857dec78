"""Sphinx configuration: Markdown pages, the CLI from click, the API from docstrings."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from pygments.lexer import RegexLexer
from pygments.token import Comment, Generic, Text
from sphinx.errors import ExtensionError

import solver
from solver.cli.main import COMMANDS, MODULES
from solver.cli.main import run as matesolve

if TYPE_CHECKING:
    from collections.abc import Iterable

    import click
    from sphinx.application import Sphinx
    from sphinx.config import Config

project = "matesolve"
author = "The matesolve authors"
release = version = solver.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_click",
    "sphinx_design",
]
exclude_patterns = ["_build"]
default_role = "code"
smartquotes_action = "qe"  # no dashes: --store is an option
myst_enable_extensions = ["attrs_inline", "colon_fence"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = "matesolve"
html_show_copyright = False
html_static_path = ["site.css", "site.js"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_favicon = "favicon.ico"
html_extra_path = ["favicon.ico"]  # what a live page gets when it is opened alone

autodoc_member_order = "bysource"
numpydoc_show_class_members = False

# The site builds offline, so it has no inventory of Python's and python-chess's names.
# The other names are types in signatures that the public API does not export.
nitpick_ignore_regex = [
    (r"py:.*", r"(chess|collections|enum|os|typing)\..*"),
    (r"py:class", r"Checkpoint|Record|Sequence|tuple\[.*|Question|Search|TableFormat"),
    (r"py:class", r"NDArray|(np|numpy|pa|pd|pl)\..*"),
    (r"py:class", r"Tablebases|Workspace"),
    (r"py:class", r"solver\.(?!Problem|Limits|Solution).*"),
]


LESSONS = tomllib.loads(
    Path(__file__).with_name("lessons").joinpath("lessons.toml").read_text("utf-8")
)
"""What the page of each lesson traces."""

LIVE_PAGES = {
    "board.html": "board -o",
    "trace-scores.html": (
        "trace 4r3/8/8/8/8/q4r2/2Q5/k1KR4 --depth 5 --technique mdp=cpw --solver --html"
    ),
    "trace-numbers.html": (
        "trace 8/8/8/8/np6/K2P4/4Q3/k7 --search proof-number --no-prover "
        "--solver --html"
    ),
    **{
        f"lesson-{name}.html": f"trace {asked} --solver --html"
        for name, asked in LESSONS.items()
    },
}
"""The pages that search in the browser, and the commands that write them."""

COMMAND = """\
.. click:: solver.cli.{module}:{name}
   :prog: matesolve {name}
   :nested: full
"""


def write_command_pages(app: Sphinx, _config: Config) -> None:
    """Write a page for each command into the folder reference/cli."""
    folder = Path(app.srcdir, "reference", "cli")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in (name for group in COMMANDS.values() for name in group):
        page = COMMAND.format(module=MODULES.get(name, name), name=name)
        (folder / f"{name}.rst").write_text(page, encoding="utf-8")


def list_commands() -> str:
    """Return Markdown that lists the commands in their groups, with their summaries."""
    return "\n".join(
        f"## {title}\n\n"
        + "\n".join(f"- {{doc}}`cli/{name}`: {text}" for name, text in group.items())
        + f"\n\n{link_pages(f'cli/{name}' for name in group)}"
        for title, group in COMMANDS.items()
    )


def link_pages(pages: Iterable[str]) -> str:
    """Return a directive that puts pages into the navigation."""
    return "\n".join(["```{toctree}", ":hidden:", "", *pages, "```", ""])


def complete(_app: Sphinx, name: str, text: list[str]) -> None:
    """Complete a page's Markdown in place.

    The list of an index page is its part of the navigation. A picture `name.webp` has a
    twin for dark pages, `name-dark.webp`, and so has a chart.
    """
    if name.endswith("/index"):
        pages = re.findall(r"^- \[.+?\]\((.+?)\.md\)", text[0], re.MULTILINE)
        text[0] += f"\n{link_pages(pages)}"
    text[0] = text[0].replace("<!-- commands -->", list_commands())
    text[0] = re.sub(
        r"!\[([^\]]*)\]\((\S+)(\.webp|\.chart\.svg)\)",
        r"![\1](\2\3){.only-light}\n![\1](\2-dark\3){.only-dark}",
        text[0],
    )


def quote_help(text: str) -> str:
    """Return click's plain text as reStructuredText, with options as code."""
    return re.sub(
        r"`[^`]+`|(?<!\S)--[a-z-]+|[*|]",
        lambda it: f"\\{it[0]}" if it[0] in "*|" else f"``{it[0].strip('`')}``",
        text,
    )


def describe(app: Sphinx, context: click.Context, lines: list[str]) -> None:
    """Escape a command's description in place, and list the guides that run it."""
    lines[:] = [quote_help(line) for line in lines]
    run = re.compile(rf"^(?:\$ )?matesolve {context.command.name}\b", re.MULTILINE)
    guides = [
        f":doc:`/howto/{page.stem}`"
        for page in sorted(Path(app.srcdir, "howto").glob("*.md"))
        if run.search(page.read_text(encoding="utf-8"))
    ]
    if guides:
        lines += ["", f"Guides: {'; '.join(guides)}.", ""]


def mark_code(_app: Sphinx, _context: click.Context, lines: list[str]) -> None:
    """Turn single backquotes in the help of options into code, in place."""
    lines[:] = [re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", line) for line in lines]


def show_epilog(_app: Sphinx, context: click.Context, lines: list[str]) -> None:
    """Replace an epilog with a literal block, as the terminal shows it."""
    text = (context.command.epilog or "").replace("\b\n", "")
    lines[:] = [".. code-block:: text", "", *(f"   {x}" for x in text.splitlines()), ""]


def write_live_pages(app: Sphinx, error: Exception | None) -> None:
    """Write the pages that search into the site; modules are compiled if need be."""
    if error or app.builder.format != "html":
        return
    for name, command in LIVE_PAGES.items():
        if matesolve([*command.split(), str(Path(app.outdir, name))]):
            msg = f"{name}: matesolve {command} failed"
            raise ExtensionError(msg)


class Session(RegexLexer):
    """A session in a terminal: no word or number has a colour, only the prompt has."""

    tokens = {"root": [(r"^\$ ", Generic.Prompt), (r".+|\n", Text)]}  # noqa: RUF012


class Shell(RegexLexer):
    """Commands of a shell: only comments have a colour."""

    tokens = {"root": [(r"(?<!\S)# .*", Comment), (r"\S+|\s", Text)]}  # noqa: RUF012


def setup(app: Sphinx) -> None:
    """Register the lexers, and connect the functions above to events."""
    app.add_lexer("console", Session)
    app.add_lexer("sh", Shell)
    app.connect("config-inited", write_command_pages)
    app.connect("env-get-outdated", lambda *_: ["reference/cli"])
    app.connect("source-read", complete)
    app.connect("build-finished", write_live_pages)
    app.connect("sphinx-click-process-description", describe)
    app.connect("sphinx-click-process-options", mark_code)
    app.connect("sphinx-click-process-epilog", show_epilog)
