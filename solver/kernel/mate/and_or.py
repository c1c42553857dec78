"""The AND/OR search that the prover and battle play share.

At an *attacker node* some move must work, at a *defender node* every reply must lose.
What a mate and the goals of battle play do differently is given as kernel functions;
each search compiles the bodies here for its own.
"""

from __future__ import annotations

from typing import Any

from solver.kernel.border import interface
from solver.kernel.build.jit import jit
from solver.kernel.build.words import Move, Number, Search
from solver.kernel.mate import ordering, transposition
from solver.kernel.rules import bitboards, movegen

UNDECIDED = 2
"""What `decide_at_once` returns where a search is needed; else it is a `Decision`."""


def compile_last_reply(final_reply: Any, is_answered: Any, without_reply: Any) -> Any:
    """Compile the search of a defender node that one more attack must decide.

    Parameters
    ----------
    final_reply : kernel function
        Takes position, ply and search: the reply with which the defender must reach the
        attacker's goal, or NO_MOVE.
    is_answered : kernel function
        Takes the position after a reply, ply and search: whether the reply ended the
        play, or an attack at the next ply reaches the goal.
    without_reply : kernel function
        Takes a position without legal moves, and search: a `Decision`.
    """

    @jit
    def loses_in_one(
        position: bitboards.Position, ply: Number, attack: Move, search: Search
    ) -> Number:
        """Decide whether every reply to `attack` is answered: MATE or NO_MATE.

        Most attacks fail to a reply that has just refuted a similar attack. So the
        counter move (Uiterwijk, ICCA Journal 15, 1992) and the two killers of this ply
        are tried before any move is generated.
        """
        search.nodes += 1
        if final_reply(position, ply, search) != bitboards.NO_MOVE:
            return interface.Decision.MATE
        counter = bitboards.without_origin(attack)
        remembered = (
            search.counters[counter],
            search.killers[ply, 0],
            search.killers[ply, 1],
        )

        # 1. Remembered replies, as far as they are legal here.
        for slot in range(len(remembered)):
            reply = remembered[slot]
            if reply == bitboards.NO_MOVE or not ordering.is_plain_move(
                position, reply
            ):
                continue
            child = bitboards.make(position, reply)
            if bitboards.leaves_king_attacked(child):
                continue
            if not is_answered(child, ply, search):
                search.counters[counter] = reply
                ordering.remember_refutation(search, ply, reply, 0)
                return interface.Decision.NO_MATE

        # 2. The first reply that checks or captures.
        replies = search.rows[ply]
        first = ordering.forcing_reply(position, replies, search)
        if first != bitboards.NO_MOVE and not is_answered(
            bitboards.make(position, first), ply, search
        ):
            search.counters[counter] = first
            ordering.remember_refutation(search, ply, first, 1)
            return interface.Decision.NO_MATE

        # 3. No reply.
        size = movegen.generate(position, replies)
        if size == 0:
            return without_reply(position, search)

        # 4. Every other reply.
        ordering.rank_replies(position, replies, size, ply, bitboards.NO_MOVE, search)
        for index in range(size):
            ordering.bring_best(replies, index, size)
            reply = ordering.unranked(replies[index])
            if reply == first:
                continue
            if not is_answered(bitboards.make(position, reply), ply, search):
                search.counters[counter] = reply
                ordering.remember_refutation(search, ply, reply, 1)
                return interface.Decision.NO_MATE
        return interface.Decision.MATE

    return loses_in_one


def compile_search(
    *,
    decide_at_once: Any,
    key_of: Any,
    without_reply: Any,
    ends_play: Any,
    least_moves: Any,
    last_moves: int,
    win_last: Any,
    loses_in_one: Any,
) -> Any:
    """Compile the search for "does the attacker win within n moves?".

    Parameters
    ----------
    decide_at_once : kernel function
        Takes position, moves left, ply, who is to move and search: a `Decision` if no
        move is left or needed, else UNDECIDED.
    key_of : kernel function
        Takes position, moves left, who is to move and search: the `HashKey`.
    without_reply : kernel function
        Takes a position without legal moves, and search: a `Decision`.
    ends_play : kernel function
        Takes the position after a reply, and search: whether the reply reached the
        goal, so that the defender has lost.
    least_moves : kernel function
        Takes moves left and search: the fewest moves that a win may take.
    last_moves : int
        How many of the attacker's moves `win_last` searches.
    win_last : kernel function
        Takes position, moves left, ply, key, bounds and search: whether the attacker
        wins within `last_moves`, a `Decision`. It stores its answer.
    loses_in_one : kernel function
        See `compile_last_reply`.
    """

    @jit
    def wins_within(
        position: bitboards.Position,
        moves_left: Number,
        ply: Number,
        attacking: bool,
        search: Search,
    ) -> Number:
        """Decide whether the attacker wins within `moves_left` of its own moves.

        Let n* be the length of the shortest win, or infinite if there is none. The
        function returns

        - MATE if n* <= moves_left;
        - NO_MATE if n* > moves_left;
        - STOPPED if a limit was hit first. It then says nothing about n*.

        The table may answer from an earlier search. The answer is the same; only the
        node count differs. Where `least_moves` is all of them, n* is one length.

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
            A `Decision`; MATE stands for the goal, whatever it is.
        """
        # 1. Mate-distance pruning: no move is left, or the last one must win.
        verdict = decide_at_once(position, moves_left, ply, attacking, search)
        if verdict != UNDECIDED:
            return verdict

        # 2. Transposition table.
        search.nodes += 1
        key = key_of(position, moves_left, attacking, search)
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
            # 4. Two moves from the leaves the first reply refutes in 98 of 100 nodes.
            #    So if it checks or captures, it is searched before the others are
            #    listed.
            first = bitboards.NO_MOVE
            if moves_left == 2 and bounds.move == bitboards.NO_MOVE:
                first = ordering.forcing_reply(position, moves, search)
            if first != bitboards.NO_MOVE:
                child = bitboards.make(position, first)
                if not ends_play(child, search):
                    verdict = wins_within(
                        child, moves_left, ply + 1, ordering.ATTACKING, search
                    )
                    if verdict == interface.Decision.STOPPED:
                        return interface.Decision.STOPPED
                    if verdict == interface.Decision.NO_MATE:
                        ordering.store_refutation(
                            search, ply, key, bounds, first, moves_left
                        )
                        return interface.Decision.NO_MATE

            # 5. Defender node without moves.
            size = movegen.generate(position, moves)
            if size == 0:
                return without_reply(position, search)

            # 6. Probe the table for all replies before searching one. Two moves from
            #    the leaves a search costs no more than the probes;
            #    docs/explanation/tried.md has the measurement.
            if moves_left > 2:
                for index in range(size):
                    child = bitboards.make(position, moves[index])
                    transposition.prefetch_bounds(
                        search, key_of(child, moves_left, ordering.ATTACKING, search)
                    )
                for index in range(size):
                    child = bitboards.make(position, moves[index])
                    known = transposition.probe(
                        search, key_of(child, moves_left, ordering.ATTACKING, search)
                    )
                    if moves_left <= known.no_mate and not ends_play(child, search):
                        return interface.Decision.NO_MATE

            # 7. Search the other replies. One that does not lose refutes.
            ordering.rank_replies(position, moves, size, ply, bounds.move, search)
            for index in range(size):
                ordering.bring_best(moves, index, size)
                reply = ordering.unranked(moves[index])
                if reply == first:
                    continue
                child = bitboards.make(position, reply)
                if ends_play(child, search):
                    continue
                verdict = wins_within(
                    child, moves_left, ply + 1, ordering.ATTACKING, search
                )
                if verdict == interface.Decision.STOPPED:
                    return interface.Decision.STOPPED
                if verdict == interface.Decision.NO_MATE:
                    ordering.store_refutation(
                        search, ply, key, bounds, reply, moves_left
                    )
                    return interface.Decision.NO_MATE
            transposition.store(
                search,
                key,
                transposition.Bounds(bounds.no_mate, moves_left, bitboards.NO_MOVE),
                moves_left,
            )
            return interface.Decision.MATE

        # 8. Attacker node: try the last moves, unless a win takes more.
        no_mate = max(bounds.no_mate, least_moves(moves_left, search) - 1)
        if no_mate < last_moves:
            verdict = win_last(position, moves_left, ply, key, bounds, search)
            if verdict != interface.Decision.NO_MATE or moves_left == last_moves:
                return verdict
            no_mate = last_moves

        # 9. Deepen move by move, so that the first win found is the shortest and every
        #    failed depth leaves a bound. The order of the attacks stays the same. The
        #    next attack's cache line is loaded while this attack is searched.
        size = movegen.generate(position, moves)
        ordering.rank_attacks(position, moves, size, bounds.move, moves_left > 2)
        for index in range(size):
            ordering.bring_best(moves, index, size)
        if search.is_helper:  # so that the threads meet in the middle of the list
            ordering.reverse(moves, ordering.SHARED_MOVES, size)
        for depth in range(no_mate + 1, moves_left + 1):
            for index in range(size):
                attack = ordering.unranked(moves[index])
                child = bitboards.make(position, attack)
                if index + 1 < size:
                    coming = bitboards.make(
                        position, ordering.unranked(moves[index + 1])
                    )
                    transposition.prefetch_bounds(
                        search, key_of(coming, depth - 1, ordering.DEFENDING, search)
                    )
                if depth == 2:
                    verdict = loses_in_one(child, ply + 1, attack, search)
                else:
                    verdict = wins_within(
                        child, depth - 1, ply + 1, ordering.DEFENDING, search
                    )
                if verdict == interface.Decision.STOPPED:
                    return interface.Decision.STOPPED
                if verdict == interface.Decision.MATE:
                    transposition.store(
                        search,
                        key,
                        transposition.Bounds(depth - 1, depth, attack),
                        depth,
                    )
                    return interface.Decision.MATE
            transposition.store(
                search,
                key,
                transposition.Bounds(depth, bounds.mate, bounds.move),
                depth,
            )
        return interface.Decision.NO_MATE

    return wins_within


def compile_line(
    *,
    wins_within: Any,
    key_of: Any,
    final_reply: Any,
    ends_play: Any,
    least_moves: Any,
) -> Any:
    """Compile the function that writes the line of a proved win.

    Parameters
    ----------
    wins_within, key_of, ends_play, least_moves, final_reply : kernel functions
        See `compile_search` and `compile_last_reply`.
    """

    @jit
    def find_line(
        position: bitboards.Position,
        moves_left: Number,
        attacking: bool,
        search: Search,
    ) -> Number:
        """Write the line of the shortest win to `search.line`.

        The attacker plays a move that keeps the shortest win, the defender a reply that
        delays it longest. So a mate's line has 2n - 1 plies, or 2n when the defender
        begins.

        Parameters
        ----------
        position : Position
        moves_left : int64
            n, the attacker's moves of the shortest win.
        attacking : bool
            Whether the attacker is to move.
        search : Search

        Returns
        -------
        int64
            The number of plies written; fewer if the search was stopped.
        """
        ply = 0
        while True:
            moves = search.rows[ply]
            wanted = interface.Decision.NO_MATE
            if not attacking:
                search.line[ply] = final_reply(position, ply, search)
                if search.line[ply] != bitboards.NO_MOVE:
                    return ply + 1
            size = movegen.generate(position, moves)
            if attacking:
                wanted = interface.Decision.MATE
                known = transposition.probe(
                    search, key_of(position, moves_left, attacking, search)
                ).move
                ordering.rank_attacks(position, moves, size, known, True)
            found = bitboards.NO_MOVE
            ending = bitboards.NO_MOVE
            for index in range(size):
                if attacking:
                    ordering.bring_best(moves, index, size)
                move = ordering.unranked(moves[index])
                child = bitboards.make(position, move)
                if not attacking and ends_play(child, search):
                    ending = move
                    continue
                verdict = wanted
                if attacking or least_moves(moves_left, search) < moves_left:
                    verdict = wins_within(
                        child, moves_left - 1, ply + 1, not attacking, search
                    )
                if verdict == wanted:
                    found = move
                    break
            if found == bitboards.NO_MOVE and ending != bitboards.NO_MOVE:
                search.line[ply] = ending
                return ply + 1
            if found == bitboards.NO_MOVE:
                return ply
            search.line[ply] = found
            position = bitboards.make(position, found)
            moves_left -= 1 if attacking else 0
            attacking = not attacking
            ply += 1

    return find_line
