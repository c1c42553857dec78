"""Popeye's input: orthodox problems are read and written, the rest refused by name."""

from __future__ import annotations

import io
import re

import chess
import pytest

from solver.errors import FormatError, InputError
from solver.formats import popeye
from solver.formats.claims import FileSummary
from solver.formats.detection import detect
from solver.formats.popeye import POPEYE_HEAD, POPEYE_TAIL
from solver.formats.streams import MAX_RECORD_BYTES
from solver.problem import EXPECTED, Claim, Problem, Stipulation
from tests.formats.cases import cases, listed, problems_of, said

LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
PIECES = "pieces white Kg1 Ra2b1 black Kh8\n"
GOOD = f"{PIECES}stipulation #2\n"


def read(text: str | bytes) -> list[Problem | FormatError]:
    raw = text if isinstance(text, bytes) else text.encode()
    lines = enumerate(io.BytesIO(raw), start=1)
    return list(popeye.read_popeye(lines, FileSummary("dir/x.inp")))


def read_body(body: str) -> list[Problem | FormatError]:
    return read(f"{POPEYE_HEAD}{body}\n{POPEYE_TAIL}")


def read_one(body: str) -> Problem:
    (problem,) = problems_of(read_body(body))
    return problem


def test_pieces_may_be_written_in_many_ways() -> None:
    for pieces in (
        "PIECES WHITE KG1 RA2B1 BLACK KH8",
        "pieces wh kg1 r a2b1 bl kh8",
        "pieces white kg1, ra2; rb1\nblack kh8",
        "pieces white kg1 white ra2 black kh8\npieces white rb1",
        "forsyth 7k40R8R4K",
        "forsyth 7k/8/8/24/R7/1R4K1",
        "forsyth 7k/8/8/8/8/8/R7 pieces white kg1 rb1",
    ):
        assert read_one(f"{pieces} stip #2").fen == LADDER
    crowd = "white kg1 ra1a2a3 ba4c4 black kh8 qa5a6a7"  # promoted ones
    assert read_one(f"pieces {crowd} stip s#2").fen.startswith("7k/q7/q7/q7/B1B5/")
    nine = "pieces white kg1 pa2b2c2d2e2f2g2h2h3 black kh8 stip s#2"
    assert said(*read_body(nine)) == "expected at most 8 white pawns, found 9"


def test_all_pieces_of_orthodox_chess_are_read() -> None:
    board, german = "rnbqk2r/pp6/8/8/8/8/PP6/RNBQK2R", "TSLDK2T"
    pieces = "white ke1 qd1 ra1h1 bc1 sb1 pa2b2 black ke8 qd8 ra8h8 bc8 sb8 pa7b7"
    steine = "weiß ke1 dd1 ta1h1 lc1 sb1 ba2b2 schwarz ke8 dd8 ta8h8 lc8 sb8 ba7b7"
    for text in (
        f"beg stip #2 pieces {pieces} end",
        f"beg stip #2 forsyth {board.replace('n', 's').replace('N', 'S')} end",
        f"anfang ford #2 steine {steine} ende",
        f"anfang ford #2 fors {german.lower()}/bb6/8/8/8/8/BB6/{german} ende",
    ):
        (problem,) = problems_of(read(text))
        assert problem.fen == f"{board} w KQkq - 0 1"
    assert read_one("stip #2 InitialGameArray").fen == chess.STARTING_FEN


def test_options_set_castling_and_en_passant() -> None:
    pieces = "pieces white Ke1 Ra1h1 Pe5 black Kg8 Pd5"
    for option, fields in {
        "nocastling a1 option try": "w K -",
        "nocastling a1h1": "w - -",
        "enpassant d6": "w KQ d6",
        "vari enpassant d7d6d5 nocast a1 try set": "w K d6",
        "maxsol 5 maxtime 30 intel nontrivial 0 1 beep": "w KQ -",
        "whitetoplay noboard": "w KQ -",
        "halfduplex": "b KQ -",
    }.items():
        problem = read_one(f"{pieces} option {option} stip #2")
        assert problem.fen.split(" ", 1)[1] == f"{fields} 0 1"
        assert said(problem) == "#2"


def test_the_side_that_begins_follows_from_the_stipulation() -> None:
    for text, expected, side in (
        *(("h#2 stip #3", "#3", "w"), ("=2", "=2", "w"), ("s#3", "s#3", "w")),
        *(("H#2", "h#2", "b"), ("h#2.5", "h#2.5", "w"), ("h=3", "h=3", "b")),
        # White to play takes Black's first move from help play.
        *(("h#3 opti whitetoplay", "h#2.5", "w"), ("s#2 opti whitetoplay", "s#2", "w")),
    ):
        for option, turn in (("", side), ("option halfduplex", "wb"[side == "w"])):
            problem = read_one(f"{PIECES}stip {text} {option}")
            assert (said(problem), problem.fen.split()[1]) == (expected, turn)
            length = Stipulation.parse(expected).attacker_moves
            assert problem.claim == Claim(length)


def test_duplex_is_two_problems_of_each_twin() -> None:
    assert read_body(GOOD) == [Problem(LADDER, "x.inp:2", Claim(2), "dir/x.inp:2")]
    pieces = "pieces white kg1 qa2 black kh5 rb8 stip h#2 option duplex\n"
    first, second, *_ = problems_of(read_body(pieces + "twin move a2 a3"))
    assert (first.id, first.fen.split()[1], said(first)) == ("x.inp:2 a)", "b", "h#2")
    assert (second.id, second.fen.split()[1]) == ("x.inp:2 a) duplex", "w")
    named = problems_of(read_body("title A\n" + pieces))
    assert [one.id for one in named] == ["A", "A duplex"]
    illegal = "pieces white kg1 ra8 black kh8 stip h#2 option duplex"
    assert [type(one) for one in read_body(illegal)] == [Problem, FormatError]


def test_options_and_texts_are_kept_as_data() -> None:
    summary = FileSummary("dir/x.inp")
    text = (
        "author Loyd\ntitle A\nremark one\norigin B\ntitle C\n"
        f"{GOOD}option setplay try vari def 2 nontrivial 3 1 "
        "maxtime 99999999999999999999 postkeyplay"
    )
    raw = f"{POPEYE_HEAD}{text}\n{POPEYE_TAIL}".encode()
    (found,) = popeye.read_inputs(enumerate(io.BytesIO(raw), start=1), "dir/x.inp")
    assert isinstance(found, popeye.PopeyeInput)
    no_numbers = ("SetPlay", "Try", "Variations", "PostKeyPlay")
    numbers = {"Defence": (2,), "NonTrivial": (3, 1), "MaxTime": (999_999_999,)}
    assert found.options.numbers == dict.fromkeys(no_numbers, ()) | numbers
    assert ("SetPlay" in found.options, "NoThreat" in found.options) == (True, False)
    assert [found.options.number(name, 1) for name in ("Defence", "Try")] == [2, 1]
    texts = "Author Loyd, Title A, Remark one, Origin B, Title C"
    assert [" ".join(pair) for pair in found.texts] == texts.split(", ")
    (twin,) = found.twins
    assert isinstance(twin, popeye.Twin)
    assert (twin.label, twin.changes) == ("", ())
    assert twin.composition.position().fen == LADDER
    raw = raw.replace(b" postkeyplay", b"")
    assert len([*popeye.read_popeye(enumerate(io.BytesIO(raw), 1), summary)]) == 1
    parts = {"name": "Title", "stipulation": "Stipulation", "position": "Pieces"}
    parts["options"] = "Option"
    assert summary.fields == {part: {name: None} for part, name in parts.items()}
    assert [*summary.ignored] == ["Author", "Remark", "Origin"]


def test_the_title_names_the_problem_and_other_text_is_ignored() -> None:
    text = (
        "remark EndProblem and NextProblem, title x\n"
        "author Loyd; Option Duplex\norigin stip h#2\naward\nprotocol out.txt\n"
        "title The\ttitle, 'quoted'\n"
    )
    assert read_one(text + GOOD).id == "The title, 'quoted'"
    assert read_one(text + GOOD + "title Two").id == "The title, 'quoted' Two"
    raw = f"{POPEYE_HEAD}title Pauly é\n{GOOD}{POPEYE_TAIL}"
    for encoding in ("utf-8", "latin-1"):
        assert problems_of(read(raw.encode(encoding)))[0].id == "Pauly é"


RULES = "option: expected none that changes the rules or the question, found"
ONLY = "pieces: expected K, Q, R, B, P, or S for a knight, found"
NUR = "pieces: expected K, D, T, L, B, or S for a knight, found"
WORD = "expected a keyword of Popeye, found"
END = "found the end of the problem"

REFUSED = f"""
    {{P}}             | stipulation: expected {EXPECTED}, found none
                      | expected one white king, found none
    {{P}}stip hs#2    | stipulation: expected {EXPECTED}, found 'hs#2'
    {{P}}sstip white  | stipulation: expected {EXPECTED}, found 'sstip'
    {{P}}stip #201    | stipulation: expected 1 to 200 moves, found '#201'
    cond Circe        | conditions: expected none, found 'Circe'
    {{P}}stip #2 option vari postkey | {RULES} 'postkey'
    option nowk       | {RULES} 'nowk'
    option Brett      | option: expected an option of Popeye, found 'Brett'
    option            | option: expected an option of Popeye, found none
    option nocastling vari | option NoCastling: expected squares, found 'vari'
    option enpassant e2e4  | option EnPassant: expected a double step such as e2e3e4, found e2 e4
    pieces white Lia2 | {ONLY} 'Li'
    pieces white Kg1 Pg1 | pieces: expected one on g1, found two
    pieces white Pa6 b4 Ka1 | pieces: expected squares after b4, found 'Ka1'
    forsyth 7k/7/8    | Forsyth: expected full ranks before /, found '7k/7/8'
    forsyth 64k       | Forsyth: expected at most 64 squares, found 65
    Bedingung         | {WORD} 'Bedingung'
"""  # noqa: E501


@pytest.mark.parametrize(("body", "reason"), cases(REFUSED))
def test_other_problems_are_refused(body: str, reason: str) -> None:
    assert said(*read_body(body.replace("{P}", PIECES))) == reason


def test_german_problems_are_refused_by_name() -> None:
    for body, reason in {
        "steine weiss ra1": f"{NUR} 'r'",
        "bedi Circe": "conditions: expected none, found 'Circe'",
        "ford ser-#2": f"stipulation: expected {EXPECTED}, found 'ser-#2'",
        "stip #2": f"{WORD} 'stip'",
    }.items():
        assert said(*read(f"anfang {body}\nende\n")) == reason


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
    "Ersetze T D Zwilling Hinzufügen Schwarz Sb8 EndeProblem"
)


@pytest.mark.parametrize("text", [ENGLISH_WORDS, GERMAN_WORDS])
def test_a_shortened_word_is_read_like_the_whole_or_refused(text: str) -> None:
    whole = read(ENGLISH_WORDS)
    assert read(text) == whole
    assert len(problems_of(whole)) == 5
    for word in set(re.findall("[A-Z][A-Za-z]{3,}", text)):
        for length in range(1, len(word)):
            found = read(text.replace(word, word[:length]))
            if found != whole:
                assert any(isinstance(one, FormatError) for one in found), word[:length]
            assert found == whole or length < 6, word[:length]


SHORT = "stip #2 pi w kf6 qg1 bl kh8"
KURZ = "ford #2 stei wei kf6 dg1 schw kh8"
BETWEEN = "expected NextProblem or EndProblem, found"
FIRST = "expected BeginProblem or AnfangProblem, found"
FILES = rf"""
# Words may be short and in two languages, and files may follow each other.
    beg SHORT end                                              | 1 #2
    BEGI\nremark a b\nPIEC WHIT KF6 QG1 BLAC KH8\nSTIP #2\nEND | 2 #2
    remark pieces\nbeginproblem f 7k/8/5K2/8/8/8/8/6Q1 sti #2 endp | 2 #2
    bemerkung ein Test\nAnfang\nSteine Weiß Kf6 D g1 Schwarz Kh8\nFord #2\nEnde | 3 #2
    beg SHORT end anything\nanfang KURZ ende\nbeg SHORT end    | 1 #2, 2 #2, 3 #2
# A bad problem is reported and skipped.
    beg\nSHORT\nnext\nstip hs#2\ntwin move a1 a2\nnext\nSHORT\nend | 2 #2, 4 !, 7 #2
    beg\nremark LONG\nnext\nSHORT\nend  | 2 !, 4 #2 | expected at most 1,048,576 bytes
    beg\nMANY\nnext\nSHORT\nend         | 2 !, 4 #2 | expected at most 1,048,576 bytes
    beg SHORT LINE end\nbeg\nSHORT LINE\nend                   | 1 !, 3 !
# A problem without an end costs no other.
    beg SHORT\nnext\nSHORT             | 1 #2, 3 ! | {BETWEEN} the end of the file
    beg SHORT\nbeg SHORT\nend          | 1 !, 2 #2 | {BETWEEN} beg
# A file begins with a problem, or has none.
    \npieces\nwhite ka1                | 2 !       | {FIRST} 'pieces'
    b                                                          | 1 !
    beg                                                        |
    beg SHORT end\nnext                                        | 1 #2
"""


@pytest.mark.parametrize(("text", "expected", "reason"), cases(FILES))
def test_problems_are_between_keywords(text: str, expected: str, reason: str) -> None:
    long = MAX_RECORD_BYTES
    text = text.replace("SHORT", SHORT).replace("KURZ", KURZ)
    text = text.replace("LONG", "x" * long).replace("MANY", "stip #2 " * (long // 8))
    records = read(text.replace("LINE", "x" * 1000 + " y" * (long // 2)))
    assert listed(records) == expected
    for record in records:
        if isinstance(record, Problem):
            assert record.fen == "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1"
        else:
            assert record.reason.startswith(reason)


def test_it_is_detected_by_its_first_word() -> None:
    words = "beg|BeginProblem|begin pieces|anfa|debutprobleme|remark the|bemerkung"
    others = 'remark: Olive|begin,fen|beginning;fen|[Remark "x"]|anfang: 1|remis 1/2'
    for line in words.split("|"):
        assert detect(f"{line}\nstip #2\n".encode()) == "popeye", line
    for line in others.split("|"):
        assert detect(f"{line}\nstip #2\n".encode()) != "popeye", line


# --- written


def test_a_stipulation_is_written_as_popeye_reads_it() -> None:
    half = "Option HalfDuplex"
    for side, text, option in (
        *(
            ("w", "s#3", ""),
            ("w", "h#2.5", ""),
            ("w", "semi-r#2", ""),
            ("b", "h#2", ""),
        ),
        *(("w", "h#2", half), ("b", "#3", half)),
    ):
        fen = LADDER.replace(" w ", f" {side} ")
        problem = Problem(fen, "", stipulation=Stipulation.parse(text))
        if text == "#3":
            problem = Problem(fen, "", Claim(3))
        lines = ["Forsyth 7k/8/8/8/8/8/R7/1R4K1", f"Stipulation {text}", option]
        assert popeye.write_popeye(problem).splitlines() == [*filter(None, lines)]
    for problem, found in (
        (Problem(LADDER), "none"),
        (Problem(LADDER, no_mate=2), "no mate in 2"),
        (Problem(LADDER, claim=Claim(-2)), "the side to move mated in 2"),
    ):
        expected = "Popeye: expected a claim that the side to move mates, found"
        with pytest.raises(InputError, match=f"^{expected} {found}$"):
            popeye.write_popeye(problem)


def test_options_and_a_short_title_are_written() -> None:
    fen = "rn2k2r/8/8/8/1pP5/8/8/4K2R b Kq c3 5 9"
    assert popeye.write_popeye(Problem(fen, "A  B\n", Claim(3, ("b4c3",)))) == (
        "Title A B\n"
        "Forsyth rs2k2r/8/8/8/1pP5/8/8/4K2R\n"
        "Stipulation #3\n"
        "Option HalfDuplex NoCastling h8 EnPassant c2c3c4\n"
    )
    title, *_ = popeye.write_popeye(Problem(LADDER, "é" * 500, Claim(2))).splitlines()
    assert title == f"Title {'é' * 100}"


# --- twins: each change makes the position that Popeye makes

# The positions were rebuilt from what Popeye 4.104 prints: with `Stipulation ~1`, with
# and without `HalfDuplex`, it lists every move of both sides in each twin, and each
# piece of these positions has a move.

FAMILY = "pieces White Kf2 Qg7 Rf4 Be5 Sc3 Pc7 Black Kb3 Rd5 Bc6 Sd6 Pb6 stip #2\n"
DIAGRAM = "8/2P3Q1/1pbn4/3rB3/5R2/1kN5/5K2/8"

# The words of each twin; how Popeye prints them; its position.
TWINS = """
    Move c3 g6                | wSc3-->g6            | 8/2P3Q1/1pbn2N1/3rB3/5R2/1k6/5K2/8
    Add Black Bg6 White Sg4g2 | +bBg6  +wSg4  +wSg2  | 8/2P3Q1/1pbn2b1/3rB3/5RN1/1kN5/5KN1/8
    Add White Sc6             | wSc6                 | 8/2P3Q1/1pNn4/3rB3/5R2/1kN5/5K2/8
    Exchange g7 c6            | wQg7<-->bBc6         | 8/2P3b1/1pQn4/3rB3/5R2/1kN5/5K2/8
    Substitute B S            | B ==> S              | 8/2P3Q1/1pnn4/3rN3/5R2/1kN5/5K2/8
    Shift a1 b1               | shift a1 ==> b1      | 8/3P3Q/2pbn3/4rB2/6R1/2kN4/6K1/8
    Rotate 90                 | rotate 90            | 8/1Q6/4R1K1/3B4/2nr4/1Pb2N2/2p2k2/8
    Rotate 270                | rotate 270           | 8/2k2p2/2N2bP1/4rn2/4B3/1K1R4/6Q1/8
    Mirror a1<-->h1           | mirror a1<-->h1      | 8/1Q3P2/4nbp1/3Br3/2R5/5Nk1/2K5/8
    Mirror a1h8               | mirror a1<-->h8      | 8/2p2k2/1Pb2N2/2nr4/3B4/4R1K1/1Q6/8
    Mirror a8 h1              | mirror a8<-->h1      | 8/6Q1/1K1R4/4B3/4rn2/2N2bP1/2k2p2/8
    PolishType                | PolishType           | 8/2p3q1/1PBN4/3Rb3/5r2/1Kn5/5k2/8
    Remove c6 Add Black Bg4 Move c3 g2 | -bBc6  +bBg4  wSc3-->g2 | 8/2P3Q1/1p1n4/3rB3/5Rb1/1k6/5KN1/8
    Move c3 f6                | wSc3-->f6            | 8/2P3Q1/1pbn1N2/3rB3/5R2/1k6/5K2/8
    Continued Shift a1 b1     | shift a1 ==> b1      | 8/3P3Q/2pbn1N1/4rB2/6R1/2k5/6K1/8
    Continued PolishType Mirror a1<-->a8 | PolishType  mirror a1<-->a8 | 8/6k1/2K5/6r1/4Rb2/2PBN1n1/3p3q/8
    Move f4 g4 Rotate 180     | wRf4-->g4  rotate 180 | 8/2K5/5Nk1/1R6/3Br3/4nbp1/1Q3P2/8
    Continued Substitute B R  | B ==> R              | 8/2K5/5Nk1/1R6/3Rr3/4nrp1/1Q3P2/8
"""  # noqa: E501


def read_twins(*lines: str, family: str = FAMILY) -> list[Problem | FormatError]:
    return read_body("\n".join([family, *lines]))


def inputs_of(*lines: str) -> popeye.PopeyeInput:
    text = "\n".join([POPEYE_HEAD, FAMILY, *lines, POPEYE_TAIL])
    (found,) = popeye.read_inputs(enumerate(io.BytesIO(text.encode()), 1), "x.inp")
    assert isinstance(found, popeye.PopeyeInput), found
    return found


def twins_of(*lines: str) -> list[popeye.Twin]:
    return [twin for twin in inputs_of(*lines).twins if isinstance(twin, popeye.Twin)]


def placed(found: list[Problem | FormatError]) -> list[str]:
    return [one.fen.split()[0] for one in problems_of(found)]


def test_every_change_makes_popeyes_position_and_text() -> None:
    changed, texts, boards = zip(*cases(TWINS), strict=True)
    words = [f"Twin {twin}" for twin in changed]
    assert placed(read_twins(*words)) == [DIAGRAM, *boards]
    found = [twin.changes for twin in twins_of(*words)]
    assert found == [(), *(tuple(text.split("  ")) for text in texts)]


def test_each_twin_is_a_problem_named_after_it() -> None:
    twins = ("twin remove c3", "twin cont stip h#3", "twin cont rem c6", "twin rem c3")
    found = problems_of(read_twins("title Loyd", *twins))
    assert [one.id for one in found] == [f"Loyd {label})" for label in "abcde"]
    assert {one.source for one in found} == {"dir/x.inp:2"}
    # A twin that is not continued has the first stipulation again.
    assert [*map(said, found)] == ["#2", "#2", "h#3", "h#3", "#2"]
    assert problems_of(read_twins(*twins))[1].id == "x.inp:2 b)"
    labels = [popeye.label_of(index) for index in (0, 1, 25, 26, 35)]
    assert labels == ["a", "b", "z", "z1", "z10"]
    # `rem` is short for `remove` in twins and for `remark` elsewhere.
    lines = ("rem twin rem c3", "twin rem c3 add white pc3 remark rem x")
    assert placed(read_twins(*lines))[1] == DIAGRAM.replace("1kN5", "1kP5")
    assert [text for _, text in inputs_of(*lines).texts] == ["twin rem c3", "rem x"]


def test_a_zero_position_is_not_a_problem_itself() -> None:
    twins = ("zero move c3 g6", "twin move c3 f6", "twin cont rem f6")
    found = read_twins(*twins)
    assert placed(found)[0] == "8/2P3Q1/1pbn2N1/3rB3/5R2/1k6/5K2/8"
    assert listed(found) == "a) #2, b) #2, c) #2"
    given = inputs_of(*twins)
    assert given.has_zero_position
    assert given.diagram.position().board.board_fen() == DIAGRAM
    assert [twin.is_continued for twin in twins_of(*twins)] == [False, False, True]


def test_castling_and_en_passant_follow_the_position_of_the_twin() -> None:
    pieces = "pieces White Ke1 Ra1 Pe5 Black Kg8 Pd5 stip #2"
    for option, fields in [
        ("", "Q -, K -, - -, Q -"),
        ("opti nocastling a1", "- -, K -, - -, - -"),
        ("opti enpassant d7d6d5", "Q d6, K d6, - d6, Q -"),
    ]:
        changes = ("twin move a1 h1", "twin move e1 e2", "twin move d5 d4")
        found = problems_of(read_twins(*changes, family=f"{pieces} {option}"))
        rights = [" ".join(one.fen.split()[2:4]) for one in found]
        assert rights == fields.split(", ")


BAD_TWINS = f"""
    twin                  | expected a change such as Move a1 b2, found none
    twin move c3          | Move: expected a value, {END}
    twin move c3 x9       | Move: expected squares, found 'x9'
    twin move a1 a2       | expected a piece on a1, found none
    twin remove f2        | expected one white king, found none
    twin add white Na1    | {ONLY} 'N'
    twin mirror a1b8      | Mirror: expected a1<-->h1, a1<-->a8, a1<-->h8 or a8<-->h1, found 'a1b8'
    twin shift a1 c1      | Shift: expected every piece to stay on the board, found one on g7
    twin condition Circe  | conditions: expected none, found 'Circe'
    twin rem c3 continued | expected Continued as the first word and no SStipulation, found 'continued'
    twin rem c3 option try | expected Twin, NextProblem or EndProblem, found 'option'
    zero rem c3           | ZeroPosition: expected it before the twins, found it after one
    twin {"polish " * 300} | expected at most 256 changes, found more
"""  # noqa: E501


@pytest.mark.parametrize(("line", "reason"), cases(BAD_TWINS))
def test_a_bad_twin_is_one_error_and_others_are_read(line: str, reason: str) -> None:
    found = read_twins("twin remove c6", line, "twin move c3 f6", "twin cont remove f6")
    assert found.pop(2) == FormatError("dir/x.inp:2", f"twin c): {reason}")
    moved = "8/2P3Q1/1pbn1N2/3rB3/5R2/1k6/5K2/8"
    assert placed(found)[2:] == [moved, moved.replace("1N2", "4")]


def test_a_twin_that_continues_a_bad_one_is_refused_too() -> None:
    found = read_twins("zero move a1 a2", "twin cont remove c3", "twin remove c3")
    reason = "twin b): expected a readable twin before this one, found none"
    assert found[1] == FormatError("dir/x.inp:2", reason)
    assert [one.id for one in problems_of(found[2:])] == ["x.inp:2 c)"]
    found = read_twins("twin cont polish\n" * 1100)
    reason = "twins: expected at most 999, found more"
    assert found.pop() == FormatError("dir/x.inp:2", reason)
    assert len(problems_of(found)) == 999
