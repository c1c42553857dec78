"""`matesolve report`: show the results of an audit as a web page."""

from __future__ import annotations

import json
import sys
from itertools import chain, islice
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from solver.cli import options
from solver.cli.console import Exit, foremost, notify
from solver.cli.help import Command
from solver.errors import FormatError, InputError, quote
from solver.formats.streams import STDIN, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from io import BufferedReader

    from solver.audit.result import AuditResult

SQLITE_MAGIC = b"SQLite format 3\0"

HEAD_LINES = 10
"""A file is refused if none of its first lines is a record of an audit."""


@click.command(
    cls=Command,
    epilog="""\b
Exit codes, the first that applies:
   74  a file could not be read or written
   65  a record was damaged and is listed as unreadable; or FILE has no results
       of an audit, and no page was written
    0  the page was written

\b
Examples:
  matesolve verify mates.epd --keys --store run.db
  matesolve report run.db -o report.html
  matesolve verify - --jsonl < mates.epd | matesolve report - -o report.html
""",
)
@click.argument("file", metavar="FILE", type=options.FILE)
@options.output("The page is a single HTML file.")
@click.option(
    "--title", metavar="TEXT", help="Title of the page. Default: Audit of FILE."
)
@click.pass_context
def report(ctx: click.Context, *, file: str, output: str, title: str | None) -> None:
    """Show the results of an audit as a web page.

    FILE is a store written by `verify --store`, or the records printed by
    `verify --jsonl`, which may be compressed; - is standard input.

    The page has totals, charts by claim, and a list of the disagreements with diagrams
    and lines, which can be filtered. It needs no other file and no network.
    """
    from solver.cli.console import prepare_outputs, store_files
    from solver.output.audit_page.page import write_page

    prepare_outputs(output, reads=store_files(file))
    codes = {Exit.PROVED}

    def report_damaged(message: str) -> None:
        notify(f"error: {name_of(file)}: {message}")
        codes.add(Exit.BAD_INPUT)

    write_page(
        _records(file, codes),
        output,
        title=title or f"Audit of {PurePath(name_of(file)).name}",
        on_damaged=report_damaged,
    )
    ctx.exit(foremost(codes))


def _records(
    path: str, codes: set[Exit]
) -> Iterator[AuditResult | Mapping[str, object]]:
    """Yield the results of an audit; a damaged line adds BAD_INPUT to `codes`.

    Raises
    ------
    InputError
        The file has no results of an audit.
    """
    from solver.formats.streams import open_decompressed

    name = name_of(path)
    with open_decompressed(path) as stream:
        if not stream.peek(len(SQLITE_MAGIC)).startswith(SQLITE_MAGIC):
            yield from _parse_lines(stream, name, codes)
            return
    if path == STDIN:
        msg = f"{name}: expected the lines of `verify --jsonl`, found a database"
        raise InputError(msg)
    from solver.audit.store import Store

    with Store(path, read_only=True) as store:
        yield from store.results()


def _parse_lines(
    stream: BufferedReader, name: str, codes: set[Exit]
) -> Iterator[Mapping[str, object]]:
    """Yield a record for each line, whatever its length."""
    from solver.formats.streams import NumberedLines
    from solver.output.audit_records import unreadable_record

    numbered = NumberedLines(stream, sys.maxsize)
    lines = ((number, line) for number, line in numbered if line.strip())
    head = list(islice(lines, HEAD_LINES))
    _require_audit(head, name)
    for number, line in chain(head, lines):
        record = _parse_record(line, f"{name}:{number}")
        if isinstance(record, FormatError):
            notify(f"error: {record}")
            codes.add(Exit.BAD_INPUT)
            record = unreadable_record(record)
        yield record


def _require_audit(head: Sequence[tuple[int, bytes]], name: str) -> None:
    """Refuse a file whose first lines have no record; an empty file is accepted.

    Raises
    ------
    InputError
        The message says what the first line is.
    """
    if not head or any(_is_record(line) for _, line in head):
        return
    found = quote(head[0][1].decode(errors="replace").strip())
    msg = (
        f"{name}: expected a store or the lines of `verify --jsonl`, "
        f"found {found} on line {head[0][0]}"
    )
    raise InputError(msg)


def _is_record(line: bytes) -> bool:
    from solver.output.audit_records import read_record

    record = _parse_record(line, "")
    if isinstance(record, FormatError):
        return False
    try:
        read_record(record)
    except InputError:
        return False
    return True


def _parse_record(line: bytes, source: str) -> Mapping[str, object] | FormatError:
    try:
        text = line.decode()
        record = json.loads(text)
    except (
        ValueError,
        RecursionError,
    ) as error:  # not UTF-8, not JSON, or nested too deeply
        return FormatError(source, f"expected a JSON object, found {error}")
    if not isinstance(record, dict):
        return FormatError(
            source, f"expected a JSON object, found {quote(text.strip())}"
        )
    return record
