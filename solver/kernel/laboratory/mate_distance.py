"""Mate-distance pruning: no line from here beats a mate that comes at once.

A mate at `ply` scores MATE - ply for the side that gives it. So the score of a node at
`ply` lies between being mated now, `ply - MATE`, and mating now, `MATE - ply`. If no
score in that range lies inside the window, the node is cut off. The pruning is exact.
It saves nothing before a mate score reaches the window; from then on no line is
searched beyond the length of the known mate, however deep the iteration.

The forms are the one of the Chess Programming Wiki (Mate Distance Pruning), each half
of it alone, a form that is one ply tighter because the side to move mates at the next
ply at the earliest (as in Stockfish), and ViperMate's, which tests beta only where
alpha needed no change and returns alpha. docs/explanation/mate-scores.md compares them.
"""

from __future__ import annotations

from typing import NamedTuple

from solver.kernel.border.experiment import MdpForm
from solver.kernel.border.interface import MATE_SCORE
from solver.kernel.build.jit import Number, i64, jit, types

UPPER = MdpForm.UPPER.value
LOWER = MdpForm.LOWER.value
NEXT_PLY = MdpForm.NEXT_PLY.value
VIPERMATE = MdpForm.VIPERMATE.value


class Window(NamedTuple):
    """The scores that a search is asked about; closed if alpha is not below beta."""

    alpha: Number
    beta: Number


window_t = types.NamedUniTuple(i64, 2, Window)


@jit(window_t(window_t, i64, i64), inline=True)
def narrow_to_mates(window: Window, ply: Number, form: Number) -> Window:
    """Narrow a window to the scores that a node can have.

    Parameters
    ----------
    window : Window
        Open.
    ply : int64
        The node's distance from the root.
    form : int64
        A `MdpForm`.

    Returns
    -------
    Window
        If it is closed, its alpha is the score of the node.
    """
    alpha = window.alpha
    beta = window.beta
    if ply == 0 and form & (NEXT_PLY | VIPERMATE):
        return window
    mating = MATE_SCORE - ply - (1 if form & NEXT_PLY else 0)
    mated = ply - MATE_SCORE
    if form & UPPER:
        beta = min(beta, mating)
        if alpha >= beta:
            return Window(beta, beta)
    if form & LOWER or (form & VIPERMATE and alpha < mated):
        return Window(max(alpha, mated), beta)
    if form & VIPERMATE:
        beta = min(beta, mating)
    return Window(alpha, beta)
