"""EPD: each dialect's claims are read, and each fault is one line."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import FormatError, InputError
from solver.formats import claims, epd
from solver.formats.epd import is_operation
from solver.problem import Claim, Problem
from tests.oracles import walks

ROOK = "8/7K/8/8/8/8/R7/7k w - -"
TWO_ROOKS = "6k1/8/8/8/8/8/R7/R5K1 w - -"
CASTLE = "8/8/8/8/8/6k1/8/R3K3 w Q -"
PAWN = "4k3/8/8/8/2pP4/8/8/4K3"
LICHESS = "https://lichess.org/analysis/"
KEY = Claim(8, ("h7g6",))


def read(text: str) -> Problem:
    return epd.parse_record(text, "some/mates.epd:7")


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
        ("acd 3; dm 8; ce 32752;", Claim(8)),
        ("dm8;", Claim(8)),
        ("dm:8; id:x", Claim(8)),
        ("Dm=-8", Claim(-8)),
        ("bm#8;", Claim(8)),
        ("BM #+8", Claim(8)),
        ("mate 8;", Claim(8)),
        ("mate in 8", Claim(8)),
        ("Mate_in 8;", Claim(8)),
        ("MateIn8;", Claim(8)),
        ("mate in 8 moves.", Claim(8)),
        ("mated in 8;", Claim(-8)),
        ("#8", Claim(8)),
        ("#-8;", Claim(-8)),
        ("M8;", Claim(8)),
        ("m8", Claim(8)),
        ("bm mate in 8;", Claim(8)),
        ("bm Kg6 dm 8", KEY),
        ("bm Kg6 dm8", KEY),
        ("dm 8 bm Kg6", KEY),
        ("dm 8 bm Kg6 acd 9 id x", KEY),
        ('bm Kg6! c3 "a pawn\'s move" dm 8', KEY),
        ('id "dm 3; bm #4" bm Kg6 dm 8', KEY),
        ('id "x" dm 8 c0 "dm 4"; bm Kg6', KEY),
        ("dm 8, bm Kg6,", KEY),
        ("bm Kg6 mate 8;", KEY),
        ("bm Kg6 mate in 8", KEY),
        ("bm Kg6 mate", None),
        ("Kg6 dm 8", Claim(8)),
        ("Rxa8# bm Kg6 dm 8", KEY),
        ("bm Kg6; dm 8\0", KEY),
        ("dm 8; bm Kg6\0", KEY),
        ("dm 8 | bm Kg6", KEY),
        ("bm Kg6 ; dm 8 ; id 'x';", KEY),
        ("ce 32752;", Claim(8)),
        ("ce +32766;", Claim(1)),
        ("ce -32765;", Claim(-1)),
        ("ce -32751;", Claim(-8)),
        ("bm Kg6; ce 32752;", KEY),
        ("pes MateIn8;", Claim(8)),
        ('c0 "mate in 8"; bm Kg6;', KEY),
        ("ce 32000;", None),
        ("ce 51; pes +0.512;", None),
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
NO_COUNTER = "expected a whole number from 0 up, found"
TWO = "expected one, found a mate"
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
        (
            f'{ROOK} id "unclosed; dm 8;',
            "operations: expected a closing quote, found 'id \"unclosed; dm 8;'",
        ),
        (  # in linear time; backtracking would take minutes
            f'{ROOK} {"a " * 50_000} "',
            f"operations: expected a closing quote, found '{'a ' * 30}'...",
        ),
        (f"{ROOK} ce 32001;", f"ce: {NO_DISTANCE} '383'"),
        (f"{ROOK} 0 1 moves h7g6", "expected a FEN of 1, 2, 4 or 6 fields, found 8"),
        (f"{ROOK.replace('w', 'x')} dm 8;", "side to move: expected w or b, found 'x'"),
        (
            "8/7K/8/8/8/8/R7/7k w HAha - dm 8;",
            "castling rights: expected - or letters of KQkq "
            "(Chess960 is not supported), found 'HAha'",
        ),
        (
            "hello dm 8;",
            "board: expected 8 ranks with / between them, found 1 in 'hello'",
        ),
        ("7k/8/8/8/8/8/8/8 w - - dm 8;", "expected one white king, found none"),
    ],
)
def test_a_bad_record_is_refused_with_one_clear_line(record: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        read(record)
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    ("tail", "claim", "warning"),
    [
        ("dm 8; bm #9;", Claim(8), f"claims: {TWO} in 8 and a mate in 9"),
        ("bm #9; dm 8;", Claim(9), f"claims: {TWO} in 9 and a mate in 8"),
        ("dm 8; dm -8;", Claim(8), f"claims: {TWO} in 8 and a mate in -8"),
        ("ce 32764; dm 8;", Claim(8), f"claims: {TWO} in 8 and a mate in 2"),
        ("dm 8; dm two;", Claim(8), f"dm: {NO_DISTANCE} 'two'"),
        ("bm #x; dm 8;", Claim(8), f"bm #: {NO_DISTANCE} 'x'"),
        ("dm x; ce 32752;", Claim(8), f"dm: {NO_DISTANCE} 'x'"),
        ("dm 8; bm Kg5;", Claim(8), f"bm: {ILLEGAL} 'Kg5'"),
        ("dm 8; bm h7g5;", Claim(8), f"bm: {ILLEGAL} 'h7g5'"),
        ("dm 8; bm hello;", Claim(8), f"bm: {UNREADABLE} 'hello'"),
        ("dm 8; bm --;", Claim(8), f"bm: {UNREADABLE} '--'"),
        ("dm 8; bm 0000;", Claim(8), f"bm: {UNREADABLE} '0000'"),
        ("dm 8; pv Kg6 Kg6;", Claim(8), f"pv: {ILLEGAL} 'Kg6'"),
        ("dm 8; bm Kg6; pv Kg6 K;", KEY, f"pv: {UNREADABLE} 'K'"),
        ("dm 8; pv Kg6 Kh1 ... etc;", Claim(8), f"pv: {ILLEGAL} 'Kh1'"),
        (
            'dm 8; id "unclosed;',
            Claim(8),
            "operations: expected a closing quote, found 'id \"unclosed;'",
        ),
        (
            'dm 8; c0 "ends in a \\',
            Claim(8),
            "operations: expected a closing quote, found 'c0 \"ends in a \\\\'",
        ),
        ("dm 8; hmvc;", Claim(8), f"hmvc: {NO_COUNTER} ''"),
        ("dm 8; fmvn -1;", Claim(8), f"fmvn: {NO_COUNTER} '-1'"),
        (
            "ce 32765;",
            Claim(1),
            "ce: expected 32767 less an odd number of plies, found '32765'",
        ),
        (
            "ce -32750;",
            Claim(-8),
            "ce: expected 32767 less an even number of plies, found '-32750'",
        ),
    ],
)
def test_a_bad_operation_costs_only_itself(
    tail: str, claim: Claim | None, warning: str
) -> None:
    problem = read(f"{ROOK} {tail}")
    assert (problem.claim, problem.fen) == (claim, f"{ROOK} 0 1")
    assert [text.partition("; kept ")[0] for text in problem.warnings] == [warning]


def test_a_score_does_not_contradict_that_there_is_no_mate() -> None:
    problem = read(f"{ROOK} ce 32762; nomate 7;")
    assert (problem.claim, problem.no_mate) == (None, 7)
    (warning,) = problem.warnings
    assert warning == ("ce: expected no mate, found one in 3; kept no mate in 7")


@pytest.mark.parametrize(
    ("record", "fen", "claim"),
    [
        (f"{ROOK} ; bm Kg6", f"{ROOK} 0 1", None),
        (f"{ROOK}; bm Kg6;", f"{ROOK} 0 1", None),
        (f"{ROOK};", f"{ROOK} 0 1", None),
        (f"{ROOK}\0", f"{ROOK} 0 1", None),
        (f"{ROOK} 0 4; v=-385", f"{ROOK} 0 4", None),
        (f"{ROOK} 0 143;", f"{ROOK} 0 143", None),
        (f"{ROOK}, -657", f"{ROOK} 0 1", None),
        (f"{ROOK} 0 1|A title|Kg6", f"{ROOK} 0 1", None),
        (f"{ROOK} 0 1 | dm 8", f"{ROOK} 0 1", Claim(8)),
        (f"{ROOK} ;D1 15 ;D2 60", f"{ROOK} 0 1", None),
        (f"{ROOK} 0 1 bm Kg6 dm 8", f"{ROOK} 0 1", KEY),
        ("8/7K/8/8/8/8/R7/7k; dm 8", f"{ROOK} 0 1", Claim(8)),
        ("8/7K/8/8/8/8/R7/7k dm 8", f"{ROOK} 0 1", Claim(8)),
        ("8/7K/8/8/8/8/R7/7k w dm 8;", f"{ROOK} 0 1", Claim(8)),
        (f'"{ROOK} 0 1", dm 8', f"{ROOK} 0 1", Claim(8)),
        (f"'{ROOK} 3 9' dm 8", f"{ROOK} 3 9", Claim(8)),
        (f"{ROOK.replace(' ', '_')} dm 8", f"{ROOK} 0 1", Claim(8)),
        (f"{LICHESS}{ROOK.replace(' ', '_')}_0_1 dm 8;", f"{ROOK} 0 1", Claim(8)),
        (f"{ROOK} #8", f"{ROOK} 0 1", Claim(8)),
    ],
)
def test_a_position_may_be_followed_by_any_separator(
    record: str, fen: str, claim: Claim | None
) -> None:
    problem = read(record)
    assert (problem.fen, problem.claim, problem.warnings) == (fen, claim, ())


FIELDS = "expected a FEN of 1, 2, 4 or 6 fields, found 5"


@pytest.mark.parametrize(
    ("fields", "fen", "subjects"),
    [
        ("7k/8/5K2/8/8/8/8/6Q1 w K -", "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", ["K"]),
        (f"{PAWN} b KQ d3", f"{PAWN} b - d3 0 1", ["K", "Q"]),
        (f"{ROOK} 5", f"{ROOK} 5 1", [f"{FIELDS}; kept mate in 8"]),
        (f"{ROOK} - -", f"{ROOK} 0 1", ["halfmove clock", "move number"]),
        ("8/7K/8/8/8/8/R7/7k W - -", f"{ROOK} 0 1", ["side to move"]),
    ],
)
def test_what_makes_no_sense_in_a_position_is_left_out_with_a_warning(
    fields: str, fen: str, subjects: list[str]
) -> None:
    problem = read(f"{fields} dm 8;")
    assert (problem.fen, problem.claim) == (fen, Claim(8))
    found = [text.partition(": ")[0] for text in problem.warnings]
    assert [text.removeprefix("castling right ") for text in found] == subjects
    assert all(text.endswith("; kept mate in 8") for text in problem.warnings)


@pytest.mark.parametrize(
    ("tail", "ignored"),
    [
        ("v=-385", {"v": False}),
        ("acd 3; acn 5; am Kg6;", {"acd": False, "acn": False, "am": False}),
        ("00:07; Kg6?; --", {"other text": False}),
        ("ce 12;", {"ce": False}),
        ("ce 30012;", {"ce": True}),
        ("ce -M3;", {"ce": True}),
        ("ce -29998;", {"ce": True}),
        ("ce 32767;", {"ce": True}),
        ('c0 "was bm #3";', {"c0": True}),
        ('c0 "Puzzle #3";', {"c0": False}),
        ('id "Loyd, #3";', {"id": True}),
        ('id "Material 3";', {}),
        ("id Loyd dm 3;", {"id": True}),
        ("id Loyd bm#3;", {"id": True}),
        ("c0 was bm #3;", {"c0": True}),
        ("M3 1-0;", {"m": True}),
        ("Be2 acd 9;", {"other text": False, "acd": False}),
        ("c4 was dm 3;", {"c4": True}),
        ("v2 Ke2 dm 3;", {"v2": True}),
        ("x y dm 2;", {"x": True}),
        ("White to play and mate in 2;", {"white": True}),
        ("mate by Loyd;", {"mate": True}),
    ],
)
def test_what_is_not_read_is_named(tail: str, ignored: dict[str, bool]) -> None:
    summary = claims.FileSummary("x")
    assert epd.parse_record(f"{ROOK} {tail}", "x:1", summary).claim is None
    assert summary.ignored == ignored


def test_what_is_read_is_named_with_its_opcode() -> None:
    summary = claims.FileSummary("x")
    epd.parse_record(f"{ROOK} bm Kg6 #8; ce 32752; Mate 8; ID x", "x:1", summary)
    assert {part: [*names] for part, names in summary.fields.items()} == {
        "claim": ["bm #", "mate", "ce"],
        "keys": ["bm"],
        "name": ["id"],
    }


def test_a_letter_in_an_old_encoding_does_not_cost_the_record() -> None:
    lines = [f'{ROOK} dm 8; id "M\u00fcller";'.encode("latin-1"), b"\xff\0\n"]
    problem, error = epd.read_epd(enumerate(lines, 1), claims.FileSummary("x"))
    assert isinstance(problem, Problem)
    assert (problem.id, problem.claim) == ("M\u00fcller", Claim(8))
    assert error == FormatError("x:2", "expected text, found a NUL byte at byte 2")


def test_no_move_is_taken_for_an_opcode() -> None:
    for board in walks.random_positions(300, seed=42):
        sans = [board.san(move) for move in board.legal_moves]
        lines = [move.uci() for move in board.legal_moves]
        for keys in (sans, lines):
            problem = read(f"{board.epd(en_passant='fen')} bm {' '.join(keys)} dm 9")
            assert problem.claim
            assert problem.claim.mate == 9
            assert set(problem.claim.keys) == set(lines)
            assert problem.warnings == ()


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


def test_moves_are_no_operations() -> None:
    for text in (" rc8+ Kh7", " d4 exd4", " c4 dxc4", " v2"):
        assert not is_operation(text), text
    for text in (' c0 "d4";', " bm d4;", " D1 20 ;D2 400", " rc 2;", " dm 2", "; id 1"):
        assert is_operation(text), text
