"""`matesolve report` and `export`: use the results of audits."""

from __future__ import annotations

import sys
from itertools import chain, count, islice
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

import click

from solver import errors, files, problem, solution
from solver.audit.results import DUAL, LINE, AuditResult
from solver.audit.store import Store
from solver.cli import auditing, console, options
from solver.formats import claims, registry, streams
from solver.output import audit_text
from solver.stipulations import Soundness, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from solver.pages import collection_page

SQLITE_MAGIC = b"SQLite format 3\0"

HEAD_LINES = 10
"""A file is refused if none of its first lines is a record of an audit."""

MAX_PRINTED = 20
"""At most this many damaged records are printed."""

FORMATS = ("csv", "jsonl", "epd", "parquet")


class Chosen(NamedTuple):
    """Which results are wanted, in the words of the report's lists; None: all.

    Attributes
    ----------
    verdict, soundness, claim : frozenset of str or None
        Their words of the columns verdict and soundness, and their claims by name.
    """

    verdict: frozenset[str] | None
    soundness: frozenset[str] | None
    claim: frozenset[str] | None

    def has(self, result: AuditResult) -> bool:
        """Return whether a result is wanted."""
        return (
            (self.verdict is None or result.word in self.verdict)
            and (
                self.soundness is None
                or not self.soundness.isdisjoint(audit_text.soundness_of(result))
            )
            and (self.claim is None or audit_text.name_claim(result)[1] in self.claim)
        )


def _parse_claims(
    _ctx: click.Context, _param: click.Parameter, value: str | None
) -> frozenset[str] | None:
    """Parse names of claims such as `3,s#2`; a shell takes `#3` for a comment."""
    if value is None:
        return None
    names = [name.strip() for name in value.split(",")]
    return frozenset(
        f"#{name}" if name.removeprefix("-").isdecimal() else name for name in names
    )


chosen = options.gathered(
    "selection",
    Chosen,
    options.option(
        "--verdict",
        "Take only results with these verdicts, such as `refuted,shorter`.",
        type=auditing.WordSet(
            *Verdict, solution.Status.FOUND, solution.Status.DISPROVED
        ),
        metavar="WORDS",
    ),
    options.option(
        "--soundness",
        "Take only results with this soundness, such as `cooked`, or with a fault "
        "of the line: `dual` or `line`.",
        type=auditing.WordSet(*Soundness, DUAL, LINE),
        metavar="WORDS",
    ),
    options.option(
        "--claim",
        "Take only results with these claims, named as in the table of the audit, "
        "such as `3,s#2`; 3 is #3.",
        callback=_parse_claims,
        metavar="NAMES",
    ),
)
"""Adds `--verdict`, `--soundness` and `--claim`, passed as `selection: Chosen`."""


@options.command("""
Exit codes (the first that applies):
   74  a file could not be read or written
   65  a damaged record is listed as unreadable, or left out of a store;
       or FILE has no results of an audit, and no page was written
    0  the page was written

Examples:
  matesolve verify mates.epd --keys --store run.db
  matesolve report run.db -o report.html
  matesolve verify - --jsonl < mates.epd | matesolve report - -o report.html
""")
@click.argument("file", metavar="FILE", type=options.FILE)
@options.output("The page is a single HTML file.")
@options.option("--title", "Title of the page. Default: Audit of FILE.", metavar="TEXT")
@chosen
@options.solver
@click.pass_context
def report(
    ctx: click.Context,
    *,
    file: str,
    output: str,
    title: str | None,
    selection: Chosen,
    solver: bool,
) -> None:
    """Show the results of an audit as a web page.

    FILE is a store written by `verify --store`, or the records printed by
    `verify --jsonl`, which may be compressed; - is standard input.

    The page has totals, a table of the claims, and a list of the records, which you can
    filter, sort, mark and show on a board. It needs no other file and no network.
    """
    console.prepare_outputs(output, reads=console.store_files(file))
    name = PurePath(streams.name_of(file)).name
    page, codes = render_collection(
        file, title=title or f"Audit of {name}", can_solve=solver, chosen=selection.has
    )
    files.write_whole(output, page)
    console.notify(f"{output}: written")
    ctx.exit(console.foremost(codes))


def render_collection(
    path: str,
    *,
    title: str,
    can_solve: bool,
    read_options: claims.ReadOptions | None = None,
    chosen: Callable[[AuditResult], bool] = lambda _result: True,
) -> tuple[bytes, set[console.Exit]]:
    """Return the page of a file, and the exit codes of what cannot be read of it.

    Parameters
    ----------
    path : str
        The results of an audit, or a collection.
    title : str
        The title of the page.
    can_solve : bool
        Whether the page contains the compiled search.
    read_options : ReadOptions, optional
        How to read a collection, of whose records more are listed. Without it, a file
        without results is refused.
    chosen : callable
        Whether the page has a result.

    Raises
    ------
    InputError
        The file has no results of an audit.
    """
    from solver.pages import collection_page, viewer_pages

    console.prepare_kernel()
    damaged = Damaged()
    summary = claims.FileSummary(streams.name_of(path))
    page = collection_page.render_page(
        _records(path, damaged, summary, read_options),
        title=title,
        chosen=chosen,
        modules=console.prepare_modules(viewer_pages.SOLVER_PARTS)
        if can_solve
        else None,
        most_agreeing=collection_page.MAX_ROWS
        if read_options
        else collection_page.MAX_AGREEING,
        on_damaged=lambda message: damaged.add(f"{streams.name_of(path)}: {message}"),
        on_left_out=console.notify,
        skipped=lambda: _skipped(summary, read_options) or damaged.left_out(),
    )
    codes = {damaged.finish()}
    if read_options and summary.title:
        codes |= auditing.report_summary(summary, read_options)
    return page, codes


def _skipped(
    summary: claims.FileSummary, read_options: claims.ReadOptions | None
) -> str:
    """Return what the page leaves out of a collection."""
    if not (read_options and summary.not_selected):
        return ""
    left_out = f"Left out: {summary.not_selected:,}"
    if read_options.selection == claims.EVERYTHING:
        return f"{left_out} without a mate; --all-rows reads them too."
    return f"{left_out} not selected."


class Damaged:
    """Prints the first damaged records of a file, and counts the others."""

    def __init__(self) -> None:
        self._count = 0
        self._left_out = 0

    def leave_out(self, error: errors.FormatError) -> None:
        """Print or count a damaged row of a store, which is left out."""
        self.add(error)
        self._left_out += 1

    def left_out(self) -> str:
        """Return a sentence about the rows that are left out; empty without any."""
        return f"Damaged in the store: {self._left_out:,}." if self._left_out else ""

    def add(self, message: object) -> None:
        """Print or count a damaged record; the message names it and the reason."""
        self._count += 1
        if self._count <= MAX_PRINTED:
            console.notify(f"error: {problem.printable(str(message))}")

    def finish(self) -> console.Exit:
        """Print how many more there were; return BAD_INPUT if there were any."""
        if self._count > MAX_PRINTED:
            console.notify(
                f"error: {self._count - MAX_PRINTED:,} more records are damaged"
            )
        return console.Exit.BAD_INPUT if self._count else console.Exit.PROVED


def _records(
    path: str,
    damaged: Damaged,
    summary: claims.FileSummary,
    read_options: claims.ReadOptions | None,
) -> Iterator[collection_page.Record]:
    """Yield the records of a file, and report each damaged line or row.

    The last two are for a collection; see `registry.read_collection`.

    Raises
    ------
    InputError
        The file has no results of an audit.
    """
    name, expected = streams.name_of(path), "the lines of `verify --jsonl`"
    with streams.open_decompressed(path) as stream:
        is_store = stream.peek(len(SQLITE_MAGIC)).startswith(SQLITE_MAGIC)
        if not is_store:
            numbered = streams.NumberedLines(stream, sys.maxsize)
            lines = ((number, line) for number, line in numbered if line.strip())
            head = list(islice(lines, HEAD_LINES))
            if not head or any(_is_record(line) for _, line in head):
                yield from _parse_lines(chain(head, lines), name, damaged.add)
                return
            if read_options is None:
                number, line = head[0]
                text = errors.quote(line.decode(errors="replace").strip())
                found = f"{text} on line {number}"
                errors.refuse(f"{name}: expected a store or {expected}", found)
    if not is_store:
        assert read_options
        for record in registry.read_collection(path, read_options, summary):
            if isinstance(record, errors.FormatError):
                damaged.add(record)
            yield record
        return
    if path == streams.STDIN:
        errors.refuse(f"{name}: expected {expected}", "a database")

    with Store(path, read_only=True) as store:
        yield from store.results(damaged.leave_out)


def _parse_lines(
    lines: Iterable[tuple[int, bytes]], name: str, report: Callable[[object], None]
) -> Iterator[collection_page.Record]:
    """Yield a record for each line, whatever its length."""
    for number, line in lines:
        record: collection_page.Record
        try:
            record = _parse_record(line)
            if record.keys() == {"summary"}:  # of `verify --summary json`
                continue
        except errors.InputError as error:
            record = errors.FormatError(f"{name}:{number}", str(error))
            report(record)
        yield record


def _is_record(line: bytes) -> bool:
    from solver.output import audit_records

    try:
        audit_records.read_record(_parse_record(line))
    except errors.InputError:
        return False
    return True


def _parse_record(line: bytes) -> Mapping[str, object]:
    from solver.formats import json_records

    try:
        return json_records.object_of(line.decode().strip())
    except UnicodeDecodeError as error:
        return errors.refuse("expected a JSON object", error)


@options.command("""
Exit codes:
  74  the store could not be read, or the file could not be written
  65  a damaged result was left out
   0  all selected results were written

Examples:
  matesolve export run.db -o run.csv
  matesolve export run.db --verdict refuted,shorter -o wrong.jsonl
  matesolve export run.db --soundness cooked --claim 2,3 --to epd -o -
""")
@click.argument("store", metavar="RUN.db", type=options.FILE)
@chosen
@options.output("- is standard output.")
@options.option(
    "--to target_format",
    "Format of the output. Default: by the suffix of FILE.",
    type=click.Choice(FORMATS),
)
@options.escape_formulas
@click.pass_context
def export(
    ctx: click.Context,
    *,
    store: str,
    selection: Chosen,
    output: str,
    target_format: str | None,
    escape_formulas: bool,
) -> None:
    """Write the results in a store as CSV, JSON lines, EPD or Parquet.

    CSV and Parquet have one column for each field, the claims among them. JSON lines
    are the records that `verify --jsonl` prints. EPD has the results in place of the
    claims, so the file is a corrected collection; `convert --correct` corrects a file
    in its own format. If FILE ends in .gz, it is compressed.

    A damaged result is reported and left out. EPD leaves out unreadable records, and
    selfmates and other play by force without a solution, which it cannot express; a
    notice says how many.

    docs/reference/store.md describes the columns, and how to select rows with SQL.
    """
    suffix = PurePath(output.removesuffix(files.GZIPPED)).suffix.removeprefix(".")
    target_format = console.require_format(output, target_format or suffix, FORMATS)
    is_csv = target_format == "csv"
    options.require_csv(is_csv=is_csv, escapes=escape_formulas)

    from solver.formats.rows import FormulaGuard
    from solver.output import audit_records

    console.prepare_outputs(output, reads=console.store_files(store), stdout=True)
    console.prepare_kernel()
    damaged, read = Damaged(), count()
    with Store(store, read_only=True) as opened, console.open_target(output) as file:
        results = filter(selection.has, opened.results(damaged.add))
        counted = (result for result, _ in zip(results, read, strict=False))
        guard = FormulaGuard(file, escapes=escape_formulas)
        target = cast("BinaryIO", guard) if is_csv else file
        written = audit_records.EXPORTS[target_format](counted, target)
    guard.report(console.notify)
    console.notify(f"{written:,} written")
    if left_out := next(read) - written:
        console.notify(
            f"{left_out:,} left out, which {target_format.upper()} cannot express"
        )
    ctx.exit(damaged.finish())
