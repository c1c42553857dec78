"""What the oracle of the scored search knows of positions and moves.

Every position is seen with White to move; see `tests.oracles.scored`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess

if TYPE_CHECKING:
    from collections.abc import Hashable

MATERIAL = {
    chess.PAWN: 100,
    chess.KNIGHT: 320,
    chess.BISHOP: 330,
    chess.ROOK: 500,
    chess.QUEEN: 900,
}

ARRIVALS = {
    chess.PAWN: 1,
    chess.KNIGHT: 2,
    chess.BISHOP: 4,
    chess.ROOK: 8,
    chess.QUEEN: 12,
    chess.KING: 16,
}


def from_whites_side(board: chess.Board) -> chess.Board:
    """Return the position as the side to move sees it."""
    return board.mirror() if board.turn == chess.BLACK else board.copy(stack=False)


def evaluate(board: chess.Board) -> int:
    """Evaluate material, advanced pawns and a bare king; White is to move."""
    score = _pieces(board, chess.WHITE) - _pieces(board, chess.BLACK)
    lone = [color for color in chess.COLORS if _has_only_king(board, color)]
    if len(lone) == 1:
        hunt = _hunt(board, lone[0])
        score += hunt if lone[0] == chess.BLACK else -hunt
    return score


def _pieces(board: chess.Board, color: chess.Color) -> int:
    start = 1 if color == chess.WHITE else 6
    advance = sum(
        abs(chess.square_rank(pawn) - start) for pawn in board.pieces(chess.PAWN, color)
    )
    pieces = sum(
        worth * len(board.pieces(kind, color)) for kind, worth in MATERIAL.items()
    )
    return pieces + 3 * advance


def _has_only_king(board: chess.Board, color: chess.Color) -> bool:
    return chess.popcount(board.occupied_co[color]) == 1


def _hunt(board: chess.Board, hunted: chess.Color) -> int:
    king, hunter = board.king(hunted), board.king(not hunted)
    assert king is not None
    assert hunter is not None
    file, rank = chess.square_file(king), chess.square_rank(king)
    from_centre = max(3 - file, file - 4) + max(3 - rank, rank - 4)
    return 10 * from_centre + 4 * (14 - chess.square_manhattan_distance(king, hunter))


def move_word(board: chess.Board, move: chess.Move) -> int:
    """Return the number that orders moves of equal worth; White is to move."""
    arriving = move.promotion or board.piece_type_at(move.from_square)
    assert arriving is not None
    return move.from_square | move.to_square << 6 | ARRIVALS[arriving] << 12


def generated(board: chess.Board, move: chess.Move) -> tuple[int, ...]:
    """Return the place of a move among the generated ones; White is to move.

    King; pawns: one step, two steps, captures to the left and to the right, each with
    promotions last (queen, knight, rook, bishop), then en passant; knights; moves along
    diagonals; moves along files and ranks. Then by origin and target, of the king and
    of pawns, but en passant, by target alone.
    """
    start, end = move.from_square, move.to_square
    kind = board.piece_type_at(start)
    if kind == chess.KING:
        return 0, end
    if kind == chess.PAWN:
        if board.is_en_passant(move):
            return 5, start
        way = {8: 1, 16: 2, 7: 3, 9: 4}[end - start]
        promotions = (None, chess.QUEEN, chess.KNIGHT, chess.ROOK, chess.BISHOP)
        order = promotions.index(move.promotion)
        return way, order > 0, end, order
    if kind == chess.KNIGHT:
        return 6, start, end
    files = chess.square_file(start) != chess.square_file(end)
    ranks = chess.square_rank(start) != chess.square_rank(end)
    return (7 if files and ranks else 8), start, end


def is_capture_or_promotion(board: chess.Board, move: chess.Move) -> bool:
    return move.promotion is not None or board.is_capture(move)


def victim(board: chess.Board, move: chess.Move) -> int:
    if board.is_en_passant(move):
        return chess.PAWN
    return board.piece_type_at(move.to_square) or 0


def identity(board: chess.Board) -> Hashable:
    """Return all of a position that its moves depend on; White is to move."""
    return (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        board.castling_rights,
        board.ep_square if board.has_pseudo_legal_en_passant() else None,
    )


def uci_of(move: chess.Move | None, turn: chess.Color) -> str:
    """Write a move as it is in the game; empty without one."""
    if move is None:
        return ""
    flip = 0 if turn == chess.WHITE else 56
    start, end = move.from_square ^ flip, move.to_square ^ flip
    return chess.Move(start, end, move.promotion).uci()
