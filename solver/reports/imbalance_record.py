"""Material-imbalance tables for programs: a JSON object for a cell, or for a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.imbalance_file import VERSION
from solver.laboratory.material import CELLS, find_cell, material_of
from solver.version import SCHEMA, __version__

if TYPE_CHECKING:
    from solver.laboratory.imbalance import ImbalanceTable
    from solver.laboratory.material import Material

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
