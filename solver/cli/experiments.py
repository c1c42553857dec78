"""Experiments of the laboratory: their options, `matesolve match` and `matesolve mip`.

`variants` gives the options of techniques to a command and passes the searches that
they describe; `table` and `trace` have them too. `match` plays games between two
settings of the search. `mip` counts games into a table of material (`build`), prints
one cell (`show`), describes a table (`info`), and plays the games that the shipped
table is built from (`play`).
"""

from __future__ import annotations

import functools
from contextlib import nullcontext
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from solver import errors, problem
from solver.cli import console, options, signals
from solver.kernel.border import scored_struct
from solver.laboratory import techniques
from solver.search import threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from enum import Enum

    from solver.laboratory import imbalance
    from solver.laboratory.match import MatchScore


# Options

Function = TypeVar("Function", bound="Callable[..., Any]")

LEAST_TABLE_ENTRIES = 2**2
MOST_TABLE_ENTRIES = 2**36
"""One tebibyte."""

MAX_MIP_POSITIONS = 2**25 - 1
"""The largest count in a word of a material table."""

MAX_REDUCTION = 10
MAX_TRIES = 50
MAX_ASPIRATION = 2_000


def table_entries(text: str) -> int:
    """Read the size of a transposition table, such as `2^18` or `262144`."""
    base, caret, exponent = text.partition("^")
    try:
        entries = 2 ** min(int(exponent), 64) if base == "2" and caret else int(text)
    except ValueError:
        entries = -1
    power = LEAST_TABLE_ENTRIES <= entries <= MOST_TABLE_ENTRIES
    if entries != 0 and not (power and entries & (entries - 1) == 0):
        msg = f"expected 0 or a power of two from 2^2 to 2^36, found {text!r}"
        raise click.BadParameter(msg)
    return entries


def multi_cut(text: str) -> tuple[int, int]:
    """Read C/M, such as `3/6`; 0 means no multi-cut."""
    if text == "0":
        return 0, 0
    cuts, slash, tries = text.partition("/")
    if not (slash and cuts.isdecimal() and tries.isdecimal()) or not (
        1 <= int(cuts) <= int(tries) <= MAX_TRIES
    ):
        msg = f"expected C/M with 1 <= C <= M <= {MAX_TRIES}, or 0, found {text!r}"
        raise click.BadParameter(msg)
    return int(cuts), int(tries)


def separated(
    parse: Callable[[str], object],
) -> Callable[[click.Context, click.Parameter, str], tuple[str, ...]]:
    """Return a callback that reads comma-separated values which `parse` accepts."""

    def read(
        _ctx: click.Context, _param: click.Parameter, text: str
    ) -> tuple[str, ...]:
        found = tuple(value.strip() for value in text.split(","))
        for index, value in enumerate(found):
            try:
                parse(value)
            except errors.InputError as error:
                raise click.BadParameter(str(error)) from None
            if value in found[:index]:
                msg = f"expected each value once, found {value!r} twice"
                raise click.BadParameter(msg)
        return found

    return read


def _technique(
    name: str, default: str, parse: Callable[[str], object], help_text: str
) -> Callable[[Function], Function]:
    """Add the option of a technique: comma-separated values that `parse` accepts."""
    return options.option(
        name,
        help_text,
        default=default,
        show_default=True,
        callback=separated(parse),
        metavar="VALUES",
    )


def _condition(
    name: str, default: Enum, help_text: str
) -> Callable[[Function], Function]:
    """Add the option of a condition: the name of a member of the default's class."""
    return options.option(
        name,
        help_text,
        type=click.Choice([member.name.lower() for member in type(default)]),
        default=default.name.lower(),
        show_default=True,
        callback=lambda _ctx, _param, text: type(default)[text.upper()],
        metavar="NAME",
    )


def horizon(default: scored_struct.Horizon) -> Callable[[Function], Function]:
    """Add `--horizon`, passed as `horizon: Horizon`."""
    return _condition(
        "--horizon",
        default,
        "What to search after the last ply: static (nothing), mate (is it mate?) or "
        "quiescence (captures, promotions, replies to checks).",
    )


def depth(
    help_text: str, deepest: int = techniques.MAX_DEPTH, default: int | None = None
) -> Callable[[Function], Function]:
    """Add `-d, --depth`, passed as `depth: int`, or None without a default."""
    help_text = f"Search D plies deep. {help_text}".rstrip()
    return options.number("-d --depth", deepest, "D", help_text, default=default)


def nodes(help_text: str) -> Callable[[Function], Function]:
    """Add `--nodes`, passed as `nodes: int | None`."""
    help_text = f"Stop each search after N nodes. {help_text}"
    return options.number("--nodes", problem.MAX_NODES, "N", help_text)


mip_table = options.file(
    "--mip-table",
    "Read this material table. Default: the one shipped with matesolve.",
    metavar="TABLE",
)
"""Adds `--mip-table`, passed as `mip_table: str | None`."""

seed = options.seed("games")
"""Adds `--seed`, passed as `seed: int`."""


def variant_options(command: Function) -> Function:
    """Add the techniques and their settings.

    They are passed as `variants: tuple[Variant, ...]` and `is_ablation: bool`. A
    parameter with the name of a field of `Techniques` is a setting of all variants.
    """

    @_technique(
        "--mdp", "off,cpw", techniques.parse_mdp, "Forms of mate-distance pruning."
    )
    @_technique(
        "--check-extension",
        "off",
        techniques.parse_extension,
        "Moves that cost no depth: checks, capturing checks or promotions. Lines are "
        "capped at twice the depth, unless uncapped.",
    )
    @_technique(
        "--efp",
        "off",
        techniques.parse_pruning,
        "Forms of forward pruning: null move and multi-cut, with the additions of "
        "Enhanced Forward Pruning.",
    )
    @_technique(
        "--mip", "off", techniques.parse_mip, "Uses of Material Imbalance Pruning."
    )
    @options.flag(
        "--ablation ablated",
        "Compare a search without techniques with each technique alone, and with "
        "one form of each together.",
    )
    @options.number(
        "--null-reduction",
        MAX_REDUCTION,
        "R",
        "Search a null move R plies shallower; 0: no null move.",
        least=0,
        default=techniques.SETTINGS.null_reduction,
    )
    @options.option(
        "--multi-cut cuts_of_tries",
        "Cut a node if C of its first M moves fail high in a search 2 plies "
        "shallower; 0: never.",
        type=multi_cut,
        default=f"{techniques.SETTINGS.cuts}/{techniques.SETTINGS.tries}",
        show_default=True,
        metavar="C/M",
    )
    @options.number(
        "--mip-positions",
        MAX_MIP_POSITIONS,
        "N",
        "Use only material with N or more positions in the material table; with "
        "+curve, add N drawn positions to each count.",
        default=techniques.SETTINGS.mip_positions,
    )
    @options.number(
        "--aspiration",
        MAX_ASPIRATION,
        "CP",
        "Search the root within CP centipawns of its last score; 0: full window.",
        least=0,
        default=techniques.SETTINGS.aspiration,
    )
    @horizon(techniques.SETTINGS.horizon)
    @_condition(
        "--root-order",
        techniques.SETTINGS.root_order,
        "Order of the root's moves: search (as at every node), generated (table move, "
        "then unordered) or nodes (by the size of their trees in the last "
        "iteration).",
    )
    @_condition(
        "--count",
        techniques.SETTINGS.count,
        "What counts as a node: moves (each move made), calls (each call of the search "
        "function), interior (each position that is expanded) or again (each move that "
        "is searched a second time). --nodes always means moves.",
    )
    @functools.wraps(command)
    def gather(
        *args: Any,
        ablated: bool,
        cuts_of_tries: tuple[int, int],
        **others: Any,
    ) -> Any:
        values = {name: others.pop(name) for name in techniques.Choice._fields}
        if ablated and any(map(_is_given, techniques.Choice._fields)):
            msg = "--ablation cannot be combined with options that choose techniques."
            raise click.UsageError(msg)
        cuts, tries = cuts_of_tries
        names = {field.name for field in fields(techniques.SETTINGS)} & others.keys()
        shared = {name: others.pop(name) for name in names}
        settings = replace(techniques.SETTINGS, cuts=cuts, tries=tries, **shared)
        chosen = (
            techniques.ablation(settings)
            if ablated
            else techniques.combine(**values, settings=settings)
        )
        return command(*args, variants=chosen, is_ablation=ablated, **others)

    return gather  # type: ignore[return-value]


def _is_given(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is not ParameterSource.DEFAULT


# Matches

DEFAULT_GAMES = 1000
DEFAULT_NODES = 20_000


def variant(text: str) -> techniques.Variant:
    """Read a setting of the search, such as `check-extension=all,mdp=tight`."""
    try:
        return techniques.parse_variant(text)
    except errors.InputError as error:
        raise click.BadParameter(str(error)) from None


def whole_pairs(_ctx: click.Context, _param: click.Parameter, games: int) -> int:
    """Refuse an odd number of games: each opening is played twice."""
    if games % 2:
        msg = f"expected an even number, found {games}"
        raise click.BadParameter(msg)
    return games


@options.command("""
A setting is `off`, or a list of techniques such as
check-extension=all,mdp=tight; `matesolve table --help` lists their values.

Exit codes (the first that applies):
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP); the score so far is printed
   74  a file could not be read or written
   65  FILE has the games of another match
    0  all games were played

Examples:
  matesolve match --a check-extension=all
  matesolve match --a mdp=tight,check-extension=all --b mdp=tight --depth 6
  matesolve match --a efp=on --games 2000 --jobs 2 --games-file efp.pgn
""")
@options.option(
    "--a first",
    "Score the games of this setting.",
    type=variant,
    required=True,
    metavar="SETTING",
)
@options.option(
    "--b second",
    "Let setting A play against this one.",
    type=variant,
    default="off",
    show_default=True,
    metavar="SETTING",
)
@options.number(
    "--games",
    problem.MAX_NODES,
    "N",
    "Number of games.",
    default=DEFAULT_GAMES,
    callback=whole_pairs,
)
@seed
@depth("Default: as many as --nodes allows.")
@nodes(
    f"The move of the last complete depth is played. Default: {DEFAULT_NODES:,}; with "
    f"--depth, no "
    "limit."
)
@horizon(scored_struct.Horizon.QUIESCENCE)
@options.jobs()
@options.file(
    "--games-file",
    "Save the games here as PGN, and resume from those of an earlier run.",
)
@options.json_record
@click.pass_context
def match(
    ctx: click.Context,
    *,
    first: techniques.Variant,
    second: techniques.Variant,
    games: int,
    seed: int,
    depth: int | None,
    nodes: int | None,
    horizon: scored_struct.Horizon,
    jobs: int | None,
    games_file: str | None,
    as_json: bool,
) -> None:
    """Play games between two settings of a search to compare them in Elo.

    Both players use the search of `matesolve table`, one with the techniques of --a,
    the other with those of --b. Each opening has 8 random plies that leave both sides
    about equal, and is played twice, with colours changed. A game ends by the rules of
    chess, when the prover confirms a mate that the side to move has found, or as a draw
    after 400 plies. The error is half the width of the 95% confidence interval,
    computed from pairs of games.
    """
    from solver.laboratory import match as core
    from solver.laboratory import player

    if nodes is None and depth is None:
        nodes = DEFAULT_NODES
    match = core.Match(first, second, player.Rules(depth, nodes), seed, horizon)
    console.prepare_outputs(games_file)
    console.prepare_laboratory()
    control = threads.GroupControl()
    score = core.MatchScore()
    with (
        core.open_games(games_file, match) if games_file else nullcontext() as file,
        signals.interruptible(control),
        console.TimedProgress(lambda: _line(score), lambda: games) as progress,
    ):
        for score in core.play_match(
            match,
            games // 2,
            jobs=jobs or threads.usable_cores(),
            control=control,
            file=file,
        ):
            progress.done = score.games
    result = core.MatchResult(match, score, games // 2)
    if as_json:
        console.echo_json(core.match_record(result), 2)
    else:
        screen = console.stdout_console()
        screen.print(core.draw_match(result, screen))
        screen.print()
        for note in core.match_notes(result):
            screen.print(note, style="dim")
    if control.is_stopped():
        console.notify("interrupted")
        ctx.exit(console.Exit.INTERRUPTED)


def _line(score: MatchScore) -> str:
    """Write the score as chess players do, short enough for a progress line."""
    games = f"+{score.wins:,} -{score.losses:,} ={score.draws:,}"
    if score.elo is None or score.error is None:
        return games
    return f"{games}, Elo {score.elo:,.1f} +- {score.error:,.1f}"


# Material-imbalance tables

MOST_FREQUENT = 10
"""How many cells `info` lists."""

PARTIAL = ".partial"
"""The suffix of a table's file if not all input was read."""

DEFAULT_PLAY_DEPTH = 4
DEEPEST_PLAY = 12


@click.group(
    cls=options.Group,
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
@options.file(
    "--merge merged",
    "Add the counts of this table. Can be repeated.",
    multiple=True,
    metavar="TABLE",
)
@options.number(
    "--skip-plies",
    problem.MAX_NODES,
    "K",
    "Skip the first K positions of each game in PGN.",
    least=0,
    default=0,
)
@options.option(
    "--source",
    "Record where the counts come from. Default: the names of the files.",
    metavar="TEXT",
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
        console.refuse_use("expected a FILE or --merge TABLE, found neither.")

    from solver.laboratory import imbalance

    console.prepare_outputs(output, reads=files)
    console.require_apart([output + PARTIAL], reads=(*files, *merged))
    console.prepare_kernel()
    builder = TableBuilder(
        imbalance.ImbalanceTable(source or name_sources(merged + files))
    )
    for other in merged:
        builder.imbalance.merge(imbalance.ImbalanceTable.load(other))
    builder.count(files, skip_plies)
    builder.write(output)
    ctx.exit(console.foremost(builder.codes))


@mip.command(
    epilog="""
Examples:
  matesolve mip show KRPvKR
  matesolve mip show 8/7K/8/8/8/8/R7/7k w - - 0 1 --mip-table mine.npz
"""
)
@click.argument("what", nargs=-1, required=True, metavar="MATERIAL | FEN...")
@mip_table
@options.json_record
def show(what: tuple[str, ...], *, mip_table: str | None, as_json: bool) -> None:
    """Show the results of games with a given material.

    MATERIAL names the pieces, White's first: KRPvKR. With a FEN, the material of the
    position is shown; quotes are optional.
    """
    from solver.laboratory import imbalance

    material = _read_material(what)
    record = imbalance.cell_record(load_table(mip_table), material)
    if as_json:
        console.echo_json(record, 2)
    else:
        click.echo("\n".join(imbalance.describe_cell(record)))


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
    from solver.laboratory import imbalance

    record = imbalance.imbalance_record(load_table(mip_table), MOST_FREQUENT)
    if as_json:
        console.echo_json(record, 2)
    else:
        click.echo("\n".join(imbalance.describe_imbalance(record)))


@mip.command(
    epilog="""
Examples:
  matesolve mip play --games 100 > games.pgn
  matesolve mip play --games 10000 | matesolve mip build - -o own.npz
"""
)
@options.number("--games", problem.MAX_NODES, "N", "Number of games.", default=100)
@seed
@options.number(
    "--first-game first",
    problem.MAX_NODES,
    "K",
    "Begin with game K of this seed, to continue or split a run.",
    default=1,
)
@depth("", DEEPEST_PLAY, DEFAULT_PLAY_DEPTH)
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
    from solver.laboratory import player

    console.prepare_laboratory()
    control = threads.GroupControl()
    numbers = range(first, first + games)
    with (
        signals.interruptible(control),
        console.TimedProgress(total=lambda: games) as progress,
    ):
        engine = player.SelfPlay(seed, player.Rules(depth))
        played = player.play_games(
            engine, numbers, jobs or threads.usable_cores(), control
        )
        for number, game in enumerate(played, 1):
            click.echo(game)
            progress.done = number
    if control.is_stopped():
        console.notify("interrupted")
        ctx.exit(console.Exit.INTERRUPTED)


def load_table(path: str | None) -> imbalance.ImbalanceTable:
    """Load a table from its file; without one, the shipped table."""
    from solver.laboratory import imbalance

    return imbalance.shipped() if path is None else imbalance.ImbalanceTable.load(path)


def _read_material(words: Sequence[str]) -> imbalance.Material:
    from solver.laboratory import imbalance

    if len(words) == 1 and "/" not in words[0]:
        return imbalance.parse_material(words[0])
    return imbalance.count_material(console.read_position(words).board)


class TableBuilder:
    """Counts the positions of files into a material-imbalance table.

    Attributes
    ----------
    imbalance : ImbalanceTable
    codes : set of Exit
        The exit codes of what went wrong.
    """

    def __init__(self, table: imbalance.ImbalanceTable) -> None:
        self.imbalance = table
        self.codes = {console.Exit.PROVED}
        self._unfinished = 0

    def count(self, files: Iterable[str], skip_plies: int) -> None:
        """Read the files until Ctrl-C; report and skip what is unreadable."""
        try:
            with console.TimedProgress() as progress:
                for file in files:
                    self._count_file(file, skip_plies, progress)
        except KeyboardInterrupt:
            self.codes.add(console.Exit.INTERRUPTED)

    def _count_file(
        self, file: str, skip_plies: int, progress: console.TimedProgress
    ) -> None:
        from solver.laboratory import imbalance
        from solver.laboratory.games import GamePosition, read_results

        try:
            for record in read_results(file, skip_plies=skip_plies):
                if isinstance(record, GamePosition):
                    self.imbalance.add(
                        imbalance.find_material_cell(record.material), record.result
                    )
                    progress.done += 1
                elif isinstance(record, errors.FormatError):
                    progress.notify(f"error: {record}")
                    self.codes.add(console.Exit.BAD_INPUT)
                else:
                    self._unfinished += 1
        except OSError as error:
            progress.notify(f"error: {file}: {error.strerror or error}")
            self.codes.add(console.Exit.IO)

    def write(self, output: str) -> None:
        """Write the table and print its size; to `.partial` if not all was read."""
        from solver.laboratory import imbalance

        coverage = self.imbalance.coverage()
        if self.codes.isdisjoint({console.Exit.INTERRUPTED, console.Exit.IO}):
            self.imbalance.save(output)
        else:
            interrupted = console.Exit.INTERRUPTED in self.codes
            why = "interrupted" if interrupted else "not all files were read"
            if not coverage.positions:
                console.notify(f"{why}: nothing was counted")
                return
            output += PARTIAL
            self.imbalance.save(output)
            console.notify(f"{why}: the counts so far are in {output}")
        click.echo(
            f"{console.one_line(output)}: "
            f"{imbalance.with_noun(coverage.positions, 'position')} "
            f"in {coverage.filled:,} of {imbalance.CELLS:,} cells"
        )
        if ignored := self.imbalance.ignored:
            click.echo(f"{imbalance.with_noun(ignored, 'position')} out of range")
        if self._unfinished:
            click.echo(
                f"{imbalance.with_noun(self._unfinished, 'record')} without a result"
            )


def name_sources(files: Iterable[str]) -> str:
    """Return the names of files as a text for the table's field `source`."""
    from solver.laboratory import imbalance

    names = ", ".join(Path(file).name for file in files)
    shown = "".join(letter if letter.isprintable() else "?" for letter in names)
    return shown.encode()[: imbalance.MAX_SOURCE_BYTES].decode(errors="ignore")
