"""The finder: depth-first proof-number search for a mate within n moves.

It goes where the fewest leaves are left to settle, and so finds long mates that a
search in order of depth never reaches. Both of its verdicts are exact: it ends when the
root is proved or disproved, or else it is stopped and says so. What it proves stands in
the bounds that the prover reads and writes too; proof numbers only guide.

Numbers are seen by the side to move (Nagai's phi and delta): a node needs one child
that fails, so its phi is the least delta of its children, its delta the sum of their
phi. The moves left are part of the question and only fall, so no line repeats a node.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.bitboards import ONE, ZERO, king_attacks
from solver.kernel.jit import (
    Bitboard,
    Move,
    Number,
    boolean,
    first_square,
    i64,
    jit,
    population,
    search_t,
    u64,
    void,
)
from solver.kernel.movegen import (
    Pins,
    count_within,
    find_pins,
    generate,
    pins_t,
)
from solver.kernel.ordering import (
    bring_best,
    rank_replies,
    remember_refutation,
    unranked,
)
from solver.kernel.position import NO_MOVE, Position, checkers, make, passed, position_t
from solver.kernel.prover import ATTACKING, DEFENDING, MATE, STOPPED, mates_within
from solver.kernel.transposition import (
    INFINITE,
    MOST,
    TABLE,
    Address,
    Bounds,
    Numbers,
    address,
    address_t,
    bounds_t,
    numbers_t,
    prefetch_node,
    probe,
    probe_numbers,
    store,
    store_numbers,
)

# Lanes: restrictions of the attacker, in which a search is narrow and goes far.
#
# A lane hides mates and invents none: a mate found in it is a mate, and "no mate"
# speaks of the lane alone. Every lane admits each mating move.


@jit(address_t(search_t, address_t), inline=True)
def in_restriction(search: Any, where: Address) -> Address:
    """Where bounds of a position stand that hold in the lane alone."""
    return Address(where.key ^ search.restriction, where.place ^ search.restriction)


@jit(i64(position_t, pins_t), inline=True)
def flights(position: Position, limits: Pins) -> Number:
    """How many squares the king of the side to move can go to, castling aside."""
    king = first_square(position.kings & position.us)
    return population(king_attacks(king) & ~position.us & ~limits.danger)


@jit(boolean(position_t, search_t))
def admits(position: Position, search: Any) -> bool:
    """Whether the lane admits the attack that led here, defender to move.

    What the attack threatens is not asked here.
    """
    limits = find_pins(position)
    if search.checks_only and not limits.checkers:
        return False
    return (
        flights(position, limits) <= search.most_flights
        and count_within(position, limits) <= search.most_replies
    )


NONE = np.int64(0)
ONE_MOVE = np.int64(1)
TWO_MOVES = np.int64(2)
NEXT = np.int64(1)

# First numbers of a defender node, by what the defender has left;
# see docs/explanation/tried.md.
FIRST_HOPE = np.uint64(2)
A_FLIGHT = np.int64(4)
NOT_IN_CHECK = np.int64(2)

MARGIN_SHIFT = np.uint64(3)
"""A child may pass its best sibling by an eighth before the search turns to that one:
else two that are nearly as good would take turns."""


@jit(numbers_t(boolean), inline=True)
def settled(succeeds: bool) -> Numbers:
    """The numbers of a node whose side to move gets its way, or does not."""
    return Numbers(ZERO, INFINITE) if succeeds else Numbers(INFINITE, ZERO)


@jit(u64(u64, u64), inline=True)
def plus(left: Bitboard, right: Bitboard) -> Bitboard:
    """Add two numbers; only what is infinite makes an infinite sum."""
    if max(left, right) == INFINITE:
        return INFINITE
    return min(left + right, MOST)


@jit(boolean(search_t), inline=True)
def is_stopped(search: Any) -> bool:
    """Whether a limit ends the search."""
    return bool(search.stop) or search.nodes >= search.node_limit


@jit(numbers_t(position_t), inline=True)
def first_numbers(position: Position) -> Numbers:
    """Estimate a defender node not met before: replies and flights are to be met."""
    limits = find_pins(position)
    replies = count_within(position, limits)
    if replies == NONE:
        # Stalemate is an escape, though "every reply loses" is vacuously true.
        return settled(not limits.checkers)
    free = flights(position, limits)
    work = ONE_MOVE + (replies >> ONE_MOVE) + A_FLIGHT * free * free
    if not limits.checkers:
        work += NOT_IN_CHECK
    return Numbers(FIRST_HOPE, np.uint64(work))


@jit(bounds_t(address_t, search_t, TABLE), inline=True)
def known_bounds(where: Address, search: Any, table: Any) -> Bounds:
    """Read what is proved of a position: in the lane, if there is one.

    What has no mate at all has none in the lane; a mate must be the lane's own where
    the question is about the lane.
    """
    bounds = probe(table, search, in_restriction(search, where))
    if not search.restriction:
        return bounds
    anywhere = probe(table, search, where)
    no_mate = max(bounds.no_mate, anywhere.no_mate)
    if search.restricted_only:
        return Bounds(no_mate, bounds.mate, bounds.move)
    return Bounds(no_mate, anywhere.mate, bounds.move)


@jit(numbers_t(position_t, i64, boolean, search_t, TABLE), inline=True)
def look_up(
    position: Position, moves_left: Number, attacking: bool, search: Any, table: Any
) -> Numbers:
    """Give a child's numbers: proved, remembered, or the first estimate."""
    where = address(position, attacking)
    bounds = known_bounds(where, search, table)
    if moves_left >= bounds.mate:
        return settled(attacking)
    if moves_left <= bounds.no_mate:
        return settled(not attacking)
    numbers = probe_numbers(table, search, in_restriction(search, where), moves_left)
    if numbers.phi:
        return numbers
    return Numbers(ONE, ONE) if attacking else first_numbers(position)


@jit(void(position_t, i64, i64, boolean, u64, i64, search_t, TABLE))
def record(
    position: Position,
    moves_left: Number,
    ply: Number,
    attacking: bool,
    move: Move,
    size: Number,
    search: Any,
    table: Any,
) -> None:
    """Write down the bound of a node that is settled.

    `move` is the one that got its side its way; NO_MOVE: none of the `size` moves of
    the row did.
    """
    where = address(position, attacking)
    if attacking == (move == NO_MOVE):
        where = in_restriction(search, where)
        bounds = probe(table, search, where)
        refuted = Bounds(moves_left, bounds.mate, bounds.move if attacking else move)
        store(table, search, where, refuted, moves_left)
        if not attacking:
            remember_refutation(search, ply, move, moves_left)
        return
    # The mate may be nearer than was asked, by what is known of the children.
    longest = NONE
    if attacking:
        reply = address(make(position, move), DEFENDING)
        longest = known_bounds(reply, search, table).mate + ONE_MOVE
    for index in range(NONE if attacking else size):
        child = address(make(position, search.rows[ply, index]), ATTACKING)
        longest = max(longest, known_bounds(child, search, table).mate)
    mate = min(longest, moves_left)
    where = in_restriction(search, where) if search.restricted_only else where
    no_mate = probe(table, search, where).no_mate
    store(table, search, where, Bounds(no_mate, mate, move), moves_left)


@jit(numbers_t(position_t, i64, i64, boolean, numbers_t, search_t, TABLE))
def settle(
    position: Position,
    moves_left: Number,
    ply: Number,
    attacking: bool,
    limits: Numbers,
    search: Any,
    table: Any,
) -> Numbers:
    """Search "mate within `moves_left`?" until it is settled or reaches its limits.

    Parameters
    ----------
    position : Position
        The attacker to move if `attacking`, else the defender.
    moves_left : int64
        At least 0.
    ply : int64
        Distance from the root, for killers and scratch memory.
    attacking : bool
    limits : Numbers
        The search returns when one of the node's numbers reaches its limit.
    search : Search
    table : uint64 words
        Reads and writes bounds and proof numbers.

    Returns
    -------
    Numbers
        The node's. A 0 is proved: phi, the side to move gets its way; delta, it does
        not. Both 0: the search was stopped and nothing is learnt.
    """
    # 1. What is proved already.
    begun = search.nodes
    search.nodes += NEXT
    where = address(position, attacking)
    bounds = known_bounds(where, search, table)
    if moves_left >= bounds.mate:
        return settled(attacking)
    if NONE < moves_left <= bounds.no_mate:  # in 0 it may be mated already
        return settled(not attacking)

    # 2. The last moves are the prover's; the last one lies in any lane.
    near = ONE_MOVE if search.restricted_only else TWO_MOVES
    if moves_left <= near or (attacking and bounds.no_mate < near):
        verdict = mates_within(
            position, min(moves_left, near), ply, attacking, search, table
        )
        if verdict == STOPPED:
            return Numbers(ZERO, ZERO)
        if verdict == MATE:
            return settled(attacking)
        if moves_left <= near:
            return settled(not attacking)

    # 3. The children's numbers; one that fails settles this node.
    moves = search.rows[ply]
    phis = search.phis[ply]
    deltas = search.deltas[ply]
    left = moves_left - ONE_MOVE if attacking else moves_left
    listed = generate(position, moves)
    if not attacking:
        if listed == NONE and not checkers(position):
            return settled(True)  # stalemate is an escape
        rank_replies(position, moves, listed, ply, bounds.move, search)
        for index in range(listed):
            bring_best(moves, index, listed)
    for index in range(listed):
        child = make(position, unranked(moves[index]))
        where_child = in_restriction(search, address(child, not attacking))
        prefetch_node(table, search, where_child, left)
    size = NONE
    for index in range(listed):
        move = unranked(moves[index])
        child = make(position, move)
        if attacking and search.restriction:
            if not admits(child, search):
                continue
            if search.threat_moves and not checkers(child):
                verdict = mates_within(
                    passed(child),
                    search.threat_moves,
                    ply + NEXT,
                    ATTACKING,
                    search,
                    table,
                )
                if verdict != MATE:
                    continue
        theirs = look_up(child, left, not attacking, search, table)
        moves[size] = move
        phis[size] = np.uint32(theirs.phi)
        deltas[size] = np.uint32(theirs.delta)
        size += NEXT
        if not theirs.delta:
            break
    if search.restriction and is_stopped(search):  # a threat may have been overlooked
        return Numbers(ZERO, ZERO)

    while True:
        # 4. Our numbers: the least that a child takes to fail, and what it takes for
        #    all to succeed.
        phi = INFINITE
        delta = ZERO
        second = INFINITE
        best: Number = NONE
        for index in range(size):
            needed = np.uint64(deltas[index])
            if needed < phi or (search.is_helper and needed == phi):
                second = phi
                phi = needed
                best = index
            elif needed < second:
                second = needed
            delta = plus(delta, np.uint64(phis[index]))

        # 5. Settled, or enough for now.
        if not phi:
            record(
                position, moves_left, ply, attacking, moves[best], size, search, table
            )
            return settled(True)
        if not delta:
            record(position, moves_left, ply, attacking, NO_MOVE, size, search, table)
            return settled(False)
        numbers = Numbers(phi, delta)
        if is_stopped(search) or phi >= limits.phi or delta >= limits.delta:
            spent = search.nodes - begun
            store_numbers(
                table, search, in_restriction(search, where), moves_left, numbers, spent
            )
            return numbers

        # 6. On with the best child, until it is clearly the best no more.
        margin = min(second + (second >> MARGIN_SHIFT) + ONE, INFINITE)
        theirs = settle(
            make(position, moves[best]),
            left,
            ply + NEXT,
            not attacking,
            Numbers(
                limits.delta - delta + np.uint64(phis[best]), min(limits.phi, margin)
            ),
            search,
            table,
        )
        if theirs.phi | theirs.delta:
            phis[best] = np.uint32(theirs.phi)
            deltas[best] = np.uint32(theirs.delta)
