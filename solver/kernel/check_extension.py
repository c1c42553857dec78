"""Extensions: moves that are searched one ply deeper.

After the check extension of Prophet4, whose author measured three forms in games: all
checks (+57 Elo), capturing checks (+3) and promotions (no effect). The laboratory has
each of them as a switch; docs/explanation/laboratory.md has what they save here.

An extension without a condition may never end a line of perpetual check. Here a move at
`ply` with `depth` left is extended only while `ply + depth` is less than twice the
depth of the iteration. Each extension raises that sum by one and a move without one
leaves it as it is, so no line is longer than twice the iteration.
"""

from __future__ import annotations

from typing import Any

from solver.kernel.alphabeta_table import captures, promotes
from solver.kernel.checks import find_checks, gives_check
from solver.kernel.jit import Move, Number, experiment_t, i64, jit, u64
from solver.kernel.memory import Extension
from solver.kernel.position import Position, position_t

CHECKS = Extension.CHECKS.value
CAPTURING_CHECKS = Extension.CAPTURING_CHECKS.value
PROMOTIONS = Extension.PROMOTIONS.value


@jit(i64(position_t, u64, i64, i64, experiment_t), inline=True)
def extension(
    position: Position, move: Move, depth: Number, ply: Number, experiment: Any
) -> Number:
    """Return by how many plies a move is extended: 0 or 1.

    Parameters
    ----------
    position : Position
        Before the move.
    move : uint64
        Legal.
    depth : int64
        Plies left at `position`.
    ply : int64
        Distance of `position` from the root.
    experiment : Experiment
        Says which moves are extended, and how deep the iteration is.
    """
    if ply + depth >= 2 * experiment.depth:
        return 0
    wanted = experiment.extension
    if wanted & PROMOTIONS and promotes(position, move):
        return 1
    if wanted & CHECKS or (wanted & CAPTURING_CHECKS and captures(position, move)):
        return 1 if gives_check(position, find_checks(position), move) else 0
    return 0
