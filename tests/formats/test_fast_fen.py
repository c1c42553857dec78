"""Fast FENs: every result is the same as python-chess's own."""

from __future__ import annotations

import random

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import FenError
from solver.formats import fen as strict
from solver.formats.fast_fen import (
    format_fen,
    read_placement,
    set_up_plain,
    write_placement,
)
from solver.formats.fen import parse_fen


def walk(seed: int) -> chess.Board:
    """Play legal moves at random from the initial position."""
    moves = random.Random(seed)
    board = chess.Board()
    for _ in range(moves.randrange(120)):
        if board.is_game_over():
            break
        board.push(moves.choice(list(board.legal_moves)))
    return board


BOARDS = st.integers(0, 1 << 32).map(walk)


@settings(derandomize=True, deadline=None)
@given(BOARDS)
def test_positions_of_games_are_written_as_by_python_chess(
    board: chess.Board,
) -> None:
    assert format_fen(board) == board.fen(en_passant="fen")
    assert write_placement(board) == board.board_fen()


@settings(derandomize=True, deadline=None)
@given(BOARDS)
def test_positions_of_games_are_read_as_by_python_chess(board: chess.Board) -> None:
    fen = board.fen(en_passant="fen")
    plain = set_up_plain(*fen.split())
    if board.ep_square is None and len(board.checkers()) < 2:
        assert plain is not None
    else:
        assert plain is None
    read = parse_fen(fen)
    expected = chess.Board(fen)
    assert read == expected
    assert read.fen(en_passant="fen") == fen
    assert (read.occupied, read.promoted) == (expected.occupied, expected.promoted)
    assert list(map(int, read.occupied_co)) == list(map(int, expected.occupied_co))
    assert list(read.legal_moves) == list(expected.legal_moves)


def read_or_refuse(fen: str) -> str:
    try:
        return parse_fen(fen).fen(en_passant="fen")
    except FenError as error:
        return str(error)


@settings(derandomize=True, deadline=None, max_examples=400)
@given(
    BOARDS,
    st.integers(0, 90),
    st.sampled_from([*"PNBRQKpnbrqk12345678/ wb-KQkqe3x0", ""]),
)
def test_a_changed_letter_is_read_as_by_the_strict_reader(
    board: chess.Board, place: int, letter: str
) -> None:
    fen = board.fen(en_passant="fen")
    fen = fen[:place] + letter + fen[place + 1 :]
    with pytest.MonkeyPatch.context() as patch:
        quick = read_or_refuse(fen)
        patch.setattr(strict, "set_up_plain", lambda *_: None)
        assert read_or_refuse(fen) == quick


@pytest.mark.parametrize(
    "placement",
    [
        "",
        "8/8/8/8/8/8/8",
        "8/8/8/8/8/8/8/8/8",
        "8/8/8/8/8/8/8/9",
        "8/8/8/8/8/8/8/0",
        "8/8/8/8/8/8/8/44",
        "8/8/8/8/8/8/8/7",
        "8/8/8/8/8/8/8/8k",
        "8/8/8/8/8/8/8/ppppppppp",
        "8/8/8/8/8/8/8/7x",
        "8/8/8/8/8/8/8/7\u212a",
        "8/8/8/8/8/8/8/7\u00b2",
        "8/8/8/8/8/8/8/",
    ],
)
def test_a_malformed_board_is_left_to_the_strict_reader(placement: str) -> None:
    assert read_placement(placement) is None


@pytest.mark.parametrize(
    "castling", ["-", "K", "Q", "k", "q", "KQkq", "qkQK", "kQ", "Kq"]
)
def test_castling_rights_are_written_in_their_order(castling: str) -> None:
    pieces = "r3k2r/8/8/8/8/8/8/R3K2R"
    plain = set_up_plain(pieces, "w", castling, "-", "7", "0")
    assert plain is not None
    in_order = "".join(letter for letter in "KQkq-" if letter in castling)
    assert format_fen(plain) == f"{pieces} w {in_order} - 7 1"


@pytest.mark.parametrize(
    "fen",
    [
        "r3k2r/8/8/8/8/8/8/R4K1R w K - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K1R1 w K - 0 1",
        "r3k2r/8/8/8/8/8/8/r3K2R w Q - 0 1",
        "R3k2r/8/8/8/8/8/8/R3K2R w q - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KK - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1",
        "k7/8/8/8/8/8/8/KK6 w - - 0 1",
        "k7/8/8/8/8/8/8/8 w - - 0 1",
        "k6P/8/8/8/8/8/8/K7 w - - 0 1",
        "k7/p7/p7/p7/p7/ppppp3/8/7K w - - 0 1",
        "k7/8/8/8/8/8/8/K6r b - - 0 1",
        "k7/8/8/8/8/8/8/Kr6 x - - 0 1",
        "k7/8/8/8/8/8/8/6K1 w - - x 1",
        "k7/8/8/8/8/8/8/6K1 w - - 0 -1",
        "k7/8/8/8/8/1n6/2n5/K7 w - - 0 1",
    ],
)
def test_wrong_or_unusual_fens_are_left_to_the_strict_reader(fen: str) -> None:
    assert set_up_plain(*fen.split()) is None
