"""Node counts for programs: JSON and CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from solver import __version__
from solver.laboratory.comparison import glass_row
from solver.laboratory.imbalance import VERSION
from solver.laboratory.material import CELLS, find_cell, material_of
from solver.laboratory.results import mate_distance, score_word
from solver.solution import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from solver.laboratory.comparison import Ladder, Survey, Total, Trial
    from solver.laboratory.imbalance import ImbalanceTable
    from solver.laboratory.material import Material
    from solver.laboratory.results import Iteration, Outcome
    from solver.laboratory.techniques import Variant


# Material-imbalance tables for programs: a JSON object for a cell, or for a table.

_COUNTED = ("positions", "wins", "draws", "losses", "per_cent", "word")


def cell_record(table: ImbalanceTable, material: Material) -> dict[str, object]:
    """Make the record of what a table holds for a material.

    Parameters
    ----------
    table : ImbalanceTable
    material : Material
        It may have more men than cells are for.

    Returns
    -------
    dict
        What `json.dumps` takes. `balance` is in pawns and, like the results, White's;
        without a cell, it and what it would hold is None, without positions `per_cent`.
    """
    return {"schema": SCHEMA, **_cell(table, material), "solver": __version__}


def table_record(table: ImbalanceTable, most: int) -> dict[str, object]:
    """Make the record of a table.

    Parameters
    ----------
    table : ImbalanceTable
    most : int
        How many of the cells with the most positions to list.

    Returns
    -------
    dict
        What `json.dumps` takes; see `Coverage` for the counts.
    """
    coverage = table.coverage()
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "source": table.source,
        "positions": coverage.positions,
        "ignored": coverage.ignored,
        "cells": CELLS,
        "filled": coverage.filled,
        "decided": coverage.decided,
        "decided_positions": coverage.decided_positions,
        "most_frequent": [
            _cell(table, material_of(cell)) for cell in table.most_frequent(most)
        ],
        "sha256": table.checksum(),
        "solver": __version__,
    }


def _cell(table: ImbalanceTable, material: Material) -> dict[str, object]:
    cell = find_cell(material)
    counted: dict[str, object] = dict.fromkeys(_COUNTED)
    if cell is not None:
        outcomes = table.outcomes(cell)
        counted = {name: getattr(outcomes, name) for name in _COUNTED}
    return {
        "material": str(material),
        "balance": material.balance(),
        "cell": cell,
        **counted,
    }


# Material-imbalance tables for people.


def counted(number: int, noun: str) -> str:
    """Write a number and a noun that takes an s: `1 cell`, `2,000 cells`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def describe_cell(table: ImbalanceTable, material: Material) -> list[str]:
    """Tell in a few lines what a table holds for a material."""
    cell = find_cell(material)
    if cell is None:
        return [
            f"{material}: out of range",
            "there are cells for at most 1 queen, 2 rooks, 2 bishops, 2 knights and "
            "8 pawns a side",
        ]
    outcomes = table.outcomes(cell)
    number = f"cell {cell:,}, word 0x{outcomes.word:08x}"
    balance = _balance(material)
    if outcomes.per_cent is None:
        return [f"{material}: no positions", number, balance]
    return [
        f"{material}: {counted(outcomes.positions, 'position')}, "
        f"White scored {outcomes.per_cent} per cent",
        f"{outcomes.wins:,} won, {outcomes.draws:,} drawn, {outcomes.losses:,} lost",
        number,
        balance,
    ]


def describe_table(table: ImbalanceTable, most: int) -> list[str]:
    """Tell what a table holds in all, and the cells with the most positions.

    Parameters
    ----------
    table : ImbalanceTable
    most : int
        How many of those cells to list.
    """
    coverage = table.coverage()
    decided = counted(coverage.decided_positions, "position")
    lines = [
        f"source     {table.source or 'none given'}",
        f"version    {VERSION}",
        f"positions  {coverage.positions:,}, and {coverage.ignored:,} out of range",
        f"cells      {coverage.filled:,} of {CELLS:,} filled",
        f"decided    {coverage.decided:,} of these, with {decided}: "
        "all won or all lost",
        f"sha-256    {table.checksum()}",
    ]
    frequent = _most_frequent(table, most)
    return [*lines, "", *frequent] if frequent else lines


def _most_frequent(table: ImbalanceTable, most: int) -> list[str]:
    cells = table.most_frequent(most)
    names = [str(material_of(cell)) for cell in cells]
    outcomes = [table.outcomes(cell) for cell in cells]
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
        ahead = f"{side} is {counted(abs(pawns), 'pawn')} ahead"
    if abs(pawns) <= 1:
        return f"{ahead}: within one pawn, where a search does not look it up"
    return ahead


COUNTED = ("score", "nodes", "nodes_total", "settled", "proved")
TRIED = ("mate", "nodes", "nodes_total", "settled", "proved", "complete")
GLASS = ("score", "off", "on")
"""Columns of a CSV: for each variant of a position, of a collection, and for Glass."""


def ladder_record(ladder: Ladder) -> dict[str, object]:
    """Make the record of one position.

    Parameters
    ----------
    ladder : Ladder

    Returns
    -------
    dict
        What `json.dumps` takes. A row holds the variants that reached its depth; a
        `score` is centipawns, or `M8`; `settled` and `proved` are None where no mate
        is told.
    """
    return {
        "schema": SCHEMA,
        "fen": ladder.fen,
        "table_entries": ladder.table_entries,
        "complete": ladder.is_complete,
        "contradictory": ladder.is_contradictory,
        "techniques": _techniques(series.variant for series in ladder.series),
        "rows": [_row(ladder, depth) for depth in ladder.depths],
        "solver": __version__,
    }


def survey_record(survey: Survey) -> dict[str, object]:
    """Make the record of a collection.

    Parameters
    ----------
    survey : Survey

    Returns
    -------
    dict
        What `json.dumps` takes. A `mate` is in moves, negative when the side to move
        is mated, None when none was told; it is there only if `proved`.
    """
    return {
        "schema": SCHEMA,
        "table_entries": survey.table_entries,
        "complete": survey.is_complete,
        "contradictory": survey.is_contradictory,
        "techniques": _techniques(survey.variants),
        "problems": [_problem(survey, trial) for trial in survey.trials],
        "totals": {total.variant.name: _total(total) for total in survey.totals()},
        "solver": __version__,
    }


def ladder_csv(ladder: Ladder) -> str:
    """Write one position's rows as CSV: columns named `off.nodes` for each variant."""
    with_glass = any(glass_row(ladder.fen, depth) for depth in ladder.depths)
    head = ["depth", *_columns((s.variant for s in ladder.series), COUNTED)]
    if with_glass:
        head += [f"glass.{name}" for name in GLASS]
    rows = []
    for depth in ladder.depths:
        cells: list[object] = [depth]
        for series in ladder.series:
            iteration = series.at(depth)
            cells += _cells(_count(iteration) if iteration else {}, COUNTED)
        if with_glass:
            cells += _cells(_glass(ladder.fen, depth), GLASS)
        rows.append(cells)
    return _csv(head, rows)


def survey_csv(survey: Survey) -> str:
    """Write a collection's rows as CSV: columns named `off.nodes` for each variant."""
    head = [
        *("id", "fen", "claim"),
        *_columns(survey.variants, TRIED),
        "same_answer",
    ]
    rows = []
    for trial in survey.trials:
        claim = trial.problem.claim
        cells: list[object] = [trial.problem.id, trial.problem.fen]
        cells.append(claim.mate if claim else None)
        for outcome in trial.outcomes:
            cells += _cells(_tried(outcome), TRIED)
        rows.append([*cells, trial.same_answer])
    return _csv(head, rows)


def _row(ladder: Ladder, depth: int) -> dict[str, object]:
    variants = {
        series.variant.name: _count(iteration)
        for series in ladder.series
        if (iteration := series.at(depth))
    }
    row: dict[str, object] = {"depth": depth, "variants": variants}
    if glass := _glass(ladder.fen, depth):
        row["glass"] = glass
    return row


def _count(iteration: Iteration) -> dict[str, object]:
    mated = mate_distance(iteration.score) is not None
    return {
        "score": score_word(iteration.score) if mated else iteration.score,
        "nodes": iteration.nodes,
        "nodes_total": iteration.nodes_total,
        "settled": iteration.settled if mated else None,
        "proved": iteration.proved if mated else None,
        "move": iteration.move,
    }


def _glass(fen: str, depth: int) -> dict[str, object]:
    row = glass_row(fen, depth)
    return {"score": row.score, "off": row.off, "on": row.on} if row else {}


def _problem(survey: Survey, trial: Trial) -> dict[str, object]:
    problem = trial.problem
    return {
        "id": problem.id,
        "fen": problem.fen,
        "claim": problem.claim.mate if problem.claim else None,
        "depth": trial.depth,
        "variants": {
            variant.name: _tried(outcome)
            for variant, outcome in zip(survey.variants, trial.outcomes, strict=True)
        },
        "same_answer": trial.same_answer,
    }


def _tried(outcome: Outcome) -> dict[str, object]:
    return {name: getattr(outcome, name) for name in TRIED}


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
    """Tell what each name stands for, in the words of the command line."""
    told: dict[str, object] = {}
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
        told[variant.name] = {**settings, "sound": techniques.is_sound}
    return told


def _columns(variants: Iterable[Variant], names: Sequence[str]) -> Iterator[str]:
    for variant in variants:
        yield from (f"{variant.name}.{name}" for name in names)


def _cells(record: dict[str, object], names: Sequence[str]) -> list[object]:
    return [record.get(name) for name in names]


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write lines that end in a line feed; yes and no are `true` and `false`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow(
            str(cell).lower() if isinstance(cell, bool) else cell for cell in row
        )
    return text.getvalue()
