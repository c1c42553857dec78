"""`matesolve convert`: write a collection of problems in another format."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from solver.cli import auditing, options
from solver.cli.console import (
    Exit,
    foremost,
    notify,
    open_target,
    prepare_outputs,
    require_format,
)
from solver.cli.progress import TimedProgress
from solver.errors import FormatError, InputError
from solver.formats.claims import FileSummary
from solver.formats.registry import (
    WRITABLE,
    find_writer,
    format_of,
    read_collection,
)
from solver.formats.streams import STDIN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from solver.audit.corrections import Corrected
    from solver.audit.result import AuditResult
    from solver.formats.claims import ReadOptions
    from solver.problem import Problem


@options.command("""
Exit codes (the first that applies):
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP); nothing is written
   74  reading or writing failed; nothing is written
   65  some records were skipped
    1  with --correct: some claims could not be corrected
    0  everything was written

Examples:
  matesolve convert lichess_db_puzzle.csv.zst mates.epd --min-claim 3
  matesolve convert mates.epd mates.inp
  matesolve convert - - --to jsonl < mates.pgn
  matesolve convert mates.csv corrected.csv --correct run.db
""")
@click.argument("source", metavar="IN", type=options.FILE)
@click.argument("target", metavar="OUT", type=options.FILE)
@auditing.reading("--from")
@click.option(
    "--to",
    "target_format",
    type=click.Choice(WRITABLE),
    help="Format of the output. Default: by the suffix of OUT.",
)
@click.option(
    "--correct",
    "store_path",
    metavar="RUN.db",
    type=options.FILE,
    help="Write IN in its own format, with the mates that an audit with --store RUN.db "
    "proved in place of wrong claims.",
)
@click.pass_context
def convert(
    ctx: click.Context,
    *,
    source: str,
    target: str,
    read_options: ReadOptions,
    target_format: str | None,
    store_path: str | None,
) -> None:
    """Write a collection of problems in another format.

    IN may be in any format that `verify` reads, compressed or not. The suffix of OUT
    selects its format: .epd, .fen, .pgn, .jsonl, .csv, .parquet, or .inp for Popeye;
    add .gz to compress it. OUT is replaced only when all of IN has been read; until
    then a hidden file beside it has the suffix .part1. If the command is killed, the
    next one that writes OUT deletes that file. - is standard input or output.

    A record that cannot be parsed, or that the output format cannot express, is
    reported and skipped. FENs keep no claims. Popeye's input cannot express that the
    side to move is mated, or how many solutions a help problem has. EPD and PGN do not
    record that any mate on the last move counts, as in lichess puzzles.

    With --correct, IN is CSV, JSON lines, EPD or PGN. Lengths, keys and lines that are
    wrong are replaced; every other byte stays. Records that cannot be corrected keep
    their text and are named, except those that an editor accepts.
    """
    if store_path is not None:
        ctx.exit(correct(source, target, store_path, read_options, target_format))
    asked = target_format or format_of(target)
    target_format = require_format(target, asked, WRITABLE)
    prepare_outputs(target, reads=[source], stdout=True)

    summary, writer = FileSummary(), find_writer(target_format)
    conversion = Conversion(writer.write, TimedProgress())
    records = read_collection(source, read_options, summary)
    with open_target(target) as file, conversion.progress:
        writer.save(conversion.rows(records), file)
    notify(
        f"{conversion.progress.done:,} written, {summary.not_selected:,} not selected, "
        f"{conversion.skipped:,} skipped"
    )
    codes = auditing.report_summary(summary, read_options)
    if conversion.skipped:
        codes.add(Exit.BAD_INPUT)
    ctx.exit(foremost(codes | {Exit.PROVED}))


def correct(
    source: str,
    target: str,
    store_path: str,
    read_options: ReadOptions,
    target_format: str | None,
) -> Exit:
    """Write a collection with the claims that an audit proved; see `convert`.

    Raises
    ------
    UsageError
        It is standard input, which cannot be read twice, or another format is wanted.
    """
    from solver.audit.corrections import corrected_lines
    from solver.audit.store import Store
    from solver.cli.console import store_files
    from solver.output.audit_text import disagreement

    formats = {format_of(source), format_of(target)} - {None}
    if source == STDIN or target_format is not None or len(formats) > 1:
        msg = "--correct needs the name of a file, and keeps its format."
        raise click.UsageError(msg)
    prepare_outputs(target, reads=[source, *store_files(store_path)], stdout=True)
    counts = Counter[bool]()

    def report(result: AuditResult, corrected: Corrected) -> None:
        counts[not corrected.left] += 1
        if corrected.left:
            left = ", ".join(corrected.left)
            what, *_ = (disagreement(result) or "").splitlines()
            notify(f"not corrected ({left}): {what}")

    with Store(store_path, read_only=True) as store, open_target(target) as file:
        results = store.results()
        file.writelines(corrected_lines(source, read_options, results, report))
    notify(f"{counts[True]:,} corrected, {counts[False]:,} not corrected")
    return Exit.NEGATIVE if counts[False] else Exit.PROVED


@dataclass
class Conversion:
    """Writes records in another format, and counts them.

    Attributes
    ----------
    write : callable
        Writes one problem.
    progress : TimedProgress
        Counts what is written, and prints why a record is skipped.
    skipped : int
        Records that could not be parsed, or not expressed in the output format.
    """

    write: Callable[[Problem], object]
    progress: TimedProgress
    skipped: int = 0

    def rows(self, records: Iterable[Problem | FormatError]) -> Iterator[object]:
        """Yield the text of each record; report the records that are skipped."""
        for record in records:
            row: object = record
            if not isinstance(record, FormatError):
                try:
                    row = self.write(record)
                except InputError as error:
                    row = FormatError(record.source, str(error))
            if isinstance(row, FormatError):
                self.skipped += 1
                self.progress.notify(f"error: {row}")
            else:
                self.progress.done += 1
                yield row
