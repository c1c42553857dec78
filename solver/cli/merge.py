"""`matesolve merge`: several stores into one."""

from __future__ import annotations

from pathlib import Path

import click

from solver.cli import completion, options
from solver.cli.console import notify
from solver.cli.help import Command


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  matesolve merge part1.db part2.db -o all.db
  matesolve merge all.db part3.db

\b
Exit codes:
  74  a store is missing, or no store: none was merged; or reading or writing
      failed: the stores before that one were merged, each as a whole
  0   all were merged
""",
)
@click.argument(
    "stores",
    nargs=-1,
    required=True,
    metavar="RUN.db...",
    shell_complete=completion.files,
)
@options.output(
    "It is the store that all others are added to, and is made where there is none. "
    "Default: the first store.",
    required=False,
)
def merge(*, stores: tuple[str, ...], output: str | None) -> None:
    """Combine several stores into one.

    Such as those of an audit's shards. Where two have answered the same question, the
    more settled answer is kept.
    """
    first, *others = stores if output is None else (output, *stores)
    if not others:
        msg = "expected two stores, or -o FILE."
        raise click.UsageError(msg)

    from solver.audit.store import Store
    from solver.cli.console import require_apart

    require_apart([first], reads=others)
    for other in (*others, first) if output is None else others:
        with Store(other, read_only=True):  # before anything is written
            pass
    with Store(first) as store:
        for other in others:
            store.merge_from(Path(other))
        count = store.count()
    notify(f"{first}: {count:,} records")
