"""The prover: an exact search for "is there a mate in n against every defence?".

It is an AND/OR search over *attacker nodes*, where some move must work, and *defender
nodes*, where every reply must lose. It needs no scores. With `score = MATE - ply` the
question "mate in n?" is the window (MATE - 2n, MATE - 2n + 1) at the root, and
mate-distance pruning cuts a node when even a mate at the next ply does not exceed
alpha. That happens exactly when the attacker has no move left, so `moves_left` is the
window and mate-distance pruning is the depth bound.

An answer is exact or STOPPED. A stopped search stores nothing.
"""

from __future__ import annotations

from solver.kernel.border import interface
from solver.kernel.build.jit import inlined, jit
from solver.kernel.build.words import Move, Number, Row, Search
from solver.kernel.mate import and_or, ordering, transposition
from solver.kernel.mate.refuter import find_refuter, is_refuted
from solver.kernel.rules import bitboards, mating, movegen

MANY_ATTACKS = 5
"""From this many attacks on, a reply is tried on all of them at once."""


@inlined
def mating_move(position: bitboards.Position, search: Search) -> Move:
    """Return a move that mates at once, or NO_MOVE. Counts one node."""
    search.nodes += 1
    return mating.mate_in_one(position)


@inlined
def allows_mate(position: bitboards.Position, ply: Number, search: Search) -> bool:
    """Return whether the attacker, to move, mates at once. Counts one node."""
    return mating_move(position, search) != bitboards.NO_MOVE


@inlined
def final_reply(position: bitboards.Position, ply: Number, search: Search) -> Move:
    """Return NO_MOVE: no reply is forced."""
    return bitboards.NO_MOVE


@inlined
def mate_or_escape(position: bitboards.Position, search: Search) -> Number:
    """Decide a position without legal moves; stalemate is an escape."""
    return (
        interface.Decision.MATE
        if bitboards.checkers(position)
        else interface.Decision.NO_MATE
    )


mated_in_one = and_or.compile_last_reply(final_reply, allows_mate, mate_or_escape)


@jit
def drop_refuted(
    position: bitboards.Position,
    moves: Row,
    first: Number,
    size: Number,
    ply: Number,
    search: Search,
) -> Number:
    """Drop the attacks from index `first` on that the last refutation also refutes.

    Returns the number of moves left in the row.
    """
    search.nodes += 1
    refuter = find_refuter(position, search.killers[ply + 1, 0])
    if refuter.reply == bitboards.NO_MOVE:
        return size
    kept = first
    for index in range(first, size):
        attack = moves[index]
        moves[kept] = attack
        if not is_refuted(position, refuter, ordering.unranked(attack)):
            kept += 1
    return kept


@jit
def mates_within_two(
    position: bitboards.Position, ply: Number, search: Search
) -> Number:
    """Decide whether the attacker mates within two moves, as `mates_within` does.

    The last refutation at the next ply is tried on all attacks at once, and so is any
    other reply that refutes a remaining attack. Only then is the table probed: its
    cache line is loaded meanwhile, and a node without attacks left is not worth an
    entry.
    """
    # 1. Mate in one.
    key = transposition.hash_key(position, ordering.ATTACKING)
    transposition.prefetch_bounds(search, key)
    if mating_move(position, search):
        return interface.Decision.MATE

    # 2. The attacks that the last refutation leaves.
    moves = search.rows[ply]
    size = movegen.generate(position, moves)
    tried = bitboards.NO_MOVE
    if size >= MANY_ATTACKS:
        tried = search.killers[ply + 1, 0]
        size = drop_refuted(position, moves, 0, size, ply, search)
    if size == 0:
        return interface.Decision.NO_MATE

    # 3. Transposition table and limits.
    search.nodes += 1
    bounds = transposition.probe(search, key)
    if bounds.no_mate > 1:
        return interface.Decision.NO_MATE
    if bounds.mate <= 2:
        return interface.Decision.MATE
    if ordering.is_stopped(search):
        return interface.Decision.STOPPED

    # 4. Each attack.
    ordering.rank_attacks(position, moves, size, bitboards.NO_MOVE, False)
    index = 0
    while index < size:
        ordering.bring_best(moves, index, size)
        attack = ordering.unranked(moves[index])
        index += 1
        child = bitboards.make(position, attack)
        if mated_in_one(child, ply + 1, attack, search) == interface.Decision.MATE:
            transposition.store(search, key, transposition.Bounds(1, 2, attack), 2)
            return interface.Decision.MATE
        if size - index >= MANY_ATTACKS and tried != search.killers[ply + 1, 0]:
            tried = search.killers[ply + 1, 0]
            size = drop_refuted(position, moves, index, size, ply, search)
    transposition.store(
        search, key, transposition.Bounds(2, bounds.mate, bounds.move), 2
    )
    return interface.Decision.NO_MATE


@inlined
def decide_mate_at_once(
    position: bitboards.Position,
    moves_left: Number,
    ply: Number,
    attacking: bool,
    search: Search,
) -> Number:
    """Decide where no move is left, or where the last one or two must mate."""
    if moves_left < 1:
        if attacking:
            return interface.Decision.NO_MATE
        search.nodes += 1
        return (
            interface.Decision.MATE
            if mating.is_checkmate(position)
            else interface.Decision.NO_MATE
        )
    if attacking and moves_left == 1:
        return (
            interface.Decision.MATE
            if mating_move(position, search)
            else interface.Decision.NO_MATE
        )
    if attacking and moves_left == 2:
        return mates_within_two(position, ply, search)
    return and_or.UNDECIDED


@inlined
def mate_key(
    position: bitboards.Position, moves_left: Number, attacking: bool, search: Search
) -> transposition.HashKey:
    """Return the hash key of a position, whatever moves are left."""
    return transposition.hash_key(position, attacking)


@inlined
def never_ends(position: bitboards.Position, search: Search) -> bool:
    """Return False: no reply reaches the attacker's goal."""
    return False


@inlined
def least_moves(moves_left: Number, search: Search) -> Number:
    """Return 1: a mate within n moves may be shorter."""
    return 1


@inlined
def win_last(
    position: bitboards.Position,
    moves_left: Number,
    ply: Number,
    key: transposition.HashKey,
    bounds: transposition.Bounds,
    search: Search,
) -> Number:
    """Decide whether the attacker mates within two moves."""
    return mates_within_two(position, ply, search)


mates_within = and_or.compile_search(
    decide_at_once=decide_mate_at_once,
    key_of=mate_key,
    without_reply=mate_or_escape,
    ends_play=never_ends,
    least_moves=least_moves,
    last_moves=2,
    win_last=win_last,
    loses_in_one=mated_in_one,
)
"""Decides whether the attacker mates in time; see `and_or.compile_search`."""

find_line = and_or.compile_line(
    wins_within=mates_within,
    key_of=mate_key,
    final_reply=final_reply,
    ends_play=never_ends,
    least_moves=least_moves,
)
