"""`matesolve merge`: several stores into one."""

from __future__ import annotations

from pathlib import Path

import click

from solver.cli.streams import tell


@click.command(
    epilog="""\b
Examples:
  matesolve merge part1.db part2.db -o all.db
  matesolve merge all.db part3.db

\b
Exit codes:
  74  a store cannot be read or written; what was merged before it is kept
  0   all were merged
"""
)
@click.argument("stores", nargs=-1, required=True, metavar="RUN.db...")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="The store to add all others to, made where there is none "
    "(default: the first).",
)
def merge(*, stores: tuple[str, ...], output: str | None) -> None:
    """Put what several stores hold into one.

    Such as those of an audit's shards. Where two have answered the same question, the
    more settled answer is kept.
    """
    first, *others = stores if output is None else (output, *stores)
    if not others:
        msg = "expected two stores, or -o FILE."
        raise click.UsageError(msg)

    from solver.cli.target import require_apart
    from solver.store import Store, merge

    require_apart([first], reads=others)
    for other in (*others, first) if output is None else others:
        with Store(other, read_only=True):  # before anything is written
            pass
    with Store(first) as store:
        for other in others:
            merge(store, Path(other))
        count = store.count()
    tell(f"{first}: {count:,} records")
