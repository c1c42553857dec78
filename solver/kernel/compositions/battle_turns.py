"""The search of a query in battle play, turn by turn, and the part's C function.

The search deepens move by move up to the stipulation's number, so that its first
success is the shortest way to the goal; an exact mate is searched at this number alone.
The keys are all first moves that reach the goal within the stipulation, as problemists
count them. `solver.kernel.mate.turns` does the same for mates, in the same `Query`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from solver.kernel.border.interface import NO_LIMIT, SMALL_NODES, Verdict
from solver.kernel.border.memory import BattlePlay, Stop
from solver.kernel.border.parts import UNKNOWN_OPERATION, BattleOperation
from solver.kernel.border.query import Answer, QueryState, Turn
from solver.kernel.build.jit import (
    ENTRY,
    Number,
    boolean,
    i64,
    jit,
    native,
    query_at,
    query_t,
    record_at,
    search_t,
    void,
    words_at,
)
from solver.kernel.compositions.battle_lists import (
    has_tries,
    list_continuations,
    list_refutations,
    list_solving_moves,
)
from solver.kernel.compositions.battle_play import (
    find_line,
    must_end,
    reaches_within,
)
from solver.kernel.compositions.goal_in_one import attacker_ends
from solver.kernel.mate.prover import ATTACKING, DEFENDING, begin, is_stopped
from solver.kernel.rules.movegen import generate
from solver.kernel.rules.notation import write_move
from solver.kernel.rules.position import (
    Position,
    make,
    position_at,
    position_t,
)


class Stage(IntEnum):
    """How long the search is."""

    SHORT = 0
    """It uses only the first part of the table."""
    JOINED = 1
    """Helper threads may have joined it since the last turn."""
    LONG = 2


class Phase(IntEnum):
    """What is searched."""

    SHORTEST = 0
    KEYS = 1


PAUSED = np.int64(-2)
"""The result of a decision that is not short after all."""


@jit(i64(query_t, position_t, i64, boolean, search_t))
def decide(
    query: Any, position: Position, moves_left: Number, attacking: bool, search: Any
) -> Number:
    """Decide whether the goal is reached within `moves_left`.

    Returns
    -------
    int64
        A `Verdict`; or PAUSED, once, so that helper threads can join: ask again.
    """
    if query.stage != Stage.JOINED:
        limit = search.node_limit
        search.node_limit = min(limit, max(search.nodes, SMALL_NODES))
        verdict = reaches_within(position, moves_left, 0, attacking, search)
        search.node_limit = limit
        if verdict != Verdict.STOPPED or is_stopped(search):
            return verdict
        search.buckets = search.proofs_from
        if query.stage == Stage.SHORT:
            query.stage = Stage.JOINED
            return PAUSED
    query.stage = Stage.LONG
    return reaches_within(position, moves_left, 0, attacking, search)


@jit(i64(query_t, position_t, search_t))
def list_first_moves(query: Any, position: Position, search: Any) -> Number:
    """Write the attacker's first moves, all or those chosen, to `search.line`.

    Returns
    -------
    int64
        Their number; 0 where the attacker has to reach the goal itself, and so fails.
    """
    if must_end(position, search.play, 0, search):
        return 0
    if query.root_moves:
        chosen = words_at(query.root_moves)
        for index in range(query.root_count):
            search.line[index] = chosen[index]
        return query.root_count
    size = generate(position, search.rows[0])
    for index in range(size):
        search.line[index] = search.rows[0, index]
    return size


@jit(i64(query_t, position_t, search_t))
def search_root(query: Any, position: Position, search: Any) -> Number:
    """Decide whether the goal is reached within the lower bound; see `decide`.

    Chosen root moves are searched one after the other; `query.key` receives the first
    that succeeds.
    """
    moves = query.lower[0]
    if not query.root_moves:
        return decide(query, position, moves, ATTACKING, search)
    size = list_first_moves(query, position, search)
    while query.cursor < size:
        query.key = search.line[query.cursor]
        child = make(position, query.key)
        verdict = decide(query, child, moves - 1, DEFENDING, search)
        if verdict != Verdict.NO_MATE:
            return verdict
        query.cursor += 1
    return Verdict.NO_MATE


@jit(void(query_t, position_t, search_t))
def write_line(query: Any, position: Position, search: Any) -> None:
    """Write a line of the shortest solution; no limit stops this."""
    limit, moves = search.node_limit, query.lower[0]
    search.node_limit = NO_LIMIT
    search.patience = Stop.LIMIT
    if query.root_moves:
        child = make(position, query.key)
        plies = find_line(child, moves - 1, DEFENDING, search)
        search.lines[0, 0] = query.key
        for ply in range(plies):
            search.lines[0, ply + 1] = search.line[ply]
        plies += 1
    else:
        plies = find_line(position, moves, ATTACKING, search)
        for ply in range(plies):
            search.lines[0, ply] = search.line[ply]
    search.patience = Stop.NONE
    search.node_limit = limit
    query.upper[0] = moves
    query.line_plies[0] = plies
    query.lines_read += 1
    query.pv_at = search.text_written
    for ply in range(plies):
        move = search.lines[0, ply]
        write_move(position, move, query.black ^ (ply & 1), search)
        position = make(position, move)
    query.pv_written = search.text_written - query.pv_at
    query.keys_at = search.text_written


@jit(i64(query_t, i64, i64, search_t))
def answer(query: Any, status: Number, keys_complete: Number, search: Any) -> Number:
    """Write the answer; its line and its keys have already been written."""
    query.state = QueryState.ANSWERED
    query.status = status
    query.lower_bound = query.lower[0]
    query.mate = query.upper[0] or -1
    query.keys_complete = keys_complete
    query.is_cut = np.int64(status == Answer.UNDECIDED)
    query.nodes = search.nodes
    if query.upper[0]:
        plies = 2 * query.upper[0] - np.int64(attacker_ends(search.play))
        has_keys = keys_complete or not query.all_keys
        query.is_cut = np.int64(query.line_plies[0] != plies or not has_keys)
        query.keys_written = search.text_written - query.keys_at
    return Turn.ENDS


@jit(i64(i64, search_t))
def take_turn(address: Number, search: Any) -> Number:
    """Take the next turn of a query: begin it, search a length or a key, answer it.

    Parameters
    ----------
    address : int64
        The address of a `Query` that is READ or OPEN, with its `play`; it receives the
        progress and the answer.
    search : Search
        See `solver.kernel.mate.turns.take_turn`.

    Returns
    -------
    int64
        A `Turn`. It PAUSES once, where the search turns out not to be short.
    """
    query, position = query_at(address), position_at(words_at(address))
    search.play = query.play

    # 1. Begin. A helper thread joins a search that has begun.
    if query.state == QueryState.READ:
        if not search.is_helper:
            begin(search)
            search.node_limit = query.node_limit
        query.state = QueryState.OPEN
        query.attacking = 1
        query.stage = Stage.SHORT
        query.phase[0] = Phase.SHORTEST
        query.lower[0] = 1
        if query.play == BattlePlay.EXACT_MATE:
            query.lower[0] = query.most_moves
        query.upper[0] = query.line_plies[0] = query.line_plies[1] = 0
        query.cursor = query.lines_read = query.pv_written = query.keys_written = 0
        return Turn.GOES_ON

    # 2. The shortest way to the goal, and its line.
    if query.phase[0] == Phase.SHORTEST:
        verdict = search_root(query, position, search)
        if verdict == PAUSED:
            return Turn.PAUSES
        if verdict == Verdict.STOPPED:
            return answer(query, Answer.UNDECIDED, 0, search)
        query.cursor = 0
        if verdict == Verdict.MATE:
            write_line(query, position, search)
            query.phase[0] = Phase.KEYS
            return Turn.GOES_ON
        query.lower[0] += 1
        if query.lower[0] > query.most_moves:
            return answer(query, Answer.DISPROVED, 0, search)
        return Turn.GOES_ON

    # 3. The keys, one move a turn.
    if not query.all_keys:
        return answer(query, Answer.PROVED, 0, search)
    size = list_first_moves(query, position, search)
    if query.cursor == size:
        return answer(query, Answer.PROVED, 1, search)
    move = search.line[query.cursor]
    child = make(position, move)
    verdict = decide(query, child, query.most_moves - 1, DEFENDING, search)
    if verdict == PAUSED:
        return Turn.PAUSES
    if verdict == Verdict.STOPPED:
        return answer(query, Answer.PROVED, 0, search)
    if verdict == Verdict.MATE:
        write_move(position, move, query.black, search)
    query.cursor += 1
    return Turn.GOES_ON


@native(ENTRY)
def entry(
    operation: Number, words: Any, search_pointer: Any, number: Number, flag: Number
) -> Number:
    """Run one operation on a position given by its eight words.

    Parameters
    ----------
    operation : int64
        A `BattleOperation`.
    words : pointer to uint64
        The fields of a `Position`. NULL for a query.
    search_pointer : pointer to Search
    number : int64
        The number of attacker's moves, or the address of a query.
    flag : int64
        Whether the attacker is to move, or threats are wanted; or the most refutations
        to list.

    Returns
    -------
    int64
        See the methods of `solver.kernel.border.interface.Kernel`.
    """
    search = record_at(search_pointer)
    if operation == BattleOperation.TAKE_TURN:
        return take_turn(number, search)
    position = position_at(words)
    if operation == BattleOperation.REACHES_WITHIN:
        return reaches_within(position, number, 0, flag != 0, search)
    if operation == BattleOperation.SOLVING_MOVES:
        return list_solving_moves(position, number, 0, search)
    if operation == BattleOperation.REFUTATIONS:
        return list_refutations(position, number, flag, search)
    if operation == BattleOperation.CONTINUATIONS:
        return list_continuations(position, number, flag != 0, search)
    if operation == BattleOperation.HAS_TRIES:
        return has_tries(position, number, search)
    if operation == BattleOperation.LINE:
        return find_line(position, number, flag != 0, search)
    return UNKNOWN_OPERATION
