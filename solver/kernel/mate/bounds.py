"""The bounds on a side's shortest mate, the keys and the line that they end with."""

from __future__ import annotations

import numpy as np

from solver.kernel.border import interface, query_struct, search_struct
from solver.kernel.build.jit import inlined, jit, population, query_at, words_at
from solver.kernel.build.words import QUERY_BYTES, Move, Number, Query, Search
from solver.kernel.mate import dfpn, ordering, prover, transposition, turns
from solver.kernel.rules import bitboards, mating, movegen

# --------------------------------------------------------------------------------------
# The line of a mate that the df-pn search has proved, read from the table.
#
# The df-pn search bounds mates from above, so some turn out shorter than their bound.
# The attacker plays the proved moves, and the defender resists them as long as
# possible, so the length of the line is also a proved bound. Parts of the proof that
# the table has lost are proved again.

MOST_READINGS = 5
"""How often a line that repeats a position is read; two or three times suffice."""

INDEX_BITS = np.uint64(search_struct.LINE_NODES - 1)
"""The part of a word of `Search.line_memo` that holds the index of a node."""

LINK_SHIFT = np.uint64(32)
REPLY_SHIFT = 32

NOTHING_PROVED = transposition.Bounds(np.int64(0), np.int64(0), bitboards.NO_MOVE)


@jit
def proved_bounds(
    position: bitboards.Position, moves: Number, search: Search
) -> transposition.Bounds:
    """Return the bounds of an attacker's position with a mate within `moves`.

    If the table has lost the mate, prove it again. A mate of 0 moves means that the
    search was stopped.
    """
    key = transposition.hash_key(position, ordering.ATTACKING)
    bounds = dfpn.known_bounds(key, search)
    while bounds.mate > moves:
        if (
            dfpn.find_mate(position, moves, ordering.ATTACKING, search)
            != interface.Decision.MATE
        ):
            return NOTHING_PROVED
        bounds = dfpn.known_bounds(key, search)
    return bounds


@inlined
def length_of(node: Number, search: Search) -> Number:
    """Return the number of the attacker's moves in a line; 0 for node 0."""
    return np.int64(search.line_links[node] >> LINK_SHIFT)


@jit
def read_from(
    position: bitboards.Position,
    moves: Number,
    attacking: bool,
    depth: Number,
    search: Search,
) -> Number:
    """Read the line from a position, and return its first node.

    A line is a list of nodes that never change: the attacker's move, the reply to it,
    and the node after that. A position that is reached again has the same nodes.

    Parameters
    ----------
    position : Position
        The attacker is to move if `attacking`, else the defender.
    moves : int64
        A mate within so many moves is proved.
    attacking : bool
    depth : int64
        Plies from the root. The rows of moves and numbers are used from their ends, so
        that a df-pn search can use their beginnings.
    search : Search
        Its nodes grow; `line_memo` remembers the node of each position.

    Returns
    -------
    int64
        A node whose line has at most `moves` moves of the attacker. With the defender
        to move, the reply stands above REPLY_SHIFT; 0 if it is mated. STOPPED if a lost
        part of the proof could not be proved again, or there is no room for the nodes.
    """
    # 1. The attacker mates at once, or plays the move that is proved.
    if attacking:
        key = transposition.hash_key(position, ordering.ATTACKING)
        place = key.bucket & np.uint64(search_struct.LINE_MEMO - 1)
        word = search.line_memo[place]
        if (word | INDEX_BITS) == (key.check | INDEX_BITS):
            known = np.int64(word & INDEX_BITS)
            if 0 < length_of(known, search) <= moves:
                return known
        attack = mating.mate_in_one(position)
        defence = np.int64(0)
        if attack == bitboards.NO_MOVE:
            bounds = proved_bounds(position, moves, search)
            if bounds.mate == 0:
                return interface.STOPPED
            attack = bounds.move
            child = bitboards.make(position, attack)
            defence = read_from(child, moves - 1, ordering.DEFENDING, depth + 1, search)
            if defence == interface.STOPPED:
                return interface.STOPPED
        node = search.line_nodes
        if node == search_struct.LINE_NODES:
            return interface.STOPPED
        after = defence & (search_struct.LINE_NODES - 1)
        length = length_of(after, search) + 1
        reply = np.uint64(defence >> REPLY_SHIFT)
        search.line_moves[node] = attack | (reply << LINK_SHIFT)
        search.line_links[node] = np.uint64(after) | (np.uint64(length) << LINK_SHIFT)
        search.line_nodes += 1
        search.line_memo[place] = (key.check & ~INDEX_BITS) | np.uint64(node)
        return node

    # 2. The defender: the bound of each reply.
    replies = search.rows[search_struct.MAX_PLIES - 1 - depth]
    bounds_left = search.phis[search_struct.MAX_PLIES - 1 - depth]
    size = movegen.generate(position, replies)
    for index in range(size):
        child = bitboards.make(position, replies[index])
        bound = np.int64(1)
        if mating.mate_in_one(child) == bitboards.NO_MOVE:
            bound = np.int64(proved_bounds(child, moves, search).mate)
            if bound == 0:
                return interface.STOPPED
        bounds_left[index] = np.uint32(bound)

    # 3. The reply with the largest bound, until a line is as long as its bound.
    while size:
        longest = 0
        for index in range(1, size):
            if bounds_left[index] > bounds_left[longest]:
                longest = index
        bound = np.int64(bounds_left[longest])
        reply = replies[longest]
        node = read_from(
            bitboards.make(position, reply),
            bound,
            ordering.ATTACKING,
            depth + 1,
            search,
        )
        if node == interface.STOPPED:
            return interface.STOPPED
        length = length_of(node, search)
        if length == bound:
            return (np.int64(reply) << REPLY_SHIFT) | node
        bounds_left[longest] = np.uint32(length)
    return 0


@jit
def read_once(
    position: bitboards.Position, moves: Number, attacking: bool, search: Search
) -> Number:
    """Write the line to `search.line`; return its plies, or STOPPED."""
    search.line_memo[:] = bitboards.ZERO
    search.line_nodes = 1
    node = read_from(position, moves, attacking, 0, search)
    if node == interface.STOPPED:
        return interface.STOPPED
    plies = 0
    if not attacking and node:
        search.line[0] = np.uint64(node >> REPLY_SHIFT)
        plies = 1
    node &= search_struct.LINE_NODES - 1
    while node:
        word = search.line_moves[node]
        search.line[plies] = word & bitboards.MOVE_BITS
        search.line[plies + 1] = word >> LINK_SHIFT
        node = np.int64(search.line_links[node]) & (search_struct.LINE_NODES - 1)
        plies += 2 if node else 1
    return plies


@jit
def repeats(position: bitboards.Position, plies: Number, search: Search) -> bool:
    """Return whether a position occurs twice in `search.line`, whoever is to move."""
    for ply in range(plies + 1):
        check = transposition.hash_key(position, ordering.ATTACKING).check
        for before in range(ply):
            row, place = divmod(before, search_struct.MAX_LEGAL_MOVES)
            if search.rows[row, place] == check:
                return True
        search.rows[
            ply // search_struct.MAX_LEGAL_MOVES, ply % search_struct.MAX_LEGAL_MOVES
        ] = check
        if ply < plies:
            position = bitboards.make(position, search.line[ply])
    return False


@jit
def read_proved_line(
    position: bitboards.Position, moves: Number, attacking: bool, search: Search
) -> Number:
    """Write the line of a mate that is proved within `moves` to `search.line`.

    If a line repeats a position, the position mates sooner than its bound said when the
    line was first read. The line is then read again with everything proved by now: it
    does not become longer, and often becomes shorter.

    Returns
    -------
    int64
        The number of plies; STOPPED if a lost part of the proof could not be proved
        again before a limit was hit.
    """
    plies = read_once(position, moves, attacking, search)
    for _ in range(MOST_READINGS - 1):
        if plies == interface.STOPPED or not repeats(position, plies, search):
            break
        for ply in range(plies):
            search.older_line[ply] = search.line[ply]
        again = read_once(position, moves, attacking, search)
        if again == interface.STOPPED or again > plies:
            for ply in range(plies):
                search.line[ply] = search.older_line[ply]
        if again == interface.STOPPED:
            break
        plies = min(again, plies)
    return plies


# --------------------------------------------------------------------------------------
# The first moves of a query: which are allowed, and which mate.


@jit
def mates_by(
    position: bitboards.Position,
    moves: Number,
    attacking: bool,
    by_prover: bool,
    search: Search,
) -> Number:
    """Decide with the prover, or else with the df-pn search, as `mates_within` does."""
    if not by_prover:
        return dfpn.find_mate(position, moves, attacking, search)
    return prover.mates_within(position, moves, 0, attacking, search)


@jit
def is_admitted(position: bitboards.Position, move: Move, search: Search) -> bool:
    """Return whether the current restriction allows a first move of the attacker.

    A threat must be searched for; once the search is stopped, the result is False.
    """
    if not search.restriction:
        return True
    child = bitboards.make(position, move)
    if not dfpn.is_allowed(child, search):
        return False
    if not search.threat_moves or bitboards.checkers(child):
        return True
    waiting = bitboards.after_null_move(child)
    verdict = mates_by(waiting, search.threat_moves, ordering.ATTACKING, True, search)
    return verdict == interface.Decision.MATE


@jit
def keep_admitted(query: Query, position: bitboards.Position, search: Search) -> None:
    """Remove the chosen root moves that the restriction excludes."""
    moves = words_at(query.root_moves)
    kept = 0
    for index in range(query.root_count):
        move = moves[index]
        if is_admitted(position, move, search):
            moves[kept] = move
            kept += 1
    query.root_count = kept


@jit
def root_mates_within(
    query: Query,
    position: bitboards.Position,
    moves: Number,
    attacking: bool,
    by_prover: bool,
    search: Search,
) -> Number:
    """Decide whether the attacker mates within `moves`; see `mates_by`.

    Chosen root moves share the remaining nodes; `query.key` receives the one that
    mates.
    """
    if not (attacking and query.root_moves):
        return mates_by(position, moves, attacking, by_prover, search)
    chosen = words_at(query.root_moves)
    limit = search.node_limit
    share = (limit - search.nodes) // max(1, query.root_count)
    all_refuted = True
    for index in range(query.root_count):
        child = bitboards.make(position, chosen[index])
        search.node_limit = min(limit, search.nodes + share)
        verdict = mates_by(child, moves - 1, ordering.DEFENDING, by_prover, search)
        search.node_limit = limit
        if verdict == interface.Decision.MATE:
            query.key = chosen[index]
            return verdict
        all_refuted = all_refuted and verdict == interface.Decision.NO_MATE
    # With a restriction to threats, a limit may have hidden a chosen move.
    if ordering.is_stopped(search) or not all_refuted:
        return interface.Decision.STOPPED
    return interface.Decision.NO_MATE


@jit
def decide_by(
    position: bitboards.Position,
    moves: Number,
    attacking: bool,
    budget: Number,
    search: Search,
) -> Number:
    """Decide the same as `decide` with a budget of nodes for each of both searches."""
    limit = search.node_limit
    verdict = np.int64(interface.Decision.STOPPED)
    if not search.restricted_only:
        search.node_limit = min(limit, search.nodes + budget)
        verdict = mates_by(position, moves, attacking, True, search)
    if verdict == interface.Decision.STOPPED:
        search.node_limit = min(limit, search.nodes + budget)
        verdict = mates_by(position, moves, attacking, False, search)
    search.node_limit = limit
    return verdict


@jit
def decide(
    position: bitboards.Position, moves: Number, attacking: bool, search: Search
) -> Number:
    """Decide whether the attacker mates within `moves`.

    The prover and the df-pn search take turns with doubling budgets. Under a
    restriction only the df-pn search runs, because the prover knows no restrictions.

    Parameters
    ----------
    position : Position
    moves : int64
        The attacker's moves.
    attacking : bool
        Whether the attacker is to move, not the defender.
    search : Search

    Returns
    -------
    int64
        A `Decision`; STOPPED if the node limit was reached or the search was stopped.
    """
    budget = turns.KEY_BUDGET
    verdict = np.int64(interface.Decision.STOPPED)
    while verdict == interface.Decision.STOPPED and not ordering.is_stopped(search):
        verdict = decide_by(position, moves, attacking, budget, search)
        budget *= 2
    return verdict


@jit
def find_keys(
    query: Query,
    position: bitboards.Position,
    mate: Number,
    pause: Number,
    search: Search,
) -> Number:
    """Find every first move that mates within `mate` moves, after `begin_keys`.

    Parameters
    ----------
    query : Query
    position : Position
    mate : int64
    pause : int64
        Return between two searches once they have taken this many nodes.
    search : Search

    Returns
    -------
    int64
        `Turn.ENDS`; `Turn.PAUSES`: call it again; or STOPPED by a limit.
    """
    moves = search.line
    size = turns.list_first_moves(query, position, search)
    first_node = search.nodes
    while query.keys_tried < size:
        # 1. The next first move. A helper thread begins with the last, so that the
        #    threads meet in the middle of the list.
        place = query.keys_tried
        if search.is_helper:
            place = size - 1 - place
        move = moves[place]
        is_new = query.key_budget == turns.KEY_BUDGET
        verdict = np.int64(interface.Decision.NO_MATE)
        if query.root_moves or not is_new or is_admitted(position, move, search):
            if ordering.is_stopped(search):
                return interface.STOPPED
            child = bitboards.make(position, move)
            verdict = decide_by(
                child, mate - 1, ordering.DEFENDING, query.key_budget, search
            )

        # 2. It is decided, or gets a larger budget.
        if verdict == interface.Decision.STOPPED:
            query.key_budget *= 2
        else:
            if verdict == interface.Decision.MATE:
                turns.add_key(query, place)
            query.keys_tried += 1
            query.key_budget = turns.KEY_BUDGET
        if ordering.is_stopped(search):
            return interface.STOPPED
        if search.nodes - first_node >= pause and query.keys_tried < size:
            return query_struct.Turn.PAUSES
    return interface.STOPPED if ordering.is_stopped(search) else query_struct.Turn.ENDS


# --------------------------------------------------------------------------------------
# The bounds on one side's shortest mate, and the search that closes them.
#
# The prover asks for a mate in 1, 2, 3, ... moves and raises the lower bound; the df-pn
# search looks for any mate below the upper bound and lowers that. They take turns with
# doubling budgets, and share what they prove about each position in one table.

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

NARROW = np.uint64(search_struct.restriction_word(2 << 20))
"""The word of the restriction `Restriction(king_flights=1)`."""


# The beginning, and the line of a mate


@jit
def answer_at_once(
    query: Query, status: Number, mate: Number, lower_bound: Number
) -> Number:
    """Write an answer that needs no search."""
    query.status = status
    query.mate = mate
    query.lower_bound = lower_bound
    query.keys_complete = np.int64(status == query_struct.Answer.PROVED)
    query.state = query_struct.QueryState.ANSWERED
    return query_struct.Turn.ENDS


@jit
def read_line(
    position: bitboards.Position,
    moves: Number,
    attacking: bool,
    is_shortest: bool,
    search: Search,
) -> Number:
    """Read the line of a mate that was just proved; see `turns.noting`."""
    if not is_shortest or search.restricted_only:
        return read_proved_line(position, moves, attacking, search)
    plies = prover.find_line(position, moves, attacking, search)
    return plies if plies == 2 * moves - np.int64(attacking) else interface.STOPPED


note = turns.noting(read_line)


@jit
def note_known(query: Query, position: bitboards.Position, search: Search) -> None:
    """Begin with the bounds that the table has of the position.

    The last one that is asked for is left to the search, which ends with it.
    """
    key = transposition.hash_key(position, query.attacking != 0)
    known = dfpn.known_bounds(key, search)
    no_mate = min(known.no_mate, query.most_moves - 1)
    none, mate = interface.Decision.NO_MATE, interface.Decision.MATE
    note(query, position, turns.OURS, none, no_mate, search)
    if known.mate <= query.most_moves:
        note(query, position, turns.OURS, mate, known.mate, search)


@jit
def begin_query(query: Query, position: bitboards.Position, search: Search) -> Number:
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
    if mating.is_checkmate(position):
        return answer_at_once(query, query_struct.Answer.PROVED, 0, 0)
    if our_king_is_bare if query.attacking else their_king_is_bare:
        least = query.most_moves + 1
        return answer_at_once(query, query_struct.Answer.DISPROVED, -1, least)
    if query.root_moves:
        keep_admitted(query, position, search)

    # 4. What a checkpoint knows, so that no answer gets worse.
    elif search.known_size:
        note_known(query, position, search)
    return (
        query_struct.Turn.PAUSES
        if turns.is_small_ending(position)
        else query_struct.Turn.GOES_ON
    )


# The rounds


@jit
def search_lower(
    query: Query, position: bitboards.Position, side: Number, search: Search
) -> Number:
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
        query, position, moves, turns.attacks(query, side), by_prover, search
    )
    search.node_limit = limit
    note(query, position, side, verdict, moves, search)
    return verdict


@jit
def search_length(
    query: Query,
    position: bitboards.Position,
    side: Number,
    length: Number,
    nodes: Number,
    search: Search,
) -> None:
    """Look for a mate within `length`; if undecided, repeat with few flights."""
    attacking = turns.attacks(query, side)
    limit = search.node_limit
    search.node_limit = min(limit, search.nodes + nodes)
    is_shared = query.phase[side] == turns.Phase.UPPER and query.upper[side] == 0
    search.shared_lengths = SHARED_LENGTHS if is_shared else 0
    verdict = root_mates_within(query, position, length, attacking, False, search)
    is_open = verdict == interface.Decision.STOPPED and not search.restricted_only
    if is_open and length >= NARROW_FROM:
        search.node_limit = min(limit, search.nodes + nodes // NARROW_DIVISOR)
        search.restriction = NARROW
        search.checks_only = 0
        search.most_flights = NARROW_FLIGHTS
        search.most_replies = search_struct.MAX_LEGAL_MOVES
        search.threat_moves = 0
        found = root_mates_within(query, position, length, attacking, False, search)
        search.restriction = bitboards.ZERO
        # A mate under a restriction is a mate; "none" holds only under it.
        if found == interface.Decision.MATE:
            verdict = found
    search.shared_lengths = 0
    search.node_limit = limit
    note(query, position, side, verdict, length, search)


@jit
def next_length(query: Query, side: Number) -> Number:
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


@jit
def search_side(
    query: Query, position: bitboards.Position, side: Number, search: Search
) -> bool:
    """Search one bound or one length; return whether this ends the side's turn."""
    budget = query.budget[side]

    # 1. The prover raises the lower bound until a question stays open.
    if query.phase[side] == turns.Phase.LOWER:
        verdict = search_lower(query, position, side, search)
        if verdict == interface.Decision.NO_MATE and not turns.is_closed(query, side):
            return False
        query.phase[side] = turns.Phase.CLAIM
        return True

    # 2. The df-pn search looks for a mate of any length, or of the claimed one.
    if query.phase[side] == turns.Phase.CLAIM and not query.any_length:
        if query.expected and query.upper[side] == 0:
            search_length(query, position, side, query.expected, budget, search)
        query.phase[side] = turns.Phase.UPPER
        query.distance[side] = 0
        return False
    if query.phase[side] == turns.Phase.CLAIM and not turns.is_closed(query, side):
        search_length(query, position, side, query.most_moves, budget, search)

    # 3. Then at lengths between the bounds.
    if query.phase[side] == turns.Phase.UPPER and not turns.is_closed(query, side):
        length = next_length(query, side)
        if length:
            search_length(query, position, side, length, budget, search)
            return False

    # 4. The next round searches twice as long, and farther.
    query.phase[side] = turns.Phase.LOWER
    query.budget[side] *= 2
    query.reach[side] += REACH
    return True


# The machine

take_turn = turns.machine(begin_query, search_side, find_keys)


@jit
def solve_queries(address: Number, count: Number, search: Search) -> Number:
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
        if query.state == query_struct.QueryState.REFUSED:
            address += QUERY_BYTES
            continue
        if (
            query.alone_from == 0
            or (index > 0 and search.stop)
            or search.text_size - search.text_written < query_struct.MOST_TEXT
        ):
            return index
        search.patience = search_struct.Stop.LIMIT
        turn = take_turn(address, search)
        is_left = turn == query_struct.Turn.PAUSES
        while turn != query_struct.Turn.ENDS and not is_left:
            turn = take_turn(address, search)
            is_long = (
                turn == query_struct.Turn.PAUSES and search.nodes >= query.alone_from
            )
            is_left = is_long or search.stop != 0
        search.patience = search_struct.Stop.NONE
        if turn != query_struct.Turn.ENDS:
            return index
        address += QUERY_BYTES
    return count
