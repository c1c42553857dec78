"""The play of a problem: lists of the moves that decide it, and their names."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.kernel.border import interface, query_struct, search_struct
from solver.kernel.build.jit import bytes_at, inlined, jit
from solver.kernel.build.words import Move, Number, Search
from solver.kernel.mate import ordering
from solver.kernel.rules import bitboards, marks, movegen, notation

# --------------------------------------------------------------------------------------
# Lists of moves: keys, refutations, continuations.
#
# `compile_lists` compiles them for one search, which decides every move of a position.
# So a list is exact or STOPPED.
#
# A list of replies with the attacker's shortest continuations is in `Search.phis`. For
# each reply it has the reply, the number of moves that the continuations take, the
# `ReplyFlag`s, the number of continuations, and the continuations. Both numbers are 0
# if there is no continuation. A null move comes first if threats are wanted: its
# continuations are the threats.

# The list of replies


@inlined
def _word(search: Search, index: Number) -> Move:
    """Return a word of the list."""
    return np.uint64(
        search.phis[
            index // search_struct.MAX_LEGAL_MOVES,
            index % search_struct.MAX_LEGAL_MOVES,
        ]
    )


@inlined
def _write_word(search: Search, index: Number, word: Move) -> None:
    """Write a word of the list."""
    search.phis[
        index // search_struct.MAX_LEGAL_MOVES, index % search_struct.MAX_LEGAL_MOVES
    ] = np.uint32(word)


@jit
def _is_relevant(length: Number, found: Number, size: Number, search: Search) -> bool:
    """Return whether a reply that does not end the play is a relevant defence.

    Without a threat each is. Otherwise the attacker must need longer than the threat,
    or as long but without one of the threats.

    Parameters
    ----------
    length, found : int64
        The moves that the continuations take, and their number; they are in
        `search.rows[1]`.
    size : int64
        The length of the list up to here.
    search : Search
    """
    if size == 0 or _word(search, 0) != bitboards.NO_MOVE:
        return True
    longest, threats = np.int64(_word(search, 1)), np.int64(_word(search, 3))
    if threats == 0 or length == 0 or length > longest:
        return True
    if length < longest:
        return False
    for threat in range(interface.REPLY_WORDS, interface.REPLY_WORDS + threats):
        index = 0
        while index < found and search.rows[1, index] != _word(search, threat):
            index += 1
        if index == found:
            return True
    return False


@jit
def add_reply(
    reply: Move,
    flags: Number,
    length: Number,
    found: Number,
    size: Number,
    search: Search,
) -> Number:
    """Add a reply and its continuations to the list.

    Parameters
    ----------
    reply : uint64
        NO_MOVE, a null move, can only be the first.
    flags : int64
        The `ReplyFlag`s that are known. RELEVANT is added where it follows from the
        threats.
    length, found : int64
        The moves that the continuations take, and their number; they are in
        `search.rows[1]`.
    size : int64
        The length of the list.
    search : Search

    Returns
    -------
    int64
        The new length of the list.
    """
    ends = flags & interface.ReplyFlag.ENDS
    if (
        reply != bitboards.NO_MOVE
        and not ends
        and _is_relevant(length, found, size, search)
    ):
        flags |= interface.ReplyFlag.RELEVANT
    _write_word(search, size, reply)
    _write_word(search, size + 1, np.uint64(length))
    _write_word(search, size + 2, np.uint64(flags))
    _write_word(search, size + 3, np.uint64(found))
    size += interface.REPLY_WORDS
    for index in range(found):
        _write_word(search, size + index, search.rows[1, index])
    return size + found


# The lists of a search


class Lists(NamedTuple):
    """The compiled functions that list moves; their docstrings say more."""

    solving_moves: Any
    refutations: Any
    continuations: Any


def compile_lists(
    may_solve: Any,
    loses_within: Any,
    wins_within: Any,
    may_pass: Any,
    list_replies: Any,
    has_ended: Any,
    least_moves: Any,
) -> Lists:
    """Compile the lists of one search.

    Parameters
    ----------
    may_solve : kernel function
        Takes position, moves left, ply and search: a `Decision`; NO_MATE or STOPPED
        where no move of the attacker need be tried.
    loses_within : kernel function
        Takes the position after an attack, moves left, ply, the attack and the search:
        whether the defender, which is to move, loses in time.
    wins_within : kernel function
        Takes position, moves left, ply, who is to move and the search: the same for
        either side.
    may_pass : kernel function
        Takes the position before a reply, and the search: whether nothing forces the
        reply, so that the attacker can threaten something.
    list_replies : kernel function
        Takes position, whether refutations are to come first, and search: writes the
        replies that are allowed to `search.rows[0]`, and returns their number.
    has_ended : kernel function
        Takes the position after a reply, and the search: whether that reached the goal.
    least_moves : kernel function
        Takes moves left and search: the fewest that a continuation may take.
    """

    @jit
    def list_solving_moves(
        position: bitboards.Position, moves_left: Number, ply: Number, search: Search
    ) -> Number:
        """Write the attacker's moves that win within `moves_left` to a row.

        Parameters
        ----------
        position : Position
            The attacker is to move.
        moves_left : int64
            At least 1.
        ply : int64
            The row.
        search : Search

        Returns
        -------
        int64
            The number of moves, which keep the generator's order; STOPPED if a limit
            was hit.
        """
        verdict = may_solve(position, moves_left, ply, search)
        if verdict != interface.Decision.MATE:
            return interface.STOPPED if verdict == interface.Decision.STOPPED else 0
        # What does not win makes room for what does.
        moves = search.rows[ply]
        size = movegen.generate(position, moves)
        found = 0
        for index in range(size):
            move = moves[index]
            child = bitboards.make(position, move)
            verdict = loses_within(child, moves_left - 1, ply + 1, move, search)
            if verdict == interface.Decision.STOPPED:
                return interface.STOPPED
            if verdict == interface.Decision.MATE:
                moves[found] = move
                found += 1
        return found

    @jit
    def list_refutations(
        position: bitboards.Position, moves_left: Number, most: Number, search: Search
    ) -> Number:
        """Write replies that do not lose within `moves_left` to `search.rows[0]`.

        Parameters
        ----------
        position : Position
            The defender is to move.
        moves_left : int64
            The attacker's moves after the reply, at least 0.
        most : int64
            End with this many, at least 1.
        search : Search

        Returns
        -------
        int64
            The number of replies; 0 also if there is no legal reply; STOPPED if a limit
            was hit.
        """
        moves = search.rows[0]
        size = list_replies(position, True, search)
        found = 0
        for index in range(size):
            reply = ordering.unranked(moves[index])
            child = bitboards.make(position, reply)
            if has_ended(child, search):
                continue
            verdict = wins_within(child, moves_left, 1, ordering.ATTACKING, search)
            if verdict == interface.Decision.STOPPED:
                return interface.STOPPED
            if verdict == interface.Decision.NO_MATE:
                moves[found] = reply
                found += 1
                if found == most:
                    break
        return found

    @jit
    def add_shortest(
        position: bitboards.Position,
        reply: Move,
        flags: Number,
        moves_left: Number,
        size: Number,
        search: Search,
    ) -> Number:
        """Add a reply and the attacker's shortest continuations to the list of replies.

        Parameters
        ----------
        position : Position
            The position after the reply; the attacker is to move.
        reply : uint64
        flags : int64
            The `ReplyFlag`s that are known.
        moves_left : int64
            Longer continuations are ignored.
        size : int64
            The length of the list.
        search : Search

        Returns
        -------
        int64
            The new length of the list; STOPPED if a limit was hit.
        """
        for length in range(least_moves(moves_left, search), moves_left + 1):
            found = list_solving_moves(position, length, 1, search)
            if found == interface.STOPPED:
                return interface.STOPPED
            if found:
                return add_reply(reply, flags, length, found, size, search)
        return add_reply(reply, flags, 0, 0, size, search)

    @jit
    def list_continuations(
        position: bitboards.Position, moves_left: Number, threats: bool, search: Search
    ) -> Number:
        """List the attacker's shortest continuations after every reply.

        Parameters
        ----------
        position : Position
            The defender is to move.
        moves_left : int64
            Longer continuations are ignored. 0: the attacker has made its last move.
        threats : bool
            Begin with the null move as a reply, unless something forces the reply or
            the attacker has no move left.
        search : Search

        Returns
        -------
        int64
            The length of the list; STOPPED if a limit was hit.
        """
        # 1. The threats.
        size = 0
        if threats and moves_left and may_pass(position, search):
            child = bitboards.after_null_move(position)
            size = add_shortest(child, bitboards.NO_MOVE, 0, moves_left, size, search)
            if size == interface.STOPPED:
                return interface.STOPPED

        # 2. The replies. Where all end the play, they are all there is to show.
        replies = search.rows[0]
        count = list_replies(position, False, search)
        is_over = size == 0
        for index in range(count):
            child = bitboards.make(position, replies[index])
            is_over &= moves_left == 0 or has_ended(child, search)
        known = np.int64(interface.ReplyFlag.RELEVANT) if is_over else 0

        # 3. Their continuations.
        for index in range(count):
            reply = replies[index]
            child = bitboards.make(position, reply)
            if has_ended(child, search):
                flags = known | interface.ReplyFlag.ENDS
                size = add_reply(reply, flags, 0, 0, size, search)
            else:
                size = add_shortest(child, reply, known, moves_left, size, search)
            if size == interface.STOPPED:
                return interface.STOPPED
        return size

    return Lists(list_solving_moves, list_refutations, list_continuations)


# --------------------------------------------------------------------------------------
# The level below an attack as text: what is shown, in the order of composers, named.
#
# A row is one line: its role, the attacker's moves that are left after it, the move's
# number, its names in UCI, SAN and Popeye's notation, and the mark of a last move. The
# roles are those of `LevelRole`. The rows of a defence's continuations follow it.

LEGAL, REPLIES, ATTACKS, SCRATCH = range(4)
"""Rows of moves of a `Search`: the legal ones, what is sorted, what is overwritten."""

LENGTH_SHIFT, RANK_SHIFT = np.uint64(20), np.uint64(32)
"""A sorted entry: below RANK_SHIFT a move, or where its reply is in the list; above
it the move's `name_order`, which has fewer bits than LENGTH_SHIFT, and the length."""

ENTRY_BITS = (bitboards.ONE << RANK_SHIFT) - bitboards.ONE
LONGEST = np.uint64(255)
LINE_END, DIGIT_0 = ord("\n"), ord("0")

ATTACK, THREAT, DEFENCE, ENDING, ZUGZWANG = map(ord, query_struct.LevelRole)


@jit
def insert(row: Number, size: Number, entry: Move, search: Search) -> None:
    """Insert an entry into a sorted row of `size` entries."""
    entries = search.rows[row]
    while size > 0 and entries[size - 1] > entry:
        entries[size] = entries[size - 1]
        size -= 1
    entries[size] = entry


@jit
def write_number(value: Number, search: Search) -> None:
    """Append a number and a space to the text."""
    text, digit = bytes_at(search.text), 1
    while digit * 10 <= value:
        digit *= 10
    at = search.text_written
    while digit:
        at = notation.write_letter(text, at, DIGIT_0 + value // digit % 10)
        digit //= 10
    search.text_written = notation.write_letter(text, at, notation.BLANK)


@jit
def write_row(
    role: Number,
    left: Number,
    position: bitboards.Position,
    move: Move,
    size: Number,
    black: Number,
    search: Search,
) -> None:
    """Append the row of a move to the text.

    Parameters
    ----------
    role : int64
        A letter of `LevelRole`.
    left : int64
        The attacker's moves that are left after it. The mark is that of the final
        position, if there are none.
    position : Position
        The position before it, of which `rows[LEGAL]` has the legal moves.
    move : uint64
    size : int64
        The number of legal moves.
    black : int64
        Whether Black is to move.
    search : Search
        Its `text` has room for ROW_TEXT_BYTES.
    """
    text = bytes_at(search.text)
    search.text_written = notation.write_letter(text, search.text_written, role)
    write_number(left, search)
    write_number(np.int64(move), search)
    notation.write_move(position, move, black, search)
    for is_long in range(2):
        notation.write_spelling(
            position, move, search.rows[LEGAL], size, black, is_long, search
        )
    mark = DIGIT_0
    if left == 0:
        mark += marks.mark_mate(bitboards.make(position, move), search.rows[SCRATCH])
    at = notation.write_letter(text, search.text_written, mark)
    search.text_written = notation.write_letter(text, at, LINE_END)


@jit
def write_attacks(
    role: Number,
    left: Number,
    position: bitboards.Position,
    count: Number,
    black: Number,
    search: Search,
) -> None:
    """Append the rows of the `count` moves in `rows[ATTACKS]`, sorted by their names.

    `rows[LEGAL]` receives the legal moves.
    """
    for index in range(count):
        move = search.rows[ATTACKS, index]
        rank = np.uint64(notation.name_order(move, black))
        insert(ATTACKS, index, (rank << RANK_SHIFT) | move, search)
    size = movegen.generate(position, search.rows[LEGAL])
    for index in range(count):
        move = search.rows[ATTACKS, index] & ENTRY_BITS
        write_row(role, left, position, move, size, black, search)


@jit
def write_moves(
    position: bitboards.Position, chosen: Move, black: Number, search: Search
) -> None:
    """Append a row for each legal move, or for one, to the text.

    Each is an attack with no move left, so a mate has its mark.

    Parameters
    ----------
    position : Position
    chosen : uint64
        The only move to write; NO_MOVE: all.
    black : int64
        Whether Black is to move.
    search : Search
        `text` has room for MOVES_TEXT_BYTES. The first rows of moves are overwritten.
    """
    size = movegen.generate(position, search.rows[LEGAL])
    for index in range(size):
        move = search.rows[LEGAL, index]
        if chosen == bitboards.NO_MOVE or chosen == move:
            write_row(ATTACK, 0, position, move, size, black, search)


@jit
def _load(at: Number, search: Search) -> Number:
    """Copy the continuations of a reply of the list to `rows[ATTACKS]`; count them."""
    count = np.int64(_word(search, at + 3))
    for index in range(count):
        search.rows[ATTACKS, index] = _word(search, at + interface.REPLY_WORDS + index)
    return count


@jit
def write_level(
    position: bitboards.Position, number: Number, flags: Number, search: Search
) -> Number:
    """Append the rows of the list of replies that `list_continuations` has made.

    Zugzwang or the threats come first, then the defences that last longest. A reply
    that fails to be answered is left out, and so is one that is no relevant defence,
    unless all are wanted.

    Parameters
    ----------
    position : Position
        The defender is to move.
    number : int64
        The length of the list, and from bit LEVEL_SHIFT on how many of the replies
        shown are already written.
    flags : int64
        The sum of the `LevelFlag`s.
    search : Search
        `phis` is the list. `text` has room for a reply with its continuations, at most
        MOVES_TEXT_BYTES. The first rows of moves are overwritten.

    Returns
    -------
    int64
        How many of the replies shown are written now, if the text has no room for the
        next; 0 if all are.
    """
    first = number >> interface.LEVEL_SHIFT
    list_size = number - (first << interface.LEVEL_SHIFT)
    black = np.int64(flags & query_struct.LevelFlag.BLACK != 0)
    is_all = flags & query_struct.LevelFlag.ALL != 0

    # 1. The replies that are shown; the null move, which is the first, stays so.
    shown, at = 0, np.int64(0)
    while at < list_size:
        reply, length = _word(search, at), _word(search, at + 1)
        known, count = np.int64(_word(search, at + 2)), np.int64(_word(search, at + 3))
        is_pass = reply == bitboards.NO_MOVE
        is_answered = count > 0 or known & interface.ReplyFlag.ENDS != 0
        is_wanted = is_all or known & interface.ReplyFlag.RELEVANT != 0
        if is_pass or (is_answered and is_wanted):
            rank = ((LONGEST - length) << LENGTH_SHIFT) | np.uint64(
                notation.name_order(reply, black)
            )
            if is_pass:
                rank = bitboards.ZERO
            insert(REPLIES, shown, (rank << RANK_SHIFT) | np.uint64(at), search)
            shown += 1
        at += interface.REPLY_WORDS + count

    # 2. Each with its continuations.
    for index in range(first, shown):
        at = np.int64(search.rows[REPLIES, index] & ENTRY_BITS)
        reply, length = _word(search, at), np.int64(_word(search, at + 1))
        count = _load(at, search)
        room = search.text_size - search.text_written
        if room < query_struct.ROW_TEXT_BYTES * (1 + count):
            return index
        if reply != bitboards.NO_MOVE:
            size = movegen.generate(position, search.rows[LEGAL])
            role = DEFENCE if count else ENDING
            write_row(role, length, position, reply, size, black, search)
            child = bitboards.make(position, reply)
            write_attacks(ATTACK, length - 1, child, count, 1 - black, search)
        elif count:
            child = bitboards.after_null_move(position)
            write_attacks(THREAT, length - 1, child, count, 1 - black, search)
        else:
            text = bytes_at(search.text)
            at = notation.write_letter(text, search.text_written, ZUGZWANG)
            search.text_written = notation.write_letter(text, at, LINE_END)
    return 0
