"""Records of material-imbalance tables and of their reliability: JSON and text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver import __version__
from solver.laboratory.imbalance_file import VERSION
from solver.laboratory.material import CELLS, find_cell, material_of
from solver.laboratory.reliability import TRUSTED
from solver.output.columns import Column, fit
from solver.solution import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console, RenderableType

    from solver.laboratory.imbalance import ImbalanceTable
    from solver.laboratory.material import Material
    from solver.laboratory.reliability import Bucket, Reliability, Tally

VIEWS = {"folded": "Both colours folded", "white": "White's view"}
"""The views of a table whose reliability is measured, with their titles."""

RELIABILITY_NOTE = (
    "in cell: positions of the material table. error: mean distance between the score "
    "of the cell and the result, in per cent; Brier: mean of the squares, as shares. "
    "decided: held-out positions in cells that were always won or always lost; "
    "rounded: in cells that round to 0 or 100 per cent. right: the share of these "
    "whose game ended so."
)

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


def reliability_record(
    imbalance: ImbalanceTable,
    held_out: ImbalanceTable,
    views: Mapping[str, Reliability],
    least_balance: int,
) -> dict[str, object]:
    """Return the record of how well a table predicts held-out games.

    Parameters
    ----------
    imbalance, held_out : ImbalanceTable
    views : mapping of str to Reliability
        By name.
    least_balance : int
        Positions with a smaller difference in pawns were left out.

    Returns
    -------
    dict
        JSON values. Errors and shares are from 0 to 1, and None without positions.
    """
    return {
        "schema": SCHEMA,
        "table": imbalance.source,
        "table_positions": imbalance.coverage().positions,
        "sha256": imbalance.checksum(),
        "held_out": held_out.coverage().positions,
        "out_of_range": held_out.ignored,
        "least_balance": least_balance,
        "views": {name: _reliability(view) for name, view in views.items()},
        "solver": __version__,
    }


def _reliability(reliability: Reliability) -> dict[str, object]:
    best = reliability.best_curve
    return {
        "coverage": reliability.coverage(),
        "trusted_coverage": reliability.coverage(TRUSTED),
        "buckets": [
            {"least": bucket.least, "most": bucket.most, **_tally(bucket.tally)}
            for bucket in reliability.buckets
        ],
        "total": _tally(reliability.total),
        "best_curve": best and best.weight,
        "curves": {str(curve.weight): curve.brier for curve in reliability.curves},
    }


def _tally(tally: Tally) -> dict[str, object]:
    return {
        "cells": tally.cells,
        "positions": tally.positions,
        "mean_error": tally.mean_error,
        "brier": tally.brier,
        "decided": tally.decided,
        "decided_right": tally.decided_right,
        "rounded": tally.rounded,
        "rounded_right": tally.rounded_right,
    }


def draw_reliability(reliability: Reliability, console: Console) -> RenderableType:
    """Draw how well a table predicts held-out games, as wide as the console allows.

    Returns
    -------
    RenderableType
        A table with a row for each bucket and one for all positions. A narrow console
        gets fewer columns, or one line per bucket.
    """
    total = reliability.total
    names = [*(_range(bucket) for bucket in reliability.buckets), "all"]
    tallies = [*(bucket.tally for bucket in reliability.buckets), total]
    shares = [_percent(tally.positions, total.positions, digits=1) for tally in tallies]
    errors = [
        _decimal(tally.mean_error and 100 * tally.mean_error, 1) for tally in tallies
    ]
    columns = [
        Column("in cell", names, left=True),
        Column("held out", [f"{tally.positions:,}" for tally in tallies]),
        Column("share", shares),
        Column("cells", [f"{tally.cells:,}" for tally in tallies], rank=3),
        Column("error", errors),
        Column("Brier", [_decimal(tally.brier, 4) for tally in tallies], rank=2),
        Column("decided", [f"{tally.decided:,}" for tally in tallies], rank=1),
        Column(
            "right",
            [_percent(tally.decided_right, tally.decided) for tally in tallies],
            rank=1,
        ),
        Column("rounded", [f"{tally.rounded:,}" for tally in tallies], rank=4),
        Column(
            "right",
            [_percent(tally.rounded_right, tally.rounded) for tally in tallies],
            rank=4,
        ),
    ]
    lines = (
        f"{name}: {tally.positions:,} {share} {error}".rstrip()
        for name, tally, share, error in zip(
            names, tallies, shares, errors, strict=True
        )
    )
    return fit(console, columns, lines, has_sum=True)


def describe_reliability(reliability: Reliability) -> list[str]:
    """Describe the coverage of a table and its best curve, in two lines."""
    total, best = reliability.total, reliability.best_curve
    if best is None:
        return ["coverage: no held-out position is in a cell with positions"]
    met, trusted = (
        _percent(reliability.met(least), total.positions, digits=1)
        for least in (1, TRUSTED)
    )
    return [
        f"coverage: {met} of the held-out positions are in cells with positions, "
        f"{trusted} in cells with {TRUSTED} or more",
        f"curve: N = {best.weight} has the least Brier score, "
        f"{best.brier:.4f}; without a curve it is {total.brier:.4f}",
    ]


def _range(bucket: Bucket) -> str:
    if bucket.most is None:
        return f"{bucket.least:,}+"
    if bucket.most == bucket.least:
        return str(bucket.least)
    return f"{bucket.least:,}-{bucket.most:,}"


def _percent(part: int, whole: int, *, digits: int = 2) -> str:
    """Write a share; 100% only if it is the whole."""
    if not whole:
        return ""
    written = f"{100 * part / whole:.{digits}f}%"
    if part < whole and written.startswith("100."):
        return f"{100 - 10**-digits:.{digits}f}%"
    return written


def _decimal(number: float | None, digits: int) -> str:
    return "" if number is None else f"{number:.{digits}f}"
