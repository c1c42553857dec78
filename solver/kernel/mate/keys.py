"""The first moves of a query: which are allowed, and which mate."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.border.interface import SMALL_NODES, STOPPED, Verdict
from solver.kernel.border.query import Turn
from solver.kernel.build.jit import (
    Move,
    Number,
    boolean,
    i64,
    jit,
    query_t,
    search_t,
    u64,
    void,
    words_at,
)
from solver.kernel.mate.dfpn import find_mate, is_allowed
from solver.kernel.mate.ordering import ATTACKING, DEFENDING, is_stopped
from solver.kernel.mate.prover import mates_within
from solver.kernel.mate.turns import KEY_BUDGET, add_key, list_first_moves
from solver.kernel.rules.position import (
    Position,
    after_null_move,
    checkers,
    make,
    position_t,
)


@jit(i64(position_t, i64, boolean, boolean, search_t))
def mates_by(
    position: Position, moves: Number, attacking: bool, by_prover: bool, search: Any
) -> Number:
    """Decide with the prover, or else with the df-pn search, as `mates_within` does.

    A search that is not short uses the whole table.
    """
    if not by_prover:
        search.buckets = search.proofs_from
        return find_mate(position, moves, attacking, search)
    if search.nodes > SMALL_NODES:
        search.buckets = search.proofs_from
    return mates_within(position, moves, 0, attacking, search)


@jit(boolean(position_t, u64, search_t))
def is_admitted(position: Position, move: Move, search: Any) -> bool:
    """Return whether the current restriction allows a first move of the attacker.

    A threat must be searched for; once the search is stopped, the result is False.
    """
    if not search.restriction:
        return True
    child = make(position, move)
    if not is_allowed(child, search):
        return False
    if not search.threat_moves or checkers(child):
        return True
    waiting = after_null_move(child)
    verdict = mates_by(waiting, search.threat_moves, ATTACKING, True, search)
    return verdict == Verdict.MATE


@jit(void(query_t, position_t, search_t))
def keep_admitted(query: Any, position: Position, search: Any) -> None:
    """Remove the chosen root moves that the restriction excludes."""
    moves = words_at(query.root_moves)
    kept = 0
    for index in range(query.root_count):
        move = moves[index]
        if is_admitted(position, move, search):
            moves[kept] = move
            kept += 1
    query.root_count = kept


@jit(i64(query_t, position_t, i64, boolean, boolean, search_t))
def root_mates_within(
    query: Any,
    position: Position,
    moves: Number,
    attacking: bool,
    by_prover: bool,
    search: Any,
) -> Number:
    """Decide whether the attacker mates within `moves`; see `mates_by`.

    Chosen root moves share the remaining nodes; `query.key` receives the one that
    mates.
    """
    if not (attacking and query.root_moves):
        return mates_by(position, moves, attacking, by_prover, search)
    chosen = words_at(query.root_moves)
    limit = search.node_limit
    share = (limit - search.nodes) // max(1, query.root_count)
    all_refuted = True
    for index in range(query.root_count):
        child = make(position, chosen[index])
        search.node_limit = min(limit, search.nodes + share)
        verdict = mates_by(child, moves - 1, DEFENDING, by_prover, search)
        search.node_limit = limit
        if verdict == Verdict.MATE:
            query.key = chosen[index]
            return verdict
        all_refuted = all_refuted and verdict == Verdict.NO_MATE
    # With a restriction to threats, a limit may have hidden a chosen move.
    if is_stopped(search) or not all_refuted:
        return Verdict.STOPPED
    return Verdict.NO_MATE


@jit(i64(position_t, i64, i64, search_t))
def decide_by(
    position: Position, moves_left: Number, budget: Number, search: Any
) -> Number:
    """Decide the same as `decide` with a budget of nodes for each of both searches."""
    limit = search.node_limit
    verdict = np.int64(Verdict.STOPPED)
    if not search.restricted_only:
        search.node_limit = min(limit, search.nodes + budget)
        verdict = mates_by(position, moves_left, DEFENDING, True, search)
    if verdict == Verdict.STOPPED:
        search.node_limit = min(limit, search.nodes + budget)
        verdict = mates_by(position, moves_left, DEFENDING, False, search)
    search.node_limit = limit
    return verdict


@jit(i64(position_t, i64, search_t))
def decide(position: Position, moves_left: Number, search: Any) -> Number:
    """Decide whether the defender, which is to move, is mated within `moves_left`.

    The prover and the df-pn search take turns with doubling budgets. Under a
    restriction only the df-pn search runs, because the prover knows no restrictions.

    Returns
    -------
    int64
        A `Verdict`; STOPPED if the node limit was reached or the search was stopped.
    """
    budget = KEY_BUDGET
    verdict = np.int64(Verdict.STOPPED)
    while verdict == Verdict.STOPPED and not is_stopped(search):
        verdict = decide_by(position, moves_left, budget, search)
        budget *= 2
    return verdict


@jit(i64(query_t, position_t, i64, i64, search_t))
def find_keys(
    query: Any, position: Position, mate: Number, pause: Number, search: Any
) -> Number:
    """Find every first move that mates within `mate` moves, after `begin_keys`.

    Parameters
    ----------
    query : Query
    position : Position
    mate : int64
    pause : int64
        Return between two searches once they have taken this many nodes.
    search : Search

    Returns
    -------
    int64
        `Turn.ENDS`; `Turn.PAUSES`: call it again; or STOPPED by a limit.
    """
    moves = search.line
    size = list_first_moves(query, position, search)
    first_node = search.nodes
    while query.keys_tried < size:
        # 1. The next first move. A helper thread begins with the last, so that the
        #    threads meet in the middle of the list.
        place = query.keys_tried
        if search.is_helper:
            place = size - 1 - place
        move = moves[place]
        is_new = query.key_budget == KEY_BUDGET
        verdict = np.int64(Verdict.NO_MATE)
        if query.root_moves or not is_new or is_admitted(position, move, search):
            if is_stopped(search):
                return STOPPED
            child = make(position, move)
            verdict = decide_by(child, mate - 1, query.key_budget, search)

        # 2. It is decided, or gets a larger budget.
        if verdict == Verdict.STOPPED:
            query.key_budget *= 2
        else:
            if verdict == Verdict.MATE:
                add_key(query, place)
            query.keys_tried += 1
            query.key_budget = KEY_BUDGET
        if is_stopped(search):
            return STOPPED
        if search.nodes - first_node >= pause and query.keys_tried < size:
            return Turn.PAUSES
    return STOPPED if is_stopped(search) else Turn.ENDS
