"""The search of a query, turn by turn."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from solver.kernel.border import interface, query_struct, search_struct
from solver.kernel.build.jit import inlined, jit, population, query_at, words_at
from solver.kernel.build.words import Number, Query, Search
from solver.kernel.mate import ordering
from solver.kernel.rules import bitboards, movegen, notation

# --------------------------------------------------------------------------------------
# The machine that answers a query turn by turn, whatever two opponents play for.
#
# `take_turn` is one step: a bound, a length, a key, or the answer. Between two turns
# everything known is in the `Query`, so its caller may stop, print the bounds, start
# helper threads or probe an endgame table.
#
# The search is given when a machine is compiled, by `noting` and `machine`:
# `solver.kernel.mate.bounds` does so for mates,
# `solver.kernel.compositions.battle_play` for battle play. This module imports
# neither, because to import kernel code is to translate it.

OTHER_SIDE_SHARE = 8
OTHER_SIDE_NODES = 10_000
"""If the caller does not say who attacks, one eighth of the nodes, and at least this
many, go into the other side's mate."""

OTHER_SIDE_REST = 2_000_000
"""Nodes for the other side's mate once the side to move is proved to have none."""

KEY_TURN = 200_000
"""A turn that searches for keys ends once it has taken this many nodes."""

KEY_BUDGET = 100_000
"""Nodes that the prover, and then the df-pn search, may spend on a first move; doubled
until one of them decides whether the move is a key."""

WORD, BITS = 6, 63
"""The shift and the mask of a bit's place in an array of 64-bit words."""

OURS, THEIRS = 0, 1
"""The indices of a pair: the expected attacker's entry, and the other side's."""


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


class Phase(IntEnum):
    """The next step of a side's search in its round; battle play has only the first."""

    LOWER = 0
    """The lower bound is raised. This is a round's first turn."""
    CLAIM = 1
    """The df-pn search looks for a mate of the claimed length, or of any length."""
    UPPER = 2
    """The df-pn search looks between the bounds."""


# Bounds, and how a search begins


@inlined
def attacks(query: Query, side: Number) -> bool:
    """Return whether the side to move is the attacker in this side's search."""
    return side == OURS and query.attacking != 0


@inlined
def is_proved(query: Query, side: Number) -> bool:
    """Return whether the bounds have met: there is a mate, and none is shorter."""
    return 0 < query.upper[side] <= query.lower[side]


@jit
def is_closed(query: Query, side: Number) -> bool:
    """Return whether nothing is left to search."""
    if is_proved(query, side) or (query.upper[side] and query.any_length):
        return True
    return query.lower[side] > query.most_moves


@jit
def is_finished(query: Query, side: Number) -> bool:
    """Return whether no turn is left; a claimed length is always searched."""
    is_claim_done = query.phase[side] == Phase.LOWER or query.upper[side] != 0
    return is_closed(query, side) and is_claim_done


@jit
def open_query(query: Query, lower: Number, search: Search) -> None:
    """Open the bounds, and forget the search before.

    Parameters
    ----------
    query : Query
    lower : int64
        The first lower bound of both sides.
    search : Search
    """
    ordering.begin(search)
    if not search.is_helper:
        search.node_limit = query.node_limit
    query.state = query_struct.QueryState.OPEN
    query.nodes = query.is_cut = 0
    query.pv_written = query.keys_written = query.lines_read = 0
    query.both_sides = query.their_nodes = 0
    query.stage = Stage.OURS
    query.turn_limit = interface.NO_LIMIT
    for side in range(2):
        query.lower[side] = lower
        query.upper[side] = query.line_plies[side] = 0
        query.phase[side] = Phase.LOWER


@inlined
def is_small_ending(position: bitboards.Position) -> bool:
    """Return whether `solver.endgames` may have a table: few pieces, no pawns."""
    pieces = position.us | position.them
    return (
        population(pieces) <= query_struct.MOST_ENDING_PIECES
        and population(position.pawns | (position.rights & bitboards.CORNERS)) == 0
    )


# Lines


def noting(read_line: Any) -> Any:
    """Compile `note`, which updates a side's bounds, for one way to read lines.

    Parameters
    ----------
    read_line : kernel function
        Takes a position, the moves of a proved mate, whether the attacker is to move,
        whether no mate is shorter, and the search. Writes the line to `Search.line` and
        returns its plies, or STOPPED.
    """

    @jit
    def write_line(
        query: Query,
        position: bitboards.Position,
        side: Number,
        moves: Number,
        search: Search,
    ) -> Number:
        """Write the line of a mate that was just proved to `search.lines`.

        Returns
        -------
        int64
            The number of plies; a line shorter than `moves` lowers the bound. STOPPED
            if reading it was interrupted; the line before then stays.
        """
        attacking = attacks(query, side)
        is_shortest = moves == query.lower[side]
        first = 0
        if attacking and query.root_moves:
            position = bitboards.make(position, query.key)
            attacking = False
            moves -= 1
            first = 1
        plies = read_line(position, moves, attacking, is_shortest, search)
        if plies == interface.STOPPED:
            return interface.STOPPED
        if first:
            search.lines[side, 0] = query.key
        for ply in range(plies):
            search.lines[side, first + ply] = search.line[ply]
        return first + plies

    @jit
    def note(
        query: Query,
        position: bitboards.Position,
        side: Number,
        verdict: Number,
        moves: Number,
        search: Search,
    ) -> None:
        """Update the bounds with a verdict on "mate within `moves`?".

        The line of a mate is read whatever it costs; only an interrupt ends that.
        """
        if verdict == interface.Decision.NO_MATE and moves >= query.lower[side]:
            query.lower[side] = moves + 1
        if verdict != interface.Decision.MATE:
            return
        limit = search.node_limit
        search.node_limit = interface.NO_LIMIT
        patience = search.patience
        search.patience = search_struct.Stop.LIMIT
        plies = write_line(query, position, side, moves, search)
        search.patience = patience
        search.node_limit = limit
        if plies != interface.STOPPED:
            query.upper[side] = (plies + 1) // 2
            query.line_plies[side] = plies
            query.lines_read += 1
        elif query.upper[side] == 0:
            query.upper[side] = moves
        query.distance[side] = 0

    return note


# Keys


@jit
def list_first_moves(
    query: Query, position: bitboards.Position, search: Search
) -> Number:
    """Write the first moves to `search.line`, which no search for keys overwrites."""
    moves = search.line
    if query.root_moves:
        chosen = words_at(query.root_moves)
        for index in range(query.root_count):
            moves[index] = chosen[index]
        return query.root_count
    size = movegen.generate(position, search.rows[0])
    for index in range(size):
        moves[index] = search.rows[0, index]
    return size


@jit
def begin_keys(query: Query) -> None:
    """Let `find_keys` begin with the first move."""
    query.keys_tried = 0
    query.key_budget = KEY_BUDGET
    query.is_key[:] = bitboards.ZERO


@jit
def add_key(query: Query, place: Number) -> None:
    """Note that the first move with this index is a key."""
    query.is_key[place >> WORD] |= bitboards.ONE << np.uint64(place & BITS)


@jit
def write_keys(query: Query, position: bitboards.Position, search: Search) -> None:
    """Write the keys that `find_keys` has just found, in the generator's order."""
    for place in range(query.keys_tried):
        if query.is_key[place >> WORD] & (bitboards.ONE << np.uint64(place & BITS)):
            notation.write_move(position, search.line[place], query.black, search)


# The answer, and the machine


@jit
def answer(
    query: Query,
    position: bitboards.Position,
    side: Number,
    is_cut: bool,
    search: Search,
) -> Number:
    """Write what a side's search has proved, with the line and the keys.

    `is_cut` says whether a limit ended the search for keys.
    """
    lower, upper = query.lower[side], query.upper[side]
    closed, proved = is_closed(query, side), is_proved(query, side)
    query.attacking = np.int64(attacks(query, side))
    query.lower_bound = lower
    query.mate = upper or -1
    query.state = query_struct.QueryState.ANSWERED

    # 1. No mate is known.
    if upper == 0:
        query.status = (
            query_struct.Answer.DISPROVED if closed else query_struct.Answer.UNDECIDED
        )
        query.keys_complete = 0
        query.is_cut = np.int64(not closed)
        query.nodes = search.nodes
        return query_struct.Turn.ENDS

    # 2. The line of the mate.
    query.status = query_struct.Answer.PROVED if proved else query_struct.Answer.FOUND
    query.pv_at = search.text_written
    child = position
    for ply in range(query.line_plies[side]):
        move = search.lines[side, ply]
        notation.write_move(child, move, query.black ^ (ply & 1), search)
        child = bitboards.make(child, move)
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
    return query_struct.Turn.ENDS


def machine(begin_query: Any, search_side: Any, find_keys: Any) -> Any:
    """Compile `take_turn` for one kind of search.

    Parameters
    ----------
    begin_query : kernel function
        Takes query, position and search: begins, or answers at once; returns a `Turn`.
    search_side : kernel function
        Takes query, position, side and search: searches one bound or one length, and
        returns whether this ends the side's turn.
    find_keys : kernel function
        Takes query, position, the moves of the shortest mate, the nodes after which it
        is to pause, and search; marks each key with `add_key`. Returns `Turn.ENDS`,
        `Turn.PAUSES` (it is called again), or STOPPED by a limit.
    """

    @jit
    def take_key_turn(
        query: Query, position: bitboards.Position, search: Search
    ) -> Number:
        """Search for keys of a proved mate, and answer once all are known."""
        found = find_keys(query, position, query.lower[OURS], KEY_TURN, search)
        query.nodes = search.nodes
        if found == query_struct.Turn.PAUSES:
            # A small endgame's table is built for its bounds, if it is worth building.
            return (
                query_struct.Turn.GOES_ON
                if is_small_ending(position)
                else query_struct.Turn.PAUSES
            )
        return answer(query, position, OURS, found == interface.STOPPED, search)

    @jit
    def take_turn(address: Number, search: Search) -> Number:
        """Take a query's next turn: begin it, search a bound or a length, answer it.

        Parameters
        ----------
        address : int64
            The address of a `Query` that is READ or OPEN; it receives the progress and
            the answer.
        search : Search
            Its node limit is set by the first turn; the caller may lower it afterwards.
            Its `text` receives the answer and has room for MOST_TEXT bytes.

        Returns
        -------
        int64
            A `Turn`. It PAUSES where the turn of a side is over and no limit was hit,
            between searches for keys, and before the search of a small endgame, whose
            table may have the answer.
        """
        query, position = query_at(address), bitboards.position_at(words_at(address))
        search.play = query.play
        if query.state == query_struct.QueryState.READ:
            return begin_query(query, position, search)

        if query.stage == Stage.KEYS:
            return take_key_turn(query, position, search)

        # 1. Search for one side.
        side = OURS if query.stage == Stage.OURS else THEIRS
        limit = search.node_limit
        search.node_limit = min(limit, query.turn_limit)
        is_over = search_side(query, position, side, search)
        is_limited = ordering.is_stopped(search)
        search.node_limit = limit
        query.nodes = search.nodes
        if not is_over:
            return query_struct.Turn.GOES_ON

        # 2. The other side gets its share.
        if query.stage == Stage.OURS and query.both_sides and query.upper[OURS] == 0:
            share = max(search.nodes // OTHER_SIDE_SHARE, OTHER_SIDE_NODES)
            share -= query.their_nodes
            if share > 0 and not is_finished(query, THEIRS):
                query.stage = Stage.THEIR_SHARE
                query.turn_limit = search.nodes + share
                query.their_nodes -= search.nodes
                return query_struct.Turn.GOES_ON
        if query.stage == Stage.THEIR_SHARE:
            query.stage = Stage.OURS
            query.turn_limit = interface.NO_LIMIT
            query.their_nodes += search.nodes
            is_limited = ordering.is_stopped(search)

        # 3. The next turn is the same side's, unless its search is over.
        side = OURS if query.stage == Stage.OURS else THEIRS
        is_over = is_limited or is_finished(query, side)
        if not is_over and (side == THEIRS or query.upper[THEIRS] == 0):
            return query_struct.Turn.PAUSES

        # 4. The expected attacker has no mate: the other side may have one, and what it
        #    has is searched to the end.
        if query.stage == Stage.OURS and query.both_sides:
            has_none = query.upper[OURS] == 0 and is_closed(query, OURS)
            if has_none and query.upper[THEIRS] == 0 and not is_finished(query, THEIRS):
                query.stage = Stage.THEIR_REST
                query.turn_limit = search.nodes + OTHER_SIDE_REST
                return query_struct.Turn.GOES_ON
        if query.stage != Stage.THEIRS and query.upper[THEIRS]:
            query.stage = Stage.THEIRS
            query.turn_limit = interface.NO_LIMIT
            if not is_finished(query, THEIRS):
                return query_struct.Turn.GOES_ON

        # 5. The answer; before it, the keys of a proved mate.
        side = THEIRS if query.upper[THEIRS] else OURS
        if query.all_keys and attacks(query, side) and is_proved(query, side):
            query.stage = Stage.KEYS
            begin_keys(query)
            return take_key_turn(query, position, search)
        return answer(query, position, side, False, search)

    return take_turn
