"""The df-pn search for long mates, and the first proof numbers that guide it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.kernel.border import interface, search_struct
from solver.kernel.build.jit import first_square, inlined, jit, population
from solver.kernel.build.words import Bitboard, Move, Number, Search
from solver.kernel.mate import ordering, prover, transposition
from solver.kernel.rules import bitboards, mating, movegen

# --------------------------------------------------------------------------------------
# The first proof numbers of a defender node: how hard an attack is to prove.
#
# Numbers guide the df-pn search and prove nothing, but the first ones decide the order
# in which attacks are searched. Only replies that leave the attacker no mate in one
# count; once a few do, the attack is a poor one, and the rest count without a test.
# Their features are their number, the king's flights and the squares beyond them, and
# the most valuable piece that the attacker may lose. The numbers are sums of a weight
# for each feature, with and without check. The weights are learnt from proofs:
# benchmarks/first_numbers.py finds them, and docs/explanation/tried.md has the
# measurements.

FIRST_HOPE = np.uint64(2)
"""The first disproof number of every attack; other values changed little."""

ENOUGH = 4
"""After this many open replies the rest are not tested; docs/explanation/tried.md."""

# The worths of one feature in sixteenths, by its count: without check, with check. The
# last is that of larger counts too. Printed by
# python -m benchmarks.first_numbers matetrack.epd --seed 1
# fmt: off
FLIGHTS = np.array([
    [0, 10, 59, 112, 190, 257, 513, 782, 1040],
    [0, 39, 77, 125, 354, 498, 703, 911, 1151],
], dtype=np.int16)
OTHERS = np.array([
    [0, 38, 63, 74, 115, 129, 143, 155, 173, 188, 202, 218, 231, 245, 259, 273,
     287, 303, 320, 342, 363, 383, 405, 427, 645],
    [0, 47, 80, 103, 122, 138, 154, 169, 185, 201, 217, 233, 249, 265, 281, 297,
     313, 329, 345, 361, 377, 393, 409, 425, 441],
], dtype=np.int16)
LOSSES = np.array([
    [0, 26, 67, 89, 318],
    [0, 38, 93, 114, 250],
], dtype=np.int16)
BEYOND = np.array([
    [0, 16, 32, 73, 102, 182, 223, 259, 292, 324, 357, 389, 421, 453, 485, 517,
     549],
    [0, 17, 33, 59, 85, 109, 139, 173, 206, 238, 270, 302, 334, 366, 398, 430,
     462],
], dtype=np.int16)
# fmt: on

MOST_OTHERS = np.uint64(OTHERS.shape[1] - 1)
MOST_BEYOND = np.uint64(BEYOND.shape[1] - 1)

WHOLE: Number = 16
"""The least proof number, in sixteenths."""


class Resources(NamedTuple):
    """The defender's resources against an attack: its open replies.

    A reply is open if it leaves no mate in one, or if it is not tested.

    All are numbers: 1 if the attack is check; the king's flights; the moves of other
    pieces; the attacker's greatest loss (0 none, 1 a pawn, 2 a minor piece, 3 a rook,
    4 the queen); the squares that the king reaches in two moves and not in one.
    """

    check: Bitboard
    flights: Bitboard
    others: Bitboard
    loss: Bitboard
    beyond: Bitboard


@inlined
def decided(succeeds: bool) -> transposition.Numbers:
    """Return the numbers of a node in which the side to move succeeds, or fails."""
    return (
        transposition.Numbers(bitboards.ZERO, transposition.INFINITE)
        if succeeds
        else transposition.Numbers(transposition.INFINITE, bitboards.ZERO)
    )


@inlined
def greatest_loss(position: bitboards.Position, targets: Bitboard) -> Number:
    """Return the rank of their most valuable piece on the targets; see `Resources`."""
    taken = targets & position.them
    if not taken:
        return 0
    if taken & position.orthogonal:
        return 4 if taken & position.orthogonal & position.diagonal else 3
    return 2 if taken & ~position.pawns else 1


@inlined
def squares_beyond(position: bitboards.Position, flights: Bitboard) -> Number:
    """Count the squares next to the flights that their pieces do not attack."""
    king = position.kings & position.us
    danger = movegen.attacked_by_them(position, (position.us | position.them) ^ king)
    return population(
        bitboards.beside(flights) & ~(danger | flights | (position.us ^ king))
    )


@inlined
def mate_after(position: bitboards.Position, known: Move, search: Search) -> Move:
    """Return a move that mates at once, or NO_MOVE; the known move is tried first."""
    if (
        known != bitboards.NO_MOVE
        and ordering.is_plain_move(position, known)
        and mating.mates(position, known)
    ):
        search.nodes += 1
        return known
    return prover.mating_move(position, search)


@inlined
def find_defence(
    position: bitboards.Position, size: Number, ply: Number, search: Search
) -> Resources:
    """Collect the replies in this ply's row that are open; see `Resources`.

    Parameters
    ----------
    position : Position
    size : int64
        Replies in the row.
    ply : int64
    search : Search
        Counts the mate-in-one tests as nodes.

    Returns
    -------
    Resources
        Without flights and other moves if every reply allows mate in one.
    """
    # 1. Without a check and without a threat of mate, the attacker has no mate in one
    #    after most replies, so they are not tested.
    is_check = bitboards.checkers(position) != bitboards.ZERO
    mate = bitboards.NO_MOVE
    if not is_check:
        mate = prover.mating_move(bitboards.after_null_move(position), search)
    is_tested = is_check or mate != bitboards.NO_MOVE

    # 2. The move that mates after one reply mates after most others. The tests end when
    #    enough replies are open.
    king = first_square(position.kings & position.us)
    flights = bitboards.ZERO
    targets = bitboards.ZERO
    others = bitboards.ZERO
    found_open = 0
    for index in range(size):
        reply = search.rows[ply, index]
        if is_tested and found_open < ENOUGH:
            found = mate_after(bitboards.make(position, reply), mate, search)
            if found != bitboards.NO_MOVE:
                mate = found
                continue
        found_open += 1
        arrived = bitboards.ONE << bitboards.target(reply)
        targets |= arrived
        if bitboards.origin(reply) == king:
            flights |= arrived
        else:
            others += bitboards.ONE

    return Resources(
        bitboards.ONE if is_check else bitboards.ZERO,
        np.uint64(population(flights)),
        others,
        np.uint64(greatest_loss(position, targets)),
        np.uint64(squares_beyond(position, flights)),
    )


@jit
def first_numbers(
    position: bitboards.Position, ply: Number, search: Search
) -> transposition.Numbers:
    """Estimate the numbers of a defender node that is not in the table.

    Parameters
    ----------
    position : Position
    ply : int64
        Selects the row of moves, which is overwritten.
    search : Search
        Counts the mate-in-one tests as nodes.

    Returns
    -------
    Numbers
        Decided if there is no reply, or if every reply allows mate in one.
    """
    size = movegen.generate(position, search.rows[ply])
    if size == 0:
        return decided(
            bitboards.checkers(position) == bitboards.ZERO
        )  # stalemate is an escape
    check, flights, others, loss, beyond = find_defence(position, size, ply, search)
    if not flights | others:
        return decided(False)
    work = WHOLE + FLIGHTS[check, flights] + LOSSES[check, loss]
    work += OTHERS[check, min(others, MOST_OTHERS)]
    work += BEYOND[check, min(beyond, MOST_BEYOND)]
    return transposition.Numbers(FIRST_HOPE, np.uint64(work >> 4))


# --------------------------------------------------------------------------------------
# The df-pn search: depth-first proof-number search for a mate within n moves.
#
# Proof-number search (Allis, van der Meulen and van den Herik, 1994) expands the leaf
# that needs the fewest further leaves to decide the root, so it finds long mates that a
# search by depth never reaches. Df-pn (Nagai, "Df-pn algorithm for searching AND/OR
# trees and its applications", PhD thesis, University of Tokyo, 2002) does the same
# depth first: a node is searched until one of its numbers reaches a threshold that its
# parent sets, and the numbers of all other nodes are kept in the transposition table.
#
# This program differs in four ways:
#
# - The number of moves left is part of every question and never grows along a line, so
#   no line repeats a node and the graph has no cycles. Neighbouring n may share their
#   numbers (`Search.shared_lengths`), but never a bound.
# - The last two moves are left to the prover, whose bounds both searches share.
# - A new node is tested before it is searched, for a mate in one or after every reply
#   (above).
# - The attacker may be *restricted*, for instance to moves that leave the defender's
#   king at most one flight. A restriction hides mates and never invents one: a mate
#   found under it is a mate, and "no mate" holds under the restriction only. Every
#   restriction allows all mating moves.
#
# An answer is exact or STOPPED.

MARGIN_SHIFT = np.uint64(3)
REST_SHIFT = bitboards.ONE
"""All replies except the hardest add half of their numbers at a defender node."""


ATTACKER = search_struct.LogKind.ATTACKER.value
DEFENDER = search_struct.LogKind.DEFENDER.value
CHILD = search_struct.LogKind.CHILD.value
UPDATE = search_struct.LogKind.UPDATE.value
NUMBERS = search_struct.LogEnd.NUMBERS.value


# Restrictions of the attacker


@inlined
def in_restriction(search: Search, key: transposition.HashKey) -> transposition.HashKey:
    """Return the key of bounds that are valid only under the current restriction."""
    return transposition.HashKey(
        key.check ^ search.restriction, key.bucket ^ search.restriction
    )


@inlined
def flights(position: bitboards.Position, pins: movegen.Pins) -> Number:
    """Count the squares that the king of the side to move can go to; no castling."""
    king = first_square(position.kings & position.us)
    return population(bitboards.king_attacks(king) & ~position.us & ~pins.danger)


@jit
def is_allowed(position: bitboards.Position, search: Search) -> bool:
    """Return whether the restriction allows the attack that led to this position.

    The defender is to move. Threats are tested in `search_node`.
    """
    pins = movegen.find_pins(position)
    if search.checks_only and not pins.checkers:
        return False
    return (
        flights(position, pins) <= search.most_flights
        and movegen.count_within(position, pins) <= search.most_replies
    )


# The numbers of one node


@inlined
def logged(numbers: transposition.Numbers) -> tuple[Number, Number]:
    """Return numbers as the log has them."""
    return np.int64(numbers.phi), np.int64(numbers.delta)


@inlined
def plus(left: Bitboard, right: Bitboard) -> Bitboard:
    """Add two numbers; the sum is INFINITE only if one of them is."""
    if max(left, right) == transposition.INFINITE:
        return transposition.INFINITE
    return min(left + right, transposition.MOST)


@inlined
def known_bounds(key: transposition.HashKey, search: Search) -> transposition.Bounds:
    """Return what is proved about a position under the current restriction.

    A position without any mate has none under the restriction. A mate found without the
    restriction counts, unless the question is about the restriction itself.
    """
    bounds = transposition.probe(search, in_restriction(search, key))
    if not search.restriction:
        return bounds
    unrestricted = transposition.probe(search, key)
    no_mate = max(bounds.no_mate, unrestricted.no_mate)
    if search.restricted_only:
        return transposition.Bounds(no_mate, bounds.mate, bounds.move)
    return transposition.Bounds(no_mate, unrestricted.mate, bounds.move)


@jit
def store_mate(
    search: Search, key: transposition.HashKey, mate: Number, move: Move, effort: Number
) -> None:
    """Store that a position is a mate within `mate` moves, under any restriction."""
    key = in_restriction(search, key) if search.restricted_only else key
    no_mate = transposition.probe(search, key).no_mate
    transposition.store(search, key, transposition.Bounds(no_mate, mate, move), effort)


@jit
def first_attacker_numbers(
    position: bitboards.Position, key: transposition.HashKey, search: Search
) -> transposition.Numbers:
    """Return the numbers of a new attacker node, after a test for mate in one.

    The bound that is stored saves the test at later visits.
    """
    move = prover.mating_move(position, search)
    if move != bitboards.NO_MOVE:
        store_mate(search, key, 1, move, 1)
        return decided(True)
    bounds = transposition.probe(search, key)
    transposition.store(
        search, key, transposition.Bounds(1, bounds.mate, bounds.move), 1
    )
    return transposition.Numbers(bitboards.ONE, bitboards.ONE)


@inlined
def numbers_of(
    position: bitboards.Position,
    moves_left: Number,
    ply: Number,
    attacking: bool,
    search: Search,
) -> transposition.Numbers:
    """Return a node's numbers: proved, stored, or first ones.

    The row of moves of this ply may be overwritten.
    """
    key = transposition.hash_key(position, attacking)
    bounds = known_bounds(key, search)
    if moves_left >= bounds.mate:
        return decided(attacking)
    if moves_left <= bounds.no_mate:
        return decided(not attacking)
    own_key = in_restriction(search, key)
    numbers = transposition.probe_numbers(search, own_key, moves_left)
    if numbers.phi:
        return numbers
    if attacking:
        if bounds.no_mate:
            return transposition.Numbers(bitboards.ONE, bitboards.ONE)
        return first_attacker_numbers(position, key, search)
    numbers = first_numbers(position, ply, search)
    if not numbers.delta:
        store_mate(search, key, 1, bitboards.NO_MOVE, 1)
    elif numbers.phi:
        transposition.store_numbers(search, own_key, moves_left, numbers, 0)
    return numbers


@jit
def store_decided(
    position: bitboards.Position,
    moves_left: Number,
    ply: Number,
    attacking: bool,
    move: Move,
    size: Number,
    search: Search,
) -> None:
    """Store the bound of a node that is decided.

    Parameters
    ----------
    position : Position
    moves_left : int64
    ply : int64
    attacking : bool
    move : uint64
        The move with which the side to move succeeds; NO_MOVE if it fails.
    size : int64
        Moves in the row of this ply, all of which fail if `move` is NO_MOVE.
    search : Search
    """
    # 1. No mate: the bound holds under the restriction. A reply that refutes is
    #    remembered.
    key = transposition.hash_key(position, attacking)
    if attacking == (move == bitboards.NO_MOVE):
        key = in_restriction(search, key)
        bounds = transposition.probe(search, key)
        refuted = transposition.Bounds(
            moves_left, bounds.mate, bounds.move if attacking else move
        )
        transposition.store(search, key, refuted, moves_left)
        if not attacking:
            ordering.remember_refutation(search, ply, move, moves_left)
        return

    # 2. Mate: the bounds of the children may show that it is shorter than the question.
    longest = 0
    if attacking:
        reply = transposition.hash_key(
            bitboards.make(position, move), ordering.DEFENDING
        )
        longest = known_bounds(reply, search).mate + 1
    for index in range(0 if attacking else size):
        child = transposition.hash_key(
            bitboards.make(position, search.rows[ply, index]), ordering.ATTACKING
        )
        longest = max(longest, known_bounds(child, search).mate)
    mate = min(longest, moves_left)
    store_mate(search, key, mate, move, moves_left)


# The search


@jit
def search_node(
    position: bitboards.Position,
    moves_left: Number,
    ply: Number,
    attacking: bool,
    thresholds: transposition.Numbers,
    search: Search,
) -> transposition.Numbers:
    """Search "mate within `moves_left`?" until it is decided or a threshold is reached.

    The node's numbers follow from its children's: phi is the least delta of a child,
    because one child that fails is enough, and delta is the sum of the children's phi,
    because all of them must succeed. A defender node counts its hardest reply in full
    and the others half, because one mate often answers several replies. The function
    returns

    - phi = 0 if the side to move succeeds (the attacker mates, the defender escapes);
    - delta = 0 if it fails;
    - NO_NUMBERS if the prover, or a test of a threat, was stopped;
    - otherwise numbers of which one has reached its threshold, or those at which the
      search was stopped.

    Only proved bounds and proof numbers are stored, never a result of a stop.

    Parameters
    ----------
    position : Position
        The attacker is to move if `attacking`, else the defender.
    moves_left : int64
        At least 0.
    ply : int64
        Plies from the root; selects the killers and the rows of scratch memory.
    attacking : bool
    thresholds : Numbers
        The search returns once phi or delta is at least this large.
    search : Search
        Counts nodes. Its table supplies and receives bounds and proof numbers.

    Returns
    -------
    Numbers
    """
    # 1. Transposition table. With no move left, the defender may be mated already,
    #    which a bound of 0 moves does not exclude.
    first_node = search.nodes
    search.nodes += 1
    key = transposition.hash_key(position, attacking)
    bounds = known_bounds(key, search)
    if moves_left >= bounds.mate:
        return decided(attacking)
    if 0 < moves_left <= bounds.no_mate:
        return decided(not attacking)

    # 2. The prover decides the last two moves. It knows no restriction, but every
    #    restriction allows a mate in one. Step by step, it decides mates in one only.
    near = 1 if search.restricted_only or search.is_stepwise else 2
    if search.is_stepwise and not attacking:
        near = 0
    if moves_left <= near:
        verdict = prover.mates_within(position, moves_left, ply, attacking, search)
        if verdict == interface.Decision.STOPPED:
            return transposition.NO_NUMBERS
        return decided(attacking == (verdict == interface.Decision.MATE))

    # 3. List the moves, and load the children's cache lines before the first probe.
    moves = search.rows[ply]
    phis = search.phis[ply]
    deltas = search.deltas[ply]
    left = moves_left - 1 if attacking else moves_left
    listed = movegen.generate(position, moves)
    if not attacking:
        if listed == 0 and not bitboards.checkers(position):
            return decided(True)  # stalemate is an escape
        ordering.rank_replies(position, moves, listed, ply, bounds.move, search)
        for index in range(listed):
            ordering.bring_best(moves, index, listed)
    for index in range(listed):
        child = bitboards.make(position, ordering.unranked(moves[index]))
        child_key = in_restriction(search, transposition.hash_key(child, not attacking))
        transposition.prefetch_node(search, child_key, left)

    # 4. Collect the numbers of the children that the restriction allows, up to the
    #    first that decides this node.
    size = 0
    for index in range(listed):
        move = ordering.unranked(moves[index])
        child = bitboards.make(position, move)
        if attacking and search.restriction:
            if not is_allowed(child, search):
                continue
            if search.threat_moves and not bitboards.checkers(child):
                verdict = prover.mates_within(
                    bitboards.after_null_move(child),
                    search.threat_moves,
                    ply + 1,
                    ordering.ATTACKING,
                    search,
                )
                if verdict != interface.Decision.MATE:
                    continue
        theirs = numbers_of(child, left, ply + 1, not attacking, search)
        transposition.enter_node(
            search,
            ply + 1,
            move,
            left,
            CHILD,
            logged(transposition.NO_NUMBERS),
            logged(theirs),
        )
        moves[size] = move
        phis[size] = np.uint32(theirs.phi)
        deltas[size] = np.uint32(theirs.delta)
        size += 1
        if not theirs.delta:
            break
    if search.restriction and ordering.is_stopped(search):
        return (
            transposition.NO_NUMBERS
        )  # a stopped test of a threat may have excluded a move

    while True:
        # 5. This node's numbers, its best child, and the second best delta. A helper
        #    thread takes the last of equally good children, the main thread the first.
        phi = transposition.INFINITE
        delta = bitboards.ZERO
        second = transposition.INFINITE
        most = bitboards.ZERO
        best: Number = 0
        for index in range(size):
            needed = np.uint64(deltas[index])
            if needed < phi or (search.is_helper and needed == phi):
                second = phi
                phi = needed
                best = index
            elif needed < second:
                second = needed
            most = max(most, np.uint64(phis[index]))
            delta = plus(delta, np.uint64(phis[index]))
        if not attacking and delta != transposition.INFINITE:
            delta = most + ((delta - most + REST_SHIFT) >> REST_SHIFT)

        numbers = transposition.Numbers(phi, delta)
        transposition.enter_node(
            search,
            ply,
            moves[best] if size else bitboards.NO_MOVE,
            moves_left,
            UPDATE,
            logged(thresholds),
            logged(numbers),
        )

        # 6. Return if the node is decided or a threshold is reached.
        if not phi:
            store_decided(
                position, moves_left, ply, attacking, moves[best], size, search
            )
            return decided(True)
        if not delta:
            store_decided(
                position, moves_left, ply, attacking, bitboards.NO_MOVE, size, search
            )
            return decided(False)
        if (
            ordering.is_stopped(search)
            or phi >= thresholds.phi
            or delta >= thresholds.delta
        ):
            spent = search.nodes - first_node
            own_key = in_restriction(search, key)
            transposition.store_numbers(search, own_key, moves_left, numbers, spent)
            return numbers

        # 7. Search the best child until it is an eighth worse than the second best.
        #    Without this margin, two children that are nearly as good would take
        #    turns, and each turn would search lost table entries again (the 1 + epsilon
        #    trick: Pawlewicz and Lew, "Improving depth-first pn-search: 1 + epsilon
        #    trick", Computers and Games 2006, LNCS 4630, 2007).
        margin = min(
            second + (second >> MARGIN_SHIFT) + bitboards.ONE, transposition.INFINITE
        )
        given = transposition.Numbers(
            thresholds.delta - delta + np.uint64(phis[best]),
            min(thresholds.phi, margin),
        )
        node = transposition.enter_node(
            search,
            ply + 1,
            moves[best],
            left,
            DEFENDER if attacking else ATTACKER,
            logged(given),
            logged(transposition.NO_NUMBERS),
        )
        theirs = search_node(
            bitboards.make(position, moves[best]),
            left,
            ply + 1,
            not attacking,
            given,
            search,
        )
        transposition.leave_numbers(search, node, NUMBERS, logged(theirs))
        if theirs.phi | theirs.delta:
            phis[best] = np.uint32(theirs.phi)
            deltas[best] = np.uint32(theirs.delta)


@jit
def find_mate(
    position: bitboards.Position, moves_left: Number, attacking: bool, search: Search
) -> Number:
    """Decide whether the attacker mates within `moves_left`, as `mates_within` does.

    Under a restriction, NO_MATE concerns only the moves that it allows.
    """
    thresholds = transposition.Numbers(transposition.INFINITE, transposition.INFINITE)
    node = transposition.enter_node(
        search,
        0,
        bitboards.NO_MOVE,
        moves_left,
        ATTACKER if attacking else DEFENDER,
        logged(thresholds),
        logged(transposition.NO_NUMBERS),
    )
    numbers = search_node(position, moves_left, 0, attacking, thresholds, search)
    transposition.leave_numbers(search, node, NUMBERS, logged(numbers))
    if (numbers.phi == bitboards.ZERO) == (numbers.delta == bitboards.ZERO):
        return interface.Decision.STOPPED
    succeeds = numbers.phi == bitboards.ZERO
    return (
        interface.Decision.MATE if succeeds == attacking else interface.Decision.NO_MATE
    )
