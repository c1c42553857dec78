"""After the proof: the mating line, and every key."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.jit import Move, Number, boolean, i64, jit, search_t, u64
from solver.kernel.movegen import generate
from solver.kernel.moves import NO_MOVE
from solver.kernel.ordering import bring_best, rank_attacks, unranked
from solver.kernel.position import Position, make, position_t
from solver.kernel.prover import (
    ATTACKING,
    DEFENDING,
    MATE,
    NO_MATE,
    STOPPED,
    mates_within,
)
from solver.kernel.table import TABLE, address, probe

NONE = np.int64(0)
ONE_MOVE = np.int64(1)
NEXT = np.int64(1)


@jit(u64(position_t, i64, i64, search_t, TABLE))
def mating_attack(
    position: Position, moves_left: Number, ply: Number, search: Any, table: Any
) -> Move:
    """An attacker's move that mates within `moves_left`; NO_MOVE if none or stopped."""
    moves = search.rows[ply]
    size = generate(position, moves)
    known = probe(table, search, address(position, ATTACKING)).move
    rank_attacks(position, moves, size, known, True)
    for index in range(size):
        bring_best(moves, index, size)
        move = unranked(moves[index])
        child = make(position, move)
        if (
            mates_within(
                child, moves_left - ONE_MOVE, ply + NEXT, DEFENDING, search, table
            )
            == MATE
        ):
            return move
    return NO_MOVE


@jit(u64(position_t, i64, i64, search_t, TABLE))
def longest_defence(
    position: Position, moves_left: Number, ply: Number, search: Any, table: Any
) -> Move:
    """A reply that no faster mate answers; NO_MOVE if there is none, or stopped."""
    moves = search.rows[ply]
    size = generate(position, moves)
    for index in range(size):
        child = make(position, moves[index])
        if (
            mates_within(
                child, moves_left - ONE_MOVE, ply + NEXT, ATTACKING, search, table
            )
            == NO_MATE
        ):
            return moves[index]
    return NO_MOVE


@jit(i64(position_t, i64, boolean, search_t, TABLE))
def find_line(
    position: Position, moves_left: Number, attacking: bool, search: Any, table: Any
) -> Number:
    """Write the mating line of a position whose shortest mate is `moves_left`.

    The defender lasts as long as it can, so the line has 2n - 1 plies, or 2n when the
    defender begins. It goes to `search.line`.

    Returns
    -------
    int64
        Its plies, fewer than that when the search was stopped.
    """
    ply = NONE
    while moves_left > NONE:
        if attacking:
            move = mating_attack(position, moves_left, ply, search, table)
            moves_left -= ONE_MOVE
        else:
            move = longest_defence(position, moves_left, ply, search, table)
        if move == NO_MOVE:
            return ply
        search.line[ply] = move
        position = make(position, move)
        attacking = not attacking
        ply += NEXT
    return ply


@jit(i64(position_t, i64, search_t, TABLE))
def find_keys(position: Position, moves: Number, search: Any, table: Any) -> Number:
    """Write the attacker's moves that mate within `moves` to `search.keys`.

    Returns
    -------
    int64
        MATE when the list is whole, STOPPED when a limit cut it short.
    """
    search.key_count = NONE
    row = search.rows[0]
    size = generate(position, row)
    for index in range(size):
        move = row[index]
        child = make(position, move)
        verdict = mates_within(child, moves - ONE_MOVE, NEXT, DEFENDING, search, table)
        if verdict == STOPPED:
            return STOPPED
        if verdict == MATE:
            search.keys[search.key_count] = move
            search.key_count += ONE_MOVE
    return MATE
