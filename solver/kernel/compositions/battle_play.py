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
from solver.kernel.mate import levels, ordering, transposition, turns
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
def defender_must_end(
    position: bitboards.Position, play: Number, ply: Number, search: Search
) -> bool:
    """Return whether the defender must reach the goal, and therefore loses."""
    if not is_reflex(play):
        return False
    return end_in_one(position, play, ply, search) != bitboards.NO_MOVE


@inlined
def must_end(
    position: bitboards.Position, play: Number, ply: Number, search: Search
) -> bool:
    """Return whether the attacker must reach the goal itself, and therefore fails."""
    if not attacker_must_end(play):
        return False
    return end_in_one(position, play, ply, search) != bitboards.NO_MOVE


@inlined
def answers_in_one(
    position: bitboards.Position, play: Number, ply: Number, search: Search
) -> bool:
    """Return whether a reply ended the play or leaves the attacker one last move."""
    if ends_play(position, play):
        return True
    if must_end(position, play, ply + 1, search):
        return False
    return goal_in_one(position, ply + 1, search) != bitboards.NO_MOVE


@jit
def lost_in_one(
    position: bitboards.Position, ply: Number, attack: Move, search: Search
) -> Number:
    """Decide whether one more attacker's move is enough after `attack`.

    Replies that have just refuted a similar attack are tried before replies are
    generated; see `solver.kernel.mate.prover.mated_in_one`.

    Returns
    -------
    int64
        MATE or NO_MATE.
    """
    search.nodes += 1
    play = search.play
    if defender_must_end(position, play, ply, search):
        return interface.Decision.MATE

    # 1. Remembered replies, as far as they are legal here.
    counter = bitboards.without_origin(attack)
    remembered = (
        search.counters[counter],
        search.killers[ply, 0],
        search.killers[ply, 1],
    )
    for slot in range(len(remembered)):
        reply = remembered[slot]
        if reply == bitboards.NO_MOVE or not ordering.is_plain_move(position, reply):
            continue
        child = bitboards.make(position, reply)
        if bitboards.leaves_king_attacked(child):
            continue
        if not answers_in_one(child, play, ply, search):
            search.counters[counter] = reply
            ordering.remember_refutation(search, ply, reply, 0)
            return interface.Decision.NO_MATE

    # 2. No reply: only stalemate can be the goal.
    replies = search.rows[ply]
    size = movegen.generate(position, replies)
    if size == 0:
        is_goal = play == search_struct.BattlePlay.STALEMATE and not bitboards.checkers(
            position
        )
        return interface.Decision.MATE if is_goal else interface.Decision.NO_MATE

    # 3. Every reply.
    ordering.rank_replies(position, replies, size, ply, bitboards.NO_MOVE, search)
    for index in range(size):
        ordering.bring_best(replies, index, size)
        reply = ordering.unranked(replies[index])
        if not answers_in_one(bitboards.make(position, reply), play, ply, search):
            search.counters[counter] = reply
            ordering.remember_refutation(search, ply, reply, 1)
            return interface.Decision.NO_MATE
    return interface.Decision.MATE


@jit
def reaches_within(
    position: bitboards.Position,
    moves_left: Number,
    ply: Number,
    attacking: bool,
    search: Search,
) -> Number:
    """Decide whether the attacker reaches the goal within `moves_left` of its moves.

    An exact mate takes all of them.

    Parameters
    ----------
    position : Position
        The attacker is to move if `attacking`, else the defender.
    moves_left : int64
        At least 0.
    ply : int64
        Plies from the root; selects the killers and the row of moves.
    attacking : bool
    search : Search
        Its `play` is the stipulation's. Counts nodes. Its table supplies and receives
        bounds.

    Returns
    -------
    int64
        A `Decision`; MATE stands for the goal, whatever it is.
    """
    # 1. No move is left, or a side must reach the goal.
    play = search.play
    if moves_left < 1:
        search.nodes += 1
        return (
            interface.Decision.NO_MATE
            if attacking
            else is_reached(position, ply, search)
        )
    if attacking:
        if must_end(position, play, ply, search):
            return interface.Decision.NO_MATE
    elif defender_must_end(position, play, ply, search):
        return interface.Decision.MATE

    # 2. Transposition table.
    search.nodes += 1
    key = play_key(position, moves_left, attacking, search)
    bounds = transposition.probe(search, key)
    if moves_left <= bounds.no_mate:
        return interface.Decision.NO_MATE
    if moves_left >= bounds.mate:
        return interface.Decision.MATE

    # 3. Limits.
    if ordering.is_stopped(search):
        return interface.Decision.STOPPED

    moves = search.rows[ply]
    if not attacking:
        # 4. Defender node without moves: only stalemate can be the goal.
        size = movegen.generate(position, moves)
        if size == 0:
            is_goal = (
                play == search_struct.BattlePlay.STALEMATE
                and not bitboards.checkers(position)
            )
            return interface.Decision.MATE if is_goal else interface.Decision.NO_MATE

        # 5. Every reply must end the play or be answered.
        ordering.rank_replies(position, moves, size, ply, bounds.move, search)
        for index in range(size):
            ordering.bring_best(moves, index, size)
            reply = ordering.unranked(moves[index])
            child = bitboards.make(position, reply)
            if ends_play(child, play):
                continue
            verdict = reaches_within(
                child, moves_left, ply + 1, ordering.ATTACKING, search
            )
            if verdict == interface.Decision.STOPPED:
                return interface.Decision.STOPPED
            if verdict == interface.Decision.NO_MATE:
                ordering.store_refutation(search, ply, key, bounds, reply, moves_left)
                return interface.Decision.NO_MATE
        transposition.store(
            search,
            key,
            transposition.Bounds(bounds.no_mate, moves_left, bitboards.NO_MOVE),
            moves_left,
        )
        return interface.Decision.MATE

    # 6. Attacker node: try the last move, unless an exact mate comes later.
    no_mate = bounds.no_mate
    if play == search_struct.BattlePlay.EXACT_MATE:
        no_mate = moves_left - 1
    if no_mate < 1:
        move = goal_in_one(position, ply, search)
        if move:
            transposition.store(search, key, transposition.Bounds(0, 1, move), 1)
            return interface.Decision.MATE
        no_mate = 1
        if moves_left == 1:
            transposition.store(
                search, key, transposition.Bounds(1, bounds.mate, bounds.move), 1
            )
            return interface.Decision.NO_MATE

    # 7. Deepen move by move, so that the first success is the shortest.
    size = movegen.generate(position, moves)
    ordering.rank_attacks(position, moves, size, bounds.move, moves_left > 2)
    for index in range(size):
        ordering.bring_best(moves, index, size)
    if search.is_helper:  # so that the threads meet in the middle of the list
        ordering.reverse(moves, ordering.SHARED_MOVES, size)
    for depth in range(no_mate + 1, moves_left + 1):
        for index in range(size):
            attack = ordering.unranked(moves[index])
            child = bitboards.make(position, attack)
            if depth == 2:
                verdict = lost_in_one(child, ply + 1, attack, search)
            else:
                verdict = reaches_within(
                    child, depth - 1, ply + 1, ordering.DEFENDING, search
                )
            if verdict == interface.Decision.STOPPED:
                return interface.Decision.STOPPED
            if verdict == interface.Decision.MATE:
                transposition.store(
                    search, key, transposition.Bounds(depth - 1, depth, attack), depth
                )
                return interface.Decision.MATE
        transposition.store(
            search, key, transposition.Bounds(depth, bounds.mate, bounds.move), depth
        )
    return interface.Decision.NO_MATE


@jit
def find_battle_line(
    position: bitboards.Position, moves_left: Number, attacking: bool, search: Search
) -> Number:
    """Write the line to the goal against the longest resistance to `search.line`.

    Parameters
    ----------
    position : Position
    moves_left : int64
        The attacker's moves of the shortest way to the goal.
    attacking : bool
        Whether the attacker is to move.
    search : Search

    Returns
    -------
    int64
        The number of plies written; fewer if the search was stopped.
    """
    play = search.play
    ply = 0
    while True:
        moves = search.rows[ply]
        found = bitboards.NO_MOVE
        if attacking:
            size = movegen.generate(position, moves)
            for index in range(size):
                child = bitboards.make(position, moves[index])
                verdict = reaches_within(
                    child, moves_left - 1, ply + 1, ordering.DEFENDING, search
                )
                if verdict == interface.Decision.MATE:
                    found = moves[index]
                    break
            moves_left -= 1
        else:
            if is_reflex(play):
                search.line[ply] = end_in_one(position, play, ply, search)
                if search.line[ply] != bitboards.NO_MOVE:
                    return ply + 1
            # The reply that cannot be answered in one move less, else one that ends
            # the play. All replies to an exact mate take as long.
            ending = bitboards.NO_MOVE
            size = movegen.generate(position, moves)
            for index in range(size):
                child = bitboards.make(position, moves[index])
                if ends_play(child, play):
                    ending = moves[index]
                    continue
                verdict = interface.Decision.NO_MATE
                if play != search_struct.BattlePlay.EXACT_MATE:
                    verdict = reaches_within(
                        child, moves_left - 1, ply + 1, ordering.ATTACKING, search
                    )
                if verdict == interface.Decision.NO_MATE:
                    found = moves[index]
                    break
            if found == bitboards.NO_MOVE and ending != bitboards.NO_MOVE:
                search.line[ply] = ending
                return ply + 1
        if found == bitboards.NO_MOVE:
            return ply
        search.line[ply] = found
        position = bitboards.make(position, found)
        attacking = not attacking
        ply += 1


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
    if must_end(position, search.play, 0, search):
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
    if must_end(position, search.play, ply, search):
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
    return not defender_must_end(position, search.play, 0, search)


@inlined
def least_moves(moves_left: Number, search: Search) -> Number:
    """Return 1; an exact mate takes all moves that are left."""
    return (
        max(1, moves_left) if search.play == search_struct.BattlePlay.EXACT_MATE else 1
    )


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
