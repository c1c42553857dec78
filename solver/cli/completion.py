"""What a shell completes: commands, options, files, and words of a list."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from solver.cli.console import Exit

if TYPE_CHECKING:
    from collections.abc import Callable

    import click
    from click.shell_completion import CompletionItem

VARIABLE = "_MATESOLVE_COMPLETE"
"""Environment variable: a shell sets it to ask the program, through click."""

HELP = f"""\b
Completion of commands, options and files, in the shell's start-up file:
  bash  eval "$({VARIABLE}=bash_source matesolve)"
  zsh   eval "$({VARIABLE}=zsh_source matesolve)"
  fish  {VARIABLE}=fish_source matesolve | source
"""


def answer_shell(program: click.Command) -> Exit | None:
    """Print what a shell asks for; None: the program runs for a user."""
    instruction = os.environ.get(VARIABLE)
    if not instruction:
        return None
    from click.shell_completion import shell_complete

    code = shell_complete(program, {}, "matesolve", VARIABLE, instruction)
    return Exit.USAGE if code else Exit.PROVED


def files(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the name of a file."""
    return [_item(incomplete, kind="file")]


def folders(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the name of a folder."""
    return [_item(incomplete, kind="dir")]


def words(
    *known: str,
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Complete the last of some comma-separated words."""

    def complete(
        _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        before, comma, last = incomplete.rpartition(",")
        given = before.split(",")
        return [
            _item(f"{before}{comma}{word}")
            for word in known
            if word.startswith(last) and word not in given
        ]

    return complete


def _item(value: str, kind: str = "plain") -> CompletionItem:
    from click.shell_completion import CompletionItem

    return CompletionItem(value, type=kind)
