"""EPD: each dialect's claims are read, and each fault is one line."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import InputError
from solver.formats.epd import parse_record
from solver.problem import Claim, Problem

ROOK = "8/7K/8/8/8/8/R7/7k w - -"
TWO_ROOKS = "6k1/8/8/8/8/8/R7/R5K1 w - -"
CASTLE = "8/8/8/8/8/6k1/8/R3K3 w Q -"


def read(text: str) -> Problem:
    return parse_record(text, "some/mates.epd:7")


@pytest.mark.parametrize(
    ("tail", "claim"),
    [
        ("", None),
        ("dm 8;", Claim(8)),
        ("dm 8", Claim(8)),
        ("dm  +8 ;", Claim(8)),
        ("dm -8;", Claim(-8)),
        ("bm #8;", Claim(8)),
        ("bm #-8;", Claim(-8)),
        ("DM 8;", Claim(8)),
        ("bm Kg6; dm 8;", Claim(8, ("h7g6",))),
        ("dm 8; bm Kg6 h7h6;", Claim(8, ("h7g6", "h7h6"))),
        ("dm 8; bm Kg6! h7g6;", Claim(8, ("h7g6",))),
        ("dm 8; bm #8;", Claim(8)),
        ("dm 8; pv Kg6 Kg1 Kf5;", Claim(8, (), ("h7g6", "h1g1", "g6f5"))),
        ("dm 8; pv 1. Kg6 Kg1 2.Kf5;", Claim(8, (), ("h7g6", "h1g1", "g6f5"))),
        ("bm #8; PV: h7g6 h1g1;", Claim(8, (), ("h7g6", "h1g1"))),
        ("bm #8; 00:00 @ C0/R-2/K4/P15/X47;", Claim(8)),
        ("bm #8; ep; 00:00;", Claim(8)),
        ("bm #8; Duals(2); 01:12+;", Claim(8)),
        ("bm #8; --:-- @ C0/R-12/K2/P3/X20; 00'29\" (by hand);", Claim(8)),
        ('bm #8; c0 "was bm #5; dm 4;";', Claim(8)),
        ('c0 "a \\"quoted; dm 4;\\" word"; dm 8;', Claim(8)),
        ("acd 3; dm 8; ce 32751;", Claim(8)),
        (";; dm 8;;", Claim(8)),
        ("bm Kg6;", None),
        ("am Kg6; pv Kg6;", None),
    ],
)
def test_the_claim_is_read_in_every_dialect(tail: str, claim: Claim | None) -> None:
    # Operations begin with a letter; any other tail needs one before it.
    tail = f"c9 x; {tail}" if tail.startswith(";") else tail
    assert read(f"{ROOK} {tail}").claim == claim
    assert read(f"{ROOK} 0 1 {tail}").claim == claim


@pytest.mark.parametrize("move", ["Ra8#", "Ra8", "a1a8", "R1a8", "Ra1a8"])
def test_a_key_is_kept_in_uci(move: str) -> None:
    fen = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
    assert read(f"{fen} dm 1; bm {move};").claim == Claim(1, ("a1a8",))


@pytest.mark.parametrize("move", ["O-O-O", "0-0-0", "O-O-O+", "e1c1"])
def test_castling_is_kept_as_the_kings_move(move: str) -> None:
    assert read(f"{CASTLE} dm 1; bm {move};").claim == Claim(1, ("e1c1",))


@pytest.mark.parametrize(
    ("tail", "name"),
    [
        ("", "mates.epd:7"),
        ('id "";', "mates.epd:7"),
        ('id "Loyd, 1878";', "Loyd, 1878"),
        ("id Loyd;", "Loyd"),
        ("id Sam  Loyd's \t best;", "Sam Loyd's best"),
        ('id "semi;colon \\"and\\" quotes";', 'semi;colon "and" quotes'),
        ('id "Ercole del Rio, 1750, né";', "Ercole del Rio, 1750, né"),
        ('id "red \x1b[31m";', "red \ufffd[31m"),
        ('dm 8; id "after";', "after"),
    ],
)
def test_a_problem_without_a_name_is_named_after_its_line(tail: str, name: str) -> None:
    problem = read(f"{ROOK} {tail}")
    assert problem.id == name
    assert problem.source == "some/mates.epd:7"


@pytest.mark.parametrize(
    ("fields", "fen"),
    [
        (ROOK, f"{ROOK} 0 1"),
        (f"{ROOK} 3 40", f"{ROOK} 3 40"),
        ("8/7K/8/8/8/8/R7/7k", f"{ROOK} 0 1"),
        ("8/7K/8/8/8/8/R7/7k w", f"{ROOK} 0 1"),
        ("4k3/8/8/8/4P3/8/8/4K3 b - e3", "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1"),
    ],
)
def test_the_position_has_six_fields(fields: str, fen: str) -> None:
    assert read(fields).fen == fen


@pytest.mark.parametrize(
    ("record", "fen"),
    [
        (f"{ROOK} hmvc 3; fmvn 40;", f"{ROOK} 3 40"),
        (f"{ROOK} fmvn 40; dm 8;", f"{ROOK} 0 40"),
        (f"{ROOK} fmvn 0;", f"{ROOK} 0 1"),
        (f"{ROOK} 1 2 hmvc 3;", f"{ROOK} 3 2"),
    ],
)
def test_operations_may_set_the_counters(record: str, fen: str) -> None:
    assert read(record).fen == fen


NO_DISTANCE = "expected 1 to 200 moves, negative when the side to move is mated, found"
ILLEGAL = "expected a legal, unambiguous move in SAN or UCI, found"
UNREADABLE = "expected a move in SAN or UCI, found"


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (f"{ROOK} dm 0;", f"dm: {NO_DISTANCE} '0'"),
        (f"{ROOK} dm 201;", f"dm: {NO_DISTANCE} '201'"),
        (f"{ROOK} dm -201;", f"dm: {NO_DISTANCE} '-201'"),
        (f"{ROOK} dm;", f"dm: {NO_DISTANCE} ''"),
        (f"{ROOK} dm two;", f"dm: {NO_DISTANCE} 'two'"),
        (f"{ROOK} dm 1_0;", f"dm: {NO_DISTANCE} '1_0'"),
        (f"{ROOK} dm 8 9;", f"dm: {NO_DISTANCE} '8 9'"),
        (f"{ROOK} dm {'9' * 5000};", f"dm: {NO_DISTANCE} '{'9' * 60}'..."),
        (f"{ROOK} bm #0;", f"bm #: {NO_DISTANCE} '0'"),
        (f"{ROOK} bm #;", f"bm #: {NO_DISTANCE} ''"),
        (f"{ROOK} bm #8!;", f"bm #: {NO_DISTANCE} '8!'"),
        (f"{ROOK} dm 8; bm #9;", "expected one distance to mate, found 8 and 9"),
        (f"{ROOK} dm 8; dm -8;", "expected one distance to mate, found 8 and -8"),
        (f"{ROOK} dm 8; bm Kg5;", f"bm: {ILLEGAL} 'Kg5'"),
        (f"{ROOK} dm 8; bm h7g5;", f"bm: {ILLEGAL} 'h7g5'"),
        (f"{ROOK} dm 8; bm hello;", f"bm: {UNREADABLE} 'hello'"),
        (f"{ROOK} dm 8; bm --;", f"bm: {UNREADABLE} '--'"),
        (f"{ROOK} dm 8; bm 0000;", f"bm: {UNREADABLE} '0000'"),
        (f"{ROOK} bm Kg5;", f"bm: {ILLEGAL} 'Kg5'"),
        ("6k1/8/8/8/8/R7/8/R5K1 w - - dm 8; bm Ra2;", f"bm: {ILLEGAL} 'Ra2'"),
        (f"{ROOK} dm 8; pv Kg6 Kg6;", f"pv: {ILLEGAL} 'Kg6'"),
        (
            f'{ROOK} dm 8; id "unclosed;',
            "operations: expected a closing quote, found ' id \"unclosed;'",
        ),
        (
            f'{ROOK} dm 8; "a "b;',
            "operations: expected a closing quote, found ' \"a \"b;'",
        ),
        (  # in linear time; backtracking would take minutes
            f'{ROOK} {"a" * 100_000} "',
            f"operations: expected a closing quote, found '{'a' * 60}'...",
        ),
        (f"{ROOK} hmvc;", "hmvc: expected a whole number from 0 up, found ''"),
        (f"{ROOK} fmvn -1;", "fmvn: expected a whole number from 0 up, found '-1'"),
        (f"{ROOK} 0 1 2", "expected a FEN of 1, 2, 4 or 6 fields, found 7"),
        (f"{ROOK} #8;", "expected a FEN of 1, 2, 4 or 6 fields, found 5"),
        (
            "8/7K/8/8/8/8/R7/7k w dm 8;",
            "castling rights: expected - or letters of KQkq, found 'dm'",
        ),
        ("7k/8/8/8/8/8/8/8 w - - dm 8;", "expected one white king, found none"),
    ],
)
def test_a_bad_record_is_refused_with_one_clear_line(record: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        read(record)
    assert str(caught.value) == reason


def test_what_python_chess_writes_is_read() -> None:
    board = chess.Board(f"{TWO_ROOKS} 0 1")
    keys = [chess.Move.from_uci("a2a7"), chess.Move.from_uci("g1f2")]
    text = board.epd(id='a "b"; c', dm=5, bm=keys, pv=keys[:1], hmvc=3, c0="dm 4;")
    problem = read(text)
    assert problem.id == 'a "b"; c'
    assert problem.claim is not None
    assert problem.claim.mate == 5
    assert set(problem.claim.keys) == {"a2a7", "g1f2"}
    assert problem.claim.line == ("a2a7",)


@settings(derandomize=True, deadline=None)
@given(st.text(max_size=200) | st.text('dmbpvi "\\#;:+-0123456789Kgh6', max_size=60))
def test_any_tail_gives_a_problem_or_a_one_line_error(tail: str) -> None:
    try:
        shown = read(f"{ROOK} c0 x; {tail}").id
    except InputError as error:
        shown = str(error)
    assert shown.isprintable()
