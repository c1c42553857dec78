"""Records of node counts: JSON and CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from solver import __version__
from solver.laboratory.mate_scores import is_mate, score_value
from solver.laboratory.node_counts import Total, glass_row
from solver.laboratory.techniques import conditions_of
from solver.solution import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.laboratory.mate_scores import Iteration, Outcome
    from solver.laboratory.node_counts import (
        CollectionCounts,
        PositionCounts,
        ProblemCounts,
    )
    from solver.laboratory.techniques import Variant


ITERATION_COLUMNS = ("score", "nodes", "nodes_total", "settled", "proved")
OUTCOME_COLUMNS = ("mate", "nodes", "nodes_total", "settled", "proved", "complete")
GLASS_COLUMNS = ("score", "off", "on")
"""Columns of a CSV: for each variant of a position, of a collection, and for Glass."""

TOTAL_COLUMNS = tuple(field.name for field in fields(Total) if field.name != "variant")
"""The fields of a `Total`, of its record and of its row in a CSV."""


def position_record(counts: PositionCounts) -> dict[str, Any]:
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
        "depth": counts.depth,
        "node_limit": counts.node_limit,
        "table_entries": counts.table_entries,
        "complete": counts.is_complete,
        "contradictory": counts.is_contradictory,
        "techniques": _techniques(series.variant for series in counts.series),
        "rows": [_row(counts, depth) for depth in counts.depths],
        "solver": __version__,
    }


def collection_record(
    counts: CollectionCounts, *, sums_only: bool = False
) -> dict[str, Any]:
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
    names = [series.variant.name for series in counts.series]
    head = ["depth", *_columns(names, ITERATION_COLUMNS)]
    rows = [_row(counts, depth) for depth in counts.depths]
    if any("glass" in row for row in rows):
        head += _columns(["glass"], GLASS_COLUMNS)
    return _csv(head, rows)


def collection_csv(counts: CollectionCounts) -> str:
    """Write the rows of a collection as CSV, with columns such as `off.nodes`."""
    names = [variant.name for variant in counts.variants]
    columns = _columns(names, OUTCOME_COLUMNS)
    head = ["id", "fen", "claim", *columns, "same_answer", "source"]
    return _csv(head, (_problem(counts, row) for row in counts.rows))


def summary_csv(counts: CollectionCounts) -> str:
    """Write each variant's sums as CSV, over each file and over all files."""
    rows = (
        {"file": name, "variant": total.variant.name, **_total(total)}
        for name, part in [*counts.parts(), ("", counts)]
        for total in part.totals()
    )
    return _csv(["file", "variant", *TOTAL_COLUMNS], rows)


def _row(counts: PositionCounts, depth: int) -> dict[str, Any]:
    variants = {
        series.variant.name: _iteration(iteration)
        for series in counts.series
        if (iteration := series.at(depth))
    }
    row: dict[str, Any] = {"depth": depth, "variants": variants}
    if glass := glass_row(counts.fen, depth):
        row["glass"] = {name: getattr(glass, name) for name in GLASS_COLUMNS}
    return row


def _iteration(iteration: Iteration) -> dict[str, Any]:
    mated = is_mate(iteration.score)
    return {
        "score": score_value(iteration.score),
        "nodes": iteration.nodes,
        "nodes_total": iteration.nodes_total,
        "settled": iteration.is_shortest if mated else None,
        "proved": iteration.proved if mated else None,
        "move": iteration.move,
    }


def _problem(counts: CollectionCounts, row: ProblemCounts) -> dict[str, Any]:
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


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "mate": outcome.mate,
        "nodes": outcome.nodes,
        "nodes_total": outcome.nodes_total,
        "settled": outcome.is_shortest,
        "proved": outcome.proved,
        "complete": outcome.complete,
    }


def _totals(counts: CollectionCounts) -> dict[str, Any]:
    return {total.variant.name: _total(total) for total in counts.totals()}


def _total(total: Total) -> dict[str, Any]:
    return {name: getattr(total, name) for name in TOTAL_COLUMNS}


def _techniques(variants: Iterable[Variant]) -> dict[str, Any]:
    """Return the settings of each variant, as the command line names them."""
    records: dict[str, object] = {}
    for variant in variants:
        techniques = variant.techniques
        settings: dict[str, object] = {**variant.choice._asdict()}
        if techniques.pruned_nodes:
            for name in ("null_reduction", "cuts", "tries"):
                settings[name] = getattr(techniques, name)
        if techniques.mip:
            settings["mip_positions"] = techniques.mip_positions
        settings["aspiration"] = techniques.aspiration
        settings |= conditions_of(techniques)
        records[variant.name] = {**settings, "sound": techniques.is_sound}
    return records


def _columns(names: Iterable[str], fields: Sequence[str]) -> list[str]:
    return [f"{name}.{field}" for name in names for field in fields]


def _csv(head: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    """Write fields of records as lines that end in a line feed.

    `off.nodes` is the field `nodes` of the variant `off`. Booleans are `true` and
    `false`.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        groups = {**row.get("variants", {}), "glass": row.get("glass", {})}
        cells = row | {
            f"{name}.{field}": value
            for name, group in groups.items()
            for field, value in group.items()
        }
        values = (cells.get(column) for column in head)
        writer.writerow(
            str(value).lower() if isinstance(value, bool) else value for value in values
        )
    return text.getvalue()
