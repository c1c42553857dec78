"""Material-imbalance tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.imbalance_file import VERSION
from solver.laboratory.material import CELLS, find_cell, material_of

if TYPE_CHECKING:
    from solver.laboratory.imbalance import ImbalanceTable
    from solver.laboratory.material import Material


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
