"""`matesolve uci`: the solver as an engine, for chess programs."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from solver.cli.exits import Exit

if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK_BYTES = 1 << 16


@click.command(
    epilog="""\b
Example, for a chess program's list of engines:
  matesolve uci

docs/uci.md says which options it has, and what `go` understands.
"""
)
@click.pass_context
def uci(ctx: click.Context) -> None:
    """Be an engine that chess programs drive (UCI).

    Commands are read from standard input, one a line, until `quit` or its end. Only
    the protocol is written to standard output.
    """
    from solver.uci.session import Session

    try:
        Session(tell).run(commands())
    except KeyboardInterrupt:
        ctx.exit(Exit.INTERRUPTED)


def tell(line: str) -> None:
    """Print a line for the client, who waits for it."""
    click.echo(line)  # which flushes


def commands() -> Iterator[str]:
    """Read standard input line by line, as it comes.

    Not through `sys.stdin`: a thread that waits there keeps a lock, and the
    interpreter's exit then ends in a crash.
    """
    if sys.stdin is None:  # it was closed
        return
    rest = b""
    while chunk := os.read(sys.stdin.fileno(), CHUNK_BYTES):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.decode(errors="replace")
    yield rest.decode(errors="replace")
