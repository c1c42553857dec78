"""Records of node counts: JSON and CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from solver import __version__
from solver.laboratory.mate_scores import format_score, mate_distance
from solver.laboratory.node_counts import glass_row
from solver.laboratory.techniques import conditions_of
from solver.solution import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from solver.laboratory.mate_scores import Iteration, Outcome
    from solver.laboratory.node_counts import (
        CollectionCounts,
        PositionCounts,
        ProblemCounts,
        Total,
    )
    from solver.laboratory.techniques import Variant


ITERATION_COLUMNS = ("score", "nodes", "nodes_total", "settled", "proved")
OUTCOME_COLUMNS = ("mate", "nodes", "nodes_total", "settled", "proved", "complete")
GLASS_COLUMNS = ("score", "off", "on")
"""Columns of a CSV: for each variant of a position, of a collection, and for Glass."""

TOTAL_COLUMNS = (
    "found",
    "unproved",
    "stopped",
    "differing",
    "nodes_total",
    "ratio",
    "compared",
)
"""The fields of a `Total`, which are those of its record and of its row in a CSV."""


def position_record(counts: PositionCounts) -> dict[str, object]:
    """Return the record of one position.

    Parameters
    ----------
    counts : PositionCounts

    Returns
    -------
    dict
        JSON values. A row holds the variants that completed its depth. A `score` is
        centipawns, or `M8`. `settled` (no shorter mate exists) and `proved` are None
        if the score is no mate.
    """
    return {
        "schema": SCHEMA,
        "fen": counts.fen,
        "table_entries": counts.table_entries,
        "complete": counts.is_complete,
        "contradictory": counts.is_contradictory,
        "techniques": _techniques(series.variant for series in counts.series),
        "rows": [_row(counts, depth) for depth in counts.depths],
        "solver": __version__,
    }


def collection_record(
    counts: CollectionCounts, *, sums_only: bool = False
) -> dict[str, object]:
    """Return the record of a collection.

    Parameters
    ----------
    counts : CollectionCounts
    sums_only : bool
        Leave out `problems`.

    Returns
    -------
    dict
        JSON values. A `mate` is in moves, negative when the side to move is mated, None
        if none was found. It is certain to exist only if `proved`.
    """
    problems = [_problem(counts, row) for row in counts.rows]
    return {
        "schema": SCHEMA,
        "table_entries": counts.table_entries,
        "complete": counts.is_complete,
        "contradictory": counts.is_contradictory,
        "techniques": _techniques(counts.variants),
        **({} if sums_only else {"problems": problems}),
        "totals": _totals(counts),
        "files": [
            {"file": name, "problems": part.problems, "totals": _totals(part)}
            for name, part in counts.parts()
        ],
        "solver": __version__,
    }


def position_csv(counts: PositionCounts) -> str:
    """Write the rows of a position as CSV, with columns such as `off.nodes`."""
    with_glass = any(glass_row(counts.fen, depth) for depth in counts.depths)
    head = ["depth", *_columns((s.variant for s in counts.series), ITERATION_COLUMNS)]
    if with_glass:
        head += [f"glass.{name}" for name in GLASS_COLUMNS]
    rows = []
    for depth in counts.depths:
        cells: list[object] = [depth]
        for series in counts.series:
            iteration = series.at(depth)
            cells += _cells(
                _iteration(iteration) if iteration else {}, ITERATION_COLUMNS
            )
        if with_glass:
            cells += _cells(_glass(counts.fen, depth), GLASS_COLUMNS)
        rows.append(cells)
    return _csv(head, rows)


def collection_csv(counts: CollectionCounts) -> str:
    """Write the rows of a collection as CSV, with columns such as `off.nodes`."""
    head = [
        *("id", "fen", "claim"),
        *_columns(counts.variants, OUTCOME_COLUMNS),
        *("same_answer", "source"),
    ]
    rows = []
    for row in counts.rows:
        claim = row.problem.claim
        cells: list[object] = [row.problem.id, row.problem.fen]
        cells.append(claim.mate if claim else None)
        for outcome in row.outcomes:
            cells += _cells(_outcome(outcome), OUTCOME_COLUMNS)
        rows.append([*cells, row.same_answer, row.problem.source])
    return _csv(head, rows)


def summary_csv(counts: CollectionCounts) -> str:
    """Write the sums of each variant as CSV: of each file, and of all together."""
    parts = [*counts.parts(), ("", counts)]
    rows = [
        [name, total.variant.name, *_cells(_total(total), TOTAL_COLUMNS)]
        for name, part in parts
        for total in part.totals()
    ]
    return _csv(["file", "variant", *TOTAL_COLUMNS], rows)


def _row(counts: PositionCounts, depth: int) -> dict[str, object]:
    variants = {
        series.variant.name: _iteration(iteration)
        for series in counts.series
        if (iteration := series.at(depth))
    }
    row: dict[str, object] = {"depth": depth, "variants": variants}
    if glass := _glass(counts.fen, depth):
        row["glass"] = glass
    return row


def _iteration(iteration: Iteration) -> dict[str, object]:
    mated = mate_distance(iteration.score) is not None
    return {
        "score": format_score(iteration.score) if mated else iteration.score,
        "nodes": iteration.nodes,
        "nodes_total": iteration.nodes_total,
        "settled": iteration.is_shortest if mated else None,
        "proved": iteration.proved if mated else None,
        "move": iteration.move,
    }


def _glass(fen: str, depth: int) -> dict[str, object]:
    row = glass_row(fen, depth)
    return {"score": row.score, "off": row.off, "on": row.on} if row else {}


def _problem(counts: CollectionCounts, row: ProblemCounts) -> dict[str, object]:
    problem = row.problem
    return {
        "id": problem.id,
        "fen": problem.fen,
        "claim": problem.claim.mate if problem.claim else None,
        "depth": row.depth,
        "variants": {
            variant.name: _outcome(outcome)
            for variant, outcome in zip(counts.variants, row.outcomes, strict=True)
        },
        "same_answer": row.same_answer,
        "source": problem.source,
    }


def _outcome(outcome: Outcome) -> dict[str, object]:
    return {
        "mate": outcome.mate,
        "nodes": outcome.nodes,
        "nodes_total": outcome.nodes_total,
        "settled": outcome.is_shortest,
        "proved": outcome.proved,
        "complete": outcome.complete,
    }


def _totals(counts: CollectionCounts) -> dict[str, object]:
    return {total.variant.name: _total(total) for total in counts.totals()}


def _total(total: Total) -> dict[str, object]:
    return {name: getattr(total, name) for name in TOTAL_COLUMNS}


def _techniques(variants: Iterable[Variant]) -> dict[str, object]:
    """Return the settings of each variant, as the command line names them."""
    records: dict[str, object] = {}
    for variant in variants:
        techniques = variant.techniques
        settings: dict[str, object] = {**variant.choice._asdict()}
        if techniques.pruning:
            settings["null_reduction"] = techniques.pruning.null_reduction
            settings["cuts"] = techniques.pruning.cuts
            settings["tries"] = techniques.pruning.tries
        if techniques.mip:
            settings["mip_positions"] = techniques.mip_positions
        settings["aspiration"] = techniques.aspiration
        settings |= conditions_of(techniques)
        records[variant.name] = {**settings, "sound": techniques.is_sound}
    return records


def _columns(variants: Iterable[Variant], names: Sequence[str]) -> Iterator[str]:
    for variant in variants:
        yield from (f"{variant.name}.{name}" for name in names)


def _cells(record: dict[str, object], names: Sequence[str]) -> list[object]:
    return [record.get(name) for name in names]


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write lines that end in a line feed; booleans are `true` and `false`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow(
            str(cell).lower() if isinstance(cell, bool) else cell for cell in row
        )
    return text.getvalue()
