"""Selectivity: what is cut off or pruned, and what is searched one ply deeper.

Mate-distance pruning
---------------------
No line from here beats a mate that comes at once.

A mate at `ply` scores MATE - ply for the side that gives it. So the score of a node at
`ply` lies between being mated now, `ply - MATE`, and mating now, `MATE - ply`. If no
score in that range lies inside the window, the node is cut off. The pruning is exact.
It saves nothing before a mate score reaches the window; from then on no line is
searched beyond the length of the known mate, however deep the iteration.

The forms are the one of the Chess Programming Wiki (Mate Distance Pruning), each half
of it alone, a form that is one ply tighter because the side to move mates at the next
ply at the earliest (as in Stockfish), and ViperMate's, which tests beta only where
alpha needed no change and returns alpha. docs/explanation/mate-scores.md compares them.

Forward pruning
---------------
The nodes at which the null move and multi-cut are tried.

Enhanced Forward Pruning (Winands, van den Herik, Uiterwijk and van der Werf,
Information Sciences 175, 2005) prunes not only at expected cut nodes but also at
expected all nodes. A wrong cut at an expected cut node hides a new principal variation
for good. A wrong cut at an expected all node costs less: it makes a PV node search once
more, and that search does not prune.

The null move is after Goetsch and Campbell (1990) and Donninger (ICCA Journal 16,
1993), multi-cut after Björnsson and Marsland (1998).
`solver.kernel.laboratory.alphabeta` has the four additions of Enhanced Forward Pruning
where they apply.

Extensions
----------
Moves that are searched one ply deeper.

After the check extension of Prophet4, whose author measured three forms in games: all
checks (+57 Elo), capturing checks (+3) and promotions (no effect). The laboratory has
each of them as a switch; docs/explanation/laboratory-techniques.md has their savings.

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

from solver.kernel.border.experiment import (
    MATE_SCORE,
    MATE_ZONE,
    MDP_LOWER,
    MDP_NEXT_PLY,
    MDP_UPPER,
    MDP_VIPERMATE,
    Extension,
    PrunedNodes,
)
from solver.kernel.border.memory import MAX_PLIES
from solver.kernel.build.jit import Move, Number, boolean, experiment_t, i64, jit, u64
from solver.kernel.laboratory.alphabeta_table import (
    Window,
    captures,
    promotes,
    window_t,
)
from solver.kernel.rules.bitboards import ZERO
from solver.kernel.rules.checks import find_checks, gives_check
from solver.kernel.rules.position import Position, checkers, position_t

# Mate-distance pruning


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
        A `Mdp`.

    Returns
    -------
    Window
        If it is closed, its alpha is the score of the node.
    """
    alpha = window.alpha
    beta = window.beta
    if ply == 0 and form & (MDP_NEXT_PLY | MDP_VIPERMATE):
        return window
    mating = MATE_SCORE - ply - (1 if form & MDP_NEXT_PLY else 0)
    mated = ply - MATE_SCORE
    if form & MDP_UPPER:
        beta = min(beta, mating)
        if alpha >= beta:
            return Window(beta, beta)
    if form & MDP_LOWER or (form & MDP_VIPERMATE and alpha < mated):
        return Window(max(alpha, mated), beta)
    if form & MDP_VIPERMATE:
        beta = min(beta, mating)
    return Window(alpha, beta)


# Forward pruning

PRUNED_CUT = PrunedNodes.CUT.value
PRUNED_ALL = PrunedNodes.ALL.value

# The numbering of the paper: minus the type of a node is the type of its first child.
PV_NODE = 0
CUT_NODE = 1
ALL_NODE = -1


@jit(boolean(position_t, i64, i64, experiment_t), inline=True)
def may_prune(
    position: Position, beta: Number, node_type: Number, experiment: Any
) -> bool:
    """Return whether forward pruning may be tried at a node.

    It is never tried at a PV node, in check, or if beta is a mate score, where it would
    have to prove a mate.

    Parameters
    ----------
    position : Position
    beta : int64
        The upper end of the node's null window.
    node_type : int64
        PV_NODE, CUT_NODE or ALL_NODE.
    experiment : Experiment
        Its `pruned_nodes` says at which types of nodes pruning is tried.
    """
    return (
        node_type != PV_NODE
        and experiment.pruned_nodes
        & (PRUNED_CUT if node_type == CUT_NODE else PRUNED_ALL)
        and abs(beta) < MATE_ZONE
        and checkers(position) == ZERO
    )


@jit(boolean(position_t), inline=True)
def has_pieces(position: Position) -> bool:
    """Return whether the side to move has more than its king and pawns.

    With only a king and pawns, zugzwang is likely, which a null move cannot see.
    """
    pieces = position.knights | position.diagonal | position.orthogonal
    return pieces & position.us != ZERO


# Extensions

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
