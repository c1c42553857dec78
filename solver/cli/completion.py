"""Shell completion of commands, options, files and comma-separated words."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from solver.cli.console import Exit

if TYPE_CHECKING:
    from collections.abc import Callable

    import click
    from click.shell_completion import CompletionItem

VARIABLE = "_MATESOLVE_COMPLETE"
"""Environment variable that a shell sets to request completions, as in click."""

HELP = f"""\b
Shell completion: add this line to your shell's start-up file:
  bash  eval "$({VARIABLE}=bash_source matesolve)"
  zsh   eval "$({VARIABLE}=zsh_source matesolve)"
  fish  {VARIABLE}=fish_source matesolve | source
"""


def answer_shell(program: click.Command) -> Exit:
    """Print the completions that the shell's instruction in `VARIABLE` requests."""
    from click.shell_completion import (
        FishComplete,
        add_completion_class,
        shell_complete,
    )

    class WholeFishComplete(FishComplete):
        """Fish's completions to their ends; click's script cuts them at a comma."""

        source_template = FishComplete.source_template.replace(
            'string split ","', 'string split --max 1 ","'
        )

    add_completion_class(WholeFishComplete)
    code = shell_complete(program, {}, "matesolve", VARIABLE, os.environ[VARIABLE])
    return Exit.USAGE if code else Exit.PROVED


def files(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete a file name."""
    return [_item(incomplete, kind="file")]


def folders(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete a folder name."""
    return [_item(incomplete, kind="dir")]


def words(
    *known: str,
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Return a function that completes the last of several comma-separated words."""

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
