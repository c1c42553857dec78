"""The first proof numbers of a defender node: how hard an attack is to prove.

Numbers guide the df-pn search and prove nothing, but the first ones decide which attack
is searched before which. Only replies that leave the attacker no mate in one count: of
these, the number, the king's flights and the squares beyond them, and the most valuable
piece that the attacker may lose. Of 25 features these set the mating attacks of proofs
apart best from the other attacks of the same node. docs/explanation/tried.md has the
measurements.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.bitboards import EIGHT, NOT_FILE_A, NOT_FILE_H, ONE, ZERO
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
)
from solver.kernel.mate_in_one import mates
from solver.kernel.movegen import attacked_by_them, generate
from solver.kernel.ordering import is_plain_move
from solver.kernel.position import (
    NO_MOVE,
    Position,
    after_null_move,
    checkers,
    make,
    origin,
    position_t,
    target,
)
from solver.kernel.prover import mating_move
from solver.kernel.transposition import INFINITE, Numbers, numbers_t

FIRST_HOPE = np.uint64(2)
"""The first disproof number of every attack; other numbers changed little."""

A_SQUARE_BEYOND = 2
"""The weight of a square that the king reaches in two moves and not in one."""

A_PAWN = 3
A_MINOR_PIECE = 9
A_ROOK = 15
A_QUEEN = 27


@jit(numbers_t(boolean), inline=True)
def decided(succeeds: bool) -> Numbers:
    """Return the numbers of a node whose side to move succeeds, or fails."""
    return Numbers(ZERO, INFINITE) if succeeds else Numbers(INFINITE, ZERO)


@jit(i64(position_t, u64), inline=True)
def greatest_loss(position: Position, targets: Bitboard) -> Number:
    """Return the weight of their most valuable piece on the targets."""
    taken = targets & position.them
    if not taken:
        return 0
    if taken & position.orthogonal & position.diagonal:
        return A_QUEEN
    if taken & position.orthogonal:
        return A_ROOK
    return A_MINOR_PIECE if taken & ~position.pawns else A_PAWN


@jit(i64(position_t, u64), inline=True)
def squares_beyond(position: Position, flights: Bitboard) -> Number:
    """Count the squares next to the flights that their pieces do not attack."""
    king = position.kings & position.us
    near = flights | ((flights & NOT_FILE_A) >> ONE) | ((flights & NOT_FILE_H) << ONE)
    near |= (near << EIGHT) | (near >> EIGHT)
    danger = attacked_by_them(position, (position.us | position.them) ^ king)
    return population(near & ~(danger | flights | (position.us ^ king)))


@jit(u64(position_t, u64, search_t), inline=True)
def mate_after(position: Position, known: Move, search: Any) -> Move:
    """Return a move that mates at once, or NO_MOVE; the known move is tried first."""
    if known != NO_MOVE and is_plain_move(position, known) and mates(position, known):
        search.nodes += 1
        return known
    return mating_move(position, search)


@jit(numbers_t(position_t, i64, search_t))
def first_numbers(position: Position, ply: Number, search: Any) -> Numbers:
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
    # 1. The replies. Without a check and without a threat of mate, the attacker has no
    #    mate in one after most replies, so they are not tested.
    replies = search.rows[ply]
    size = generate(position, replies)
    is_check = checkers(position) != ZERO
    if size == 0:
        return decided(not is_check)  # stalemate is an escape
    mate = NO_MOVE
    if not is_check:
        mate = mating_move(after_null_move(position), search)
    is_tested = is_check or mate != NO_MOVE

    # 2. The replies that leave no mate in one. The move that mates after one reply
    #    mates after most others.
    king = first_square(position.kings & position.us)
    flights = ZERO
    targets = ZERO
    others = 0
    for index in range(size):
        reply = replies[index]
        if is_tested:
            found = mate_after(make(position, reply), mate, search)
            if found != NO_MOVE:
                mate = found
                continue
        arrived = ONE << target(reply)
        targets |= arrived
        if origin(reply) == king:
            flights |= arrived
        else:
            others += 1
    if not targets:
        return decided(False)

    # 3. Their sum. Flights count by their square, because a king that has one flight
    #    soon has the next.
    free = population(flights)
    work = 1 + others + free * free + greatest_loss(position, targets)
    work += A_SQUARE_BEYOND * squares_beyond(position, flights)
    return Numbers(FIRST_HOPE, np.uint64(work))
