"""Convert between `chess.Board` and the kernel's positions and moves.

Called by most rooms; imports `kernel.border`, `kernel.build` and `position_text`.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import chess

from solver.kernel.border import parts, search_struct
from solver.kernel.build.loader import load_part
from solver.position_text import load_fen, own_memory, uci_move

if TYPE_CHECKING:
    from collections.abc import Sequence


def parse_fen(text: str, side: chess.Color = chess.WHITE) -> chess.Board:
    """Read a FEN; `side` is to move if it does not say.

    Returns
    -------
    chess.Board
        The position, without history.

    Raises
    ------
    FenError
        It is not a legal position of orthodox chess.
    """
    query = load_fen(text, black=not side).query
    *pieces, rights = query.position
    board = _set_up(pieces, not query.black)
    board.castling_rights = chess.BB_CORNERS & (
        chess.flip_vertical(rights) if query.black else rights
    )
    board.ep_square = None if query.en_passant < 0 else query.en_passant
    board.halfmove_clock, board.fullmove_number = query.clock, query.number
    return board


def mate_mark(board: chess.Board) -> int:
    """Return what `Kernel.mate_mark` returns; compile the search if need be."""
    kernel = load_part(parts.SEARCH).kernel
    return kernel.mate_mark(pack_board(board), own_memory().search)


def key_features(board: chess.Board, move: chess.Move) -> list[tuple[int, str]]:
    """List what a legal move does; compile the search if need be.

    Returns
    -------
    list of tuple
        A `KeyFeature`, and the names of its squares with commas between.
    """
    memory, kernel = own_memory(), load_part(parts.SEARCH).kernel
    position, black = pack_board(board), not board.turn
    memory.write_to(memory.written)
    words = kernel.moves(position, memory.search)
    names = [uci_move(position, word, black=black) for word in words]
    word = words[names.index(move.uci())]
    features = kernel.key_features(position, memory.search, word, black=black)
    return list(zip(features, memory.written_text().splitlines(), strict=True))


def pack_board(board: chess.Board) -> search_struct.PositionStruct:
    """Return the kernel's position for a board, seen by the side to move.

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
    return search_struct.PositionStruct(*boards)


def unpack_pieces(position: search_struct.PositionStruct) -> chess.Board:
    """Return the pieces of a kernel position with White to move, without its rights."""
    words = (ctypes.c_uint64 * search_struct.POSITION_WORDS).from_buffer(position)
    return _set_up(words[:-1], chess.WHITE)


def _set_up(boards: Sequence[int], turn: chess.Color) -> chess.Board:
    """Set up the bitboards of a kernel position, without its rights."""
    if turn == chess.BLACK:
        boards = [chess.flip_vertical(squares) for squares in boards]
    pawns, knights, diagonal, orthogonal, kings, us, them = boards
    board = chess.Board(None)
    board.turn = turn
    board.pawns, board.knights, board.kings = pawns, knights, kings
    board.bishops, board.rooks = diagonal & ~orthogonal, orthogonal & ~diagonal
    board.queens = diagonal & orthogonal
    board.occupied_co[turn], board.occupied_co[not turn] = us, them
    board.occupied = us | them
    return board


def unpack_move(board: chess.Board, word: int) -> chess.Move:
    """Return what a kernel move is on this board."""
    return chess.Move.from_uci(uci_move(pack_board(board), word, black=not board.turn))
