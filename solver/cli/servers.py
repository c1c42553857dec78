"""The commands that serve other programs: `matesolve uci` and `matesolve mcp`."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from solver import errors
from solver.cli import console, options, signals
from solver.formats import streams

if TYPE_CHECKING:
    from collections.abc import Iterator


# --------------------------------------------------------------------------------------
# `matesolve uci`: the solver as an engine for chess GUIs.


@options.command("""
UCI options:
  Hash         largest size of the transposition table in MiB
  Threads      threads that search one position
  MultiPV      number of best first moves to report
  Clear Hash   empty the transposition table
  Keep Bounds  let later searches begin with what long ones have proved
  SyzygyPath   directories of Syzygy and Gaviota tablebases, separated as in PATH

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
    from solver.uci import session

    try:
        session.Session(send).run(read_commands())
    except KeyboardInterrupt:
        ctx.exit(console.Exit.INTERRUPTED)


def send(line: str) -> None:
    """Send a line to the client at once."""
    click.echo(line)  # flushes, as the client waits


def read_commands() -> Iterator[bytes]:
    """Read standard input line by line, as it comes; cut what is too long.

    This does not use `sys.stdin`: a thread that waits there keeps a lock, and the
    interpreter would crash at exit.
    """
    if sys.stdin is None:  # it is closed
        return
    with streams.open_collection(streams.STDIN) as stream:
        for _, line in streams.NumberedLines(stream, streams.MAX_RECORD_BYTES):
            yield line


# --------------------------------------------------------------------------------------
# `matesolve mcp`: proofs for language models.


@options.command("""
Exit codes:
   0  the client closed standard input
   2  the package mcp is not installed
  74  standard input or output is closed, or cannot be written

Example, as the command of a server in a client's configuration:
  matesolve mcp
""")
@click.pass_context
def mcp(ctx: click.Context) -> None:
    """Serve proofs to language models.

    Clients of the Model Context Protocol start this command, list its tools and call
    them over standard input and output, until they close standard input. Nothing but
    the protocol is written to standard output.

    The tools: `solve` finds and proves the shortest mate, or solves a stipulation;
    `grade` checks whether a written line mates in time; `moves` plays moves and lists
    the legal ones; `variations` writes out threats, defences, set play and tries;
    `check_collection` checks the claims of a small collection; `diagram` draws a
    position.

    A call searches for at most 30 seconds. The client can cancel it, and gets progress
    on request. No tool opens a file: texts are positions, moves and collections.
    """
    if find_spec("mcp") is None:
        console.notify(f"error: {errors.missing_package('matesolve mcp', 'mcp')}")
        ctx.exit(console.Exit.USAGE)
    signals.end_at_once()  # a server has nothing to print when it is interrupted
    import anyio
    import pydantic

    # Most of the SDK's models are never used: do not build them all at once.
    pydantic.BaseModel.model_config["defer_build"] = True
    from solver.mcp import server

    try:
        if sys.stdin and sys.stdout:
            anyio.run(server.serve, console.prepare_stipulation)
            return
    except* OSError:
        pass  # perhaps the client has left
    msg = "standard input or output is closed, or cannot be written"
    raise OSError(msg)
