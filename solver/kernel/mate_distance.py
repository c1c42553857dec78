"""Mate-distance pruning: no line can do better than a mate that comes at once.

At `ply` nobody mates the other sooner than here: the score lies between being mated,
`ply - MATE`, and mating, `MATE - ply`. A window that lies outside is closed. Below the
scores of mates nothing closes, which is why node counts part only once a mate is found;
from then on no line is followed beyond the mate's length, however deep the iteration.

The forms: the Chess Programming Wiki's, and each of its halves; a ply tighter, since
the side to move mates on the next ply at best, as Stockfish has it; and ViperMate's,
which looks at beta only where alpha stood, and answers alpha.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.kernel.interface import MATE_SCORE
from solver.kernel.jit import Number, i64, jit, types
from solver.kernel.switches import MdpForm

MATE = np.int64(MATE_SCORE)
ROOT = np.int64(0)
NEXT = np.int64(1)
NONE = np.int64(0)

UPPER = np.int64(MdpForm.UPPER)
LOWER = np.int64(MdpForm.LOWER)
NEXT_PLY = np.int64(MdpForm.NEXT_PLY)
VIPERMATE = np.int64(MdpForm.VIPERMATE)


class Window(NamedTuple):
    """Alpha and beta, and the score to answer with where they have closed."""

    alpha: Number
    beta: Number
    score: Number


window_t = types.NamedUniTuple(i64, 3, Window)


@jit(window_t(i64, i64, i64, i64), inline=True)
def narrow_to_mates(alpha: Number, beta: Number, ply: Number, form: Number) -> Window:
    """Narrow a window to the scores that a node at `ply` can have.

    Returns
    -------
    Window
        Closed, alpha no longer below beta, if none of those scores lies inside.
    """
    if ply == ROOT and form & (NEXT_PLY | VIPERMATE):
        return Window(alpha, beta, alpha)
    mating = MATE - ply - (NEXT if form & NEXT_PLY else NONE)
    mated = ply - MATE
    if form & UPPER:
        beta = min(beta, mating)
        if alpha >= beta:
            return Window(alpha, beta, beta)
    if form & LOWER or (form & VIPERMATE and alpha < mated):
        return Window(max(alpha, mated), beta, max(alpha, mated))
    if form & VIPERMATE:
        beta = min(beta, mating)
    return Window(alpha, beta, alpha)
