"""FENs: defaults, what composers may do, one line for each fault, and its repair."""

from __future__ import annotations

import re

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.board import parse_fen
from solver.errors import FenError, InputError
from solver.position_text import GivenPosition, read_position
from tests.kernel.fens import mutated_fens

pytestmark = pytest.mark.usefixtures("kernel")

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"


UNLIKELY = """
7k/6Q1/6K1/8/8/8/8/8 b
QQQQQQQQ/Q7/7k/8/8/8/8/K7 b
k7/8/8/8/8/8/NNNNNNNN/NNBBRRQK w
4k3/8/8/8/4P3/8/8/4K3 b - e3
8/8/8/8/1k1Pp2R/8/8/4K3 b - d3
4k3/8/5N2/8/4R3/8/8/4K3 b
"""
"""Mate, many queens and knights, en passant that nobody takes, double check."""


def test_unlikely_positions_are_legal() -> None:
    for fen in UNLIKELY.strip().splitlines():
        assert parse_fen(fen).fen(en_passant="fen").startswith(fen)


BAD_FENS = """
 | expected a FEN, found nothing
7k/8/8/8/8/8/8/8 | expected one white king, found none
7K/8/8/8/8/8/8/8 | expected one black king, found none
7k/8/8/8/8/8/8/K7 w - | expected a FEN of 1, 2, 4 or 6 fields, found 3
7k/8/8/8/8/8/8/Ké6 | expected plain ASCII, found U+00E9 at character 17
7k/8/8/8/8/8/8/8/K7 w |
    board: expected 8 ranks with / between them, found 9 in '7k/8/8/8/8/8/8/8/K7'
7k/8/9/8/8/8/8/K7 |
    rank 6: expected pieces PNBRQK or pnbrqk and digits 1 to 8, found '9' in '9'
7k/8/8/8/8/8/8/K2S4 |
    rank 1: expected pieces PNBRQK or pnbrqk and digits 1 to 8, found 'S' in 'K2S4'
7k/44/8/8/8/8/8/K7 |
    rank 7: expected one digit for adjacent empty squares, found '44' in '44'
7k/8/8/8/8/ppppppppp/8/K7 | rank 3: expected 8 squares, found 9 in 'ppppppppp'
7k/8/8/8/8/8/8/K7 x | side to move: expected w or b, found 'x'
7k/8/8/8/8/8/8/K7 W | side to move: expected w or b, found 'W'
7k/8/8/8/8/8/8/K7 w x - | castling rights: expected - or letters of KQkq, found 'x'
r3k2r/8/8/8/8/8/8/R3K2R w HAha - |
    castling rights: expected - or letters of KQkq (Chess960 is not supported), found
    'HAha'
4k3/8/8/8/8/8/8/1R2K3 w Q - |
    castling right Q: expected a white king on e1 and a white rook on a1 (Chess960 is
    not supported), found a white king on e1 and nothing on a1
4k3/8/8/8/8/8/8/4K2b w K - |
    castling right K: expected a white king on e1 and a white rook on h1 (Chess960 is
    not supported), found a white king on e1 and a black bishop on h1
7k/8/8/8/8/8/8/K7 w - z9 |
    en passant square: expected - or a square such as e3, found 'z9'
4k3/8/8/8/4P3/8/8/4K3 w - e3 |
    en passant square: expected one on rank 6 (White is to move), found e3
4k3/8/8/8/4P3/8/8/4K3 b - e4 |
    en passant square: expected one on rank 3 (Black is to move), found e4
4k3/8/8/8/8/8/8/4K3 b - e3 |
    en passant square e3: expected a white pawn on e4 that has just moved two squares,
    found nothing on e4
4k3/8/8/8/4P3/4N3/8/4K3 b - e3 |
    en passant square e3: expected e3 to be empty after the pawn's double step, found
    a white knight on e3
4k3/8/8/8/4P3/8/4N3/4K3 b - e3 |
    en passant square e3: expected e2 to be empty after the pawn's double step, found
    a white knight on e2
4k3/8/8/1B6/4P3/8/8/4K3 b - e3 |
    en passant square e3: expected checks that the pawn's double step can give, found
    checks from b5
7k/8/8/8/8/8/8/K7 w - - -1 1 |
    halfmove clock: expected a whole number from 0 up, at most 17 digits, found '-1'
7k/8/8/8/8/8/8/K7 w - - 0 x |
    move number: expected a whole number from 0 up, at most 17 digits, found 'x'
P6k/8/8/8/8/8/8/K7 | expected no pawn on the first or last rank, found a white one on a8
7k/8/8/8/8/8/8/K6p | expected no pawn on the first or last rank, found a black one on h1
7k/pppppppp/p7/8/8/8/8/K7 | expected at most 8 black pawns, found 9
7k/8/8/8/8/Q7/QQQQQQQQ/KRRRRRRR b | expected at most 16 white pieces, found 17
7k/8/8/8/8/8/8/K6R w |
    expected the black king out of check (White is to move), found it attacked from h1
8/8/8/8/8/8/6k1/7K b |
    expected the white king out of check (Black is to move), found it attacked from g2
4k3/8/3N4/8/B3R3/8/8/4K3 b |
    expected at most two pieces giving check, found 3 on a4, e4, d6
4r3/8/8/8/4K3/8/8/k3r3 w |
    expected checks that a single move can give, found checks from e1, e8
"""
"""A FEN a line and what is wrong with it, which may go on in indented lines."""

BAD = {
    fen.strip(): " ".join(fault.split())
    for row in re.split(r"\n(?! )", BAD_FENS.strip("\n"))
    for fen, _, fault in [row.partition("|")]
}


@pytest.mark.parametrize("fen", BAD)
def test_a_bad_fen_is_refused_with_one_clear_line(fen: str) -> None:
    with pytest.raises(FenError) as caught:
        parse_fen(fen)
    assert str(caught.value) == BAD[fen]


def test_a_line_of_a_million_characters_is_refused_and_quoted_in_part() -> None:
    with pytest.raises(FenError) as caught:
        parse_fen("8/" * 500_000)
    assert str(caught.value) == (
        f"expected a FEN of at most 200 characters, found 1,000,000: '{'8/' * 30}'..."
    )


@pytest.mark.parametrize("fen", BAD)
def test_what_leaves_no_doubt_is_repaired_and_explained_as_where_it_is_refused(
    fen: str,
) -> None:
    repairable = (
        "(castling right|en passant|halfmove|move number).*"
        "|side to move: expected w or b, found 'W'|.* 4 or 6 fields, found [35]"
    )
    is_repaired = re.fullmatch(repairable, BAD[fen]) and not re.search(
        "castling rights.*'(HAha|x)'$", BAD[fen]
    )
    if is_repaired:
        position = GivenPosition(fen)
        assert position.warnings == (BAD[fen],)
        assert position.fen == parse_fen(position.fen).fen(en_passant="fen")
    else:
        with pytest.raises(FenError) as caught:
            GivenPosition(fen)
        assert str(caught.value) == BAD[fen]


def test_each_castling_right_without_its_pieces_has_a_warning() -> None:
    position = GivenPosition("4k3/8/8/8/8/8/8/R3K3 w KQkq -")
    assert position.fen == "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"
    assert [each.partition(":")[0][-1] for each in position.warnings] == [*"Kkq"]
    side = GivenPosition('"7k/8/5K2/8/8/8/8/6Q1"', chess.BLACK)
    assert (side.fen[-9:], side.names_side) == ("b - - 0 1", False)
    assert GivenPosition("7k/8/5K2/8/8/8/8/6Q1_w", chess.BLACK).names_side


@settings(derandomize=True, deadline=None)
@given(
    st.text(max_size=300)
    | st.text("KQRBNPkqrbnp12345678/ wb-_;", max_size=100)
    | st.integers(0, 1 << 30).map(lambda seed: next(mutated_fens(1, seed))),
    st.text(max_size=20) | st.sampled_from(["e4", "1. Kf7", "moves", ""]),
    st.booleans(),
)
def test_any_text_is_read_as_a_legal_position_or_refused_in_one_line(
    text: str, moves: str, repair: bool
) -> None:
    try:
        fen = read_position(text, moves, repair=repair).fen
        fault = "" if parse_fen(fen).fen(en_passant="fen") == fen else "another"
    except InputError as error:
        fault = "" if str(error).isprintable() else str(error)
    assert not fault


@settings(derandomize=True, deadline=None)
@given(
    st.sampled_from("wWbB"),
    st.text("KQkq-", min_size=1, max_size=6),
    st.sampled_from(["-", *chess.SQUARE_NAMES]),
)
def test_a_repair_adds_no_right_and_moves_no_piece(
    turn: str, rights: str, square: str
) -> None:
    placement = "r3k2r/8/8/8/8/8/8/R3K1N1"
    fen = GivenPosition(f"{placement} {turn} {rights} {square} 0 1").fen
    given_rights = [right for right in "Qkq" if right in rights]
    assert fen == f"{placement} {turn.lower()} {''.join(given_rights) or '-'} - 0 1"
