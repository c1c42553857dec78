"""Seeded positions in which the stipulations of battle play are often solved.

Random positions hardly ever have a selfmate. So these begin at small positions that
have a solution, and change them: one piece goes elsewhere, comes or goes, the board is
mirrored. Some of the results are solved in one, two or three moves; most are not.
"""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import TYPE_CHECKING

import chess

from solver.stipulations import BATTLE_PLAYS
from tests.oracles import walks

if TYPE_CHECKING:
    from collections.abc import Iterator

SOLVED_TEXT = """
= 3k4/8/8/8/7p/6QQ/pR5Q/K7 KB6/8/8/p7/8/7k/4Q3/1B1Q4 B7/K6k/B7/6Q1/8/1Rq5/8/4B3
    4R3/7K/4p2N/1Q6/8/6R1/k7/8 8/3Q4/7k/8/r5R1/8/P1B5/1K6 2k5/8/1p6/8/8/Q1B5/KB5Q/8
    2n5/4B3/2k5/8/8/6BQ/R6K/7R 6k1/3Q4/8/8/8/5p2/1R3R2/K7 8/Q7/6P1/4B2K/7B/8/5bB1/4k3

s# 8/8/8/8/2R5/6pk/5p1N/7K 8/8/4Q3/8/8/kp6/p7/K7 8/8/8/1Q6/8/k7/rpBP4/2K5
    8/8/5Q2/1p6/pP6/K7/8/bk6 8/3R4/5b2/8/8/8/Npk5/KR6 2Q5/8/1Q6/pp6/8/KP6/8/k4q2
    1KR5/7Q/k7/8/8/8/1qn5/3BB3 K2Q3q/7Q/k7/8/8/7B/1q6/8 8/6n1/4R3/8/4Q1q1/7P/7P/5k1K
    8/8/q7/8/5Q2/8/7R/3Bk2K 3n4/8/4Q3/7Q/5k2/8/7P/5bBK K1k5/4Q3/8/4q3/Q7/8/Q7/8
    6RK/P5P1/2r1R3/8/8/8/5Q2/7k

s= 6K1/4q2n/8/2Q5/8/8/8/qk6 8/3Q4/8/8/8/2k5/2q5/K7 8/5k2/8/8/7Q/6q1/8/7K
    5q2/6Q1/3q4/8/8/8/7Q/4k2K K7/p4r2/k7/8/1Q6/8/7q/8 K7/8/Qq6/8/8/8/8/6k1
    K1k5/P6Q/8/8/8/8/8/8 K2k4/P7/8/8/8/2Q5/2Q5/8 K1k5/8/P1P5/8/8/6Q1/8/8

r# 8/3R4/8/1R6/8/4k3/2Qqp3/RK6 8/8/2P5/8/5k1P/7K/2P5/q7 KR3NkN/1P6/8/6r1/8/8/1n6/8
    8/8/8/8/5k2/3q4/6b1/3Q1rK1 R6K/6P1/8/Q7/8/5r2/4k3/2R5 6K1/5r1R/8/8/k1B5/4R3/8/3q4
    K7/3k4/8/8/2Q1R3/1N6/8/4q3 1R6/K6Q/4q3/8/3k4/8/8/2Q5 5NK1/6PB/7k/8/8/8/8/R4q2
    5q2/7R/r5k1/8/2Q5/8/6r1/5K2

semi-r# 2R5/8/8/3r4/8/8/5P1p/3k2K1 8/8/8/8/kb6/4Ppp1/p4KR1/8 1k6/8/7R/8/2q5/8/7P/7K
    7b/6RK/8/8/8/8/q7/2q2k2 7K/6P1/1P2q3/8/3Q4/3r2k1/8/1B6 3rR1r1/7K/6rB/8/8/8/5k2/8
    K3R3/1P6/8/6r1/Qq6/7k/5Q2/8 7K/6P1/R3b2k/3q4/8/8/8/5Q2 8/qk6/8/8/8/3Q4/6P1/2R4K
"""
"""Positions with a solution in one to three moves, found by a search of random ones."""

SOLVED = {
    name: positions for name, *positions in map(str.split, SOLVED_TEXT.split("\n\n"))
}

STIPULATIONS = tuple(f"{play}{goal}" for play, goal in BATTLE_PLAYS)

MOST_PIECES = 8


def quick_positions(
    stipulation: str, count: int, seed: int, most_moves: int = 20
) -> Iterator[chess.Board]:
    """Yield `count` positions of at most `most_moves` moves, for the slow oracle."""
    boards = positions(stipulation, 100 * count, seed)
    few = (board for board in boards if board.legal_moves.count() <= most_moves)
    return islice(few, count)


def positions(stipulation: str, count: int, seed: int) -> Iterator[chess.Board]:
    """Yield `count` legal positions of at most eight pieces, either side to move."""
    random = Random(f"{stipulation} {seed}")
    # Exact mates are like stalemates, and reflex stalemates like selfstalemates.
    source = {"exact-#": "=", "r=": "s=", "semi-r=": "s="}.get(stipulation, stipulation)
    solved = SOLVED[source]
    while count:
        board = chess.Board(f"{random.choice(solved)} w - - 0 1")
        for _ in range(random.choice((0, 1, 1, 1, 2))):
            _change(board, random)
        if random.random() < 0.5:
            board = board.mirror()
        if random.random() < 0.5:
            board = board.transform(chess.flip_horizontal)
        if random.random() < 0.2:
            board = board.transform(chess.flip_diagonal)
        if board.is_valid() and chess.popcount(board.occupied) <= MOST_PIECES:
            yield board
            count -= 1


def _change(board: chess.Board, random: Random) -> None:
    """Move, add or remove a piece at random."""
    pieces = list(board.piece_map().items())
    empty = list(chess.SquareSet(~board.occupied))
    square, piece = random.choice(pieces)
    chance = random.random()
    if chance < 0.2:
        kind, color = random.choice(walks.PIECES), random.choice(chess.COLORS)
        board.set_piece_at(random.choice(empty), chess.Piece(kind, color))
    elif chance < 0.8 or piece.piece_type == chess.KING:
        board.remove_piece_at(square)
        board.set_piece_at(random.choice(empty), piece)
    else:
        board.remove_piece_at(square)
