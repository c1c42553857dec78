"""The bounds on one side's shortest mate, and the search that closes them.

The prover asks for a mate in 1, 2, 3, ... moves and raises the lower bound; the df-pn
search looks for any mate below the upper bound and lowers that. They take turns with
doubling budgets, and share what they prove about each position in one table.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from solver.kernel.border.interface import NO_LIMIT, STOPPED, Verdict
from solver.kernel.border.memory import (
    MAX_LEGAL_MOVES,
    Stop,
    restriction_word,
)
from solver.kernel.build.jit import (
    Number,
    boolean,
    i64,
    jit,
    query_t,
    search_t,
    void,
)
from solver.kernel.mate.keys import root_mates_within
from solver.kernel.mate.lines import read_line
from solver.kernel.mate.prover import find_line
from solver.kernel.rules.bitboards import ZERO
from solver.kernel.rules.position import Position, make, position_t

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

OURS, THEIRS = 0, 1
"""The indices of a pair: the expected attacker's entry, and the other side's."""


class Phase(IntEnum):
    """The next step of a bounds search in its round."""

    LOWER = 0
    """The prover raises the lower bound. This is a round's first turn."""
    CLAIM = 1
    """The df-pn search looks for a mate of the claimed length, or of any length."""
    UPPER = 2
    """The df-pn search looks between the bounds."""


@jit(boolean(query_t, i64), inline=True)
def attacks(query: Any, side: Number) -> bool:
    """Return whether the side to move is the attacker in this side's search."""
    return side == OURS and query.attacking != 0


@jit(boolean(query_t, i64), inline=True)
def is_proved(query: Any, side: Number) -> bool:
    """Return whether the bounds have met: there is a mate, and none is shorter."""
    return 0 < query.upper[side] <= query.lower[side]


@jit(boolean(query_t, i64))
def is_closed(query: Any, side: Number) -> bool:
    """Return whether nothing is left to search."""
    if is_proved(query, side) or (query.upper[side] and query.any_length):
        return True
    return query.lower[side] > query.most_moves


@jit(boolean(query_t, i64))
def is_finished(query: Any, side: Number) -> bool:
    """Return whether no turn is left; a claimed length is always searched."""
    is_claim_done = query.phase[side] == Phase.LOWER or query.upper[side] != 0
    return is_closed(query, side) and is_claim_done


@jit(i64(query_t, position_t, i64, i64, search_t))
def write_line(
    query: Any, position: Position, side: Number, moves: Number, search: Any
) -> Number:
    """Write the line of a mate that was just proved to `search.lines`.

    Returns
    -------
    int64
        The number of plies; a line shorter than `moves` lowers the bound. STOPPED if
        reading it was interrupted; the line before then stays.
    """
    attacking = attacks(query, side)
    is_shortest = moves == query.lower[side] and not search.restricted_only
    first = 0
    if attacking and query.root_moves:
        position = make(position, query.key)
        attacking = False
        moves -= 1
        first = 1
    if is_shortest:
        plies = find_line(position, moves, attacking, search)
        if plies != 2 * moves - np.int64(attacking):
            return STOPPED
    else:
        plies = read_line(position, moves, attacking, search)
        if plies == STOPPED:
            return STOPPED
    if first:
        search.lines[side, 0] = query.key
    for ply in range(plies):
        search.lines[side, first + ply] = search.line[ply]
    return first + plies


@jit(void(query_t, position_t, i64, i64, i64, search_t))
def note(
    query: Any,
    position: Position,
    side: Number,
    verdict: Number,
    moves: Number,
    search: Any,
) -> None:
    """Update the bounds with a verdict on "mate within `moves`?".

    The line of a mate is read whatever it costs; only an interrupt ends that.
    """
    if verdict == Verdict.NO_MATE and moves >= query.lower[side]:
        query.lower[side] = moves + 1
    if verdict != Verdict.MATE:
        return
    limit = search.node_limit
    search.node_limit = NO_LIMIT
    patience = search.patience
    search.patience = Stop.LIMIT
    plies = write_line(query, position, side, moves, search)
    search.patience = patience
    search.node_limit = limit
    if plies != STOPPED:
        query.upper[side] = (plies + 1) // 2
        query.line_plies[side] = plies
        query.lines_read += 1
    elif query.upper[side] == 0:
        query.upper[side] = moves
    query.distance[side] = 0


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
    verdict = root_mates_within(
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
    verdict = root_mates_within(query, position, length, attacking, False, search)
    is_open = verdict == Verdict.STOPPED and not search.restricted_only
    if is_open and length >= NARROW_FROM:
        search.node_limit = min(limit, search.nodes + nodes // NARROW_DIVISOR)
        search.restriction = NARROW
        search.checks_only = 0
        search.most_flights = NARROW_FLIGHTS
        search.most_replies = MAX_LEGAL_MOVES
        search.threat_moves = 0
        found = root_mates_within(query, position, length, attacking, False, search)
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
