"""Records of node counts (JSON, CSV) and of material-imbalance tables (JSON, text)."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from solver import __version__
from solver.laboratory.comparison import glass_row
from solver.laboratory.imbalance import VERSION
from solver.laboratory.material import CELLS, find_cell, material_of
from solver.laboratory.results import format_score, mate_distance
from solver.laboratory.techniques import conditions_of
from solver.solution import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from solver.laboratory.comparison import (
        CollectionCounts,
        PositionCounts,
        ProblemCounts,
        Total,
    )
    from solver.laboratory.imbalance import ImbalanceTable
    from solver.laboratory.material import Material
    from solver.laboratory.results import Iteration, Outcome
    from solver.laboratory.techniques import Variant


ITERATION_COLUMNS = ("score", "nodes", "nodes_total", "settled", "proved")
OUTCOME_COLUMNS = ("mate", "nodes", "nodes_total", "settled", "proved", "complete")
GLASS_COLUMNS = ("score", "off", "on")
"""Columns of a CSV: for each variant of a position, of a collection, and for Glass."""


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


def collection_record(counts: CollectionCounts) -> dict[str, object]:
    """Return the record of a collection.

    Parameters
    ----------
    counts : CollectionCounts

    Returns
    -------
    dict
        JSON values. A `mate` is in moves, negative when the side to move is mated, None
        if none was found. It is certain to exist only if `proved`.
    """
    return {
        "schema": SCHEMA,
        "table_entries": counts.table_entries,
        "complete": counts.is_complete,
        "contradictory": counts.is_contradictory,
        "techniques": _techniques(counts.variants),
        "problems": [_problem(counts, row) for row in counts.rows],
        "totals": {total.variant.name: _total(total) for total in counts.totals()},
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
        "same_answer",
    ]
    rows = []
    for row in counts.rows:
        claim = row.problem.claim
        cells: list[object] = [row.problem.id, row.problem.fen]
        cells.append(claim.mate if claim else None)
        for outcome in row.outcomes:
            cells += _cells(_outcome(outcome), OUTCOME_COLUMNS)
        rows.append([*cells, row.same_answer])
    return _csv(head, rows)


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


def _total(total: Total) -> dict[str, object]:
    return {
        "found": total.found,
        "unproved": total.unproved,
        "stopped": total.stopped,
        "differing": total.differing,
        "nodes_total": total.nodes_total,
        "ratio": total.ratio,
        "compared": total.compared,
    }


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


_CELL_FIELDS = ("positions", "wins", "draws", "losses", "per_cent", "word")


def cell_record(imbalance: ImbalanceTable, material: Material) -> dict[str, object]:
    """Return the record of one material in a material-imbalance table.

    Parameters
    ----------
    imbalance : ImbalanceTable
    material : Material
        It may have more pieces than any cell.

    Returns
    -------
    dict
        JSON values. `balance` is in pawns and, like the results, from White's point of
        view. Without a cell, `cell` and its counts are None; without positions,
        `per_cent` is None.
    """
    return {"schema": SCHEMA, **_cell(imbalance, material), "solver": __version__}


def imbalance_record(imbalance: ImbalanceTable, most: int) -> dict[str, object]:
    """Return the record of a material-imbalance table.

    Parameters
    ----------
    imbalance : ImbalanceTable
    most : int
        The number of cells to list, those with the most positions first.

    Returns
    -------
    dict
        JSON values; see `Coverage` for the counts.
    """
    coverage = imbalance.coverage()
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "source": imbalance.source,
        "positions": coverage.positions,
        "ignored": coverage.ignored,
        "cells": CELLS,
        "filled": coverage.filled,
        "decided": coverage.decided,
        "decided_positions": coverage.decided_positions,
        "most_frequent": [
            _cell(imbalance, material_of(cell))
            for cell in imbalance.most_frequent(most)
        ],
        "sha256": imbalance.checksum(),
        "solver": __version__,
    }


def _cell(imbalance: ImbalanceTable, material: Material) -> dict[str, object]:
    cell = find_cell(material)
    counted: dict[str, object] = dict.fromkeys(_CELL_FIELDS)
    if cell is not None:
        outcomes = imbalance.outcomes(cell)
        counted = {name: getattr(outcomes, name) for name in _CELL_FIELDS}
    return {
        "material": str(material),
        "balance": material.balance(),
        "cell": cell,
        **counted,
    }


def with_noun(number: int, noun: str) -> str:
    """Write a number and a noun with its plural s: `1 cell`, `2,000 cells`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def describe_cell(imbalance: ImbalanceTable, material: Material) -> list[str]:
    """Describe one material in a material-imbalance table, in a few lines."""
    cell = find_cell(material)
    if cell is None:
        return [
            f"{material}: out of range",
            "a cell has at most 1 queen, 2 rooks, 2 bishops, 2 knights and 8 pawns a "
            "side",
        ]
    outcomes = imbalance.outcomes(cell)
    number = f"cell {cell:,}, word 0x{outcomes.word:08x}"
    balance = _balance(material)
    if outcomes.per_cent is None:
        return [f"{material}: no positions", number, balance]
    return [
        f"{material}: {with_noun(outcomes.positions, 'position')}, "
        f"White scored {outcomes.per_cent} per cent",
        f"{outcomes.wins:,} won, {outcomes.draws:,} drawn, {outcomes.losses:,} lost",
        number,
        balance,
    ]


def describe_imbalance(imbalance: ImbalanceTable, most: int) -> list[str]:
    """Describe a material-imbalance table and list its most frequent materials.

    Parameters
    ----------
    imbalance : ImbalanceTable
    most : int
        The number of cells to list, those with the most positions first.
    """
    coverage = imbalance.coverage()
    decided = with_noun(coverage.decided_positions, "position")
    lines = [
        f"source     {imbalance.source or 'none given'}",
        f"version    {VERSION}",
        f"positions  {coverage.positions:,}, and {coverage.ignored:,} out of range",
        f"cells      {coverage.filled:,} of {CELLS:,} filled",
        f"decided    {coverage.decided:,} of these, with {decided}: "
        "all won or all lost",
        f"sha-256    {imbalance.checksum()}",
    ]
    frequent = _most_frequent(imbalance, most)
    return [*lines, "", *frequent] if frequent else lines


def _most_frequent(imbalance: ImbalanceTable, most: int) -> list[str]:
    cells = imbalance.most_frequent(most)
    names = [str(material_of(cell)) for cell in cells]
    outcomes = [imbalance.outcomes(cell) for cell in cells]
    positions = [f"{counts.positions:,}" for counts in outcomes]
    name_width = max(map(len, names), default=0)
    width = max(map(len, positions), default=0)
    return [
        f"{name:<{name_width}}  {number:>{width}}  {counts.per_cent:>3}%"
        for name, number, counts in zip(names, positions, outcomes, strict=True)
    ]


def _balance(material: Material) -> str:
    pawns = material.balance()
    if not pawns:
        ahead = "neither side is ahead"
    else:
        side = "White" if pawns > 0 else "Black"
        ahead = f"{side} is {with_noun(abs(pawns), 'pawn')} ahead"
    if abs(pawns) <= 1:
        return f"{ahead}; the search uses only differences of more than one pawn"
    return ahead
