"""`matesolve export`: write the results in a store for other programs."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from solver.cli import options
from solver.cli.console import notify, require_pyarrow
from solver.cli.help import Command
from solver.files import GZIPPED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.audit.result import AuditResult
    from solver.audit.store import Store

FORMATS = ("csv", "jsonl", "epd", "parquet")


@click.command(
    cls=Command,
    epilog="""\b
Exit codes:
  2   --where is not an SQL expression
  74  the store could not be read, or the file could not be written
  0   all selected results were written

\b
Examples:
  matesolve export run.db -o run.csv
  matesolve export run.db --where "verdict = 'refuted' AND claim > 3" -o wrong.jsonl
  matesolve export run.db --where "soundness = 'cooked'" --to epd -o -
""",
)
@click.argument("store", metavar="RUN.db", type=options.FILE)
@click.option(
    "--where",
    metavar="SQL",
    help="Write only results that match an SQL expression over their columns.",
)
@options.output("- is standard output.")
@click.option(
    "--to",
    "target_format",
    type=click.Choice(FORMATS),
    help="Format of the output. Default: by the suffix of FILE.",
)
def export(
    *, store: str, where: str | None, output: str, target_format: str | None
) -> None:
    """Write the results in a store as CSV, JSON lines, EPD or Parquet.

    CSV and Parquet have one column for each field. JSON lines are the records that
    `verify --jsonl` prints. EPD has what was found in place of the claims, so the file
    is a corrected collection. If FILE ends in .gz, it is compressed.

    docs/reference/store.md describes the columns.
    """
    suffix = PurePath(output.removesuffix(GZIPPED)).suffix.removeprefix(".")
    target_format = target_format or suffix
    if target_format not in FORMATS:
        choices = ", ".join(FORMATS)
        msg = f"{output}: unknown suffix; choose a format with --to: {choices}."
        raise click.UsageError(msg)

    if target_format == "parquet":
        require_pyarrow()

    from solver.audit.store import Store
    from solver.cli.console import open_target, prepare_outputs, store_files
    from solver.output.audit_records import EXPORTS

    prepare_outputs(output, reads=store_files(store), stdout=True)
    with Store(store, read_only=True) as opened:
        results = _start(opened, where)
        with open_target(output) as file:
            count = EXPORTS[target_format](results, file)
    notify(f"{count:,} written")


def _start(store: Store, where: str | None) -> Iterator[AuditResult]:
    """Run the query before the file is created: SQLite may refuse it."""
    from itertools import chain, islice

    results = store.results(where)
    return chain(list(islice(results, 1)), results)
