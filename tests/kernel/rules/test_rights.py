"""Rights to castle and to capture en passant are kept and lost move by move."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import pack_board, unpack_move

if TYPE_CHECKING:
    from solver.kernel.border.interface import Kernel
    from solver.kernel.border.search_struct import Search


def legal(kernel: Kernel, search: Search, fen: str, line: str) -> set[str]:
    """Play a line in the kernel and return the legal moves after it."""
    board = chess.Board(fen)
    position = pack_board(board)
    for uci in line.split():
        words = kernel.moves(position, search)
        (word,) = (w for w in words if unpack_move(board, w).uci() == uci)
        position = kernel.made(position, search, word)
        board.push_uci(uci)
    return {unpack_move(board, word).uci() for word in kernel.moves(position, search)}


ROOKS = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


@pytest.mark.parametrize(
    ("fen", "line", "castles"),
    [
        pytest.param(ROOKS, "", "e1g1 e1c1", id="white may"),
        pytest.param(ROOKS, "a1b1", "e8g8 e8c8", id="black may"),
        pytest.param(ROOKS, "a1b1 a8b8 b1a1 b8a8", "e1g1", id="the rook moved"),
        pytest.param(ROOKS, "e1e2 e8e7 e2e1 e7e8", "", id="the king moved"),
        pytest.param(ROOKS, "e1c1 a8a7 c1c2", "e8g8", id="one side castled"),
        pytest.param(ROOKS, "h1h8", "", id="a rook taken by a rook, in check"),
        pytest.param(ROOKS, "a1a8 e8e7 a8a1 h8h7", "e1g1", id="both corners left"),
        pytest.param(
            "r3k2r/1P4P1/8/8/8/8/8/R3K2R w KQkq - 0 1",
            "g7h8r e8d7 h8h7 d7c6",
            "e1g1 e1c1",
            id="black's rook taken by a pawn",
        ),
        pytest.param(
            "r3k3/6P1/7n/8/8/8/8/4K3 w q - 0 1",
            "g7g8n a8b8 g8h6",
            "",
            id="right lost though another piece moves",
        ),
        pytest.param(
            "4k2r/6P1/8/8/8/8/5n2/4K3 w k - 0 1",
            "g7h8n f2h3 e1e2",
            "",
            id="white's promoted piece on black's corner",
        ),
        pytest.param(
            "r3k2r/8/8/3B4/8/8/8/4K3 w kq - 0 1",
            "d5a8 h8h7 e1d1 h7a7 d1c1 a7a8 c1b1",
            "",
            id="another rook where the taken one stood",
        ),
        pytest.param(
            "4k3/8/8/8/8/8/1p6/R3K3 b Q - 0 1",
            "b2a1r e1d2 a1a3",
            "",
            id="black's promoted rook on white's corner",
        ),
        pytest.param(
            "4k3/8/8/3b4/8/5N2/8/R3K2R b KQ - 0 1",
            "d5f3 a1b1 f3h1",
            "",
            id="a bishop takes in the corner",
        ),
        pytest.param(
            "4k3/8/8/8/8/6n1/8/R3K2R b KQ - 0 1",
            "g3h1",
            "e1c1",
            id="a knight takes in the corner",
        ),
        pytest.param(
            "4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "", "", id="rooks without rights"
        ),
        pytest.param("4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1", "", "", id="out of check"),
        pytest.param(
            "4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "", "e1c1", id="through a check"
        ),
        pytest.param(
            "1r2k1r1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "", "e1c1", id="into a check"
        ),
        pytest.param("4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1", "", "", id="pieces between"),
    ],
)
def test_who_may_castle(
    kernel: Kernel, search: Search, fen: str, line: str, castles: str
) -> None:
    for mirrored in (False, True):
        start, played, expected = fen, line, set(castles.split())
        if mirrored:
            start = chess.Board(fen).mirror().fen()
            played = played.translate(RANKS)
            expected = {uci.translate(RANKS) for uci in expected}
        found = legal(kernel, search, start, played)
        assert found & CASTLING == expected


RANKS = str.maketrans("12345678", "87654321")
CASTLING = {"e1g1", "e1c1", "e8g8", "e8c8"}
PAWNS = "4k3/2p1p3/8/3P4/8/8/8/4K3 b - - 0 1"


@pytest.mark.parametrize(
    ("fen", "line", "takes"),
    [
        pytest.param(PAWNS, "c7c5", "d5c6", id="at once"),
        pytest.param(PAWNS, "e7e5", "d5e6", id="on the other side"),
        pytest.param(PAWNS, "c7c5 e1e2 e8d8", "", id="a move later"),
        pytest.param(PAWNS, "c7c6", "d5c6", id="an ordinary capture"),
        pytest.param(PAWNS, "c7c6 e1e2 c6c5", "", id="a step at a time"),
        pytest.param(
            "4k3/8/8/K1Pp3r/8/8/8/8 w - d6 0 1", "", "", id="pinned along the rank"
        ),
        pytest.param(
            "4k3/8/8/2PpK3/8/8/8/8 w - d6 0 1", "", "c5d6", id="it frees the king"
        ),
        pytest.param(
            "4k3/6b1/8/3pP3/8/2K5/8/8 w - d6 0 1", "", "", id="pinned on a diagonal"
        ),
        pytest.param(
            "4k3/8/5b2/3pP3/4K3/8/8/8 w - d6 0 1", "", "e5d6", id="parries a check"
        ),
        pytest.param(
            "8/8/8/8/R1pP3k/8/8/4K3 b - d3 0 1", "", "", id="its rook on our rank"
        ),
    ],
)
def test_who_may_capture_en_passant(
    kernel: Kernel, search: Search, fen: str, line: str, takes: str
) -> None:
    found = legal(kernel, search, fen, line)
    board = chess.Board(fen)
    for uci in line.split():
        board.push_uci(uci)
    pawn_takes = {
        uci
        for uci in found
        if uci[0] != uci[2]
        and board.piece_type_at(chess.parse_square(uci[:2])) == chess.PAWN
    }
    assert pawn_takes == set(takes.split())
