"""Extensions: moves that are searched one ply deeper.

After the check extension of Prophet4, whose author measured three forms in games: all
checks (+57 Elo), capturing checks (+3) and promotions (no effect). The laboratory has
each of them as a switch; docs/explanation/laboratory.md has what they save here.

A move at `ply` with `depth` left is extended only while `ply + depth` is below a cap.
Each extension raises that sum by one, and a move without one leaves it as it is, so no
line is longer than the cap: twice the depth of the iteration or, uncapped, the rows of
`Search`. Uncapped is the naive form that Prophet4's author published with the warning
that it need not terminate. What can be said of it:

- Perpetual check ends. Only moves that are not extended cost depth, and the replies to
  the checks of one side are such moves. So a line of more than twice the depth of the
  iteration has a check that is answered by a check, or promotions. Where one side
  cannot give check, both forms search the same tree.
- Checks that answer checks can follow each other for long, and every branch of theirs
  is searched before any depth is spent. Trees with queens on open lines explode.
- An endless line would end in perpetual check by both sides, each check answered by
  another; captures and moves of pawns are finite. No position with orthodox pieces is
  known to allow it; with nightriders it is possible (N. Elkies). The search does
  not rely on this: the rows end every line.
"""

from __future__ import annotations

from typing import Any

from solver.kernel.border.experiment import Extension
from solver.kernel.border.memory import MAX_PLIES
from solver.kernel.build.jit import Move, Number, experiment_t, i64, jit, u64
from solver.kernel.laboratory.alphabeta_table import captures, promotes
from solver.kernel.rules.checks import find_checks, gives_check
from solver.kernel.rules.position import Position, position_t

CHECKS = Extension.CHECKS.value
CAPTURING_CHECKS = Extension.CAPTURING_CHECKS.value
PROMOTIONS = Extension.PROMOTIONS.value
UNCAPPED = Extension.UNCAPPED.value


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
    wanted = experiment.extension
    if ply + depth >= (MAX_PLIES if wanted & UNCAPPED else 2 * experiment.depth):
        return 0
    if wanted & PROMOTIONS and promotes(position, move):
        return 1
    if wanted & CHECKS or (wanted & CAPTURING_CHECKS and captures(position, move)):
        return 1 if gives_check(position, find_checks(position), move) else 0
    return 0
