"""Moves in long notation, against python-chess."""

from __future__ import annotations

import chess
import pytest

from solver.output.popeye_text import LongMoves
from tests.oracles.walks import random_positions

LETTERS = {None: "", chess.PAWN: "", chess.KNIGHT: "S"}


def letter(kind: chess.PieceType | None) -> str:
    return LETTERS.get(kind, chess.piece_symbol(kind or chess.PAWN).upper())


def name_of(board: chess.Board, move: chess.Move) -> str:
    """Name a move by python-chess's answers."""
    if board.is_castling(move):
        return board.san(move).rstrip("+#").replace("O", "0")
    sign = "*" if board.is_capture(move) else "-"
    ends = chess.square_name(move.from_square), chess.square_name(move.to_square)
    promotion = f"={letter(move.promotion)}" if move.promotion else ""
    en_passant = " ep." if board.is_en_passant(move) else ""
    piece = letter(board.piece_type_at(move.from_square))
    return f"{piece}{sign.join(ends)}{promotion}{en_passant}"


POSITIONS = [
    *random_positions(60, seed=14),
    chess.Board("r3k2r/8/8/3pP3/8/8/6p1/R3K2R w KQkq d6 0 1"),
    chess.Board("r3k2r/8/8/3pP3/8/8/6p1/R3K2R b KQkq - 0 1"),
    chess.Board("1n5k/P7/8/8/8/8/8/K7 w - - 0 1"),
    chess.Board("8/8/8/1k1pP2Q/8/8/8/K7 w - d6 0 1"),
]


@pytest.mark.parametrize("board", POSITIONS, ids=chess.Board.fen)
def test_every_move_has_its_name(board: chess.Board) -> None:
    moves = LongMoves(board.fen())
    before = moves.drawing()
    for move in board.legal_moves:
        name = moves.play(move.uci())
        assert name == name_of(board, move)
        board.push(move)
        assert moves.drawing() == LongMoves(board.fen()).drawing()
        board.pop()
        moves.pop()
        assert moves.drawing() == before


def test_the_pieces_are_counted_by_colour() -> None:
    assert LongMoves("8/8/8/8/8/5K2/RN6/7k w - - 0 1").counts == (3, 1)


def test_a_drawing_has_a_minus_sign_before_each_black_piece() -> None:
    drawing = LongMoves("n6k/8/8/8/8/8/8/K6N w - - 0 1").drawing()
    assert drawing[0] == drawing[-1] == "+---a---b---c---d---e---f---g---h---+"
    assert drawing[2] == "8  -S   .   .   .   .   .   .  -K   8"
    assert drawing[16] == "1   K   .   .   .   .   .   .   S   1"
    assert {len(line) for line in drawing} == {37}
