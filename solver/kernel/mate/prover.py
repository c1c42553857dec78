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
from solver.kernel.mate import ordering, transposition
from solver.kernel.mate.refuter import find_refuter, is_refuted
from solver.kernel.rules import bitboards, mating, movegen

MANY_ATTACKS = 5
"""From this many attacks on, a reply is tried on all of them at once."""


@inlined
def mating_move(position: bitboards.Position, search: Search) -> Move:
    """Return a move that mates at once, or NO_MOVE. Counts one node."""
    search.nodes += 1
    return mating.mate_in_one(position)


@jit
def mated_in_one(
    position: bitboards.Position, ply: Number, attack: Move, search: Search
) -> Number:
    """Decide whether every reply to `attack` allows mate in one: MATE or NO_MATE.

    Most attacks fail to a reply that has just refuted a similar attack. So the counter
    move (Uiterwijk, ICCA Journal 15, 1992) and the two killers of this ply are tried
    before any move is generated.
    """
    search.nodes += 1
    counter = bitboards.without_origin(attack)
    remembered = (
        search.counters[counter],
        search.killers[ply, 0],
        search.killers[ply, 1],
    )

    # 1. Remembered replies, as far as they are legal here.
    for slot in range(len(remembered)):
        reply = remembered[slot]
        if reply == bitboards.NO_MOVE or not ordering.is_plain_move(position, reply):
            continue
        child = bitboards.make(position, reply)
        if bitboards.leaves_king_attacked(child):
            continue
        if mating_move(child, search) == bitboards.NO_MOVE:
            search.counters[counter] = reply
            ordering.remember_refutation(search, ply, reply, 0)
            return interface.Decision.NO_MATE

    # 2. The first reply that checks or captures.
    replies = search.rows[ply]
    first = ordering.forcing_reply(position, replies, search)
    if (
        first != bitboards.NO_MOVE
        and mating_move(bitboards.make(position, first), search) == bitboards.NO_MOVE
    ):
        search.counters[counter] = first
        ordering.remember_refutation(search, ply, first, 1)
        return interface.Decision.NO_MATE

    # 3. No reply: mate, or stalemate, which is an escape.
    size = movegen.generate(position, replies)
    if size == 0:
        return (
            interface.Decision.MATE
            if bitboards.checkers(position)
            else interface.Decision.NO_MATE
        )

    # 4. Every other reply.
    ordering.rank_replies(position, replies, size, ply, bitboards.NO_MOVE, search)
    for index in range(size):
        ordering.bring_best(replies, index, size)
        reply = ordering.unranked(replies[index])
        if reply == first:
            continue
        if mating_move(bitboards.make(position, reply), search) == bitboards.NO_MOVE:
            search.counters[counter] = reply
            ordering.remember_refutation(search, ply, reply, 1)
            return interface.Decision.NO_MATE
    return interface.Decision.MATE


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


@jit
def mates_within(
    position: bitboards.Position,
    moves_left: Number,
    ply: Number,
    attacking: bool,
    search: Search,
) -> Number:
    """Decide whether the attacker mates within `moves_left` of its own moves.

    Let n* be the length of the shortest mate, or infinite if there is none. The
    function returns

    - MATE if n* <= moves_left;
    - NO_MATE if n* > moves_left;
    - STOPPED if a limit was hit first. It then says nothing about n*.

    The table may answer from an earlier search. The answer is the same; only the node
    count differs.

    Parameters
    ----------
    position : Position
        The attacker is to move if `attacking`, else the defender.
    moves_left : int64
        At least 0. A defender that is already checkmated is mated in 0.
    ply : int64
        Plies from the root; selects the killers and the row of moves.
    attacking : bool
    search : Search
        Counts nodes. Its table supplies and receives bounds.

    Returns
    -------
    int64
        A `Decision`.
    """
    # 1. Mate-distance pruning: no move is left, or the last one must mate.
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

    # 2. Transposition table.
    search.nodes += 1
    key = transposition.hash_key(position, attacking)
    bounds = transposition.probe(search, key)
    if moves_left <= bounds.no_mate:
        return interface.Decision.NO_MATE
    if moves_left >= bounds.mate:
        return interface.Decision.MATE

    # 3. Limits.
    if ordering.is_stopped(search):
        return interface.Decision.STOPPED

    moves = search.rows[ply]
    if not attacking:
        # 4. Two moves from the leaves the first reply refutes in 98 of 100 nodes. So if
        #    it checks or captures, it is searched before the others are listed.
        first = bitboards.NO_MOVE
        if moves_left == 2 and bounds.move == bitboards.NO_MOVE:
            first = ordering.forcing_reply(position, moves, search)
        if first != bitboards.NO_MOVE:
            child = bitboards.make(position, first)
            verdict = mates_within(
                child, moves_left, ply + 1, ordering.ATTACKING, search
            )
            if verdict == interface.Decision.STOPPED:
                return interface.Decision.STOPPED
            if verdict == interface.Decision.NO_MATE:
                ordering.store_refutation(search, ply, key, bounds, first, moves_left)
                return interface.Decision.NO_MATE

        # 5. Defender node without moves: mate, or stalemate, which is an escape.
        size = movegen.generate(position, moves)
        if size == 0:
            return (
                interface.Decision.MATE
                if bitboards.checkers(position)
                else interface.Decision.NO_MATE
            )

        # 6. Probe the table for all replies before searching one. Two moves from the
        #    leaves a search costs no more than the probes; docs/explanation/tried.md
        #    has the measurement.
        if moves_left > 2:
            for index in range(size):
                child = bitboards.make(position, moves[index])
                transposition.prefetch_bounds(
                    search, transposition.hash_key(child, ordering.ATTACKING)
                )
            for index in range(size):
                child = bitboards.make(position, moves[index])
                if (
                    moves_left
                    <= transposition.probe(
                        search, transposition.hash_key(child, ordering.ATTACKING)
                    ).no_mate
                ):
                    return interface.Decision.NO_MATE

        # 7. Search the other replies. One that is not mated refutes.
        ordering.rank_replies(position, moves, size, ply, bounds.move, search)
        for index in range(size):
            ordering.bring_best(moves, index, size)
            reply = ordering.unranked(moves[index])
            if reply == first:
                continue
            child = bitboards.make(position, reply)
            verdict = mates_within(
                child, moves_left, ply + 1, ordering.ATTACKING, search
            )
            if verdict == interface.Decision.STOPPED:
                return interface.Decision.STOPPED
            if verdict == interface.Decision.NO_MATE:
                ordering.store_refutation(search, ply, key, bounds, reply, moves_left)
                return interface.Decision.NO_MATE
        transposition.store(
            search,
            key,
            transposition.Bounds(bounds.no_mate, moves_left, bitboards.NO_MOVE),
            moves_left,
        )
        return interface.Decision.MATE

    # 8. Attacker node: try to mate within two moves.
    no_mate = bounds.no_mate
    if no_mate < 2:
        verdict = mates_within_two(position, ply, search)
        if verdict != interface.Decision.NO_MATE:
            return verdict
        no_mate = 2

    # 9. Deepen move by move, so that the first mate found is the shortest and every
    #    failed depth leaves a bound. The order of the attacks stays the same. The next
    #    attack's cache line is loaded while this attack is searched.
    size = movegen.generate(position, moves)
    ordering.rank_attacks(position, moves, size, bounds.move, True)
    for index in range(size):
        ordering.bring_best(moves, index, size)
    if search.is_helper:  # so that the threads meet in the middle of the list
        ordering.reverse(moves, ordering.SHARED_MOVES, size)
    for depth in range(no_mate + 1, moves_left + 1):
        for index in range(size):
            attack = ordering.unranked(moves[index])
            child = bitboards.make(position, attack)
            if index + 1 < size:
                coming = bitboards.make(position, ordering.unranked(moves[index + 1]))
                transposition.prefetch_bounds(
                    search, transposition.hash_key(coming, ordering.DEFENDING)
                )
            verdict = mates_within(
                child, depth - 1, ply + 1, ordering.DEFENDING, search
            )
            if verdict == interface.Decision.STOPPED:
                return interface.Decision.STOPPED
            if verdict == interface.Decision.MATE:
                transposition.store(
                    search, key, transposition.Bounds(depth - 1, depth, attack), depth
                )
                return interface.Decision.MATE
        transposition.store(
            search, key, transposition.Bounds(depth, bounds.mate, bounds.move), depth
        )
    return interface.Decision.NO_MATE


@jit
def find_line(
    position: bitboards.Position, moves_left: Number, attacking: bool, search: Search
) -> Number:
    """Write the mating line of a position to `search.line`.

    The attacker plays a move that keeps the shortest mate, the defender a reply that
    delays it longest. So the line has 2n - 1 plies, or 2n when the defender begins.

    Parameters
    ----------
    position : Position
    moves_left : int64
        n, the length of the shortest mate.
    attacking : bool
        Whether the attacker is to move.
    search : Search

    Returns
    -------
    int64
        The number of plies written; fewer if the search was stopped.
    """
    ply = 0
    while moves_left > 0:
        moves = search.rows[ply]
        size = movegen.generate(position, moves)
        if attacking:
            known = transposition.probe(
                search, transposition.hash_key(position, ordering.ATTACKING)
            ).move
            ordering.rank_attacks(position, moves, size, known, True)
        wanted = interface.Decision.MATE if attacking else interface.Decision.NO_MATE
        found = bitboards.NO_MOVE
        for index in range(size):
            if attacking:
                ordering.bring_best(moves, index, size)
            move = ordering.unranked(moves[index])
            child = bitboards.make(position, move)
            verdict = mates_within(
                child, moves_left - 1, ply + 1, not attacking, search
            )
            if verdict == wanted:
                found = move
                break
        if found == bitboards.NO_MOVE:
            return ply
        search.line[ply] = found
        position = bitboards.make(position, found)
        moves_left -= 1 if attacking else 0
        attacking = not attacking
        ply += 1
    return ply
