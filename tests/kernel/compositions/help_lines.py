"""Help play in the kernel: its solutions, positions, lines that are easily missed."""

from __future__ import annotations

import ctypes
from itertools import chain
from random import Random
from typing import TYPE_CHECKING

from solver.board import pack_board
from solver.kernel.border.parts import SEARCH
from solver.kernel.border.search_struct import (
    HelpPlay,
    HelpState,
    PositionStruct,
    Search,
)
from solver.kernel.build.loader import load_part
from solver.position_text import uci_line
from tests.oracles import special, walks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import chess

    from solver.kernel.border.interface import Kernel

BUCKETS = 1 << 12
"""The size of the table of the fixture `search`."""


def lines_in(text: str) -> dict[str, tuple[str, str]]:
    """Return FENs and lines in UCI notation by what they show, from rows of a table."""
    rows = (map(str.strip, row.split("|")) for row in text.strip().splitlines())
    return {name: (f"{fen} 0 1", line) for name, fen, line in rows}


EASILY_LEFT_OUT = lines_in("""
a piece takes back where its pawn was taken | 8/1B6/3p1P1q/5pB1/1p2p3/1Pk3p1/2Pb3p/1K6 b - - | h6f6 g5f6
a rook goes where its pawn was taken en passant | 3rkr2/3p1p2/8/8/3pP2R/8/8/K7 b - e3 | d4e3 h4e4
a queen goes along a rank that en passant clears | 3RBR2/4K3/5nb1/1qPp4/4kb2/8/8/8 w - d6 | c5d6 b5e5
castling checks with the rook and guards with the king | 8/B7/5B2/4R3/2p5/2pkn3/8/R3K3 b Q - | e3f5 e1c1
the only piece that can block moves twice | 8/8/1B6/8/4R3/r7/8/3k1K2 b - - | a3a2 b6a5 a2c2 e4e1
the rook moves on after castling | 8/8/5n2/8/7p/6k1/8/4K2R b K - | f6g4 e1g1 g3h3 f1f3
the mated king castles into the mate | r3k3/7Q/8/8/5B2/8/8/1K6 b q - | e8c8 h7c7
the king makes way for the other king | 7k/8/6K1/8/8/8/8/R7 w - - | g6f7 h8h7 a1h1
the king opens a line | 7k/p6p/8/8/3K4/8/1B6/6R1 b - - | a7a6 d4d5
en passant opens a line of two pawns | 8/3p4/4R3/R3P2k/1R6/8/8/K7 b - - | d7d5 e5d6
""")  # noqa: E501
"""These end with mate, as a test checks with python-chess."""

MATES = lines_in("""
the piece that checks went away and came back | 3k4/6q1/7R/3K1n2/3q4/8/8/8 w - - | d5e6 g7g4 h6h3 g4g8 e6f5 g8g4
the attacker's king leaves the field | 8/8/8/2Q5/8/2K3Q1/8/1k6 w - - | g3d3 b1a1 c3d4 a1b2 c5a3
a piece blocks a check to the attacker | 5r1k/6N1/6K1/8/8/8/8/R7 b - - | f8g8 a1h1
a knight and a line check | 5q1k/6N1/6KN/8/8/8/8/7R b - - | f8g8 h6f7
a pawn on the line is captured | 8/5K2/7k/7p/8/6N1/8/7R b - - | h6h7 g3h5 h7h8 h5f6
castling mates | r3k2r/4R1R1/2P5/8/3P2N1/8/8/R3K2R b KQkq - | e8f8 e1g1
the mated king castled | r2Bk3/8/8/8/8/2B5/7r/R3K2R w KQq - | c3g7 a8a2 e1g1 a2g2
the mated side promoted | q7/8/1K2P3/8/8/8/1k6/2q5 w - - | e6e7 c1c3 e7e8q c3a5
a promoted pawn takes a flight | 5Q2/8/8/8/8/7K/2p5/k7 b - - | c2c1r h3h4 c1b1 f8a3
the second check goes through the king | 7R/8/7N/7k/5P2/5P2/8/K7 b - - | h5h4 h6f5
a second check stops an answer | 5q1k/6p1/7N/8/8/8/8/K6R b - - | f8g8 h6f7
the attacker's king is behind a pawn | 5r1k/6p1/6K1/8/8/8/8/R7 b - - | f8g8 a1h1
a pawn is in the way of an answer | 4k3/4p3/4N3/8/2B5/B7/K7/5r2 b - - | f1f7 c4b5
a pawn beside the king is in the way of an answer | 6N1/8/4p1K1/8/3bk3/R5B1/8/8 b - - | e6e5 g8f6
the king captures a piece in the way | 5Nk1/8/8/8/6K1/8/8/R7 w - - | g4g5 g8f8 g5g6 f8g8 a1a8
a piece in the way is captured | R3nk2/8/3N2K1/8/8/8/8/8 b - - | f8g8 d6e8 g8h8 e8d6
castling long saves a move | 8/8/8/8/8/1k6/7B/R3K3 w Q - | e1c1 b3a2 d1d2 a2a1 h2e5
the rook castled away and came back | 8/6B1/8/k7/8/8/7p/R3K3 b Q - | a5b4 e1c1 b4a3 c1c2 a3a2 d1a1
Black's rook castled away and came back | r3k3/7P/8/8/K7/8/6b1/8 w q - | a4b5 e8c8 b5a6 c8c7 a6a7 d8a8
a double check mates | 8/7b/8/8/8/1k1r4/7r/K5n1 w - - | a1b1 d3d1
a pinned piece cannot take | 3k4/8/8/8/3n4/qQK5/q6N/4Q3 b - - | a2e2 e1c1 d4b5
""")  # noqa: E501
"""So do these."""

STALEMATES = lines_in("""
a pawn is blocked by a rook | 8/8/8/8/4N3/1p6/4R3/2K3k1 b - - | g1f1 e4g3 f1g1 e2b2
a pawn is blocked by a pawn | 8/8/Q7/2Q4p/8/8/2K4P/5k2 b - - | f1e1 h2h4
a pawn is blocked by a queen | 7R/5K1k/5p2/6Q1/8/8/8/8 b - - | h7h8 g5f5
a pawn is blocked by its king | 8/K7/P1k5/8/8/8/1q6/8 w - - | a7a8 b2a3 a8a7 a3f8
a knight is pinned | 1K6/5qk1/8/8/1N6/8/8/4q3 w - - | b4a6 e1a5 b8a8 f7c7
a bishop is pinned | b7/5Q2/8/Q7/8/2K5/8/2k5 b - - | a8e4 a5a1 e4b1 f7d7
a rook is pinned | 5q2/8/b7/8/1n3R2/8/8/K1k5 w - - | f4e4 f8f7 e4e5 f7g7
a knight is pinned along a diagonal | k2n4/2K5/1P6/8/8/8/4B3/8 b - - | d8b7 e2f3
a pinned knight attacks a piece | k7/3n4/BP6/8/8/8/8/K2R4 b - - | d7b8 d1d8
a pawn was taken en passant | k7/1pn5/3K4/P7/8/8/8/8 b - - | b7b5 a5b6 a8b8 d6c6 b8a8 c6c7
castling stalemates | 4k1QB/3P4/8/8/8/8/8/R3K2R b KQ - | e8d7 h1g1 d7e7 e1c1
""")  # noqa: E501
"""These end with stalemate."""


def solutions(
    kernel: Kernel, search: Search, play: HelpPlay, most: int | None = None
) -> list[tuple[int, ...]]:
    """Return all solutions, or those up to the search's node limit."""
    ctypes.memset(search.table, 0, BUCKETS * 64)
    found: list[tuple[int, ...]] = []
    state = HelpState.PAUSED
    while state is HelpState.PAUSED:
        lines, state = kernel.solutions(play, search, most)
        found += map(tuple, lines)
    assert state is HelpState.COMPLETE or search.nodes == search.node_limit
    return found


def named(board: chess.Board, lines: list[tuple[int, ...]]) -> list[tuple[str, ...]]:
    """Return solutions in UCI notation."""
    position = pack_board(board)
    return [uci_line(position, line, black=not board.turn) for line in lines]


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
    """Return all solutions of a position in UCI notation."""
    play = HelpPlay.of(
        pack_board(board), plies, is_stalemate=stalemate, is_pruned=pruned
    )
    return named(board, solutions(kernel, search, play, most))


def lengths(board: chess.Board, leaves: int) -> Iterator[int]:
    """Yield the numbers of plies for which the tree has about `leaves` lines."""
    after = board.copy(stack=False)
    after.turn = not after.turn
    branches = max(board.legal_moves.count() * after.legal_moves.count(), 1) ** 0.5
    for plies in range(1, 5 if board.is_check() else 8):  # few moves now, many later
        if branches**plies > leaves:
            return
        yield plies


def starts(count: int, seed: int) -> Iterator[chess.Board]:
    """Yield positions of four kinds, `count` of each."""
    return chain(
        walks.small_positions(count, seed),
        walks.random_positions(count, seed + 1),
        walks.crowded_positions(count, seed + 2),
        special.special_positions("castling", count, seed + 3),
    )


def ends_by_chance(
    boards: Iterable[chess.Board], seed: int, longest: int
) -> Iterator[tuple[list[tuple[PositionStruct, int]], bool]]:
    """Play at random; yield last moves, and whether they end with stalemate."""
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
