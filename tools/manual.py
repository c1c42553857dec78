"""The man page: `python -m tools.manual` writes it from the help of every command.

click writes each command's help, option groups included, and the formatter below turns
it into roff. click-man leaves out exit codes, examples and commands that are imported
on first use; Sphinx's writer leaves out the groups and is not there for every test.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver import __version__
from solver.cli.main import matesolve
from tools.listing import commands

if TYPE_CHECKING:
    from collections.abc import Iterable

MAN_PAGE = Path(__file__).parents[1] / "docs" / "share" / "man" / "man1" / "matesolve.1"


class Roff(click.HelpFormatter):
    """A formatter that writes a part of a man page for each part of a help."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:  # noqa: ARG002
        """Write the usage without click's prefix."""
        self.write(f".PP\n.B {roff(prog)}\n{roff(args)}\n")

    def write_heading(self, heading: str) -> None:
        """Begin a subsection."""
        self.write(f".SS {roff(heading)}\n")

    def write_paragraph(self) -> None:
        """Leave it to the next part to begin a paragraph."""

    def write_text(self, text: str) -> None:
        r"""Write paragraphs; one that begins with \b keeps its lines, as in click."""
        for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
            shown, is_literal = re.subn(r"\A\s*\x08\n", "", paragraph)
            if is_literal:
                self.write(f".PP\n.nf\n{roff(shown)}\n.fi\n")
            else:
                self.write(f".PP\n{roff(shown)}\n")

    def write_dl(
        self,
        rows: Iterable[tuple[str, str]],
        col_max: int = 30,  # noqa: ARG002
        col_spacing: int = 2,  # noqa: ARG002
    ) -> None:
        """Write each term in bold, and its description below it."""
        for term, description in rows:
            self.write(f".TP\n.B {roff(term.strip())}\n{roff(description)}\n")


def roff(text: str) -> str:
    """Return text as roff that shows the same characters, and code in bold."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    text = re.sub(r"`([^`]+)`", r"\\fB\1\\fP", text)
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def man_page() -> str:
    """Return the man page of all commands."""
    page = Roff()
    page.write(f'.TH MATESOLVE 1 "" "matesolve {__version__}" "User Commands"\n')
    page.write(".SH NAME\nmatesolve \\- find and prove the shortest forced mate\n")
    program = click.Context(
        matesolve, info_name="matesolve", **matesolve.context_settings
    )
    contexts = [
        click.Context(command, info_name=path, parent=program)
        for path, command in commands()
    ]
    for context in (program, *contexts):
        page.write(f".SH {roff(context.command_path)}\n")
        context.command.format_help(context, page)
    return page.getvalue()


if __name__ == "__main__":
    MAN_PAGE.write_text(man_page(), encoding="utf-8")
