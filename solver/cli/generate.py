"""`matesolve generate`: make new puzzles, each with a proved shortest mate."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Any

import click

from solver.cli import options
from solver.cli.console import Exit, is_terminal, notify, prepare_kernel
from solver.cli.progress import TimedProgress
from solver.columns import generate as core
from solver.formats.epd import write_epd
from solver.problem import MAX_NODES


def _range(text: str) -> tuple[int, int]:
    sizes = {f"{least}-{most}": (least, most) for least, most in core.SIZES}
    if found := sizes.get(text if "-" in text else f"{text}-{text}"):
        return found
    msg = f"expected a range within 3 to 20, such as 5-9, found {text!r}"
    raise click.BadParameter(msg)


@options.command("""
Exit codes:
    0  all puzzles were made
    3  fewer puzzles were found
   74  writing failed
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP)

Examples:
  matesolve generate 2
  matesolve generate 3 --puzzles 1000 --seed 7 --unique-key > mates.epd
  matesolve generate 1 --pieces 3-5 | matesolve convert - mates.jsonl
""")
@click.argument("moves", metavar="N", type=options.whole(core.MOST_MOVES))
@options.number("--puzzles count", MAX_NODES, "P", "Make P puzzles.", default=10)
@options.seed("puzzles")
@click.option(
    "--pieces",
    type=_range,
    default="5-9",
    show_default=True,
    metavar="MIN-MAX",
    help="Place so many pieces, kings included (3 to 20).",
)
@options.flag("--unique-key", "Make only puzzles with exactly one key.")
@click.pass_context
def generate(ctx: click.Context, /, moves: int, count: int, **chosen: Any) -> None:
    """Make new puzzles with proved mates.

    The shortest mate takes N moves, 1 to 6. The puzzles are printed as EPD with all
    keys; `convert` writes other formats. Pieces are placed at random, so a new seed
    gives positions that no model has memorised. No key takes a piece, and neither side
    is more than a rook ahead. No two puzzles of a run are the same, mirrored or with
    colours changed.

    The same arguments print the same bytes on every machine. The command stops if a
    billion nodes, or two million positions, bring no new puzzle.
    """
    from solver.search.threads import usable_cores

    prepare_kernel()
    how = "--seed {seed} --pieces {pieces[0]}-{pieces[1]}".format(**chosen)
    unique = " --unique-key" * chosen["unique_key"]
    click.echo(f"# matesolve generate {moves} {how}{unique}")
    found = core.generate(moves, count, jobs=usable_cores(), **chosen)
    progress = TimedProgress(total=lambda: count)
    # On a terminal, the puzzles themselves show the progress.
    with nullcontext() if is_terminal(sys.stdout) else progress:
        for problem in found:
            click.echo(write_epd(problem), nl=False)
            progress.done += 1
    if progress.done < count:
        notify(f"{progress.done:,} of {count:,} made: a billion nodes found no more")
        ctx.exit(Exit.LIMIT)
