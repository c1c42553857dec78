"""What the laboratory's search remembers: move order and transposition table.

The moves of a node are tried in this order: the table's move; captures and promotions
by what they win, then by the least valuable piece that moves (MVV-LVA); the two killers
of the ply (Akl and Newborn, 1977); the rest by the history heuristic (Schaeffer, ICCA
Journal 6, 1983). Moves of equal worth are ordered by their encoding, so that the
definition of the search determines every node count. The root may have another order.

The table shares its hash keys and its buckets of four entries with
`solver.kernel.mate.transposition`, but its entries hold scores. An entry is two 64-bit
words: the key's check word; and, from bit 0, score (16, less LOWEST), depth (8), bound
(2) and move (17). A zeroed table is empty. Mate scores are stored relative to the
entry's position, so that they are valid at any distance from the root.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.kernel.border.experiment import MATE_ZONE, RootOrder
from solver.kernel.build.jit import (
    ROW,
    Bitboard,
    Move,
    Number,
    boolean,
    experiment_t,
    i64,
    jit,
    search_t,
    types,
    u64,
    void,
    words_at,
)
from solver.kernel.mate.ordering import LOW_WORD, WORTH_SHIFT
from solver.kernel.mate.transposition import (
    BUCKET_WORDS,
    ENTRIES,
    ENTRY_WORDS,
    HashKey,
    hash_key_t,
)
from solver.kernel.rules.bitboards import (
    EIGHT,
    FIVE,
    FOUR,
    ONE,
    RANK_6,
    SIX,
    THREE,
    TWO,
    ZERO,
)
from solver.kernel.rules.position import (
    DIAGONAL,
    KNIGHT,
    MOVE_BITS,
    NO_MOVE,
    ORTHOGONAL,
    PAWN,
    Position,
    arrival,
    origin,
    position_t,
    target,
)

# Move order

TABLE_MOVE = np.uint64(1 << 30)
GAIN = np.uint64(1 << 29)
SECOND_KILLER = np.uint64(1 << 28)
KILLER = SECOND_KILLER + ONE
MOST_HISTORY = SECOND_KILLER - ONE

SEARCH_ORDER = RootOrder.SEARCH.value
NODES_ORDER = RootOrder.NODES.value


@jit(u64(position_t, u64), inline=True)
def piece_on(position: Position, square: Bitboard) -> Bitboard:
    """Return the rank of the piece on a square: pawn 1 to queen 5, king 6, none 0."""
    if position.pawns & square:
        return ONE
    if position.knights & square:
        return TWO
    if position.diagonal & square:
        return FIVE if position.orthogonal & square else THREE
    if position.orthogonal & square:
        return FOUR
    return SIX if position.kings & square else ZERO


@jit(u64(u64), inline=True)
def piece_arriving(kind: Move) -> Bitboard:
    """Return the rank of the piece that a pawn promotes to."""
    if kind & KNIGHT:
        return TWO
    if kind & DIAGONAL:
        return FIVE if kind & ORTHOGONAL else THREE
    return FOUR


@jit(boolean(position_t, u64), inline=True)
def promotes(position: Position, move: Move) -> bool:
    """Return whether a pawn promotes."""
    return (
        position.pawns & (ONE << origin(move)) != ZERO and arrival(move) & PAWN == ZERO
    )


@jit(boolean(position_t, u64), inline=True)
def captures(position: Position, move: Move) -> bool:
    """Return whether a piece is taken, en passant included."""
    arrived = ONE << target(move)
    en_passant = arrival(move) & PAWN and arrived & position.rights & RANK_6
    return position.them & arrived != ZERO or en_passant != ZERO


@jit(u64(position_t, u64, i64, u64, search_t), inline=True)
def worth(
    position: Position, move: Move, ply: Number, known: Move, search: Any
) -> Bitboard:
    """Return the worth of a move for the order; `known` is the table's move."""
    if move == known:
        return TABLE_MOVE
    taking = captures(position, move)
    promoting = promotes(position, move)
    if taking or promoting:
        gain = ZERO
        if taking:
            victim = piece_on(position, ONE << target(move))
            gain += EIGHT * max(victim, ONE)  # en passant takes a pawn elsewhere
        if promoting:
            gain += EIGHT * piece_arriving(arrival(move))
        return GAIN + gain + SIX - piece_on(position, ONE << origin(move))
    if move == search.killers[ply, 0]:
        return KILLER
    if move == search.killers[ply, 1]:
        return SECOND_KILLER
    return min(np.uint64(search.history[move]), MOST_HISTORY)


@jit(void(position_t, ROW, i64, i64, u64, search_t))
def rank_moves(
    position: Position,
    moves: np.ndarray,
    size: Number,
    ply: Number,
    known: Move,
    search: Any,
) -> None:
    """Write the worth of each move above its 32 bits, for `bring_best`."""
    for index in range(size):
        move = moves[index]
        moves[index] = move | (worth(position, move, ply, known, search) << WORTH_SHIFT)


FIRST = LOW_WORD
"""The worth of the root's first move; all others are below."""


@jit(void(position_t, ROW, i64, u64, search_t, experiment_t))
def rank_root(
    position: Position,
    moves: np.ndarray,
    size: Number,
    known: Move,
    search: Any,
    experiment: Any,
) -> None:
    """Rank the root's moves, like `rank_moves`, in the order of `experiment`.

    In the order by nodes, the first iteration uses the usual order.
    """
    for index in range(size):
        experiment.root_moves[index] = moves[index]
    order = experiment.root_order
    if order == SEARCH_ORDER or (order == NODES_ORDER and not experiment.last_best):
        rank_moves(position, moves, size, 0, known, search)
        return
    first = experiment.last_best if order == NODES_ORDER else known
    for index in range(size):
        worth = np.uint64(size - index)
        if order == NODES_ORDER:
            worth = min(np.uint64(experiment.last_nodes[index]), FIRST - ONE)
        if moves[index] == first:
            worth = FIRST
        moves[index] |= worth << WORTH_SHIFT


@jit(void(u64, search_t, experiment_t))
def count_root_move(move: Move, search: Any, experiment: Any) -> None:
    """Add the nodes since the last root move to those of a root move."""
    index = 0
    while experiment.root_moves[index] != move:
        index += 1
    experiment.root_nodes[index] += search.nodes - experiment.root_counted
    experiment.root_counted = search.nodes


# Transposition table

NO_ENTRY = 0
EXACT = 1
LOWER = 2
UPPER = 3

LOWEST = -(1 << 15)
SCORE_BITS = np.uint64(0xFFFF)
DEPTH_SHIFT = np.uint64(16)
DEPTH_BITS = np.uint64(0xFF)
BOUND_SHIFT = np.uint64(24)
BOUND_BITS = np.uint64(3)
MOVE_SHIFT = np.uint64(26)


class Window(NamedTuple):
    """The scores that a search must distinguish; closed if alpha is not below beta."""

    alpha: Number
    beta: Number


window_t = types.NamedUniTuple(i64, 2, Window)


class Scored(NamedTuple):
    """An entry: a score as seen from the root, its depth, its bound, the best move."""

    score: Number
    depth: Number
    bound: Number
    move: Move


scored_t = types.NamedTuple((i64, i64, i64, u64), Scored)


@jit(i64(i64, i64), inline=True)
def seen_from(score: Number, plies: Number) -> Number:
    """Return a score as seen from a node further down; only mates change.

    A negative number means a node further up.
    """
    if score >= MATE_ZONE:
        return score + plies
    if score <= -MATE_ZONE:
        return score - plies
    return score


@jit(boolean(scored_t, window_t), inline=True)
def decides(entry: Scored, window: Window) -> bool:
    """Return whether an entry's score answers a window."""
    return (
        entry.bound == EXACT
        or (entry.bound == LOWER and entry.score >= window.beta)
        or (entry.bound == UPPER and entry.score <= window.alpha)
    )


@jit(scored_t(search_t, hash_key_t, i64), inline=True)
def probe_score(search: Any, key: HashKey, ply: Number) -> Scored:
    """Return the entry of a position; its bound is NO_ENTRY if there is none."""
    if search.buckets:
        table = words_at(search.table)
        start = (key.bucket & (search.buckets - ONE)) * BUCKET_WORDS
        for slot in range(ENTRIES):
            entry = start + np.uint64(slot) * ENTRY_WORDS
            data = table[entry + ONE]
            if table[entry] == key.check and data:
                return Scored(
                    seen_from(np.int64(data & SCORE_BITS) + LOWEST, -ply),
                    np.int64((data >> DEPTH_SHIFT) & DEPTH_BITS),
                    np.int64((data >> BOUND_SHIFT) & BOUND_BITS),
                    (data >> MOVE_SHIFT) & MOVE_BITS,
                )
    return Scored(0, 0, NO_ENTRY, NO_MOVE)


@jit(void(search_t, hash_key_t, scored_t, i64))
def store_score(search: Any, key: HashKey, entry: Scored, ply: Number) -> None:
    """Store an entry.

    It replaces the entry of the same position, else an empty entry, else the entry of
    the least depth.
    """
    if not search.buckets:
        return
    table = words_at(search.table)
    start = (key.bucket & (search.buckets - ONE)) * BUCKET_WORDS
    chosen = start
    least = DEPTH_BITS + ONE
    for slot in range(ENTRIES):
        other = start + np.uint64(slot) * ENTRY_WORDS
        data = table[other + ONE]
        if table[other] == key.check or not data:
            chosen = other
            break
        depth = (data >> DEPTH_SHIFT) & DEPTH_BITS
        if depth < least:
            least = depth
            chosen = other
    table[chosen] = key.check
    table[chosen + ONE] = (
        np.uint64(seen_from(entry.score, ply) - LOWEST)
        | (np.uint64(entry.depth) << DEPTH_SHIFT)
        | (np.uint64(entry.bound) << BOUND_SHIFT)
        | (entry.move << MOVE_SHIFT)
    )
