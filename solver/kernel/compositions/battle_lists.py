"""Lists of moves for the play of a composition in battle play.

`solver.kernel.mate.play_lists` has the same for direct mates. Each list is exact, or it
is STOPPED.
"""

from __future__ import annotations

from typing import Any

from solver.kernel.border.interface import STOPPED, Verdict
from solver.kernel.build.jit import Number, i64, jit, search_t
from solver.kernel.compositions.battle_play import must_end, reaches_within
from solver.kernel.compositions.goal_in_one import end_in_one, ends_play, is_reflex
from solver.kernel.mate.prover import ATTACKING, DEFENDING
from solver.kernel.rules.movegen import generate
from solver.kernel.rules.position import NO_MOVE, Position, make, position_t


@jit(i64(position_t, i64, search_t))
def list_solving_moves(position: Position, moves_left: Number, search: Any) -> Number:
    """Write the attacker's moves that reach the goal in time to `search.rows[0]`.

    Returns
    -------
    int64
        The number of moves; STOPPED if a limit was hit first.
    """
    if must_end(position, search.play, 0, search):
        return 0
    moves = search.rows[0]
    size = generate(position, moves)
    found = 0
    for index in range(size):
        move = moves[index]
        child = make(position, move)
        verdict = reaches_within(child, moves_left - 1, 1, DEFENDING, search)
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
