"""The exact search: "is there a mate in n, whatever the defender does?".

An AND/OR search over *attacker nodes* (some move works) and *defender nodes* (every
reply loses). Scores need not be carried. With `score = MATE - ply`, the question "mate
in n?" is the window (MATE - 2n, MATE - 2n + 1) at the root, and mate-distance pruning
cuts a node whose mating value, `MATE - ply` of the very next ply, no longer exceeds
alpha: that is where no attacker's move is left. Here the moves left *are* the window,
and mate-distance pruning is the depth bound.

Answers are exact or none. A stopped search says STOPPED and writes nothing; only what
was searched in full is told or stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.jit import Move, Number, boolean, i64, jit, search_t, u64
from solver.kernel.mate_in_one import is_checkmate, mate_in_one
from solver.kernel.movegen import generate
from solver.kernel.moves import NO_MOVE, without_origin
from solver.kernel.ordering import (
    bring_best,
    is_plain_move,
    rank_attacks,
    rank_replies,
    remember_refutation,
    turn_around,
    unranked,
)
from solver.kernel.position import (
    Position,
    checkers,
    leaves_king_attacked,
    make,
    position_t,
)
from solver.kernel.transposition import (
    TABLE,
    Bounds,
    address,
    prefetch_bounds,
    probe,
    store,
)

NO_MATE = np.int64(0)
MATE = np.int64(1)
STOPPED = np.int64(-1)

# A recursive call must have the very types of the signature: a literal `False` is
# another type, and numba then calls a function that does not exist (its issue 6713).
ATTACKING: Any = np.bool_(True)
DEFENDING: Any = np.bool_(False)

# Typed, for the same reason: a count of moves or replies, and a step to the next.
NONE = np.int64(0)
ONE_MOVE = np.int64(1)
WELL_RANKED = np.int64(3)
TWO_MOVES = np.int64(2)
NEXT = np.int64(1)


@jit(u64(position_t, search_t), inline=True)
def mating_move(position: Position, search: Any) -> Move:
    """A move that mates at once, or NO_MOVE; one node."""
    search.nodes += NEXT
    return mate_in_one(position)


@jit(i64(position_t, i64, u64, search_t))
def mated_in_one(position: Position, ply: Number, attack: Move, search: Any) -> Number:
    """Whether every reply to `attack` allows mate on the spot: MATE or NO_MATE.

    Most attacks fail to a reply that has just refuted another, so remembered replies
    are tried before any move is generated.
    """
    search.nodes += NEXT
    counter = without_origin(attack)
    remembered = (
        search.counters[counter],
        search.killers[ply, 0],
        search.killers[ply, 1],
    )

    # 1. What refuted before.
    for slot in range(len(remembered)):
        reply = remembered[slot]
        if reply == NO_MOVE or not is_plain_move(position, reply):
            continue
        child = make(position, reply)
        if leaves_king_attacked(child):
            continue
        if mating_move(child, search) == NO_MOVE:
            search.counters[counter] = reply
            remember_refutation(search, ply, reply, NONE)
            return NO_MATE

    # 2. Every reply. Stalemate is an escape, though "every reply loses" is vacuously
    #    true of no replies.
    replies = search.rows[ply]
    size = generate(position, replies)
    if size == NONE:
        return MATE if checkers(position) else NO_MATE
    rank_replies(position, replies, size, ply, NO_MOVE, search)
    for index in range(size):
        bring_best(replies, index, size)
        reply = unranked(replies[index])
        if mating_move(make(position, reply), search) == NO_MOVE:
            search.counters[counter] = reply
            remember_refutation(search, ply, reply, ONE_MOVE)
            return NO_MATE
    return MATE


@jit(i64(position_t, i64, i64, boolean, search_t, TABLE))
def mates_within(
    position: Position,
    moves_left: Number,
    ply: Number,
    attacking: bool,
    search: Any,
    table: Any,
) -> Number:
    """Whether the attacker mates within `moves_left` of its own moves.

    Parameters
    ----------
    position : Position
        The attacker to move if `attacking`, else the defender.
    moves_left : int64
        At least 0. The attacker needs one move at least; a defender is mated in 0
        when it is mated already.
    ply : int64
        Distance from the root, for killers and scratch memory.
    attacking : bool
    search : Search
    table : uint64 words
        Reads and writes bounds proved of this position and its descendants.

    Returns
    -------
    int64
        MATE, NO_MATE, or STOPPED when a limit was hit.
    """
    # 1. Mate-distance pruning, and the positions that it leaves nothing to search in.
    if moves_left < ONE_MOVE:
        if attacking:
            return NO_MATE
        search.nodes += NEXT
        return MATE if is_checkmate(position) else NO_MATE
    if attacking and moves_left == ONE_MOVE:
        return MATE if mating_move(position, search) else NO_MATE

    # 2. What is proved already.
    search.nodes += NEXT
    where = address(position, attacking)
    bounds = probe(table, search, where)
    if moves_left <= bounds.no_mate:
        return NO_MATE
    if moves_left >= bounds.mate:
        return MATE

    # 3. Limits.
    if search.stop or search.nodes >= search.node_limit:
        return STOPPED

    moves = search.rows[ply]
    if not attacking:
        # 4. Defender: every reply must lose.
        size = generate(position, moves)
        if size == NONE:
            return MATE if checkers(position) else NO_MATE
        if moves_left > TWO_MOVES:  # nearer the leaves, searching is as fast
            for index in range(size):
                prefetch_bounds(
                    table, search, address(make(position, moves[index]), ATTACKING)
                )
            for index in range(size):
                answer = address(make(position, moves[index]), ATTACKING)
                if moves_left <= probe(table, search, answer).no_mate:
                    return NO_MATE
        rank_replies(position, moves, size, ply, bounds.move, search)
        for index in range(size):
            bring_best(moves, index, size)
            reply = unranked(moves[index])
            child = make(position, reply)
            verdict = mates_within(
                child, moves_left, ply + NEXT, ATTACKING, search, table
            )
            if verdict == STOPPED:
                return STOPPED
            if verdict == NO_MATE:
                remember_refutation(search, ply, reply, moves_left)
                refuted = Bounds(moves_left, bounds.mate, reply)
                store(table, search, where, refuted, moves_left)
                return NO_MATE
        proved = Bounds(bounds.no_mate, moves_left, NO_MOVE)
        store(table, search, where, proved, moves_left)
        return MATE

    # 5. Attacker: mate at once?
    no_mate = bounds.no_mate
    if no_mate < ONE_MOVE:
        move = mating_move(position, search)
        if move:
            proved = Bounds(NONE, ONE_MOVE, move)
            store(table, search, where, proved, ONE_MOVE)
            return MATE
        no_mate = ONE_MOVE

    # 6. Attacker: deepen, so that the shortest mate is found and its bounds are exact.
    size = generate(position, moves)
    rank_attacks(position, moves, size, bounds.move, moves_left > TWO_MOVES)
    for index in range(size):
        bring_best(moves, index, size)
    if search.is_companion:  # the leader and it meet in the middle
        turn_around(moves, WELL_RANKED, size)
    for depth in range(no_mate + ONE_MOVE, moves_left + ONE_MOVE):
        for index in range(size):
            attack = unranked(moves[index])
            child = make(position, attack)
            if depth == TWO_MOVES:
                verdict = mated_in_one(child, ply + NEXT, attack, search)
            else:
                verdict = mates_within(
                    child, depth - ONE_MOVE, ply + NEXT, DEFENDING, search, table
                )
            if verdict == STOPPED:
                return STOPPED
            if verdict == MATE:
                proved = Bounds(depth - ONE_MOVE, depth, attack)
                store(table, search, where, proved, depth)
                return MATE
        refuted = Bounds(depth, bounds.mate, bounds.move)
        store(table, search, where, refuted, depth)
    return NO_MATE
