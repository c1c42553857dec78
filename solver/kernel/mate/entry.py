"""The C function of the search; `border.interface.Kernel` is its Python side.

Importing this module translates the kernel's functions. numba compiles the members of
`Operation` as numbers, so both sides can use their names.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.border.interface import MATE_SHIFT, MOVE_SHIFT
from solver.kernel.border.parts import UNKNOWN_OPERATION, Operation
from solver.kernel.build.jit import (
    ENTRY,
    Move,
    Number,
    boolean,
    i64,
    jit,
    native,
    record_at,
    search_t,
    u64,
)
from solver.kernel.mate.bounds import solve_queries, take_turn
from solver.kernel.mate.dfpn import find_mate, known_bounds
from solver.kernel.mate.grading import grade_rows
from solver.kernel.mate.lines import read_line
from solver.kernel.mate.ordering import (
    ATTACKING,
    DEFENDING,
    bring_best,
    rank_replies,
)
from solver.kernel.mate.play_lists import compile_lists
from solver.kernel.mate.prover import find_line, mated_in_one, mates_within
from solver.kernel.mate.rows import read_rows, write_lines
from solver.kernel.mate.transposition import hash_key, probe
from solver.kernel.rules.checks import generate_checks
from solver.kernel.rules.mate_in_one import mate_in_one
from solver.kernel.rules.movegen import generate, perft
from solver.kernel.rules.notation import write_moves
from solver.kernel.rules.position import (
    Position,
    after_null_move,
    checkers,
    make,
    position_at,
    position_t,
    write_position,
)
from solver.kernel.rules.remarks import list_key_features, mark_mate

# The play of mates; see `play_lists.compile_lists`


@jit(i64(position_t, i64, i64, search_t))
def may_solve(position: Position, moves: Number, ply: Number, search: Any) -> Number:
    """Search once, in the best order, whether any move mates."""
    return mates_within(position, moves, ply, ATTACKING, search)


@jit(i64(position_t, i64, i64, u64, search_t))
def loses_within(
    position: Position, moves: Number, ply: Number, attack: Move, search: Any
) -> Number:
    """Decide whether the defender is mated within `moves` after an attack."""
    if moves == 1:
        return mated_in_one(position, ply, attack, search)
    return mates_within(position, moves, ply, DEFENDING, search)


@jit(i64(position_t, boolean, search_t))
def list_replies(position: Position, refuting: bool, search: Any) -> Number:
    """Write all replies to the first row."""
    moves = search.rows[0]
    size = generate(position, moves)
    if refuting:
        known = probe(search, hash_key(position, DEFENDING)).move
        rank_replies(position, moves, size, 0, known, search)
        for index in range(size):
            bring_best(moves, index, size)
    return size


@jit(boolean(position_t, search_t), inline=True)
def has_ended(position: Position, search: Any) -> bool:
    """Return False: no reply ends the play."""
    return False


@jit(i64(i64, search_t), inline=True)
def least_moves(moves_left: Number, search: Any) -> Number:
    """Return 1: a continuation may take fewer moves than are left."""
    return 1


list_solving_moves, list_refutations, list_continuations = compile_lists(
    may_solve, loses_within, mates_within, list_replies, has_ended, least_moves
)


# The C function


@native(ENTRY)
def entry(
    operation: Number, words: Any, search_pointer: Any, number: Number, flag: Number
) -> Number:
    """Run one operation on rows, or on a position given by its eight words.

    Parameters
    ----------
    operation : int64
        An `Operation`.
    words : pointer to uint64
        The fields of a `Position`; MAKE overwrites them. NULL for rows.
    search_pointer : pointer to Search
    number : int64
        The operation's number of moves or plies, or its move; NO_MOVE: a null move. Or
        the address of rows.
    flag : int64
        Whether the attacker is to move, or threats are wanted, or perft lists the last
        moves, or Black is to move; or how many refutations are wanted. Or the number of
        rows, or the style of lines.

    Returns
    -------
    int64
        See the methods of `solver.kernel.border.interface.Kernel`.
    """
    search = record_at(search_pointer)
    if operation == Operation.READ_ROWS:
        return read_rows(number, flag, search)
    if operation == Operation.WRITE_LINES:
        write_lines(number, flag, search)
        return 0
    if operation == Operation.TAKE_TURN:
        return take_turn(number, search)
    if operation == Operation.SOLVE_QUERIES:
        return solve_queries(number, flag, search)
    if operation == Operation.GRADE_ROWS:
        return grade_rows(number, flag, search)
    position = position_at(words)
    if operation == Operation.MATES_WITHIN:
        return mates_within(position, number, 0, flag != 0, search)
    if operation == Operation.FIND_MATE:
        return find_mate(position, number, flag != 0, search)
    if operation == Operation.LINE:
        return find_line(position, number, flag != 0, search)
    if operation == Operation.PROVED_LINE:
        return read_line(position, number, flag != 0, search)
    if operation == Operation.SOLVING_MOVES:
        return list_solving_moves(position, number, 0, search)
    if operation == Operation.REFUTATIONS:
        return list_refutations(position, number, flag, search)
    if operation == Operation.CONTINUATIONS:
        return list_continuations(position, number, flag != 0, search)
    if operation == Operation.HAS_TRIES:
        return 1 if number > 1 else 0
    if operation == Operation.BOUNDS:
        bounds = known_bounds(hash_key(position, flag != 0), search)
        answer = np.int64(bounds.move)
        return (answer << MOVE_SHIFT) | (bounds.mate << MATE_SHIFT) | bounds.no_mate
    if operation == Operation.MATE_IN_ONE:
        return np.int64(mate_in_one(position))
    if operation == Operation.PERFT:
        return perft(position, number, search, flag != 0)
    if operation == Operation.MOVES:
        return generate(position, search.rows[0])
    if operation == Operation.WRITE_MOVES:
        return write_moves(position, flag, search)
    if operation == Operation.CHECKING_MOVES:
        return generate_checks(position, search.rows[0])
    if operation == Operation.IS_CHECK:
        return 1 if checkers(position) else 0
    if operation == Operation.MATE_MARK:
        return mark_mate(position, search.rows[0])
    if operation == Operation.KEY_FEATURES:
        return list_key_features(position, np.uint64(number), flag, search)
    if operation == Operation.MAKE:
        move = np.uint64(number)
        child = make(position, move) if move else after_null_move(position)
        write_position(words, child)
        return 0
    return UNKNOWN_OPERATION
