"""The nets of help play: no final position that can be reached is without one."""

from __future__ import annotations

import ctypes
from collections import Counter
from itertools import chain
from random import Random
from typing import TYPE_CHECKING

import chess
import numpy as np
import pytest

from solver.board import pack_board
from solver.kernel.border.interface import NO_LIMIT
from solver.kernel.border.parts import SEARCH
from solver.kernel.border.search_struct import (
    NEED_CODES,
    HelpPlay,
    HelpState,
    Nets,
    PositionStruct,
    Search,
)
from solver.kernel.build.loader import load_part
from solver.position_text import uci_line
from solver.stipulations.solving_moves import make_nets
from tests.kernel.compositions.test_help_play import EASILY_LEFT_OUT, lengths, starts
from tests.oracles.walks import SPECIAL_MOVES, Genre, special_genres
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from solver.kernel.border.interface import Kernel

BUCKETS = 1 << 12
BOARDS = (1, 2, 4, 8, 12, 16)
"""The boards of a kind in a move: pawn, knight, bishop, rook, queen, king."""

KING = 5
FAR, LAST, FREE, CAPTURED = 6, 7, NEED_CODES - 2, NEED_CODES - 1
"""Parts of codes, as in `solver.kernel.compositions.net_needs`."""

MANY = 500
STEPS = 300_000
"""Positions whose list takes longer are left out."""

STALEMATES = {
    "a pawn is blocked by a rook": (
        "8/8/8/8/4N3/1p6/4R3/2K3k1 b - - 0 1",
        "g1f1 e4g3 f1g1 e2b2",
    ),
    "a pawn is blocked by a pawn": ("8/8/Q7/2Q4p/8/8/2K4P/5k2 b - - 0 1", "f1e1 h2h4"),
    "a pawn is blocked by a queen": ("7R/5K1k/5p2/6Q1/8/8/8/8 b - - 0 1", "h7h8 g5f5"),
    "a pawn is blocked by its king": (
        "8/K7/P1k5/8/8/8/1q6/8 w - - 0 1",
        "a7a8 b2a3 a8a7 a3f8",
    ),
    "a knight is pinned": ("1K6/5qk1/8/8/1N6/8/8/4q3 w - - 0 1", "b4a6 e1a5 b8a8 f7c7"),
    "a bishop is pinned": ("b7/5Q2/8/Q7/8/2K5/8/2k5 b - - 0 1", "a8e4 a5a1 e4b1 f7d7"),
    "a rook is pinned": ("5q2/8/b7/8/1n3R2/8/8/K1k5 w - - 0 1", "f4e4 f8f7 e4e5 f7g7"),
    "a knight is pinned along a diagonal": (
        "k2n4/2K5/1P6/8/8/8/4B3/8 b - - 0 1",
        "d8b7 e2f3",
    ),
    "a pinned knight attacks a piece": (
        "k7/3n4/BP6/8/8/8/8/K2R4 b - - 0 1",
        "d7b8 d1d8",
    ),
    "a pawn was taken en passant": (
        "k7/1pn5/3K4/P7/8/8/8/8 b - - 0 1",
        "b7b5 a5b6 a8b8 d6c6 b8a8 c6c7",
    ),
    "castling stalemates": (
        "4k1QB/3P4/8/8/8/8/8/R3K2R b KQ - 0 1",
        "e8d7 h1g1 d7e7 e1c1",
    ),
}
"""Positions and lines that end with stalemate, as the test checks with python-chess."""

MATES = {
    "the piece that checks went away and came back": (
        "3k4/6q1/7R/3K1n2/3q4/8/8/8 w - - 0 1",
        "d5e6 g7g4 h6h3 g4g8 e6f5 g8g4",
    ),
    "the attacker's king leaves the field": (
        "8/8/8/2Q5/8/2K3Q1/8/1k6 w - - 0 1",
        "g3d3 b1a1 c3d4 a1b2 c5a3",
    ),
    "a piece blocks a check to the attacker": (
        "5r1k/6N1/6K1/8/8/8/8/R7 b - - 0 1",
        "f8g8 a1h1",
    ),
    "a knight and a line check": ("5q1k/6N1/6KN/8/8/8/8/7R b - - 0 1", "f8g8 h6f7"),
    "a pawn on the line is captured": (
        "8/5K2/7k/7p/8/6N1/8/7R b - - 0 1",
        "h6h7 g3h5 h7h8 h5f6",
    ),
    "castling mates": ("r3k2r/4R1R1/2P5/8/3P2N1/8/8/R3K2R b KQkq - 0 1", "e8f8 e1g1"),
    "the mated king castled": (
        "r2Bk3/8/8/8/8/2B5/7r/R3K2R w KQq - 0 1",
        "c3g7 a8a2 e1g1 a2g2",
    ),
    "the mated side promoted": (
        "q7/8/1K2P3/8/8/8/1k6/2q5 w - - 0 1",
        "e6e7 c1c3 e7e8q c3a5",
    ),
    "a promoted pawn takes a flight": (
        "5Q2/8/8/8/8/7K/2p5/k7 b - - 0 1",
        "c2c1r h3h4 c1b1 f8a3",
    ),
    "the second check goes through the king": (
        "7R/8/7N/7k/5P2/5P2/8/K7 b - - 0 1",
        "h5h4 h6f5",
    ),
    "a second check stops an answer": (
        "5q1k/6p1/7N/8/8/8/8/K6R b - - 0 1",
        "f8g8 h6f7",
    ),
    "the attacker's king is behind a pawn": (
        "5r1k/6p1/6K1/8/8/8/8/R7 b - - 0 1",
        "f8g8 a1h1",
    ),
    "a pawn is in the way of an answer": (
        "4k3/4p3/4N3/8/2B5/B7/K7/5r2 b - - 0 1",
        "f1f7 c4b5",
    ),
    "a pawn beside the king is in the way of an answer": (
        "6N1/8/4p1K1/8/3bk3/R5B1/8/8 b - - 0 1",
        "e6e5 g8f6",
    ),
    "the king captures a piece in the way": (
        "5Nk1/8/8/8/6K1/8/8/R7 w - - 0 1",
        "g4g5 g8f8 g5g6 f8g8 a1a8",
    ),
    "a piece in the way is captured": (
        "R3nk2/8/3N2K1/8/8/8/8/8 b - - 0 1",
        "f8g8 d6e8 g8h8 e8d6",
    ),
    "castling long saves a move": (
        "8/8/8/8/8/1k6/7B/R3K3 w Q - 0 1",
        "e1c1 b3a2 d1d2 a2a1 h2e5",
    ),
    "the rook castled away and came back": (
        "8/6B1/8/k7/8/8/7p/R3K3 b Q - 0 1",
        "a5b4 e1c1 b4a3 c1c2 a3a2 d1a1",
    ),
    "Black's rook castled away and came back": (
        "r3k3/7P/8/8/K7/8/6b1/8 w q - 0 1",
        "a4b5 e8c8 b5a6 c8c7 a6a7 d8a8",
    ),
    "a double check mates": ("8/7b/8/8/8/1k1r4/7r/K5n1 w - - 0 1", "a1b1 d3d1"),
    "a pinned piece cannot take": (
        "3k4/8/8/8/3n4/qQK5/q6N/4Q3 b - - 0 1",
        "a2e2 e1c1 d4b5",
    ),
}
"""The same with mate."""


@pytest.fixture(scope="module")
def table() -> ctypes.Array[ctypes.c_uint64]:
    return (ctypes.c_uint64 * (BUCKETS * 8))()


@pytest.fixture
def search(table: ctypes.Array[ctypes.c_uint64]) -> Search:
    return Search(
        node_limit=NO_LIMIT,
        table=ctypes.addressof(table),
        generation=1,
        buckets=BUCKETS,
    )


@pytest.fixture(scope="module")
def nets() -> Nets:
    return make_nets(is_stalemate=False)


def play_with_nets(
    kernel: Kernel, position: PositionStruct, plies: int, nets: Nets, *, stalemate: bool
) -> HelpPlay | None:
    """Return the state before an enumeration with nets; None if they take too long."""
    play = HelpPlay.of(position, plies, is_stalemate=stalemate)
    play.nets = ctypes.addressof(nets)
    nets.set_up(position, is_attacking=plies % 2 == 1)
    nets.is_stalemate, nets.budget = stalemate, STEPS
    return play if kernel.list_nets(play, Search()) else None


def solutions(kernel: Kernel, search: Search, play: HelpPlay) -> list[tuple[int, ...]]:
    """Return all solutions, with an empty table at first.

    At the search's node limit, these are the solutions so far.
    """
    ctypes.memset(search.table, 0, BUCKETS * 64)
    found: list[tuple[int, ...]] = []
    state = HelpState.PAUSED
    while state is HelpState.PAUSED:
        lines, state = kernel.solutions(play, search)
        found += map(tuple, lines)
    assert state is HelpState.COMPLETE or search.nodes == search.node_limit
    return found


@sized("count", 10, MANY)
def test_the_solutions_are_those_of_the_search_without_nets(
    help_kernel: Kernel, search: Search, nets: Nets, count: int
) -> None:
    nodes = {True: 0, False: 0}
    compared = number = 0
    for board in starts(count, 71):
        for plies in lengths(board, 100_000 if count == MANY else 8_000):
            for stalemate in (False, True):
                play = play_with_nets(
                    help_kernel, pack_board(board), plies, nets, stalemate=stalemate
                )
                if play is None:
                    continue
                found = solutions(help_kernel, search, play)
                nodes[True] += search.nodes
                search.nodes = 0
                plain = HelpPlay.of(pack_board(board), plies, is_stalemate=stalemate)
                plain.is_pruned = 0
                expected = solutions(help_kernel, search, plain)
                nodes[False] += search.nodes
                search.nodes = 0
                assert found == expected, (board.fen(), plies, stalemate)
                compared += 1
                number += len(expected)
    assert compared > 5 * count
    assert number > (1_000_000 if count == MANY else count)
    assert nodes[True] < nodes[False] / 2


@pytest.mark.parametrize("mirrored", [False, True], ids=["White", "Black"])
@pytest.mark.parametrize(
    ("fen", "plies", "number"),
    [  # Popeye finds as many, and in the second case also one that is shorter.
        ("8/6B1/8/k7/8/8/7p/R3K3 b Q - 0 1", 6, 1),
        ("8/6B1/8/k7/8/8/8/R3K3 b Q - 0 1", 8, 456),
    ],
)
def test_a_rook_that_castled_may_come_back_to_mate(
    help_kernel: Kernel,
    search: Search,
    nets: Nets,
    fen: str,
    plies: int,
    number: int,
    mirrored: bool,
) -> None:
    board = chess.Board(fen)
    position = pack_board(board.mirror() if mirrored else board)
    play = play_with_nets(help_kernel, position, plies, nets, stalemate=False)
    assert play is not None
    assert len(solutions(help_kernel, search, play)) == number


def special_moves(board: chess.Board, line: tuple[str, ...]) -> set[str]:
    """Return the special moves of a line of play."""
    board = board.copy(stack=False)
    castling = set()
    for rook in chess.SquareSet(board.castling_rights):
        castling |= {rook, chess.E1 if rook < chess.A8 else chess.E8}
    found = set()
    for word in line:
        move = chess.Move.from_uci(word)
        start, end = move.from_square, move.to_square
        is_pawn = board.piece_type_at(start) == chess.PAWN
        is_capture = board.is_capture(move)
        has = {
            "castling": board.is_castling(move),
            "by castling": is_capture and start in castling,
            "of castling": end in castling,
            "promotion": move.promotion is not None,
            "double step": is_pawn and abs(start - end) == 16,
            "en passant": board.is_en_passant(move),
        }
        found |= {what for what, is_so in has.items() if is_so}
        if board.is_castling(move):
            castling -= {start + 3 if end > start else start - 4}
            castling |= {end, (start + end) // 2}
        elif start in castling:
            castling |= {end}
        else:
            castling -= {end}
        castling -= {start}
        board.push(move)
    return found


def with_special_moves(
    kernel: Kernel, search: Search, genre: Genre, most: int, *, stalemate: bool
) -> Iterator[tuple[chess.Board, int, list[tuple[int, ...]], set[str]]]:
    """Solve problems of a genre without nets and pruning, in at most so many nodes.

    Yields those that have a special move of the genre in a solution: position, plies,
    solutions, and the special moves of the first of these.
    """
    for board, plies in genre.problems:
        play = HelpPlay.of(
            pack_board(board), plies, is_stalemate=stalemate, is_pruned=False
        )
        search.nodes, search.node_limit = 0, most
        found = solutions(kernel, search, play)
        if search.nodes == most:
            continue
        search.node_limit = NO_LIMIT
        lines = [
            uci_line(pack_board(board), moves, black=not board.turn)
            for moves in found[:8]
        ]
        special = set[str]().union(*(special_moves(board, line) for line in lines))
        if special & genre.special:
            yield board, plies, found, special


LEAST_SPECIAL = dict(zip(SPECIAL_MOVES, (0.25, 0.1, 0.1, 0.2, 0.1, 0.1), strict=True))
"""The least share of problems that have a special move in a solution."""


@pytest.mark.parametrize(
    ("seed", "count", "most"),
    [  # With this seed, a rook castles and comes back to mate.
        (1002, 500, 20_000),
        pytest.param(77, 20_000, 60_000, marks=pytest.mark.slow),
    ],
)
def test_solutions_with_special_moves_are_found_with_nets(
    help_kernel: Kernel, search: Search, nets: Nets, seed: int, count: int, most: int
) -> None:
    seen: Counter[str] = Counter()
    genres = special_genres(seed)
    for number in range(count):
        stalemate = number // len(genres) % 12 == 0
        for board, plies, expected, special in with_special_moves(
            help_kernel, search, genres[number % len(genres)], most, stalemate=stalemate
        ):
            play = play_with_nets(
                help_kernel, pack_board(board), plies, nets, stalemate=stalemate
            )
            if play is None:
                continue
            at = board.fen(), plies, stalemate
            assert solutions(help_kernel, search, play) == expected, at
            seen.update(special)
            break
    for what, share in LEAST_SPECIAL.items():
        assert seen[what] > share * count, what


def is_listed(nets: Nets, moves: list[int]) -> bool:
    """Return whether a net agrees with the position after these moves.

    That is: each of its pieces is where it says, and no piece where it says none is.
    """
    # 1. Play the moves with the slots, in the attacker's view.
    slots = {square: slot for square, slot in enumerate(nets.slot_at[0]) if slot != 255}
    kinds = list(nets.kinds[: nets.slots])
    for ply, move in enumerate(moves):
        turn = 0 if (len(moves) - ply) % 2 else 56
        start, end = (move & 63) ^ turn, (move >> 6 & 63) ^ turn
        slot = slots.pop(start)
        if kinds[slot] % 6 == 0 and end not in slots and (start ^ end) & 7:
            del slots[start & 56 | end & 7]  # en passant
        slots[end] = slot
        kinds[slot] = kinds[slot] // 6 * 6 + BOARDS.index(move >> 12)
        if kinds[slot] % 6 == KING and abs(start - end) == 2:
            rook = slots.pop(start & 56 | (7 if end > start else 0))
            slots[(start + end) // 2] = rook

    # 2. Look for a net that agrees.
    squares = {slot: square for square, slot in slots.items()}
    mated = squares[kinds.index(6 + KING)]
    size, most = nets.size, nets.most
    codes = (ctypes.c_uint16 * (nets.slots * most)).from_address(nets.codes)
    clear = (ctypes.c_uint64 * size).from_address(nets.clear)
    occupied = np.uint64(sum(1 << square for square in slots))
    agrees = np.frombuffer(clear, np.uint64) & occupied == 0
    for slot, column in enumerate(np.frombuffer(codes, np.uint16).reshape(-1, most)):
        allowed = [FREE, CAPTURED]
        if slot in squares:
            kind, square = kinds[slot] % 6, squares[slot]
            allowed = [FREE, kind * 64 + square, (kind + LAST) * 64 + square]
            if kinds[slot] == KING:
                allowed.append(FAR * 64 + mated)
        agrees &= np.isin(column[:size], allowed)
    return bool(agrees.any())


def last_ply_in_reach(
    kernel: Kernel,
    search: Search,
    nets: Nets,
    line: list[tuple[PositionStruct, int]],
    *,
    stalemate: bool,
) -> int | None:
    """Return the last ply, before the last move, at which a net is in reach.

    None: not listed. -1: none is, or none agrees with the final position. The line has
    positions and the moves from them; the last is the final position.
    """
    plies = len(line) - 1
    play = play_with_nets(kernel, line[0][0], plies, nets, stalemate=stalemate)
    if play is None:
        return None
    if not is_listed(nets, [move for _, move in line[:-1]]):
        return -1
    if not nets.size:
        return -1
    for ply, (position, move) in enumerate(line):
        ctypes.memmove(play.positions[ply], ctypes.byref(position), 64)
        search.rows[ply][0] = move
        play.sizes[ply] = play.cursors[ply] = 1
    play.ply, play.cursors[plies - 1] = plies - 1, 0
    search.node_limit = search.nodes  # the walk stops where it stands
    kernel.solutions(play, search, 1)
    last: int = play.ply
    return last


def line_of(
    kernel: Kernel, search: Search, fen: str, moves: str
) -> list[tuple[PositionStruct, int]]:
    """Return a line in UCI notation as positions and moves."""
    board = chess.Board(fen)
    line: list[tuple[PositionStruct, int]] = []
    for word in moves.split():
        position = pack_board(board)
        board.push(board.parse_uci(word))
        made = bytes(pack_board(board))
        (move,) = [
            move
            for move in kernel.moves(position, search)
            if bytes(kernel.made(position, search, move)) == made
        ]
        line.append((position, move))
    return [*line, (pack_board(board), 0)]


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(
    ("fen", "moves", "stalemate"),
    [
        *((*case, False) for case in chain(EASILY_LEFT_OUT.values(), MATES.values())),
        *((*case, True) for case in STALEMATES.values()),
    ],
    ids=[*EASILY_LEFT_OUT, *MATES, *STALEMATES],
)
def test_a_net_is_in_reach_to_the_end_of_a_line(
    help_kernel: Kernel,
    search: Search,
    nets: Nets,
    fen: str,
    moves: str,
    stalemate: bool,
) -> None:
    line = line_of(load_part(SEARCH).kernel, search, fen, moves)
    board = chess.Board(fen)
    for word in moves.split():
        board.push_uci(word)
    assert board.is_stalemate() if stalemate else board.is_checkmate(), board.fen()
    for first in range(len(line) - 1):
        rest = line[first:]
        last = last_ply_in_reach(help_kernel, search, nets, rest, stalemate=stalemate)
        assert last == len(rest) - 2, first


def ends_by_chance(
    boards: Iterable[chess.Board], seed: int, longest: int
) -> Iterator[tuple[list[tuple[PositionStruct, int]], bool]]:
    """Play at random; yield the last moves before mates and stalemates.

    A move that mates or stalemates is played whenever there is one, half of the time.
    Yields lines of 1 to `longest` plies, and whether they end with stalemate.
    """
    kernel, random, search = load_part(SEARCH).kernel, Random(seed), Search()
    for board in boards:
        position = pack_board(board)
        played: list[tuple[PositionStruct, int]] = []
        for _ in range(40):
            moves = kernel.moves(position, search)
            if not moves:
                break
            ends = []
            if random.random() < 0.5:
                for move in moves:
                    child = kernel.made(position, search, move)
                    if not kernel.moves(child, search):
                        ends.append((move, child))
            for move, child in ends:
                line = [*played, (position, move), (child, 0)]
                plies = random.randint(1, min(longest, len(line) - 1))
                is_stalemate = not kernel.is_check(child, search)
                yield line[-plies - 1 :], is_stalemate
            move = random.choice(moves)
            played.append((position, move))
            position = kernel.made(position, search, move)


def assert_ends_by_chance_have_a_net(
    kernel: Kernel, search: Search, nets: Nets, boards: Iterable[chess.Board], seed: int
) -> tuple[int, int]:
    """Return how many mates and stalemates have been tested."""
    tested = [0, 0]
    for line, is_stalemate in ends_by_chance(boards, seed, 6):
        last = last_ply_in_reach(kernel, search, nets, line, stalemate=is_stalemate)
        assert last in {None, len(line) - 2}, (bytes(line[0][0]).hex(), len(line))
        tested[is_stalemate] += last is not None
    return tested[0], tested[1]


@pytest.mark.usefixtures("kernel")
def test_mates_and_stalemates_found_by_chance_have_a_net(
    help_kernel: Kernel, search: Search, nets: Nets
) -> None:
    mates, stalemates = assert_ends_by_chance_have_a_net(
        help_kernel, search, nets, starts(30, 72), 72
    )
    assert mates > 100
    assert stalemates > 15


@pytest.mark.slow
@pytest.mark.usefixtures("kernel")
def test_thousands_of_mates_and_stalemates_have_a_net(
    help_kernel: Kernel, search: Search, nets: Nets
) -> None:
    boards = starts(3_000, 76)
    tested = assert_ends_by_chance_have_a_net(help_kernel, search, nets, boards, 76)
    assert sum(tested) > 10_000


@pytest.mark.parametrize(
    ("fen", "plies", "stalemate", "most"),
    [
        # Popeye's examples: BEISPIEL/intell.inp and hpint.inp.
        ("1b4b1/N5K1/8/4p3/r7/k3nq2/3p4/8 b - - 0 1", 10, False, 5_000),
        ("B1k5/1bp5/8/8/3r4/8/2q2p1r/5Kn1 b - - 0 1", 14, False, 90_000),
        ("8/3p4/8/8/6K1/8/5P1k/8 b - - 0 1", 12, True, 5_000),
        ("7k/p7/5N2/8/8/1p6/1Pp1P3/2K5 b - - 0 1", 10, True, 50_000),
    ],
)
def test_long_help_play_takes_few_nodes_with_nets(
    help_kernel: Kernel,
    search: Search,
    nets: Nets,
    fen: str,
    plies: int,
    stalemate: bool,
    most: int,
) -> None:
    position = pack_board(chess.Board(fen))
    play = play_with_nets(help_kernel, position, plies, nets, stalemate=stalemate)
    assert play is not None
    assert len(solutions(help_kernel, search, play)) == 1
    assert search.nodes < most


def test_nets_that_are_listed_midway_change_no_solution(
    help_kernel: Kernel, search: Search, nets: Nets
) -> None:
    fen = "8/8/8/1N1k2K1/5p2/2b5/8/8 b - - 0 1"
    position = pack_board(chess.Board(fen))
    for before in (1, 10, 1_000, 100_000):
        ctypes.memset(search.table, 0, BUCKETS * 64)
        search.nodes = 0
        play = HelpPlay.of(position, 8, is_stalemate=True)
        search.node_limit = before
        found, state = help_kernel.solutions(play, search)
        assert state is HelpState.STOPPED
        search.node_limit = NO_LIMIT
        play.nets = ctypes.addressof(nets)
        nets.set_up(position, is_attacking=False)
        nets.is_stalemate, nets.budget = 1, STEPS
        assert help_kernel.list_nets(play, search)
        rest, state = help_kernel.solutions(play, search)
        assert state is HelpState.COMPLETE
        assert len(found + rest) == 2
        assert search.nodes < before + 5_000


def test_a_listing_gives_up_at_its_budget(help_kernel: Kernel, nets: Nets) -> None:
    play = HelpPlay.of(pack_board(chess.Board()), 6)
    play.nets = ctypes.addressof(nets)
    nets.set_up(pack_board(chess.Board()), is_attacking=False)
    nets.is_stalemate, nets.budget = 0, 1_000
    assert not help_kernel.list_nets(play, Search())
    assert nets.steps < 2_000


def test_a_stop_ends_a_listing(help_kernel: Kernel, nets: Nets) -> None:
    play = HelpPlay.of(pack_board(chess.Board()), 6)
    play.nets = ctypes.addressof(nets)
    nets.set_up(pack_board(chess.Board()), is_attacking=False)
    nets.is_stalemate, nets.budget = 0, NO_LIMIT
    assert not help_kernel.list_nets(play, Search(stop=1))
    assert nets.steps < 100


def test_the_nets_that_are_left_become_fewer(
    help_kernel: Kernel, search: Search, nets: Nets
) -> None:
    position = pack_board(chess.Board("8/8/8/1N1k2K1/5p2/2b5/8/8 b - - 0 1"))
    play = play_with_nets(help_kernel, position, 8, nets, stalemate=True)
    assert play is not None
    left = [nets.size]
    state = HelpState.STOPPED
    while state is HelpState.STOPPED:
        search.node_limit = search.nodes + 5
        _, state = help_kernel.solutions(play, search)
        if state is HelpState.STOPPED:
            left.append(help_kernel.nets_left(play, search))
    assert left == sorted(left, reverse=True)
    assert left[-1] < left[0]
