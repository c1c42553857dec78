"""Run the variants of `matesolve table` on a position or collection; print counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess
import click

from solver.cli.console import echo_json, stdout_console
from solver.cli.progress import PrintedProgress
from solver.cli.signals import interruptible
from solver.laboratory.count_notes import collection_notes, position_notes
from solver.laboratory.count_records import (
    collection_csv,
    collection_record,
    position_csv,
    position_record,
    summary_csv,
)
from solver.laboratory.count_tables import (
    collection_columns,
    collection_summary,
    position_columns,
    position_summary,
)
from solver.laboratory.mate_scores import (
    DEEPEST,
    MAX_DEPTH,
    PLIES_AFTER,
    is_mate,
    plies_of,
)
from solver.laboratory.node_counts import (
    CollectionCounts,
    CollectionFile,
    PositionCounts,
    ProblemCounts,
    Series,
)
from solver.output.columns import fit
from solver.problem import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.laboratory.iterative_deepening import Runner
    from solver.laboratory.mate_scores import Iteration
    from solver.laboratory.techniques import Techniques, Variant
    from solver.problem import Problem

UNCLAIMED_DEPTH = 8
"""The default depth for a problem without a claim."""

FEW_VARIANTS = 6
"""With more variants, only the summary is printed: full rows would be too long."""


def compare_on_position(
    runner: Runner,
    fen: str,
    variants: Sequence[Variant],
    depth: int | None,
    table_entries: int,
    node_limit: int | None,
) -> PositionCounts:
    """Deepen one position with each variant, until a limit or Ctrl-C stops it.

    Without a depth, all variants go `PLIES_AFTER` plies beyond the iteration in which
    the last of them finds a mate, to `DEEPEST` at most. Those that end earlier, because
    they find it earlier than others, are searched again.
    """
    board = chess.Board(fen)
    step, total = variants[0].name, len(variants) * depth if depth else None
    with (
        interruptible(runner),
        PrintedProgress(
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
        Series(variant, tuple(rows[:last]))
        for variant, rows in zip(variants, found, strict=True)
    )
    return PositionCounts(fen, last, table_entries, tuple(series), node_limit)


def _goal(rows: Sequence[Iteration]) -> int:
    """Return where a search may end without a depth; 0: it has not found a mate."""
    found = (row.depth for row in rows if is_mate(row.score) and row.proved)
    depth = next(found, None)
    return min(depth + PLIES_AFTER, DEEPEST) if depth else 0


def compare_on_collection(
    runner: Runner,
    files: Sequence[tuple[str, Sequence[Problem]]],
    variants: Sequence[Variant],
    depth: int | None,
    table_entries: int,
) -> CollectionCounts:
    """Run each variant on each problem of each file, until Ctrl-C.

    Without a depth, each problem is searched to the depth that its claim needs.
    """
    problems = [problem for _, of_file in files for problem in of_file]
    rows: list[ProblemCounts] = []
    searches, step = len(problems) * len(variants), variants[0].name
    with (
        interruptible(runner),
        PrintedProgress(
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
            rows.append(ProblemCounts(problem, plies, tuple(outcomes)))
    return CollectionCounts(
        table_entries,
        tuple(variants),
        tuple(rows),
        len(problems),
        tuple(CollectionFile(name, len(of_file)) for name, of_file in files),
    )


def print_json(counts: PositionCounts | CollectionCounts, *, sums_only: bool) -> None:
    """Print the record of the counts; with `sums_only`, without the problems."""
    if isinstance(counts, PositionCounts):
        echo_json(position_record(counts), 2)
    else:
        echo_json(collection_record(counts, sums_only=sums_only), 2)


def print_csv(counts: PositionCounts | CollectionCounts, *, sums_only: bool) -> None:
    """Print the rows of the counts; with `sums_only`, the sums of each variant."""
    if isinstance(counts, PositionCounts):
        csv = position_csv(counts)
    else:
        csv = summary_csv(counts) if sums_only else collection_csv(counts)
    click.echo(csv, nl=False)


def print_text(counts: PositionCounts | CollectionCounts, *, brief: bool) -> None:
    """Print the counts; if `brief` or for many variants, only the summary."""
    console = stdout_console()
    if isinstance(counts, PositionCounts):
        console.print(counts.fen, style="dim", soft_wrap=True)
        variants = len(counts.series)
        brief = brief or variants > FEW_VARIANTS
        columns = position_columns(counts)
        summary = position_summary(counts) if brief or variants > 1 else None
        notes = position_notes(counts, brief=brief)
    else:
        brief = brief or len(counts.variants) > FEW_VARIANTS
        columns = collection_columns(counts)
        summary = collection_summary(counts)
        notes = collection_notes(counts, brief=brief)
    if not brief:
        console.print(fit(console, columns))
        if summary:
            console.print()
    if summary:
        console.print(summary.draw(console))
    console.print()
    for note in notes:
        console.print(note, style="dim")


def _claimed_depth(problem: Problem, techniques: Techniques) -> int:
    """Return the depth that shows a claimed mate, or the claimed absence of one."""
    claimed = problem.claim.mate if problem.claim else problem.no_mate
    if claimed is None:
        return UNCLAIMED_DEPTH
    depth = plies_of(claimed)
    if techniques.plies_seen(depth) < depth:
        depth += 1
    return min(depth, MAX_DEPTH)
