"""Convert between `chess.Board` and the kernel's positions and moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess

from solver.kernel.border.memory import Position

if TYPE_CHECKING:
    from collections.abc import Iterable

_SQUARE_BITS = 63
_FLIP_RANKS = 56
_ARRIVALS = {2: chess.KNIGHT, 4: chess.BISHOP, 8: chess.ROOK, 12: chess.QUEEN}
"""The pieces that a pawn may promote to, by the bitboards that they are on."""


def pack(board: chess.Board) -> Position:
    """Return the kernel's position of a board, seen by the side to move.

    The halfmove clock and the history are left out: whether there is a forced mate does
    not depend on what was played before.

    Parameters
    ----------
    board : chess.Board
        A legal position of orthodox chess; not changed.
    """
    rights = board.castling_rights
    if board.ep_square is not None and board.has_pseudo_legal_en_passant():
        rights |= chess.BB_SQUARES[board.ep_square]
    boards: list[int] = [
        board.pawns,
        board.knights,
        board.bishops | board.queens,
        board.rooks | board.queens,
        board.kings,
        board.occupied_co[board.turn],
        board.occupied_co[not board.turn],
        rights,
    ]
    if board.turn == chess.BLACK:
        boards = [chess.flip_vertical(squares) for squares in boards]
    return Position(*boards)


def unpack_pieces(position: Position) -> chess.Board:
    """Return the pieces of a kernel position, White to move; rights are left out."""
    board = chess.Board(None)
    us, them = position.us, position.them
    kinds = {
        chess.PAWN: position.pawns,
        chess.KNIGHT: position.knights,
        chess.BISHOP: position.diagonal & ~position.orthogonal,
        chess.ROOK: position.orthogonal & ~position.diagonal,
        chess.QUEEN: position.orthogonal & position.diagonal,
        chess.KING: position.kings,
    }
    for kind, squares in kinds.items():
        for color, pieces in ((chess.WHITE, us), (chess.BLACK, them)):
            for square in chess.SquareSet(squares & pieces):
                board.set_piece_at(square, chess.Piece(kind, color))
    return board


def unpack_move(board: chess.Board, word: int) -> chess.Move:
    """Return the move that a kernel move stands for on this board."""
    return _unpack(word, board.turn, board.pawns)


def unpack_line(board: chess.Board, words: Iterable[int]) -> tuple[str, ...]:
    """Return a line of kernel moves in UCI notation; the board is not changed."""
    turn, pawns = board.turn, board.pawns
    line = []
    for word in words:
        move = _unpack(word, turn, pawns)
        line.append(move.uci())
        start, end = (
            chess.BB_SQUARES[move.from_square],
            chess.BB_SQUARES[move.to_square],
        )
        stays_pawn = pawns & start and not move.promotion
        # A pawn captured en passant stays in `pawns`, which is harmless: no move
        # starts there until a piece has arrived.
        pawns = pawns & ~(start | end) | (end if stays_pawn else 0)
        turn = not turn
    return tuple(line)


def _unpack(word: int, turn: chess.Color, pawns: chess.Bitboard) -> chess.Move:
    start, end = word & _SQUARE_BITS, (word >> 6) & _SQUARE_BITS
    if turn == chess.BLACK:
        start ^= _FLIP_RANKS
        end ^= _FLIP_RANKS
    promotes = pawns & chess.BB_SQUARES[start] and chess.BB_SQUARES[end] & (
        chess.BB_BACKRANKS
    )
    return chess.Move(start, end, _ARRIVALS[word >> 12] if promotes else None)
