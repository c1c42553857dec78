"""The first proof numbers of a defender node: how hard an attack is to prove.

Numbers guide the df-pn search and prove nothing, but the first ones decide the order in
which attacks are searched. Only replies that leave the attacker no mate in one count;
once a few do, the attack is a poor one, and the rest count without a test.
Their features are their number, the king's flights and the squares beyond them, and the
most valuable piece that the attacker may lose. The numbers are sums of a weight for
each feature, with and without check. The weights are learnt from proofs:
benchmarks/first_numbers.py finds them, and docs/explanation/tried.md has the
measurements.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.kernel.build.jit import (
    Bitboard,
    Move,
    Number,
    boolean,
    first_square,
    i64,
    jit,
    named_words,
    population,
    search_t,
    u64,
)
from solver.kernel.mate.ordering import is_plain_move
from solver.kernel.mate.prover import mating_move
from solver.kernel.mate.transposition import INFINITE, Numbers, numbers_t
from solver.kernel.rules.bitboards import ONE, ZERO, beside
from solver.kernel.rules.mate_in_one import mates
from solver.kernel.rules.movegen import attacked_by_them, generate
from solver.kernel.rules.position import (
    NO_MOVE,
    Position,
    after_null_move,
    checkers,
    make,
    origin,
    position_t,
    target,
)

FIRST_HOPE = np.uint64(2)
"""The first disproof number of every attack; other values changed little."""

ENOUGH = 4
"""After so many open replies the rest are not tested; docs/explanation/tried.md."""

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


class Defence(NamedTuple):
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


defence_t = named_words(Defence)


@jit(numbers_t(boolean), inline=True)
def decided(succeeds: bool) -> Numbers:
    """Return the numbers of a node in which the side to move succeeds, or fails."""
    return Numbers(ZERO, INFINITE) if succeeds else Numbers(INFINITE, ZERO)


@jit(i64(position_t, u64), inline=True)
def greatest_loss(position: Position, targets: Bitboard) -> Number:
    """Return the rank of their most valuable piece on the targets; see `Defence`."""
    taken = targets & position.them
    if not taken:
        return 0
    if taken & position.orthogonal:
        return 4 if taken & position.orthogonal & position.diagonal else 3
    return 2 if taken & ~position.pawns else 1


@jit(i64(position_t, u64), inline=True)
def squares_beyond(position: Position, flights: Bitboard) -> Number:
    """Count the squares next to the flights that their pieces do not attack."""
    king = position.kings & position.us
    danger = attacked_by_them(position, (position.us | position.them) ^ king)
    return population(beside(flights) & ~(danger | flights | (position.us ^ king)))


@jit(u64(position_t, u64, search_t), inline=True)
def mate_after(position: Position, known: Move, search: Any) -> Move:
    """Return a move that mates at once, or NO_MOVE; the known move is tried first."""
    if known != NO_MOVE and is_plain_move(position, known) and mates(position, known):
        search.nodes += 1
        return known
    return mating_move(position, search)


@jit(defence_t(position_t, i64, i64, search_t), inline=True)
def find_defence(position: Position, size: Number, ply: Number, search: Any) -> Defence:
    """Collect the replies in this ply's row that are open; see `Defence`.

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
    Defence
        Without flights and other moves if every reply allows mate in one.
    """
    # 1. Without a check and without a threat of mate, the attacker has no mate in one
    #    after most replies, so they are not tested.
    is_check = checkers(position) != ZERO
    mate = NO_MOVE
    if not is_check:
        mate = mating_move(after_null_move(position), search)
    is_tested = is_check or mate != NO_MOVE

    # 2. The move that mates after one reply mates after most others. The tests end when
    #    enough replies are open.
    king = first_square(position.kings & position.us)
    flights = ZERO
    targets = ZERO
    others = ZERO
    found_open = 0
    for index in range(size):
        reply = search.rows[ply, index]
        if is_tested and found_open < ENOUGH:
            found = mate_after(make(position, reply), mate, search)
            if found != NO_MOVE:
                mate = found
                continue
        found_open += 1
        arrived = ONE << target(reply)
        targets |= arrived
        if origin(reply) == king:
            flights |= arrived
        else:
            others += ONE

    return Defence(
        ONE if is_check else ZERO,
        np.uint64(population(flights)),
        others,
        np.uint64(greatest_loss(position, targets)),
        np.uint64(squares_beyond(position, flights)),
    )


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
    size = generate(position, search.rows[ply])
    if size == 0:
        return decided(checkers(position) == ZERO)  # stalemate is an escape
    check, flights, others, loss, beyond = find_defence(position, size, ply, search)
    if not flights | others:
        return decided(False)
    work = WHOLE + FLIGHTS[check, flights] + LOSSES[check, loss]
    work += OTHERS[check, min(others, MOST_OTHERS)]
    work += BEYOND[check, min(beyond, MOST_BEYOND)]
    return Numbers(FIRST_HOPE, np.uint64(work >> 4))
