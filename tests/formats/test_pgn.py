"""PGN: games, problems and their claims in tags and words, and engines' scores."""

from __future__ import annotations

import io
from dataclasses import replace

import chess
import chess.pgn
import pytest

from solver.errors import FormatError, InputError
from solver.formats import detection, pgn, scores
from solver.formats.claims import FileSummary
from solver.formats.streams import MAX_RECORD_BYTES
from solver.laboratory import games, imbalance
from solver.problem import EXPECTED, Claim, Problem
from tests.formats.cases import Records, cases, listed, problems_of, said, warned

# --- games

FULL = imbalance.Material(1, 1, 2, 2, 2, 2, 2, 2, 8, 8)
SCANDINAVIAN = b"1. e4 d5 2. exd5 Qxd5 1-0\n"


def cut(text: bytes) -> list[tuple[int, bytes]]:
    return list(pgn.split_games(enumerate(io.BytesIO(text), start=1)))


def test_pieces_are_counted_before_the_first_move_and_after_each() -> None:
    taken = FULL._replace(black_pawns=7)
    for text in (
        SCANDINAVIAN,
        b'[Event "x"]\n[Result "1-0"]\n' + SCANDINAVIAN,
        b"1. e4 $1 {a comment (1. d4 with moves) 0-1} d5 (1... e5 2. Nf3 (2. d4))\n"
        b"{over\ntwo lines} 2. exd5 ; 2. e5 to the end of the line\n"
        b"% an escaped line: 2... e6\nQxd5 ( 2... c6 3. dxc6 ) 1-0\n",
        b'[Variant "chess"]\n' + SCANDINAVIAN,
        b'[White "R\xe9ti \xff\xfe"]\n' + SCANDINAVIAN,
    ):
        game = games.parse_game(text)
        last = taken._replace(white_pawns=7)
        assert game.materials == [FULL, FULL, FULL, taken, last]
        assert game.result == 1
    tags = b'[SetUp "1"]\n[FEN "8/7K/8/8/8/8/R7/7k w - - 0 1"]\n[Result "1-0"]\n'
    game = games.parse_game(tags + b"1. Kg6 Kg1 1-0")
    assert game.materials == [imbalance.Material(white_rooks=1)] * 3


def test_the_result_is_in_the_tag_or_after_the_moves() -> None:
    for tag, ending, result in [
        *(("1-0", "1-0", 1), ("0-1", "0-1", 0), ("1/2-1/2", "1/2-1/2", 0.5)),
        *(("1/2", "1/2-1/2", 0.5), ("1-0", "", 1), ("*", "0-1", 0), ("1-0", "*", 1)),
        *(("", "0-1", 0), ("*", "*", None), ("?", "", None), ("", "", None)),
    ]:
        head = f'[Result "{tag}"]\n' if tag else ""
        game = games.parse_game(f"{head}1. e4 {ending}\n".encode())
        assert (game.result, len(game.materials)) == (result, 2)


@pytest.mark.parametrize(
    ("text", "reason"),
    cases(r"""
        1. e4 e5 2. Ke3 1-0     | expected a legal move at 2., found 'Ke3'
        1. e4 e5 2. Ke2 Nf5 1-0 | expected a legal move at 2..., found 'Nf5'
        1. e4 -- 1-0            | expected a move at 1..., found '--'
        1. e4 {no end e5        | expected a move at 1..., found '{no end e5'
        1. e4 e5 1-0 2. Nf3     | expected nothing after 1-0, found 'Nf3'
        [Result "1-0"]\n1. e4 0-1 | expected one result, found 1-0 in the tag and 0-1 below
        [FEN "8/8/8/8/8/8/8/7k w - - 0 1"]\n1-0 | expected one white king, found none
        1. e4 {LONG} | expected a game of at most 1,048,576 bytes, found a longer one
    """),  # noqa: E501
)
def test_a_damaged_game_is_refused(
    text: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(InputError) as refused:
        games.parse_game(text.replace("LONG", "x" * MAX_RECORD_BYTES).encode())
    assert str(refused.value) == reason
    assert caplog.records == []


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        # A game with tags ends before a tag that it has already, or one after moves,
        ('[Event "1"]\n\n1. e4\n\n[Event "2"]\n1. e4\n[Site "3"]\n*\n', (1, 5, 7)),
        ('[Event "1"]\n[Result "1-0"]\n[Event "1"]\n', (1, 3)),
        ('[White "a"]\n\n[Black "b"]\n\n1. e4 {a\n\nb} e5 1-0\n\n2. Nf3\n', (1,)),
        # without tags at a blank line after its result,
        ("1. e4\n\n1... e5 1-0\n\n1. d4 *\n\n\n1. c4 1/2-1/2", (1, 5, 8)),
        # also where a comment does not end.
        ('[Event "1"]\n1. e4 {not closed\ne5 1-0\n[Event "2"]\n1. e4\n', (1, 4)),
        ('[Event "1"]\n1. e4 {\n[%clk 0:01]\n[%eval 0.3]} e5 1-0\n', (1,)),
        # Comments before a game are ignored.
        ("; exported\n% by hand\n\n1. e4 1-0\n", (4,)),
        ("; nothing\n\n", ()),
    ],
)
def test_a_game_ends_where_the_next_begins(text: str, starts: tuple[int, ...]) -> None:
    found = cut(text.encode())
    assert tuple(start for start, _ in found) == starts
    lines = text.splitlines(keepends=True)
    ends = (*(start - 1 for start in starts[1:]), len(lines))
    assert [game.decode() for _, game in found] == [
        "".join(line for line in lines[start - 1 : end] if line.strip())
        for start, end in zip(starts, ends, strict=False)
    ]


# --- problems

LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
EVEN = "7k/1R6/8/8/8/8/R7/6K1 b - - 0 1"
IN_TWO = "1. Rb7 Kg8 2. Ra8# 1-0"
LINE = ("b1b7", "h8g8", "a2a8")


def read(text: str | bytes) -> Records:
    raw = text if isinstance(text, bytes) else text.encode()
    lines = enumerate(io.BytesIO(raw), start=1)
    return list(pgn.read_pgn(lines, FileSummary("dir/x.pgn")))


def game(moves: str, tags: str = "", fen: str = LADDER) -> str:
    head = "".join(f"[{tag}]\n" for tag in tags.split("; ") if tag)
    return f'[Event "?"]\n{head}[SetUp "1"]\n[FEN "{fen}"]\n\n{moves}\n\n'


def test_the_main_lines_mate_is_the_claim_and_the_event_names_the_problem() -> None:
    claim = Claim(2, ("b1b7",), LINE)
    assert read(game(IN_TWO)) == [Problem(LADDER, "x.pgn:1", claim, "dir/x.pgn:1")]
    for name, expected in (('A \\"B\\" \\\\ C', 'A "B" \\ C'), ("Pauly é", "Pauly é")):
        for encoding in ("utf-8", "latin-1"):
            text = game("*").replace('"?"', f'"{name}"').encode(encoding)
            assert [one.id for one in problems_of(read(text))] == [expected]
    for words, line in (
        ("", "#1 keys a2a8 line a2a8"),  # the opponent begins
        ("{mated in 1} ", "#-1 line h8g8 a2a8"),
    ):
        (problem,) = read(game(f"{words}1... Kg8 2. Ra8#", fen=EVEN))
        assert said(problem) == line


MATES = "#2 keys b1b7 line b1b7 h8g8 a2a8"
DISTANCE = "expected 1 to 200 moves, negative when the side to move is mated, found"

CASES = f"""
    1. Rb7 *                      | | none
    1. Rb7 Kg8 2. Ra6 1-0         | | none
# The comment before the first move claims, and one after it that says nothing else.
    {{#3\\nLoyd 1878}} {IN_TWO}   | | {MATES.replace("#2", "#3")}
    {{Mate\\nin 5}} *             | | #5
    {{[%csl Ga1] [%eval #9] mate in 4}} * | | #4
    {{#-2}} {IN_TWO}              | | #-2 line b1b7 h8g8 a2a8
    1. Rb7 (1. Ra7 {{mate in 3.}}) * | | none
    1. Rb7 {{#3}} Kg8 2. Ra8#     | | {MATES.replace("#2", "#3")}
    1. Rb7 {{[%eval #9] mate in 3!}} * | | #3 keys b1b7
    1. Rb7 Kg8 {{mate in 9}} *    | | none
# A line of one move is claimed if it mates; variations are no keys.
    {{#2}} 1. Rb7 *               | | #2 keys b1b7
    1. Rb7 (1. Ra7 Kg8) Kg8 2. Ra8# | | {MATES}
    {IN_TWO} | Keys "b1b7 Ra7"    | {MATES.replace("b1b7 line", "b1b7 a2a7 line")}
# Tags
    {IN_TWO} | Stipulation "?"    | none
    1. Rb7! $1 {{[#] the key}} Kg8 2. Ra8# | Black "+0012.34"; Variant "From Position" | {MATES}
    *        | NoMate "3"; White "mate in 2"       | nomate 3
    1. Rb7 Kg8 | Stipulation "s#3"; White "mate in 2" | s#3 keys b1b7 line b1b7 h8g8
    1. Rb8#  | Stipulation "h#0.5"; Solutions "2"  | h#0.5 line b1b8 solutions 2
# Other games are refused.
    1. Qb7              | | expected a legal move at 1., found 'Qb7'
    1. Zf7# *           | | expected a move at 1., found 'Zf7#'
    * | Variant "Atomic"    | Variant tag: expected Standard or none, found 'Atomic'
    * | Stipulation "hs#2"  | stipulation: expected {EXPECTED}, found 'hs#2'
    * | Stipulation "#201"  | Stipulation tag: {DISTANCE} '201'
    * | NoMate "0"          | NoMate tag: expected 1 to 200 moves, found '0'
"""  # noqa: E501


@pytest.mark.parametrize(("moves", "tags", "expected"), cases(CASES))
def test_a_game_is_a_problem(moves: str, tags: str, expected: str) -> None:
    (record,) = read(game(moves, tags))
    assert said(record) == expected
    assert isinstance(record, FormatError) or not record.warnings


def test_a_game_from_the_initial_position_is_no_problem_unless_words_say_so() -> None:
    assert read("1. f3 e5 2. g4 Qh4# 0-1\n") == []
    (problem,) = problems_of(read('[Event "Mate in 1"]\n\n1. f3 e5 2. g4 *\n'))
    board = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b"
    assert (problem.fen.startswith(board), said(problem)) == (True, "#1")


# --- written


def test_a_written_game_shows_its_claim_in_words() -> None:
    problem = Problem(LADDER, "A", Claim(2, ("b1b7", "a2a7"), LINE))
    assert pgn.write_pgn(problem).splitlines()[-4:] == [
        '[Keys "b1b7 a2a7"]',
        "",
        "{ mate in 2 } 1. Rb7 ( 1. Ra7 ) 1... Kg8 2. Ra8# *",
        "",
    ]
    assert "{ mated in 1 } *" in pgn.write_pgn(Problem(EVEN, "A", Claim(-1)))
    helped = Problem(LADDER, "A", Claim(2, (), LINE, solutions=2), stipulation="h#2")
    assert "[Keys " not in pgn.write_pgn(helped)
    with pytest.raises(InputError, match="line: expected a move in SAN or UCI, found"):
        pgn.write_pgn(Problem(LADDER, "A", Claim(2, (), ("a1a9",))))


@pytest.mark.parametrize(
    "problem",
    [
        Problem(LADDER, "A", Claim(2, (), LINE)),
        Problem(LADDER, "A", Claim(2, ("a2a7", "b1b7"), LINE)),
        Problem(LADDER, "A", Claim(-2, (), LINE)),
        Problem(LADDER, "mate in 7", None, "", 3),
        Problem(chess.STARTING_FEN, "A", Claim(2, ("e2e4",))),
        Problem("4k3/8/8/3pP3/8/8/8/4K2R w K d6 0 1", "A", Claim(2, ("e5d6",))),
        Problem("4k3/8/8/3p4/8/8/8/4K2R w K d6 0 1", "A", Claim(2, ("e1g1",))),
        Problem(LADDER, "mate in 7", stipulation="s#3"),
        Problem(LADDER, "A", Claim(3, (), (), solutions=2), stipulation="h#2.5"),
        Problem(LADDER, "A", Claim(2, (), LINE, solutions=0), stipulation="h=2"),
    ],
)
def test_written_problems_are_read_again(problem: Problem) -> None:
    (again,) = read(pgn.write_pgn(problem))
    assert again == replace(problem, source=again.source)


# --- tags in the spellings of the import format, and lines that should be tags

FEN = "6rk/6pp/8/6N1/8/8/8/K7 w - - 0 1"
TAG = f'[FEN "{FEN}"]'
MOVES = "\n\n1. Nf7# 1-0\n\n"
GOOD = f'[Event "good"]\n{TAG}{MOVES}'
MATE = "#1 keys g5f7 line g5f7"


SPELLINGS = [
    f'[Fen "{FEN}"]',
    f'[  FEN "{FEN}" ]',
    f'[Event "x"]\t[Site "y"] [Round\n"1"] {TAG}[White "z"]',
    f'[FEN\n"{FEN}"\n]\n[White "x"]',
    f'[FEN "{FEN.replace(" w", chr(10) + "w")}"]',
    f"{TAG};a note [x\n",
    f'[Event "x"]\n; a note\n% [FEN "8/8"]\n{TAG}',
    f'{{ all mates in 2 }}\n[Event "x"]\n{{ a note\nof two lines }}\n{TAG}',
    f'[Event "x"]\r\n\n{TAG}\r',
    f'[Event "The "great" game"]\n{TAG}',
    f'[Event "[\\"x\\"] \\\\"]\n{TAG}',
    f'[Event_2:a+b=c#-1 "x"]\n{TAG}',
    f'[setup "1"]\n[White "x"]\n[White "x"]\n{TAG}\n[Black ""]',
]


@pytest.mark.parametrize("tags", SPELLINGS)
def test_the_position_is_read_from_every_spelling_of_its_tag(tags: str) -> None:
    for moves in (MOVES, " 1. Nf7# *\n", MOVES.replace("\n", "\r\n")):
        problem, good = problems_of(read(tags + moves + GOOD))
        assert (problem.fen, said(problem), warned(problem)) == (FEN, MATE, "")
        assert (good.id, said(good)) == ("good", MATE)


@pytest.mark.parametrize(
    ("tags", "line"),
    [
        (f"[FEN '{FEN}']", f"[FEN '{FEN}']"),
        (f"[fen \u201c{FEN}\u201d]", f"[fen \u201c{FEN}\u201d]"),
        (f'{TAG}\n[FEN "8/8', '[FEN "8/8'),
        ("[Event x]", "[Event x]"),
        ("[Site Rome][Date 1619]", "[Site Rome][Date 1619]"),
        (f"{TAG}\n[Variant Atomic]", "[Variant Atomic]"),
    ],
)
def test_a_line_that_should_be_a_tag_is_quoted(tags: str, line: str) -> None:
    for moves in (MOVES, "\n1. e4 *\n\n", "\n\n*\n\n"):
        error, good = read(tags + moves + GOOD)
        expected, _, found = said(error).partition(", found ")
        assert expected == 'expected a tag such as [FEN "..."]'
        assert found[1:].startswith(ascii(line)[1:-1][:59])
        assert said(good) == MATE


NEITHER = "expected a FEN tag or moves, found neither"


@pytest.mark.parametrize(
    ("text", "expected", "reason"),
    cases(rf"""
        [Event "x"]\n[setup "1"]\n1. Nf3 * | 1 !, 4 GOOD | expected a FEN tag, found only [SetUp "1"]
        [Event "x"]\n[Site "y"]\n\n*       | 1 !, 5 GOOD | {NEITHER}
        *                                  | 1 !, 2 GOOD | {NEITHER}
        {TAG}\n\n{{ Mate in 2\n\n1. Nf7# * | 1 !, 6 GOOD | expected a move at 1., found '{{ Mate in 2
        {TAG} [FEN "8/8"]                  | 1 !, 3 GOOD
        # A game has one event and one position.
        [Event "a"]\n[Event "b"]           | 1 !, 2 !, 3 GOOD | {NEITHER}
        [event "a"]                        | 1 !, 2 GOOD | {NEITHER}
        {TAG}\n{TAG}                       | 1 none, 2 none, 4 GOOD
        % a comment\n                      | 3 GOOD
    """),  # noqa: E501
)
def test_a_bad_game_costs_no_other(text: str, expected: str, reason: str) -> None:
    records = read(f"{text}\n{GOOD}")
    assert listed(records) == expected.replace("GOOD", MATE)
    assert said(records[0]).startswith(reason)


def test_pgn_is_detected_and_lists_are_not_pgn() -> None:
    tags = (TAG, '[  FEN "x" ]', '[FEN"8/8"]', '[Event "a b', "[Event", "[FEN '8/8']")
    moves = ("{ Mate in 2 }", "1. e4", "1.e4 e5", "12 ... Kg8")
    for text in (*tags, '[Event "x"] [Site "y"]', *moves):
        assert detection.detect(f"{text}\n".encode()) == "pgn", text
    lists = ('[{"fen": "8/8"}]', "[{", '["a title", "b"]', '[kj90"x"yl]', "[1, 2]")
    for text in (*lists, "[]", "["):
        assert detection.detect(f"{text}\n".encode()) != "pgn", text


# --- claims in words: the clearest counts, others are named


def tagged(
    *tags: str,
    moves: str = IN_TWO,
    fen: str = LADDER,
    summary: FileSummary | None = None,
) -> Problem | FormatError:
    pairs = [tag.split(" ", 1) for tag in tags]
    head = "".join(f'[{name} "{text}"]\n' for name, text in [*pairs, ["FEN", fen]])
    lines = enumerate(io.BytesIO(f"{head}\n{moves}\n".encode()), start=1)
    (found,) = pgn.read_pgn(lines, summary or FileSummary("x.pgn"))
    return found


@pytest.mark.parametrize(
    ("words", "mate"),
    cases("""
        White to move and mate in two moves. | 2
        White to checkmate Black in 5        | 5
        #12: mate in 2                       | 2
        A stalemate trap; mate in 3          | 3
        #3                                   | 3
        Loyd (#3)                            | 3
        Not a mate in 2, but mate in 3       | 3
        Mate in 3; there's no forced mate in 2 | 3
        Black threatens mate in 1. White mates in 3 | 3
        Avoid the mate in 1 and mate in 5    | 5
        mated in 3                           | -3
        Black gets mated in two moves        | 2
    """),
)
def test_words_in_a_comment_and_in_any_tag_claim(words: str, mate: str) -> None:
    assert said(tagged(moves=f"{{{words}}} *")) == f"#{mate}"
    for tag in ("White", "Event", "Zz9"):
        assert said(tagged(f"{tag} {words}", moves="*")) == f"#{mate}"


def test_numbers_in_lists_and_negations_claim_nothing() -> None:
    for words in (
        *("#2 some title", "#2: Smith", "#12, Smith", "#3 1878"),
        *("(#5) Smith", "Problem #3", "Puzzle 3#4", "No. 3", "Mate Exercise 1"),
        *("not a mate in 2", "There isn't a mate in 2", "It is never mate in two"),
        *("without mate in 3", "prevents mate in 1", "mate in 3.5"),
        *("Mate in 2-3 moves", "Mate in 2 or 3", "mate in a few", "checkmates"),
        *("Atomic bomb", "Nightrider's ride", "[%eval #3]"),
    ):
        tags = (f"Event {words}", f"Site {words}")
        assert said(tagged(*tags, moves=f"{{{words}}} *")) == "none"
        assert said(tagged(f"White {words}")) == MATES


@pytest.mark.parametrize(
    ("words", "name"),
    cases("""
        Self-mate in 2, White begins | Self-mate in 2
        Series-mover in 5           | Series-mover
        Stale mate in 3             | Stale mate in 3
        hs#2 by Smith               | hs#2
        #2 Circe                    | Circe
        Atomic. White mates in 3    | Atomic
        Mate in 2 with grasshoppers | grasshoppers
    """),
)
def test_other_stipulations_are_refused_by_name(words: str, name: str) -> None:
    expected = f"expected a mate in n moves, found '{name}'"
    assert said(tagged(f"Event {words}")) == f"Event tag: {expected}"
    assert said(tagged(moves=f"{{{words}}} {IN_TWO}")) == f"comment: {expected}"


WARNED = f"""
    # The clearest claim counts, and others that differ are named.
    Event #15; White Mate in two           | * | #2 | 15
    Event #2 x; White x; Black Mate in 3   | * | #3
    White mate in 2                        | {{#3}} * | #3 | 2
    White mate in 2; Stipulation #4        | {{#3}} * | #4 | 3, 2
    # What cannot be read costs no good claim.
    White mate in 201  | {IN_TWO} | {MATES} | White tag: {DISTANCE} '201'
    Event #999; White #2 | *      | #2      | Event tag: {DISTANCE} '999'
    NoMate x | {IN_TWO} | {MATES} | NoMate tag: expected 1 to 200 moves, found 'x'
    Keys Qa1           | {IN_TWO} | {MATES} | Keys tag: expected a legal, unambiguous move in SAN or UCI, found 'Qa1'
    Solutions 2        | {IN_TWO} | {MATES} | solutions: expected a help stipulation, found none
    White #2 | 1. Cf7          | #2           | main line: expected a move at 1., found 'Cf7'
    White #2 | 1. Rb7 Kg6      | #2 keys b1b7 | main line: expected a legal move at 1..., found 'Kg6'
    White #2 | 1. Rb7 * 2. Ra8 | #2 keys b1b7 | main line: expected nothing after *, found 'Ra8'
"""  # noqa: E501


@pytest.mark.parametrize(("tags", "moves", "expected", "dropped"), [*cases(WARNED)])
def test_a_good_claim_is_kept_with_a_warning_for_each_other(
    tags: str, moves: str, expected: str, dropped: str
) -> None:
    problem = tagged(*tags.split("; "), moves=moves)
    assert said(problem) == expected
    if dropped[:1].isdigit():
        first = f"claims: expected one, found a mate in {expected[1]} and"
        dropped = "; ".join(f"{first} a mate in {n}" for n in dropped.split(", "))
    assert warned(problem) == dropped


def test_a_warning_says_what_is_kept_and_figurines_are_pieces() -> None:
    (problem,) = problems_of([tagged("White mate in 2", moves="{#3} 1. Rb7 *")])
    warning = "claims: expected one, found a mate in 3 and a mate in 2"
    assert problem.warnings == (f"{warning}; kept mate in 3, key b1b7",)
    for word in ("\u2658f7#", "\u265e\ufe0fg5-f7#"):
        for number in ("1. ", "1."):
            assert said(tagged(moves=f"{number}{word} *", fen=FEN)) == MATE


FOOLS_MATE = "1. f3 e5 2. g4 Qh4# 0-1"


@pytest.mark.parametrize(
    "fen",
    [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 7 9",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RN1QKBNR w KQkq - 0 1",  # two squares
        "rnbqkbnr/pppppppp/8/8/8/P7/1PPPPPPP/1NBQKBNR w Kkq - 0 1",
        "3qk3/pppppppp/8/8/8/8/PPPPPPPP/3QKB2 w - - 0 1",
    ],
)
def test_a_whole_game_is_no_problem_unless_it_says_so(fen: str) -> None:
    summary = FileSummary("x.pgn")
    found = tagged(moves=FOOLS_MATE, fen=fen, summary=summary)
    assert (said(found), warned(found)) == ("none", "")
    assert "length of a game" in summary.ignored
    found = tagged("White mated in 2", moves=FOOLS_MATE, fen=fen)
    assert said(found).startswith("#-2 ")


def test_the_main_line_of_another_position_claims_its_length() -> None:
    fen = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq g3 0 2"
    assert said(tagged(fen=fen, moves="Qh4#")) == "#1 keys d8h4 line d8h4"
    fen = "rnbqkbnr/pppp1ppp/8/8/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2"
    assert said(tagged(fen=fen, moves="Qh4#")) == "#1 keys d8h4 line d8h4"
    shuffle = " ".join(["Kg2", "Kg7", "Kg1", "Kh8"] * 9)
    assert said(tagged(moves=f"{shuffle} {IN_TWO[3:]}")).startswith("#20 ")
    long = f"{shuffle} Kg2 Kg7 Kg1 Kh8 Kg2 Kh7 Rb6 Kg7 Ra7+ Kf8 Rb8#"
    assert said(tagged(moves=long)) == "none"


def test_the_summary_says_what_is_read_from_where() -> None:
    summary = FileSummary("x.pgn")
    tagged("Event x", "Site Wien", "White Mate in 2", "ECO ?", summary=summary)
    found = [f"{part} {' '.join(names)}" for part, names in summary.fields.items()]
    places = "position FEN tag, claim White tag, keys main line, line main line"
    assert ", ".join(found) == f"{places}, name Event tag"
    tagged("Event Mates", "Title #7 of the set", moves="*", summary=summary)
    assert summary.ignored == {"Site tag": False, "Event tag": True, "Title tag": True}


# --- mate scores in comments, as lichess, cutechess-cli and others write them

START = "5k2/8/8/8/8/8/6Q1/4R2K w - - 0 1"
AFTER_QB7 = "5k2/1Q6/8/8/8/8/8/4R2K b - - 1 1"
AFTER_KG8 = "6k1/1Q6/8/8/8/8/8/4R2K w - - 2 2"
CUTECHESS = """\
1. Qb7 {+M3/5 0.050s} Kg8 {-M2/5 0.050s} 2. Re8# {+M1/5 0.050s, White mates} 1-0"""
EVALS = """\
1. Qb7 { [%eval #1] [%clk 0:03:00] } 1... Kg8 { [%eval #1,20] } 2. Re8# 1-0"""


def match(moves: str, fen: str = START) -> str:
    return f'[Event "x"]\n[White "A"]\n[FEN "{fen}"]\n\n{moves}\n\n'


def scored(text: str, summary: FileSummary | None = None) -> Records:
    lines = enumerate(io.BytesIO(text.encode()), start=1)
    return list(scores.read_scores(lines, summary or FileSummary("match.pgn")))


def mates(text: str, summary: FileSummary | None = None) -> str:
    found = [one.claim for one in scored(text, summary) if isinstance(one, Problem)]
    return " ".join(str(claim.mate) for claim in found if claim)


def test_a_score_is_of_the_position_before_the_move_or_after_it() -> None:
    at, after = "match.pgn:1", "match.pgn:7"
    assert scored(match(CUTECHESS)) == [
        Problem(START, "game 1, 1. Qb7", Claim(2, (), ("g2b7",)), at),
        Problem(AFTER_QB7, "game 1, 1...Kg8", Claim(-1, (), ("f8g8",)), at),
        Problem(AFTER_KG8, "game 1, 2. Re8#", Claim(1, (), ("e1e8",)), at),
    ]
    assert scored(match("*") + match(EVALS)) == [
        Problem(AFTER_QB7, "game 2, after 1. Qb7", Claim(-1), after),
        Problem(AFTER_KG8, "game 2, after 1...Kg8", Claim(1), after),
    ]
    expected = Problem(START, "game 1, start", Claim(2), at)
    assert scored(match("{ [%eval #2] } 1. Qb7 *")) == [expected]
    assert mates(match("{ [%eval #2] } 1... Kg8 *", AFTER_QB7)) == "-2"
    assert mates(match("{+M3/5} 1. Qb7 *")) == ""
    error, *others = scored("hello\n\n" + match(CUTECHESS))
    reason = "expected a move at 1., found 'hello'"
    assert (error, len(others)) == (FormatError(at, reason), 3)


SPELLED = {
    **dict.fromkeys(["[%eval #2]", "[%eval +#2]", "[%eval M2,20]"], -2),
    **dict.fromkeys(["[%eval -M1]", "[%eval -#1,30] [%clk 0:01:00]"], 1),
    **dict.fromkeys(["M2", "+M2 0.5s", "+M2, White mates"], 2),
    **dict.fromkeys(["mate -3", "-M3", "M-3"], -3),
    **dict.fromkeys(["+2.55/18 0.5s", "book", "[%eval 0.25]", "Puzzle #3"]),
    **dict.fromkeys(["[%eval #0]", "-M0/245 0s", "(Mate in 3 \u2192 4.50) Blunder."]),
}


@pytest.mark.parametrize(("comment", "mate"), SPELLED.items())
def test_the_spellings_of_a_score(comment: str, mate: int | None) -> None:
    summary = FileSummary("match.pgn")
    found = mates(match(f"1. Qb7 {{{comment}}} *"), summary)
    assert (found, summary.unread_scores) == ("" if mate is None else str(mate), 0)


@pytest.mark.parametrize(
    ("moves", "expected", "field"),
    cases("""
        # M counts plies unless one in the game cannot.
        1. Qb7 {+M3/5} Kg8 {-M2/5}        | 2 -1 | score/depth (player's view, in plies)
        1. Qb7 {+M3/5} Kg8 {-M1/5}        | 3 -1 | score/depth (player's view, in moves)
        1. Qb7 {+M2/5} Kg8 {-M2/5}        | 2 -2 | score/depth (player's view, in moves)
        1. Qb7 {M3/5} (1. Qg3 {+M5/5})    | 2    | score/depth (player's view, in plies)
        1. Qb7 {+#3/5} Kg8 {-#2/5}        | 3 -2 | score/depth (player's view, in moves)
        # One sign for the side that mates is White's view; the player's alternates.
        Qb7 {[%eval M1]} Kg8 {[%eval M1]}   | -1 1 | [%eval] (White's view, in moves)
        Qb7 {[%eval M1]} Kg8 {[%eval -M1]}  | -1 1 | [%eval] (player's view, in moves)
        Qb7 {M5} Kg8 {M5} Rf1 {M5} Kh8 {M5} | -5 5 -5 5 | score (White's view, in moves)
        # A side that moves may lose its mate.
        Qb7 {[%eval #9]} Kg8 {[%eval #9]} Rf1 {[%eval #-9]} | -9 9 9 | [%eval] (W
        Qb7 {M5} Kg8 {M9} *               | 5 9    | score (player's view, in moves)
    """),
)
def test_the_unit_and_the_point_of_view_are_those_that_fit_the_game(
    moves: str, expected: str, field: str
) -> None:
    summary = FileSummary("match.pgn")
    assert mates(match(moves), summary) == expected
    assert [name[: len(field)] for name in summary.fields["claim"]] == [field]


def test_a_comment_that_looks_like_a_score_and_is_not_read_is_named() -> None:
    for comment, what in {
        "see +M3/5": "+M3",
        "#3": "#3",
        "d=9, wv=-M13, R50=49": "-M13",
        "Mated in 2!": "Mated in 2",
        "[%eval M9999999999]": "[%eval M9999999999]",
    }.items():
        summary = FileSummary("match.pgn")
        text = match(f"1. Qb7 {{{comment}}} Kg8 {{+M1 to come}} *")
        assert scored(match("1. Qb7 {+M3/5} *") + text, summary)
        assert str(summary).endswith(
            "; 2 comments look like a mate score, but cannot be read: first "
            f"'{what}' (match.pgn:7, game 2, after 1. Qb7)"
        )
        assert summary.record()["unread_scores"] == 2


def test_a_score_that_is_too_large_is_named_and_the_others_are_kept() -> None:
    for moves, at, large, others in (
        ("1. Qb7 {+M401/5} Kg8 {-M2/5} 2. Re8# {M1/5}", "1. Qb7", 201, "-1 1"),
        ("1. Qb7 {+M3/5} Kg8 {-M402/5 0.1s} *", "1...Kg8", -201, "2"),
        ("1. Qb7 {[%eval #999]} Kg8 {[%eval #1]} *", "after 1. Qb7", -999, "1"),
    ):
        errors = [one for one in scored(match(moves)) if isinstance(one, FormatError)]
        reason = f"game 1, {at}: {DISTANCE} '{large}'"
        assert errors == [FormatError("match.pgn:1", reason)]
        assert mates(match(moves)) == others
