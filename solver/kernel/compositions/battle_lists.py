"""Lists of moves for the play of a composition in battle play.

`solver.kernel.mate.play_lists` has the same for direct mates. A list is exact or
STOPPED.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.border.interface import STOPPED, ReplyFlag, Verdict
from solver.kernel.border.memory import BattlePlay
from solver.kernel.build.jit import Move, Number, boolean, i64, jit, search_t, u64
from solver.kernel.compositions.battle_play import must_end, reaches_within
from solver.kernel.compositions.goal_in_one import (
    attacker_ends,
    end_in_one,
    ends_play,
    is_reflex,
)
from solver.kernel.mate.prover import ATTACKING, DEFENDING
from solver.kernel.mate.reply_list import add_reply
from solver.kernel.rules.mate_in_one import is_checkmate, is_stalemate
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
    """Write the attacker's moves that reach the goal in time to `search.rows[ply]`.

    Returns
    -------
    int64
        The number of moves; STOPPED if a limit was hit first.
    """
    if must_end(position, search.play, ply, search):
        return 0
    moves = search.rows[ply]
    size = generate(position, moves)
    found = 0
    for index in range(size):
        move = moves[index]
        child = make(position, move)
        verdict = reaches_within(child, moves_left - 1, ply + 1, DEFENDING, search)
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
    """Write at most `most` replies after which the attacker fails to `search.rows[0]`.

    Returns
    -------
    int64
        The number of replies; STOPPED if a limit was hit first.
    """
    play = search.play
    if is_reflex(play) and end_in_one(position, play, 0, search) != NO_MOVE:
        return 0
    moves = search.rows[0]
    size = generate(position, moves)
    found = 0
    for index in range(size):
        if found >= most:
            break
        reply = moves[index]
        child = make(position, reply)
        if ends_play(child, play):
            continue
        verdict = reaches_within(child, moves_left, 1, ATTACKING, search)
        if verdict == Verdict.STOPPED:
            return STOPPED
        if verdict == Verdict.NO_MATE:
            moves[found] = reply
            found += 1
    return found


@jit(boolean(position_t, i64))
def has_ended(position: Position, play: Number) -> bool:
    """Return whether the defender, which has just moved, reached the goal."""
    if is_reflex(play):
        if play >= BattlePlay.REFLEX_STALEMATE:
            return is_stalemate(position)
        return is_checkmate(position)
    return ends_play(position, play)


@jit(i64(position_t, i64, search_t))
def keep_duty(position: Position, count: Number, search: Any) -> Number:
    """Keep the replies in `search.rows[0]` that reflex play allows.

    Returns
    -------
    int64
        Their number: those that reach the goal if there is one, else all.
    """
    replies = search.rows[0]
    kept = 0
    for index in range(count):
        reply = replies[index]
        if has_ended(make(position, reply), search.play):
            replies[kept] = reply
            kept += 1
    return kept or count


@jit(i64(position_t, u64, i64, i64, i64, search_t))
def add_shortest(
    position: Position,
    reply: Move,
    flags: Number,
    moves_left: Number,
    size: Number,
    search: Any,
) -> Number:
    """Add a reply and the attacker's shortest continuations to the list of replies.

    Parameters
    ----------
    position : Position
        The position after the reply; the attacker is to move.
    reply : uint64
    flags : int64
        The `ReplyFlag`s that are known.
    moves_left : int64
        Longer continuations are ignored; an exact mate takes all.
    size : int64
        The length of the list.
    search : Search

    Returns
    -------
    int64
        The new length of the list; STOPPED if a limit was hit.
    """
    shortest = 1
    if search.play == BattlePlay.EXACT_MATE:
        shortest = max(shortest, moves_left)
    for length in range(shortest, moves_left + 1):
        found = list_solving_moves(position, length, 1, search)
        if found == STOPPED:
            return STOPPED
        if found:
            return add_reply(reply, flags, length, found, size, search)
    return add_reply(reply, flags, 0, 0, size, search)


@jit(i64(position_t, i64, boolean, search_t))
def list_continuations(
    position: Position, moves_left: Number, threats: bool, search: Any
) -> Number:
    """List the attacker's shortest continuations after every reply.

    `solver.kernel.mate.reply_list` has the layout of the list. If reflex play forces
    the defender to end the play, no other reply is listed.

    Parameters
    ----------
    position : Position
        The defender is to move.
    moves_left : int64
        Longer continuations are ignored. 0: the attacker has made its last move.
    threats : bool
        Begin with the null move as a reply, unless the defender is in check or the
        attacker has no move left.
    search : Search

    Returns
    -------
    int64
        The length of the list; STOPPED if a limit was hit.
    """
    play = search.play

    # 1. The threats.
    size = 0
    if threats and moves_left and not checkers(position):
        child = after_null_move(position)
        size = add_shortest(child, NO_MOVE, 0, moves_left, size, search)
        if size == STOPPED:
            return STOPPED

    # 2. The replies. Where all end the play, they are all there is to show.
    replies = search.rows[0]
    count = generate(position, replies)
    if is_reflex(play):
        count = keep_duty(position, count, search)
    is_over = size == 0
    for index in range(count):
        is_over &= moves_left == 0 or has_ended(make(position, replies[index]), play)
    known = np.int64(ReplyFlag.RELEVANT) if is_over else 0

    # 3. Their continuations.
    for index in range(count):
        reply = replies[index]
        child = make(position, reply)
        if has_ended(child, play):
            flags = known | ReplyFlag.ENDS
            size = add_reply(reply, flags, 0, 0, size, search)
        else:
            size = add_shortest(child, reply, known, moves_left, size, search)
        if size == STOPPED:
            return STOPPED
    return size


@jit(i64(position_t, i64, search_t))
def has_tries(position: Position, moves_left: Number, search: Any) -> Number:
    """Return whether a first move that does not reach the goal can be a try: 1 or 0.

    The attacker's last move is never a try, unless a reply must end the play: either it
    works, or no reply refutes it. There are no tries either if the attacker must end
    the play, since no other move is then allowed.
    """
    play = search.play
    if moves_left == 1:
        return np.int64(not attacker_ends(play) and not is_reflex(play))
    return np.int64(not must_end(position, play, 0, search))
