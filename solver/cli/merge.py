"""`matesolve merge`: combine several stores into one."""

from __future__ import annotations

from pathlib import Path

import click

from solver.cli import options
from solver.cli.console import notify
from solver.cli.help import Command


@click.command(
    cls=Command,
    epilog="""\b
Exit codes:
  74  a file is missing or is not a store, and nothing was merged; or reading
      or writing failed, and the stores before that one were merged completely
  0   all stores were merged

\b
Examples:
  matesolve merge part1.db part2.db -o all.db
  matesolve merge all.db part3.db
""",
)
@click.argument(
    "stores",
    nargs=-1,
    required=True,
    metavar="RUN.db...",
    type=options.FILE,
)
@options.output(
    "All stores are added to it; it is created if it does not exist. Default: the "
    "first store.",
    required=False,
)
def merge(*, stores: tuple[str, ...], output: str | None) -> None:
    """Combine several stores into one.

    Use it after `verify --shard`. If two stores have an answer to the same question,
    the better one is kept: proved or disproved before found before undecided.
    """
    first, *others = stores if output is None else (output, *stores)
    if not others:
        msg = "expected at least two stores, or -o FILE."
        raise click.UsageError(msg)

    from solver.audit.store import Store
    from solver.cli.console import require_apart

    require_apart([first], reads=others)
    for other in (*others, first) if output is None else others:
        with Store(other, read_only=True):  # check all before anything is written
            pass
    with Store(first) as store:
        for other in others:
            store.merge_from(Path(other))
        count = store.count()
    notify(f"{first}: {count:,} records")
