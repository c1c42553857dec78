"""Where forward pruning is tried: null move and multi-cut, at which nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.bitboards import ZERO
from solver.kernel.interface import MATE_ZONE
from solver.kernel.jit import Number, boolean, experiment_t, i64, jit
from solver.kernel.position import Position, checkers, position_t
from solver.kernel.switches import PrunedNodes

MATE_FROM = np.int64(MATE_ZONE)
PV_NODE = np.int64(0)
CUT_NODE = np.int64(1)
ALL_NODE = np.int64(-1)

CUT_NODES = np.int64(PrunedNodes.CUT)
CUT_AND_ALL_NODES = np.int64(PrunedNodes.CUT_AND_ALL)


@jit(boolean(position_t, i64, i64, experiment_t), inline=True)
def may_prune(
    position: Position, beta: Number, node_type: Number, experiment: Any
) -> bool:
    """Whether forward pruning is tried at a node: at no PV node, check or mate score.

    At an expected cut node a mistake hides a new principal variation; at an expected
    all node it only costs a search of the node's parent again.
    """
    return (
        node_type != PV_NODE
        and (
            experiment.pruned_nodes == CUT_AND_ALL_NODES
            or (experiment.pruned_nodes == CUT_NODES and node_type == CUT_NODE)
        )
        and abs(beta) < MATE_FROM
        and checkers(position) == ZERO
    )


@jit(boolean(position_t), inline=True)
def has_pieces(position: Position) -> bool:
    """Whether the side to move has more than pawns: else zugzwang is near."""
    pieces = position.knights | position.diagonal | position.orthogonal
    return pieces & position.us != ZERO
