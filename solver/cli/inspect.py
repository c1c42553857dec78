"""`matesolve inspect`: show what is read from a file, without a search."""

from __future__ import annotations

import json
from collections import deque
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

import click

from solver.cli import auditing, options
from solver.cli.console import Exit, echo_json, foremost, notify
from solver.errors import FormatError
from solver.formats.claims import FileSummary
from solver.formats.registry import find_writer, read_collection
from solver.formats.streams import name_of
from solver.position_text import first_moves, write_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.formats.claims import ReadOptions
    from solver.problem import Problem

SHOWN = 3
"""The number of records that are printed."""

FIRST = 1000
"""After this many records, what is understood so far is printed."""


@options.command("""
Exit codes (the first that applies):
   74  a file could not be read
   65  a record is unreadable, or no claim was read from fields that may hold one
    0  every record can be read

Examples:
  matesolve inspect puzzles.json
  matesolve inspect problems.csv --columns fen=Position,claim=N
  matesolve inspect *.pgn --json
""")
@options.files
@auditing.reading("--format")
@options.flag("--json as_json", "Print indented JSON.")
@click.pass_context
def inspect(
    ctx: click.Context,
    *,
    files: tuple[str, ...],
    read_options: ReadOptions,
    as_json: bool,
) -> None:
    """Show what is read from a file, without a search.

    FILE is anything that `verify` reads. What is understood of it is printed in one
    line: the format, the number of records, which field each part of a problem is read
    from, which fields are ignored, and how many records have no claim, a warning or an
    error. The first three records follow as they are read.

    The line about a long file is printed for its first thousand records, and again at
    its end. Use this command first on a file that another program wrote.
    """
    codes = {Exit.PROVED}
    for file in files:
        codes |= _inspect(file, read_options, as_json=as_json)
    ctx.exit(foremost(codes))


def _inspect(file: str, read_options: ReadOptions, *, as_json: bool) -> set[Exit]:
    """Print what is understood of a file; return the exit codes that follow."""
    summary = FileSummary(name_of(file))
    codes: set[Exit] = set()
    records = read_collection(file, read_options, summary)
    first: list[Problem | FormatError] = []
    with _reading(file, codes):
        first += islice(records, FIRST)
    shown, count = first[:SHOWN], summary.records
    if not as_json and first:
        click.echo(summary)
        for record in shown:
            click.echo("\n".join(f"  {line}" for line in _describe(record)))
    try:
        with _reading(file, codes):
            deque(records, 0)
    finally:  # also after an interrupt: what has been read by then
        if not as_json and summary.records > count:
            click.echo(summary)
    if as_json:
        echo_json({**summary.record(), "first": [*map(_record, shown)]}, indent=2)
    if summary.unreadable:
        codes.add(Exit.BAD_INPUT)
    if Exit.IO in codes:
        return codes
    return codes | auditing.report_summary(summary, read_options, is_quiet=True)


@contextmanager
def _reading(file: str, codes: set[Exit]) -> Iterator[None]:
    """Print the error of a file that cannot be read, and add its exit code."""
    try:
        yield
    except OSError as error:
        notify(f"error: {file}: {error.strerror or error}")
        codes.add(Exit.IO)


def _record(record: Problem | FormatError) -> dict[str, object]:
    """Return a record as it was read, as an object of JSON."""
    if isinstance(record, FormatError):
        return {"source": record.source, "error": record.reason}
    fields = json.loads(find_writer("jsonl").write(record))
    return {"source": record.source, **fields, "warnings": [*record.warnings]}


def _describe(record: Problem | FormatError) -> Iterator[str]:
    """Yield lines of text with a record as it was read."""
    if isinstance(record, FormatError):
        yield f"{record.source}: error: {record.reason}"
        return
    yield f"{record.source}: {record.id}"
    yield f"  {record.fen}"
    claim, stipulation = record.claim, record.stipulation.text
    if record.no_mate is not None:
        yield f"  claims no mate in {record.no_mate}"
    elif claim is None:
        yield "  claims nothing"
    else:
        mate = f"{'mate' if claim.mate > 0 else 'mated'} in {abs(claim.mate)}"
        yield f"  claims {stipulation or mate}"
        if claim.solutions is not None:
            yield f"  solutions: {claim.solutions}"
        if claim.keys:
            yield f"  keys: {' '.join(first_moves(record.fen, claim.keys))}"
        if claim.line:
            yield f"  line: {' '.join(write_lines(record.fen, [claim.line])[0])}"
    for warning in record.warnings:
        yield f"  warning: {warning}"
