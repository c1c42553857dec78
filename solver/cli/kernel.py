"""`matesolve warmup`, `doctor` and `perft`: compile the kernel, test and time it."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import click

from solver import __version__, errors, solving
from solver.cli import console, options, signals
from solver.kernel.border import interface, parts
from solver.kernel.build import cache, loader
from solver.search import threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import chess


# --------------------------------------------------------------------------------------
# `matesolve warmup` and `matesolve doctor`: compile the kernel, and test it.

ORIGINS = {
    "wheel": "shipped with the package",
    "cache": "from the cache",
    "compiled": "compiled now",
    "numba": "compiled by numba alone",
}
"""The words for where compiled code came from."""

DISTRIBUTIONS = ("chess", "click", "rich", "numba", "llvmlite", "numpy")
"""The packages whose versions a bug report needs."""

PROBLEM = "8/7K/8/8/8/8/R7/7k w - - 0 1"
"""A rook ending: a mate in `MATE` whose only key is `KEY`."""
MATE = 8
KEY = "h7g6"


@options.command("""
Examples:
  matesolve warmup
  matesolve warmup --wasm
""")
@options.flag("--wasm", "Compile the WebAssembly modules for web pages instead.")
def warmup(wasm: bool) -> None:
    """Compile the search now, so that the next command starts at once.

    Otherwise the first command that searches compiles for several seconds, and so does
    the first use of a stipulation such as `s#3`, of one such as `h#2`, and of `table`,
    `match` or `mip play`. The names of the files with the compiled code are printed.
    """
    _load(console.prepare_module if wasm else console.prepare_part)


@options.command("""
Example:
  matesolve doctor
""")
def doctor() -> None:
    """Show the versions, the machine and the cache, and run a self-test.

    The self-test solves a mate in 8 with a single key in about a second. Please add the
    output to bug reports.
    """
    click.echo(f"matesolve  {__version__}")
    click.echo(f"python     {platform.python_version()} ({platform.platform()})")
    for name in DISTRIBUTIONS:
        click.echo(f"{name:<10} {_version(name)}")
    click.echo(f"cpu        {_processor()}, {os.cpu_count()} cores")
    if os.path.isdir(cache.SHIPPED):  # noqa: PTH112
        click.echo(
            f"wheel      {cache.SHIPPED}: {cache.describe_folder(cache.SHIPPED)}"
        )
    for directory in cache.candidate_directories():
        click.echo(f"cache      {directory}: {cache.describe_folder(directory)}")
    _load(console.prepare_part)

    started = time.perf_counter()
    solution = solving.solve(PROBLEM)
    elapsed = time.perf_counter() - started
    found = solution.mate, solution.keys
    if found != (MATE, (KEY,)):
        msg = f"self-test: expected mate in {MATE} by {KEY}, found {found}"
        raise errors.MatesolveError(msg)
    click.echo(f"self-test passed in {elapsed:.2f} s")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:  # in a bundle
        return "not installed"


def _processor() -> str:
    """Return LLVM's name of the processor; in a bundle, that of the architecture."""
    try:
        import llvmlite.binding as llvm
    except ModuleNotFoundError:
        return platform.machine()
    name: str = llvm.get_host_cpu_name()
    return name


def _load(prepare: Callable[[parts.Part], loader.Build | loader.Module]) -> None:
    """Load each part of the kernel, and print where it came from."""
    for part in parts.PARTS:
        started = time.perf_counter()
        loaded = prepare(part)
        cost = f"{time.perf_counter() - started:.2f} s"
        if code := getattr(loaded, "code", b""):  # of a module
            cost += f", {len(code):,} bytes"
        place = loaded.path or "nothing was stored"
        click.echo(f"{part.name:<10} {ORIGINS[loaded.origin]} ({cost}): {place}")


# --------------------------------------------------------------------------------------
# `matesolve perft`: count positions, to test and time the move generator.


def divide(
    board: chess.Board, depth: int, control: threads.Control, *, listed: bool
) -> Iterator[tuple[chess.Move, int]]:
    """Count the leaves below each legal move.

    Parameters
    ----------
    board : chess.Board
    depth : int
        Plies, the first move included; 1 to `DEEPEST`.
    control : Control
        Stops the count early; an incomplete count is not yielded.
    listed : bool
        Generate the moves of the last ply, as a search would, instead of counting them.

    Yields
    ------
    move : chess.Move
    leaves : int
    """
    from solver.board import pack_board, unpack_move

    kernel = loader.load_part(parts.SEARCH).kernel
    search = interface.new_search()
    control.attach(search)
    position = pack_board(board)
    for word in kernel.moves(position, search):
        child = kernel.made(position, search, word)
        leaves = 1
        if depth > 1:
            leaves = kernel.perft(child, search, depth - 1, listed=listed)
        if control.reason:
            return
        yield unpack_move(board, word), leaves


DEEPEST = 30
"""The greatest --depth, far beyond what any machine can count."""


@options.command("""
Examples:
  matesolve perft --depth 5
  matesolve perft 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - --depth 4 --divide
""")
@click.argument("fen", nargs=-1)
@options.number("-d --depth", DEEPEST, "D", "Search D plies deep.", required=True)
@options.flag("--divide divided", "Also print the count for each first move.")
@options.flag(
    "--listed",
    "Generate the moves of the last ply, as a search does, instead of counting them, "
    "which is faster.",
)
@click.pass_context
def perft(
    ctx: click.Context, fen: tuple[str, ...], depth: int, divided: bool, listed: bool
) -> None:
    """Count the positions after a number of plies.

    This is the standard test of a move generator: published counts show whether it is
    correct, and the time shows how fast it is.

    FEN is a position, with or without quotes. Default: the initial position of chess.
    """
    board = console.read_position(fen or ["startpos"]).board
    control = threads.Control()
    started = time.perf_counter()
    with signals.interruptible(control):
        counts = threads.run_stoppable(
            lambda: list(divide(board, depth, control, listed=listed)), control
        )
    elapsed = time.perf_counter() - started
    if control.reason:
        console.notify("interrupted")
        ctx.exit(console.Exit.INTERRUPTED)
    if divided:
        for move, below in sorted(counts, key=lambda count: count[0].uci()):
            click.echo(f"{move.uci()}: {below:,}")
    leaves = sum(below for _, below in counts)
    click.echo(f"{leaves:,} positions at depth {depth}")
    rate = leaves / max(elapsed, 1e-9) / 1e6
    click.echo(f"{elapsed:.3f} s, {rate:,.0f} million a second")
