"""The laboratory's search: scored principal variation search, each technique a switch.

Negamax with `score = MATE - ply`, fail-soft, to a fixed depth. With every switch off it
is plain PVS: no mate test at the horizon, no quiescence, no repetition. Every node has
an expected type: PV, cut or all; what follows from it is after Winands et al., Enhanced
Forward Pruning (Information Sciences 175, 2005).

What a score says: a mate is there, and forced, as long as neither forward pruning nor
the material table takes part. That there is none within the depth is told by the same
searches alone. Extensions add lines and leave none out, so with them a mate is an upper
bound, and the depth searched in full excludes the shorter ones.

Mate-distance pruning and the table change no mate once the depth reaches it. Below that
the table, which also answers from deeper searches, may see one early.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.alphabeta_table import (
    EXACT,
    LOWER,
    UPPER,
    Scored,
    decides,
    probe_score,
    store_score,
)
from solver.kernel.check_extension import extension
from solver.kernel.evaluation import evaluate
from solver.kernel.forward_pruning import (
    ALL_NODE,
    CUT_NODE,
    PV_NODE,
    has_pieces,
    may_prune,
)
from solver.kernel.interface import INFINITE_SCORE
from solver.kernel.jit import Number, boolean, experiment_t, i64, jit, search_t
from solver.kernel.mate_distance import MATE, NEXT, NONE, ROOT, narrow_to_mates
from solver.kernel.material import (
    ALL_LOST,
    ALL_WON,
    DECIDED,
    PRUNING,
    REDUCTION,
    horizon_score,
    past_score,
)
from solver.kernel.movegen import generate
from solver.kernel.moves import NO_MOVE
from solver.kernel.ordering import bring_best, remember_refutation, unranked
from solver.kernel.position import Position, checkers, make, passed, position_t
from solver.kernel.scored_ordering import captures, promotes, rank_moves
from solver.kernel.switches import MULTI_CUT_REDUCTION
from solver.kernel.transposition import TABLE, address

INFINITY = np.int64(INFINITE_SCORE)
DRAW = np.int64(0)
STOPPED = np.int64(0)
"""What a stopped search returns; `experiment.stopped` says not to believe it."""

# Typed, because a recursive call must have the very types of the signature.
LAST_PLY = np.int64(1)
AFTER_NULL: Any = np.bool_(True)
AFTER_MOVE: Any = np.bool_(False)

CUT_REDUCTION = np.int64(MULTI_CUT_REDUCTION)
ADDITION_1 = np.int64(1 << 1)
ADDITION_2 = np.int64(1 << 2)
ADDITION_3 = np.int64(1 << 3)
ADDITION_4 = np.int64(1 << 4)


@jit(
    i64(
        position_t,
        i64,
        i64,
        i64,
        i64,
        i64,
        boolean,
        search_t,
        experiment_t,
        TABLE,
    )
)
def alphabeta(
    position: Position,
    alpha: Number,
    beta: Number,
    depth: Number,
    ply: Number,
    node_type: Number,
    after_null: bool,
    search: Any,
    experiment: Any,
    table: Any,
) -> Number:
    """Score a position for the side to move.

    Parameters
    ----------
    position : Position
    alpha, beta : int64
        The window; a null window wherever `node_type` is not PV_NODE.
    depth : int64
        Plies to search; the horizon is at 0.
    ply : int64
        Distance from the root.
    node_type : int64
        PV_NODE, CUT_NODE or ALL_NODE: what the node is expected to be.
    after_null : bool
        The move before was a null move.
    search : Search
        Counts nodes: moves made, null moves too.
    experiment : Experiment
        The switches. At the root, the move is noted when it raises alpha.
    table : uint64 words

    Returns
    -------
    int64
        At most alpha: no better than this. At least beta: no worse. Else the score.
        Nothing when `experiment.stopped` is set.
    """
    # 1. Mate-distance pruning: no line from here mates, or is mated, sooner.
    window = narrow_to_mates(alpha, beta, ply, experiment.mdp)
    if window.alpha >= window.beta:
        return window.score
    alpha = window.alpha
    beta = window.beta

    # 2. The horizon.
    if depth <= NONE:
        return horizon_score(position, experiment)

    # 3. Limits.
    if search.stop or search.nodes >= search.node_limit:
        experiment.stopped = NEXT
        return STOPPED

    # 4. The table. PV nodes are few, and searched in any case.
    where = address(position, True)
    entry = probe_score(table, search, where, ply)
    if node_type != PV_NODE and entry.depth >= depth and decides(entry, alpha, beta):
        return entry.score

    # 5. Mate and stalemate.
    moves = search.rows[ply]
    size = generate(position, moves)
    if size == NONE:
        return ply - MATE if checkers(position) else DRAW

    # 6. Material-imbalance pruning.
    searched = depth
    if node_type != PV_NODE and experiment.mip & (REDUCTION | PRUNING):
        scored = past_score(position, experiment)
        if scored in (ALL_LOST, ALL_WON):
            if experiment.mip & PRUNING:
                bonus = DECIDED if scored == ALL_WON else -DECIDED
                return evaluate(position) + bonus
            searched = max(depth - NEXT, LAST_PLY)

    # 7. Forward pruning, the null move first.
    null_type = CUT_NODE if node_type == ALL_NODE else ALL_NODE
    prunes = may_prune(position, beta, node_type, experiment)
    if (
        prunes
        and NONE < experiment.null_reduction < searched
        and not after_null
        and has_pieces(position)
    ):
        search.nodes += NEXT
        score = -alphabeta(
            passed(position),
            -beta,
            NEXT - beta,
            searched - NEXT - experiment.null_reduction,
            ply + NEXT,
            null_type,
            AFTER_NULL,
            search,
            experiment,
            table,
        )
        if experiment.stopped:
            return STOPPED
        if score >= beta:
            return beta if experiment.additions & ADDITION_1 else score

    rank_moves(position, moves, size, ply, entry.move, search)

    # 8. Forward pruning: multi-cut.
    if prunes and experiment.cuts and searched > CUT_REDUCTION:
        cuts = NONE
        for index in range(min(size, experiment.tries)):
            bring_best(moves, index, size)
            search.nodes += NEXT
            score = -alphabeta(
                make(position, unranked(moves[index])),
                -beta,
                NEXT - beta,
                searched - NEXT - CUT_REDUCTION,
                ply + NEXT,
                null_type,
                AFTER_MOVE,
                search,
                experiment,
                table,
            )
            if experiment.stopped:
                return STOPPED
            if score >= beta:
                cuts += NEXT
                if cuts == experiment.cuts:
                    return beta if experiment.additions & ADDITION_1 else score

    # 9. Principal variation search.
    floor = alpha
    best = -INFINITY
    best_move = entry.move
    other_type = ALL_NODE if node_type == CUT_NODE else CUT_NODE
    for index in range(size):
        bring_best(moves, index, size)
        move = unranked(moves[index])
        child = make(position, move)
        left = searched - NEXT
        if experiment.extension:
            left += extension(position, move, searched, ply, experiment)
        is_first = index == NONE
        alpha = max(alpha, best)
        search.nodes += NEXT
        score = -alphabeta(
            child,
            -beta if is_first else -alpha - NEXT,
            -alpha,
            left,
            ply + NEXT,
            -node_type if is_first else other_type,
            AFTER_MOVE,
            search,
            experiment,
            table,
        )
        if not is_first:
            closed = (
                experiment.additions & ADDITION_2
                and node_type == PV_NODE
                and score == beta
                and beta == alpha + NEXT
            )
            if (alpha < score < beta) or closed:
                lowest = alpha if closed else score
                if experiment.additions & ADDITION_3 and score == alpha + NEXT:
                    lowest = alpha
                score = -alphabeta(
                    child,
                    -beta,
                    -lowest,
                    left,
                    ply + NEXT,
                    node_type,
                    AFTER_MOVE,
                    search,
                    experiment,
                    table,
                )
        if experiment.stopped:
            return STOPPED
        if score > best:
            if ply == ROOT and score > alpha:
                experiment.pv_nodes = search.nodes
                experiment.pv_move = move
            best = score
            if best > floor:
                best_move = move
            if best >= beta:
                if not (captures(position, move) or promotes(position, move)):
                    remember_refutation(search, ply, move, searched)
                break

    # 10. What is learnt. A cut node that fails low with just alpha is uncertain.
    if experiment.additions & ADDITION_4 and node_type == CUT_NODE and best == floor:
        return best
    bound = EXACT
    if best <= floor:
        bound = UPPER
    elif best >= beta:
        bound = LOWER
    store_score(table, search, where, Scored(best, depth, bound, best_move), ply)
    return best


@jit(i64(position_t, search_t, experiment_t, TABLE))
def search_score(
    position: Position, search: Any, experiment: Any, table: Any
) -> Number:
    """Search the root `experiment.depth` plies deep, in the window that it gives."""
    experiment.stopped = NONE
    experiment.pv_move = NO_MOVE
    experiment.pv_nodes = search.nodes
    experiment.score = alphabeta(
        position,
        experiment.alpha,
        experiment.beta,
        experiment.depth,
        ROOT,
        PV_NODE,
        AFTER_MOVE,
        search,
        experiment,
        table,
    )
    return experiment.score
