"""Help play in the kernel: the solutions, and the proof that a position is hopeless."""

from __future__ import annotations

import ctypes
from collections import Counter
from itertools import chain, islice
from random import Random
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import pack_board
from solver.kernel.border.interface import NO_LIMIT
from solver.kernel.border.parts import SEARCH
from solver.kernel.border.search_struct import (
    HELP_LINE_WORDS,
    HelpPlay,
    HelpState,
    PositionStruct,
    Search,
)
from solver.kernel.build.loader import load_part
from solver.position_text import uci_line
from tests.oracles import help_play, special, walks
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from solver.kernel.border.interface import Kernel

BUCKETS = 1 << 10
BUCKET_WORDS = 8

LEAVES = 1_500
"""The oracle searches lengths whose number of lines is about this, or fewer."""

SPECIAL = {
    "promotion to a knight mates": ("7k/5PpK/6pp/8/8/8/8/8 w - - 0 1", 1),
    "promotion of the mated side": ("6kR/4r3/5K2/8/8/8/p7/8 b - - 0 1", 2),
    "two promotions": ("8/P6k/8/8/8/8/p6K/8 w - - 0 1", 3),
    "castling mates": ("8/8/8/8/8/8/7R/2kBK2R w K - 0 1", 1),
    "castling long": ("3k4/R7/8/8/8/8/2P1P3/R3K3 b Q - 0 1", 2),
    "castling of the mated side": ("4k2r/8/5K1Q/8/8/8/8/6R1 b k - 0 1", 2),
    "a move of the rook ends castling": ("r3k3/8/8/8/8/8/8/R3K3 w Qq - 0 1", 3),
    "en passant at once": ("8/8/8/k1pP4/P1K5/1R6/8/8 w - c6 0 1", 1),
    "en passant by the mated side": ("8/8/8/8/3pPk1K/8/8/5R2 b - e3 0 1", 2),
    "en passant after a double step": ("7k/3p3p/8/4P2N/8/8/1B6/6RK b - - 0 1", 2),
    "en passant opens a line": ("8/8/8/K2pP2r/8/8/k7/8 w - d6 0 1", 3),
    "check must be answered": ("4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1", 3),
    "already mated": ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", 2),
    "already stalemated": ("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", 2),
    "only kings": ("7k/8/8/8/8/8/8/K7 b - - 0 1", 4),
}


EASILY_LEFT_OUT = {
    "a piece takes back where its pawn was taken": (
        "8/1B6/3p1P1q/5pB1/1p2p3/1Pk3p1/2Pb3p/1K6 b - - 0 1",
        "h6f6 g5f6",
    ),
    "a rook goes where its pawn was taken en passant": (
        "3rkr2/3p1p2/8/8/3pP2R/8/8/K7 b - e3 0 1",
        "d4e3 h4e4",
    ),
    "a queen goes along a rank that en passant clears": (
        "3RBR2/4K3/5nb1/1qPp4/4kb2/8/8/8 w - d6 0 1",
        "c5d6 b5e5",
    ),
    "castling checks with the rook and guards with the king": (
        "8/B7/5B2/4R3/2p5/2pkn3/8/R3K3 b Q - 0 1",
        "e3f5 e1c1",
    ),
    "the only piece that can block moves twice": (
        "8/8/1B6/8/4R3/r7/8/3k1K2 b - - 0 1",
        "a3a2 b6a5 a2c2 e4e1",
    ),
    "the rook moves on after castling": (
        "8/8/5n2/8/7p/6k1/8/4K2R b K - 0 1",
        "f6g4 e1g1 g3h3 f1f3",
    ),
    "the mated king castles into the mate": (
        "r3k3/7Q/8/8/5B2/8/8/1K6 b q - 0 1",
        "e8c8 h7c7",
    ),
    "the king makes way for the other king": (
        "7k/8/6K1/8/8/8/8/R7 w - - 0 1",
        "g6f7 h8h7 a1h1",
    ),
    "the king opens a line": ("7k/p6p/8/8/3K4/8/1B6/6R1 b - - 0 1", "a7a6 d4d5"),
    "en passant opens a line of two pawns": (
        "8/3p4/4R3/R3P2k/1R6/8/8/K7 b - - 0 1",
        "d7d5 e5d6",
    ),
}
"""Positions and lines that end with mate, as the test checks with python-chess."""


@pytest.fixture
def table() -> ctypes.Array[ctypes.c_uint64]:
    return (ctypes.c_uint64 * (BUCKETS * BUCKET_WORDS))()


@pytest.fixture
def search(table: ctypes.Array[ctypes.c_uint64]) -> Search:
    return Search(
        node_limit=NO_LIMIT,
        table=ctypes.addressof(table),
        generation=1,
        buckets=BUCKETS,
    )


def lines_of(
    kernel: Kernel,
    search: Search,
    board: chess.Board,
    plies: int,
    *,
    stalemate: bool = False,
    pruned: bool = True,
    most: int | None = None,
) -> list[tuple[str, ...]]:
    """Return all solutions, with an empty table at first."""
    ctypes.memset(search.table, 0, BUCKETS * BUCKET_WORDS * 8)
    play = HelpPlay.of(
        pack_board(board), plies, is_stalemate=stalemate, is_pruned=pruned
    )
    found = []
    state = HelpState.PAUSED
    while state is HelpState.PAUSED:
        lines, state = kernel.solutions(play, search, most)
        found += [
            uci_line(pack_board(board), line, black=not board.turn) for line in lines
        ]
    assert state is HelpState.COMPLETE
    return found


def lengths(board: chess.Board, leaves: int) -> Iterator[int]:
    """Yield the numbers of plies for which the tree has about `leaves` lines."""
    after = board.copy(stack=False)
    after.turn = not after.turn
    branches = max(board.legal_moves.count() * after.legal_moves.count(), 1) ** 0.5
    for plies in range(1, 8):
        if branches**plies > leaves:
            return
        yield plies


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


@pytest.mark.parametrize(("fen", "plies"), SPECIAL.values(), ids=SPECIAL)
def test_special_moves_and_positions_are_solved_as_by_the_oracle(
    help_kernel: Kernel, search: Search, fen: str, plies: int
) -> None:
    for length in range(1, plies + 1):
        assert_equal_to_the_oracle(help_kernel, search, chess.Board(fen), length)


@sized("count", 10, 40)
def test_solutions_equal_the_oracle_on_random_positions(
    help_kernel: Kernel, search: Search, count: int
) -> None:
    boards = chain(walks.small_positions(count, 31), walks.random_positions(count, 32))
    number = sum(
        assert_equal_to_the_oracle(help_kernel, search, board, plies)
        for board in boards
        for plies in lengths(board, LEAVES)
    )
    assert number > count // 2  # the positions are not all without solutions


@pytest.mark.slow
@pytest.mark.parametrize("every_eighth", range(8))
def test_solutions_equal_the_oracle_on_a_thousand_positions(
    help_kernel: Kernel, search: Search, every_eighth: int
) -> None:
    """About 6 minutes each, most of them the oracle's."""
    boards = chain(walks.small_positions(500, 33), walks.random_positions(500, 34))
    for board in islice(boards, every_eighth, None, 8):
        for plies in lengths(board, 8 * LEAVES):
            assert_equal_to_the_oracle(help_kernel, search, board, plies)


def test_pruning_changes_no_solution_but_the_number_of_nodes(
    help_kernel: Kernel, search: Search
) -> None:
    boards = chain(
        walks.small_positions(150, 35),
        walks.random_positions(60, 36),
        walks.crowded_positions(60, 37),
    )
    nodes = {True: 0, False: 0}
    for board in boards:
        plies = 4 if chess.popcount(board.occupied) < 8 else 3
        found = {}
        for pruned in nodes:
            search.nodes = 0
            found[pruned] = lines_of(help_kernel, search, board, plies, pruned=pruned)
            nodes[pruned] += search.nodes
        assert found[True] == found[False], (board.fen(), plies)
    assert nodes[True] < nodes[False] / 2


@pytest.mark.slow
def test_pruning_changes_no_solution_on_thousands_of_positions(
    help_kernel: Kernel, search: Search
) -> None:
    boards = chain(
        walks.small_positions(3000, 38),
        walks.random_positions(3000, 39),
        walks.crowded_positions(3000, 40),
    )
    for board in boards:
        count = chess.popcount(board.occupied)
        for plies in (2, 3, 4, 5) if count < 6 else (2, 3, 4) if count < 12 else (2, 3):
            found = [
                lines_of(help_kernel, search, board, plies, pruned=pruned)
                for pruned in (True, False)
            ]
            assert found[0] == found[1], (board.fen(), plies)


def mates_with_special_moves(board: chess.Board, plies: int) -> set[tuple[str, ...]]:
    """Return the mates in one or two plies with a special move, by python-chess."""
    found: set[tuple[str, ...]] = set()
    for move in list(board.legal_moves):
        is_special = special.name_special(board, move) != ""
        board.push(move)
        if plies == 1 and is_special and board.is_checkmate():
            found.add((move.uci(),))
        for last in list(board.legal_moves) if plies == 2 else []:
            if is_special or special.name_special(board, last):
                board.push(last)
                if board.is_checkmate():
                    found.add((move.uci(), last.uci()))
                board.pop()
        board.pop()
    return found


@pytest.mark.parametrize("kind", special.KINDS)
@sized("count", 400, 50_000)
def test_no_solution_with_a_special_move_is_pruned(
    help_kernel: Kernel, search: Search, kind: str, count: int
) -> None:
    seen: Counter[tuple[int, str]] = Counter()
    for board in special.special_positions(kind, count, seed=43):
        for plies in (1, 2):
            found = lines_of(help_kernel, search, board, plies)
            every = lines_of(help_kernel, search, board, plies, pruned=False)
            assert found == every, (board.fen(), plies)
            expected = mates_with_special_moves(board, plies)
            assert expected <= set(found), (board.fen(), plies)
            for line in expected:
                seen.update(special.specials_of(board, line))
    name = "en passant" if kind == "double step" else kind
    assert seen[0, name] + seen[1, name] >= count // 300, seen


@sized("count", 60, 3_000)
def test_a_table_of_one_bucket_changes_no_solution(
    help_kernel: Kernel, search: Search, count: int
) -> None:
    """Positions that differ in rights or in the plies left share it."""
    for board in special.all_kinds(count, seed=44):
        plies = 4 if board.legal_moves.count() < 12 else 3
        search.buckets = BUCKETS
        expected = lines_of(help_kernel, search, board, plies)
        search.buckets = 1
        found = lines_of(help_kernel, search, board, plies)
        assert found == expected, (board.fen(), plies)


def test_a_hopeless_position_has_no_solution(
    help_kernel: Kernel, search: Search
) -> None:
    hopeless = 0
    for board in walks.small_positions(300, 41):
        for plies in (1, 2, 3):
            play = HelpPlay.of(pack_board(board), plies)
            if help_kernel.is_hopeless(play):
                hopeless += 1
                assert not lines_of(help_kernel, search, board, plies, pruned=False)
    assert hopeless > 100


@pytest.mark.parametrize(("fen", "line"), EASILY_LEFT_OUT.values(), ids=EASILY_LEFT_OUT)
def test_no_position_on_the_way_to_a_mate_is_hopeless(
    help_kernel: Kernel, search: Search, fen: str, line: str
) -> None:
    board = chess.Board(fen)
    moves = line.split()
    assert (*moves,) in lines_of(help_kernel, search, board, len(moves))
    for played, move in enumerate(moves):
        play = HelpPlay.of(pack_board(board), len(moves) - played)
        assert not help_kernel.is_hopeless(play), board.fen()
        assert chess.Move.from_uci(move) in board.legal_moves
        board.push_uci(move)
    assert board.is_checkmate()


def with_castling(count: int, seed: int) -> Iterator[chess.Board]:
    """Yield positions with kings and rooks at home and up to 12 other pieces."""
    random = Random(seed)
    yielded = 0
    while yielded < count:
        board = chess.Board(None)
        for home, symbol in zip((4, 0, 7, 60, 56, 63), "KRRkrr", strict=True):
            if symbol in "Kk" or random.random() < 0.7:
                board.set_piece_at(home, chess.Piece.from_symbol(symbol))
        for square in random.sample(chess.SQUARES, random.randint(0, 12)):
            symbol = random.choice("PpPpPpPpNnBbRrQq")
            is_last = chess.square_rank(square) in (0, 7)
            if not board.piece_at(square) and not (is_last and symbol in "Pp"):
                board.set_piece_at(square, chess.Piece.from_symbol(symbol))
        board.turn = random.random() < 0.5
        board.castling_rights = board.rooks & chess.BB_CORNERS
        if board.is_valid():
            yielded += 1
            yield board


def assert_not_hopeless_before_mates(
    help_kernel: Kernel, boards: Iterable[chess.Board], seed: int
) -> int:
    """Play at random until a mate in one; no position before it may be hopeless.

    Returns
    -------
    int
        The number of positions and lengths that were tested.
    """
    kernel, random, search = load_part(SEARCH).kernel, Random(seed), Search()
    plays = {plies: HelpPlay.of(PositionStruct(), plies) for plies in (1, 2)}
    tested = 0
    for board in boards:
        position = pack_board(board)
        played: list[PositionStruct] = []
        for _ in range(30):
            played.append(position)
            if kernel.mate_in_one(position, search):
                for plies, before in enumerate(reversed(played[-2:]), 1):
                    play = plays[plies]
                    ctypes.memmove(play.positions, ctypes.byref(before), 64)
                    assert not help_kernel.is_hopeless(play), (board.fen(), plies)
                    tested += 1
            moves = kernel.moves(position, search)
            if not moves:
                break
            position = kernel.made(position, search, random.choice(moves))
    return tested


def starts(count: int, seed: int) -> Iterator[chess.Board]:
    """Yield positions of four kinds, `count` of each."""
    return chain(
        walks.small_positions(count, seed),
        walks.random_positions(count, seed + 1),
        walks.crowded_positions(count, seed + 2),
        with_castling(count, seed + 3),
    )


@pytest.mark.usefixtures("kernel")
def test_no_position_before_a_mate_found_by_chance_is_hopeless(
    help_kernel: Kernel,
) -> None:
    assert assert_not_hopeless_before_mates(help_kernel, starts(500, 42), 42) > 1_000


@pytest.mark.slow
@pytest.mark.usefixtures("kernel")
def test_no_position_before_many_mates_is_hopeless(help_kernel: Kernel) -> None:
    boards = starts(40_000, 46)
    assert assert_not_hopeless_before_mates(help_kernel, boards, 46) > 100_000


def test_a_lone_king_never_mates(help_kernel: Kernel) -> None:
    board = chess.Board("8/8/8/8/8/k7/8/K1q5 b - - 0 1")
    assert help_kernel.is_hopeless(HelpPlay.of(pack_board(board), 400))


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
        found += [
            uci_line(pack_board(board), line, black=not board.turn) for line in lines
        ]
        stops += state is HelpState.STOPPED
        assert search.nodes <= search.node_limit
    assert found == expected
    assert stops > 100


def test_a_stop_ends_the_enumeration(help_kernel: Kernel, search: Search) -> None:
    play = HelpPlay.of(pack_board(chess.Board()), 6)
    search.stop = 1
    assert help_kernel.solutions(play, search) == ([], HelpState.STOPPED)
    assert search.nodes == 0


def test_the_longest_play_that_can_be_stipulated_is_walked(
    help_kernel: Kernel, search: Search
) -> None:
    search.node_limit = 100_000
    play = HelpPlay.of(pack_board(chess.Board()), 400)
    assert help_kernel.solutions(play, search)[1] is HelpState.STOPPED
    assert search.nodes == search.node_limit
