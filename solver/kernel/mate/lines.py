"""The line of a mate that the df-pn search has proved, read from the table.

The df-pn search bounds mates from above, so some turn out shorter than their bound. The
attacker plays the proved moves, and the defender resists them as long as possible, so
the length of the line is also a proved bound. Parts of the proof that the table has
lost are proved again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.border.interface import STOPPED, Verdict
from solver.kernel.border.memory import (
    LINE_MEMO,
    LINE_NODES,
    MAX_LEGAL_MOVES,
    MAX_PLIES,
)
from solver.kernel.build.jit import (
    Number,
    boolean,
    i64,
    jit,
    search_t,
)
from solver.kernel.mate.dfpn import find_mate, known_bounds
from solver.kernel.mate.ordering import ATTACKING, DEFENDING
from solver.kernel.mate.transposition import (
    Bounds,
    bounds_t,
    hash_key,
)
from solver.kernel.rules.bitboards import ZERO
from solver.kernel.rules.mate_in_one import mate_in_one
from solver.kernel.rules.movegen import generate
from solver.kernel.rules.position import (
    MOVE_BITS,
    NO_MOVE,
    Position,
    make,
    position_t,
)

MOST_READINGS = 5
"""How often a line that repeats a position is read; two or three times suffice."""

INDEX_BITS = np.uint64(LINE_NODES - 1)
"""The part of a word of `Search.line_memo` that holds the index of a node."""

LINK_SHIFT = np.uint64(32)
REPLY_SHIFT = 32

NOTHING_PROVED = Bounds(np.int64(0), np.int64(0), NO_MOVE)


@jit(bounds_t(position_t, i64, search_t))
def proved_bounds(position: Position, moves: Number, search: Any) -> Bounds:
    """Return the bounds of an attacker's position with a mate within `moves`.

    If the table has lost the mate, prove it again. A mate of 0 moves means that the
    search was stopped.
    """
    key = hash_key(position, ATTACKING)
    bounds = known_bounds(key, search)
    while bounds.mate > moves:
        search.buckets = search.proofs_from
        if find_mate(position, moves, ATTACKING, search) != Verdict.MATE:
            return NOTHING_PROVED
        bounds = known_bounds(key, search)
    return bounds


@jit(i64(i64, search_t), inline=True)
def length_of(node: Number, search: Any) -> Number:
    """Return the number of the attacker's moves in a line; 0 for node 0."""
    return np.int64(search.line_links[node] >> LINK_SHIFT)


@jit(i64(position_t, i64, boolean, i64, search_t))
def read_from(
    position: Position, moves: Number, attacking: bool, depth: Number, search: Any
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
        key = hash_key(position, ATTACKING)
        place = key.bucket & np.uint64(LINE_MEMO - 1)
        word = search.line_memo[place]
        if (word | INDEX_BITS) == (key.check | INDEX_BITS):
            known = np.int64(word & INDEX_BITS)
            if 0 < length_of(known, search) <= moves:
                return known
        attack = mate_in_one(position)
        defence = np.int64(0)
        if attack == NO_MOVE:
            bounds = proved_bounds(position, moves, search)
            if bounds.mate == 0:
                return STOPPED
            attack = bounds.move
            child = make(position, attack)
            defence = read_from(child, moves - 1, DEFENDING, depth + 1, search)
            if defence == STOPPED:
                return STOPPED
        node = search.line_nodes
        if node == LINE_NODES:
            return STOPPED
        after = defence & (LINE_NODES - 1)
        length = length_of(after, search) + 1
        reply = np.uint64(defence >> REPLY_SHIFT)
        search.line_moves[node] = attack | (reply << LINK_SHIFT)
        search.line_links[node] = np.uint64(after) | (np.uint64(length) << LINK_SHIFT)
        search.line_nodes += 1
        search.line_memo[place] = (key.check & ~INDEX_BITS) | np.uint64(node)
        return node

    # 2. The defender: the bound of each reply.
    replies = search.rows[MAX_PLIES - 1 - depth]
    bounds_left = search.phis[MAX_PLIES - 1 - depth]
    size = generate(position, replies)
    for index in range(size):
        child = make(position, replies[index])
        bound = np.int64(1)
        if mate_in_one(child) == NO_MOVE:
            bound = np.int64(proved_bounds(child, moves, search).mate)
            if bound == 0:
                return STOPPED
        bounds_left[index] = np.uint32(bound)

    # 3. The reply with the largest bound, until a line is as long as its bound.
    while size:
        longest = 0
        for index in range(1, size):
            if bounds_left[index] > bounds_left[longest]:
                longest = index
        bound = np.int64(bounds_left[longest])
        reply = replies[longest]
        node = read_from(make(position, reply), bound, ATTACKING, depth + 1, search)
        if node == STOPPED:
            return STOPPED
        length = length_of(node, search)
        if length == bound:
            return (np.int64(reply) << REPLY_SHIFT) | node
        bounds_left[longest] = np.uint32(length)
    return 0


@jit(i64(position_t, i64, boolean, search_t))
def read_once(
    position: Position, moves: Number, attacking: bool, search: Any
) -> Number:
    """Write the line to `search.line`; return its plies, or STOPPED."""
    search.line_memo[:] = ZERO
    search.line_nodes = 1
    node = read_from(position, moves, attacking, 0, search)
    if node == STOPPED:
        return STOPPED
    plies = 0
    if not attacking and node:
        search.line[0] = np.uint64(node >> REPLY_SHIFT)
        plies = 1
    node &= LINE_NODES - 1
    while node:
        word = search.line_moves[node]
        search.line[plies] = word & MOVE_BITS
        search.line[plies + 1] = word >> LINK_SHIFT
        node = np.int64(search.line_links[node]) & (LINE_NODES - 1)
        plies += 2 if node else 1
    return plies


@jit(boolean(position_t, i64, search_t))
def repeats(position: Position, plies: Number, search: Any) -> bool:
    """Return whether a position occurs twice in `search.line`, whoever is to move."""
    for ply in range(plies + 1):
        check = hash_key(position, ATTACKING).check
        for before in range(ply):
            row, place = divmod(before, MAX_LEGAL_MOVES)
            if search.rows[row, place] == check:
                return True
        search.rows[ply // MAX_LEGAL_MOVES, ply % MAX_LEGAL_MOVES] = check
        if ply < plies:
            position = make(position, search.line[ply])
    return False


@jit(i64(position_t, i64, boolean, search_t))
def read_line(
    position: Position, moves: Number, attacking: bool, search: Any
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
        if plies == STOPPED or not repeats(position, plies, search):
            break
        for ply in range(plies):
            search.older_line[ply] = search.line[ply]
        again = read_once(position, moves, attacking, search)
        if again == STOPPED or again > plies:
            for ply in range(plies):
                search.line[ply] = search.older_line[ply]
        if again == STOPPED:
            break
        plies = min(again, plies)
    return plies
