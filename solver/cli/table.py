"""`matesolve table`: count the nodes that search techniques save.

`experiment_options` builds the variants; `table_counts` runs them and prints the
result.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from solver.cli import experiment_options, options
from solver.cli.auditing import Reading
from solver.cli.console import Exit, foremost, notify, prepare_laboratory
from solver.cli.help_pages import Command
from solver.errors import FenError, FormatError, quote
from solver.files import write_whole
from solver.formats.streams import name_of
from solver.laboratory.mate_scores import DEEPEST, PLIES_AFTER
from solver.laboratory.node_counts import GLASS_FEN, GLASS_ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.laboratory.imbalance import ImbalanceTable
    from solver.laboratory.node_counts import CollectionCounts, PositionCounts
    from solver.laboratory.techniques import Variant
    from solver.problem import Problem

DEFAULT_NODES = 10_000_000
"""The default node limit of each search, without a depth or of a collection."""

FEN_SLASHES = 7

_WORDS = f"{__name__}.words"

_FORMS = {"--json", "--csv", "--sums"}
_PAGE = "--html"
"""Options that change no count."""


class _Table(Command):
    """The command; it remembers its arguments for its page."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words after the command's name."""
        ctx.meta[_WORDS] = tuple(args)
        return super().parse_args(ctx, args)


@options.command(
    """
Values (separate several by commas):
  --mdp              off, upper (beta only), lower (alpha only), cpw (both),
                     tight (beta to a mate on the next ply), vipermate
  --check-extension  off, all, captures, promotions, or several joined by +;
                     uncapped (all checks, however long the line)
  --efp              off; cut (at cut nodes only, as is common); all (at all
                     nodes only); none (at both, without additions); on (at
                     both, with all four); or additions such as 14
  --mip              off, reduce, prune, lazy or correct; reduce or prune may
                     be joined with lazy or correct, as in prune+lazy. Add
                     +white (White's results alone), +rounded (0 and 100 per
                     cent are rounded) or +curve (few positions weigh less).

Exit codes (the first that applies):
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP); complete results are printed
   74  a file could not be read or written
   65  a position, or a line of a collection, could not be read
    1  sound variants contradict each other or a claim
    3  a limit stopped a search
    0  every search was completed

Examples:
  matesolve table
  matesolve table --mdp off,cpw,tight --depth 18 --html nodes.html
  matesolve table 8/8/8/8/8/5K2/R7/7k w - - --check-extension off,all
  matesolve table puzzles/generated-3.epd --efp off,cut,on --csv
  matesolve table puzzles/classics.epd --ablation --nodes 1000000
  matesolve table easy.epd hard.epd --mdp off,cpw,tight --sums
""",
    cls=_Table,
)
@click.argument(
    "position",
    nargs=-1,
    metavar="[FEN | FILE...]",
    type=options.FILE,
)
@experiment_options.depth(
    f"Default: {len(GLASS_ROWS)} for the published position; for another, "
    f"{PLIES_AFTER} plies beyond the depth at which every variant has found the mate, "
    f"{DEEPEST} at most; in a collection, as deep as the claim of each problem, or 8 "
    "without one."
)
@experiment_options.variants
@experiment_options.mip_table
@click.option(
    "--table-entries",
    "entries",
    type=experiment_options.table_entries,
    default="2^18",
    show_default=True,
    metavar="N",
    help="Entries in the transposition table of each search; 0: no table.",
)
@experiment_options.nodes(
    "Default: no limit for the published position or with --depth or --time; else "
    f"{DEFAULT_NODES:,}."
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
    "--sums",
    "sums_only",
    is_flag=True,
    help="Print only each variant's sums over a collection.",
)
@click.option(
    "--html",
    metavar="FILE",
    type=options.FILE,
    help="Write a web page. The page explains the comparison with tables and curves.",
)
@click.pass_context
def table(
    ctx: click.Context,
    position: tuple[str, ...],
    *,
    depth: int | None,
    variants: tuple[Variant, ...],
    is_ablation: bool,
    mip_table: str | None,
    entries: int,
    nodes: int | None,
    time_s: float | None,
    as_json: bool,
    as_csv: bool,
    sums_only: bool,
    html: str | None,
) -> None:
    """Count the nodes that each search technique costs or saves.

    For each variant, an alpha-beta search with mate scores deepens ply by ply. A
    variant is a combination of values of --mdp, --check-extension, --efp and --mip. All
    variants are compared with the first. Limits apply to each search.

    FEN is one position (quotes are optional). The output has one row per depth.
    Default: the position for which the chess engine Glass published its counts, which
    are then printed as well.

    FILE is a collection as for `verify`; - is standard input. The output has one row
    per problem, with the nodes until the mate was found, and each variant's sums over
    each file and over all files.
    """
    files = position if _are_files(position) else ()
    conflicts = {
        "--json and --csv cannot be combined.": as_json and as_csv,
        "--sums needs a collection, not one position.": sums_only and not files,
    }
    for conflict, holds in conflicts.items():
        if holds:
            raise click.UsageError(conflict)

    from solver.cli.console import prepare_outputs
    from solver.cli.table_counts import (
        compare_on_collection,
        compare_on_position,
        print_csv,
        print_json,
        print_text,
    )
    from solver.laboratory.iterative_deepening import Laboratory, Runner

    reads = [*files, mip_table] if mip_table else files
    prepare_outputs(html, reads=reads)
    codes = {Exit.PROVED}
    collection = _read_problems(files, codes)
    if files and not collection:
        ctx.exit(foremost(codes))
    fen = GLASS_FEN if files else _parse_position(position)
    imbalance = _load_imbalance(mip_table)
    prepare_laboratory()
    if not position:
        depth = depth or len(GLASS_ROWS)
    nodes = nodes or _default_nodes(files, depth, time_s)
    runner = Runner(Laboratory(entries, imbalance), nodes=nodes, time_s=time_s)
    counts: PositionCounts | CollectionCounts
    if files:
        counts = compare_on_collection(runner, collection, variants, depth, entries)
    else:
        counts = compare_on_position(runner, fen, variants, depth, entries, nodes)
    if as_json:
        print_json(counts, sums_only=sums_only)
    elif as_csv:
        print_csv(counts, sums_only=sums_only)
    else:
        print_text(counts, brief=is_ablation or sums_only)
    if html:
        from solver.pages.counts_page import encode_page

        write_whole(html, encode_page(counts, _command_line(ctx)))
    if runner.is_stopped():
        notify("interrupted")
        codes.add(Exit.INTERRUPTED)
    ctx.exit(foremost(codes | _codes_of(counts)))


def _default_nodes(
    files: Sequence[str], depth: int | None, time_s: float | None
) -> int | None:
    """Return the node limit of a comparison that might not end without one."""
    return DEFAULT_NODES if files or not (depth or time_s) else None


def _codes_of(counts: PositionCounts | CollectionCounts) -> set[Exit]:
    """Return the exit codes of the results, besides 0."""
    codes = {Exit.NEGATIVE: counts.is_contradictory, Exit.LIMIT: not counts.is_complete}
    return {code for code, holds in codes.items() if holds}


def _command_line(ctx: click.Context) -> str:
    """Return the command that reproduces the counts, without the files it writes."""
    kept = []
    words = iter(ctx.meta[_WORDS])
    for word in words:
        if word == "--":
            kept += [word, *words]
        elif word == _PAGE:
            next(words)
        elif word not in _FORMS and word.partition("=")[0] != _PAGE:
            kept.append(word)
    return shlex.join(["matesolve", "table", *kept])


def _are_files(words: Sequence[str]) -> bool:
    """Whether the words are files: the first is one, or any is and there is no FEN."""
    if not words or words[0].count("/") == FEN_SLASHES:
        words = words[:1]  # a - may also be a part of a FEN
    return any(map(options.is_collection, words))


def _parse_position(words: Sequence[str]) -> str:
    """Return the FEN of the position on the command line."""
    from solver.board import parse_fen

    if not words:
        return GLASS_FEN
    text = " ".join(words)
    if text.count("/") != FEN_SLASHES:
        msg = f"expected a FEN or an existing file, found {quote(text)}"
        raise FenError(msg)
    return parse_fen(text).fen()


def _load_imbalance(path: str | None) -> ImbalanceTable | None:
    if path is None:
        return None  # the search loads the shipped one if it needs one
    from solver.laboratory.imbalance import ImbalanceTable

    return ImbalanceTable.load(path)


def _read_problems(
    files: Sequence[str], codes: set[Exit]
) -> list[tuple[str, list[Problem]]]:
    """Read the problems about mates, and report the other records.

    Returns
    -------
    list of tuple
        The name and the problems of each file that has any.
    """
    collection = []
    others = 0
    for file in files:
        reading, problems = Reading([file], is_quiet=True), []
        for record in reading:
            if isinstance(record, FormatError):
                notify(f"error: {record}")
                codes.add(Exit.BAD_INPUT)
            elif not record.stipulation.is_direct_mate:
                others += 1
            else:
                problems.append(record)
        codes |= reading.codes
        if problems:
            collection.append((name_of(file), problems))
    if others:
        notify(f"{others:,} records skipped, because they are not about a mate")
    return collection
