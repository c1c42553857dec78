"""What a piece spends to get to a place, by walking it there square by square.

The piece is alone on an empty board, and python-chess says where it can go. A pawn may
capture wherever it attacks. Castling is a move of the king: to a rook it is a step that
costs nothing.
"""

from __future__ import annotations

from functools import cache
from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

import chess

if TYPE_CHECKING:
    from collections.abc import Iterator

CASTLING = {
    chess.A1: (chess.D1, chess.E1, chess.C1),
    chess.H1: (chess.F1, chess.E1, chess.G1),
    chess.A8: (chess.D8, chess.E8, chess.C8),
    chess.H8: (chess.F8, chess.E8, chess.G8),
}
"""By the corner of a rook: its square after castling, the king's before and after."""


class Place(NamedTuple):
    """Where a piece is, as what, and whether it or castling has just moved it there."""

    kind: chess.PieceType
    square: chess.Square
    is_last: bool


class Cost(NamedTuple):
    """Moves and captures."""

    moves: int
    takes: int


@cache
def attacked(
    kind: chess.PieceType, colour: chess.Color, square: chess.Square
) -> tuple[chess.Square, ...]:
    """Return what a piece attacks on an empty board."""
    board = chess.BaseBoard.empty()
    board.set_piece_at(square, chess.Piece(kind, colour))
    return tuple(board.attacks(square))


def steps(
    kind: chess.PieceType, square: chess.Square, colour: chess.Color
) -> Iterator[tuple[Place, Cost]]:
    """Yield where a piece can go in one move, and what that costs."""
    if kind != chess.PAWN:
        for end in attacked(kind, colour, square):
            yield Place(kind, end, is_last=True), Cost(1, 0)
        return
    ahead = 8 if colour else -8
    ends = [(square + ahead, 0), *((end, 1) for end in attacked(kind, colour, square))]
    if chess.square_rank(square) == (1 if colour else 6):
        ends.append((square + 2 * ahead, 0))
    for end, takes in ends:
        is_promotion = chess.square_rank(end) in (0, 7)
        kinds = range(chess.KNIGHT, chess.KING) if is_promotion else [chess.PAWN]
        for new in kinds:
            yield Place(new, end, is_last=True), Cost(1, takes)


def castles(
    kind: chess.PieceType,
    square: chess.Square,
    colour: chess.Color,
    rights: chess.Bitboard,
) -> Iterator[tuple[Place, Cost]]:
    """Yield where castling takes a piece that has not moved."""
    for corner, (rook_end, king_start, king_end) in CASTLING.items():
        if rights & chess.BB_SQUARES[corner] and (corner < chess.A8) == colour:
            if (kind, square) == (chess.ROOK, corner):
                yield Place(kind, rook_end, is_last=True), Cost(0, 0)
            if (kind, square) == (chess.KING, king_start):
                yield Place(kind, king_end, is_last=True), Cost(1, 0)


def cheapest(
    kind: chess.PieceType,
    square: chess.Square,
    colour: chess.Color,
    rights: chess.Bitboard,
    price: int,
) -> dict[Place, int]:
    """Return the least moves (`price` 0) or captures (1) to get to each place."""
    start = Place(kind, square, is_last=False)
    least: dict[Place, int] = {}
    waiting = [(0, start)]
    while waiting:
        spent, place = heappop(waiting)
        if place in least:
            continue
        least[place] = spent
        further = list(steps(place.kind, place.square, colour))
        if place == start:
            further += castles(kind, square, colour, rights)
        for end, cost in further:
            if end not in least:
                heappush(waiting, (spent + cost[price], end))
    return least


def leaves(
    square: chess.Square, colour: chess.Color, rights: chess.Bitboard
) -> list[int]:
    """Return, for each square, how many moves take a king to where it is not beside."""
    walk = cheapest(chess.KING, square, colour, rights, 0)
    return [
        min(
            moves
            for place, moves in walk.items()
            if chess.square_distance(place.square, other) > 1
        )
        for other in chess.SQUARES
    ]
