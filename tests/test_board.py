"""Conversion to and from python-chess keeps all that a mate depends on."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import pack_board, parse_fen, unpack_move
from solver.position_text import has_stalemate, uci_line, uci_move
from tests.oracles import walks

if TYPE_CHECKING:
    from solver.kernel.border.interface import Kernel
    from solver.kernel.border.search_struct import PositionStruct, Search


def unpacked(position: PositionStruct, turn: chess.Color) -> chess.Board:
    """Read the words of a position back, square by square."""
    board = chess.Board(None)
    board.turn = turn
    for square in chess.SQUARES:
        bit = 1 << (square if turn == chess.WHITE else square ^ 56)
        kinds = {
            chess.PAWN: position.pawns & bit,
            chess.KNIGHT: position.knights & bit,
            chess.BISHOP: position.diagonal & ~position.orthogonal & bit,
            chess.ROOK: position.orthogonal & ~position.diagonal & bit,
            chess.QUEEN: position.orthogonal & position.diagonal & bit,
            chess.KING: position.kings & bit,
        }
        for kind in (kind for kind, there in kinds.items() if there):
            color = turn if position.us & bit else not turn
            assert bool(position.us & bit) != bool(position.them & bit)
            board.set_piece_at(square, chess.Piece(kind, color))
        if position.rights & bit:
            if chess.square_rank(square) in {0, 7}:
                board.castling_rights |= chess.BB_SQUARES[square]
            else:
                board.ep_square = square
    return board


def test_what_is_packed_reads_back_the_same() -> None:
    for board in walks.random_positions(2000, seed=31):
        if not board.has_pseudo_legal_en_passant():
            board.ep_square = None
        found = unpacked(pack_board(board), board.turn)
        expected = board.fen().split()[:4]
        assert found.fen().split()[:4] == expected


def test_the_other_colour_packs_the_same() -> None:
    for board in walks.random_positions(500, seed=32):
        assert bytes(pack_board(board)) == bytes(pack_board(board.mirror()))


@pytest.mark.parametrize(
    ("fen", "rights"),
    [
        ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", 0),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", 1 << (chess.E3 ^ 56)),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", 1 << chess.D6),
        ("r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1", 1 << chess.H1 | 1 << chess.A8),
        ("r3k2r/8/8/8/8/8/8/R3K2R b Kq - 0 1", 1 << chess.H8 | 1 << chess.A1),
    ],
    ids=[
        "no capture",
        "black captures",
        "white captures",
        "white moves",
        "black moves",
    ],
)
def test_rights_are_kept_where_they_can_be_used(fen: str, rights: int) -> None:
    assert pack_board(chess.Board(fen)).rights == rights


def test_clocks_and_history_make_no_difference() -> None:
    board = chess.Board()
    for uci in ("g1f3", "g8f6", "f3g1", "f6g8"):
        board.push_uci(uci)
    assert board.halfmove_clock == 4
    assert bytes(pack_board(board)) == bytes(pack_board(chess.Board()))


def word(start: chess.Square, end: chess.Square, arrives: int) -> int:
    return start | end << 6 | arrives << 12


@pytest.mark.parametrize(
    ("fen", "move", "uci"),
    [
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", word(chess.E2, chess.E4, 1), "e2e4"),
        ("4k3/4p3/8/8/8/8/8/4K3 b - - 0 1", word(chess.E2, chess.E4, 1), "e7e5"),
        ("8/P7/8/8/8/k7/8/K7 w - - 0 1", word(chess.A7, chess.A8, 12), "a7a8q"),
        ("8/P7/8/8/8/k7/8/K7 w - - 0 1", word(chess.A7, chess.A8, 8), "a7a8r"),
        ("8/P7/8/8/8/k7/8/K7 w - - 0 1", word(chess.A7, chess.A8, 4), "a7a8b"),
        ("k7/8/K7/8/8/8/p7/8 b - - 0 1", word(chess.A7, chess.A8, 2), "a2a1n"),
        ("8/Q7/8/8/8/k7/8/2K5 w - - 0 1", word(chess.A7, chess.A8, 12), "a7a8"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", word(chess.E1, chess.G1, 16), "e1g1"),
        ("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", word(chess.E1, chess.C1, 16), "e8c8"),
    ],
)
def test_a_move_is_read_from_the_mover_s_side(fen: str, move: int, uci: str) -> None:
    assert unpack_move(chess.Board(fen), move).uci() == uci


def test_a_line_is_read_from_each_mover_s_side() -> None:
    board = chess.Board()
    first = word(chess.E2, chess.E4, 1)
    assert uci_line(pack_board(board), [first, first], black=not board.turn) == (
        "e2e4",
        "e7e5",
    )
    assert uci_line(pack_board(board), [], black=not board.turn) == ()
    assert board == chess.Board()


def test_lines_of_games_are_named_as_by_python_chess(
    kernel: Kernel, search: Search
) -> None:
    random, kinds = Random(47), Counter[str]()
    for fen in walks.STARTS * 60:
        start = chess.Board(fen)
        board, position, words, names = start.copy(), pack_board(start), [], []
        for _ in range(12):
            moves = kernel.moves(position, search)
            if not moves:
                break
            word = random.choice(moves)
            move = unpack_move(board, word)
            kinds["castling"] += board.is_castling(move)
            kinds["en passant"] += board.is_en_passant(move)
            kinds["promotion"] += move.promotion is not None
            assert board.is_legal(move)
            words.append(word)
            names.append(move.uci())
            position = kernel.made(position, search, word)
            board.push(move)
            assert bytes(position) == bytes(pack_board(board))
        black = start.turn == chess.BLACK
        assert uci_line(pack_board(start), words, black=black) == tuple(names)
        if words:
            assert uci_move(pack_board(start), words[0], black=black) == names[0]
    assert min(kinds.values()) > 5


@pytest.mark.usefixtures("kernel")
def test_stalemates_are_those_of_python_chess() -> None:
    seen = Counter[bool]()
    for board in walks.small_positions(3000, seed=48):
        seen[board.is_stalemate()] += 1
        assert has_stalemate(board.fen()) == board.is_stalemate()
    assert min(seen[True], seen[False]) > 10


@pytest.mark.usefixtures("kernel")
def test_a_fen_is_read_as_by_python_chess() -> None:
    for board in walks.random_positions(500, seed=1):
        fen = board.fen(en_passant="fen")
        read, expected = parse_fen(fen), chess.Board(fen)
        assert read == expected
        assert read.fen(en_passant="fen") == fen
        assert (read.occupied, read.promoted) == (expected.occupied, expected.promoted)
        assert list(read.occupied_co) == list(expected.occupied_co)
        assert list(read.legal_moves) == list(expected.legal_moves)
