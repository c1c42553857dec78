"""Seeded random positions: the same seed always gives the same boards."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import TYPE_CHECKING

import chess

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_WALK = 120
"""Plies of a walk before it starts again, so that all phases of a game occur."""

EDGE = chess.SquareSet(
    chess.BB_RANK_1 | chess.BB_RANK_8 | chess.BB_FILE_A | chess.BB_FILE_H
)

MAJORS = (chess.ROOK, chess.QUEEN)

PIECES = (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)

STARTS = (
    chess.STARTING_FEN,
    # Castling on both wings, promotions and en passant.
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/1P4P1/8/2pPpP2/2PpPp2/8/1p4p1/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
    # Pieces that attack the corners and the squares between.
    "r3k2r/1B4b1/2n5/5Q2/5q2/2N5/1b4B1/R3K2R w KQkq - 0 1",
    # En passant that uncovers a line: along the rank, a file, a diagonal.
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/8/8/K2pP2r/8/8/k7/8 w - d6 0 1",
    "4k3/2p1p1p1/8/1P1P1P1P/1p1p1p1p/8/P1P1P1P1/4K3 w - - 0 1",
    "4r2k/3p1p2/b6b/4P1P1/4p1p1/B6B/3P1P2/4R2K w - - 0 1",
    # Pins and batteries on all lines around both kings.
    "4r3/b5q1/2n1n3/1rnknR2/2P5/1B1Q2B1/4R3/4K3 b - - 0 1",
    "3k1r2/1b2q3/4n3/r2N1P1R/2R1KB1r/3P1N2/1q4b1/4r3 w - - 0 1",
    # Pawns about to promote, pieces to capture there, kings in the way.
    "1n1b1r1k/P1P1P2P/6P1/8/8/6p1/p1p1p2p/1N1B1R1K w - - 0 1",
    "8/P1P2P1P/K6k/8/8/8/p1p2p1p/8 w - - 0 1",
    # Queens, for checks, double checks and mates.
    "q2k3q/8/8/3NN3/3nn3/8/8/Q2K3Q w - - 0 1",
    "6k1/5ppp/1q6/3R4/3r4/1Q6/5PPP/6K1 w - - 0 1",
)


def random_positions(count: int, seed: int) -> Iterator[chess.Board]:
    """Yield `count` positions of random play, positions without moves included.

    Half of the walks begin at the start of a game, half at a position rich in
    promotions, castling, en passant, pins and checks. The boards carry no history.
    """
    return islice(_walks(Random(seed)), count)


def small_positions(count: int, seed: int) -> Iterator[chess.Board]:
    """Yield `count` legal positions of three to six pieces, either side to move.

    One king stands at the edge with the other near it, so that mates are common.
    """
    return islice(_placements(Random(seed)), count)


def _walks(random: Random) -> Iterator[chess.Board]:
    while True:
        start = STARTS[0] if random.random() < 0.5 else random.choice(STARTS)
        board = chess.Board(start)
        for _ in range(random.randint(1, LONGEST_WALK)):
            yield board.copy(stack=False)
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(random.choice(moves))


def _placements(random: Random) -> Iterator[chess.Board]:
    while True:
        strong = random.choice(chess.COLORS)
        cornered = random.choice(list(EDGE))
        near = [
            s for s in chess.SQUARES if chess.square_distance(s, cornered) in (2, 3)
        ]
        board = chess.Board(None)
        board.turn = random.choice(chess.COLORS)
        board.set_piece_at(cornered, chess.Piece(chess.KING, not strong))
        board.set_piece_at(random.choice(near), chess.Piece(chess.KING, strong))
        _place(board, random, random.choice(MAJORS), strong)
        for _ in range(random.randint(0, 3)):
            color = strong if random.random() < 0.7 else not strong
            _place(board, random, random.choice(PIECES), color)
        if board.is_valid():
            yield board


def _place(
    board: chess.Board, random: Random, kind: chess.PieceType, color: chess.Color
) -> None:
    empty = list(chess.SquareSet(~board.occupied))
    board.set_piece_at(random.choice(empty), chess.Piece(kind, color))


def crowded_positions(count: int, seed: int) -> Iterator[chess.Board]:
    """Yield legal positions of 7 to 20 pieces at random, either side to move."""
    return islice(_crowds(Random(seed)), count)


def _crowds(random: Random) -> Iterator[chess.Board]:
    while True:
        pieces = [chess.Piece(chess.KING, color) for color in chess.COLORS]
        pieces += [
            chess.Piece(random.choice(PIECES), random.random() < 0.6)
            for _ in range(random.randint(5, 18))
        ]
        squares = random.sample(chess.SQUARES, len(pieces))
        board = chess.Board(None)
        board.set_piece_map(dict(zip(squares, pieces, strict=True)))
        board.turn = random.choice(chess.COLORS)
        if board.is_valid():
            yield board


def mated_positions(count: int, seed: int) -> Iterator[chess.Board]:
    """Yield checkmates at the edge among random pieces; many pins, double checks."""
    return islice(_mates(Random(seed)), count)


def _mates(random: Random) -> Iterator[chess.Board]:
    while True:
        board = chess.Board(None)
        mated = random.choice(list(EDGE))
        board.set_piece_at(mated, chess.Piece(chess.KING, chess.BLACK))
        field = list(chess.SquareSet(chess.BB_KING_ATTACKS[mated]))
        blocks = random.sample(field, random.randint(0, len(field)))
        free = [each for each in chess.SQUARES if each not in (mated, *blocks)]
        king, *others = random.sample(free, random.randint(2, 7))
        board.set_piece_at(king, chess.Piece(chess.KING, chess.WHITE))
        for square in (*blocks, *others):
            color = square in others and random.random() < 0.7
            board.set_piece_at(square, chess.Piece(random.choice(PIECES), color))
        board.turn = chess.BLACK
        if board.is_checkmate() and board.is_valid():
            yield board if random.random() < 0.5 else board.mirror()
