"""`matesolve perft`: count positions, to test and time the move generator."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from solver.cli import options
from solver.cli.console import Exit, notify, prepare_kernel
from solver.cli.signals import interruptible

if TYPE_CHECKING:
    from collections.abc import Iterator

    import chess

    from solver.search.threads import Control


def divide(
    board: chess.Board, depth: int, control: Control, *, listed: bool
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
    from solver.board import pack, unpack_move
    from solver.kernel.border.interface import new_search
    from solver.kernel.border.parts import SEARCH
    from solver.kernel.build.loader import load_part

    kernel = load_part(SEARCH).kernel
    search = new_search()
    control.attach(search)
    position = pack(board)
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
    import chess

    from solver.board import parse_fen
    from solver.search.threads import Control, run_stoppable

    prepare_kernel()
    board = parse_fen(" ".join(fen)) if fen else chess.Board()
    control = Control()
    started = time.perf_counter()
    with interruptible(control):
        counts = run_stoppable(
            lambda: list(divide(board, depth, control, listed=listed)), control
        )
    elapsed = time.perf_counter() - started
    if control.reason:
        notify("interrupted")
        ctx.exit(Exit.INTERRUPTED)
    if divided:
        for move, below in sorted(counts, key=lambda count: count[0].uci()):
            click.echo(f"{move.uci()}: {below:,}")
    leaves = sum(below for _, below in counts)
    click.echo(f"{leaves:,} positions at depth {depth}")
    rate = leaves / max(elapsed, 1e-9) / 1e6
    click.echo(f"{elapsed:.3f} s, {rate:,.0f} million a second")
