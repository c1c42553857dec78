"""The first numbers of a defender node are those of their definition."""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from ctypes import CFUNCTYPE
from typing import Any

import chess
import numpy as np
import pytest

from benchmarks.laboratory_commands import ROOT
from benchmarks.patched import Change, program
from solver.board import pack_board, unpack_move
from solver.kernel.border.search_struct import Search
from solver.kernel.build import jit, words
from solver.kernel.mate import dfpn
from solver.kernel.mate.transposition import INFINITE
from solver.kernel.rules.bitboards import position_at
from tests.kernel import linked
from tests.oracles import special, walks
from tests.processes import run

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


def has_mate_in_one(board: chess.Board) -> bool:
    for move in board.legal_moves:
        board.push(move)
        mates = board.is_checkmate()
        board.pop()
        if mates:
            return True
    return False


def leaves_mate_in_one(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    found = has_mate_in_one(board)
    board.pop()
    return found


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
        *walks.small_positions(600, seed=81),
        *walks.crowded_positions(300, seed=81),
        *walks.random_positions(100, seed=81),
        *special.all_kinds(100, seed=81),
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


def test_worths_never_fall_and_numbers_stay_small() -> None:
    most = 0
    for table in (dfpn.FLIGHTS, dfpn.OTHERS, dfpn.LOSSES, dfpn.BEYOND):
        assert table.dtype == np.int16
        assert not table[:, 0].any()
        assert (np.diff(table) >= 0).all()
        most += int(table.max())
    assert (dfpn.WHOLE + most) // dfpn.WHOLE < 1000


@pytest.mark.slow
@pytest.mark.parametrize(
    "worths",
    ["0", "np.random.default_rng(1).integers(0, 8000, worths.shape)"],
    ids=["none", "random"],
)
def test_any_worths_give_the_same_answers(worths: str) -> None:
    """The tests of the df-pn search pass in a copy of the program with these."""
    change = Change(
        "solver/kernel/mate/dfpn.py",
        "# fmt: on\n",
        "# fmt: on\nfor worths in (FLIGHTS, OTHERS, LOSSES, BEYOND):\n"
        f"    worths[:] = {worths}\n",
    )
    with program([change]) as copy:
        for folder in ("tests", "puzzles"):
            shutil.copytree(ROOT / folder, copy / folder)
        shutil.copy(ROOT / "pyproject.toml", copy)
        (copy / "cache").mkdir(0o700)
        own = {"MATESOLVE_CACHE_DIR": str(copy / "cache"), "PYTHONPATH": str(copy)}
        tests = ("-qx", "-p", "no:cacheprovider", "tests/kernel/mate/test_dfpn.py")
        done = run(
            [sys.executable, "-m", "pytest", *tests],
            cwd=copy,
            env={**os.environ, **own},
        )
    assert done.returncode == 0, done.stdout


def test_mate_in_one_tests_count_as_nodes() -> None:
    search = Search()
    board = chess.Board("7k/5K2/8/8/8/8/p7/R7 b - - 0 1")
    computed(board, search)
    replies = board.legal_moves.count()
    assert search.nodes == 1 + replies
