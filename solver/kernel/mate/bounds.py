"""The bounds on one side's shortest mate, and the search that closes them.

The prover asks for a mate in 1, 2, 3, ... moves and raises the lower bound; the df-pn
search looks for any mate below the upper bound and lowers that. They take turns with
doubling budgets, and share what they prove about each position in one table.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.border.interface import STOPPED, Verdict
from solver.kernel.border.memory import MAX_LEGAL_MOVES, Stop, restriction_word
from solver.kernel.border.query import MOST_TEXT, Answer, QueryState, Turn
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
    void,
)
from solver.kernel.mate import keys, lines, prover, turns
from solver.kernel.mate.turns import (
    Phase,
    attacks,
    is_closed,
)
from solver.kernel.rules import mate_in_one
from solver.kernel.rules.bitboards import ZERO
from solver.kernel.rules.position import Position, position_t

FIRST_BUDGET = 20_000
"""Nodes that the df-pn search may spend on one length in the first round."""

PROVER_SHARE = 2
"""The prover may spend this many times as much on each lower bound."""

PROVER_SHARE_OF_KNOWN = 8
"""The same, once a mate is known and only the lower bound is missing."""

ANY_LENGTH_DIVISOR = 10
"""If a mate of any length is an answer, the prover gets a tenth of the budget."""

REACH = 16
"""How far above the lower bound the df-pn search looks in the first round; each round
looks this much farther. Some mates are easy to find only if longer ones are allowed;
docs/explanation/tried.md has the measurements."""

NEAR = 3
"""The distance of the second length from the lower bound. Each further one is twice as
far, and one more."""

SHARED_LENGTHS = 2
"""Until a mate is known, 2^2 neighbouring lengths share their proof numbers: what one
has learnt, the others need not repeat. A claimed length and those below a known mate
have their own numbers, because there the exact length matters."""

NARROW_FLIGHTS = 1
NARROW_DIVISOR = 4
NARROW_FROM = 8
"""From this many moves on, the df-pn search repeats an undecided search with attacks
that leave the king at most one flight, for a fourth of the budget: that makes some long
mates easy to find."""

NARROW = np.uint64(restriction_word(2 << 20))
"""The word of the restriction `Restriction(king_flights=1)`."""


# The beginning, and the line of a mate


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
    """Begin a search, or answer at once if none is needed; see `turns.machine`."""
    turns.open_query(query, 1, search)

    # 1. Who mates whom. If the question does not say, being mated is an answer as well.
    our_king_is_bare = population(position.us) == 1
    their_king_is_bare = population(position.them) == 1
    if query.attacking < 0:
        attacking = not our_king_is_bare or their_king_is_bare
        is_open = attacking and not their_king_is_bare and not search.restricted_only
        query.both_sides = np.int64(is_open)
        query.attacking = np.int64(attacking)

    # 2. The first round.
    for side in range(2):
        query.budget[side] = query.first_budget or FIRST_BUDGET
        query.reach[side] = REACH

    # 3. Trivial cases, which need no search.
    if mate_in_one.is_checkmate(position):
        return answer_at_once(query, Answer.PROVED, 0, 0)
    if our_king_is_bare if query.attacking else their_king_is_bare:
        least = query.most_moves + 1
        return answer_at_once(query, Answer.DISPROVED, -1, least)
    if query.root_moves:
        keys.keep_admitted(query, position, search)
    return Turn.PAUSES if turns.is_small_ending(position) else Turn.GOES_ON


@jit(i64(position_t, i64, boolean, boolean, search_t))
def read_line(
    position: Position, moves: Number, attacking: bool, is_shortest: bool, search: Any
) -> Number:
    """Read the line of a mate that was just proved; see `turns.noting`."""
    if not is_shortest or search.restricted_only:
        return lines.read_line(position, moves, attacking, search)
    plies = prover.find_line(position, moves, attacking, search)
    return plies if plies == 2 * moves - np.int64(attacking) else STOPPED


note = turns.noting(read_line)

# The rounds


@jit(i64(query_t, position_t, i64, search_t))
def search_lower(query: Any, position: Position, side: Number, search: Any) -> Number:
    """Search with the prover for a mate within the lower bound; return the verdict."""
    budget = query.budget[side]
    if query.any_length:
        nodes = budget // ANY_LENGTH_DIVISOR
    elif query.upper[side]:
        nodes = PROVER_SHARE_OF_KNOWN * budget
    else:
        nodes = PROVER_SHARE * budget
    limit = search.node_limit
    search.node_limit = min(limit, search.nodes + nodes)
    # The prover knows no restrictions, so there the df-pn search does its work.
    by_prover = not search.restricted_only
    moves = query.lower[side]
    verdict = keys.root_mates_within(
        query, position, moves, attacks(query, side), by_prover, search
    )
    search.node_limit = limit
    note(query, position, side, verdict, moves, search)
    return verdict


@jit(void(query_t, position_t, i64, i64, i64, search_t))
def search_length(
    query: Any,
    position: Position,
    side: Number,
    length: Number,
    nodes: Number,
    search: Any,
) -> None:
    """Look for a mate within `length`; if undecided, repeat with few flights."""
    attacking = attacks(query, side)
    limit = search.node_limit
    search.node_limit = min(limit, search.nodes + nodes)
    is_shared = query.phase[side] == Phase.UPPER and query.upper[side] == 0
    search.shared_lengths = SHARED_LENGTHS if is_shared else 0
    verdict = keys.root_mates_within(query, position, length, attacking, False, search)
    is_open = verdict == Verdict.STOPPED and not search.restricted_only
    if is_open and length >= NARROW_FROM:
        search.node_limit = min(limit, search.nodes + nodes // NARROW_DIVISOR)
        search.restriction = NARROW
        search.checks_only = 0
        search.most_flights = NARROW_FLIGHTS
        search.most_replies = MAX_LEGAL_MOVES
        search.threat_moves = 0
        found = keys.root_mates_within(
            query, position, length, attacking, False, search
        )
        search.restriction = ZERO
        # A mate under a restriction is a mate; "none" holds only under it.
        if found == Verdict.MATE:
            verdict = found
    search.shared_lengths = 0
    search.node_limit = limit
    note(query, position, side, verdict, length, search)


@jit(i64(query_t, i64))
def next_length(query: Any, side: Number) -> Number:
    """Choose the next length between the bounds, and count it; 0 ends the round.

    Until a mate is known, the lengths rise from the lower bound, ever wider apart,
    because a search within more moves than a mate needs finds it too. Then they fall
    from the upper bound, and begin again from each shorter mate.
    """
    lower, upper = query.lower[side], query.upper[side]
    distance = query.distance[side]
    if upper:
        distance = max(1, distance)
        query.distance[side] = 2 * distance
        length = upper - distance
        return length if length >= lower else 0
    if distance >= query.reach[side]:
        return 0
    length = lower + distance
    if length >= query.most_moves:
        query.distance[side] = query.reach[side]
        return query.most_moves
    query.distance[side] = max(NEAR, 2 * distance + 1)
    return length


@jit(boolean(query_t, position_t, i64, search_t))
def search_side(query: Any, position: Position, side: Number, search: Any) -> bool:
    """Search one bound or one length; return whether this ends the side's turn."""
    budget = query.budget[side]

    # 1. The prover raises the lower bound until a question stays open.
    if query.phase[side] == Phase.LOWER:
        verdict = search_lower(query, position, side, search)
        if verdict == Verdict.NO_MATE and not is_closed(query, side):
            return False
        query.phase[side] = Phase.CLAIM
        return True

    # 2. The df-pn search looks for a mate of any length, or of the claimed one.
    if query.phase[side] == Phase.CLAIM and not query.any_length:
        if query.expected and query.upper[side] == 0:
            search_length(query, position, side, query.expected, budget, search)
        query.phase[side] = Phase.UPPER
        query.distance[side] = 0
        return False
    if query.phase[side] == Phase.CLAIM and not is_closed(query, side):
        search_length(query, position, side, query.most_moves, budget, search)

    # 3. Then at lengths between the bounds.
    if query.phase[side] == Phase.UPPER and not is_closed(query, side):
        length = next_length(query, side)
        if length:
            search_length(query, position, side, length, budget, search)
            return False

    # 4. The next round searches twice as long, and farther.
    query.phase[side] = Phase.LOWER
    query.budget[side] *= 2
    query.reach[side] += REACH
    return True


# The machine

take_turn = turns.machine(begin_query, search_side, keys.find_keys)


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
