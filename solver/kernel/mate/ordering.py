"""What the exact searches share: how they begin and end, and the order of their moves.

The prover and battle play are such searches. An attacker's move must work and a
defender's reply must refute, so the two sides rank their moves differently. The
defender's order uses the killer heuristic (Huberman, 1968; Akl and Newborn, 1977) and
the history heuristic (Schaeffer, ICCA Journal 6, 1983).
docs/explanation/tried.md has the measurements behind the order.

An entry of a row has its worth above the 32 bits of the move. So the best entry is the
largest, and entries of equal worth are ordered by their moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.border import search_struct
from solver.kernel.build.jit import inlined, jit, report_if_due
from solver.kernel.build.words import Move, Number, Row, Search
from solver.kernel.mate import transposition
from solver.kernel.rules import bitboards, mating, movegen

# numba takes a literal False for another type than the signature's boolean, and a
# recursive call with it then calls a function that does not exist (numba issue 6713).
ATTACKING: Any = np.bool_(True)
DEFENDING: Any = np.bool_(False)

SHARED_MOVES = 3
"""Attacks that a helper thread searches in the same order as the main thread."""

LOW_WORD = np.uint64(0xFFFF_FFFF)
WORTH_SHIFT = np.uint64(32)
RANK_2 = np.uint64(0xFF00)

# The attacker's worths: fewer replies first; a check is worth 20 replies.
TABLE_ATTACK = np.uint64(1000)
NO_REPLY = np.uint64(250)
CHECKING_ATTACK = np.uint64(20)

# The defender's worths: tiers that any history stays below.
TABLE_REPLY = np.uint64(5 << 28)
CHECKING_REPLY = np.uint64(4 << 28)
CAPTURE = np.uint64(3 << 28)
KILLER = np.uint64(2 << 28)
SECOND_KILLER = np.uint64(1 << 28)
KINDS = (
    bitboards.PAWN,
    bitboards.KNIGHT,
    bitboards.DIAGONAL,
    bitboards.ORTHOGONAL,
    bitboards.QUEEN,
    bitboards.KING,
)
MOVES_OF_KIND = 1 << 12

MOST_HISTORY = np.uint64((1 << 28) - 1)

# The order of a row


@inlined
def bring_best(moves: Row, index: Number, size: Number) -> None:
    """Swap the best entry from `index` on to `index`."""
    best = index
    for other in range(index + 1, size):
        if moves[other] > moves[best]:
            best = other
    swapped = moves[index]
    moves[index] = moves[best]
    moves[best] = swapped


@inlined
def reverse(moves: Row, first: Number, size: Number) -> None:
    """Reverse the entries from `first` on."""
    last = size - 1
    while first < last:
        swapped = moves[first]
        moves[first] = moves[last]
        moves[last] = swapped
        first += 1
        last -= 1


@inlined
def unranked(entry: Move) -> Move:
    """Return the move of an entry."""
    return entry & LOW_WORD


@jit
def rank_attacks(
    position: bitboards.Position, moves: Row, size: Number, known: Move, thorough: bool
) -> None:
    """Rank the attacker's moves: the known move, then few replies and checks.

    Parameters
    ----------
    position : Position
    moves : uint64 array, shape (MAX_LEGAL_MOVES,)
        The legal moves; the worths are added.
    size : int64
        The number of moves.
    known : uint64
        The table's move, or NO_MOVE.
    thorough : bool
        Count the replies, which pays only where a move's tree is large.
    """
    checks = mating.find_checks(position)
    for index in range(size):
        move = moves[index]
        worth = NO_REPLY
        if thorough:
            worth -= np.uint64(movegen.count(bitboards.make(position, move)))
        if mating.gives_check(position, checks, move):
            worth += CHECKING_ATTACK
        if move == known:
            worth = TABLE_ATTACK
        moves[index] = move | (worth << WORTH_SHIFT)


@jit
def rank_replies(
    position: bitboards.Position,
    moves: Row,
    size: Number,
    ply: Number,
    known: Move,
    search: Search,
) -> None:
    """Rank the defender's moves: known refutation, checks, captures, killers, history.

    A check leaves the attacker few moves, so it refutes, or fails, at little cost.

    Parameters
    ----------
    position : Position
    moves : uint64 array, shape (MAX_LEGAL_MOVES,)
        The legal moves; the worths are added.
    size : int64
        The number of moves.
    ply : int64
        Plies from the root, for the killers.
    known : uint64
        The table's refutation, or NO_MOVE.
    search : Search
        Its killers and history are read.
    """
    checks = mating.find_checks(position)
    for index in range(size):
        move = moves[index]
        worth = min(np.uint64(search.history[move]), MOST_HISTORY)
        if move == known:
            worth += TABLE_REPLY
        elif mating.gives_check(position, checks, move):
            worth += CHECKING_REPLY
        elif position.them & (bitboards.ONE << bitboards.target(move)):
            worth += CAPTURE
        elif move == search.killers[ply, 0]:
            worth += KILLER
        elif move == search.killers[ply, 1]:
            worth += SECOND_KILLER
        moves[index] = move | (worth << WORTH_SHIFT)


@jit
def forcing_reply(position: bitboards.Position, moves: Row, search: Search) -> Move:
    """Return the reply that `rank_replies` puts first if it checks or captures.

    Quiet replies are not listed, because that takes most of the time of ranking.

    Parameters
    ----------
    position : Position
        The table knows no refutation of it.
    moves : uint64 array, shape (MAX_LEGAL_MOVES,)
        Overwritten.
    search : Search
        Its history is read.

    Returns
    -------
    uint64
        A legal move, or NO_MOVE if none checks or captures.
    """
    checks = mating.find_checks(position)
    wanted = movegen.Wanted(
        checks.pawn | position.them,
        checks.knight | position.them,
        checks.diagonal | position.them,
        checks.orthogonal | position.them,
        position.them,
        checks.discoverers,
    )
    best = bitboards.ZERO
    for index in range(movegen.generate_wanted(position, moves, wanted)):
        move = moves[index]
        worth = min(np.uint64(search.history[move]), MOST_HISTORY)
        if mating.gives_check(position, checks, move):
            worth += CHECKING_REPLY
        elif position.them & (bitboards.ONE << bitboards.target(move)):
            worth += CAPTURE
        else:
            continue
        best = max(best, move | (worth << WORTH_SHIFT))
    return unranked(best)


@inlined
def is_plain_move(position: bitboards.Position, move: Move) -> bool:
    """Return whether a move from another position is pseudo-legal here.

    Castling, captures en passant and promotions are reported as not legal.
    """
    start = bitboards.ONE << bitboards.origin(move)
    arrived = bitboards.ONE << bitboards.target(move)
    kind = bitboards.arrival(move)
    if not position.us & start or position.us & arrived:
        return False
    occupied = position.us | position.them
    if kind == bitboards.PAWN:
        if not position.pawns & start:
            return False
        if position.them & arrived:
            return (bitboards.pawns_attacks_up(start) & arrived) != bitboards.ZERO
        if arrived == start << bitboards.EIGHT:
            return True
        path = (start << bitboards.EIGHT) | arrived
        return (
            arrived == start << bitboards.SIXTEEN
            and start & RANK_2
            and not path & occupied
        )
    standing = (
        (bitboards.KNIGHT if position.knights & start else bitboards.ZERO)
        | (bitboards.DIAGONAL if position.diagonal & start else bitboards.ZERO)
        | (bitboards.ORTHOGONAL if position.orthogonal & start else bitboards.ZERO)
        | (bitboards.KING if position.kings & start else bitboards.ZERO)
    )
    if standing != kind:
        return False
    return (
        bitboards.attacks_of_kind(kind, bitboards.origin(move), occupied) & arrived
    ) != bitboards.ZERO


# Refutations, and how a search begins and ends


@inlined
def remember_refutation(
    search: Search, ply: Number, move: Move, moves_left: Number
) -> None:
    """Add a refutation to the killers and the history."""
    if move != search.killers[ply, 0]:
        search.killers[ply, 1] = search.killers[ply, 0]
        search.killers[ply, 0] = move
    if search.history[move] == 0:
        if search.touched_size < search_struct.MOST_TOUCHED:
            search.touched[search.touched_size] = np.uint32(move)
        search.touched_size += 1
    search.history[move] += np.uint32(moves_left * moves_left)


@inlined
def store_refutation(
    search: Search,
    ply: Number,
    key: transposition.HashKey,
    bounds: transposition.Bounds,
    reply: Move,
    moves_left: Number,
) -> None:
    """Remember and store a reply after which there is no mate within `moves_left`."""
    remember_refutation(search, ply, reply, moves_left)
    transposition.store(
        search, key, transposition.Bounds(moves_left, bounds.mate, reply), moves_left
    )


@jit
def forget_refutations(search: Search) -> None:
    """Forget all killers, counter moves and histories."""
    search.killers[:] = bitboards.ZERO
    search.counters[:] = bitboards.ZERO
    if (
        search.touched_size <= search_struct.MOST_TOUCHED
    ):  # few, as after most short searches
        for index in range(search.touched_size):
            search.history[search.touched[index]] = 0
    else:
        for kind in KINDS:  # the other numbers below MOVE_KINDS are no moves
            first = np.int64(kind << bitboards.ARRIVAL_SHIFT)
            for move in range(first, first + MOVES_OF_KIND):
                search.history[move] = 0
    search.touched_size = 0


@jit
def begin(search: Search) -> None:
    """Forget the last search; a helper thread keeps the table that it shares."""
    search.nodes = 0
    if not search.is_helper:
        transposition.begin_table(search)
    forget_refutations(search)


@inlined
def is_stopped(search: Search) -> bool:
    """Return whether a limit or a request from outside ends the search."""
    report_if_due(search)
    return search.stop > search.patience or search.nodes >= search.node_limit
