"""Records of material-imbalance tables: JSON and text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver import __version__
from solver.laboratory.imbalance_file import VERSION
from solver.laboratory.material import CELLS, find_cell, material_of
from solver.solution import SCHEMA

if TYPE_CHECKING:
    from solver.laboratory.imbalance import ImbalanceTable
    from solver.laboratory.material import Material

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
