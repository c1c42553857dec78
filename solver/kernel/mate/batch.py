"""Many positions in one call: the first turn of the search, for one after another.

The first turn of the bounds search is the prover's; see `solver.search.bounds`. Most
problems need no more. So a batch takes the first turn for each of its rows, writes the
answers, and returns at the first row that it leaves open; there the caller goes on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.border.interface import (
    KEY_BUDGET,
    MOST_ENDING_PIECES,
    MOST_TEXT,
    NO_LIMIT,
    SMALL_BUCKETS,
    SMALL_NODES,
    Verdict,
)
from solver.kernel.border.memory import RowState
from solver.kernel.build.jit import (
    ROW_BYTES,
    Number,
    boolean,
    i64,
    jit,
    population,
    row_at,
    row_t,
    search_t,
    void,
    words_at,
)
from solver.kernel.mate.dfpn import find_mate
from solver.kernel.mate.ordering import forget_refutations
from solver.kernel.mate.prover import DEFENDING, find_line, is_stopped, mates_within
from solver.kernel.rules.bitboards import CORNERS
from solver.kernel.rules.mate_in_one import is_checkmate
from solver.kernel.rules.movegen import generate
from solver.kernel.rules.notation import write_move
from solver.kernel.rules.position import Position, make, position_at, position_t


@jit(boolean(position_t), inline=True)
def is_small_ending(position: Position) -> bool:
    """Return whether `solver.endgames` may have a table: few pieces, no pawns."""
    pieces = position.us | position.them
    return (
        population(pieces) <= MOST_ENDING_PIECES
        and population(position.pawns | (position.rights & CORNERS)) == 0
    )


@jit(void(search_t))
def begin(search: Any) -> None:
    """Forget the position before, as `solver.search.workspace.Workspace.begin` does."""
    search.nodes = 0
    search.generation += 1
    search.buckets = min(search.proofs_from, np.uint64(SMALL_BUCKETS))
    forget_refutations(search)


@jit(i64(position_t, i64, boolean, search_t))
def prove(
    position: Position, moves_left: Number, attacking: bool, search: Any
) -> Number:
    """Do as `mates_within` does; a long search uses the whole table."""
    if search.nodes > SMALL_NODES:
        search.buckets = search.proofs_from
    return mates_within(position, moves_left, 0, attacking, search)


@jit(i64(position_t, i64, search_t))
def decide(position: Position, moves_left: Number, search: Any) -> Number:
    """Decide whether the defender, which is to move, is mated within `moves_left`.

    The prover and the df-pn search take turns with doubling budgets. Under a
    restriction the df-pn search is alone, because the prover knows none.

    Returns
    -------
    int64
        A `Verdict`; STOPPED if the node limit was reached or the search was stopped.
    """
    limit = search.node_limit
    budget = KEY_BUDGET
    verdict = np.int64(Verdict.STOPPED)
    while verdict == Verdict.STOPPED and not is_stopped(search):
        if not search.restricted_only:
            search.node_limit = min(limit, search.nodes + budget)
            verdict = prove(position, moves_left, DEFENDING, search)
        if verdict == Verdict.STOPPED:
            search.node_limit = min(limit, search.nodes + budget)
            search.buckets = search.proofs_from
            verdict = find_mate(position, moves_left, DEFENDING, search)
        search.node_limit = limit
        budget *= 2
    return verdict


@jit(boolean(row_t, position_t, i64, search_t))
def write_keys(row: Any, position: Position, mate: Number, search: Any) -> bool:
    """Write every first move that mates within `mate` moves, in the generator's order.

    Returns
    -------
    bool
        Whether these are all; otherwise the search was stopped.
    """
    # The searches below use the rows of moves, so the first moves stay in `line`.
    moves = search.line
    size = generate(position, search.rows[0])
    for index in range(size):
        moves[index] = search.rows[0, index]
    for index in range(size):
        verdict = decide(make(position, moves[index]), mate - 1, search)
        if verdict == Verdict.STOPPED:
            return False
        if verdict == Verdict.MATE:
            write_move(position, moves[index], row.black, search)
    return not is_stopped(search)


@jit(i64(i64, search_t))
def solve_row(address: Number, search: Any) -> Number:
    """Take the first turn of the search for a row, and answer it if that is enough.

    Parameters
    ----------
    address : int64
        The address of the row, which is READ and has its question. It receives the
        answer, and in `attacking` who mates.
    search : Search
        Its `node_limit` is the limit of the row. The table and the nodes of an open row
        stay as they are, for the turns that follow.

    Returns
    -------
    int64
        A `RowState`: ANSWERED or OPEN. An open row has its lower bound; and its mate,
        if that is proved and only the line is missing.
    """
    limit = search.node_limit
    row, position = row_at(address), position_at(words_at(address))
    begin(search)
    row.nodes = 0
    row.mate = -1
    row.lower_bound = 1
    row.keys_complete = 0
    row.pv_written = 0
    row.keys_written = 0

    # 1. Who mates whom. If nobody is named, being mated is an answer as well.
    our_king_is_bare = population(position.us) == 1
    their_king_is_bare = population(position.them) == 1
    attacking = row.attacking > 0
    both_sides = False
    if row.attacking < 0:
        attacking = not our_king_is_bare or their_king_is_bare
        both_sides = attacking and not their_king_is_bare
    row.attacking = np.int64(attacking)

    # 2. Trivial cases, and small endgames, whose tables the caller has.
    if is_checkmate(position):
        row.mate = 0
        row.lower_bound = 0
        row.keys_complete = 1
        return RowState.ANSWERED
    if our_king_is_bare if attacking else their_king_is_bare:
        row.lower_bound = row.most_moves + 1
        return RowState.ANSWERED
    if is_small_ending(position):
        return RowState.OPEN

    # 3. The prover raises the lower bound until there is a mate.
    verdict = np.int64(Verdict.NO_MATE)
    while row.lower_bound <= row.most_moves:
        search.node_limit = min(limit, search.nodes + row.step_nodes)
        verdict = prove(position, row.lower_bound, attacking, search)
        if verdict != Verdict.NO_MATE:
            break
        row.lower_bound += 1
    search.node_limit = limit
    row.nodes = search.nodes
    if verdict == Verdict.NO_MATE:
        is_all = not both_sides and row.expected <= row.most_moves
        return RowState.ANSWERED if is_all else RowState.OPEN
    if verdict == Verdict.STOPPED:
        return RowState.OPEN

    # 4. The line of the mate, whatever it costs.
    row.mate = row.lower_bound
    search.node_limit = NO_LIMIT
    plies = find_line(position, row.mate, attacking, search)
    search.node_limit = limit
    if plies != 2 * row.mate - np.int64(attacking):
        return RowState.OPEN
    row.pv_at = search.text_written
    child = position
    for ply in range(plies):
        write_move(child, search.line[ply], row.black ^ (ply & 1), search)
        child = make(child, search.line[ply])
    row.pv_written = search.text_written - row.pv_at

    # 5. The keys, if the attacker is to move.
    row.keys_at = search.text_written
    if not attacking:
        row.keys_complete = 1
    elif row.all_keys:
        row.keys_complete = np.int64(write_keys(row, position, row.mate, search))
        row.keys_written = search.text_written - row.keys_at
    row.nodes = search.nodes
    return RowState.ANSWERED


@jit(i64(i64, i64, search_t))
def solve_rows(address: Number, count: Number, search: Any) -> Number:
    """Solve the rows at an address, the first in any case, until one stays open.

    Returns
    -------
    int64
        The number of rows that are answered. The next one is OPEN; or it is not READ;
        or the search was stopped, or `Search.text` has no room for another answer.
    """
    for index in range(count):
        row = row_at(address)
        if (
            row.state != RowState.READ
            or (index > 0 and search.stop)
            or search.text_size - search.text_written < MOST_TEXT
        ):
            return index
        row.state = solve_row(address, search)
        if row.state == RowState.OPEN:
            return index
        address += ROW_BYTES
    return count
