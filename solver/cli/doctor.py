"""`matesolve doctor`: what a bug report needs, and whether to trust the program."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import version

import click

from solver import __version__
from solver.cli.console import prepare_kernel

DISTRIBUTIONS = ("chess", "click", "rich", "numba", "llvmlite", "numpy")

PROBLEM = "8/7K/8/8/8/8/R7/7k w - - 0 1"
MATE = 8
FIRST_KEY = "h7g6"


@click.command()
def doctor() -> None:
    """Tell versions, machine and cache, and run a self-test of a second.

    The test solves a rook ending: a mate in 8 with a single key.
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
    if found != (MATE, (FIRST_KEY,)):
        msg = f"self-test: expected mate in {MATE} by {FIRST_KEY}, found {found}"
        raise MatesolveError(msg)
    click.echo(f"self-test passed in {elapsed:.2f} s")
