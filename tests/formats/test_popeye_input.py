"""Popeye's input: orthodox problems are read and written, the rest refused by name."""

from __future__ import annotations

import io
import re

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import FormatError, InputError
from solver.formats.claims import FileSummary
from solver.formats.detection import detect
from solver.formats.popeye import (
    POPEYE_HEAD,
    POPEYE_SEPARATOR,
    POPEYE_TAIL,
    PopeyeInput,
    Twin,
    read_inputs,
    read_popeye,
    write_popeye,
)
from solver.formats.streams import MAX_RECORD_BYTES
from solver.problem import EXPECTED, MATE, Claim, Problem, Stipulation
from tests.formats.random_positions import NAMES, SEEDS, play

LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
PIECES = "pieces white Kg1 Ra2b1 black Kh8\n"
GOOD = f"{PIECES}stipulation #2\n"


def read(text: str | bytes) -> list[Problem | FormatError]:
    raw = text if isinstance(text, bytes) else text.encode()
    return list(
        read_popeye(enumerate(io.BytesIO(raw), start=1), FileSummary("dir/x.inp"))
    )


def read_one(body: str | bytes) -> Problem:
    raw = body if isinstance(body, bytes) else body.encode()
    (problem,) = read(POPEYE_HEAD.encode() + raw + b"\n" + POPEYE_TAIL.encode())
    assert isinstance(problem, Problem), problem
    return problem


def refusal_of(body: str) -> str:
    (error,) = read(POPEYE_HEAD + body + "\n" + POPEYE_TAIL)
    assert isinstance(error, FormatError), error
    return error.reason


def test_a_problem_has_a_position_and_a_claim() -> None:
    assert read(POPEYE_HEAD + GOOD + POPEYE_TAIL) == [
        Problem(LADDER, "x.inp:2", Claim(2), "dir/x.inp:2")
    ]


def test_the_manuals_sample_is_read_in_full_and_abbreviated() -> None:
    long = """BeginProblem
Author          Unknown
Origin          Also Unkown
Stipulation     #2
Pieces          White   Ka3 Ra8
                Black   Kb1
Option          MoveNumbers Try Set Variation
EndProblem
"""
    short = """Begi
Auth    Unknown
Orig    Also Unkown
Stip    #2
Piec    Whit Ka3 Ra8
        Blac Kb1
Opti    Move Try Set Vari
Endp
"""
    expected = Problem(
        "R7/8/8/8/8/K7/8/1k6 w - - 0 1", "x.inp:2", Claim(2), "dir/x.inp:2"
    )
    assert read(long) == read(short) == [expected]


@pytest.mark.parametrize(
    "pieces",
    [
        "PIECES WHITE KG1 RA2B1 BLACK KH8",
        "pieces wh kg1 r a2b1 bl kh8",
        "pieces white kg1, ra2; rb1\nblack kh8",
        "pieces white kg1 white ra2 black kh8\npieces white rb1",
        "forsyth 7k/8/8/8/8/8/R7/1R4K1",
        "forsyth 7k40R8R4K",
        "forsyth 7k/8/8/24R7/1R4K1",
        "forsyth 7k/8/8/24/R7/1R4K1",
        "forsyth 7k/8/8/8/8/8/R7 pieces white kg1 rb1",
    ],
)
def test_pieces_may_be_written_in_many_ways(pieces: str) -> None:
    assert read_one(f"{pieces} stip #2").fen == LADDER


def test_all_pieces_of_orthodox_chess_are_read() -> None:
    fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    forsyth = "rsbqkbsr/pppppppp/8/8/8/8/PPPPPPPP/RSBQKBSR"
    compact = "rsbqkbsrpppppppp32PPPPPPPPRSBQKBSR"
    assert read_one(f"stip #2 forsyth {forsyth}").fen == fen
    assert read_one(f"stip #2 forsyth {compact}").fen == fen
    assert read_one("stip #2 InitialGameArray").fen == fen
    pieces = "white ke1 qd1 ra1h1 bc1 sb1 pa2b2 black ke8 qd8 ra8h8 bc8 sb8 pa7b7"
    expected = "rnbqk2r/pp6/8/8/8/8/PP6/RNBQK2R w KQkq - 0 1"
    assert read_one(f"stip #2 pieces {pieces}").fen == expected


@pytest.mark.parametrize(
    ("option", "fields"),
    [
        ("", "w KQ -"),
        ("option nocastling a1", "w K -"),
        ("option nocastling a1h1", "w - -"),
        ("option nocastling e1", "w - -"),
        ("option enpassant d7d6d5", "w KQ d6"),
        ("option vari enpassant d7d6d5 nocast a1 try set", "w K d6"),
        ("option vari option try", "w KQ -"),
        ("option maxsol 5 maxtime 30 intelligent nontrivial 0 1 beep", "w KQ -"),
        ("option whitetoplay noboard", "w KQ -"),
    ],
)
def test_options_set_castling_and_en_passant(option: str, fields: str) -> None:
    pieces = "pieces white Ke1 Ra1h1 Pe5 black Kg8 Pd5"
    assert (
        read_one(f"{pieces} {option} stip #2").fen.split(" ", 1)[1] == f"{fields} 0 1"
    )


def test_with_half_duplex_black_begins_and_mates() -> None:
    problem = read_one(f"{GOOD}option halfduplex")
    assert problem.fen.split()[1] == "b"
    assert problem.claim == Claim(2)


@pytest.mark.parametrize(
    ("text", "stipulation", "side", "moves"),
    [
        ("=2", "=2", "w", 2),
        ("s#3", "s#3", "w", 3),
        ("s=3", "s=3", "w", 3),
        ("r#2", "r#2", "w", 2),
        ("semi-r#2", "semi-r#2", "w", 2),
        ("h#2", "h#2", "b", 2),
        ("H#2", "h#2", "b", 2),
        ("h# 2", "h#2", "b", 2),
        ("h#2.5", "h#2.5", "w", 3),
        ("h#0.5", "h#0.5", "w", 1),
        ("h=3", "h=3", "b", 3),
        ("h=3.5", "h=3.5", "w", 4),
    ],
)
def test_the_side_that_begins_follows_from_the_stipulation(
    text: str, stipulation: str, side: str, moves: int
) -> None:
    problem = read_one(f"{PIECES}stip {text}")
    assert str(problem.stipulation) == stipulation
    assert problem.fen.split()[1] == side
    assert problem.claim == Claim(moves)
    other = read_one(f"{PIECES}stip {text} option halfduplex")
    assert other.fen.split()[1] == {"w": "b", "b": "w"}[side]
    assert (other.stipulation, other.claim) == (problem.stipulation, problem.claim)


def test_a_direct_mate_is_a_claim_without_a_stipulation() -> None:
    problem = read_one(f"{PIECES}stip #3")
    assert (problem.stipulation, problem.claim) == (MATE, Claim(3))


@pytest.mark.parametrize(
    ("text", "stipulation", "side"),
    [("h#3", "h#2.5", "w"), ("h#1", "h#0.5", "w"), ("h#2.5", "h#2.5", "w")],
)
def test_white_to_play_takes_blacks_first_move_from_help_play(
    text: str, stipulation: str, side: str
) -> None:
    problem = read_one(f"{PIECES}stip {text} option whitetoplay")
    assert str(problem.stipulation) == stipulation
    assert problem.fen.split()[1] == side


def test_white_to_play_means_nothing_in_battle_play() -> None:
    for text in ("#2", "s#2"):
        expected = read_one(f"{PIECES}stip {text}")
        assert read_one(f"{PIECES}stip {text} option whitetoplay") == expected


def test_duplex_is_two_problems() -> None:
    pieces = "pieces white kg1 qa2 black kh5 rb8 stip h#2 option duplex\n"
    first, second = read(POPEYE_HEAD + pieces + "twin move a2 a3\n" + POPEYE_TAIL)[:2]
    assert isinstance(first, Problem)
    assert isinstance(second, Problem)
    assert [one.fen.split()[1] for one in (first, second)] == ["b", "w"]
    assert [one.id for one in (first, second)] == ["x.inp:2 a)", "x.inp:2 a) duplex"]
    assert first.stipulation == second.stipulation
    named = read(POPEYE_HEAD + "title A\n" + pieces + POPEYE_TAIL)
    assert [one.id for one in named if isinstance(one, Problem)] == ["A", "A duplex"]


def test_a_position_that_is_illegal_for_one_side_of_a_duplex_is_reported() -> None:
    pieces = "pieces white kg1 ra8 black kh8 stip h#2 option duplex"
    first, second = read(POPEYE_HEAD + pieces + "\n" + POPEYE_TAIL)
    assert isinstance(first, Problem)
    assert isinstance(second, FormatError)


def test_promoted_pieces_are_read_but_not_too_many_pieces() -> None:
    crowd = "white kg1 ra1a2a3 ba4c4 black kh8 qa5a6a7"
    assert read_one(f"pieces {crowd} stip s#2").fen.startswith("7k/q7/q7/q7/B1B5/")
    nine = "white kg1 pa2b2c2d2e2f2g2h2h3 black kh8"
    reason = "expected at most 8 white pawns, found 9"
    assert refusal_of(f"pieces {nine} stip s#2") == reason


def test_options_and_texts_are_kept_as_data() -> None:
    text = (
        "author Loyd\ntitle A\nremark one\norigin B\ntitle C\n"
        f"{GOOD}option setplay try vari def 2 maxsol 5 nontrivial 3 1 "
        "maxtime 99999999999999999999 postkeyplay"
    )
    raw = (POPEYE_HEAD + text + "\n" + POPEYE_TAIL).encode()
    (found,) = read_inputs(enumerate(io.BytesIO(raw), start=1), "dir/x.inp")
    assert isinstance(found, PopeyeInput)
    assert found.options.numbers == {
        "SetPlay": (),
        "Try": (),
        "Variations": (),
        "Defence": (2,),
        "MaxSolutions": (5,),
        "NonTrivial": (3, 1),
        "MaxTime": (999_999_999,),
        "PostKeyPlay": (),
    }
    assert "SetPlay" in found.options
    assert "NoThreat" not in found.options
    assert found.options.number("Defence", 1) == 2
    assert found.options.number("Try", 1) == 1
    assert list(found.texts) == [
        ("Author", "Loyd"),
        ("Title", "A"),
        ("Remark", "one"),
        ("Origin", "B"),
        ("Title", "C"),
    ]
    (twin,) = found.twins
    assert isinstance(twin, Twin)
    assert (twin.label, twin.changes) == ("", ())
    assert twin.composition.position().fen == LADDER


@pytest.mark.parametrize("stipulation", ["#3", "# 3", "h#2 stip #3", "=4 stipul #3"])
def test_the_last_stipulation_counts(stipulation: str) -> None:
    assert read_one(f"{PIECES}stipulation {stipulation}").claim == Claim(3)


def test_the_title_names_the_problem_and_other_text_is_ignored() -> None:
    text = (
        "remark EndProblem and NextProblem, title x\n"
        "author Loyd; Option Duplex\norigin stip h#2\naward\nprotocol out.txt\n"
        "title The\ttitle, 'quoted'\n"
    )
    assert read_one(text + GOOD).id == "The title, 'quoted'"
    assert read_one(text + GOOD + "title Two").id == "The title, 'quoted' Two"


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_names_may_be_in_an_old_encoding(encoding: str) -> None:
    assert read_one(f"title Pauly é\n{GOOD}".encode(encoding)).id == "Pauly é"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (PIECES, f"stipulation: expected {EXPECTED}, found none"),
        ("", "expected one white king, found none"),
        *(
            (
                f"{PIECES}stip {other}",
                f"stipulation: expected {EXPECTED}, found '{other}'",
            )
            for other in ("hs#2", "ser-h#4", "+2", "==2", "#3.5", "r+2", "dia4")
        ),
        (
            f"{PIECES}sstip white 3a[#]d",
            f"stipulation: expected {EXPECTED}, found 'sstip'",
        ),
        (
            f"{PIECES}stip",
            "stipulation: expected a value, found the end of the problem",
        ),
        (f"{PIECES}stip #201", "stipulation: expected 1 to 200 moves, found '#201'"),
        (f"{GOOD}cond Circe", "conditions: expected none, found 'Circe'"),
        (f"{GOOD}condition", "conditions: expected none, found one"),
        *(
            (
                f"{GOOD}option vari {option}",
                "option: expected none that changes the rules or the question, "
                f"found '{option}'",
            )
            for option in ("postkey", "nowk", "NoBk", "NullMoves", "quod")
        ),
        (f"{GOOD}option Brett", "option: expected an option of Popeye, found 'Brett'"),
        (f"{GOOD}option", "option: expected an option of Popeye, found none"),
        (f"{GOOD}option no", "option: expected an option of Popeye, found 'no'"),
        (
            f"{GOOD}option nocastling vari",
            "option NoCastling: expected squares, found 'vari'",
        ),
        (
            f"{GOOD}option enpassant e2e4",
            "option EnPassant: expected a double step such as e2e3e4, found e2 e4",
        ),
        (
            "pieces white Kg1 Lia2 black Kh8 stip #2",
            "pieces: expected K, Q, R, B, P, or S for a knight, found 'Li'",
        ),
        (
            "forsyth 7k/8/8/8/8/8/N7/1R4K1 stip #2",
            "pieces: expected K, Q, R, B, P, or S for a knight, found 'N'",
        ),
        (
            "forsyth 7k/8/8/8/8/8/.pa7/1R4K1 stip #2",
            "pieces: expected K, Q, R, B, P, or S for a knight, found '.pa'",
        ),
        (
            "pieces white Kg1 neutral Qa1 black Kh8",
            "pieces: expected White or Black, found 'neutral'",
        ),
        ("pieces Kg1", "pieces: expected White or Black, found 'Kg1'"),
        ("pieces white K", "pieces: expected a value, found the end of the problem"),
        ("pieces white K Qa1", "pieces: expected squares after K, found 'Qa1'"),
        ("pieces white Kg1 Pg1", "pieces: expected one on g1, found two"),
        ("pieces white Pa6 b4 Ka1", "pieces: expected squares after b4, found 'Ka1'"),
        ("forsyth", "Forsyth: expected a value, found the end of the problem"),
        (
            "forsyth 7k/7/8 stip #2",
            "Forsyth: expected full ranks before /, found '7k/7/8'",
        ),
        ("forsyth 64k stip #2", "Forsyth: expected at most 64 squares, found 65"),
        (f"{GOOD}Bedingung", "expected a keyword of Popeye, found 'Bedingung'"),
        (f"{GOOD}a", "expected a keyword of Popeye, found 'a'"),
    ],
)
def test_other_problems_are_refused(body: str, reason: str) -> None:
    assert refusal_of(body) == reason


@pytest.mark.parametrize("first", ["pieces", "b", "an", "problem", "DebutProbleme"])
def test_a_file_begins_with_a_problem(first: str) -> None:
    assert read(f"\n{first}\nwhite ka1\n") == [
        FormatError(
            "dir/x.inp:2", f"expected BeginProblem or AnfangProblem, found '{first}'"
        )
    ]


MATE_IN_2 = "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1"


@pytest.mark.parametrize(
    "text",
    [
        "beg\nstip #2\npie white kf6 qg1 black kh8\nend\n",
        "beg stip #2 pie white kf6 qg1 black kh8 end",
        "BEGI\nremark a b\nPIEC WHIT KF6 QG1 BLAC KH8\nSTIP #2\nENDP\n",
        "remark pieces white ka1\nbeginproblem f 7k/8/5K2/8/8/8/8/6Q1 sti #2 endp",
        "author A\ntitle B\nbegi\npi w kf6 qg1 bl kh8 stip #2 end",
        "Anfang\nFord #2\nStei Weiss Kf6 Dg1 Schw Kh8\nEnde\n",
        "anfangproblem forderung #2 steine weiß kf6 dg1 schwarz kh8 endeproblem",
        "bemerkung nur ein Test\nanfa\nsteine wei kf6 d g1 sch kh8\nford #2\nende",
        "anfa fors 7k/8/5K2/8/8/8/8/6D1 ford #2 opti vari end",
        "beg stip #1 pie white kf6 qg1 black kh8 stip #2 end",
    ],
)
def test_words_may_be_short_and_in_two_languages(text: str) -> None:
    (problem,) = read(text)
    assert isinstance(problem, Problem), problem
    assert (problem.fen, problem.claim) == (MATE_IN_2, Claim(2))


ENGLISH_WORDS = (
    "BeginProblem Author x\nTitle T\nStipulation h#2 Option SetPlay NoCastling a1 "
    "Variations Pieces White Ke1 Ra1h1 Pb2 Black Kg8 Pd5\n"
    "Twin Move b2 b3 Twin Continued Exchange d5 b3 Remove a1 Twin Substitute R Q "
    "Twin Add Black Sb8 EndProblem"
)
GERMAN_WORDS = (
    "AnfangProblem Autor x\nTitel T\nForderung h#2 Option Satzspiel KeineRochade a1 "
    "Varianten Steine Weiss Ke1 Ta1h1 Bb2 Schwarz Kg8 Bd5\n"
    "Zwilling Versetze b2 b3 Zwilling Ferner Tausche d5 b3 Entferne a1 Zwilling "
    "Ersetze T D Zwilling Hinzufuegen Schwarz Sb8 EndeProblem"
)


@pytest.mark.parametrize("text", [ENGLISH_WORDS, GERMAN_WORDS])
def test_a_shortened_word_is_read_like_the_whole_or_refused(text: str) -> None:
    whole = read(ENGLISH_WORDS)
    assert read(text) == whole
    assert len(whole) == 5
    assert not any(isinstance(one, FormatError) for one in whole)
    for word in set(re.findall("[A-Z][A-Za-z]{3,}", text)):
        for length in range(1, len(word)):
            found = read(text.replace(word, word[:length]))
            if found != whole:
                assert any(isinstance(one, FormatError) for one in found), word[:length]
            assert found == whole or length < 6, word[:length]


def test_all_pieces_of_orthodox_chess_have_german_letters() -> None:
    expected = "rnbqk2r/pp6/8/8/8/8/PP6/RNBQK2R w KQkq - 0 1"
    german = (
        "steine weiss ke1 dd1 ta1h1 lc1 sb1 ba2b2 schwarz ke8 dd8 ta8h8 lc8 sb8 ba7b7"
    )
    for text in (
        f"anfang forderung #2 {german} ende",
        "anfang ford #2 fors tsldk2t/bb6/8/8/8/8/BB6/TSLDK2T ende",
    ):
        (problem,) = read(text)
        assert isinstance(problem, Problem), problem
        assert problem.fen == expected


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            "steine weiss ra1",
            "pieces: expected K, D, T, L, B, or S for a knight, found 'r'",
        ),
        (
            "fors 7k/8/5K2/8/8/8/8/6Q1",
            "pieces: expected K, D, T, L, B, or S for a knight, found 'Q'",
        ),
        (
            "steine weiss kf6 dg1 schwarz kh8 ford #2 bedi Circe",
            "conditions: expected none, found 'Circe'",
        ),
        (
            "ford #2 opti ohnewk",
            "option: expected none that changes the rules or the "
            "question, found 'ohnewk'",
        ),
        ("ford ser-#2", f"stipulation: expected {EXPECTED}, found 'ser-#2'"),
        ("sforderung white", f"stipulation: expected {EXPECTED}, found 'sforderung'"),
        ("stip #2", "expected a keyword of Popeye, found 'stip'"),
        ("be x", "expected a keyword of Popeye, found 'be'"),
    ],
)
def test_german_problems_are_refused_by_name(body: str, reason: str) -> None:
    (error,) = read(f"anfang {body}\nende\n")
    assert isinstance(error, FormatError)
    assert error.reason == reason


def test_german_options_and_twins_are_read() -> None:
    text = """anfang
titel Zwei
forderung h#2
steine weiss ke1 ta1h1 be5 schwarz kg8 bd5
option varianten keinerochade a1 enpassant d7d6d5 halbduplex
zwilling versetze e5 e4
zwilling ferner tausche e4 d5 entferne a1
zwilling forderung s#2
zwilling ersetze t d hinzufügen schwarz sb8
endeproblem
"""
    found = read(text)
    assert [one.fen for one in found if isinstance(one, Problem)] == [
        "6k1/8/8/3pP3/8/8/8/R3K2R w K d6 0 1",
        "6k1/8/8/3p4/4P3/8/8/R3K2R w K d6 0 1",
        "6k1/8/8/3P4/4p3/8/8/4K2R w K - 0 1",
        "6k1/8/8/3pP3/8/8/8/R3K2R b K - 0 1",
        "1n4k1/8/8/3pP3/8/8/8/Q3K2Q w - d6 0 1",
    ]
    assert [one.id for one in found if isinstance(one, Problem)] == [
        f"Zwei {label})" for label in "abcde"
    ]


def test_two_languages_may_follow_each_other_in_concatenated_files() -> None:
    english = "beg stip #2 pie white kf6 qg1 black kh8 end\n"
    german = "anfang ford #2 stei weiss kf6 dg1 schw kh8 ende\n"
    found = read(english + german + english)
    assert [one.fen for one in found if isinstance(one, Problem)] == [MATE_IN_2] * 3


def test_a_missed_separator_does_not_join_two_problems() -> None:
    one = "fors 7k/40/5K2/6D1 ford #2\n"
    (error,) = read(f"anfang {one}wei\nauto X\n{one}ende\n")
    assert isinstance(error, FormatError)
    assert error.reason == "expected a keyword of Popeye, found 'wei'"


def test_the_summary_says_what_was_read() -> None:
    summary = FileSummary("x.inp")
    text = "anfang\nautor A\ntitel T\nford #2\nstei weiss kf6 dg1 schw kh8\nende\n"
    assert len(list(read_popeye(enumerate(io.BytesIO(text.encode()), 1), summary))) == 1
    assert summary.fields == {
        "name": {"Title": None},
        "stipulation": {"Stipulation": None},
        "position": {"Pieces": None},
    }
    assert summary.ignored == {"Author": False}


@pytest.mark.parametrize(
    "line",
    [
        *("beg", "BeginProblem", "begin pieces white Ka1", "anfa"),
        *("AnfangProblem Steine", "debutprobleme", "remark the first file"),
        "bemerkung",
    ],
)
def test_it_is_detected_by_its_first_word(line: str) -> None:
    assert detect(f"{line}\nstip #2\n".encode()) == "popeye"


@pytest.mark.parametrize(
    "line",
    [
        *("8/8/8/8/8/8/8/K6k w - -", "remark: Olive", "begin,fen,claim"),
        *("beginning;fen", "PuzzleId,FEN,Moves", '[Remark "x"]', "anfang: 1"),
        "remis 1/2",
    ],
)
def test_other_formats_are_not_taken_for_it(line: str) -> None:
    assert detect(f"{line}\n".encode()) != "popeye"


def test_a_bad_problem_is_reported_and_skipped() -> None:
    bad = "stip hs#2\ntwin move a1 a2\n"
    text = (
        POPEYE_HEAD
        + GOOD
        + POPEYE_SEPARATOR
        + bad
        + POPEYE_SEPARATOR
        + GOOD
        + POPEYE_TAIL
    )
    found = read(text)
    assert [type(one) for one in found] == [Problem, FormatError, Problem]
    assert [one.source for one in found] == [f"dir/x.inp:{n}" for n in (2, 5, 8)]


def test_a_problem_that_is_too_long_is_reported_and_skipped() -> None:
    reason = f"expected at most {MAX_RECORD_BYTES:,} bytes, found more"
    for long in (
        "remark " + "x" * MAX_RECORD_BYTES + "\n",
        "remark x\n" * (MAX_RECORD_BYTES // 8),
    ):
        first, second = read(POPEYE_HEAD + long + POPEYE_SEPARATOR + GOOD + POPEYE_TAIL)
        assert first == FormatError("dir/x.inp:2", reason)
        assert isinstance(second, Problem)


def test_a_line_that_is_too_long_is_reported() -> None:
    long = " ".join(["x" * 1000] * (MAX_RECORD_BYTES // 1000))
    problem = GOOD.replace("\n", " ")
    (error,) = read(f"{POPEYE_HEAD.strip()} {problem} {long} end\n")
    assert isinstance(error, FormatError)
    assert error.reason.startswith("expected BeginProblem or AnfangProblem, found ")
    (error,) = read(f"{POPEYE_HEAD}{problem} {long} end\n{POPEYE_TAIL}")
    reason = f"expected at most {MAX_RECORD_BYTES:,} bytes, found more"
    assert error == FormatError("dir/x.inp:2", reason)


def test_a_truncated_file_loses_only_its_last_problem() -> None:
    reason = "expected NextProblem or EndProblem, found the end of the file"
    found = read(POPEYE_HEAD + GOOD + POPEYE_SEPARATOR + GOOD)
    assert isinstance(found[0], Problem)
    assert found[1:] == [FormatError("dir/x.inp:5", reason)]


def test_files_may_be_concatenated() -> None:
    text = POPEYE_HEAD + GOOD + POPEYE_TAIL
    assert [type(one) for one in read(f"{text}anything\n{text}")] == [Problem, Problem]
    reason = "expected NextProblem or EndProblem, found BeginProblem"
    found = read(POPEYE_HEAD + GOOD + text)
    assert found[0] == FormatError("dir/x.inp:2", reason)
    assert isinstance(found[1], Problem)


@pytest.mark.parametrize(
    "text", ["", "\n", POPEYE_HEAD, POPEYE_HEAD + GOOD + POPEYE_TAIL + POPEYE_SEPARATOR]
)
def test_a_file_without_words_has_no_problem(text: str) -> None:
    assert len(read(text)) == text.count("#2")


def test_a_record_is_written_as_popeye_reads_it() -> None:
    fen = "rn2k2r/8/8/8/1pP5/8/8/4K2R b Kq c3 5 9"
    assert write_popeye(Problem(fen, "A  B\n", Claim(3, ("b4c3",)))) == (
        "Title A B\n"
        "Forsyth rs2k2r/8/8/8/1pP5/8/8/4K2R\n"
        "Stipulation #3\n"
        "Option HalfDuplex NoCastling h8 EnPassant c2c3c4\n"
    )
    assert write_popeye(Problem(LADDER, "", Claim(2))) == (
        "Forsyth 7k/8/8/8/8/8/R7/1R4K1\nStipulation #2\n"
    )


@pytest.mark.parametrize("text", ["s#3", "h#2.5", "semi-r#2", "=2"])
def test_a_stipulation_is_written_as_popeye_reads_it(text: str) -> None:
    problem = Problem(LADDER, "", stipulation=Stipulation.parse(text))
    assert write_popeye(problem).splitlines()[1:] == [f"Stipulation {text}"]


def test_half_duplex_is_written_if_the_other_side_begins() -> None:
    problem = Problem(LADDER, "", stipulation=Stipulation.parse("h#2"))
    assert write_popeye(problem).splitlines()[1:] == [
        "Stipulation h#2",
        "Option HalfDuplex",
    ]
    black = Problem(LADDER.replace(" w ", " b "), "", stipulation=problem.stipulation)
    assert write_popeye(black).splitlines()[1:] == ["Stipulation h#2"]


def test_a_very_long_title_is_cut() -> None:
    title, *_ = write_popeye(Problem(LADDER, "é" * 500, Claim(2))).splitlines()
    assert title == f"Title {'é' * 100}"


@pytest.mark.parametrize(
    ("problem", "found"),
    [
        (Problem(LADDER), "none"),
        (Problem(LADDER, no_mate=2), "no mate in 2"),
        (Problem(LADDER, claim=Claim(-2)), "the side to move mated in 2"),
    ],
)
def test_claims_that_popeye_cannot_express_are_not_written(
    problem: Problem, found: str
) -> None:
    with pytest.raises(InputError) as error:
        write_popeye(problem)
    assert str(error.value) == (
        f"Popeye: expected a claim that the side to move mates, found {found}"
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(SEEDS, NAMES, st.integers(1, 200)), min_size=1, max_size=4))
def test_any_written_mates_are_read_again(mates: list[tuple[int, str, int]]) -> None:
    boards = [play(seed) for seed, _, _ in mates]
    for board in boards:
        board.halfmove_clock, board.fullmove_number = 0, 1
    problems = [
        Problem(board.fen(en_passant="fen"), f"a{name}", Claim(mate))
        for board, (_, name, mate) in zip(boards, mates, strict=True)
    ]
    text = (
        POPEYE_HEAD + POPEYE_SEPARATOR.join(map(write_popeye, problems)) + POPEYE_TAIL
    )
    again = [one for one in read(text) if isinstance(one, Problem)]
    assert [(one.fen, one.claim) for one in again] == [
        (one.fen, one.claim) for one in problems
    ]
    assert [one.id.rstrip(";,.") for one in again] == [
        one.id.rstrip(";,.") for one in problems
    ]


def test_forsyth_begins_at_the_top_left() -> None:
    board = chess.Board(read_one("forsyth k61K stip #1 pieces white qc1").fen)
    assert board.king(chess.BLACK) == chess.A8
    assert board.king(chess.WHITE) == chess.G1
