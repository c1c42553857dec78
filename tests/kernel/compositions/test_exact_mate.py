"""Exact mates, which more moves do not help, agree with their definition."""

from __future__ import annotations

import ctypes
from itertools import islice
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import pack_board, unpack_move
from solver.kernel.border.interface import NO_LIMIT, Decision
from solver.kernel.border.search_struct import BattlePlay, Search
from solver.problem import Goal, Play, Stipulation
from tests.oracles import battle_play as oracle
from tests.oracles import walks
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.kernel.border.interface import Kernel

EXACT = Stipulation(Play.DIRECT, Goal.MATE, 1, exact=True)
BUCKET_BYTES = 64
MANY = 256


class Exact:
    """The kernel with one table, which all lengths and positions share."""

    def __init__(self, kernel: Kernel, buckets: int = 1 << 12) -> None:
        self.kernel = kernel
        self._memory = (ctypes.c_char * (buckets * BUCKET_BYTES))()
        self.search = Search(
            node_limit=NO_LIMIT,
            table=ctypes.addressof(self._memory),
            buckets=buckets,
            play=BattlePlay.EXACT_MATE,
        )

    def reaches(self, board: chess.Board, moves: int, *, attacking: bool) -> bool:
        verdict = self.kernel.reaches_within(
            pack_board(board), self.search, moves, attacking=attacking
        )
        assert verdict is not Decision.STOPPED
        return verdict is Decision.MATE

    def solving(self, board: chess.Board, moves: int) -> set[str]:
        return self._names(
            board, self.kernel.solving_moves(pack_board(board), self.search, moves)
        )

    def refutations(self, board: chess.Board, moves: int) -> set[str]:
        return self._names(
            board, self.kernel.refutations(pack_board(board), self.search, moves, MANY)
        )

    def line(self, board: chess.Board, moves: int) -> chess.Board:
        """Return the board at the end of the line."""
        end = board.copy()
        for word in self.kernel.line(pack_board(board), self.search, moves):
            move = unpack_move(end, word)
            assert end.is_legal(move)
            end.push(move)
        return end

    @staticmethod
    def _names(board: chess.Board, words: list[int] | None) -> set[str]:
        assert words is not None
        return {unpack_move(board, word).uci() for word in words}


def agrees(exact: Exact, board: chess.Board, n: int) -> bool:
    """Compare the answers about one position; return whether it has a solution."""
    about = f"{board.fen()}: exact-#{n}"
    keys = oracle.keys(board, EXACT, n)
    assert exact.reaches(board, n, attacking=True) == bool(keys), about
    assert exact.solving(board, n) == keys, about
    lost = oracle.is_lost(board, EXACT, n - 1)
    assert exact.reaches(board, n - 1, attacking=False) == lost, about
    refutations = oracle.refutations(board, EXACT, n - 1)
    assert exact.refutations(board, n - 1) == refutations, about
    if keys:
        end = exact.line(board, n)
        assert end.is_checkmate(), about
        assert len(end.move_stack) == 2 * n - 1, about
    return bool(keys)


def positions(count: int, seed: int, most_moves: int) -> Iterator[chess.Board]:
    """Yield small positions whose side to move has a major piece, and few moves.

    The other side has a king and at most one piece more.
    """
    boards = walks.small_positions(1000 * count, seed)
    major = (
        board
        for board in boards
        if (board.queens | board.rooks) & board.occupied_co[board.turn]
        and chess.popcount(board.occupied_co[not board.turn]) < 3
        and 0 < board.legal_moves.count() <= most_moves
    )
    return islice(major, count)


@sized("count", 60, 600)
def test_exact_mates_are_as_defined(battle_kernel: Kernel, count: int) -> None:
    exact = Exact(battle_kernel)
    solved = [0, 0, 0]
    for board in positions(count, seed=21, most_moves=24):
        for n in (2, 1):
            solved[n] += agrees(exact, board, n)
    assert min(solved[1:]) >= count // 30, solved


@sized("count", 8, 320)
def test_exact_mates_in_three_are_as_defined(battle_kernel: Kernel, count: int) -> None:
    exact = Exact(battle_kernel)
    solved = 0
    for board in positions(count, seed=22, most_moves=16):
        for n in (3, 1, 2):
            solved += agrees(exact, board, n)
    assert solved >= count // 8


@sized("count", 20, 400)
def test_exact_mates_on_full_boards_are_as_defined(
    battle_kernel: Kernel, count: int
) -> None:
    exact = Exact(battle_kernel)
    for board in walks.random_positions(count, seed=23):
        agrees(exact, board, 1)
    for board in walks.crowded_positions(count, seed=23):
        agrees(exact, board, 1)


@pytest.mark.parametrize("buckets", [1, 64])
def test_the_table_changes_no_exact_mate(battle_kernel: Kernel, buckets: int) -> None:
    small, large = Exact(battle_kernel, buckets), Exact(battle_kernel)
    for board in positions(60, seed=24, most_moves=40):
        for n in (3, 1, 2, 3):
            found = large.reaches(board, n, attacking=True)
            assert small.reaches(board, n, attacking=True) == found, board.fen()


def test_more_moves_do_not_help_an_exact_mate(battle_kernel: Kernel) -> None:
    """Black makes room for its king."""
    exact = Exact(battle_kernel)
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    for n in (1, 2, 1):
        assert exact.reaches(board, n, attacking=True) == (n == 1)
        assert exact.solving(board, n) == ({"d1d8"} if n == 1 else set())
