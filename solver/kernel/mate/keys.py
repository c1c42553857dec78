"""The first moves of a query: which are allowed, and which mate."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.border.interface import SMALL_NODES, Verdict
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
from solver.kernel.mate.prover import ATTACKING, DEFENDING, is_stopped, mates_within
from solver.kernel.rules.movegen import generate
from solver.kernel.rules.notation import write_move
from solver.kernel.rules.position import (
    Position,
    after_null_move,
    checkers,
    make,
    position_t,
)

KEY_BUDGET = 100_000
"""Nodes that the prover, and then the df-pn search, may spend on a first move; doubled
until one of them decides whether the move is a key."""


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
    limit = search.node_limit
    budget = KEY_BUDGET
    verdict = np.int64(Verdict.STOPPED)
    while verdict == Verdict.STOPPED and not is_stopped(search):
        if not search.restricted_only:
            search.node_limit = min(limit, search.nodes + budget)
            verdict = mates_by(position, moves_left, DEFENDING, True, search)
        if verdict == Verdict.STOPPED:
            search.node_limit = min(limit, search.nodes + budget)
            verdict = mates_by(position, moves_left, DEFENDING, False, search)
        search.node_limit = limit
        budget *= 2
    return verdict


@jit(boolean(query_t, position_t, i64, search_t))
def write_keys(query: Any, position: Position, mate: Number, search: Any) -> bool:
    """Write every first move that mates within `mate` moves, in the generator's order.

    Returns
    -------
    bool
        Whether these are all; otherwise the search was stopped.
    """
    # The searches below use the rows of moves, so the first moves are copied.
    moves = search.line
    if query.root_moves:
        chosen = words_at(query.root_moves)
        size = query.root_count
        for index in range(size):
            moves[index] = chosen[index]
    else:
        size = generate(position, search.rows[0])
        for index in range(size):
            moves[index] = search.rows[0, index]
    for index in range(size):
        if not query.root_moves and not is_admitted(position, moves[index], search):
            continue
        verdict = decide(make(position, moves[index]), mate - 1, search)
        if verdict == Verdict.STOPPED:
            return False
        if verdict == Verdict.MATE:
            write_move(position, moves[index], query.black, search)
    return not is_stopped(search)
