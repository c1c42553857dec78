"""Battle play: selfmates, reflexmates and stalemates, and its side of the machine."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.border import interface, parts, query_struct, search_struct
from solver.kernel.build.jit import inlined, jit, native, record_at
from solver.kernel.build.words import ENTRY, Move, Number, Query, Search
from solver.kernel.compositions.goal_in_one import (
    attacker_ends,
    attacker_must_end,
    end_in_one,
    ends_play,
    every_reply_ends,
    goal_in_one,
    is_reflex,
)
from solver.kernel.mate import and_or, levels, ordering, transposition, turns
from solver.kernel.rules import bitboards, mating, movegen

# --------------------------------------------------------------------------------------
# The search of self-, reflex and stalemate play, which has two opponents like a mate.
#
# docs/reference/stipulations.md defines the goals. As in the prover, an attacker node
# needs one move that works and at a defender node every reply must lose; `moves_left`
# counts the attacker's moves. Only the end of the play differs:
#
# - `=n`: the attacker's last move stalemates;
# - `s#n`, `s=n`: every reply to the attacker's last move mates, or stalemates, the
#   attacker; a reply that does so earlier ends the play too;
# - `r#n`, `semi-r#n`: the defender can reach the goal in one, and must do so. In `r#n`
#   the attacker fails wherever it can do so itself, because it too must;
# - `exact-#n`: the attacker's last move mates, and no earlier one may. Here more moves
#   do not help, so a node searches one length, and each length has other hash keys.
#
# An answer is exact or STOPPED. A stopped search stores nothing.

MIX_PLAY = np.uint64(0x9E3779B97F4A7C15)
"""The fractional part of the golden ratio, made odd."""

LONG_NODES = 20_000
"""After this many nodes a turn ends, so that helper threads may join."""

EXACT_SHIFT = 8
"""Bits that hold the number of each `BattlePlay`."""


@jit
def play_key(
    position: bitboards.Position, moves_left: Number, attacking: bool, search: Search
) -> transposition.HashKey:
    """Return the hash key of a position under the stipulation of `search`.

    So one table can hold the bounds of mates and of all stipulations. Those of an exact
    mate are valid for `moves_left` alone.
    """
    key = transposition.hash_key(position, attacking)
    number = search.play + 1
    if search.play == search_struct.BattlePlay.EXACT_MATE:
        number += moves_left << EXACT_SHIFT
    mixed = np.uint64(number) * MIX_PLAY
    return transposition.complete_key(key.check ^ mixed, key.bucket)


@jit
def is_reached(position: bitboards.Position, ply: Number, search: Search) -> Number:
    """Decide whether the goal is certain with the defender to move: MATE or NO_MATE."""
    play = search.play
    if play == search_struct.BattlePlay.STALEMATE:
        reached = mating.is_stalemate(position)
    elif play == search_struct.BattlePlay.EXACT_MATE:
        reached = mating.is_checkmate(position)
    elif is_reflex(play):
        reached = end_in_one(position, play, ply, search) != bitboards.NO_MOVE
    else:
        reached = every_reply_ends(position, play, ply, search)
    return interface.Decision.MATE if reached else interface.Decision.NO_MATE


@inlined
def forced_end(position: bitboards.Position, ply: Number, search: Search) -> Move:
    """Return the reply with which a reflex defender must reach the goal, or NO_MOVE."""
    if not is_reflex(search.play):
        return bitboards.NO_MOVE
    return end_in_one(position, search.play, ply, search)


@inlined
def must_end(position: bitboards.Position, ply: Number, search: Search) -> bool:
    """Return whether the attacker must reach the goal itself, and therefore fails."""
    if not attacker_must_end(search.play):
        return False
    return end_in_one(position, search.play, ply, search) != bitboards.NO_MOVE


@inlined
def reply_ends(position: bitboards.Position, search: Search) -> bool:
    """Return whether the defender's last move reached the goal."""
    return ends_play(position, search.play)


@inlined
def answers_in_one(position: bitboards.Position, ply: Number, search: Search) -> bool:
    """Return whether a reply ended the play or leaves the attacker one last move."""
    if reply_ends(position, search):
        return True
    if must_end(position, ply + 1, search):
        return False
    return goal_in_one(position, ply + 1, search) != bitboards.NO_MOVE


@inlined
def goal_or_escape(position: bitboards.Position, search: Search) -> Number:
    """Decide a position without legal moves: only stalemate can be the goal."""
    is_goal = (
        search.play == search_struct.BattlePlay.STALEMATE
        and not bitboards.checkers(position)
    )
    return interface.Decision.MATE if is_goal else interface.Decision.NO_MATE


@inlined
def decide_goal_at_once(
    position: bitboards.Position,
    moves_left: Number,
    ply: Number,
    attacking: bool,
    search: Search,
) -> Number:
    """Decide where no move is left, or where a side must reach the goal."""
    if moves_left < 1:
        search.nodes += 1
        return (
            interface.Decision.NO_MATE
            if attacking
            else is_reached(position, ply, search)
        )
    if attacking:
        if must_end(position, ply, search):
            return interface.Decision.NO_MATE
    elif forced_end(position, ply, search) != bitboards.NO_MOVE:
        return interface.Decision.MATE
    return and_or.UNDECIDED


@inlined
def least_moves(moves_left: Number, search: Search) -> Number:
    """Return 1; an exact mate takes all moves that are left."""
    return (
        max(1, moves_left) if search.play == search_struct.BattlePlay.EXACT_MATE else 1
    )


@inlined
def end_last(
    position: bitboards.Position,
    moves_left: Number,
    ply: Number,
    key: transposition.HashKey,
    bounds: transposition.Bounds,
    search: Search,
) -> Number:
    """Decide whether the attacker's next move makes the goal certain."""
    move = goal_in_one(position, ply, search)
    if move:
        transposition.store(search, key, transposition.Bounds(0, 1, move), 1)
        return interface.Decision.MATE
    if moves_left == 1:
        transposition.store(
            search, key, transposition.Bounds(1, bounds.mate, bounds.move), 1
        )
    return interface.Decision.NO_MATE


lost_in_one = and_or.compile_last_reply(forced_end, answers_in_one, goal_or_escape)

reaches_within = and_or.compile_search(
    decide_at_once=decide_goal_at_once,
    key_of=play_key,
    without_reply=goal_or_escape,
    ends_play=reply_ends,
    least_moves=least_moves,
    last_moves=1,
    win_last=end_last,
    loses_in_one=lost_in_one,
)
"""Decides whether the goal is reached in time; see `and_or.compile_search`."""

find_battle_line = and_or.compile_line(
    wins_within=reaches_within,
    key_of=play_key,
    final_reply=forced_end,
    ends_play=reply_ends,
    least_moves=least_moves,
)


# --------------------------------------------------------------------------------------
# Battle play in the machine of turns and lists, and the part's C function.
#
# The search deepens move by move up to the stipulation's number, so that its first
# success is the shortest way to the goal; an exact mate is searched at this number
# alone. The keys are all first moves that reach the goal within the stipulation, as
# problemists count them.

# Turns; see `turns.machine`


@jit
def begin_battle(query: Query, position: bitboards.Position, search: Search) -> Number:
    """Begin a search, an exact mate's with its only length."""
    least = query.most_moves if query.play == search_struct.BattlePlay.EXACT_MATE else 1
    turns.open_query(query, least, search)
    query.attacking = 1
    return query_struct.Turn.GOES_ON


@jit
def search_root(query: Query, position: bitboards.Position, search: Search) -> Number:
    """Decide whether the goal is reached within the lower bound.

    Chosen root moves are searched one after the other; `query.key` receives the first
    that succeeds.
    """
    moves = query.lower[turns.OURS]
    if not query.root_moves:
        return reaches_within(position, moves, 0, ordering.ATTACKING, search)
    if must_end(position, 0, search):
        return interface.Decision.NO_MATE
    size = turns.list_first_moves(query, position, search)
    for index in range(size):
        query.key = search.line[index]
        child = bitboards.make(position, query.key)
        verdict = reaches_within(child, moves - 1, 0, ordering.DEFENDING, search)
        if verdict != interface.Decision.NO_MATE:
            return verdict
    return interface.Decision.NO_MATE


@jit
def read_battle_line(
    position: bitboards.Position,
    moves: Number,
    attacking: bool,
    is_shortest: bool,
    search: Search,
) -> Number:
    """Read the line of the shortest solution; see `turns.noting`."""
    plies = find_battle_line(position, moves, attacking, search)
    whole = 2 * moves + np.int64(not attacking) - np.int64(attacker_ends(search.play))
    return plies if plies == whole else interface.STOPPED


note = turns.noting(read_battle_line)


@jit
def search_battle(
    query: Query, position: bitboards.Position, side: Number, search: Search
) -> bool:
    """Search one length; return whether this ends the turn."""
    moves = query.lower[side]
    verdict = search_root(query, position, search)
    note(query, position, side, verdict, moves, search)
    is_long = search.nodes > LONG_NODES
    return (
        verdict != interface.Decision.NO_MATE or is_long or turns.is_closed(query, side)
    )


@jit
def find_battle_keys(
    query: Query,
    position: bitboards.Position,
    mate: Number,
    pause: Number,
    search: Search,
) -> Number:
    """Find every first move that reaches the goal within the stipulation."""
    size = turns.list_first_moves(query, position, search)
    first_node = search.nodes
    while query.keys_tried < size:
        if search.nodes - first_node >= pause:
            return query_struct.Turn.PAUSES
        child = bitboards.make(position, search.line[query.keys_tried])
        verdict = reaches_within(
            child, query.most_moves - 1, 0, ordering.DEFENDING, search
        )
        if verdict == interface.Decision.STOPPED:
            return interface.STOPPED
        if verdict == interface.Decision.MATE:
            turns.add_key(query, query.keys_tried)
        query.keys_tried += 1
    return query_struct.Turn.ENDS


take_turn = turns.machine(begin_battle, search_battle, find_battle_keys)

# Lists; see `levels.compile_lists`


@jit
def may_solve(
    position: bitboards.Position,
    moves: Number,
    ply: Number,
    search: Search,
) -> Number:
    """Return NO_MATE if the attacker has to reach the goal itself, and so fails."""
    if must_end(position, ply, search):
        return interface.Decision.NO_MATE
    return interface.Decision.MATE


@jit
def loses_within(
    position: bitboards.Position,
    moves: Number,
    ply: Number,
    attack: Move,
    search: Search,
) -> Number:
    """Decide whether the goal is reached within `moves` after an attack."""
    return reaches_within(position, moves, ply, ordering.DEFENDING, search)


@jit
def has_ended(position: bitboards.Position, search: Search) -> bool:
    """Return whether the defender, which has just moved, reached the goal."""
    play = search.play
    if is_reflex(play):
        if play >= search_struct.BattlePlay.REFLEX_STALEMATE:
            return mating.is_stalemate(position)
        return mating.is_checkmate(position)
    return ends_play(position, play)


@jit
def list_replies(
    position: bitboards.Position,
    refuting: bool,
    search: Search,
) -> Number:
    """Write the replies to the first row.

    In reflex play, those that reach the goal are the only ones, if there are any.
    """
    replies = search.rows[0]
    count = movegen.generate(position, replies)
    if not is_reflex(search.play):
        return count
    kept = 0
    for index in range(count):
        reply = replies[index]
        if has_ended(bitboards.make(position, reply), search):
            replies[kept] = reply
            kept += 1
    return kept or count


@jit
def may_pass(position: bitboards.Position, search: Search) -> bool:
    """Return whether neither a check nor the goal of reflex play forces the reply."""
    if bitboards.checkers(position):
        return False
    return forced_end(position, 0, search) == bitboards.NO_MOVE


list_solving_moves, list_refutations, list_continuations = levels.compile_lists(
    may_solve,
    loses_within,
    reaches_within,
    may_pass,
    list_replies,
    has_ended,
    least_moves,
)


@jit
def has_tries(
    position: bitboards.Position, moves_left: Number, search: Search
) -> Number:
    """Return whether a first move that does not reach the goal can be a try: 1 or 0.

    The attacker's last move is never a try, unless a reply must end the play: either it
    works, or no reply refutes it. There are no tries either if the attacker must end
    the play, since no other move is then allowed.
    """
    play = search.play
    if moves_left == 1:
        return np.int64(not attacker_ends(play) and not is_reflex(play))
    return np.int64(not must_end(position, 0, search))


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
        The fields of a `Position`. NULL for BEGIN and a query.
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
    if operation == parts.BattleOperation.BEGIN:
        ordering.begin(search)
        return 0
    if operation == parts.BattleOperation.TAKE_TURN:
        return take_turn(number, search)
    position = bitboards.position_at(words)
    if operation == parts.BattleOperation.REACHES_WITHIN:
        return reaches_within(position, number, 0, flag != 0, search)
    if operation == parts.BattleOperation.SOLVING_MOVES:
        return list_solving_moves(position, number, 0, search)
    if operation == parts.BattleOperation.REFUTATIONS:
        return list_refutations(position, number, flag, search)
    if operation == parts.BattleOperation.CONTINUATIONS:
        return list_continuations(position, number, flag != 0, search)
    if operation == parts.BattleOperation.HAS_TRIES:
        return has_tries(position, number, search)
    if operation == parts.BattleOperation.LINE:
        return find_battle_line(position, number, flag != 0, search)
    return parts.UNKNOWN_OPERATION
