"""Moves, checks and mates in one agree with python-chess, perft and each other."""

from __future__ import annotations

import json
from ctypes import CFUNCTYPE, c_uint64
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypedDict

import chess
import numba
import numpy as np
import pytest

from solver.board import pack_board, unpack_move
from solver.kernel.border.interface import STOPPED
from solver.kernel.build import cache
from solver.kernel.build.jit import native
from solver.kernel.build.loader import compile_entry, place
from solver.kernel.build.words import u64
from solver.kernel.rules.bitboards import (
    checkers,
    diagonal_attacks,
    make,
    orthogonal_attacks,
)
from solver.kernel.rules.mating import generate_checks, mate_in_one
from solver.kernel.rules.movegen import count, generate
from tests.kernel import positions
from tests.kernel.positions import position_of
from tests.oracles import naive, special, walks
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.kernel.border.interface import Kernel
    from solver.kernel.border.search_struct import Search

NOWHERE = -1
"""The index of a position that disagrees, if none does."""


@sized("count", 500, 5000)
def test_moves_and_what_they_make_are_those_of_python_chess(
    kernel: Kernel, search: Search, count: int
) -> None:
    boards = walks.random_positions(count, seed=3)
    for board in (*boards, *special.all_kinds(count // 4, seed=3)):
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
        assert kernel.is_check(pack_board(board), search) == board.is_check()
        checks += len(found)
    assert checks > 2 * count


@sized("count", 100, 500)
def test_a_mate_in_one_is_found_where_there_is_one(
    kernel: Kernel, search: Search, count: int
) -> None:
    boards = [*walks.random_positions(count, 5), *walks.small_positions(3 * count, 5)]
    mates = 0
    for board in (*boards, *special.all_kinds(count, 5)):
        word = kernel.mate_in_one(pack_board(board), search)
        assert bool(word) == naive.mate_in(board, 1), board.fen()
        if word:
            move = unpack_move(board, word)
            assert move in board.legal_moves, board.fen()
            board.push(move)
            assert board.is_checkmate(), board.fen()
            mates += 1
    assert mates > count // 5


@numba.njit
def _compare_mates(rows: Any) -> tuple[int, int]:
    """Return the first row where two searches or counts differ, and the mates found."""
    moves = np.empty(256, np.uint64)
    mates = 0
    for index in range(len(rows)):
        position = position_of(rows[index])
        found = mate_in_one(position)
        exists, is_one_of_them = False, False
        size = generate(position, moves)
        if size != count(position):
            return index, mates
        for number in range(size):
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


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        (positions.of_problems, 10_000),
        *(
            pytest.param(kind, 130_000, marks=pytest.mark.slow)
            for kind in (positions.of_problems, positions.of_play, positions.of_special)
        ),
    ],
)
def test_each_quick_way_equals_the_general_one(kind: Any, count: int) -> None:
    """The mate in one, the generator of checks, and the number of moves."""
    many = np.unique(kind(count, seed=6), axis=0)
    assert len(many) >= 0.7 * count
    for compare, least in (
        (_compare_mates, count // 300),
        (_compare_checks, count // 3),
    ):
        differs, found = compare(many)
        assert differs == NOWHERE, (compare, many[differs])
        assert found > least


# Perft


class Entry(TypedDict):
    """One position of `perft.json`; `counts[d - 1]` is its perft to depth d."""

    name: str
    fen: str
    source: str
    counts: list[int]


PERFT = Path(__file__).parents[2] / "data" / "perft.json"
ENTRIES: list[Entry] = json.loads(PERFT.read_text(encoding="utf-8"))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e["name"])
@pytest.mark.parametrize(
    ("depths", "listed"),
    [
        (slice(0, 4), False),
        (slice(0, 4), True),
        pytest.param(slice(4, None), False, marks=pytest.mark.slow),
    ],
    ids=["counted", "listed", "deep"],
)
def test_counts_are_the_published_ones(
    kernel: Kernel, search: Search, entry: Entry, depths: slice, listed: bool
) -> None:
    position = pack_board(chess.Board(entry["fen"]))
    for depth, known in [*enumerate(entry["counts"], 1)][depths]:
        assert kernel.perft(position, search, depth, listed=listed) == known, depth


def test_a_stopped_count_is_no_count(kernel: Kernel, search: Search) -> None:
    search.stop = 1
    position = pack_board(chess.Board())
    assert kernel.perft(position, search, 5) == STOPPED
    assert kernel.perft(position, search, 4, listed=True) == STOPPED


# Sliders


@native(u64(u64, u64))
def diagonal(square: Any, occupied: Any) -> Any:
    """Return a bishop's attacks."""
    return diagonal_attacks(square, occupied)


@native(u64(u64, u64))
def orthogonal(square: Any, occupied: Any) -> Any:
    """Return a rook's attacks."""
    return orthogonal_attacks(square, occupied)


def occupancies(piece: chess.PieceType, square: chess.Square) -> Iterator[int]:
    """Yield every choice of pieces on the inner squares of the lines; others by chance.

    A piece on the last square of a line changes no attack.
    """
    mask = chess.BB_DIAG_MASKS[square]
    if piece == chess.ROOK:
        mask = chess.BB_RANK_MASKS[square] | chess.BB_FILE_MASKS[square]
    random, inner = Random(square), 0
    while True:
        yield inner | random.getrandbits(64) & ~mask
        inner = (inner - mask) & mask
        if not inner:
            return


def attacks(piece: chess.PieceType, square: chess.Square, occupied: int) -> int:
    """Return the attacks of python-chess."""
    board = chess.BaseBoard.empty()
    board.set_piece_at(square, chess.Piece(piece, chess.WHITE))
    board.occupied |= occupied
    return int(board.attacks_mask(square))


def test_sliders_attack_what_python_chess_says() -> None:
    """Computed, and looked up where the processor has PEXT."""
    ways = ["", cache.EXTRACT] if "bmi2" in cache.features() else [""]
    for function, piece in ((diagonal, chess.BISHOP), (orthogonal, chess.ROOK)):
        compiled: list[Any] = []
        for way in ways:
            target = cache.host()._replace(definitions=way)
            address = place(compile_entry(function, target))
            compiled.append(CFUNCTYPE(c_uint64, c_uint64, c_uint64)(address))
        entries = 0
        for square in chess.SQUARES:
            for occupied in occupancies(piece, square):
                expected = attacks(piece, square, occupied)
                for each in compiled:
                    assert each(square, occupied) == expected, (square, occupied)
                entries += 1
        assert entries == (5248 if piece == chess.BISHOP else 102_400)
        for each in compiled:
            each(64, chess.BB_ALL)  # the square of no king; any answer, but no crash
