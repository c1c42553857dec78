"""`matesolve mip`: build and inspect material-imbalance tables.

The subcommands count games into a table (`build`), print one cell (`show`), describe a
table (`info`), and play the games that the shipped table is built from (`play`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli import experiment_options, options
from solver.cli.console import Exit, echo_json, foremost, notify
from solver.cli.help_pages import Group
from solver.cli.progress import TimedProgress
from solver.errors import FormatError
from solver.problem import MAX_NODES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solver.laboratory.imbalance import ImbalanceTable, Material


MOST_FREQUENT = 10
"""How many cells `info` lists."""

PARTIAL = ".partial"
"""The suffix of a table's file if not all input was read."""

DEFAULT_PLAY_DEPTH = 4
DEEPEST_PLAY = 12


@click.group(
    cls=Group,
    epilog="""\b
Examples:
  matesolve mip build games.pgn.zst quiet.epd -o mine.npz
  matesolve mip show KRPvKR
  matesolve mip info mine.npz
  matesolve mip play --games 100 | matesolve mip build - -o own.npz
""",
)
def mip() -> None:
    """Build and inspect material-imbalance tables.

    For each combination of pieces, such a table counts positions from games that White
    won, drew and lost. `matesolve table --mip` uses it. It has 236,196 cells: each side
    has up to one queen, two rooks, two bishops, two knights and eight pawns.
    """


@mip.command(
    epilog="""
Exit codes (the first that applies):
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP); the counts so far are kept
   74  a file could not be read; the others were counted
   65  a record could not be read; it was skipped
    0  everything was counted

Examples:
  matesolve mip build games.pgn.zst quiet.epd -o mine.npz
  matesolve mip build new.pgn --merge mine.npz -o mine.npz
  zcat *.epd.gz | matesolve mip build - -o mine.npz
"""
)
@click.argument("files", nargs=-1, metavar="[FILE]...", type=options.FILE)
@options.output("An existing table is replaced once all input is read.")
@click.option(
    "--merge",
    "merged",
    multiple=True,
    metavar="TABLE",
    type=options.FILE,
    help="Add the counts of this table. Can be repeated.",
)
@options.number(
    "--skip-plies",
    MAX_NODES,
    "K",
    "Skip the first K positions of each game in PGN.",
    least=0,
    default=0,
)
@click.option(
    "--source",
    metavar="TEXT",
    help="Record where the counts come from. Default: the names of the files.",
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
    """Build a material-imbalance table from positions of games.

    FILE is PGN (every position of the main line counts), or a list of FENs or EPD
    records, each with White's result, such as `c9 "1-0";`, `[0.5]` or `| score | 1.0`.
    It may be compressed with gzip, bzip2, xz or Zstandard; - is standard input.

    Unreadable records are reported and skipped. After an interrupt, or if a file
    cannot be read, the counts so far are written to a file with the suffix .partial.
    """
    if not files and not merged:
        msg = "expected a FILE or --merge TABLE, found neither."
        raise click.UsageError(msg)

    from solver.cli.console import prepare_outputs, require_apart
    from solver.laboratory.imbalance import ImbalanceTable

    prepare_outputs(output, reads=files)
    require_apart([output + PARTIAL], reads=(*files, *merged))
    builder = TableBuilder(ImbalanceTable(source or source_of(merged + files)))
    for other in merged:
        builder.imbalance.merge(ImbalanceTable.load(other))
    builder.count(files, skip_plies)
    builder.write(output)
    ctx.exit(foremost(builder.codes))


@mip.command(
    epilog="""
Examples:
  matesolve mip show KRPvKR
  matesolve mip show 8/7K/8/8/8/8/R7/7k w - - 0 1 --mip-table mine.npz
"""
)
@click.argument("what", nargs=-1, required=True, metavar="MATERIAL | FEN...")
@experiment_options.mip_table
@options.json_record
def show(what: tuple[str, ...], *, mip_table: str | None, as_json: bool) -> None:
    """Show the results of games with a given material.

    MATERIAL names the pieces, White's first: KRPvKR. With a FEN, the material of the
    position is shown; quotes are optional.
    """
    from solver.laboratory.imbalance import cell_record, describe_cell

    material = _read_material(" ".join(what))
    record = cell_record(_load(mip_table), material)
    if as_json:
        echo_json(record, 2)
    else:
        click.echo("\n".join(describe_cell(record)))


@mip.command(
    epilog="""
Examples:
  matesolve mip info
  matesolve mip info mine.npz --json
"""
)
@click.argument(
    "mip_table",
    required=False,
    metavar="[TABLE]",
    type=options.FILE,
)
@options.json_record
def info(mip_table: str | None, *, as_json: bool) -> None:
    """Show the size, source and checksum of a table.

    The materials with the most positions are listed as well. TABLE is a file. Default:
    the table shipped with matesolve.
    """
    from solver.laboratory.imbalance import (
        describe_imbalance,
        imbalance_record,
    )

    record = imbalance_record(_load(mip_table), MOST_FREQUENT)
    if as_json:
        echo_json(record, 2)
    else:
        click.echo("\n".join(describe_imbalance(record)))


@mip.command(
    epilog="""
Examples:
  matesolve mip play --games 100 > games.pgn
  matesolve mip play --games 10000 | matesolve mip build - -o own.npz
"""
)
@options.number("--games", MAX_NODES, "N", "Number of games.", default=100)
@experiment_options.seed
@options.number(
    "--first-game first",
    MAX_NODES,
    "K",
    "Begin with game K of this seed, to continue or split a run.",
    default=1,
)
@experiment_options.depth("", DEEPEST_PLAY, DEFAULT_PLAY_DEPTH)
@options.jobs()
@click.pass_context
def play(
    ctx: click.Context,
    *,
    games: int,
    seed: int,
    first: int,
    depth: int,
    jobs: int | None,
) -> None:
    """Let the engine play against itself, and print the games as PGN.

    The engine uses the search of `matesolve table`. Each game begins with 8 random
    plies. A game that is not over after 400 plies gets the result *.
    """
    from solver.cli.console import prepare_laboratory
    from solver.cli.signals import interruptible
    from solver.laboratory.player import Rules, SelfPlay, play_games
    from solver.search.threads import GroupControl, usable_cores

    prepare_laboratory()
    control = GroupControl()
    numbers = range(first, first + games)
    with interruptible(control), TimedProgress(total=lambda: games) as progress:
        engine = SelfPlay(seed, Rules(depth))
        played = play_games(engine, numbers, jobs or usable_cores(), control)
        for number, game in enumerate(played, 1):
            click.echo(game)
            progress.done = number
    if control.is_stopped():
        notify("interrupted")
        ctx.exit(Exit.INTERRUPTED)


def _load(path: str | None) -> ImbalanceTable:
    from solver.laboratory.imbalance import ImbalanceTable, shipped

    return shipped() if path is None else ImbalanceTable.load(path)


def _read_material(text: str) -> Material:
    from solver.board import parse_fen
    from solver.laboratory.imbalance import count_pieces, parse_material

    return count_pieces(parse_fen(text)) if "/" in text else parse_material(text)


class TableBuilder:
    """Counts the positions of files into a material-imbalance table.

    Attributes
    ----------
    imbalance : ImbalanceTable
    codes : set of Exit
        The exit codes of what went wrong.
    """

    def __init__(self, imbalance: ImbalanceTable) -> None:
        self.imbalance = imbalance
        self.codes = {Exit.PROVED}
        self._unfinished = 0

    def count(self, files: Iterable[str], skip_plies: int) -> None:
        """Read the files until Ctrl-C; report and skip what is unreadable."""
        try:
            with TimedProgress() as progress:
                for file in files:
                    self._count_file(file, skip_plies, progress)
        except KeyboardInterrupt:
            self.codes.add(Exit.INTERRUPTED)

    def _count_file(self, file: str, skip_plies: int, progress: TimedProgress) -> None:
        from solver.laboratory.games import GamePosition, read_results
        from solver.laboratory.imbalance import find_cell

        try:
            for record in read_results(file, skip_plies=skip_plies):
                if isinstance(record, GamePosition):
                    self.imbalance.add(find_cell(record.material), record.result)
                    progress.done += 1
                elif isinstance(record, FormatError):
                    progress.notify(f"error: {record}")
                    self.codes.add(Exit.BAD_INPUT)
                else:
                    self._unfinished += 1
        except OSError as error:
            progress.notify(f"error: {file}: {error.strerror or error}")
            self.codes.add(Exit.IO)

    def write(self, output: str) -> None:
        """Write the table and print its size; to `.partial` if not all was read."""
        from solver.laboratory.imbalance import CELLS, with_noun

        coverage = self.imbalance.coverage()
        if self.codes.isdisjoint({Exit.INTERRUPTED, Exit.IO}):
            self.imbalance.save(output)
        else:
            interrupted = Exit.INTERRUPTED in self.codes
            why = "interrupted" if interrupted else "not all files were read"
            if not coverage.positions:
                notify(f"{why}: nothing was counted")
                return
            output += PARTIAL
            self.imbalance.save(output)
            notify(f"{why}: the counts so far are in {output}")
        click.echo(
            f"{output}: {with_noun(coverage.positions, 'position')} "
            f"in {coverage.filled:,} of {CELLS:,} cells"
        )
        if ignored := self.imbalance.ignored:
            click.echo(f"{with_noun(ignored, 'position')} out of range")
        if self._unfinished:
            click.echo(f"{with_noun(self._unfinished, 'record')} without a result")


def source_of(files: Iterable[str]) -> str:
    """Return the names of files as a text for the table's field `source`."""
    from solver.laboratory.imbalance import MAX_SOURCE_BYTES

    names = ", ".join(Path(file).name for file in files)
    shown = "".join(letter if letter.isprintable() else "?" for letter in names)
    return shown.encode()[:MAX_SOURCE_BYTES].decode(errors="ignore")
