"""After the proof: the mating line."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.jit import Number, boolean, i64, jit, search_t
from solver.kernel.movegen import generate
from solver.kernel.moves import NO_MOVE
from solver.kernel.ordering import bring_best, rank_attacks, unranked
from solver.kernel.position import Position, make, position_t
from solver.kernel.prover import (
    ATTACKING,
    MATE,
    NO_MATE,
    mates_within,
)
from solver.kernel.transposition import TABLE, address, probe

NONE = np.int64(0)
ONE_MOVE = np.int64(1)
NEXT = np.int64(1)


@jit(i64(position_t, i64, boolean, search_t, TABLE))
def find_line(
    position: Position, moves_left: Number, attacking: bool, search: Any, table: Any
) -> Number:
    """Write the mating line of a position whose shortest mate is `moves_left`.

    The attacker plays a move that mates in time, the defender a reply that no faster
    mate answers, so the line has 2n - 1 plies, or 2n when the defender begins. It goes
    to `search.line`.

    Returns
    -------
    int64
        Its plies, fewer than that when the search was stopped.
    """
    ply = NONE
    while moves_left > NONE:
        moves = search.rows[ply]
        size = generate(position, moves)
        if attacking:
            known = probe(table, search, address(position, ATTACKING)).move
            rank_attacks(position, moves, size, known, True)
        wanted = MATE if attacking else NO_MATE
        found = NO_MOVE
        for index in range(size):
            if attacking:
                bring_best(moves, index, size)
            move = unranked(moves[index])
            verdict = mates_within(
                make(position, move),
                moves_left - ONE_MOVE,
                ply + NEXT,
                not attacking,
                search,
                table,
            )
            if verdict == wanted:
                found = move
                break
        if found == NO_MOVE:
            return ply
        search.line[ply] = found
        position = make(position, found)
        moves_left -= ONE_MOVE if attacking else NONE
        attacking = not attacking
        ply += NEXT
    return ply
