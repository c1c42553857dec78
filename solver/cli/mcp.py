"""`matesolve mcp`: proofs for language models."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import click

from solver.cli import options
from solver.cli.console import Exit, notify, prepare_stipulation
from solver.cli.signals import end_at_once
from solver.errors import missing_package


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
    `grade` checks whether a written line mates within n moves; `play` writes out
    threats, defences, set play and tries; `check_collection` checks the claims of a
    small collection; `diagram` draws a position.

    A call searches for at most 30 seconds. The client can cancel it, and gets progress
    on request. No tool opens a file: texts are positions, moves and collections.
    """
    if find_spec("mcp") is None:
        notify(f"error: {missing_package('matesolve mcp', 'mcp')}")
        ctx.exit(Exit.USAGE)
    end_at_once()  # a server has nothing to print when it is interrupted
    import anyio
    import pydantic

    # Most of the SDK's models are never used: do not build them all at once.
    pydantic.BaseModel.model_config["defer_build"] = True
    from solver.mcp.server import serve

    try:
        if sys.stdin and sys.stdout:
            anyio.run(serve, prepare_stipulation)
            return
    except* OSError:
        pass  # perhaps the client has left
    msg = "standard input or output is closed, or cannot be written"
    raise OSError(msg)
