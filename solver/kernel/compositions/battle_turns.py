"""Battle play in the machine of turns and lists, and the part's C function.

The search deepens move by move up to the stipulation's number, so that its first
success is the shortest way to the goal; an exact mate is searched at this number alone.
The keys are all first moves that reach the goal within the stipulation, as problemists
count them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.border.interface import SMALL_NODES, STOPPED, Verdict
from solver.kernel.border.memory import BattlePlay
from solver.kernel.border.parts import UNKNOWN_OPERATION, BattleOperation
from solver.kernel.border.query import Turn
from solver.kernel.build.jit import (
    ENTRY,
    Move,
    Number,
    boolean,
    i64,
    jit,
    native,
    query_t,
    record_at,
    search_t,
    u64,
)
from solver.kernel.compositions.battle_play import (
    find_line,
    must_end,
    reaches_within,
)
from solver.kernel.compositions.goal_in_one import (
    attacker_ends,
    ends_play,
    is_reflex,
)
from solver.kernel.mate import play_lists, turns
from solver.kernel.mate.ordering import ATTACKING, DEFENDING, is_stopped
from solver.kernel.rules.mate_in_one import is_checkmate, is_stalemate
from solver.kernel.rules.movegen import generate
from solver.kernel.rules.position import Position, make, position_at, position_t

# Turns; see `turns.machine`


@jit(i64(query_t, position_t, search_t))
def begin_query(query: Any, position: Position, search: Any) -> Number:
    """Begin a search, an exact mate's with its only length."""
    least = query.most_moves if query.play == BattlePlay.EXACT_MATE else 1
    turns.open_query(query, least, search)
    query.attacking = 1
    return Turn.GOES_ON


@jit(i64(position_t, i64, boolean, search_t))
def decide(
    position: Position, moves_left: Number, attacking: bool, search: Any
) -> Number:
    """Decide whether the goal is reached within `moves_left`.

    A search that turns out not to be short begins again, with the whole table.
    """
    limit = search.node_limit
    search.node_limit = min(limit, max(search.nodes, SMALL_NODES))
    verdict = reaches_within(position, moves_left, 0, attacking, search)
    search.node_limit = limit
    if verdict != Verdict.STOPPED or is_stopped(search):
        return verdict
    search.buckets = search.proofs_from
    return reaches_within(position, moves_left, 0, attacking, search)


@jit(i64(query_t, position_t, search_t))
def search_root(query: Any, position: Position, search: Any) -> Number:
    """Decide whether the goal is reached within the lower bound.

    Chosen root moves are searched one after the other; `query.key` receives the first
    that succeeds.
    """
    moves = query.lower[turns.OURS]
    if not query.root_moves:
        return decide(position, moves, ATTACKING, search)
    if must_end(position, search.play, 0, search):
        return Verdict.NO_MATE
    size = turns.list_first_moves(query, position, search)
    for index in range(size):
        query.key = search.line[index]
        child = make(position, query.key)
        verdict = decide(child, moves - 1, DEFENDING, search)
        if verdict != Verdict.NO_MATE:
            return verdict
    return Verdict.NO_MATE


@jit(i64(position_t, i64, boolean, boolean, search_t))
def read_line(
    position: Position,
    moves: Number,
    attacking: bool,
    is_shortest: bool,
    search: Any,
) -> Number:
    """Read the line of the shortest solution; see `turns.noting`."""
    plies = find_line(position, moves, attacking, search)
    whole = 2 * moves + np.int64(not attacking) - np.int64(attacker_ends(search.play))
    return plies if plies == whole else STOPPED


note = turns.noting(read_line)


@jit(boolean(query_t, position_t, i64, search_t))
def search_side(query: Any, position: Position, side: Number, search: Any) -> bool:
    """Search one length; return whether this ends the turn."""
    moves = query.lower[side]
    verdict = search_root(query, position, search)
    note(query, position, side, verdict, moves, search)
    is_long = search.nodes > SMALL_NODES  # helper threads may join
    return verdict != Verdict.NO_MATE or is_long or turns.is_closed(query, side)


@jit(i64(query_t, position_t, i64, i64, search_t))
def find_keys(
    query: Any,
    position: Position,
    mate: Number,
    pause: Number,
    search: Any,
) -> Number:
    """Find every first move that reaches the goal within the stipulation."""
    size = turns.list_first_moves(query, position, search)
    first_node = search.nodes
    while query.keys_tried < size:
        if search.nodes - first_node >= pause:
            return Turn.PAUSES
        child = make(position, search.line[query.keys_tried])
        verdict = decide(child, query.most_moves - 1, DEFENDING, search)
        if verdict == Verdict.STOPPED:
            return STOPPED
        if verdict == Verdict.MATE:
            turns.add_key(query, query.keys_tried)
        query.keys_tried += 1
    return Turn.ENDS


take_turn = turns.machine(begin_query, search_side, find_keys)

# Lists; see `play_lists.compile_lists`


@jit(i64(position_t, i64, i64, search_t))
def may_solve(
    position: Position,
    moves: Number,
    ply: Number,
    search: Any,
) -> Number:
    """Return NO_MATE if the attacker has to reach the goal itself, and so fails."""
    if must_end(position, search.play, ply, search):
        return Verdict.NO_MATE
    return Verdict.MATE


@jit(i64(position_t, i64, i64, u64, search_t))
def loses_within(
    position: Position,
    moves: Number,
    ply: Number,
    attack: Move,
    search: Any,
) -> Number:
    """Decide whether the goal is reached within `moves` after an attack."""
    return reaches_within(position, moves, ply, DEFENDING, search)


@jit(boolean(position_t, search_t))
def has_ended(position: Position, search: Any) -> bool:
    """Return whether the defender, which has just moved, reached the goal."""
    play = search.play
    if is_reflex(play):
        if play >= BattlePlay.REFLEX_STALEMATE:
            return is_stalemate(position)
        return is_checkmate(position)
    return ends_play(position, play)


@jit(i64(position_t, boolean, search_t))
def list_replies(
    position: Position,
    refuting: bool,
    search: Any,
) -> Number:
    """Write the replies to the first row.

    In reflex play, those that reach the goal are the only ones, if there are any.
    """
    replies = search.rows[0]
    count = generate(position, replies)
    if not is_reflex(search.play):
        return count
    kept = 0
    for index in range(count):
        reply = replies[index]
        if has_ended(make(position, reply), search):
            replies[kept] = reply
            kept += 1
    return kept or count


@jit(i64(i64, search_t), inline=True)
def least_moves(moves_left: Number, search: Any) -> Number:
    """Return 1; an exact mate takes all moves that are left."""
    return max(1, moves_left) if search.play == BattlePlay.EXACT_MATE else 1


list_solving_moves, list_refutations, list_continuations = play_lists.compile_lists(
    may_solve, loses_within, reaches_within, list_replies, has_ended, least_moves
)


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


# The C function


@native(ENTRY)
def entry(
    operation: Number, words: Any, search_pointer: Any, number: Number, flag: Number
) -> Number:
    """Run one operation on a position given by its eight words.

    Parameters
    ----------
    operation : int64
        A `BattleOperation`.
    words : pointer to uint64
        The fields of a `Position`. NULL for a query.
    search_pointer : pointer to Search
    number : int64
        The number of attacker's moves, or the address of a query.
    flag : int64
        Whether the attacker is to move, or threats are wanted; or the most refutations
        to list.

    Returns
    -------
    int64
        See the methods of `solver.kernel.border.interface.Kernel`.
    """
    search = record_at(search_pointer)
    if operation == BattleOperation.TAKE_TURN:
        return take_turn(number, search)
    position = position_at(words)
    if operation == BattleOperation.REACHES_WITHIN:
        return reaches_within(position, number, 0, flag != 0, search)
    if operation == BattleOperation.SOLVING_MOVES:
        return list_solving_moves(position, number, 0, search)
    if operation == BattleOperation.REFUTATIONS:
        return list_refutations(position, number, flag, search)
    if operation == BattleOperation.CONTINUATIONS:
        return list_continuations(position, number, flag != 0, search)
    if operation == BattleOperation.HAS_TRIES:
        return has_tries(position, number, search)
    if operation == BattleOperation.LINE:
        return find_line(position, number, flag != 0, search)
    return UNKNOWN_OPERATION
