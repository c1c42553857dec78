"""The search of a query, turn by turn, and the lists of moves that play consists of.

Called by `bounds`, `entry`, `grading` and `kernel.compositions`; imports `ordering`,
`kernel.border`, `kernel.build` and `kernel.rules`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from solver.kernel.border import interface, query_struct, search_struct
from solver.kernel.build.jit import inlined, jit, population, query_at, words_at
from solver.kernel.build.words import Move, Number, Query, Search
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
"""A turn that searches for keys ends once it has taken so many nodes."""

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


# --------------------------------------------------------------------------------------
# Lists of moves for the play of a problem: keys, refutations, continuations.
#
# `compile_lists` compiles them for one search, which decides every move of a position.
# So a list is exact or STOPPED.
#
# A list of replies with the attacker's shortest continuations is in `Search.phis`. For
# each reply it has the reply, the number of moves that the continuations take, the
# `ReplyFlag`s, the number of continuations, and the continuations. Both numbers are 0
# if there is no continuation. A null move comes first if threats are wanted: its
# continuations are the threats.

# The list of replies


@inlined
def _word(search: Search, index: Number) -> Move:
    """Return a word of the list."""
    return np.uint64(
        search.phis[
            index // search_struct.MAX_LEGAL_MOVES,
            index % search_struct.MAX_LEGAL_MOVES,
        ]
    )


@inlined
def _write_word(search: Search, index: Number, word: Move) -> None:
    """Write a word of the list."""
    search.phis[
        index // search_struct.MAX_LEGAL_MOVES, index % search_struct.MAX_LEGAL_MOVES
    ] = np.uint32(word)


@jit
def _is_relevant(length: Number, found: Number, size: Number, search: Search) -> bool:
    """Return whether a reply that does not end the play is a relevant defence.

    Without a threat each is. Otherwise the attacker must need longer than the threat,
    or as long but without one of the threats.

    Parameters
    ----------
    length, found : int64
        The moves that the continuations take, and their number; they are in
        `search.rows[1]`.
    size : int64
        The length of the list up to here.
    search : Search
    """
    if size == 0 or _word(search, 0) != bitboards.NO_MOVE:
        return True
    longest, threats = np.int64(_word(search, 1)), np.int64(_word(search, 3))
    if threats == 0 or length == 0 or length > longest:
        return True
    if length < longest:
        return False
    for threat in range(interface.REPLY_WORDS, interface.REPLY_WORDS + threats):
        index = 0
        while index < found and search.rows[1, index] != _word(search, threat):
            index += 1
        if index == found:
            return True
    return False


@jit
def add_reply(
    reply: Move,
    flags: Number,
    length: Number,
    found: Number,
    size: Number,
    search: Search,
) -> Number:
    """Add a reply and its continuations to the list.

    Parameters
    ----------
    reply : uint64
        NO_MOVE, a null move, can only be the first.
    flags : int64
        The `ReplyFlag`s that are known. RELEVANT is added where it follows from the
        threats.
    length, found : int64
        The moves that the continuations take, and their number; they are in
        `search.rows[1]`.
    size : int64
        The length of the list.
    search : Search

    Returns
    -------
    int64
        The new length of the list.
    """
    ends = flags & interface.ReplyFlag.ENDS
    if (
        reply != bitboards.NO_MOVE
        and not ends
        and _is_relevant(length, found, size, search)
    ):
        flags |= interface.ReplyFlag.RELEVANT
    _write_word(search, size, reply)
    _write_word(search, size + 1, np.uint64(length))
    _write_word(search, size + 2, np.uint64(flags))
    _write_word(search, size + 3, np.uint64(found))
    size += interface.REPLY_WORDS
    for index in range(found):
        _write_word(search, size + index, search.rows[1, index])
    return size + found


# The lists of a search


class Lists(NamedTuple):
    """The compiled functions that list moves; their docstrings say more."""

    solving_moves: Any
    refutations: Any
    continuations: Any


def compile_lists(
    may_solve: Any,
    loses_within: Any,
    wins_within: Any,
    may_pass: Any,
    list_replies: Any,
    has_ended: Any,
    least_moves: Any,
) -> Lists:
    """Compile the lists of one search.

    Parameters
    ----------
    may_solve : kernel function
        Takes position, moves left, ply and search: a `Verdict`; NO_MATE or STOPPED
        where no move of the attacker need be tried.
    loses_within : kernel function
        Takes the position after an attack, moves left, ply, the attack and the search:
        whether the defender, which is to move, loses in time.
    wins_within : kernel function
        Takes position, moves left, ply, who is to move and the search: the same for
        either side.
    may_pass : kernel function
        Takes the position before a reply, and the search: whether nothing forces the
        reply, so that the attacker can threaten something.
    list_replies : kernel function
        Takes position, whether refutations are to come first, and search: writes the
        replies that are allowed to `search.rows[0]`, and returns their number.
    has_ended : kernel function
        Takes the position after a reply, and the search: whether that reached the goal.
    least_moves : kernel function
        Takes moves left and search: the fewest that a continuation may take.
    """

    @jit
    def list_solving_moves(
        position: bitboards.Position, moves_left: Number, ply: Number, search: Search
    ) -> Number:
        """Write the attacker's moves that win within `moves_left` to a row.

        Parameters
        ----------
        position : Position
            The attacker is to move.
        moves_left : int64
            At least 1.
        ply : int64
            The row.
        search : Search

        Returns
        -------
        int64
            The number of moves, which keep the generator's order; STOPPED if a limit
            was hit.
        """
        verdict = may_solve(position, moves_left, ply, search)
        if verdict != interface.Decision.MATE:
            return interface.STOPPED if verdict == interface.Decision.STOPPED else 0
        # What does not win makes room for what does.
        moves = search.rows[ply]
        size = movegen.generate(position, moves)
        found = 0
        for index in range(size):
            move = moves[index]
            child = bitboards.make(position, move)
            verdict = loses_within(child, moves_left - 1, ply + 1, move, search)
            if verdict == interface.Decision.STOPPED:
                return interface.STOPPED
            if verdict == interface.Decision.MATE:
                moves[found] = move
                found += 1
        return found

    @jit
    def list_refutations(
        position: bitboards.Position, moves_left: Number, most: Number, search: Search
    ) -> Number:
        """Write replies that do not lose within `moves_left` to `search.rows[0]`.

        Parameters
        ----------
        position : Position
            The defender is to move.
        moves_left : int64
            The attacker's moves after the reply, at least 0.
        most : int64
            End with this many, at least 1.
        search : Search

        Returns
        -------
        int64
            The number of replies; 0 also if there is no legal reply; STOPPED if a limit
            was hit.
        """
        moves = search.rows[0]
        size = list_replies(position, True, search)
        found = 0
        for index in range(size):
            reply = ordering.unranked(moves[index])
            child = bitboards.make(position, reply)
            if has_ended(child, search):
                continue
            verdict = wins_within(child, moves_left, 1, ordering.ATTACKING, search)
            if verdict == interface.Decision.STOPPED:
                return interface.STOPPED
            if verdict == interface.Decision.NO_MATE:
                moves[found] = reply
                found += 1
                if found == most:
                    break
        return found

    @jit
    def add_shortest(
        position: bitboards.Position,
        reply: Move,
        flags: Number,
        moves_left: Number,
        size: Number,
        search: Search,
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
            Longer continuations are ignored.
        size : int64
            The length of the list.
        search : Search

        Returns
        -------
        int64
            The new length of the list; STOPPED if a limit was hit.
        """
        for length in range(least_moves(moves_left, search), moves_left + 1):
            found = list_solving_moves(position, length, 1, search)
            if found == interface.STOPPED:
                return interface.STOPPED
            if found:
                return add_reply(reply, flags, length, found, size, search)
        return add_reply(reply, flags, 0, 0, size, search)

    @jit
    def list_continuations(
        position: bitboards.Position, moves_left: Number, threats: bool, search: Search
    ) -> Number:
        """List the attacker's shortest continuations after every reply.

        Parameters
        ----------
        position : Position
            The defender is to move.
        moves_left : int64
            Longer continuations are ignored. 0: the attacker has made its last move.
        threats : bool
            Begin with the null move as a reply, unless something forces the reply or
            the attacker has no move left.
        search : Search

        Returns
        -------
        int64
            The length of the list; STOPPED if a limit was hit.
        """
        # 1. The threats.
        size = 0
        if threats and moves_left and may_pass(position, search):
            child = bitboards.after_null_move(position)
            size = add_shortest(child, bitboards.NO_MOVE, 0, moves_left, size, search)
            if size == interface.STOPPED:
                return interface.STOPPED

        # 2. The replies. Where all end the play, they are all there is to show.
        replies = search.rows[0]
        count = list_replies(position, False, search)
        is_over = size == 0
        for index in range(count):
            child = bitboards.make(position, replies[index])
            is_over &= moves_left == 0 or has_ended(child, search)
        known = np.int64(interface.ReplyFlag.RELEVANT) if is_over else 0

        # 3. Their continuations.
        for index in range(count):
            reply = replies[index]
            child = bitboards.make(position, reply)
            if has_ended(child, search):
                flags = known | interface.ReplyFlag.ENDS
                size = add_reply(reply, flags, 0, 0, size, search)
            else:
                size = add_shortest(child, reply, known, moves_left, size, search)
            if size == interface.STOPPED:
                return interface.STOPPED
        return size

    return Lists(list_solving_moves, list_refutations, list_continuations)
