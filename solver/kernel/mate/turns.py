"""The search of a query, turn by turn, until its bounds meet or a limit is hit.

The two searches of `solver.kernel.mate.bounds` take turns. If the question does not say
who attacks, the other side's mate is searched for too, with a share of the nodes, until
one side is known to mate: the two exclude each other.

`take_turn` is one step of this: a bound, a length, or the answer with its keys. Between
two turns everything known is in the `Query`, so its caller may stop, print the bounds,
start helper threads or probe an endgame table.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from solver.kernel.border.interface import NO_LIMIT, STOPPED
from solver.kernel.border.memory import Stop
from solver.kernel.border.query import (
    MOST_ENDING_PIECES,
    MOST_TEXT,
    Answer,
    QueryState,
    Turn,
)
from solver.kernel.build.jit import (
    QUERY_BYTES,
    Number,
    boolean,
    i64,
    jit,
    population,
    query_at,
    query_t,
    search_t,
    words_at,
)
from solver.kernel.mate.bounds import (
    FIRST_BUDGET,
    OURS,
    REACH,
    THEIRS,
    Phase,
    attacks,
    is_closed,
    is_finished,
    is_proved,
    search_side,
)
from solver.kernel.mate.keys import begin_keys, find_keys, keep_admitted, write_keys
from solver.kernel.mate.prover import begin, is_stopped
from solver.kernel.rules.bitboards import CORNERS
from solver.kernel.rules.mate_in_one import is_checkmate
from solver.kernel.rules.notation import write_move
from solver.kernel.rules.position import Position, make, position_at, position_t

OTHER_SIDE_SHARE = 8
OTHER_SIDE_NODES = 10_000
"""If the caller does not say who attacks, one eighth of the nodes, and at least this
many, go into the other side's mate."""

OTHER_SIDE_REST = 2_000_000
"""Nodes for the other side's mate once the side to move is proved to have none."""


KEY_TURN = 200_000
"""A turn that searches for keys ends once it has taken so many nodes."""


class Stage(IntEnum):
    """Which side's search takes the next turn, and why."""

    OURS = 0
    """The expected attacker's."""
    THEIR_SHARE = 1
    """The other side's search, with a share of the nodes."""
    THEIR_REST = 2
    """The other side's search, because the expected attacker is proved to have no
    mate."""
    THEIRS = 3
    """The search of the other side, which is known to mate."""
    KEYS = 4
    """The expected attacker's: its mate is proved, and the keys are searched."""


@jit(boolean(position_t), inline=True)
def is_small_ending(position: Position) -> bool:
    """Return whether `solver.endgames` may have a table: few pieces, no pawns."""
    pieces = position.us | position.them
    return (
        population(pieces) <= MOST_ENDING_PIECES
        and population(position.pawns | (position.rights & CORNERS)) == 0
    )


@jit(i64(query_t, i64, i64, i64))
def answer_at_once(
    query: Any, status: Number, mate: Number, lower_bound: Number
) -> Number:
    """Write an answer that needs no search."""
    query.status = status
    query.mate = mate
    query.lower_bound = lower_bound
    query.keys_complete = np.int64(status == Answer.PROVED)
    query.state = QueryState.ANSWERED
    return Turn.ENDS


@jit(i64(query_t, position_t, search_t))
def begin_query(query: Any, position: Position, search: Any) -> Number:
    """Begin a search, or answer at once if none is needed; see `take_turn`."""
    # 1. Forget the search before. A helper thread joins a search that has begun.
    if not search.is_helper:
        begin(search)
        search.node_limit = query.node_limit
    query.nodes = 0
    query.is_cut = 0
    query.pv_written = 0
    query.keys_written = 0
    query.lines_read = 0

    # 2. Who mates whom. If the question does not say, being mated is an answer as well.
    our_king_is_bare = population(position.us) == 1
    their_king_is_bare = population(position.them) == 1
    query.both_sides = 0
    if query.attacking < 0:
        attacking = not our_king_is_bare or their_king_is_bare
        is_open = attacking and not their_king_is_bare and not search.restricted_only
        query.both_sides = np.int64(is_open)
        query.attacking = np.int64(attacking)

    # 3. The bounds are open.
    query.stage = Stage.OURS
    query.turn_limit = NO_LIMIT
    query.their_nodes = 0
    for side in range(2):
        query.lower[side] = 1
        query.upper[side] = 0
        query.line_plies[side] = 0
        query.phase[side] = Phase.LOWER
        query.budget[side] = query.first_budget or FIRST_BUDGET
        query.reach[side] = REACH

    # 4. Trivial cases, which need no search.
    if is_checkmate(position):
        return answer_at_once(query, Answer.PROVED, 0, 0)
    if our_king_is_bare if query.attacking else their_king_is_bare:
        least = query.most_moves + 1
        return answer_at_once(query, Answer.DISPROVED, -1, least)
    query.state = QueryState.OPEN
    if query.root_moves:
        keep_admitted(query, position, search)
    return Turn.PAUSES if is_small_ending(position) else Turn.GOES_ON


@jit(i64(query_t, position_t, i64, boolean, search_t))
def answer(
    query: Any, position: Position, side: Number, is_cut: bool, search: Any
) -> Number:
    """Write what a side's search has proved, with the line and the keys.

    `is_cut` says whether a limit ended the search for keys.
    """
    lower, upper = query.lower[side], query.upper[side]
    closed, proved = is_closed(query, side), is_proved(query, side)
    query.attacking = np.int64(attacks(query, side))
    query.lower_bound = lower
    query.mate = upper or -1
    query.state = QueryState.ANSWERED

    # 1. No mate is known.
    if upper == 0:
        query.status = Answer.DISPROVED if closed else Answer.UNDECIDED
        query.keys_complete = 0
        query.is_cut = np.int64(not closed)
        query.nodes = search.nodes
        return Turn.ENDS

    # 2. The line of the mate.
    query.status = Answer.PROVED if proved else Answer.FOUND
    query.pv_at = search.text_written
    child = position
    for ply in range(query.line_plies[side]):
        move = search.lines[side, ply]
        write_move(child, move, query.black ^ (ply & 1), search)
        child = make(child, move)
    query.pv_written = search.text_written - query.pv_at

    # 3. The keys of a proved mate, if the attacker is to move.
    query.keys_at = search.text_written
    query.keys_complete = 1 - query.attacking
    if query.stage == Stage.KEYS:
        write_keys(query, position, search)
        query.keys_complete = np.int64(not is_cut)
        query.keys_written = search.text_written - query.keys_at
    is_complete = not is_cut and closed and query.line_plies[side] > 0
    query.is_cut = np.int64(not is_complete)
    query.nodes = search.nodes
    return Turn.ENDS


@jit(i64(query_t, position_t, search_t))
def take_key_turn(query: Any, position: Position, search: Any) -> Number:
    """Search for keys of a proved mate, and answer once all are known."""
    found = find_keys(query, position, query.lower[OURS], KEY_TURN, search)
    query.nodes = search.nodes
    if found == Turn.PAUSES:
        # A small endgame's table is built for its bounds, if it is worth building.
        return Turn.GOES_ON if is_small_ending(position) else Turn.PAUSES
    return answer(query, position, OURS, found == STOPPED, search)


@jit(i64(i64, search_t))
def take_turn(address: Number, search: Any) -> Number:
    """Take the next turn of a query: begin it, search a bound or a length, answer it.

    Parameters
    ----------
    address : int64
        The address of a `Query` that is READ or OPEN; it receives the progress and the
        answer.
    search : Search
        Its node limit is set by the first turn; the caller may lower it afterwards. Its
        `text` receives the answer and has room for MOST_TEXT bytes.

    Returns
    -------
    int64
        A `Turn`. It PAUSES where the turn of a side is over and no limit was hit,
        between searches for keys, and before the search of a small endgame, whose table
        may have the answer.
    """
    query, position = query_at(address), position_at(words_at(address))
    if query.state == QueryState.READ:
        return begin_query(query, position, search)

    if query.stage == Stage.KEYS:
        return take_key_turn(query, position, search)

    # 1. Search for one side.
    side = OURS if query.stage == Stage.OURS else THEIRS
    limit = search.node_limit
    search.node_limit = min(limit, query.turn_limit)
    is_over = search_side(query, position, side, search)
    is_limited = is_stopped(search)
    search.node_limit = limit
    query.nodes = search.nodes
    if not is_over:
        return Turn.GOES_ON

    # 2. The other side gets its share.
    if query.stage == Stage.OURS and query.both_sides and query.upper[OURS] == 0:
        share = max(search.nodes // OTHER_SIDE_SHARE, OTHER_SIDE_NODES)
        share -= query.their_nodes
        if share > 0 and not is_finished(query, THEIRS):
            query.stage = Stage.THEIR_SHARE
            query.turn_limit = search.nodes + share
            query.their_nodes -= search.nodes
            return Turn.GOES_ON
    if query.stage == Stage.THEIR_SHARE:
        query.stage = Stage.OURS
        query.turn_limit = NO_LIMIT
        query.their_nodes += search.nodes
        is_limited = is_stopped(search)

    # 3. The next turn is the same side's, unless its search is over.
    side = OURS if query.stage == Stage.OURS else THEIRS
    is_over = is_limited or is_finished(query, side)
    if not is_over and (side == THEIRS or query.upper[THEIRS] == 0):
        return Turn.PAUSES

    # 4. The expected attacker has no mate: the other side may have one, and what it has
    #    is searched to the end.
    if query.stage == Stage.OURS and query.both_sides:
        has_none = query.upper[OURS] == 0 and is_closed(query, OURS)
        if has_none and query.upper[THEIRS] == 0 and not is_finished(query, THEIRS):
            query.stage = Stage.THEIR_REST
            query.turn_limit = search.nodes + OTHER_SIDE_REST
            return Turn.GOES_ON
    if query.stage != Stage.THEIRS and query.upper[THEIRS]:
        query.stage = Stage.THEIRS
        query.turn_limit = NO_LIMIT
        if not is_finished(query, THEIRS):
            return Turn.GOES_ON

    # 5. The answer; before it, the keys of a proved mate.
    side = THEIRS if query.upper[THEIRS] else OURS
    if query.all_keys and attacks(query, side) and is_proved(query, side):
        query.stage = Stage.KEYS
        begin_keys(query)
        return take_key_turn(query, position, search)
    return answer(query, position, side, False, search)


@jit(i64(i64, i64, search_t))
def solve_queries(address: Number, count: Number, search: Any) -> Number:
    """Answer queries one after the other, until one is left to the caller.

    The caller gets a query that is to be searched alone; one that is OPEN because a
    small endgame's table may answer it, it has used its nodes, or a time limit was hit;
    or the next one after a stop, or if `Search.text` has no room for another answer.
    Only an interrupt cuts an answer short. A query that is REFUSED is passed over.

    Returns
    -------
    int64
        The number of queries that are answered or passed over.
    """
    for index in range(count):
        query = query_at(address)
        if query.state == QueryState.REFUSED:
            address += QUERY_BYTES
            continue
        if (
            query.alone_from == 0
            or (index > 0 and search.stop)
            or search.text_size - search.text_written < MOST_TEXT
        ):
            return index
        search.patience = Stop.LIMIT
        turn = take_turn(address, search)
        is_left = turn == Turn.PAUSES
        while turn != Turn.ENDS and not is_left:
            turn = take_turn(address, search)
            is_long = turn == Turn.PAUSES and search.nodes >= query.alone_from
            is_left = is_long or search.stop != 0
        search.patience = Stop.NONE
        if turn != Turn.ENDS:
            return index
        address += QUERY_BYTES
    return count
