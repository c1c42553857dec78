"""What games in PGN claim in words: the clearest claim counts, others are named."""

from __future__ import annotations

import io

import pytest

from solver.errors import FormatError
from solver.formats import claims, pgn
from solver.problem import Claim, Problem

ONE = "6rk/6pp/8/6N1/8/8/8/K7 w - - 0 1"
IN_ONE = "1. Nf7# *"
LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
IN_TWO = "1. Rb7 Kg8 2. Ra8# 1-0"
LINE = ("b1b7", "h8g8", "a2a8")
DISTANCE = "expected 1 to 200 moves, negative when the side to move is mated, found"


def read(
    *tags: str,
    moves: str = IN_TWO,
    fen: str = LADDER,
    summary: claims.FileSummary | None = None,
) -> Problem | FormatError:
    pairs = [tag.split(" ", 1) for tag in tags]
    head = "".join(f'[{name} "{text}"]\n' for name, text in [*pairs, ["FEN", fen]])
    lines = enumerate(io.BytesIO(f"{head}\n{moves}\n".encode()), start=1)
    (found,) = pgn.read_pgn(lines, summary or claims.FileSummary("x.pgn"))
    return found


def problem_of(*tags: str, moves: str = IN_TWO, fen: str = LADDER) -> Problem:
    found = read(*tags, moves=moves, fen=fen)
    assert isinstance(found, Problem), found
    return found


def mate_of(*tags: str, moves: str = "*", fen: str = LADDER) -> int | None:
    claim = problem_of(*tags, moves=moves, fen=fen).claim
    return claim.mate if claim else None


@pytest.mark.parametrize(
    ("words", "mate"),
    [
        ("Mate in two", 2),
        ("MATE IN 2", 2),
        ("White mates in 2", 2),
        ("WHITE MATES IN 1", 1),
        ("White to play and mate in 3", 3),
        ("White to move and mate in two moves.", 2),
        ("Black to Move. Mate in Four", 4),
        ("Checkmate in three!", 3),
        ("White to checkmate Black in 5", 5),
        ("Check-mate in 4 moves", 4),
        ("Direct mate in 3", 3),
        ("Mate-in-2", 2),
        ("mate in twelve", 12),
        ("Mate in twenty moves", 20),
        ("White mates in 3 (Smith, 1901)", 3),
        ("Problem 17: mate in 4", 4),
        ("No. 3. Mate in 2", 2),
        ("No 3 mate in 2", 2),
        ("#12: mate in 2", 2),
        ("#12 mate in 2", 2),
        ("Smothered mate in 4", 4),
        ("A stalemate trap; mate in 3", 3),
        ("#3", 3),
        ("3#", 3),
        ("Loyd, #3", 3),
        ("Loyd 1868: 3#", 3),
        ("Loyd (#3)", 3),
        ("White to play (#4). From a game", 4),
        ("Not a mate in 2, but mate in 3", 3),
        ("No mate in 2: it is a mate in 3", 3),
        ("This isn't mate in 2. Mate in 3", 3),
        ("Mate in 3; there's no forced mate in 2", 3),
        ("Black threatens mate in 1. White mates in 3", 3),
        ("Avoid the mate in 1 and mate in 5", 5),
        ("Circe's island, mate in 3", 3),
        ("mated in 3", -3),
        ("White is mated in 3", -3),
        ("Black mates in 3", -3),
        ("Black gets mated in two moves", 2),
    ],
)
def test_words_in_a_comment_and_in_any_tag_claim(words: str, mate: int) -> None:
    assert mate_of(moves=f"{{{words}}} *") == mate
    for tag in ("White", "ChapterName", "Event", "Annotator", "Zz9"):
        assert mate_of(f"{tag} {words}") == mate
    assert mate_of(f"White {words}", moves="1. Rb7 *") == mate


@pytest.mark.parametrize(
    "words",
    [
        *("#201 some title", "#2 some title", "#2: Smith", "#12, Smith", "#3 1878"),
        *("(#5) Smith", "Problem #3", "Puzzle 3#4", "No. 3", "Mate Exercise 1"),
        *("not a mate in 2", "There isn't a mate in 2", "It is never mate in two"),
        *("without mate in 3", "prevents mate in 1", "mate in 3.5"),
        *("Mate in 2-3 moves", "Mate in 2 or 3", "mate in a few", "checkmates"),
        *("Atomic bomb", "Circe's island", "Nightrider's ride", "[%eval #3]"),
    ],
)
def test_numbers_in_lists_and_negations_claim_nothing(words: str) -> None:
    assert mate_of(f"Event {words}", f"Site {words}", moves=f"{{{words}}} *") is None
    claim = problem_of(f"White {words}").claim
    assert claim == Claim(2, ("b1b7",), LINE)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Self mate in 2", "Self mate in 2"),
        ("selfmate in two moves", "selfmate in two"),
        ("Self-mate in 2, White begins", "Self-mate in 2"),
        ("help mate in 2", "help mate in 2"),
        ("Helpmate", "Helpmate"),
        ("Series help mate in 3", "Series help mate in 3"),
        ("Series-mover in 5", "Series-mover"),
        ("Help self mate in 3", "Help self mate in 3"),
        ("Helpstalemate in 3", "Helpstalemate in 3"),
        ("Semi-reflex mate in 2", "Semi-reflex mate in 2"),
        ("Reflexmate in 3", "Reflexmate in 3"),
        ("stalemate in 3", "stalemate in 3"),
        ("Stale mate in 3", "Stale mate in 3"),
        ("double mate in 2", "double mate in 2"),
        ("h#2", "h#2"),
        ("Smith, s#3", "s#3"),
        ("hs#2 by Smith", "hs#2"),
        ("ser-h#7", "ser-h#7"),
        ("pser-#4", "pser-#4"),
        ("semi-r#2", "semi-r#2"),
        ("h=3", "h=3"),
        ("Circe, #2", "Circe"),
        ("#2 Circe", "Circe"),
        ("Mate in 2 (Madrasi)", "Madrasi"),
        ("Anticirce: mate in two", "Anticirce"),
        ("Maximummer", "Maximummer"),
        ("Atomic. White mates in 3", "Atomic"),
        ("K\u00f6ko 2#", "K\\xf6ko"),
        ("Take & Make, mate in 3", "Take & Make"),
        ("Alice chess: mate in 2", "Alice chess"),
        ("Mate in 2 with grasshoppers", "grasshoppers"),
    ],
)
def test_other_stipulations_and_fairy_conditions_are_refused_by_name(
    words: str, name: str
) -> None:
    for tags, moves, field in (
        ((f"Event {words}",), IN_TWO, "Event tag"),
        (("Event #2", f"White {words}"), "*", "White tag"),
        ((), f"{{{words}}} {IN_TWO}", "comment"),
    ):
        error = read(*tags, moves=moves)
        assert isinstance(error, FormatError)
        assert error.reason == f"{field}: expected a mate in n moves, found '{name}'"


def test_a_condition_beside_an_exact_stipulation_is_refused() -> None:
    for stipulation in ("#2", "h#2", "s#3"):
        error = read("Condition Circe", f"Stipulation {stipulation}")
        assert isinstance(error, FormatError)
    problem = problem_of("Event Helpmate in 2", "Stipulation h#2", moves="*")
    assert str(problem.stipulation) == "h#2"


@pytest.mark.parametrize(
    ("tags", "moves", "mate", "dropped"),
    [
        (["Event #201 A title", "White Mate in one"], IN_ONE, 1, []),
        (["Event #1 A title", "White WHITE MATES IN 1"], IN_ONE, 1, []),
        (["Event #15", "White Mate in two"], "*", 2, [15]),
        (["Event #2 x", "White x", "Black Mate in 3"], "*", 3, []),
        (["White mate in 2", "Black Mate in two moves"], "*", 2, []),
        (["White mate in 2", "Black mate in 3"], "*", 2, [3]),
        (["White mate in 2 or mate in 3"], "*", 2, [3]),
        (["White mate in 2", "White mate in 3"], "*", 2, [3]),
        (["White mate in 2"], "{#3} *", 3, [2]),
        (["White mate in 2", "Stipulation #4"], "{#3} *", 4, [3, 2]),
        (["Stipulation Mate in 4", "White #4"], "*", 4, []),
        (["Stipulation 4#"], "{#4} *", 4, []),
        (["White mate in 5"], IN_TWO, 5, []),
        (["White mate in 5"], "1. Rb7 {mate in 9} Kg8 2. Ra8#", 9, [5]),
    ],
)
def test_the_clearest_claim_counts_and_others_that_differ_are_named(
    tags: list[str], moves: str, mate: int, dropped: list[int]
) -> None:
    problem = problem_of(*tags, moves=moves, fen=ONE if moves == IN_ONE else LADDER)
    assert problem.claim
    assert problem.claim.mate == mate
    assert [warning.partition("; kept ")[0] for warning in problem.warnings] == [
        f"claims: expected one, found a mate in {mate} and a mate in {other}"
        for other in dropped
    ]


@pytest.mark.parametrize(
    ("tags", "moves", "warning", "mate"),
    [
        (["White mate in 201"], IN_TWO, f"White tag: {DISTANCE} '201'", 2),
        (["White mate in 0"], IN_TWO, f"White tag: {DISTANCE} '0'", 2),
        (["Event #999"], IN_TWO, f"Event tag: {DISTANCE} '999'", 2),
        (["Event #999", "White #2"], "*", f"Event tag: {DISTANCE} '999'", 2),
        (["Stipulation #201"], IN_TWO, f"Stipulation tag: {DISTANCE} '201'", 2),
        (["NoMate x"], IN_TWO, "NoMate tag: expected 1 to 200 moves, found 'x'", 2),
        (["Keys Qa1"], IN_TWO, "Keys tag: expected a legal", 2),
        (
            ["Solutions 2"],
            IN_TWO,
            "solutions: expected a help stipulation, found none",
            2,
        ),
        (["White #2"], "1. Sf7#", "main line: expected a move at 1., found 'Sf7#'", 2),
        (["White #2"], "1. Cf7", "main line: expected a move at 1., found 'Cf7'", 2),
        (
            ["White #2"],
            "1. Rb7 Kg6",
            "main line: expected a legal move at 1..., found 'Kg6'",
            2,
        ),
        (
            ["White #2"],
            "1. Rb7 hmm 2. Ra8#",
            "main line: expected a move at 1..., found 'hmm'",
            2,
        ),
        (["White #2"], "1. Rb7 {no end", "main line: expected a move at 1..., ", 2),
        (
            ["White #2"],
            "1. Rb7 * 2. Ra8",
            "main line: expected nothing after *, found 'Ra8'",
            2,
        ),
    ],
)
def test_what_cannot_be_read_costs_no_good_claim(
    tags: list[str], moves: str, warning: str, mate: int
) -> None:
    problem = problem_of(*tags, moves=moves)
    assert problem.claim
    assert problem.claim.mate == mate
    assert problem.claim.keys == (LINE[:1] if "1. Rb7" in moves else ())
    (found,) = problem.warnings
    assert found.startswith(warning)
    assert f"; kept mate in {mate}" in found


@pytest.mark.parametrize("word", ["Zf7#", "Xf7#", "\u2603f7", "Nf9", "K"])
def test_an_unreadable_word_is_named_whole(word: str) -> None:
    error = read(moves=f"1. {word} *", fen=ONE)
    assert isinstance(error, FormatError)
    assert error.reason == f"expected a move at 1., found {word!a}"


@pytest.mark.parametrize(
    "word", ["\u2658f7#", "\u265ef7#", "\u2658\ufe0ef7", "\u265e\ufe0fg5-f7#"]
)
def test_figurines_are_pieces(word: str) -> None:
    for number in ("1. ", "1."):
        problem = problem_of(moves=f"{number}{word} *", fen=ONE)
        assert problem.claim == Claim(1, ("g5f7",), ("g5f7",))


ARRAY = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
FOOLS_MATE = "1. f3 e5 2. g4 Qh4# 0-1"


@pytest.mark.parametrize(
    "fen",
    [
        f"{ARRAY} w KQkq - 0 1",
        f"{ARRAY} w KQkq - 7 9",
        f"{ARRAY} w - - 0 1",
        f"{ARRAY[:-8]}R1BQKBNR w KQkq - 0 1",
        f"{ARRAY[:-8]}RN1QKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/P7/1PPPPPPP/1NBQKBNR w Kkq - 0 1",
        "rnbqkbnr/ppppp1pp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "3qk3/pppppppp/8/8/8/8/PPPPPPPP/3QKB2 w - - 0 1",
    ],
)
def test_a_whole_game_is_no_problem_unless_it_says_so(fen: str) -> None:
    summary = claims.FileSummary("x.pgn")
    found = read(moves=FOOLS_MATE, fen=fen, summary=summary)
    assert isinstance(found, Problem), found
    assert (found.claim, found.warnings) == (None, ())
    assert "length of a game" in summary.ignored
    assert mate_of("White mated in 2", moves=FOOLS_MATE, fen=fen) == -2


@pytest.mark.parametrize(
    ("fen", "moves", "mate"),
    [
        (LADDER, IN_TWO, 2),
        ("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq g3 0 2", "Qh4#", 1),
        ("4k3/8/4K3/8/8/8/8/3Q4 w - - 0 1", "1. Qd7+ Kf8 2. Qf7#", 2),
    ],
)
def test_the_main_line_of_another_position_claims_its_length(
    fen: str, moves: str, mate: int
) -> None:
    assert mate_of(fen=fen, moves=moves) == mate


def test_the_length_of_a_long_game_is_no_claim() -> None:
    shuffle = " ".join(["Kg2", "Kg7", "Kg1", "Kh8"] * 10)
    assert mate_of(moves=f"{shuffle} Kg2 Kh7 Rb6 Kg7 Ra7+ Kf8 Rb8#") is None
    shuffle = " ".join(["Kg2", "Kg7", "Kg1", "Kh8"] * 9)
    assert mate_of(moves=f"{shuffle} {IN_TWO[3:]}") == 20


def test_the_summary_says_what_is_read_from_where() -> None:
    summary = claims.FileSummary("x.pgn")
    read("Event x", "Site Wien", "White Mate in 2", "ECO ?", summary=summary)
    assert {part: list(names) for part, names in summary.fields.items()} == {
        "position": ["FEN tag"],
        "claim": ["White tag"],
        "keys": ["main line"],
        "line": ["main line"],
        "name": ["Event tag"],
    }
    assert summary.ignored == {"Site tag": False}
    read("Event Mates", "Title #7 of the set", moves="*", summary=summary)
    assert summary.ignored == {"Site tag": False, "Event tag": True, "Title tag": True}


STUDY = """
[Event "Mates: Chapter 7"]
[Site "https://example.org/study/abc#3"]
[Result "*"]
[UTCDate "2024.01.02"]
[Variant "From Position"]
[ECO "?"]
[Opening "?"]
[Annotator "https://example.org/@/someone"]
[StudyName "Mates"]
[ChapterName "{name}"]
[FEN "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"]
[SetUp "1"]

{{ [%cal Gb1b7,Ra2a8] Look for a quiet move. }}
1. Rb7 {{ [%eval #1] }} (1. Rb8+ Kg7) 1... Kg8 2. Ra8# *
"""
EXPORT = """
[Event "{name}"]
[Site ""]
[Date "????.??.??"]
[Round "12"]
[White "Smith, J."]
[Black "+0012.34"]
[Result "1-0"]
[Annotator "Smith"]
[SetUp "1"]
[FEN "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"]
[PlyCount "3"]
[SourceTitle "Problems"]
[SourceVersion "2"]

1. Rb7! $1 {{[#] the key}} Kg8 2. Ra8# 1-0
"""
MATCH = """
[Event "{name}"]
[Site "?"]
[Date "2024.01.02"]
[Round "1"]
[White "Engine 1"]
[Black "Engine 2"]
[Result "1-0"]
[FEN "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"]
[PlyCount "3"]
[SetUp "1"]
[TimeControl "40/60"]

1. Rb7 {{+M3/12 0.10s}} Kg8 {{-M2/10 0.05s}} 2. Ra8# {{+M1/5 0.01s, White mates}} 1-0
"""


@pytest.mark.parametrize(
    "form", [STUDY, EXPORT, MATCH], ids=["study", "export", "match"]
)
@pytest.mark.parametrize(
    ("name", "mate"), [("A title", 2), ("Mate in 3", 3), ("#7 of the set", 2)]
)
def test_what_sites_and_programs_export_is_read(
    form: str, name: str, mate: int
) -> None:
    text = form.format(name=name)
    lines = enumerate(io.BytesIO(text.encode()), start=1)
    (problem,) = pgn.read_pgn(lines, claims.FileSummary("x.pgn"))
    assert isinstance(problem, Problem), problem
    assert problem.claim == Claim(mate, ("b1b7",), LINE)
    assert problem.warnings == ()
