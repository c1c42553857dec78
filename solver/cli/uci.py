"""`matesolve uci`: the solver as an engine for chess GUIs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from solver.cli import options
from solver.cli.console import Exit

if TYPE_CHECKING:
    from collections.abc import Iterator


@options.command("""
UCI options:
  Hash        size of the transposition table in MiB
  Threads     threads that search one position
  MultiPV     number of best first moves to report
  Clear Hash  empty the transposition table
  SyzygyPath  directories of Syzygy and Gaviota tablebases, separated as in PATH

Example, as the engine's command in a chess GUI:
  matesolve uci
""")
@click.pass_context
def uci(ctx: click.Context) -> None:
    """Run as a UCI engine.

    Chess GUIs start engines with this command and talk to them in the Universal Chess
    Interface. Commands are read from standard input, one a line, until `quit` or the
    end of input; searches with a limit are then finished. Nothing but the protocol is
    written to standard output.

    `go` accepts mate, depth, nodes, movetime, clock times, searchmoves, infinite and
    ponder.
    """
    from solver.uci.session import Session

    try:
        Session(send).run(read_commands())
    except KeyboardInterrupt:
        ctx.exit(Exit.INTERRUPTED)


def send(line: str) -> None:
    """Send a line to the client at once."""
    click.echo(line)  # flushes, as the client waits


def read_commands() -> Iterator[bytes]:
    """Read standard input line by line, as it comes; cut what is too long.

    This does not use `sys.stdin`: a thread that waits there keeps a lock, and the
    interpreter would crash at exit.
    """
    from solver.formats.streams import (
        MAX_RECORD_BYTES,
        STDIN,
        NumberedLines,
        open_collection,
    )

    if sys.stdin is None:  # it is closed
        return
    with open_collection(STDIN) as stream:
        for _, line in NumberedLines(stream, MAX_RECORD_BYTES):
            yield line
