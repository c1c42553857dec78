"""Grading lines of moves, by whether each attack keeps the mate in time."""

from __future__ import annotations

from typing import Any

from solver.kernel.border.interface import NO_LIMIT, STOPPED, Verdict
from solver.kernel.border.memory import MAX_LEGAL_MOVES
from solver.kernel.border.query import MOVE_TEXT_BYTES, LineFault, QueryState
from solver.kernel.build.jit import (
    QUERY_BYTES,
    Number,
    bytes_at,
    i64,
    jit,
    query_at,
    search_t,
    words_at,
)
from solver.kernel.mate.keys import decide, find_keys
from solver.kernel.mate.ordering import begin
from solver.kernel.mate.rows import play
from solver.kernel.mate.turns import begin_keys, write_keys
from solver.kernel.rules.fen import read_fen
from solver.kernel.rules.movegen import count as count_moves
from solver.kernel.rules.notation import read_move, skip, write_move
from solver.kernel.rules.position import NO_MOVE, position_at

REFUSED, ANSWERED, OPEN = (
    int(state) for state in (QueryState.REFUSED, QueryState.ANSWERED, QueryState.OPEN)
)
NONE, EMPTY, ILLEGAL, NO_MATE = (int(fault) for fault in LineFault)


@jit(i64(i64, search_t))
def _grade_row(address: Number, search: Any) -> Number:
    """Grade a row's line; see `grade_rows`. Returns its state."""
    # 1. Read the position.
    row = query_at(address)
    if not read_fen(address):
        return REFUSED
    position = position_at(words_at(address))
    row.line_at = search.text_written

    # 2. Play the line up to its end or its first fault.
    line = bytes_at(row.line)
    left = row.most_moves
    row.fault = EMPTY
    place, plies = 0, 0
    while True:
        place = skip(line, place, row.line_size, True)
        if place == row.line_size:
            break
        end = skip(line, place, row.line_size, False)
        move = read_move(
            position, row.black, line, place, end, row.uci_only != 0, search.rows[0]
        )
        if move == NO_MOVE:
            row.fault = ILLEGAL
            break
        black = row.black
        child = play(row, position, move)
        if not plies & 1:
            verdict = decide(child, left - 1, search)
            if verdict != Verdict.MATE:
                row.black = black
                row.fault = NO_MATE
                if verdict == Verdict.STOPPED:
                    return OPEN
                break
            left -= 1
        write_move(position, move, black, search)
        position = child
        row.fault = NONE
        place = end
        plies += 1
    row.line_written = search.text_written - row.line_at
    # The last right move of the attacker mates if there is no reply to it.
    row.ends_in_mate = 1 if plies & 1 and count_moves(position) == 0 else 0

    # 3. What the attacker should have played instead.
    row.keys_at = search.text_written
    attacks = not plies & 1
    if row.fault != NONE and attacks:
        begin_keys(row)
        if find_keys(row, position, left, NO_LIMIT, search) == STOPPED:
            return OPEN
        write_keys(row, position, search)
    row.keys_written = search.text_written - row.keys_at
    return ANSWERED


@jit(i64(i64, i64, search_t))
def grade_rows(address: Number, count: Number, search: Any) -> Number:
    """Grade the lines of rows.

    Parameters
    ----------
    address : int64
        The address of the rows. Each gives `fen`, `fen_size`, `black`, `line`,
        `line_size`, `uci_only`, `most_moves` and `node_limit`.

        Its state becomes ANSWERED, and `fault`, `ends_in_mate`, `line_at` (the moves
        before the fault) and `keys_at` (if the fault is the attacker's: all moves that
        mate in time there) have the answer; or OPEN, if the node limit or a stop has
        ended the search; or REFUSED, as by `read_rows`.
    count : int64
        The number of rows.
    search : Search
        Its `text` receives the moves. Each row starts with an empty table, so that its
        answer does not depend on the rows before it.

    Returns
    -------
    int64
        The index of the first row that was not graded because `text` may have too
        little room; `count` if all were. A row needs MOVE_TEXT_BYTES for every three
        bytes of its line and for each legal move.
    """
    for index in range(count):
        row = query_at(address)
        needed = ((row.line_size + 1) // 3 + MAX_LEGAL_MOVES) * MOVE_TEXT_BYTES
        written = search.text_written
        if search.text_size - written < needed:
            return index
        begin(search)
        search.node_limit = row.node_limit
        row.state = _grade_row(address, search)
        row.nodes = search.nodes
        if row.state != ANSWERED:
            search.text_written = written
        address += QUERY_BYTES
    return count
