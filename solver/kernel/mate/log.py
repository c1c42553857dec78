"""The log of a search: the nodes in the order in which they were entered.

`matesolve trace` shows it. A search without a log pays one comparison a node, and
searches the same nodes with a log.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.border.memory import LogEnd
from solver.kernel.build.jit import (
    LOGGED_NODE_BYTES,
    Move,
    Number,
    i64,
    jit,
    logged_node_at,
    search_t,
    types,
    u64,
    void,
)

NOT_LOGGED = -1
"""The entry of a node that is not in the log."""

OPEN = LogEnd.OPEN.value
MATE_DISTANCE = LogEnd.MATE_DISTANCE.value

pair_t = types.UniTuple(i64, 2)
"""Two bounds or numbers of a node."""


@jit(i64(search_t, i64, u64, i64, i64, pair_t, pair_t), inline=True)
def enter_node(
    search: Any,
    ply: Number,
    move: Move,
    depth: Number,
    kind: Number,
    given: Any,
    own: Any,
) -> Number:
    """Log a node; the arguments are fields of `LoggedNode`.

    Returns
    -------
    int64
        Its entry, for `leave_node`; NOT_LOGGED if there is no log or it is full.
    """
    entry: Number = search.log_size
    if entry >= search.log_room:
        return NOT_LOGGED
    search.log_size = entry + 1
    node = logged_node_at(search.log + np.uint64(entry * LOGGED_NODE_BYTES))
    node.ply = ply
    node.move = move
    node.depth = depth
    node.kind = kind
    node.nodes = search.nodes
    node.given[0] = given[0]
    node.given[1] = given[1]
    node.own[0] = own[0]
    node.own[1] = own[1]
    node.score = 0
    node.end = OPEN
    node.cuts = search.log_cuts
    return entry


@jit(i64(search_t, i64, i64, i64), inline=True)
def leave_node(search: Any, entry: Number, end: Number, score: Number) -> Number:
    """Log why and with which score the search of a node ended; return the score."""
    if entry != NOT_LOGGED:
        node = logged_node_at(search.log + np.uint64(entry * LOGGED_NODE_BYTES))
        node.score = score
        node.end = end
        if end == MATE_DISTANCE:
            search.log_cuts += 1
        if search.log_only_cuts and node.cuts == search.log_cuts:
            search.log_size = entry + 1
    return score


@jit(void(search_t, i64, i64, pair_t), inline=True)
def leave_numbers(search: Any, entry: Number, end: Number, numbers: Any) -> None:
    """Log with which numbers the df-pn search left a node."""
    if entry != NOT_LOGGED:
        node = logged_node_at(search.log + np.uint64(entry * LOGGED_NODE_BYTES))
        node.own[0] = numbers[0]
        node.own[1] = numbers[1]
        node.end = end
