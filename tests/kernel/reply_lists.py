"""The kernel's lists of replies, read, and the rule which replies matter."""

from __future__ import annotations

from ctypes import c_uint32
from typing import NamedTuple

import chess

from solver.board import unpack_move
from solver.kernel.border.interface import NULL_MOVE, REPLY_WORDS, ReplyFlag
from solver.kernel.border.search_struct import Search

PASS = "0000"
"""The null move in UCI notation."""


class Answer(NamedTuple):
    """What follows a reply."""

    length: int
    continuations: frozenset[str]
    ends: bool = False
    is_relevant: bool = False


def read_list(board: chess.Board, search: Search, size: int) -> dict[str, Answer]:
    """Return the answer to each reply of a list; the null move is `PASS`."""
    words = (c_uint32 * size).from_buffer(search, Search.phis.offset)[:]
    answers = {}
    start = 0
    while start < len(words):
        reply, length, flags, count = words[start : start + REPLY_WORDS]
        start += REPLY_WORDS
        move = unpack_move(board, reply) if reply != NULL_MOVE else chess.Move.null()
        after = board.copy(stack=False)
        after.push(move)
        moves = {unpack_move(after, w).uci() for w in words[start : start + count]}
        start += count
        assert len(moves) == count
        answers[move.uci()] = Answer(
            length,
            frozenset(moves),
            bool(flags & ReplyFlag.ENDS),
            bool(flags & ReplyFlag.RELEVANT),
        )
    return answers


def is_defence(answer: Answer, threat: Answer | None) -> bool:
    """Return whether a reply does something against the threats."""
    if answer.ends:
        return False
    if not (threat and threat.length and answer.length):
        return True
    if answer.length != threat.length:
        return answer.length > threat.length
    return not threat.continuations <= answer.continuations
