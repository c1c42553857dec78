"""Forward pruning: the nodes at which the null move and multi-cut are tried.

Enhanced Forward Pruning (Winands, van den Herik, Uiterwijk and van der Werf,
Information Sciences 175, 2005) prunes not only at expected cut nodes but also at
expected all nodes. A wrong cut at an expected cut node hides a new principal variation
for good. A wrong cut at an expected all node costs less: it makes a PV node search once
more, and that search does not prune.

The null move is after Goetsch and Campbell (1990) and Donninger (ICCA Journal 16,
1993), multi-cut after Björnsson and Marsland (1998).
`solver.kernel.laboratory.alphabeta` has the four additions of Enhanced Forward Pruning
where they apply.
"""

from __future__ import annotations

from typing import Any

from solver.kernel.border.experiment import PrunedNodes
from solver.kernel.border.interface import MATE_ZONE
from solver.kernel.build.jit import Number, boolean, experiment_t, i64, jit
from solver.kernel.rules.bitboards import ZERO
from solver.kernel.rules.position import Position, checkers, position_t

# The numbering of the paper: minus the type of a node is the type of its first child.
PV_NODE = 0
CUT_NODE = 1
ALL_NODE = -1


@jit(boolean(position_t, i64, i64, experiment_t), inline=True)
def may_prune(
    position: Position, beta: Number, node_type: Number, experiment: Any
) -> bool:
    """Return whether forward pruning may be tried at a node.

    It is never tried at a PV node, in check, or against a mate score, where it would
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
        and (
            experiment.pruned_nodes == PrunedNodes.CUT_AND_ALL
            or (experiment.pruned_nodes == PrunedNodes.CUT and node_type == CUT_NODE)
        )
        and abs(beta) < MATE_ZONE
        and checkers(position) == ZERO
    )


@jit(boolean(position_t), inline=True)
def has_pieces(position: Position) -> bool:
    """Return whether the side to move has more than its king and pawns.

    With only a king and pawns zugzwang is likely, which a null move cannot see.
    """
    pieces = position.knights | position.diagonal | position.orthogonal
    return pieces & position.us != ZERO
