"""Moves, checks and mates in one agree with python-chess and with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba
import numpy as np
import pytest

from solver.board import pack_board, unpack_move
from solver.kernel.rules.bitboards import checkers, make
from solver.kernel.rules.mating import generate_checks, mate_in_one
from solver.kernel.rules.movegen import count, generate
from tests.kernel import positions
from tests.kernel.positions import position_of
from tests.oracles import naive, special, walks
from tests.sizes import sized

if TYPE_CHECKING:
    from solver.kernel.border.interface import Kernel
    from solver.kernel.border.search_struct import Search

NOWHERE = -1
"""The index of a position that disagrees, if none does."""


@sized("count", 500, 5000)
def test_moves_and_what_they_make_are_those_of_python_chess(
    kernel: Kernel, search: Search, count: int
) -> None:
    for board in walks.random_positions(count, seed=3):
        position = pack_board(board)
        words = kernel.moves(position, search)
        moves = [unpack_move(board, word) for word in words]
        assert set(moves) == set(board.legal_moves), board.fen()
        assert len(moves) == len(set(moves)), board.fen()
        for move, word in zip(moves, words, strict=True):
            made = kernel.made(position, search, word)
            board.push(move)
            assert bytes(made) == bytes(pack_board(board)), (board.fen(), move)
            board.pop()


@sized("count", 100, 500)
def test_checking_moves_are_those_of_python_chess(
    kernel: Kernel, search: Search, count: int
) -> None:
    boards = [*walks.random_positions(6 * count, 4)]
    boards += [*walks.small_positions(2 * count, 4), *special.all_kinds(count, 4)]
    checks = 0
    for board in boards:
        words = kernel.checking_moves(pack_board(board), search)
        found = {unpack_move(board, word) for word in words}
        expected = {move for move in board.legal_moves if board.gives_check(move)}
        assert found == expected, board.fen()
        assert len(words) == len(found), board.fen()
        checks += len(found)
    assert checks > 2 * count


@sized("count", 150, 500)
def test_a_mate_in_one_is_found_where_there_is_one(
    kernel: Kernel, search: Search, count: int
) -> None:
    boards = [*walks.random_positions(3 * count, 5)]
    boards += [*walks.small_positions(3 * count, 5), *special.all_kinds(count, 5)]
    mates = 0
    for board in boards:
        word = kernel.mate_in_one(pack_board(board), search)
        assert bool(word) == naive.mate_in(board, 1), board.fen()
        if word:
            move = unpack_move(board, word)
            assert move in board.legal_moves, board.fen()
            board.push(move)
            assert board.is_checkmate(), board.fen()
            mates += 1
    assert mates > count // 5


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("of play", marks=pytest.mark.slow),
        "of problems",
        pytest.param("of special", marks=pytest.mark.slow),
    ],
)
def many(request: pytest.FixtureRequest) -> np.ndarray:
    """Return at least 100,000 different positions; shape (positions, 8), uint64."""
    make_them = {
        "of play": positions.of_play,
        "of problems": positions.of_problems,
        "of special": positions.of_special,
    }
    rows = np.unique(make_them[request.param](130_000, seed=6), axis=0)
    assert len(rows) >= 100_000
    return rows


@numba.njit
def _compare_mates(rows: Any) -> tuple[int, int]:
    """Return the first row where the two mate searches differ, and the mates found."""
    moves = np.empty(256, np.uint64)
    mates = 0
    for index in range(len(rows)):
        position = position_of(rows[index])
        found = mate_in_one(position)
        exists, is_one_of_them = False, False
        for number in range(generate(position, moves)):
            child = make(position, moves[number])
            if checkers(child) and count(child) == 0:
                exists = True
                is_one_of_them |= moves[number] == found
        if exists != is_one_of_them or exists != (found != 0):
            return index, mates
        mates += exists
    return NOWHERE, mates


@numba.njit
def _compare_checks(rows: Any) -> tuple[int, int]:
    """Return the first row where the two check generators differ, and the checks."""
    moves, checks = np.empty(256, np.uint64), np.empty(256, np.uint64)
    total = 0
    for index in range(len(rows)):
        position = position_of(rows[index])
        kept = 0
        for number in range(generate(position, moves)):
            if checkers(make(position, moves[number])):
                moves[kept] = moves[number]
                kept += 1
        size = generate_checks(position, checks)
        if size != kept or np.any(np.sort(moves[:kept]) != np.sort(checks[:size])):
            return index, total
        total += size
    return NOWHERE, total


@numba.njit
def _compare_counts(rows: Any) -> tuple[int, int]:
    """Return the first row where count and list of moves differ, and the moves."""
    moves = np.empty(256, np.uint64)
    total = 0
    for index in range(len(rows)):
        position = position_of(rows[index])
        size = generate(position, moves)
        if size != count(position):
            return index, total
        total += size
    return NOWHERE, total


def test_special_mate_in_one_equals_the_general_one(many: np.ndarray) -> None:
    differs, mates = _compare_mates(many)
    assert differs == NOWHERE, many[differs]
    assert mates > 500


def test_generator_of_checks_equals_the_general_one(many: np.ndarray) -> None:
    differs, checks = _compare_checks(many)
    assert differs == NOWHERE, many[differs]
    assert checks > 50_000


def test_counting_moves_equals_listing_them(many: np.ndarray) -> None:
    differs, moves = _compare_counts(many)
    assert differs == NOWHERE, many[differs]
    assert moves > 1_000_000
