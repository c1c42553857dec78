"""FENs: defaults, what composers may do, one line for each fault, and its repair."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.board import parse_fen
from solver.errors import FenError, InputError
from solver.kernel.border.query_struct import FEN_FAULTS, FenFault
from solver.position_text import GivenPosition, read_position
from tests.kernel.fens import mutated_fens
from tests.oracles.reading import read_fen

if TYPE_CHECKING:
    from random import Random

pytestmark = pytest.mark.usefixtures("kernel")

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"


@pytest.mark.parametrize(
    ("given_fields", "full"),
    [
        ("8/7K/8/8/8/8/R7/7k", "8/7K/8/8/8/8/R7/7k w - - 0 1"),
        ("8/7K/8/8/8/8/R7/7k b", "8/7K/8/8/8/8/R7/7k b - - 0 1"),
        (f"{START} b KQ -", f"{START} b KQ - 0 1"),
        (f"{START} w KQkq - 7 31", f"{START} w KQkq - 7 31"),
        (f"  {START}\t w  qkQK -\r\n", f"{START} w KQkq - 0 1"),
    ],
)
def test_missing_fields_have_defaults(given_fields: str, full: str) -> None:
    assert parse_fen(given_fields) == chess.Board(full)
    assert parse_fen(given_fields).fen() == full


@pytest.mark.parametrize(
    "fen",
    [
        pytest.param(
            "7k/5KQ1/8/8/8/8/8/8 b", id="stalemated, and the queen is unguarded"
        ),
        pytest.param("7k/6Q1/6K1/8/8/8/8/8 b", id="mated"),
        pytest.param("7k/5Q2/6K1/8/8/8/8/8 b", id="stalemated"),
        pytest.param("QQQQQQQQ/Q7/7k/8/8/8/8/K7 b", id="nine queens"),
        pytest.param(
            "k7/8/8/8/8/8/NNNNNNNN/NNBBRRQK w", id="sixteen pieces, ten knights"
        ),
        pytest.param("4k3/8/8/8/4Pp2/8/8/4K3 b - e3", id="en passant possible"),
        pytest.param("4k3/8/8/8/4P3/8/8/4K3 b - e3", id="nobody to take en passant"),
        pytest.param(
            "8/8/8/8/1k1Pp2R/8/8/4K3 b - d3", id="en passant pinned on the rank"
        ),
        pytest.param("4k3/8/5N2/8/4R3/8/8/4K3 b", id="double check"),
        pytest.param("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", id="all rights"),
        pytest.param("8/8/8/8/8/8/6k1/R3K3 w Q -", id="one right"),
    ],
)
def test_unlikely_positions_are_legal(fen: str) -> None:
    assert parse_fen(fen).board_fen() == fen.split(maxsplit=1)[0]


def test_an_en_passant_square_without_a_capture_is_kept() -> None:
    assert parse_fen("4k3/8/8/8/4P3/8/8/4K3 b - e3").ep_square == chess.E3


BAD = {
    "": "expected a FEN, found nothing",
    " \t\n": "expected a FEN, found nothing",
    "8/8/8/8/8/8/8/8": "expected one white king, found none",
    "7k/8/8/8/8/8/8/8": "expected one white king, found none",
    "7K/8/8/8/8/8/8/8": "expected one black king, found none",
    "7k/8/8/8/8/8/8/KK6": "expected one white king, found 2",
    "7k/8/8/8/8/8/8/K7 w - - 0 1 2 3 4": (
        "expected a FEN of 1, 2, 4 or 6 fields, found 9"
    ),
    "7k/8/8/8/8/8/8/K7 w -": "expected a FEN of 1, 2, 4 or 6 fields, found 3",
    "7k/8/8/8/8/8/8/K7 w - - 0": "expected a FEN of 1, 2, 4 or 6 fields, found 5",
    "7k/8/8/8/8/8/8/Ké6": "expected plain ASCII, found U+00E9 at character 17",
    "7k/8/8/8/8/8/K7 w": (
        "board: expected 8 ranks with / between them, found 7 in '7k/8/8/8/8/8/K7'"
    ),
    "7k/8/8/8/8/8/8/8/K7 w": (
        "board: expected 8 ranks with / between them, found 9 in '7k/8/8/8/8/8/8/8/K7'"
    ),
    "7k/8/9/8/8/8/8/K7": (
        "rank 6: expected pieces PNBRQK or pnbrqk and digits 1 to 8, found '9' in '9'"
    ),
    "7k/8/8/8/8/8/8/K2S4": (
        "rank 1: expected pieces PNBRQK or pnbrqk and digits 1 to 8, "
        "found 'S' in 'K2S4'"
    ),
    "7k/44/8/8/8/8/8/K7": (
        "rank 7: expected one digit for adjacent empty squares, found '44' in '44'"
    ),
    "7k/8/8/8/8/ppppppppp/8/K7": "rank 3: expected 8 squares, found 9 in 'ppppppppp'",
    "7k//8/8/8/8/8/K7": "rank 7: expected 8 squares, found 0 in ''",
    "7k/8/8/8/8/8/8/K7 x": "side to move: expected w or b, found 'x'",
    "7k/8/8/8/8/8/8/K7 W": "side to move: expected w or b, found 'W'",
    "7k/8/8/8/8/8/8/K7 w x -": (
        "castling rights: expected - or letters of KQkq, found 'x'"
    ),
    "r3k2r/8/8/8/8/8/8/R3K2R w KK -": (
        "castling rights: expected - or letters of KQkq, found 'KK'"
    ),
    "r3k2r/8/8/8/8/8/8/R3K2R w HAha -": (
        "castling rights: expected - or letters of KQkq (Chess960 is not supported), "
        "found 'HAha'"
    ),
    "r3k2r/8/8/8/8/8/8/R3K2R w KQha -": (
        "castling rights: expected - or letters of KQkq (Chess960 is not supported), "
        "found 'KQha'"
    ),
    "4k3/8/8/8/8/8/8/1R2K3 w Q -": (
        "castling right Q: expected a white king on e1 and a white rook on a1 "
        "(Chess960 is not supported), found a white king on e1 and nothing on a1"
    ),
    "5k1r/8/8/8/8/8/8/4K3 w k -": (
        "castling right k: expected a black king on e8 and a black rook on h8 "
        "(Chess960 is not supported), found nothing on e8 and a black rook on h8"
    ),
    "4k3/8/8/8/8/8/8/4K2b w K -": (
        "castling right K: expected a white king on e1 and a white rook on h1 "
        "(Chess960 is not supported), found a white king on e1 and "
        "a black bishop on h1"
    ),
    "7k/8/8/8/8/8/8/K7 w - z9": (
        "en passant square: expected - or a square such as e3, found 'z9'"
    ),
    "4k3/8/8/8/4P3/8/8/4K3 w - e3": (
        "en passant square: expected one on rank 6 (White is to move), found e3"
    ),
    "4k3/8/8/8/4P3/8/8/4K3 b - e4": (
        "en passant square: expected one on rank 3 (Black is to move), found e4"
    ),
    "4k3/8/8/8/8/8/8/4K3 b - a1": (
        "en passant square: expected one on rank 3 (Black is to move), found a1"
    ),
    "4k3/8/8/8/8/8/8/4K3 b - e3": (
        "en passant square e3: expected a white pawn on e4 that has just moved two "
        "squares, found nothing on e4"
    ),
    "4k3/8/8/4P3/8/8/8/4K3 w - e6": (
        "en passant square e6: expected a black pawn on e5 that has just moved two "
        "squares, found a white pawn on e5"
    ),
    "4k3/8/8/8/4P3/4N3/8/4K3 b - e3": (
        "en passant square e3: expected e3 to be empty after the pawn's double step, "
        "found a white knight on e3"
    ),
    "4k3/8/8/8/4P3/8/4N3/4K3 b - e3": (
        "en passant square e3: expected e2 to be empty after the pawn's double step, "
        "found a white knight on e2"
    ),
    "7k/8/8/8/8/8/8/K7 w - - -1 1": (
        "halfmove clock: expected a whole number from 0 up, at most 17 digits, "
        "found '-1'"
    ),
    "7k/8/8/8/8/8/8/K7 w - - 1_0 1": (
        "halfmove clock: expected a whole number from 0 up, at most 17 digits, "
        "found '1_0'"
    ),
    "7k/8/8/8/8/8/8/K7 w - - 0 x": (
        "move number: expected a whole number from 0 up, at most 17 digits, found 'x'"
    ),
    "P6k/8/8/8/8/8/8/K7": (
        "expected no pawn on the first or last rank, found a white one on a8"
    ),
    "7k/8/8/8/8/8/8/K6p": (
        "expected no pawn on the first or last rank, found a black one on h1"
    ),
    "7k/pppppppp/p7/8/8/8/8/K7": "expected at most 8 black pawns, found 9",
    "7k/8/8/8/8/Q7/QQQQQQQQ/KRRRRRRR b": "expected at most 16 white pieces, found 17",
    "7k/8/8/8/8/8/8/K6R w": (
        "expected the black king out of check (White is to move), "
        "found it attacked from h1"
    ),
    "8/8/8/8/8/8/6k1/7K b": (
        "expected the white king out of check (Black is to move), "
        "found it attacked from g2"
    ),
    "4k3/8/3N4/8/B3R3/8/8/4K3 b": (
        "expected at most two pieces giving check, found 3 on a4, e4, d6"
    ),
    "4r3/8/8/8/4K3/8/8/k3r3 w": (
        "expected checks that a single move can give, found checks from e1, e8"
    ),
}


@pytest.mark.parametrize("fen", BAD)
def test_a_bad_fen_is_refused_with_one_clear_line(fen: str) -> None:
    with pytest.raises(FenError) as caught:
        parse_fen(fen)
    assert str(caught.value) == BAD[fen]


EXPLAINED = {
    FenFault.EMPTY: "expected a FEN, found nothing",
    FenFault.TOO_LONG: "expected a FEN of at most 200 characters",
    FenFault.NOT_ASCII: "expected plain ASCII",
    FenFault.FIELDS: "expected a FEN of 1, 2, 4 or 6 fields",
    FenFault.RANKS: "board: expected 8 ranks",
    FenFault.LETTER: "rank [1-8]: expected pieces",
    FenFault.DIGITS: "rank [1-8]: expected one digit",
    FenFault.SQUARES: "rank [1-8]: expected 8 squares",
    FenFault.SIDE: "side to move: expected w or b",
    FenFault.CASTLING_LETTERS: "castling rights: expected - or letters",
    FenFault.EN_PASSANT: "en passant square: expected - or a square",
    FenFault.CLOCK: "halfmove clock: expected",
    FenFault.NUMBER: "move number: expected",
    FenFault.WHITE_KING: "expected one white king",
    FenFault.BLACK_KING: "expected one black king",
    FenFault.EDGE_PAWN: "expected no pawn on the first or last rank",
    FenFault.WHITE_PAWNS: "expected at most 8 white pawns",
    FenFault.BLACK_PAWNS: "expected at most 8 black pawns",
    FenFault.WHITE_PIECES: "expected at most 16 white pieces",
    FenFault.BLACK_PIECES: "expected at most 16 black pieces",
    FenFault.CASTLING_PIECES: "castling right [KQkq]: expected a .* king on",
    FenFault.EN_PASSANT_RANK: "en passant square: expected one on rank",
    FenFault.EN_PASSANT_PAWN: "en passant square [a-h][36]: expected a .* pawn on",
    FenFault.EN_PASSANT_BLOCKED: "en passant square .* to be empty",
    FenFault.EN_PASSANT_CHECKS: "en passant square .* checks that the pawn's double",
    FenFault.OPPOSITE_CHECK: "expected the .* king out of check",
    FenFault.TOO_MANY_CHECKS: "expected at most two pieces giving check",
    FenFault.IMPOSSIBLE_CHECKS: "expected checks that a single move can give",
}
"""How the message on each fault begins."""


def test_each_fault_has_a_sentence_that_says_what_was_expected() -> None:
    assert set(FEN_FAULTS) == set(EXPLAINED) == set(FenFault) - {FenFault.NONE}
    sentences = FEN_FAULTS.values()
    assert len(set(sentences)) == len(sentences)
    assert all(re.match("([a-z ]+: )?expected ", sentence) for sentence in sentences)
    for fault, sentence in FEN_FAULTS.items():
        shared = set(re.findall("[a-z]{4,}", EXPLAINED[fault])) - {"expected", "rank"}
        assert shared <= set(re.findall("[a-z]{4,}", sentence)), fault


def test_a_changed_fen_is_refused_for_its_first_fault() -> None:
    found = Counter[str]()
    for fen in mutated_fens(8000, seed=2):
        expected = read_fen(fen)
        if isinstance(expected, chess.Board):
            assert parse_fen(fen) == expected, fen
            continue
        found[expected] += 1
        with pytest.raises(FenError) as caught:
            parse_fen(fen)
        message = str(caught.value)
        assert re.match(EXPLAINED[FenFault[expected]], message), (fen, message)
        assert ", found " in message
    assert len(found) > len(FenFault) - 3, found


def test_a_check_that_the_double_step_cannot_give_excludes_en_passant() -> None:
    # The bishop gave check before e2-e4 already, so that was not the last move.
    with pytest.raises(FenError) as caught:
        parse_fen("4k3/8/8/1B6/4P3/8/8/4K3 b - e3")
    assert str(caught.value) == (
        "en passant square e3: expected checks that the pawn's double step can give, "
        "found checks from b5"
    )


def test_a_line_of_a_million_characters_is_refused_and_quoted_in_part() -> None:
    with pytest.raises(FenError) as caught:
        parse_fen("8/" * 500_000)
    assert str(caught.value) == (
        f"expected a FEN of at most 200 characters, found 1,000,000: '{'8/' * 30}'..."
    )


@settings(derandomize=True, deadline=None)
@given(st.text(max_size=300) | st.text("KQRBNPkqrbnp12345678/ wb-", max_size=100))
def test_any_text_gives_a_legal_position_or_a_one_line_error(text: str) -> None:
    try:
        fault = "" if parse_fen(text).is_valid() else "illegal, though read"
    except FenError as error:
        fault = "" if str(error).isprintable() else str(error)
    assert not fault


@settings(derandomize=True, deadline=None)
@given(st.integers(0, 300), st.randoms(use_true_random=False))
def test_every_position_of_a_game_is_read_as_it_was_written(
    plies: int, chance: Random
) -> None:
    board = chess.Board()
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(chance.choice(moves))
    fen = board.fen(en_passant="fen")
    assert parse_fen(fen).fen(en_passant="fen") == fen


@pytest.mark.parametrize("fen", BAD)
def test_what_leaves_no_doubt_is_repaired_and_explained_as_where_it_is_refused(
    fen: str,
) -> None:
    is_repaired = BAD[fen].startswith(
        (
            "castling right",
            "en passant",
            "halfmove",
            "move number",
            "side to move: expected w or b, found 'W'",
            "expected a FEN of 1, 2, 4 or 6 fields, found 3",
            "expected a FEN of 1, 2, 4 or 6 fields, found 5",
        )
    ) and not re.search("found '(HAha|KQha|x)'$", BAD[fen].partition("number")[0])
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


def test_a_position_without_a_side_to_move_stays_without_one() -> None:
    fen = "7k/8/5K2/8/8/8/8/6Q1"
    position = GivenPosition(f'"{fen}"', chess.BLACK)
    assert (position.fen, position.names_side) == (f"{fen} b - - 0 1", False)
    assert GivenPosition(f"{fen}_w", chess.BLACK).names_side
    assert read_position(fen, black=True).fen == position.fen


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
    board = parse_fen(fen)
    assert board.board_fen() == placement
    assert board.turn == (turn in "wW")
    assert set(fen.split()[2]) - {"-"} == set(rights) - {"K", "-"}
    assert board.ep_square is None
