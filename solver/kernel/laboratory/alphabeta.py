"""The laboratory's search: principal variation search with each technique a switch.

It is a fail-soft negamax to a fixed depth with `score = MATE - ply`. With every switch
off it is plain PVS, without a mate test at the horizon, quiescence search or detection
of repetitions. The horizon and the order of the root's moves are switches too. Every
node has an expected type (PV, cut or all), as in Winands et al., "Enhanced forward
pruning", Information Sciences 175, 2005.

Unless forward pruning or the material-imbalance table is used, a mate score proves a
forced mate, and any other score proves that there is no mate within the depth.
Extensions only add lines. With extensions a mate score is an upper bound, because
shorter mates are excluded only up to the depth that is searched in full.

Mate-distance pruning and the transposition table change no mate within the depth. The
table may show a longer mate early, because it also answers from deeper searches.

docs/explanation/laboratory-search.md defines the search completely, and an oracle in
python-chess that was written from that definition agrees on every node.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.border import interface, parts, scored_struct, search_struct
from solver.kernel.build.jit import experiment_at, jit, native, record_at, report_if_due
from solver.kernel.build.words import ENTRY, Experiment, Move, Number, Search
from solver.kernel.laboratory import alphabeta_table, evaluation
from solver.kernel.mate import ordering, transposition
from solver.kernel.rules import bitboards, movegen

DRAW = 0

# Not literals, for the reason given in `solver.kernel.mate.prover`.
AFTER_NULL: Any = np.bool_(True)
AFTER_MOVE: Any = np.bool_(False)

# The additions of Enhanced Forward Pruning, numbered as in the paper.
ADDITION_1 = 1 << 1
ADDITION_2 = 1 << 2
ADDITION_3 = 1 << 3
ADDITION_4 = 1 << 4

MATE_DISTANCE = search_struct.LogEnd.MATE_DISTANCE.value
HORIZON = search_struct.LogEnd.HORIZON.value
TABLE = search_struct.LogEnd.TABLE.value
MATE = search_struct.LogEnd.MATE.value
STALEMATE = search_struct.LogEnd.STALEMATE.value
MATERIAL = search_struct.LogEnd.MATERIAL.value
NULL_MOVE = search_struct.LogEnd.NULL_MOVE.value
MULTI_CUT = search_struct.LogEnd.MULTI_CUT.value
BETA = search_struct.LogEnd.BETA.value
MOVES = search_struct.LogEnd.MOVES.value


@jit
def note_principal_variation(
    move: Move, search: Search, experiment: Experiment
) -> None:
    """Record the root's best move, and all counts until it was found."""
    experiment.pv_move = move
    experiment.pv_nodes = search.nodes
    experiment.pv_extra_calls = experiment.extra_calls
    experiment.pv_interior = experiment.interior


@jit
def alphabeta(
    position: bitboards.Position,
    window: alphabeta_table.Window,
    depth: Number,
    ply: Number,
    node_type: Number,
    after_null: bool,
    search: Search,
    experiment: Experiment,
) -> Number:
    """Score a position for the side to move.

    Let s be the score of the tree of this depth. The function returns r, where

    - r <= alpha means s <= r;
    - alpha < r < beta means s = r;
    - beta <= r means r <= s.

    This holds for plain PVS, mate-distance pruning and extensions. The table may answer
    with the s of a deeper search, and forward pruning guesses.

    Parameters
    ----------
    position : Position
    window : Window
        A null window unless `node_type` is PV_NODE.
    depth : int64
        Plies to search; the horizon is at 0.
    ply : int64
        Distance from the root.
    node_type : int64
        The expected type: PV_NODE, CUT_NODE or ALL_NODE.
    after_null : bool
        Whether the last move was a null move.
    search : Search
        Counts nodes: moves made, null moves included. Its `line` has the moves from the
        root; its log, if it has one, receives the node.
    experiment : Experiment
        The switches, and the other counts. At the root it receives each move that
        raises alpha.

    Returns
    -------
    int64
        In centipawns. Meaningless if `experiment.stopped` is set.
    """
    # 1. Mate-distance pruning.
    given = (window.alpha, window.beta)
    window = alphabeta_table.narrow_to_mates(window, ply, experiment.mdp)
    alpha = window.alpha
    beta = window.beta
    last = search.line[ply - 1] if ply else bitboards.NO_MOVE
    node = transposition.enter_node(
        search, ply, last, depth, node_type, given, (alpha, beta)
    )
    if alpha >= beta:
        return transposition.leave_node(search, node, MATE_DISTANCE, alpha)

    # 2. Horizon.
    if depth <= 0:
        score = evaluation.search_horizon(position, window, ply, search, experiment)
        return transposition.leave_node(search, node, HORIZON, score)

    # 3. Limits.
    report_if_due(search)
    if search.stop or search.nodes >= search.node_limit:
        experiment.stopped = 1
        return interface.STOPPED

    # 4. Transposition table. PV nodes are few and are searched in any case, so that
    #    the principal variation is complete. With White's view of the material table,
    #    a position and its mirror image with the colours exchanged have two scores.
    is_mirrored = (experiment.mip & evaluation.WHITE) != 0 and (ply & 1) != 0
    key = transposition.hash_key(position, not is_mirrored)
    entry = alphabeta_table.probe_score(search, key, ply)
    if (
        node_type != alphabeta_table.PV_NODE
        and entry.depth >= depth
        and alphabeta_table.decides(entry, window)
    ):
        return transposition.leave_node(search, node, TABLE, entry.score)

    # 5. Mate and stalemate.
    experiment.interior += 1
    moves = search.rows[ply]
    size = movegen.generate(position, moves)
    if size == 0:
        if bitboards.checkers(position):
            return transposition.leave_node(
                search, node, MATE, ply - scored_struct.MATE_SCORE
            )
        return transposition.leave_node(search, node, STALEMATE, DRAW)

    # 6. Material-imbalance pruning, or a reduction by one ply.
    searched = depth
    if node_type != alphabeta_table.PV_NODE and experiment.mip & (
        evaluation.REDUCTION | evaluation.PRUNING
    ):
        scored = evaluation.past_score(position, ply, experiment)
        if scored in (evaluation.ALL_LOST, evaluation.ALL_WON):
            if experiment.mip & evaluation.PRUNING:
                bonus = (
                    evaluation.DECIDED
                    if scored == evaluation.ALL_WON
                    else -evaluation.DECIDED
                )
                return transposition.leave_node(
                    search, node, MATERIAL, evaluation.evaluate(position) + bonus
                )
            searched = max(depth - 1, 1)

    # 7. Forward pruning: the null move. Addition 1 returns beta instead of the score,
    #    so that a pruned all node cannot cause a cutoff at the PV node above it.
    null_type = (
        alphabeta_table.CUT_NODE
        if node_type == alphabeta_table.ALL_NODE
        else alphabeta_table.ALL_NODE
    )
    null_window = alphabeta_table.Window(-beta, 1 - beta)
    prunes = alphabeta_table.may_prune(position, beta, node_type, experiment)
    if (
        prunes
        and 0 < experiment.null_reduction < searched
        and not after_null
        and alphabeta_table.has_pieces(position)
    ):
        search.nodes += 1
        search.line[ply] = bitboards.NO_MOVE
        score = -alphabeta(
            bitboards.after_null_move(position),
            null_window,
            searched - 1 - experiment.null_reduction,
            ply + 1,
            null_type,
            AFTER_NULL,
            search,
            experiment,
        )
        if experiment.stopped:
            return interface.STOPPED
        if score >= beta:
            score = beta if experiment.additions & ADDITION_1 else score
            return transposition.leave_node(search, node, NULL_MOVE, score)

    if ply == 0:
        alphabeta_table.rank_root(position, moves, size, entry.move, search, experiment)
    else:
        alphabeta_table.rank_moves(position, moves, size, ply, entry.move, search)

    # 8. Forward pruning: multi-cut.
    if prunes and experiment.cuts and searched > scored_struct.MULTI_CUT_REDUCTION:
        cuts = 0
        for index in range(min(size, experiment.tries)):
            ordering.bring_best(moves, index, size)
            move = ordering.unranked(moves[index])
            search.nodes += 1
            search.line[ply] = move
            score = -alphabeta(
                bitboards.make(position, move),
                null_window,
                searched - 1 - scored_struct.MULTI_CUT_REDUCTION,
                ply + 1,
                null_type,
                AFTER_MOVE,
                search,
                experiment,
            )
            if experiment.stopped:
                return interface.STOPPED
            if score >= beta:
                cuts += 1
                if cuts == experiment.cuts:
                    score = beta if experiment.additions & ADDITION_1 else score
                    return transposition.leave_node(search, node, MULTI_CUT, score)

    # 9. Principal variation search: the first move with the whole window, the others
    #    with a null window and, if they land inside the window, once more with it.
    floor = alpha
    best = -scored_struct.INFINITE_SCORE
    best_move = entry.move
    other_type = (
        alphabeta_table.ALL_NODE
        if node_type == alphabeta_table.CUT_NODE
        else alphabeta_table.CUT_NODE
    )
    for index in range(size):
        ordering.bring_best(moves, index, size)
        move = ordering.unranked(moves[index])
        child = bitboards.make(position, move)
        left = searched - 1
        if experiment.extension:
            left += alphabeta_table.extension(position, move, searched, ply, experiment)
        is_first = index == 0
        alpha = max(alpha, best)
        search.nodes += 1
        search.line[ply] = move
        score = -alphabeta(
            child,
            alphabeta_table.Window(-beta if is_first else -alpha - 1, -alpha),
            left,
            ply + 1,
            -node_type if is_first else other_type,
            AFTER_MOVE,
            search,
            experiment,
        )
        if not is_first:
            # Addition 2: a PV node whose window has closed to width one searches again
            # too. Addition 3: a null window that returns alpha + 1 may have met a
            # pruned node's beta, so the second search begins at alpha.
            closed = (
                experiment.additions & ADDITION_2
                and node_type == alphabeta_table.PV_NODE
                and score == beta
                and beta == alpha + 1
            )
            if (alpha < score < beta) or closed:
                lowest = alpha if closed else score
                if experiment.additions & ADDITION_3 and score == alpha + 1:
                    lowest = alpha
                experiment.extra_calls += 1
                score = -alphabeta(
                    child,
                    alphabeta_table.Window(-beta, -lowest),
                    left,
                    ply + 1,
                    node_type,
                    AFTER_MOVE,
                    search,
                    experiment,
                )
        if experiment.stopped:
            return interface.STOPPED
        if ply == 0:
            alphabeta_table.count_root_move(move, search, experiment)
        if score > best:
            if ply == 0 and score > alpha:
                note_principal_variation(move, search, experiment)
            best = score
            if best > floor:
                best_move = move
            if best >= beta:
                if not (
                    alphabeta_table.captures(position, move)
                    or alphabeta_table.promotes(position, move)
                ):
                    ordering.remember_refutation(search, ply, move, searched)
                break

    # 10. Store the score. Addition 4: a cut node that fails low with exactly alpha is
    #     not stored, because pruning may have made that score.
    transposition.leave_node(search, node, BETA if best >= beta else MOVES, best)
    if (
        experiment.additions & ADDITION_4
        and node_type == alphabeta_table.CUT_NODE
        and best == floor
    ):
        return best
    bound = alphabeta_table.EXACT
    if best <= floor:
        bound = alphabeta_table.UPPER
    elif best >= beta:
        bound = alphabeta_table.LOWER
    alphabeta_table.store_score(
        search, key, alphabeta_table.Scored(best, depth, bound, best_move), ply
    )
    return best


@jit
def search_score(
    position: bitboards.Position, search: Search, experiment: Experiment
) -> Number:
    """Search the root to `experiment.depth` plies in the window of `experiment`.

    The result is written to `experiment`: `score`, `stopped`, `pv_move` and the counts
    until it was found, and the nodes of each root move.
    """
    experiment.stopped = 0
    experiment.root_counted = search.nodes
    note_principal_variation(bitboards.NO_MOVE, search, experiment)
    experiment.extra_calls += 1
    window = alphabeta_table.Window(experiment.alpha, experiment.beta)
    experiment.score = alphabeta(
        position,
        window,
        experiment.depth,
        0,
        alphabeta_table.PV_NODE,
        AFTER_MOVE,
        search,
        experiment,
    )
    return experiment.score


@native(ENTRY)
def entry(
    operation: Number, words: Any, search_pointer: Any, number: Number, _flag: Number
) -> Number:
    """Run one `LaboratoryOperation` on a position given by its eight words.

    `number` is the address of an `Experiment`.
    """
    position = bitboards.position_at(words)
    if operation == parts.LaboratoryOperation.SEARCH_SCORE:
        return search_score(position, record_at(search_pointer), experiment_at(number))
    return parts.UNKNOWN_OPERATION
