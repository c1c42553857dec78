"""`matesolve uci`: the solver as an engine, for chess programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from solver.cli.console import Exit
from solver.cli.help import Command

if TYPE_CHECKING:
    from collections.abc import Iterator


@click.command(
    cls=Command,
    epilog="""\b
Example, for a chess program's list of engines:
  matesolve uci

docs/reference/uci.md says which options it has, and what `go` understands.
""",
)
@click.pass_context
def uci(ctx: click.Context) -> None:
    """Run as a UCI engine.

    Commands are read from standard input, one a line, until `quit` or its end. Only
    the protocol is written to standard output.
    """
    from solver.uci.session import Session

    try:
        Session(notify).run(commands())
    except KeyboardInterrupt:
        ctx.exit(Exit.INTERRUPTED)


def notify(line: str) -> None:
    """Print a line for the client, who waits for it."""
    click.echo(line)  # which flushes


def commands() -> Iterator[str]:
    """Read standard input line by line, as it comes.

    Not through `sys.stdin`: a thread that waits there keeps a lock, and the
    interpreter's exit then ends in a crash.
    """
    from solver.formats.streams import STDIN, NumberedLines, open_collection

    if sys.stdin is None:  # it was closed
        return
    with open_collection(STDIN) as stream:
        for _, line in NumberedLines(stream, sys.maxsize):
            yield line.decode(errors="replace")
