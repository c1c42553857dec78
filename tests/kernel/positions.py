"""Arrays of hundreds of thousands of positions, for compiled comparisons."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import chess
import numba
import numpy as np

from solver.board import pack_board, unpack_pieces
from solver.kernel.border import search_struct
from solver.kernel.rules.bitboards import Position, make
from solver.kernel.rules.movegen import generate
from tests.oracles import special, walks

if TYPE_CHECKING:
    from collections.abc import Iterable

WORDS = 8
LONGEST_GAME = 120
LONGEST_SOLUTION = 8
"""Plies of a walk from a problem, few enough that it still resembles one."""


@numba.njit
def position_of(words: Any) -> Position:
    """Read a row of eight words."""
    return Position(
        words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7]
    )


@numba.njit
def write_position(words: Any, position: Position) -> None:
    """Write a row of eight words."""
    words[0] = position.pawns
    words[1] = position.knights
    words[2] = position.diagonal
    words[3] = position.orthogonal
    words[4] = position.kings
    words[5] = position.us
    words[6] = position.them
    words[7] = position.rights


@numba.njit
def _wander(starts: Any, longest: int, seed: int, positions: Any) -> None:
    """Fill `positions` with random play from each start in turn."""
    np.random.seed(seed)  # noqa: NPY002 - the only generator inside compiled code
    moves = np.empty(256, np.uint64)
    start, plies, size = 0, 0, 0
    position = position_of(starts[0])
    for index in range(len(positions)):
        if plies == 0 or size == 0:
            position = position_of(starts[start % len(starts)])
            start += 1
            plies = np.random.randint(1, longest + 1)  # noqa: NPY002
        else:
            position = make(position, moves[np.random.randint(0, size)])  # noqa: NPY002
        write_position(positions[index], position)
        size = generate(position, moves)
        plies -= 1


def packed(boards: Iterable[chess.Board]) -> np.ndarray:
    """Return the kernel's words of boards; shape (boards, WORDS), uint64."""
    content = b"".join(bytes(pack_board(board)) for board in boards)
    return np.frombuffer(content, np.uint64).reshape(-1, WORDS)


def of_passing(count: int, seed: int) -> np.ndarray:
    """Return positions in which one pawn step may allow a capture en passant.

    The attacker's pawn is two ranks below the double step of a pawn on the next file,
    and the defender's king is where such a capture checks. Shape (count, WORDS).
    """
    random = Random(seed)
    boards: list[chess.Board] = []
    while len(boards) < count:
        file = random.randrange(1, 7)
        side = random.choice((-1, 1))
        board = chess.Board(None)
        board.set_piece_at(chess.square(file, 3), chess.Piece(chess.PAWN, chess.WHITE))
        passed = chess.square(file + side, 6)
        board.set_piece_at(passed, chess.Piece(chess.PAWN, chess.BLACK))
        king = chess.square(file + side + random.choice((-1, 1)), 6)
        free = [square for square in chess.SQUARES if square not in board.piece_map()]
        others = [square for square in free if square != king]
        squares = random.sample(others, 7)
        board.set_piece_at(king, chess.Piece(chess.KING, chess.BLACK))
        board.set_piece_at(squares[0], chess.Piece(chess.KING, chess.WHITE))
        for square in squares[1 : random.randrange(3, 7)]:
            kind = random.choice((chess.ROOK, chess.QUEEN, chess.BISHOP, chess.KNIGHT))
            board.set_piece_at(square, chess.Piece(kind, chess.WHITE))
        blocked = random.choice((chess.PAWN, chess.KNIGHT, chess.ROOK))
        if 7 < squares[6] < 56:
            board.set_piece_at(squares[6], chess.Piece(blocked, chess.BLACK))
        if board.is_valid():
            boards.append(board)
    return packed(boards)


def of_play(count: int, seed: int) -> np.ndarray:
    """Return positions of random games; shape (count, WORDS), uint64."""
    starts = packed(map(chess.Board, (*walks.STARTS, *[walks.STARTS[0]] * 15)))
    positions = np.empty((count, WORDS), np.uint64)
    _wander(starts, LONGEST_GAME, seed, positions)
    return positions


def of_problems(count: int, seed: int) -> np.ndarray:
    """Return positions near problems, small and large; shape (count, WORDS), uint64."""
    few = walks.small_positions(count // 25, seed)
    many = walks.crowded_positions(count // 25, seed)
    starts = packed(board for pair in zip(few, many, strict=True) for board in pair)
    positions = np.empty((count, WORDS), np.uint64)
    _wander(starts, LONGEST_SOLUTION, seed, positions)
    return positions


def of_special(count: int, seed: int) -> np.ndarray:
    """Return positions in which a special move is possible; shape (count, WORDS)."""
    return packed(special.all_kinds(count // len(special.KINDS), seed))


def board_of(words: Iterable[int]) -> chess.Board:
    """Return the board of a row of eight words, with White to move."""
    position = search_struct.PositionStruct(*map(int, words))
    board = unpack_pieces(position)
    board.castling_rights = position.rights & chess.BB_CORNERS
    if passed := position.rights & chess.BB_RANK_6:
        board.ep_square = chess.msb(passed)
    return board
