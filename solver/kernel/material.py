"""Material-imbalance pruning's look-up: what a balance of men has scored before.

After Ed Schröder's MIP: the numbers of men index 236,196 cells, each a count of
positions and the score that they came to, in per cent. The table is folded to the view
of the side to move; see `solver.laboratory.imbalance`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.evaluation import (
    Pieces,
    count_pieces,
    evaluate,
    material_balance,
    pieces_t,
)
from solver.kernel.jit import Number, experiment_t, i64, jit
from solver.kernel.memory import MipUse
from solver.kernel.position import Position, position_t

NOT_IN_TABLE = -1
"""Neither a cell nor a score in per cent."""

TWO_KINDS = 2
THREE_KINDS = 3
NINE_KINDS = 9

MINOR_PAWNS = 3
ROOK_PAWNS = 5
QUEEN_PAWNS = 9
ONE_PAWN = 1

REDUCTION = np.int64(MipUse.REDUCTION.value)
PRUNING = np.int64(MipUse.PRUNING.value)
LAZY = np.int64(MipUse.LAZY.value)
CORRECTION = np.int64(MipUse.CORRECTION.value)
ALL_LOST = 0
EVEN = 50
ALL_WON = 100
DECIDED = 10_000
"""What is added to, or taken from, a position whose material decides the game."""
PER_CENT_WORTH = 4
"""Centipawns for each per cent by which the material has scored more than a half."""


COUNT_SHIFT = 7
PER_CENT_BITS = 127


@jit(i64(pieces_t, pieces_t), inline=True)
def find_cell(ours: Pieces, theirs: Pieces) -> Number:
    """Index a balance of men; NOT_IN_TABLE for more men than it has room for."""
    if (
        max(ours.queens, theirs.queens) >= TWO_KINDS
        or max(ours.rooks, theirs.rooks) >= THREE_KINDS
        or max(ours.bishops, theirs.bishops) >= THREE_KINDS
        or max(ours.knights, theirs.knights) >= THREE_KINDS
        or max(ours.pawns, theirs.pawns) >= NINE_KINDS
    ):
        return NOT_IN_TABLE
    cell = ours.queens * TWO_KINDS + theirs.queens
    cell = (cell * THREE_KINDS + ours.rooks) * THREE_KINDS + theirs.rooks
    cell = (cell * THREE_KINDS + ours.bishops) * THREE_KINDS + theirs.bishops
    cell = (cell * THREE_KINDS + ours.knights) * THREE_KINDS + theirs.knights
    return (cell * NINE_KINDS + ours.pawns) * NINE_KINDS + theirs.pawns


@jit(i64(position_t), inline=True)
def material_cell(position: Position) -> Number:
    """The cell of a position as the side to move sees it."""
    return find_cell(
        count_pieces(position, position.us), count_pieces(position, position.them)
    )


@jit(i64(position_t, experiment_t))
def past_score(position: Position, experiment: Any) -> Number:
    """What the side to move has scored with this material, in per cent.

    Returns
    -------
    int64
        0 to 100; 0 and 100 where every game was lost, or won. NOT_IN_TABLE where the
        table does not say: a balance within a pawn, too many men, too few positions.
    """
    ours = count_pieces(position, position.us)
    theirs = count_pieces(position, position.them)
    balance = (
        ours.pawns
        - theirs.pawns
        + MINOR_PAWNS * (ours.knights + ours.bishops - theirs.knights - theirs.bishops)
        + ROOK_PAWNS * (ours.rooks - theirs.rooks)
        + QUEEN_PAWNS * (ours.queens - theirs.queens)
    )
    if abs(balance) <= ONE_PAWN:
        return NOT_IN_TABLE
    cell = find_cell(ours, theirs)
    if cell == NOT_IN_TABLE:
        return NOT_IN_TABLE
    word = np.int64(experiment.cells[cell])
    if word >> COUNT_SHIFT < max(experiment.mip_positions, ONE_PAWN):
        return NOT_IN_TABLE
    return word & PER_CENT_BITS


@jit(i64(position_t, experiment_t), inline=True)
def horizon_score(position: Position, experiment: Any) -> Number:
    """The evaluation, or what the material table makes of it."""
    if experiment.mip & (LAZY | CORRECTION):
        scored = past_score(position, experiment)
        if scored != NOT_IN_TABLE:
            bonus = PER_CENT_WORTH * (scored - EVEN)
            if experiment.mip & LAZY:
                ours = count_pieces(position, position.us)
                theirs = count_pieces(position, position.them)
                return material_balance(ours, theirs) + bonus
            return evaluate(position) + bonus
    return evaluate(position)
