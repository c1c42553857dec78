"""Lists of moves for the play of a problem: keys, refutations, continuations.

Each function calls the prover for every move of a position, so a result is exact or
STOPPED.
"""

from __future__ import annotations

from typing import Any

from solver.kernel.border.interface import STOPPED, Verdict
from solver.kernel.build.jit import Move, Number, boolean, i64, jit, search_t, u64
from solver.kernel.mate.ordering import bring_best, rank_replies, unranked
from solver.kernel.mate.prover import ATTACKING, DEFENDING, mated_in_one, mates_within
from solver.kernel.mate.reply_list import add_reply
from solver.kernel.mate.transposition import hash_key, probe
from solver.kernel.rules.movegen import generate
from solver.kernel.rules.position import (
    NO_MOVE,
    Position,
    after_null_move,
    checkers,
    make,
    position_t,
)


@jit(i64(position_t, i64, i64, search_t))
def list_solving_moves(
    position: Position, moves_left: Number, ply: Number, search: Any
) -> Number:
    """Write every move that mates within `moves_left` to `search.rows[ply]`.

    Parameters
    ----------
    position : Position
        The attacker is to move.
    moves_left : int64
        At least 1.
    ply : int64
    search : Search

    Returns
    -------
    int64
        The number of moves, which keep the generator's order; STOPPED if a limit was
        hit.
    """
    # 1. One search, in the best order, where no move mates.
    verdict = mates_within(position, moves_left, ply, ATTACKING, search)
    if verdict != Verdict.MATE:
        return STOPPED if verdict == Verdict.STOPPED else 0

    # 2. Every move. What does not mate makes room for what does.
    moves = search.rows[ply]
    size = generate(position, moves)
    found = 0
    for index in range(size):
        move = moves[index]
        child = make(position, move)
        if moves_left == 2:
            verdict = mated_in_one(child, ply + 1, move, search)
        else:
            verdict = mates_within(child, moves_left - 1, ply + 1, DEFENDING, search)
        if verdict == Verdict.STOPPED:
            return STOPPED
        if verdict == Verdict.MATE:
            moves[found] = move
            found += 1
    return found


@jit(i64(position_t, i64, i64, search_t))
def list_refutations(
    position: Position, moves_left: Number, most: Number, search: Any
) -> Number:
    """Write replies that are not mated within `moves_left` to `search.rows[0]`.

    Parameters
    ----------
    position : Position
        The defender is to move.
    moves_left : int64
        The attacker's moves after the reply, at least 0.
    most : int64
        End with this many, at least 1.
    search : Search

    Returns
    -------
    int64
        The number of replies; 0 also if there is no legal reply; STOPPED if a limit
        was hit.
    """
    moves = search.rows[0]
    size = generate(position, moves)
    known = probe(search, hash_key(position, DEFENDING)).move
    rank_replies(position, moves, size, 0, known, search)
    found = 0
    for index in range(size):
        bring_best(moves, index, size)
        reply = unranked(moves[index])
        child = make(position, reply)
        verdict = mates_within(child, moves_left, 1, ATTACKING, search)
        if verdict == Verdict.STOPPED:
            return STOPPED
        if verdict == Verdict.NO_MATE:
            moves[found] = reply
            found += 1
            if found == most:
                break
    return found


@jit(i64(position_t, u64, i64, i64, search_t))
def add_shortest(
    position: Position, reply: Move, moves_left: Number, size: Number, search: Any
) -> Number:
    """Add a reply and the attacker's shortest continuations to the list of replies.

    Parameters
    ----------
    position : Position
        The position after the reply; the attacker is to move.
    reply : uint64
    moves_left : int64
        Longer continuations are ignored.
    size : int64
        The length of the list.
    search : Search

    Returns
    -------
    int64
        The new length of the list; STOPPED if a limit was hit.
    """
    for length in range(1, moves_left + 1):
        found = list_solving_moves(position, length, 1, search)
        if found == STOPPED:
            return STOPPED
        if found:
            return add_reply(reply, 0, length, found, size, search)
    return add_reply(reply, 0, 0, 0, size, search)


@jit(i64(position_t, i64, boolean, search_t))
def list_continuations(
    position: Position, moves_left: Number, threats: bool, search: Any
) -> Number:
    """List the attacker's shortest continuations after every reply.

    `solver.kernel.mate.reply_list` has the layout of the list.

    Parameters
    ----------
    position : Position
        The defender is to move.
    moves_left : int64
        Longer continuations are ignored.
    threats : bool
        Begin with the null move as a reply, unless the defender is in check.
    search : Search

    Returns
    -------
    int64
        The length of the list; STOPPED if a limit was hit.
    """
    size = 0
    if threats and not checkers(position):
        child = after_null_move(position)
        size = add_shortest(child, NO_MOVE, moves_left, size, search)
    replies = search.rows[0]
    count = generate(position, replies)
    for index in range(count):
        if size == STOPPED:
            return STOPPED
        reply = replies[index]
        size = add_shortest(make(position, reply), reply, moves_left, size, search)
    return size
