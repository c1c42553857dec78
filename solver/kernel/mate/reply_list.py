"""The list of a position's replies with the attacker's shortest continuations.

Both searches write it for the play of a problem. It is in `search.phis`. For each reply
it has the reply, the number of moves that the continuations take, the `ReplyFlag`s, the
number of continuations, and the continuations. Both numbers are 0 if there is no
continuation. A null move comes first if threats are wanted: its continuations are the
threats.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.border.interface import REPLY_WORDS, ReplyFlag
from solver.kernel.border.memory import MAX_LEGAL_MOVES
from solver.kernel.build.jit import Move, Number, boolean, i64, jit, search_t, u64, void
from solver.kernel.rules.position import NO_MOVE


@jit(u64(search_t, i64), inline=True)
def _word(search: Any, index: Number) -> Move:
    """Return a word of the list."""
    return np.uint64(search.phis[index // MAX_LEGAL_MOVES, index % MAX_LEGAL_MOVES])


@jit(void(search_t, i64, u64), inline=True)
def _write_word(search: Any, index: Number, word: Move) -> None:
    """Write a word of the list."""
    search.phis[index // MAX_LEGAL_MOVES, index % MAX_LEGAL_MOVES] = np.uint32(word)


@jit(boolean(i64, i64, i64, search_t))
def _is_relevant(length: Number, found: Number, size: Number, search: Any) -> bool:
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
    if size == 0 or _word(search, 0) != NO_MOVE:
        return True
    longest, threats = np.int64(_word(search, 1)), np.int64(_word(search, 3))
    if threats == 0 or length == 0 or length > longest:
        return True
    if length < longest:
        return False
    for threat in range(REPLY_WORDS, REPLY_WORDS + threats):
        index = 0
        while index < found and search.rows[1, index] != _word(search, threat):
            index += 1
        if index == found:
            return True
    return False


@jit(i64(u64, i64, i64, i64, i64, search_t))
def add_reply(
    reply: Move,
    flags: Number,
    length: Number,
    found: Number,
    size: Number,
    search: Any,
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
    ends = flags & ReplyFlag.ENDS
    if reply != NO_MOVE and not ends and _is_relevant(length, found, size, search):
        flags |= ReplyFlag.RELEVANT
    _write_word(search, size, reply)
    _write_word(search, size + 1, np.uint64(length))
    _write_word(search, size + 2, np.uint64(flags))
    _write_word(search, size + 3, np.uint64(found))
    size += REPLY_WORDS
    for index in range(found):
        _write_word(search, size + index, search.rows[1, index])
    return size + found
