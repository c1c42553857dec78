"""Material-imbalance pruning: what a balance of pieces has scored in games.

After Ed Schröder's MIP, which names four uses: reduction, pruning, lazy evaluation and
score correction. The numbers of pieces of both sides index 236,196 cells. Each cell has
a number of positions and their average score in per cent. The table is stored twice, as
the side to move at the root sees it and as its opponent does, who are to move at even
and at odd plies; see `solver.laboratory.imbalance_words`. Balances within a pawn are
ignored, as in the original.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.border.experiment import MipUse
from solver.kernel.build.jit import Number, experiment_t, i64, jit
from solver.kernel.laboratory.evaluation import (
    Pieces,
    count_pieces,
    evaluate,
    material_balance,
    pieces_t,
)
from solver.kernel.rules.position import Position, position_t

NOT_IN_TABLE = -1
"""No cell, or no score in per cent."""

TWO_KINDS = 2
THREE_KINDS = 3
NINE_KINDS = 9

MINOR_PAWNS = 3
ROOK_PAWNS = 5
QUEEN_PAWNS = 9
ONE_PAWN = 1

REDUCTION = MipUse.REDUCTION.value
PRUNING = MipUse.PRUNING.value
LAZY = MipUse.LAZY.value
CORRECTION = MipUse.CORRECTION.value
WHITE = MipUse.WHITE.value

ALL_LOST = 0
EVEN = 50
ALL_WON = 100
DECIDED = 10_000
"""Centipawns added where the material has always won, subtracted where it lost."""
PER_CENT_WORTH = 4
"""Centipawns for each per cent that the material has scored above 50."""


COUNT_SHIFT = 7
PER_CENT_BITS = 127


@jit(i64(pieces_t, pieces_t), inline=True)
def find_cell(ours: Pieces, theirs: Pieces) -> Number:
    """Return the cell of a balance, or NOT_IN_TABLE if a side has too many pieces."""
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
    """Return the cell of a position as the side to move sees it."""
    return find_cell(
        count_pieces(position, position.us), count_pieces(position, position.them)
    )


@jit(i64(position_t, i64, experiment_t))
def past_score(position: Position, ply: Number, experiment: Any) -> Number:
    """Return what the side to move has scored with this material, in per cent.

    Returns
    -------
    int64
        0 (every game lost) to 100 (every game won). NOT_IN_TABLE if the balance is
        within a pawn, a side has too many pieces, or the cell has too few positions.
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
    word = np.int64(experiment.cells[ply & 1, cell])
    if word >> COUNT_SHIFT < max(experiment.mip_positions, ONE_PAWN):
        return NOT_IN_TABLE
    return word & PER_CENT_BITS


@jit(i64(position_t, i64, experiment_t), inline=True)
def horizon_score(position: Position, ply: Number, experiment: Any) -> Number:
    """Return the evaluation, replaced or corrected by the material-imbalance table."""
    if experiment.mip & (LAZY | CORRECTION):
        scored = past_score(position, ply, experiment)
        if scored != NOT_IN_TABLE:
            bonus = PER_CENT_WORTH * (scored - EVEN)
            if experiment.mip & LAZY:
                ours = count_pieces(position, position.us)
                theirs = count_pieces(position, position.them)
                return material_balance(ours, theirs) + bonus
            return evaluate(position) + bonus
    return evaluate(position)
