"""Which moves are searched a ply deeper: checks, capturing checks, promotions."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.checks import find_checks, gives_check
from solver.kernel.jit import Move, Number, experiment_t, i64, jit, u64
from solver.kernel.position import Position, position_t
from solver.kernel.scored_ordering import captures, promotes
from solver.kernel.switches import Extension

NONE = np.int64(0)
ONE_PLY = np.int64(1)
TWICE = np.int64(2)

CHECKS = np.int64(Extension.CHECKS.value)
CAPTURING_CHECKS = np.int64(Extension.CAPTURING_CHECKS.value)
PROMOTIONS = np.int64(Extension.PROMOTIONS.value)


@jit(i64(position_t, u64, i64, i64, experiment_t), inline=True)
def extension(
    position: Position, move: Move, depth: Number, ply: Number, experiment: Any
) -> Number:
    """How many plies a move is searched deeper: 0 or 1.

    Every extension on a line lifts `ply + depth` by one, so the rule that it stay
    below twice the iteration's depth ends every line there, perpetual check or not.
    """
    if ply + depth >= TWICE * experiment.depth:
        return NONE
    wanted = experiment.extension
    if wanted & PROMOTIONS and promotes(position, move):
        return ONE_PLY
    if wanted & CHECKS or (wanted & CAPTURING_CHECKS and captures(position, move)):
        return ONE_PLY if gives_check(position, find_checks(position), move) else NONE
    return NONE
