"""Help play in the kernel: the solutions, and the proof that a position is hopeless."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import pack_board
from solver.kernel.border.search_struct import (
    HELP_LINE_WORDS,
    HelpPlay,
    HelpState,
    Search,
)
from tests.kernel.compositions.help_lines import (
    EASILY_LEFT_OUT,
    lengths,
    lines_of,
    named,
    starts,
)
from tests.oracles import help_play, special, walks
from tests.sizes import sized

if TYPE_CHECKING:
    from solver.kernel.border.interface import Kernel


LEAVES = 1_500
"""The oracle searches lengths whose number of lines is about this, or fewer."""


ENDED = (
    "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
    "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1",
    "7k/8/8/8/8/8/8/K7 b - - 0 1",
)
"""A mate, a stalemate, and kings alone."""


def assert_equal_to_the_oracle(
    kernel: Kernel, search: Search, board: chess.Board, plies: int
) -> int:
    """Compare both goals, with and without pruning; return the number of solutions."""
    number = 0
    for stalemate in (False, True):
        expected = help_play.of_length(board.copy(), plies, stalemate=stalemate)
        for pruned in (False, True):
            found = lines_of(
                kernel, search, board, plies, stalemate=stalemate, pruned=pruned
            )
            assert sorted(found) == sorted(expected), (board.fen(), plies, stalemate)
        number += len(expected)
    return number


@pytest.mark.parametrize(
    ("count", "leaves", "part"),
    [
        (8, LEAVES, slice(None)),
        *(  # about 6 minutes each, most of them the oracle's
            pytest.param(500, 8 * LEAVES, slice(first, None, 8), marks=pytest.mark.slow)
            for first in range(8)
        ),
    ],
)
def test_solutions_equal_the_oracle_on_random_positions(
    help_kernel: Kernel, search: Search, count: int, leaves: int, part: slice
) -> None:
    boards = [*walks.small_positions(count, 31), *walks.random_positions(count, 32)]
    boards += special.all_kinds(count, 33)
    boards += map(chess.Board, ENDED)
    number = sum(
        assert_equal_to_the_oracle(help_kernel, search, board, plies)
        for board in boards[part]
        for plies in lengths(board, leaves)
    )
    assert number > len(boards[part]) // 4  # not all are without solutions


@sized("count", 40, 3_000)
def test_pruning_changes_no_solution_but_the_number_of_nodes(
    help_kernel: Kernel, search: Search, count: int
) -> None:
    nodes = {True: 0, False: 0}
    seen: Counter[str] = Counter()
    for board in (*starts(count, 35), *special.all_kinds(2 * count, 43)):
        pieces = chess.popcount(board.occupied)
        for plies in (2, 3, 4) if pieces < 8 else (2, 3):
            found = {}
            for pruned in nodes:
                search.nodes = 0
                found[pruned] = lines_of(
                    help_kernel, search, board, plies, pruned=pruned
                )
                nodes[pruned] += search.nodes
            assert found[True] == found[False], (board.fen(), plies)
            for line in found[True][:8]:
                seen.update(what for _, what in special.specials_of(board, line))
    for what in ("castling", "en passant", "promotion"):
        assert seen[what] > count // 4, seen
    assert nodes[True] < nodes[False] / 2


@sized("count", 60, 3_000)
def test_a_table_of_one_bucket_changes_no_solution(
    help_kernel: Kernel, search: Search, count: int
) -> None:
    """Positions that differ in rights or in the plies left share it."""
    for board in special.all_kinds(count, seed=44):
        plies = 4 if board.legal_moves.count() < 12 else 3
        buckets, search.buckets = search.buckets, 1
        found = lines_of(help_kernel, search, board, plies)
        search.buckets = buckets
        expected = lines_of(help_kernel, search, board, plies)
        assert found == expected, (board.fen(), plies)


@pytest.mark.parametrize(("fen", "line"), EASILY_LEFT_OUT.values(), ids=EASILY_LEFT_OUT)
def test_no_position_on_the_way_to_a_mate_is_hopeless(
    help_kernel: Kernel, search: Search, fen: str, line: str
) -> None:
    board, moves = chess.Board(fen), line.split()
    assert (*moves,) in lines_of(help_kernel, search, board, len(moves))
    for played, move in enumerate(moves):
        play = HelpPlay.of(pack_board(board), len(moves) - played)
        assert not help_kernel.is_hopeless(play), board.fen()
        assert chess.Move.from_uci(move) in board.legal_moves
        board.push_uci(move)
    assert board.is_checkmate()


def test_an_enumeration_goes_on_after_a_full_buffer(
    help_kernel: Kernel, search: Search
) -> None:
    board = chess.Board("7k/8/8/8/8/8/6R1/R3K3 b Q - 0 1")
    at_once = lines_of(help_kernel, search, board, 8)
    assert len(at_once) > HELP_LINE_WORDS // 8  # more than one buffer
    assert len(set(at_once)) == len(at_once)
    assert lines_of(help_kernel, search, board, 8, most=997) == at_once
    few = lines_of(help_kernel, search, board, 6)
    assert lines_of(help_kernel, search, board, 6, most=1) == few


def test_an_enumeration_goes_on_after_a_node_limit(
    help_kernel: Kernel, search: Search
) -> None:
    board = chess.Board("7k/8/5K2/8/8/8/8/R7 b - - 0 1")
    expected = lines_of(help_kernel, search, board, 6)
    play = HelpPlay.of(pack_board(board), 6)
    found = []
    state = HelpState.STOPPED
    stops = 0
    while state is not HelpState.COMPLETE:
        search.node_limit = search.nodes + 7
        lines, state = help_kernel.solutions(play, search)
        found += named(board, [*map(tuple, lines)])
        stops += state is HelpState.STOPPED
        assert search.nodes <= search.node_limit
    assert found == expected
    assert stops > 100

    play = HelpPlay.of(pack_board(chess.Board()), 400)  # the longest
    search.node_limit = search.nodes + 100_000
    assert help_kernel.solutions(play, search)[1] is HelpState.STOPPED
    assert search.nodes == search.node_limit
    search.stop = 1
    assert help_kernel.solutions(play, search) == ([], HelpState.STOPPED)
    assert search.nodes == search.node_limit
