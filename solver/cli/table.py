"""`matesolve table`: count the nodes that search techniques save.

`experiments` builds the variants; the first half of this file runs them and
prints the result.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from solver import errors
from solver.cli import auditing, console, experiments, options, signals
from solver.files import write_whole
from solver.formats import streams
from solver.laboratory import count_tables, node_counts
from solver.laboratory.techniques import (
    DEEPEST,
    MAX_DEPTH,
    PLIES_AFTER,
    Iteration,
    Techniques,
    Variant,
    is_mate,
    plies_of,
)
from solver.output.columns import fit
from solver.problem import Problem, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.formats.rows import FormulaGuard
    from solver.laboratory import iterative_deepening


# Running and printing

UNCLAIMED_DEPTH = 8
"""The default depth for a problem without a claim."""

FEW_VARIANTS = 6
"""With more variants, only the summary is printed: full rows would be too long."""


def compare_on_position(
    runner: iterative_deepening.Runner,
    fen: str,
    variants: Sequence[Variant],
    depth: int | None,
    table_entries: int,
    node_limit: int | None,
) -> node_counts.PositionCounts:
    """Deepen one position with each variant, until a limit or Ctrl-C stops it.

    Without a depth, all variants go `PLIES_AFTER` plies beyond the iteration in which
    the last of them finds a mate, to `DEEPEST` at most. Those that end earlier, because
    they find it earlier than others, are searched again.
    """
    import chess

    board = chess.Board(fen)
    step, total = variants[0].name, len(variants) * depth if depth else None
    with (
        signals.interruptible(runner),
        console.PrintedProgress(
            lambda: f"{step}, {runner.nodes:,} nodes", lambda: total
        ) as progress,
    ):

        def search(variant: Variant, least: int = 0) -> list[Iteration]:
            nonlocal step
            rows: list[Iteration] = []
            step = f"{variant.name}: depth 1"
            for row in runner.deepen(board, variant.techniques, depth or DEEPEST):
                rows.append(row)
                progress.done += 1
                step = f"{variant.name}: depth {row.depth + 1}"
                if not depth and 0 < max(least, _goal(rows)) <= row.depth:
                    break
            return rows

        found = [search(variant) for variant in variants]
        last = depth or max(map(_goal, found)) or DEEPEST
        for index, rows in enumerate(found):
            if not depth and len(rows) == _goal(rows) < last:
                found[index] = search(variants[index], last)
    series = (
        node_counts.Series(variant, tuple(rows[:last]))
        for variant, rows in zip(variants, found, strict=True)
    )
    return node_counts.PositionCounts(
        fen, last, table_entries, tuple(series), node_limit
    )


def _goal(rows: Sequence[Iteration]) -> int:
    """Return where a search may end without a depth; 0: it has not found a mate."""
    found = (row.depth for row in rows if is_mate(row.score) and row.proved)
    depth = next(found, None)
    return min(depth + PLIES_AFTER, DEEPEST) if depth else 0


def compare_on_collection(
    runner: iterative_deepening.Runner,
    files: Sequence[tuple[str, Sequence[Problem]]],
    variants: Sequence[Variant],
    depth: int | None,
    table_entries: int,
) -> node_counts.CollectionCounts:
    """Run each variant on each problem of each file, until Ctrl-C.

    Without a depth, each problem is searched to the depth that its claim needs.
    """
    import chess

    problems = [problem for _, of_file in files for problem in of_file]
    rows: list[node_counts.ProblemCounts] = []
    searches, step = len(problems) * len(variants), variants[0].name
    with (
        signals.interruptible(runner),
        console.PrintedProgress(
            lambda: f"{step}, {runner.nodes:,} nodes", lambda: searches
        ) as progress,
    ):
        for problem in problems:
            board = chess.Board(problem.fen)
            plies = depth or _claimed_depth(problem, variants[0].techniques)
            outcomes = []
            for variant in variants:
                step = f"{printable(problem.id)}: {variant.name}"
                if outcome := runner.find_mate(board, variant.techniques, plies):
                    outcomes.append(outcome)
                progress.done += 1
            if runner.is_stopped():
                break
            rows.append(node_counts.ProblemCounts(problem, plies, tuple(outcomes)))
    return node_counts.CollectionCounts(
        table_entries,
        tuple(variants),
        tuple(rows),
        len(problems),
        tuple(
            node_counts.CollectionFile(name, len(of_file)) for name, of_file in files
        ),
    )


def print_record(
    counts: node_counts.PositionCounts | node_counts.CollectionCounts,
    guard: FormulaGuard | None,
    *,
    sums_only: bool,
) -> None:
    """Print CSV if there is a guard of its cells, otherwise JSON.

    With `sums_only`, a collection is printed as the variants' sums alone.
    """
    if isinstance(counts, node_counts.PositionCounts):
        record = node_counts.position_record(counts)
        csv = node_counts.position_csv(counts)
    else:
        record = node_counts.collection_record(counts, sums_only=sums_only)
        write = node_counts.summary_csv if sums_only else node_counts.collection_csv
        csv = write(counts)
    if guard:
        click.echo(guard.check(csv), nl=False)
        guard.report(console.notify)
    else:
        console.echo_json(record, 2)


def print_text(
    counts: node_counts.PositionCounts | node_counts.CollectionCounts, *, brief: bool
) -> None:
    """Print the counts; if `brief` or for many variants, only the summary."""
    screen = console.stdout_console()
    if isinstance(counts, node_counts.PositionCounts):
        screen.print(counts.fen, style="dim", soft_wrap=True)
        variants = [series.variant for series in counts.series]
        brief = brief or len(variants) > FEW_VARIANTS
        row = "A row is a depth."
        columns = count_tables.position_columns(counts)
        summary = (
            count_tables.position_summary(counts)
            if brief or len(variants) > 1
            else None
        )
        notes = count_tables.position_notes(counts, brief=brief)
    else:
        variants = [*counts.variants]
        brief = brief or len(variants) > FEW_VARIANTS
        row = "A row is a problem, with the nodes until each variant found its mate."
        columns = count_tables.collection_columns(counts)
        summary = count_tables.collection_summary(counts)
        notes = count_tables.collection_notes(counts, brief=brief)
    if not brief:
        screen.print(fit(screen, columns))
        if summary:
            screen.print()
    if summary:
        screen.print(summary.draw(screen))
    screen.print()
    rows = "A row is a variant, a search with these techniques:" if brief else row
    for note in (rows, *count_tables.name_techniques(variants), *notes):
        screen.print(note, style="dim")


def _claimed_depth(problem: Problem, techniques: Techniques) -> int:
    """Return the depth that shows a claimed mate, or the claimed absence of one."""
    claimed = problem.claim.mate if problem.claim else problem.no_mate
    if claimed is None:
        return UNCLAIMED_DEPTH
    depth = plies_of(claimed)
    if techniques.plies_seen(depth) < depth:
        depth += 1
    return min(depth, MAX_DEPTH)


# The command

DEFAULT_NODES = 10_000_000
"""The default node limit of each search of a collection, or without a depth."""

FEN_SLASHES = 7

_WORDS = f"{__name__}.words"

_FORMS = {"--json", "--csv", "--sums"}
_PAGE = "--html"
"""Options that change no count."""


class _Table(options.Command):
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
   65  a position, or a line of a collection, could not be read; or there is no
       line
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
@experiments.depth(
    f"Default: {len(node_counts.GLASS_ROWS)} for the published position; for another, "
    f"{PLIES_AFTER} plies beyond the depth at which every variant has found the mate, "
    f"{DEEPEST} at most; in a collection, as deep as the claim of each problem, or 8 "
    "without one."
)
@experiments.variant_options
@experiments.mip_table
@options.option(
    "--table-entries entries",
    "Entries in the transposition table of each search; 0: no table.",
    type=experiments.table_entries,
    default="2^18",
    show_default=True,
    metavar="N",
)
@experiments.nodes(
    "Default: no limit for the published position or with --depth or --time; else "
    f"{DEFAULT_NODES:,}."
)
@options.option(
    "--time time_s",
    "Stop each search after S seconds. Default: no limit.",
    type=options.seconds,
    metavar="S",
)
@options.json_record
@options.flag("--csv as_csv", "Print CSV.")
@options.escape_formulas
@options.flag("--sums sums_only", "Print only each variant's sums over a collection.")
@options.file(
    "--html",
    "Write a web page. The page explains the comparison with tables and curves.",
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
    escape_formulas: bool,
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

    options.require_csv(is_csv=as_csv, escapes=escape_formulas)

    from solver.formats.rows import FormulaGuard
    from solver.laboratory import iterative_deepening

    reads = [*files, mip_table] if mip_table else files
    console.prepare_outputs(html, reads=reads)
    console.prepare_laboratory()
    codes = {console.Exit.PROVED}
    collection = _read_problems(files, codes)
    if files and not collection:
        ctx.exit(console.foremost(codes))
    is_glass = files or not position
    fen = node_counts.GLASS_FEN
    if not is_glass:
        fen = console.read_position(position).board.fen()
    # Without one, the search loads the shipped table if it needs one.
    imbalance = experiments.load_table(mip_table) if mip_table else None
    if not position:
        depth = depth or len(node_counts.GLASS_ROWS)
    nodes = nodes or _default_nodes(files, depth, time_s)
    runner = iterative_deepening.Runner(
        iterative_deepening.Laboratory(entries, imbalance), nodes=nodes, time_s=time_s
    )
    counts: node_counts.PositionCounts | node_counts.CollectionCounts
    if files:
        counts = compare_on_collection(runner, collection, variants, depth, entries)
    else:
        counts = compare_on_position(runner, fen, variants, depth, entries, nodes)
    if as_json or as_csv:
        guard = FormulaGuard(escapes=escape_formulas) if as_csv else None
        print_record(counts, guard, sums_only=sums_only)
    else:
        print_text(counts, brief=is_ablation or sums_only)
    if html:
        from solver.pages import laboratory_pages

        write_whole(html, laboratory_pages.encode_counts(counts, _command_line(ctx)))
    if runner.is_stopped():
        console.notify("interrupted")
        codes.add(console.Exit.INTERRUPTED)
    ctx.exit(console.foremost(codes | _codes_of(counts)))


def _default_nodes(
    files: Sequence[str], depth: int | None, time_s: float | None
) -> int | None:
    """Return the node limit of a comparison that might not end without one."""
    return DEFAULT_NODES if files or not (depth or time_s) else None


def _codes_of(
    counts: node_counts.PositionCounts | node_counts.CollectionCounts,
) -> set[console.Exit]:
    """Return the exit codes of the results, besides 0."""
    codes = {
        console.Exit.NEGATIVE: counts.is_contradictory,
        console.Exit.LIMIT: not counts.is_complete,
    }
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


def _read_problems(
    files: Sequence[str], codes: set[console.Exit]
) -> list[tuple[str, list[Problem]]]:
    """Read the problems about mates, and report the other records.

    Returns
    -------
    list of tuple
        The name and the problems of each file that has any.
    """
    problems: list[list[Problem]] = [[] for _ in files]
    others = 0
    reading = auditing.Inputs(files, is_quiet=True)
    for record in reading:
        if isinstance(record, errors.FormatError):
            console.notify(f"error: {record}")
            codes.add(console.Exit.BAD_INPUT)
        elif not record.stipulation.is_direct_mate:
            others += 1
        else:
            problems[reading.finished].append(record)
    codes |= reading.codes
    if others:
        console.notify(f"{others:,} records skipped, because they are not about a mate")
    return [
        (streams.name_of(file), found)
        for file, found in zip(files, problems, strict=True)
        if found
    ]
