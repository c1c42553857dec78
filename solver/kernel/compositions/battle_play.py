"""Battle play: selfmates, reflexmates and stalemates, and its side of the machine."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.border.interface import SMALL_NODES, STOPPED, Verdict
from solver.kernel.border.parts import UNKNOWN_OPERATION, BattleOperation
from solver.kernel.border.query_struct import Turn
from solver.kernel.border.search_struct import BattlePlay
from solver.kernel.build.jit import (
    ENTRY,
    Move,
    Number,
    Query,
    Search,
    inlined,
    jit,
    native,
    record_at,
)
from solver.kernel.compositions.goal_in_one import (
    attacker_ends,
    attacker_must_end,
    end_in_one,
    ends_play,
    every_reply_ends,
    goal_in_one,
    is_reflex,
)
from solver.kernel.mate import turns
from solver.kernel.mate.ordering import (
    ATTACKING,
    DEFENDING,
    SHARED_MOVES,
    bring_best,
    is_plain_move,
    is_stopped,
    rank_attacks,
    rank_replies,
    remember_refutation,
    reverse,
    store_refutation,
    unranked,
)
from solver.kernel.mate.transposition import (
    Bounds,
    HashKey,
    hash_key,
    probe,
    store,
)
from solver.kernel.rules.bitboards import (
    NO_MOVE,
    Position,
    checkers,
    leaves_king_attacked,
    make,
    position_at,
    without_origin,
)
from solver.kernel.rules.mating import is_checkmate, is_stalemate
from solver.kernel.rules.movegen import generate

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

EXACT_SHIFT = 8
"""Bits that hold the number of each `BattlePlay`."""


@jit
def play_key(
    position: Position, moves_left: Number, attacking: bool, search: Search
) -> HashKey:
    """Return the hash key of a position under the stipulation of `search`.

    So one table can hold the bounds of mates and of all stipulations. Those of an exact
    mate are valid for `moves_left` alone.
    """
    key = hash_key(position, attacking)
    number = search.play + 1
    if search.play == BattlePlay.EXACT_MATE:
        number += moves_left << EXACT_SHIFT
    mixed = np.uint64(number) * MIX_PLAY
    return HashKey(key.check ^ mixed, key.bucket)


@jit
def is_reached(position: Position, ply: Number, search: Search) -> Number:
    """Decide whether the goal is certain with the defender to move: MATE or NO_MATE."""
    play = search.play
    if play == BattlePlay.STALEMATE:
        reached = is_stalemate(position)
    elif play == BattlePlay.EXACT_MATE:
        reached = is_checkmate(position)
    elif is_reflex(play):
        reached = end_in_one(position, play, ply, search) != NO_MOVE
    else:
        reached = every_reply_ends(position, play, ply, search)
    return Verdict.MATE if reached else Verdict.NO_MATE


@inlined
def must_end(position: Position, play: Number, ply: Number, search: Search) -> bool:
    """Return whether the attacker must reach the goal itself, and therefore fails."""
    if not attacker_must_end(play):
        return False
    return end_in_one(position, play, ply, search) != NO_MOVE


@inlined
def answers_in_one(
    position: Position, play: Number, ply: Number, search: Search
) -> bool:
    """Return whether a reply ended the play or leaves the attacker one last move."""
    if ends_play(position, play):
        return True
    if must_end(position, play, ply + 1, search):
        return False
    return goal_in_one(position, ply + 1, search) != NO_MOVE


@jit
def lost_in_one(
    position: Position, ply: Number, attack: Move, search: Search
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
    if is_reflex(play) and end_in_one(position, play, ply, search) != NO_MOVE:
        return Verdict.MATE

    # 1. Remembered replies, as far as they are legal here.
    counter = without_origin(attack)
    remembered = (
        search.counters[counter],
        search.killers[ply, 0],
        search.killers[ply, 1],
    )
    for slot in range(len(remembered)):
        reply = remembered[slot]
        if reply == NO_MOVE or not is_plain_move(position, reply):
            continue
        child = make(position, reply)
        if leaves_king_attacked(child):
            continue
        if not answers_in_one(child, play, ply, search):
            search.counters[counter] = reply
            remember_refutation(search, ply, reply, 0)
            return Verdict.NO_MATE

    # 2. No reply: only stalemate can be the goal.
    replies = search.rows[ply]
    size = generate(position, replies)
    if size == 0:
        is_goal = play == BattlePlay.STALEMATE and not checkers(position)
        return Verdict.MATE if is_goal else Verdict.NO_MATE

    # 3. Every reply.
    rank_replies(position, replies, size, ply, NO_MOVE, search)
    for index in range(size):
        bring_best(replies, index, size)
        reply = unranked(replies[index])
        if not answers_in_one(make(position, reply), play, ply, search):
            search.counters[counter] = reply
            remember_refutation(search, ply, reply, 1)
            return Verdict.NO_MATE
    return Verdict.MATE


@jit
def reaches_within(
    position: Position, moves_left: Number, ply: Number, attacking: bool, search: Search
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
        A `Verdict`; MATE stands for the goal, whatever it is.
    """
    # 1. No move is left, or a side must reach the goal.
    play = search.play
    if moves_left < 1:
        search.nodes += 1
        return Verdict.NO_MATE if attacking else is_reached(position, ply, search)
    if attacking:
        if must_end(position, play, ply, search):
            return Verdict.NO_MATE
    elif is_reflex(play) and end_in_one(position, play, ply, search) != NO_MOVE:
        return Verdict.MATE

    # 2. Transposition table.
    search.nodes += 1
    key = play_key(position, moves_left, attacking, search)
    bounds = probe(search, key)
    if moves_left <= bounds.no_mate:
        return Verdict.NO_MATE
    if moves_left >= bounds.mate:
        return Verdict.MATE

    # 3. Limits.
    if is_stopped(search):
        return Verdict.STOPPED

    moves = search.rows[ply]
    if not attacking:
        # 4. Defender node without moves: only stalemate can be the goal.
        size = generate(position, moves)
        if size == 0:
            is_goal = play == BattlePlay.STALEMATE and not checkers(position)
            return Verdict.MATE if is_goal else Verdict.NO_MATE

        # 5. Every reply must end the play or be answered.
        rank_replies(position, moves, size, ply, bounds.move, search)
        for index in range(size):
            bring_best(moves, index, size)
            reply = unranked(moves[index])
            child = make(position, reply)
            if ends_play(child, play):
                continue
            verdict = reaches_within(child, moves_left, ply + 1, ATTACKING, search)
            if verdict == Verdict.STOPPED:
                return Verdict.STOPPED
            if verdict == Verdict.NO_MATE:
                store_refutation(search, ply, key, bounds, reply, moves_left)
                return Verdict.NO_MATE
        store(search, key, Bounds(bounds.no_mate, moves_left, NO_MOVE), moves_left)
        return Verdict.MATE

    # 6. Attacker node: try the last move, unless an exact mate comes later.
    no_mate = bounds.no_mate
    if play == BattlePlay.EXACT_MATE:
        no_mate = moves_left - 1
    if no_mate < 1:
        move = goal_in_one(position, ply, search)
        if move:
            store(search, key, Bounds(0, 1, move), 1)
            return Verdict.MATE
        no_mate = 1
        if moves_left == 1:
            store(search, key, Bounds(1, bounds.mate, bounds.move), 1)
            return Verdict.NO_MATE

    # 7. Deepen move by move, so that the first success is the shortest.
    size = generate(position, moves)
    rank_attacks(position, moves, size, bounds.move, moves_left > 2)
    for index in range(size):
        bring_best(moves, index, size)
    if search.is_helper:  # so that the threads meet in the middle of the list
        reverse(moves, SHARED_MOVES, size)
    for depth in range(no_mate + 1, moves_left + 1):
        for index in range(size):
            attack = unranked(moves[index])
            child = make(position, attack)
            if depth == 2:
                verdict = lost_in_one(child, ply + 1, attack, search)
            else:
                verdict = reaches_within(child, depth - 1, ply + 1, DEFENDING, search)
            if verdict == Verdict.STOPPED:
                return Verdict.STOPPED
            if verdict == Verdict.MATE:
                store(search, key, Bounds(depth - 1, depth, attack), depth)
                return Verdict.MATE
        store(search, key, Bounds(depth, bounds.mate, bounds.move), depth)
    return Verdict.NO_MATE


@jit
def find_line(
    position: Position, moves_left: Number, attacking: bool, search: Search
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
        found = NO_MOVE
        if attacking:
            size = generate(position, moves)
            for index in range(size):
                child = make(position, moves[index])
                verdict = reaches_within(
                    child, moves_left - 1, ply + 1, DEFENDING, search
                )
                if verdict == Verdict.MATE:
                    found = moves[index]
                    break
            moves_left -= 1
        else:
            if is_reflex(play):
                search.line[ply] = end_in_one(position, play, ply, search)
                if search.line[ply] != NO_MOVE:
                    return ply + 1
            # The reply that cannot be answered in one move less, else one that ends
            # the play. All replies to an exact mate take as long.
            ending = NO_MOVE
            size = generate(position, moves)
            for index in range(size):
                child = make(position, moves[index])
                if ends_play(child, play):
                    ending = moves[index]
                    continue
                verdict = Verdict.NO_MATE
                if play != BattlePlay.EXACT_MATE:
                    verdict = reaches_within(
                        child, moves_left - 1, ply + 1, ATTACKING, search
                    )
                if verdict == Verdict.NO_MATE:
                    found = moves[index]
                    break
            if found == NO_MOVE and ending != NO_MOVE:
                search.line[ply] = ending
                return ply + 1
        if found == NO_MOVE:
            return ply
        search.line[ply] = found
        position = make(position, found)
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
def begin_query(query: Query, position: Position, search: Search) -> Number:
    """Begin a search, an exact mate's with its only length."""
    least = query.most_moves if query.play == BattlePlay.EXACT_MATE else 1
    turns.open_query(query, least, search)
    query.attacking = 1
    return Turn.GOES_ON


@jit
def decide(
    position: Position, moves_left: Number, attacking: bool, search: Search
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


@jit
def search_root(query: Query, position: Position, search: Search) -> Number:
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


@jit
def read_line(
    position: Position,
    moves: Number,
    attacking: bool,
    is_shortest: bool,
    search: Search,
) -> Number:
    """Read the line of the shortest solution; see `turns.noting`."""
    plies = find_line(position, moves, attacking, search)
    whole = 2 * moves + np.int64(not attacking) - np.int64(attacker_ends(search.play))
    return plies if plies == whole else STOPPED


note = turns.noting(read_line)


@jit
def search_side(query: Query, position: Position, side: Number, search: Search) -> bool:
    """Search one length; return whether this ends the turn."""
    moves = query.lower[side]
    verdict = search_root(query, position, search)
    note(query, position, side, verdict, moves, search)
    is_long = search.nodes > SMALL_NODES  # helper threads may join
    return verdict != Verdict.NO_MATE or is_long or turns.is_closed(query, side)


@jit
def find_keys(
    query: Query,
    position: Position,
    mate: Number,
    pause: Number,
    search: Search,
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


@jit
def may_solve(
    position: Position,
    moves: Number,
    ply: Number,
    search: Search,
) -> Number:
    """Return NO_MATE if the attacker has to reach the goal itself, and so fails."""
    if must_end(position, search.play, ply, search):
        return Verdict.NO_MATE
    return Verdict.MATE


@jit
def loses_within(
    position: Position,
    moves: Number,
    ply: Number,
    attack: Move,
    search: Search,
) -> Number:
    """Decide whether the goal is reached within `moves` after an attack."""
    return reaches_within(position, moves, ply, DEFENDING, search)


@jit
def has_ended(position: Position, search: Search) -> bool:
    """Return whether the defender, which has just moved, reached the goal."""
    play = search.play
    if is_reflex(play):
        if play >= BattlePlay.REFLEX_STALEMATE:
            return is_stalemate(position)
        return is_checkmate(position)
    return ends_play(position, play)


@jit
def list_replies(
    position: Position,
    refuting: bool,
    search: Search,
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


@inlined
def least_moves(moves_left: Number, search: Search) -> Number:
    """Return 1; an exact mate takes all moves that are left."""
    return max(1, moves_left) if search.play == BattlePlay.EXACT_MATE else 1


list_solving_moves, list_refutations, list_continuations = turns.compile_lists(
    may_solve, loses_within, reaches_within, list_replies, has_ended, least_moves
)


@jit
def has_tries(position: Position, moves_left: Number, search: Search) -> Number:
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
