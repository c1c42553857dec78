"""`matesolve report`: an audit as one page for a browser."""

from __future__ import annotations

import json
import sys
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from solver.cli.exits import Exit, foremost
from solver.cli.streams import tell
from solver.errors import FormatError
from solver.formats.wording import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from io import BufferedReader

SQLITE_MAGIC = b"SQLite format 3\0"


@click.command(
    epilog="""\b
Examples:
  matesolve verify mates.epd --keys --store run.db
  matesolve report run.db -o report.html
  matesolve verify - --jsonl < mates.epd | matesolve report - -o report.html

\b
Exit codes, the first that fits:
   74  a file could not be read or written
   65  a record was damaged; the page lists it as unreadable
    0  the page is written
"""
)
@click.argument("file", metavar="FILE")
@click.option(
    "-o", "--output", required=True, metavar="PAGE", help="Write the page to PAGE."
)
@click.option("--title", metavar="TEXT", help="What to call the page, if not FILE.")
@click.pass_context
def report(ctx: click.Context, *, file: str, output: str, title: str | None) -> None:
    """Write an audit as one page for a browser.

    FILE is a store of `verify --store`, or holds the records that `verify --jsonl`
    printed, compressed or not; - is standard input.

    The page has totals, charts by claim, and a list of what disagrees, with diagrams
    and lines, which can be filtered. It needs no other file and no network.
    """
    from solver.reports.html.page import write_page
    from solver.whole_file import require_writable

    require_writable(output)
    codes = {Exit.PROVED}
    name = "stdin" if file == "-" else PurePath(file).name
    write_page(_records(file, codes), output, title=title or f"Audit of {name}")
    ctx.exit(foremost(codes))


def _records(path: str, codes: set[Exit]) -> Iterator[Mapping[str, object]]:
    """Read the records of an audit; BAD_INPUT is added for one that is damaged."""
    from solver.formats.compressed import open_decompressed

    with open_decompressed(path) as stream:
        if not stream.peek(len(SQLITE_MAGIC)).startswith(SQLITE_MAGIC):
            name = "stdin" if path == "-" else path
            yield from _parse_lines(stream, name, codes)
            return
    from solver.reports.audit_record import finding_record
    from solver.store import Store

    with Store(path, read_only=True) as store:
        yield from map(finding_record, store.findings())


def _parse_lines(
    stream: BufferedReader, name: str, codes: set[Exit]
) -> Iterator[Mapping[str, object]]:
    """Read a record a line, however long."""
    from solver.formats.numbered_lines import NumberedLines
    from solver.reports.record import unreadable_record

    for number, line in NumberedLines(stream, sys.maxsize):
        if not line.strip():
            continue
        record = _parse_record(line, f"{name}:{number}")
        if isinstance(record, FormatError):
            tell(f"error: {record}")
            codes.add(Exit.BAD_INPUT)
            record = unreadable_record(record)
        yield record


def _parse_record(line: bytes, source: str) -> Mapping[str, object] | FormatError:
    try:
        text = line.decode()
        record = json.loads(text)
    except (ValueError, RecursionError) as error:  # no UTF-8, no JSON, or too deep
        return FormatError(source, f"expected a JSON object, found {error}")
    if not isinstance(record, dict):
        return FormatError(
            source, f"expected a JSON object, found {quote(text.strip())}"
        )
    return record
