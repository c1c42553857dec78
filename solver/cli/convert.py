"""`matesolve convert`: a collection of problems in another format."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

import click

from solver.cli import completion, options
from solver.cli.console import Exit, notify, open_target, prepare_outputs
from solver.cli.help import Command
from solver.cli.progress import PositionProgress
from solver.errors import FormatError, InputError
from solver.formats.registry import WRITABLE, find_writer, format_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from solver.formats.claims import Selection
    from solver.formats.registry import Writer
    from solver.problem import Problem


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  matesolve convert lichess_db_puzzle.csv.zst mates.epd --min-claim 3
  matesolve convert mates.epd mates.inp
  matesolve convert - - --to jsonl < mates.pgn

\b
Exit codes, the first that fits:
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP); nothing is written
   74  reading or writing failed; nothing is written
   65  a record was left out; it cost no other
    0  all was written
""",
)
@click.argument("source", metavar="IN", shell_complete=completion.files)
@click.argument("target", metavar="OUT", shell_complete=completion.files)
@options.reading_format("--from")
@click.option(
    "--to",
    "target_format",
    type=click.Choice(WRITABLE),
    help="Output format. Default: from the name of OUT.",
)
@options.selection
@click.pass_context
def convert(
    ctx: click.Context,
    *,
    source: str,
    target: str,
    source_format: str,
    target_format: str | None,
    selection: Selection,
) -> None:
    """Write a collection of problems in another format.

    IN is in any format that `verify` reads, compressed or not. OUT is written when all
    of IN is read: EPD, FENs, PGN, JSON lines, CSV or Popeye's input as its name ends in
    .epd, .fen, .pgn, .jsonl, .csv or .inp, compressed if .gz stands behind that. - is
    standard input and output.

    A record that cannot be read, or that the other format cannot say, is left out and
    told. Of claims, FENs keep none; Popeye takes mates by the side to move only; EPD
    and PGN do not tell that any last move will do, as lichess has it.
    """
    target_format = target_format or format_of(target)
    if target_format is None:
        msg = f"{target}: the name gives no format; add --to {'|'.join(WRITABLE)}."
        raise click.UsageError(msg)
    prepare_outputs(target, reads=[source], stdout=True)

    from solver.formats.registry import read_collection
    from solver.formats.streams import Meter

    meter = Meter()
    conversion = Conversion(find_writer(target_format))
    records = read_collection(
        source, source_format=source_format, selection=selection, meter=meter
    )
    progress = PositionProgress(lambda: conversion.positions)
    with open_target(target) as file, progress:
        conversion.run(records, file, lambda fault: progress.notify(f"error: {fault}"))
    notify(
        f"{conversion.positions:,} written, {meter.not_selected:,} passed over, "
        f"{conversion.left_out:,} left out"
    )
    ctx.exit(Exit.BAD_INPUT if conversion.left_out else Exit.PROVED)


class Conversion:
    """Writes records one after the other.

    Attributes
    ----------
    positions : int
        Problems written so far.
    left_out : int
        Records that could not be read, or not be written in the format.
    """

    def __init__(self, writer: Writer) -> None:
        self.positions = 0
        self.left_out = 0
        self._writer = writer

    def run(
        self,
        records: Iterable[Problem | FormatError],
        file: BinaryIO,
        refuse: Callable[[FormatError], None],
    ) -> None:
        """Write all of them; nothing, not even a head, where there are none.

        Parameters
        ----------
        records : iterable of Problem or FormatError
            What was read.
        file : BinaryIO
            Where to write, UTF-8.
        refuse : callable
            Told of each record that is left out.
        """
        writer = self._writer
        for record in records:
            text = self._text(record)
            if isinstance(text, FormatError):
                self.left_out += 1
                refuse(text)
                continue
            before = writer.separator if self.positions else writer.head
            file.write((before + text).encode())
            self.positions += 1
        if self.positions:
            file.write(writer.tail.encode())

    def _text(self, record: Problem | FormatError) -> str | FormatError:
        if isinstance(record, FormatError):
            return record
        try:
            return self._writer.write(record)
        except InputError as error:
            return FormatError(record.source, str(error))
