"""`matesolve table`: what techniques cost and save, counted in nodes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from solver.cli import completion, options
from solver.cli.console import Exit, foremost, notify, prepare_kernel
from solver.cli.help import Command
from solver.cli.verify_io import Reading
from solver.errors import FenError, FormatError, InputError, missing_package
from solver.formats.claims import quote
from solver.laboratory import comparison as glass
from solver.laboratory.results import MAX_DEPTH
from solver.laboratory.techniques import (
    Settings,
    ablation,
    combine,
    parse_extension,
    parse_mdp,
    parse_mip,
    parse_pruning,
)
from solver.problem import MAX_NODES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from solver.laboratory.comparison import Ladder, Survey
    from solver.problem import Problem

DEPTH = 20
"""How deep one position is searched if nothing is said."""

COLLECTION_NODES = 10_000_000
"""What a search of a collection's problem may cost if nothing is said."""

LEAST_TABLE_ENTRIES = 2**2
MOST_TABLE_ENTRIES = 2**36
"""One tebibyte."""

MAX_MIP_POSITIONS = 2**25 - 1
"""A cell of a material table counts no further."""

MAX_REDUCTION = 10
MAX_TRIES = 50
MAX_ASPIRATION = 2_000

FEN_SLASHES = 7

TECHNIQUES = ("mdp", "check_extension", "efp", "mip")
"""The parameters that `--ablation` sets itself."""

DRAWN = (".png", ".svg")
"""What `--plot` writes, by the file's name."""


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
    """Read C of M, such as `3/6`; 0 is no multi-cut."""
    if text == "0":
        return 0, 0
    cuts, slash, tries = text.partition("/")
    if not (slash and cuts.isdecimal() and tries.isdecimal()) or not (
        1 <= int(cuts) <= int(tries) <= MAX_TRIES
    ):
        msg = f"expected C/M with 1 <= C <= M <= {MAX_TRIES}, or 0, found {text!r}"
        raise click.BadParameter(msg)
    return int(cuts), int(tries)


def words(
    parse: Callable[[str], object],
) -> Callable[[click.Context, click.Parameter, str], tuple[str, ...]]:
    """Make the reader of words with commas between, each of which `parse` takes."""

    def read(
        _ctx: click.Context, _param: click.Parameter, text: str
    ) -> tuple[str, ...]:
        found = tuple(word.strip() for word in text.split(","))
        for index, word in enumerate(found):
            try:
                parse(word)
            except InputError as error:
                raise click.BadParameter(str(error)) from None
            if word in found[:index]:
                msg = f"expected each word once, found {word!r} twice"
                raise click.BadParameter(msg)
        return found

    return read


def drawing(
    _ctx: click.Context, _param: click.Parameter, file: str | None
) -> str | None:
    """Refuse the name of a drawing that does not say how to draw it."""
    if file is not None and Path(file).suffix.lower() not in DRAWN:
        msg = f"expected a name that ends in .png or .svg, found {file!r}"
        raise click.BadParameter(msg)
    return file


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  matesolve table
  matesolve table --mdp off,cpw,tight --depth 18 --plot nodes.svg
  matesolve table 8/8/8/8/8/5K2/R7/7k w - - --check-extension off,all
  matesolve table puzzles/generated-3.epd --efp off,cut,on --csv
  matesolve table puzzles/classics.epd --ablation --nodes 1000000

\b
Words:
  --mdp              off, upper, lower, cpw, tight, vipermate
  --efp              off, cut (common practice: cut nodes only), none (no
                     addition), on (all), or additions such as 14
  --check-extension  off, all, captures, promotions, or several joined by +
  --mip              off, reduce, prune, lazy, correct, or one of the first
                     two joined to one of the last two, as in prune+lazy

\b
Exit codes, the first that fits:
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP); what was complete is printed
   74  a file could not be read or written
   65  a position, or a line of a collection, could not be read
    1  sound variants contradict each other, or what a problem claims
    3  a limit came first
    0  every search came to its end
""",
)
@click.argument(
    "position",
    nargs=-1,
    metavar="[FEN | FILE...]",
    shell_complete=completion.files,
)
@click.option(
    "-d",
    "--depth",
    type=options.whole(MAX_DEPTH),
    metavar="D",
    help=f"Search D plies deep. Default: {DEPTH}; for a problem of a collection as "
    "deep as its claim, or 8 without one.",
)
@click.option(
    "--mdp",
    default="off,cpw",
    show_default=True,
    callback=words(parse_mdp),
    metavar="WORDS",
    help="Mate-distance pruning.",
)
@click.option(
    "--check-extension",
    default="off",
    show_default=True,
    callback=words(parse_extension),
    metavar="WORDS",
    help="Moves that cost no depth: checks, capturing checks, promotions.",
)
@click.option(
    "--efp",
    default="off",
    show_default=True,
    callback=words(parse_pruning),
    metavar="WORDS",
    help="Forward pruning: null move and multi-cut, with Enhanced Forward Pruning.",
)
@click.option(
    "--mip",
    default="off",
    show_default=True,
    callback=words(parse_mip),
    metavar="WORDS",
    help="Uses of a material-imbalance table.",
)
@click.option(
    "--ablation",
    "ablated",
    is_flag=True,
    help="Compare each technique alone, and one form of each together, with none. "
    "A row a variant.",
)
@click.option(
    "--null-reduction",
    type=click.IntRange(0, MAX_REDUCTION),
    default=Settings().null_reduction,
    show_default=True,
    metavar="R",
    help="Search a null move R plies less deep; 0: no null move.",
)
@click.option(
    "--multi-cut",
    "cuts_of_tries",
    type=multi_cut,
    default=f"{Settings().cuts}/{Settings().tries}",
    show_default=True,
    metavar="C/M",
    help="Cut a node if C of its first M moves fail high 2 plies less deep; 0: never.",
)
@click.option(
    "--mip-table",
    metavar="TABLE",
    shell_complete=completion.files,
    help="Look into this material table. Default: the one that comes along.",
)
@click.option(
    "--mip-positions",
    type=options.whole(MAX_MIP_POSITIONS),
    default=Settings().mip_positions,
    show_default=True,
    metavar="N",
    help="Trust material that the table has seen in N positions or more.",
)
@click.option(
    "--aspiration",
    type=click.IntRange(0, MAX_ASPIRATION),
    default=Settings().aspiration,
    show_default=True,
    metavar="CP",
    help="Search the root within CP centipawns of its last score; 0: without bounds.",
)
@click.option(
    "--table-entries",
    "entries",
    type=table_entries,
    default="2^18",
    show_default=True,
    metavar="N",
    help="Size of each search's transposition table; 0: none.",
)
@click.option(
    "--nodes",
    type=options.whole(MAX_NODES),
    metavar="N",
    help="Stop each search after N nodes. Default: no limit; for a collection "
    f"{COLLECTION_NODES:,}.",
)
@click.option(
    "--time",
    "time_s",
    type=options.seconds,
    metavar="S",
    help="Stop each search after S seconds. Default: no limit.",
)
@options.json_record
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option(
    "--plot",
    callback=drawing,
    metavar="FILE",
    shell_complete=completion.files,
    help="Draw one position's nodes by depth into a .png or .svg as well.",
)
@click.pass_context
def table(
    ctx: click.Context,
    position: tuple[str, ...],
    *,
    depth: int | None,
    mdp: tuple[str, ...],
    check_extension: tuple[str, ...],
    efp: tuple[str, ...],
    mip: tuple[str, ...],
    ablated: bool,
    null_reduction: int,
    cuts_of_tries: tuple[int, int],
    mip_table: str | None,
    mip_positions: int,
    aspiration: int,
    entries: int,
    nodes: int | None,
    time_s: float | None,
    as_json: bool,
    as_csv: bool,
    plot: str | None,
) -> None:
    """Count the nodes that each search technique costs or saves.

    A scored search deepens ply by ply, once for each variant: each combination of the
    words given for the techniques. Each is compared with the first. A limit holds for
    each search, one variant on one position.

    FEN is one position, with or without quotes; its table has a row a depth. Without
    one it is the position that the chess engine Glass published its counts of, and
    they stand beside. FILE is a collection as for `verify`, - standard input; its
    table has a row a problem, and the nodes are those until the mate was found.
    """
    files = position if position and options.is_collection(position[0]) else ()
    contradictions = {
        "--json and --csv exclude each other.": as_json and as_csv,
        "--ablation chooses the techniques itself.": ablated
        and any(_is_given(ctx, name) for name in TECHNIQUES),
        "--plot draws one position, not a collection.": files and plot,
    }
    for contradiction, holds in contradictions.items():
        if holds:
            raise click.UsageError(contradiction)
    cuts, tries = cuts_of_tries
    settings = Settings(null_reduction, cuts, tries, mip_positions, aspiration)
    variants = (
        ablation(settings)
        if ablated
        else combine(mdp, check_extension, efp, mip, settings)
    )
    draw = _load_plotter() if plot else None

    from solver.cli.console import prepare_outputs
    from solver.cli.table_counts import (
        Form,
        count_ladder,
        count_survey,
        print_ladder,
        print_survey,
    )
    from solver.laboratory.imbalance import ImbalanceTable
    from solver.laboratory.search import Laboratory, Runner

    prepare_outputs(plot, reads=[mip_table] if mip_table else [])
    form = Form.JSON if as_json else Form.CSV if as_csv else Form.TEXT
    codes = {Exit.PROVED}
    problems = list(_read_problems(files, codes))
    if files and not problems:
        ctx.exit(foremost(codes))
    fen = glass.FEN if files else _parse(position)
    imbalance = ImbalanceTable.load(mip_table) if mip_table else None
    prepare_kernel()
    if files and nodes is None:
        nodes = COLLECTION_NODES
    runner = Runner(Laboratory(entries, imbalance), nodes=nodes, time_s=time_s)
    counts: Ladder | Survey
    if files:
        counts = count_survey(runner, problems, variants, depth, entries)
        print_survey(counts, form, brief=ablated)
    else:
        counts = count_ladder(runner, fen, variants, depth or DEPTH, entries)
        print_ladder(counts, form, brief=ablated)
        if draw and plot:
            draw(counts, plot)
    if runner.is_stopped:
        notify("interrupted")
        codes.add(Exit.INTERRUPTED)
    if counts.is_contradictory:
        codes.add(Exit.NEGATIVE)
    if not counts.is_complete:
        codes.add(Exit.LIMIT)
    ctx.exit(foremost(codes))


def _is_given(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is not ParameterSource.DEFAULT


def _parse(words: Sequence[str]) -> str:
    """Give the FEN of the position that some words name."""
    from solver.formats.fen import parse_fen

    if not words:
        return glass.FEN
    text = " ".join(words)
    if text.count("/") != FEN_SLASHES:
        msg = f"expected a FEN or a file that is there, found {quote(text)}"
        raise FenError(msg)
    return parse_fen(text).fen()


def _load_plotter() -> Callable[[Ladder, str], None]:
    try:
        from solver.laboratory.plot import plot_ladder
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        msg = missing_package("--plot", "matplotlib")
        raise click.UsageError(msg) from None
    return plot_ladder


def _read_problems(files: Sequence[str], codes: set[Exit]) -> Iterator[Problem]:
    """Read what is readable, and tell what is not."""
    reading = Reading(files)
    for record in reading:
        if isinstance(record, FormatError):
            notify(f"error: {record}")
            codes.add(Exit.BAD_INPUT)
        else:
            yield record
    codes |= reading.codes
