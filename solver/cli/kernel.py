"""`matesolve warmup` and `matesolve doctor`: compile the kernel, and test it."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import version

import click

from solver import __version__
from solver.cli.console import prepare_kernel
from solver.cli.help import Command

READY = {
    "stored": "ready: the compiled search was stored already",
    "compiled": "ready: compiled the search",
    "numba": "ready: numba's own cache serves the search",
}
"""The report of `warmup` by where the kernel came from."""

DISTRIBUTIONS = ("chess", "click", "rich", "numba", "llvmlite", "numpy")
"""The packages whose versions a bug report needs."""

PROBLEM = "8/7K/8/8/8/8/R7/7k w - - 0 1"
"""A rook ending that is a mate in `MATE` with `KEY` as its only key."""
MATE = 8
KEY = "h7g6"


@click.command(
    cls=Command,
    epilog="""\b
Example:
  matesolve warmup
""",
)
def warmup() -> None:
    """Compile the search now, so that the next command starts at once.

    The first command that searches otherwise compiles for about half a minute. The
    compiled code is stored in the cache folder that is printed.
    """
    build = prepare_kernel()
    click.echo(f"{READY[build.origin]} ({build.seconds:.2f} s)")
    click.echo(f"cache: {build.path or 'none, nothing could be stored'}")


@click.command(
    cls=Command,
    epilog="""\b
Example:
  matesolve doctor
""",
)
def doctor() -> None:
    """Show versions, machine and cache, and run a self-test.

    The self-test solves a rook ending, a mate in 8 with a single key, in about a
    second. Please add the output to bug reports.
    """
    import llvmlite.binding as llvm

    from solver.errors import MatesolveError
    from solver.kernel.cache import candidate_directories, describe
    from solver.search.solver import solve

    click.echo(f"matesolve {__version__}")
    click.echo(f"python    {platform.python_version()} ({platform.platform()})")
    for name in DISTRIBUTIONS:
        click.echo(f"{name:<9} {version(name)}")
    click.echo(f"cpu       {llvm.get_host_cpu_name()}, {os.cpu_count()} cores")
    for directory in candidate_directories():
        click.echo(f"cache     {directory}: {describe(directory)}")
    build = prepare_kernel()
    click.echo(f"kernel    {build.origin} in {build.seconds:.2f} s: {build.path}")

    started = time.perf_counter()
    solution = solve(PROBLEM)
    elapsed = time.perf_counter() - started
    found = solution.mate, solution.keys
    if found != (MATE, (KEY,)):
        msg = f"self-test: expected mate in {MATE} by {KEY}, found {found}"
        raise MatesolveError(msg)
    click.echo(f"self-test passed in {elapsed:.2f} s")
