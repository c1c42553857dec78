"""King and rook, or king and queen, against king: solved backwards in plain integers.

White has the piece. A position is one integer, `white king + 64 * piece +
4096 * black king`; a distance is in plies to mate with best play on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING

import chess

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    Rays: TypeAlias = Sequence[Sequence[int]]

ESCAPE = -1
"""Instead of a distance: White does not win."""

ILLEGAL = -2
"""Instead of a distance: White to move could capture the king."""

BLACK_KING = 64 * 64
"""What one square of the black king adds to a position."""

POSITIONS = 64 * BLACK_KING

ORTHOGONAL = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
DIRECTIONS = {chess.ROOK: ORTHOGONAL, chess.QUEEN: ORTHOGONAL + DIAGONAL}


def _ray(square: int, step: tuple[int, int]) -> list[int]:
    file, rank = square % 8 + step[0], square // 8 + step[1]
    squares = []
    while 0 <= file < 8 and 0 <= rank < 8:
        squares.append(file + 8 * rank)
        file, rank = file + step[0], rank + step[1]
    return squares


NEAR = [
    {ray[0] for step in ORTHOGONAL + DIAGONAL if (ray := _ray(square, step))}
    for square in range(64)
]
"""The squares that a king attacks."""


@dataclass(frozen=True, slots=True)
class Endgame:
    """Distances to mate of a whole endgame."""

    piece: chess.PieceType
    white_to_move: list[int]
    black_to_move: list[int]

    def plies_to_mate(self, board: chess.Board) -> int | None:
        """Plies to mate with best play; None where Black escapes."""
        (piece_square,) = board.pieces(self.piece, chess.WHITE)
        (white_king,) = board.pieces(chess.KING, chess.WHITE)
        (black_king,) = board.pieces(chess.KING, chess.BLACK)
        plies = self._distances(board.turn)[
            white_king + 64 * piece_square + BLACK_KING * black_king
        ]
        return plies if plies >= 0 else None

    def won(self, turn: chess.Color) -> Iterator[tuple[chess.Board, int]]:
        """All positions with `turn` to move that White wins, with their plies."""
        for position, plies in enumerate(self._distances(turn)):
            if plies >= 0:
                board = chess.Board(None)
                board.turn = turn
                board.set_piece_at(position % 64, chess.Piece(chess.KING, chess.WHITE))
                board.set_piece_at(
                    position // 64 % 64, chess.Piece(self.piece, chess.WHITE)
                )
                board.set_piece_at(
                    position // BLACK_KING, chess.Piece(chess.KING, chess.BLACK)
                )
                yield board, plies

    def _distances(self, turn: chess.Color) -> list[int]:
        return self.white_to_move if turn == chess.WHITE else self.black_to_move


@cache
def solve_endgame(piece: chess.PieceType) -> Endgame:
    """Solve king and `piece`, `chess.ROOK` or `chess.QUEEN`, against king."""
    rays = [[_ray(square, step) for step in DIRECTIONS[piece]] for square in range(64)]
    white_to_move, hopes, lost = _set_up(rays)
    black_to_move = [ESCAPE] * POSITIONS
    for position in lost:
        black_to_move[position] = 0

    plies = 0
    while lost:
        # 1. Whatever White move leads to a lost position wins.
        won = []
        for position in lost:
            for before in _white_came_from(position, rays):
                if white_to_move[before] == ESCAPE:
                    white_to_move[before] = plies + 1
                    won.append(before)
        # 2. A position of Black is lost when the last of its hopes has gone.
        lost, plies = [], plies + 2
        for position in won:
            black_king, white = divmod(position, BLACK_KING)
            for origin in NEAR[black_king]:
                before = white + BLACK_KING * origin
                hopes[before] -= 1
                if hopes[before] == 0:
                    black_to_move[before] = plies
                    lost.append(before)
    return Endgame(piece, white_to_move, black_to_move)


def _set_up(rays: Sequence[Rays]) -> tuple[list[int], list[int], list[int]]:
    """White's legal positions, Black's moves in each of his (0: none), the mates."""
    white_to_move = [ILLEGAL] * POSITIONS
    hopes = [0] * POSITIONS
    mates = []
    for white_king, piece_square in permutations(range(64), 2):
        # The black king casts no shadow: he cannot flee along the line of a check.
        attacked = set(_slide(rays[piece_square], {white_king}))
        standing = set(range(64)) - NEAR[white_king] - {white_king}
        safe = standing - attacked
        for black_king in standing - {piece_square}:
            position = white_king + 64 * piece_square + BLACK_KING * black_king
            hopes[position] = len(NEAR[black_king] & safe)
            if black_king in safe:
                white_to_move[position] = ESCAPE
            elif not hopes[position]:
                mates.append(position)
    return white_to_move, hopes, mates


def _white_came_from(position: int, rays: Sequence[Rays]) -> Iterator[int]:
    """Positions one white move earlier; some of them illegal."""
    white_king, piece_square = position % 64, position // 64 % 64
    black_king = position // BLACK_KING
    for origin in NEAR[white_king]:
        yield position - white_king + origin
    for origin in _slide(rays[piece_square], {white_king, black_king}):
        yield position + 64 * (origin - piece_square)


def _slide(rays: Rays, blockers: set[int]) -> Iterator[int]:
    """Empty squares that a slider reaches before it meets a blocker."""
    for ray in rays:
        for square in ray:
            if square in blockers:
                break
            yield square
