"""The first numbers of a defender node are those of their definition."""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE
from typing import Any

import chess
import numpy as np

from solver.board import pack_board, unpack_move
from solver.kernel.border.search_struct import Search
from solver.kernel.build import jit, words
from solver.kernel.mate import dfpn
from solver.kernel.mate.transposition import INFINITE
from solver.kernel.rules.bitboards import position_at
from tests.kernel import linked
from tests.oracles import naive, special, walks

RANKS = {chess.PAWN: 1, chess.KNIGHT: 2, chess.BISHOP: 2, chess.ROOK: 3, chess.QUEEN: 4}
MATED = (int(INFINITE), 0)
ESCAPED = (0, int(INFINITE))


@jit.native(
    words.i64(
        words.pointer(words.by_reference(Search)),
        words.pointer(words.u64),
        words.pointer(words.i64),
    )
)
def write_first_numbers(search: Any, words: Any, out: Any) -> Any:
    """Write phi and delta to `out`."""
    numbers = dfpn.first_numbers(position_at(words), 0, jit.record_at(search))
    out[0], out[1] = np.int64(numbers.phi), np.int64(numbers.delta)
    return np.int64(0)


FIRST = CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 3)(linked(write_first_numbers))


def computed(board: chess.Board, search: Search) -> tuple[int, ...]:
    out = (ctypes.c_int64 * 2)()
    FIRST(ctypes.byref(search), ctypes.byref(pack_board(board)), out)
    return tuple(out)


def leaves_mate_in_one(board: chess.Board, move: chess.Move) -> bool:
    after = board.copy(stack=False)
    after.push(move)
    return naive.mate_in(after, 1)


def squares_beyond(board: chess.Board, flights: chess.SquareSet) -> chess.SquareSet:
    king = board.king(board.turn)
    assert king is not None
    bare = board.copy(stack=False)
    bare.remove_piece_at(king)
    near = chess.SquareSet()
    for flight in flights:
        near |= chess.SquareSet(chess.BB_KING_ATTACKS[flight])
    blocked = flights | bare.occupied_co[board.turn]
    return chess.SquareSet(
        square
        for square in near - blocked
        if not bare.is_attacked_by(not board.turn, square)
    )


def open_replies(board: chess.Board, replies: list[chess.Move]) -> list[chess.Move]:
    """Return the replies that leave no mate in one, and all after the first ENOUGH."""
    found: list[chess.Move] = []
    for move in replies:
        if len(found) >= dfpn.ENOUGH or not leaves_mate_in_one(board, move):
            found.append(move)
    return found


def defined(board: chess.Board, replies: list[chess.Move]) -> tuple[int, int]:
    if board.is_checkmate():
        return MATED
    if board.is_stalemate():
        return ESCAPED
    if board.is_check() or leaves_mate_in_one(board, chess.Move.null()):
        replies = open_replies(board, replies)
        if not replies:
            return MATED
    king = board.king(board.turn)
    flights = chess.SquareSet(m.to_square for m in replies if m.from_square == king)
    others = sum(move.from_square != king for move in replies)
    taken = {board.piece_type_at(move.to_square) for move in replies} - {None}
    loss = max((RANKS[kind] for kind in taken if kind), default=0)
    beyond = len(squares_beyond(board, flights))
    tables = (dfpn.FLIGHTS, dfpn.OTHERS, dfpn.LOSSES, dfpn.BEYOND)
    work = dfpn.WHOLE
    for table, number in zip(tables, (len(flights), others, loss, beyond), strict=True):
        worths = table[int(board.is_check())]
        work += int(worths[min(number, len(worths) - 1)])
    return int(dfpn.FIRST_HOPE), work // dfpn.WHOLE


def test_first_numbers_are_those_of_the_definition() -> None:
    search = Search()
    seen = set()
    for board in (
        *walks.small_positions(300, seed=81),
        *walks.crowded_positions(120, seed=81),
        *walks.random_positions(100, seed=81),
        *special.all_kinds(40, seed=81),
        chess.Board("k7/8/2K5/8/8/8/8/2Q5 b - - 0 1"),
        chess.Board("k7/2K5/8/8/8/8/8/1Q6 b - - 0 1"),
    ):
        if not board.is_valid():
            continue
        numbers = computed(board, search)
        listed = search.rows[0][: board.legal_moves.count()]
        expected = defined(board, [unpack_move(board, word) for word in listed])
        assert numbers == expected, board.fen()
        seen.add(expected)
    assert {MATED, ESCAPED} < seen
    assert len(seen) > 50
    assert max(delta for _, delta in seen - {MATED, ESCAPED}) < 1000
    # Tests for a mate in one count as nodes.
    search, board = Search(), chess.Board("7k/5K2/8/8/8/8/p7/R7 b - - 0 1")
    computed(board, search)
    assert search.nodes == 1 + board.legal_moves.count()
