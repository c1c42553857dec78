"""Grade lines of moves, by whether each attack keeps the mate in time.

`grade_rows` plays each row's line and lists what the attacker should have played;
`choose_reply` chooses what the defender answers.
"""

from __future__ import annotations

import numpy as np

from solver.kernel.border import interface, query_struct, search_struct
from solver.kernel.build.jit import bytes_at, jit, query_at, words_at
from solver.kernel.build.words import QUERY_BYTES, Move, Number, Search
from solver.kernel.mate import ordering, turns
from solver.kernel.mate.bounds import decide, find_keys
from solver.kernel.rules import bitboards, fen, movegen, notation

REFUSED_LINE, ANSWERED, OPEN = (
    int(state)
    for state in (
        query_struct.QueryState.REFUSED,
        query_struct.QueryState.ANSWERED,
        query_struct.QueryState.OPEN,
    )
)
NONE, EMPTY, ILLEGAL, NO_MATE = (int(fault) for fault in query_struct.LineFault)

# The defender's reply

REPLY_BUDGET = 1_000
"""Nodes that the search among refutations for the one that lasts longest may take."""

REPLY_DEPTH = 2
"""How many more moves than the attacker has left it looks ahead."""


@jit
def keep_replies(
    position: bitboards.Position, size: Number, moves: Number, search: Search
) -> Number:
    """Move the replies that prevent a mate within `moves` to the front.

    Parameters
    ----------
    position : Position
        The defender is to move.
    size : int64
        The number of replies in `search.line`. Their order among each other is kept.
    moves : int64
        The attacker's moves after the reply.
    search : Search

    Returns
    -------
    int64
        How many they are. Once the search is stopped, the result means nothing.
    """
    replies = search.line
    kept = 0
    for index in range(size):
        reply = replies[index]
        verdict = np.int64(interface.Decision.NO_MATE)
        if moves:
            child = bitboards.make(position, reply)
            verdict = decide(child, moves, ordering.ATTACKING, search)
        if verdict == interface.Decision.NO_MATE:
            for place in range(index, kept, -1):
                replies[place] = replies[place - 1]
            replies[kept] = reply
            kept += 1
    return kept


@jit
def choose_reply(
    position: bitboards.Position,
    black: Number,
    moves: Number,
    is_mated: bool,
    search: Search,
) -> Move:
    """Find the defender's reply that lasts longest; of several, the first by name.

    Parameters
    ----------
    position : Position
        The defender is to move.
    black : int64
        Whether Black is to move.
    moves : int64
        The attacker's moves left.
    is_mated : bool
        Whether the attacker mates within `moves`, as has been proved. Otherwise the
        reply is a refutation: proved. That none lasts longer is then certain only as
        far as REPLY_BUDGET and REPLY_DEPTH reach.
    search : Search
        `line` is overwritten.

    Returns
    -------
    uint64
        NO_MOVE if there is none, or once the search is stopped.
    """
    # 1. The replies in the order of their names in UCI notation.
    replies = search.line
    size = movegen.generate(position, search.rows[0])
    for index in range(size):
        reply = search.rows[0, index]
        rank = notation.name_order(reply, black)
        place = index
        while place and notation.name_order(replies[place - 1], black) > rank:
            replies[place] = replies[place - 1]
            place -= 1
        replies[place] = reply
    if size == 0:
        return bitboards.NO_MOVE

    # 2. Every reply is mated within `moves`: the largest number that one prevents.
    if is_mated:
        for least in range(moves - 1, -1, -1):
            for index in range(size):
                child = bitboards.make(position, replies[index])
                if (
                    least == 0
                    or decide(child, least, ordering.ATTACKING, search)
                    != interface.Decision.MATE
                ):
                    return replies[index]

    # 3. The refutations; one that ends the game lasts longest.
    size = keep_replies(position, size, moves, search)
    for index in range(size):
        if movegen.count(bitboards.make(position, replies[index])) == 0:
            return replies[index]

    # 4. Those that prevent a longer mate too.
    limit = search.node_limit
    search.node_limit = min(limit, search.nodes + REPLY_BUDGET)
    first = replies[0]
    for more in range(1, REPLY_DEPTH + 1):
        if size <= 1 or ordering.is_stopped(search):
            break
        size = keep_replies(position, size, moves + more, search)
        if size and not ordering.is_stopped(search):
            first = replies[0]
    search.node_limit = limit
    return first


# Lines


@jit
def _answer_attack(
    address: Number,
    position: bitboards.Position,
    left: Number,
    awaits_reply: bool,
    search: Search,
) -> None:
    """Write the defender's reply to an attack, and the position after it.

    Parameters
    ----------
    address : int64
        The address of the row, whose `fault`, `reply_at` and side to move are set.
    position : Position
        After the attack, or wherever the line ends.
    left : int64
        The attacker's moves left.
    awaits_reply : bool
        Whether the defender is to reply. There is no reply, and the row `is_cut`, once
        the search is stopped.
    search : Search
    """
    row = query_at(address)
    is_wrong = row.fault == NO_MATE
    if awaits_reply:
        reply = choose_reply(position, row.black, left, not is_wrong, search)
        row.is_cut = np.int64(ordering.is_stopped(search))
        if reply != bitboards.NO_MOVE and not row.is_cut:
            notation.write_move(position, reply, row.black, search)
            position = fen.play_move(row, position, reply)
    row.reply_written = search.text_written - row.reply_at
    if is_wrong or row.line_written:
        fen.set_played(address, position)
    row.fen_at = search.text_written
    search.text_written = fen.write_fen_text(address, bytes_at(search.text), row.fen_at)
    row.fen_written = search.text_written - row.fen_at


@jit
def _grade_row(address: Number, search: Search) -> Number:
    """Grade a row's line; see `grade_rows`. Returns its state."""
    # 1. Read the position.
    row = query_at(address)
    if not fen.read_fen(address):
        return REFUSED_LINE
    position = bitboards.position_at(words_at(address))
    row.line_at = search.text_written

    # 2. Play the line up to its end or its first fault.
    line = bytes_at(row.line)
    left = row.most_moves
    row.fault = EMPTY
    row.is_cut = 0
    place, plies = 0, 0
    child, move, black = position, bitboards.NO_MOVE, row.black
    while True:
        place = notation.skip(line, place, row.line_size, True)
        if place == row.line_size:
            break
        end = notation.skip(line, place, row.line_size, False)
        move = notation.read_move(
            position, row.black, line, place, end, row.uci_only != 0, search.rows[0]
        )
        if move == bitboards.NO_MOVE:
            row.fault = ILLEGAL
            break
        black = row.black
        child = fen.play_move(row, position, move)
        if not plies & 1:
            verdict = decide(child, left - 1, ordering.DEFENDING, search)
            if verdict == interface.Decision.STOPPED:
                return OPEN
            if verdict == interface.Decision.NO_MATE:
                row.fault = NO_MATE
                break
            left -= 1
        notation.write_move(position, move, black, search)
        position = child
        row.fault = NONE
        place = end
        plies += 1
    row.line_written = search.text_written - row.line_at
    # The last right move of the attacker mates if there is no reply to it.
    row.ends_in_mate = 1 if plies & 1 and movegen.count(position) == 0 else 0

    # 3. What the attacker should have played instead.
    row.keys_at = search.text_written
    attacks = not plies & 1
    if row.fault != NONE and attacks:
        moved = 1 if row.fault == NO_MATE else 0
        row.black ^= moved
        turns.begin_keys(row)
        if (
            find_keys(row, position, left, interface.NO_LIMIT, search)
            == interface.STOPPED
        ):
            return OPEN
        turns.write_keys(row, position, search)
        row.black ^= moved
    row.keys_written = search.text_written - row.keys_at
    if not row.replies:
        return ANSWERED

    # 4. The defender's reply to the last attack, and the position after it.
    row.reply_at = search.text_written
    if row.fault == NO_MATE:
        notation.write_move(position, move, black, search)
        _answer_attack(address, child, left - 1, True, search)
    else:
        awaits_reply = row.fault == NONE and not attacks
        _answer_attack(address, position, left, awaits_reply, search)
    return ANSWERED


@jit
def grade_rows(address: Number, count: Number, search: Search) -> Number:
    """Grade the lines of rows.

    Parameters
    ----------
    address : int64
        The address of the rows. Each gives `fen`, `fen_size`, `black`, `line`,
        `line_size`, `uci_only`, `most_moves`, `node_limit` and `replies`.

        Its state becomes ANSWERED, and `fault`, `ends_in_mate`, `line_at` (the moves
        before the fault) and `keys_at` (if the fault is the attacker's: all moves that
        mate in time there) have the answer, with `reply_at` and `fen_at` if replies are
        wanted; or OPEN, if the node limit or a stop has ended the search; or REFUSED,
        as by `read_rows`.
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
        bytes of its line, for each legal move and for two more, and FEN_TEXT_BYTES.
    """
    for index in range(count):
        row = query_at(address)
        needed = (
            query_struct.FEN_TEXT_BYTES
            + ((row.line_size + 1) // 3 + search_struct.MAX_LEGAL_MOVES + 2)
            * query_struct.MOVE_TEXT_BYTES
        )
        written = search.text_written
        if search.text_size - written < needed:
            return index
        ordering.begin(search)
        search.node_limit = row.node_limit
        row.state = _grade_row(address, search)
        row.nodes = search.nodes
        if row.state != ANSWERED:
            search.text_written = written
        address += QUERY_BYTES
    return count
