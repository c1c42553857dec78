"""`matesolve mip`: build and inspect material-imbalance tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli import completion, options
from solver.cli.console import Exit, foremost, notify
from solver.cli.help import Group
from solver.cli.progress import PositionProgress
from solver.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from solver.laboratory.imbalance import ImbalanceTable
    from solver.laboratory.material import Material


# Counts files into a material-imbalance table, and writes it.

PARTIAL = ".partial"
"""Ends the name of a table whose files were not all read."""


class TableBuilder:
    """Adds the positions of files to a table.

    Attributes
    ----------
    table : ImbalanceTable
    positions : int
        Read so far, those out of range included.
    codes : set of Exit
        What went wrong.
    """

    def __init__(self, table: ImbalanceTable) -> None:
        self.table = table
        self.positions = 0
        self.codes = {Exit.PROVED}
        self._unfinished = 0

    def count(self, files: Iterable[str], skip_plies: int) -> None:
        """Read one file after the other, until Ctrl-C; a fault costs itself only."""
        try:
            with PositionProgress(lambda: self.positions) as progress:
                for file in files:
                    self._count_file(file, skip_plies, progress.notify)
        except KeyboardInterrupt:
            self.codes.add(Exit.INTERRUPTED)

    def _count_file(
        self, file: str, skip_plies: int, notify_above: Callable[[str], None]
    ) -> None:
        from solver.laboratory.games import GamePosition, read_results
        from solver.laboratory.material import find_cell

        try:
            for record in read_results(file, skip_plies=skip_plies):
                if isinstance(record, GamePosition):
                    self.table.add(find_cell(record.material), record.result)
                    self.positions += 1
                elif isinstance(record, FormatError):
                    notify_above(f"error: {record}")
                    self.codes.add(Exit.BAD_INPUT)
                else:
                    self._unfinished += 1
        except OSError as error:
            notify_above(f"error: {file}: {error.strerror or error}")
            self.codes.add(Exit.IO)

    def write(self, output: str) -> None:
        """Write the table and sum it up; beside its place if not all was read."""
        from solver.laboratory.material import CELLS
        from solver.laboratory.records import counted

        coverage = self.table.coverage()
        if self.codes.isdisjoint({Exit.INTERRUPTED, Exit.IO}):
            self.table.save(output)
        else:
            why = (
                "interrupted" if Exit.INTERRUPTED in self.codes else "not all was read"
            )
            if not coverage.positions:
                notify(f"{why}: nothing was counted")
                return
            output += PARTIAL
            self.table.save(output)
            notify(f"{why}: what was counted is in {output}")
        click.echo(
            f"{output}: {counted(coverage.positions, 'position')} "
            f"in {coverage.filled:,} of {CELLS:,} cells"
        )
        if coverage.ignored:
            click.echo(f"{counted(coverage.ignored, 'position')} out of range")
        if self._unfinished:
            click.echo(f"{counted(self._unfinished, 'record')} without a result")


def source_of(files: Iterable[str]) -> str:
    """Name files in one line that a table can keep."""
    from solver.laboratory.imbalance import MAX_SOURCE_BYTES

    names = ", ".join(Path(file).name for file in files)
    shown = "".join(letter if letter.isprintable() else "?" for letter in names)
    return shown.encode()[:MAX_SOURCE_BYTES].decode(errors="ignore")


MOST_FREQUENT = 10
"""How many cells `info` lists."""

DEFAULT_PLAY_DEPTH = 4
DEEPEST_PLAY = 12


@click.group(
    cls=Group,
    epilog="""\b
Examples:
  matesolve mip build games.pgn.zst quiet.epd -o mine.mip
  matesolve mip show KRPvKR
  matesolve mip info mine.mip
  matesolve mip play --games 100 | matesolve mip build - -o own.mip
""",
)
def mip() -> None:
    """Build and inspect material-imbalance tables.

    A table has a cell for each number of men that two sides can have (at most one
    queen, two rooks, two bishops, two knights and eight pawns each, 236,196 cells),
    and in it how many positions came from games that White won, drew and lost.
    """


@mip.command(
    epilog="""\b
Examples:
  matesolve mip build games.pgn.zst quiet.epd -o mine.mip
  matesolve mip build new.pgn --merge mine.mip -o mine.mip
  zcat *.epd.gz | matesolve mip build - -o mine.mip

\b
Exit codes, the first that fits:
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP); what was counted is kept
   74  a file could not be read; the others were
   65  a record was unreadable; it cost no other
    0  all was counted
"""
)
@click.argument("files", nargs=-1, metavar="[FILE]...", shell_complete=completion.files)
@options.output("It is replaced when all has been read.")
@click.option(
    "--merge",
    "merged",
    multiple=True,
    metavar="TABLE",
    shell_complete=completion.files,
    help="Add the counts of a table; may be given several times.",
)
@click.option(
    "--skip-plies",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="K",
    help="Leave out the first K positions of each game in PGN.",
)
@click.option(
    "--source",
    metavar="TEXT",
    help="What the counts come from, kept in the table (default: the files' names).",
)
@click.pass_context
def build(
    ctx: click.Context,
    *,
    files: tuple[str, ...],
    output: str,
    merged: tuple[str, ...],
    skip_plies: int,
    source: str | None,
) -> None:
    """Count the positions of games into a table.

    FILE is PGN, of which all positions of the main line count, or lists FENs or EPD
    records with results, White's, such as `c9 "1-0";`, `[0.5]` or `| score | 1.0`; it
    may be compressed by gzip, bzip2, xz or Zstandard; - is standard input. A file that
    is in the table's place is replaced when all has been read.
    """
    if not files and not merged:
        msg = "nothing to count: expected a FILE or --merge TABLE."
        raise click.UsageError(msg)

    from solver.cli.console import prepare_outputs, require_apart
    from solver.laboratory.imbalance import ImbalanceTable

    prepare_outputs(output, reads=files)
    require_apart([output + PARTIAL], reads=(*files, *merged))
    builder = TableBuilder(ImbalanceTable(source or source_of(merged + files)))
    for table in merged:
        builder.table.merge(ImbalanceTable.load(table))
    builder.count(files, skip_plies)
    builder.write(output)
    ctx.exit(foremost(builder.codes))


@mip.command(
    epilog="""\b
Examples:
  matesolve mip show KRPvKR
  matesolve mip show 8/7K/8/8/8/8/R7/7k w - - 0 1 --table mine.mip
"""
)
@click.argument("what", nargs=-1, required=True, metavar="MATERIAL | FEN...")
@options.renamed(
    "--mip-table",
    "table",
    old="--table",
    metavar="TABLE",
    shell_complete=completion.files,
    help="Look into this material table. Default: the one that comes along.",
)
@options.json_record
def show(what: tuple[str, ...], *, table: str | None, as_json: bool) -> None:
    """Tell what a table holds for a material.

    MATERIAL names the men, White's first: KRPvKR. A FEN will do as well, with or
    without quotes.
    """
    from solver.laboratory.records import cell_record, describe_cell

    material = _read_material(" ".join(what))
    loaded = _load(table)
    if as_json:
        click.echo(json.dumps(cell_record(loaded, material), indent=2))
    else:
        click.echo("\n".join(describe_cell(loaded, material)))


@mip.command(
    epilog="""\b
Examples:
  matesolve mip info
  matesolve mip info mine.mip --json
"""
)
@click.argument(
    "table", required=False, metavar="[TABLE]", shell_complete=completion.files
)
@options.json_record
def info(table: str | None, *, as_json: bool) -> None:
    """Tell what a table holds in all.

    TABLE is a file (default: the one that comes with the program).
    """
    from solver.laboratory.records import describe_table, table_record

    loaded = _load(table)
    if as_json:
        click.echo(json.dumps(table_record(loaded, MOST_FREQUENT), indent=2))
    else:
        click.echo("\n".join(describe_table(loaded, MOST_FREQUENT)))


@mip.command(
    epilog="""\b
Examples:
  matesolve mip play --games 100 > games.pgn
  matesolve mip play --games 10000 | matesolve mip build - -o own.mip
"""
)
@click.option(
    "--games",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    metavar="N",
    help="How many games to play.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    metavar="S",
    help="The same seed gives the same games.",
)
@options.renamed(
    "--first-game",
    "first",
    old="--first",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="K",
    help="Begin with the seed's game K, to go on or to share the work.",
)
@click.option(
    "-d",
    "--depth",
    type=options.whole(DEEPEST_PLAY),
    default=DEFAULT_PLAY_DEPTH,
    show_default=True,
    metavar="D",
    help="Search D plies deep.",
)
@click.pass_context
def play(ctx: click.Context, *, games: int, seed: int, first: int, depth: int) -> None:
    """Let the scored search play games against itself, and print them as PGN.

    A game begins with 8 random moves; one that is not over after 400 has the result *.
    """
    from solver.cli.console import prepare_kernel
    from solver.cli.signals import interruptible
    from solver.laboratory.selfplay import Rules
    from solver.laboratory.selfplay import play as play_games
    from solver.search.threads import Control, run_stoppable

    prepare_kernel()
    control = Control()
    played = play_games(games, seed, Rules(depth), first=first, control=control)
    with interruptible(control):
        while game := run_stoppable(lambda: next(played, None), control):
            click.echo(f"{game}\n")
    if control.reason:
        notify("interrupted")
        ctx.exit(Exit.INTERRUPTED)


def _load(path: str | None) -> ImbalanceTable:
    from solver.laboratory.imbalance import ImbalanceTable, shipped

    return shipped() if path is None else ImbalanceTable.load(path)


def _read_material(text: str) -> Material:
    from solver.formats.fen import parse_fen
    from solver.laboratory.material import count_pieces, parse_material

    return count_pieces(parse_fen(text)) if "/" in text else parse_material(text)
