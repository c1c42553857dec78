"""`matesolve perft`: count positions, to test and to time the move generator."""

from __future__ import annotations

import time

import click

from solver.cli.exits import Exit
from solver.cli.interrupt import interruptible
from solver.cli.kernel import prepare_kernel
from solver.cli.options import whole
from solver.cli.streams import tell

DEEPEST = 30
"""No machine gets so far, but a depth has to end somewhere."""


@click.command(
    epilog="""\b
Examples:
  matesolve perft --depth 5
  matesolve perft 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - --depth 4 --divide
"""
)
@click.argument("fen", nargs=-1)
@click.option(
    "-d",
    "--depth",
    type=whole(DEEPEST),
    required=True,
    metavar="D",
    help="Go D plies deep.",
)
@click.option("--divide", "divided", is_flag=True, help="Count below each first move.")
@click.option(
    "--listed",
    is_flag=True,
    help="List the last ply's moves, as a search does, instead of counting them.",
)
@click.pass_context
def perft(
    ctx: click.Context, fen: tuple[str, ...], depth: int, divided: bool, listed: bool
) -> None:
    """Count the positions that a number of plies leads to.

    FEN is a position, with or without quotes; without one, a game's first position.
    """
    import chess

    from solver.background import run_stoppable
    from solver.formats.fen import parse_fen
    from solver.perft import divide
    from solver.search.threads import Control

    board = parse_fen(" ".join(fen)) if fen else chess.Board()
    prepare_kernel()
    control = Control()
    started = time.perf_counter()
    with interruptible(control):
        counts = run_stoppable(
            lambda: list(divide(board, depth, listed=listed, control=control)), control
        )
    elapsed = time.perf_counter() - started
    if control.reason:
        tell("interrupted")
        ctx.exit(Exit.INTERRUPTED)
    if divided:
        for move, below in sorted(counts, key=lambda count: count[0].uci()):
            click.echo(f"{move.uci()}: {below}")
    leaves = sum(below for _, below in counts)
    click.echo(f"{leaves:,} positions at depth {depth}")
    rate = leaves / max(elapsed, 1e-9) / 1e6
    click.echo(f"{elapsed:.3f} s, {rate:,.0f} million a second")
