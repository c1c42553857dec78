"""`matesolve export`: what a store holds, for other programs."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from solver.cli import completion, options
from solver.cli.console import notify
from solver.cli.help import Command
from solver.errors import missing_package
from solver.files import GZIPPED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.audit.result import AuditResult
    from solver.audit.store import Store

FORMATS = ("csv", "jsonl", "epd", "parquet")


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  matesolve export run.db -o run.csv
  matesolve export run.db --where "verdict = 'refuted' AND claim > 3" -o wrong.jsonl
  matesolve export run.db --where "soundness = 'cooked'" --to epd -o -

\b
Exit codes:
  2   the --where is no SQL expression
  74  the store cannot be read, or the file not be written
  0   all was written
""",
)
@click.argument("store", metavar="RUN.db", shell_complete=completion.files)
@click.option(
    "--where",
    default="",
    metavar="SQL",
    help="Which findings: an expression over the columns of `results`.",
)
@options.output("- is standard output.")
@click.option(
    "--to",
    "target_format",
    type=click.Choice(FORMATS),
    help="Format of the output. Default: by the suffix of FILE.",
)
def export(*, store: str, where: str, output: str, target_format: str | None) -> None:
    """Write the results in a store as CSV, JSON lines, EPD or Parquet.

    CSV and Parquet have a column for each field, JSON lines are the records that
    `verify --jsonl` prints. EPD has what was found in the place of what was claimed,
    and can be audited again. A name that ends in .gz asks for compression.

    The columns are described in docs/reference/store.md.
    """
    suffix = PurePath(output.removesuffix(GZIPPED)).suffix.removeprefix(".")
    target_format = target_format or suffix
    if target_format not in FORMATS:
        msg = f"{output}: its name tells no format: say --to {'|'.join(FORMATS)}."
        raise click.UsageError(msg)

    if target_format == "parquet" and find_spec("pyarrow") is None:
        raise click.UsageError(missing_package("Parquet", "pyarrow"))

    from solver.audit.store import Store
    from solver.cli.console import open_target, prepare_outputs, store_files
    from solver.output.records import EXPORTS

    prepare_outputs(output, reads=store_files(store), stdout=True)
    with Store(store, read_only=True) as opened:
        results = _begun(opened, where)
        with open_target(output) as file:
            count = EXPORTS[target_format](results, file)
    notify(f"{count:,} written")


def _begun(store: Store, where: str) -> Iterator[AuditResult]:
    """Ask the store before a file is begun, since the question may be refused."""
    from itertools import chain, islice

    results = store.results(where)
    return chain(list(islice(results, 1)), results)
