"""Records of material-imbalance tables: JSON and text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from solver import __version__
from solver.laboratory.imbalance_file import VERSION
from solver.laboratory.material import find_cell, material_of
from solver.solution import SCHEMA

if TYPE_CHECKING:
    from solver.laboratory.imbalance import ImbalanceTable
    from solver.laboratory.material import Material

_CELL_FIELDS = ("positions", "wins", "draws", "losses", "per_cent", "word")


def cell_record(imbalance: ImbalanceTable, material: Material) -> dict[str, Any]:
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


def imbalance_record(imbalance: ImbalanceTable, most: int) -> dict[str, Any]:
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
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "source": imbalance.source,
        **imbalance.coverage()._asdict(),
        "most_frequent": [
            _cell(imbalance, material_of(cell))
            for cell in imbalance.most_frequent(most)
        ],
        "sha256": imbalance.checksum(),
        "solver": __version__,
    }


def _cell(imbalance: ImbalanceTable, material: Material) -> dict[str, Any]:
    cell = find_cell(material)
    counted: dict[str, Any] = dict.fromkeys(_CELL_FIELDS)
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


def describe_cell(record: dict[str, Any]) -> list[str]:
    """Describe a record of `cell_record` in a few lines."""
    material = record["material"]
    if record["cell"] is None:
        return [
            f"{material}: out of range",
            "a cell has at most 1 queen, 2 rooks, 2 bishops, 2 knights and 8 pawns a "
            "side",
        ]
    number = f"cell {record['cell']:,}, word 0x{record['word']:08x}"
    balance = _balance(record["balance"])
    if record["per_cent"] is None:
        return [f"{material}: no positions", number, balance]
    return [
        f"{material}: {with_noun(record['positions'], 'position')}, "
        f"White scored {record['per_cent']} per cent",
        f"{record['wins']:,} won, {record['draws']:,} drawn, {record['losses']:,} lost",
        number,
        balance,
    ]


def describe_imbalance(record: dict[str, Any]) -> list[str]:
    """Describe a record of `imbalance_record`, with the most frequent materials."""
    decided = with_noun(record["decided_positions"], "position")
    lines = [
        f"source     {record['source'] or 'none given'}",
        f"version    {record['version']}",
        f"positions  {record['positions']:,}, and {record['ignored']:,} out of range",
        f"cells      {record['filled']:,} of {record['cells']:,} filled",
        f"decided    {record['decided']:,} of these, with {decided}: "
        "all won or all lost",
        f"sha-256    {record['sha256']}",
    ]
    cells = record["most_frequent"]
    if not cells:
        return lines
    name_width = max(len(cell["material"]) for cell in cells)
    width = max(len(f"{cell['positions']:,}") for cell in cells)
    frequent = (
        f"{cell['material']:<{name_width}}  {cell['positions']:>{width},}  "
        f"{cell['per_cent']:>3}%"
        for cell in cells
    )
    return [*lines, "", *frequent]


def _balance(pawns: int) -> str:
    if not pawns:
        ahead = "neither side is ahead"
    else:
        side = "White" if pawns > 0 else "Black"
        ahead = f"{side} is {with_noun(abs(pawns), 'pawn')} ahead"
    if abs(pawns) <= 1:
        return f"{ahead}; the search uses only differences of more than one pawn"
    return ahead
