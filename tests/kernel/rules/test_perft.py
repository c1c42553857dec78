"""Perft gives the published counts, with the last ply listed or counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import pack_board, unpack_move
from solver.kernel.border.interface import STOPPED, Kernel
from tests.oracles.test_perft_data import ENTRIES, Entry
from tests.oracles.test_perft_data import perft as slow_perft

if TYPE_CHECKING:
    from solver.kernel.border.search_struct import PositionStruct, Search

SHALLOW = 4
DEEP = 5

each_position = pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e["name"])


def check(
    kernel: Kernel, search: Search, entry: Entry, depth: int, *, listed: bool = False
) -> None:
    board = chess.Board(entry["fen"])
    found = kernel.perft(pack_board(board), search, depth, listed=listed)
    if found != entry["counts"][depth - 1]:
        pytest.fail(divide(kernel, search, board, depth))


def divide(kernel: Kernel, search: Search, board: chess.Board, depth: int) -> str:
    """Follow the counts that differ from python-chess down to the wrong moves."""
    position = pack_board(board)
    moves = {unpack_move(board, word): word for word in kernel.moves(position, search)}
    legal = set(board.legal_moves)
    if depth == 1 or moves.keys() != legal:
        return (
            f"{board.fen()}: missing {sorted(map(str, legal - moves.keys()))}, "
            f"illegal {sorted(map(str, moves.keys() - legal))}"
        )
    lines = [board.fen()]
    wrong = None
    for move, word in moves.items():
        child = kernel.made(position, search, word)
        found = kernel.perft(child, search, depth - 1)
        board.push(move)
        expected = slow_perft(board, depth - 1)
        board.pop()
        if found != expected:
            wrong = wrong or move
            lines.append(f"  {move}: {found}, not {expected}")
    if wrong:
        board.push(wrong)
        lines.append(divide(kernel, search, board, depth - 1))
        board.pop()
    return "\n".join(lines)


@each_position
def test_counts_are_the_published_ones(
    kernel: Kernel, search: Search, entry: Entry
) -> None:
    for depth in range(1, DEEP + 1):
        check(kernel, search, entry, depth)


@each_position
def test_listing_the_last_ply_counts_the_same(
    kernel: Kernel, search: Search, entry: Entry
) -> None:
    for depth in range(1, SHALLOW + 1):
        check(kernel, search, entry, depth, listed=True)


@pytest.mark.slow
@each_position
def test_deep_counts_are_the_published_ones(
    kernel: Kernel, search: Search, entry: Entry
) -> None:
    for depth in range(DEEP + 1, len(entry["counts"]) + 1):
        check(kernel, search, entry, depth)


def test_a_stopped_count_is_no_count(kernel: Kernel, search: Search) -> None:
    search.stop = 1
    position = pack_board(chess.Board())
    assert kernel.perft(position, search, DEEP) == STOPPED
    assert kernel.perft(position, search, SHALLOW, listed=True) == STOPPED


def test_a_wrong_move_is_named(
    kernel: Kernel, search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_moves = Kernel.moves

    def moves(kernel: Kernel, position: PositionStruct, search: Search) -> list[int]:
        knight = 2
        return [m for m in all_moves(kernel, position, search) if m >> 12 != knight]

    def perft(
        kernel: Kernel,
        position: PositionStruct,
        search: Search,
        depth: int,
        *,
        listed: bool = False,
    ) -> int:
        words = kernel.moves(position, search)
        if depth == 1:
            return len(words)
        made = [kernel.made(position, search, word) for word in words]
        return sum(kernel.perft(p, search, depth - 1, listed=listed) for p in made)

    monkeypatch.setattr(Kernel, "moves", moves)
    monkeypatch.setattr(Kernel, "perft", perft)
    fen = "7k/8/P7/8/8/8/8/K7 b - - 0 1"
    entry: Entry = {"name": "", "fen": fen, "source": "", "counts": [3, 12, 72, 504]}
    with pytest.raises(pytest.fail.Exception) as failure:
        check(kernel, search, entry, 4)
    assert "missing ['a7a8n'], illegal []" in str(failure.value)
