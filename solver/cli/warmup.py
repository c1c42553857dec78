"""`matesolve warmup`: compile now, so that no later command has to."""

from __future__ import annotations

import click

from solver.cli.console import prepare_kernel

TOLD = {
    "stored": "ready: the compiled search was stored already",
    "compiled": "ready: compiled the search",
    "numba": "ready: numba's own cache serves the search",
}


@click.command()
def warmup() -> None:
    """Compile the search now, so that the next command need not."""
    build = prepare_kernel()
    click.echo(f"{TOLD[build.origin]} ({build.seconds:.2f} s)")
    click.echo(f"cache: {build.path or 'none, nothing could be stored'}")
