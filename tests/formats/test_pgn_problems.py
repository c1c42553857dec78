"""Problems in PGN: position, claim, key and line, read and written."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import FormatError, InputError
from solver.formats.claims import FileSummary
from solver.formats.pgn import read_pgn, write_pgn
from solver.formats.streams import MAX_RECORD_BYTES
from solver.problem import EXPECTED, Claim, Problem, Stipulation
from tests.formats.random_positions import NAMES, SEEDS, play, play_line

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
parse = Stipulation.parse
IN_TWO = "1. Rb7 Kg8 2. Ra8# 1-0"
LINE = ("b1b7", "h8g8", "a2a8")


def read(text: str | bytes, name: str = "dir/x.pgn") -> list[Problem | FormatError]:
    raw = text if isinstance(text, bytes) else text.encode()
    return list(read_pgn(enumerate(io.BytesIO(raw), start=1), FileSummary(name)))


def game(moves: str, *tags: str, fen: str = LADDER) -> str:
    lines = ['[Event "?"]', *tags, '[SetUp "1"]', f'[FEN "{fen}"]', "", moves, "", ""]
    return "\n".join(lines)


def claim_of(moves: str, *tags: str, fen: str = LADDER) -> Claim | None:
    (problem,) = read(game(moves, *tags, fen=fen))
    assert isinstance(problem, Problem), problem
    return problem.claim


def refusal_of(moves: str, *tags: str, fen: str = LADDER) -> str:
    (error,) = read(game(moves, *tags, fen=fen))
    assert isinstance(error, FormatError), error
    return error.reason


def test_the_main_lines_mate_is_the_claim_and_its_first_move_the_key() -> None:
    assert read(game(IN_TWO)) == [
        Problem(LADDER, "x.pgn:1", Claim(2, ("b1b7",), LINE), "dir/x.pgn:1")
    ]


def test_an_even_line_that_mates_begins_with_the_opponents_move() -> None:
    fen = "7k/1R6/8/8/8/8/R7/6K1 b - - 0 1"
    assert claim_of("1... Kg8 2. Ra8#", fen=fen) == Claim(1, LINE[2:], LINE[2:])
    said = claim_of("{mated in 1} 1... Kg8 2. Ra8#", fen=fen)
    assert said == Claim(-1, (), LINE[1:])


@pytest.mark.parametrize("moves", ["*", "1. Rb7 *", "1. Rb7 Kg8 2. Ra6 1-0"])
def test_without_a_mate_or_words_there_is_no_claim(moves: str) -> None:
    assert claim_of(moves) is None


def test_a_game_from_the_initial_position_is_no_problem_unless_words_say_so() -> None:
    assert read("1. f3 e5 2. g4 Qh4# 0-1\n") == []
    (problem,) = read('[Event "Mate in 1"]\n\n1. f3 e5 2. g4 *\n')
    assert isinstance(problem, Problem)
    assert problem.fen.startswith("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b")
    assert problem.claim == Claim(1)


@pytest.mark.parametrize(
    ("comment", "mate"),
    [
        ("#3\nLoyd 1878", 3),
        ("Mate\nin 5", 5),
        ("#-2", -2),
        ("[%csl Ga1] [%eval #9] mate in 4", 4),
    ],
)
def test_the_opening_comment_claims(comment: str, mate: int) -> None:
    claim = claim_of(f"{{{comment}}} {IN_TWO}")
    assert claim is not None
    assert claim.mate == mate


@pytest.mark.parametrize(
    "comment",
    [
        "Puzzle #3",
        "[%eval #3]",
        "#3.5",
        "no mate in 3",
        "#3 Loyd 1878",
        "mate in 3.",  # of a variation
    ],
)
def test_other_words_claim_nothing(comment: str) -> None:
    moves = f"1. Rb7 (1. Ra7 {{{comment}}})" if "mate in 3." in comment else comment
    text = moves if moves != comment else f"{{{comment}}} 1. Rb7"
    assert claim_of(f"{text} *") is None


@pytest.mark.parametrize(
    ("comment", "mate"),
    [("#3", 3), ("mate in 3!", 3), ("[%eval #9] #3", 3), ("threatens mate in 1", 2)],
)
def test_a_comment_after_the_first_move_claims_only_if_it_says_nothing_else(
    comment: str, mate: int
) -> None:
    claim = claim_of(f"1. Rb7 {{{comment}}} Kg8 2. Ra8#")
    assert claim == Claim(mate, ("b1b7",), LINE)


@pytest.mark.parametrize(
    "unit",
    [
        *("[%", ".\n \n", "mate in", "(", "#", "not ", "self ", "white is ", "n't"),
        *(".#3 x", "x"),
    ],
)
def test_long_comments_are_searched_in_linear_time(unit: str) -> None:
    assert claim_of(f"{{{unit * 100_000}}} 1. Rb7 *") is None


def test_later_comments_claim_nothing() -> None:
    assert claim_of("1. Rb7 Kg8 {mate in 9} *") is None


def test_a_stipulation_of_a_question_mark_claims_nothing() -> None:
    assert claim_of(IN_TWO, '[Stipulation "?"]') is None


def test_a_main_line_of_one_move_is_a_claimed_line_only_if_it_mates() -> None:
    assert claim_of("{#2} 1. Rb7 *") == Claim(2, ("b1b7",), ())
    mate = "7k/1R6/8/8/8/8/R7/6K1 w - - 0 1"
    assert claim_of("1. Ra8#", fen=mate) == Claim(1, ("a2a8",), ("a2a8",))


def test_root_variations_are_not_keys_but_the_tag_keys_names_several() -> None:
    moves = f"1. Rb7 (1. Ra7 Kg8) {IN_TWO.removeprefix('1. Rb7')}"
    assert claim_of(moves) == Claim(2, ("b1b7",), LINE)
    keys = ("b1b7", "a2a7")
    assert claim_of(moves, '[Keys "b1b7 Ra7"]') == Claim(2, keys, LINE)
    assert claim_of(moves, '[Keys ""]') == Claim(2, (), LINE)


def test_the_tag_nomate_claims_that_there_is_no_mate() -> None:
    (problem,) = read(game("*", '[NoMate "3"]', '[White "mate in 2"]'))
    assert problem == Problem(LADDER, "x.pgn:1", None, "dir/x.pgn:1", 3)


def test_the_tag_stipulation_asks_for_more_than_mate() -> None:
    tags = ['[Stipulation "s#3"]', '[White "mate in 2"]']
    (problem,) = read(game("1. Rb7 Kg8", *tags))
    claim = Claim(3, ("b1b7",), ("b1b7", "h8g8"))
    assert isinstance(problem, Problem)
    assert (str(problem.stipulation), problem.claim) == ("s#3", claim)


def test_help_play_has_a_number_of_solutions_and_no_keys() -> None:
    tags = ['[Stipulation "h#0.5"]', '[Solutions "2"]']
    (problem,) = read(game("1. Rb8#", *tags, fen="7k/R7/8/8/8/8/8/1R4K1 w - - 0 1"))
    assert isinstance(problem, Problem)
    assert str(problem.stipulation) == "h#0.5"
    assert problem.claim == Claim(1, (), ("b1b8",), solutions=2)


def test_the_event_names_the_problem() -> None:
    text = game("*").replace('"?"', '"A \\"B\\" \\\\ \t C"')
    (problem,) = read(text)
    assert isinstance(problem, Problem)
    assert problem.id == 'A "B" \\ C'


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_names_may_be_in_an_old_encoding(encoding: str) -> None:
    (problem,) = read(game("*").replace('"?"', '"Pauly é"').encode(encoding))
    assert isinstance(problem, Problem)
    assert problem.id == "Pauly é"


@pytest.mark.parametrize(
    ("moves", "tag", "reason"),
    [
        ("1. Qb7", "", "expected a legal move at 1., found 'Qb7'"),
        ("1. Rb7 Kg6", "", "expected a legal move at 1..., found 'Kg6'"),
        ("1. Rb7 -- 2. Ra8", "", "expected a move at 1..., found '--'"),
        (
            "*",
            '[Variant "Atomic"]',
            "Variant tag: expected Standard or none, found 'Atomic'",
        ),
        (
            "*",
            '[Stipulation "hs#2"]',
            f"stipulation: expected {EXPECTED}, found 'hs#2'",
        ),
        (
            "*",
            '[Stipulation "#201"]',
            "Stipulation tag: expected 1 to 200 moves, negative when the side to move "
            "is mated, found '201'",
        ),
        ("*", '[NoMate "0"]', "NoMate tag: expected 1 to 200 moves, found '0'"),
    ],
)
def test_other_games_are_refused(moves: str, tag: str, reason: str) -> None:
    assert refusal_of(moves, tag) == reason


def test_an_impossible_position_is_refused() -> None:
    assert refusal_of("*", fen="8/8/8/8/8/8/8/K7 w - - 0 1") == (
        "expected one black king, found none"
    )


def test_a_bad_game_is_reported_and_skipped() -> None:
    good = game(IN_TWO)
    found = read(good + game("1. Qa8#") + good)
    assert [type(one) for one in found] == [Problem, FormatError, Problem]
    assert [one.source for one in found] == [f"dir/x.pgn:{n}" for n in (1, 7, 13)]


def test_a_game_that_is_too_long_is_reported_and_skipped() -> None:
    long = game(f"{{{'x' * MAX_RECORD_BYTES}}} 1. Rb7")
    assert read(long + game("*"))[0] == FormatError(
        "dir/x.pgn:1",
        f"expected a game of at most {MAX_RECORD_BYTES:,} bytes, found a longer one",
    )


def test_an_empty_file_has_no_problem() -> None:
    assert read("") == read("\n\n") == read("% comment\n") == []


def test_a_written_game_shows_its_claim_in_words() -> None:
    problem = Problem(LADDER, "A", Claim(2, ("b1b7", "a2a7"), LINE))
    assert write_pgn(problem).splitlines()[-4:] == [
        '[Keys "b1b7 a2a7"]',
        "",
        "{ mate in 2 } 1. Rb7 ( 1. Ra7 ) 1... Kg8 2. Ra8# *",
        "",
    ]
    mated = Problem("7k/1R6/8/8/8/8/R7/6K1 b - - 0 1", "A", Claim(-1))
    assert "{ mated in 1 } *" in write_pgn(mated)


@pytest.mark.parametrize(
    "problem",
    [
        Problem(LADDER, "A", Claim(2)),
        Problem(LADDER, "A", Claim(2, ("b1b7",))),
        Problem(LADDER, "A", Claim(2, (), LINE)),
        Problem(LADDER, "A", Claim(2, ("b1b7",), LINE)),
        Problem(LADDER, "A", Claim(2, ("a2a7",), LINE)),
        Problem(LADDER, "A", Claim(2, ("a2a7", "b1b7"), LINE)),
        Problem(LADDER, "A", Claim(2, ("a2a7", "b1b7"))),
        Problem(LADDER, "A", Claim(-2, (), LINE)),
        Problem(LADDER, "mate in 7", None),
        Problem(LADDER, "mate in 7", None, "", 3),
        Problem(LADDER, 'quotes " and \\ and é', None),
        Problem(START, "A", Claim(2, ("e2e4",))),
        Problem("4k3/8/8/3pP3/8/8/8/4K2R w K d6 0 1", "A", Claim(2, ("e5d6",))),
        Problem("4k3/8/8/3p4/8/8/8/4K2R w K d6 0 1", "A", Claim(2, ("e1g1",))),
        Problem(LADDER, "mate in 7", stipulation=parse("s#3")),
        Problem(LADDER, "A", Claim(2, ("a2a7",), LINE), stipulation=parse("r#2")),
        Problem(LADDER, "A", Claim(1, ("a2a7",)), stipulation=parse("s#1")),
        Problem(LADDER, "A", Claim(1, (), LINE[:2]), stipulation=parse("s#1")),
        Problem(LADDER, "A", Claim(3, (), (), solutions=2), stipulation=parse("h#2.5")),
        Problem(LADDER, "A", Claim(2, (), LINE, solutions=0), stipulation=parse("h=2")),
    ],
)
def test_written_problems_are_read_again(problem: Problem) -> None:
    (again,) = read(write_pgn(problem))
    assert isinstance(again, Problem)
    assert again == replace(problem, source=again.source)


@settings(max_examples=60, deadline=None)
@given(SEEDS, NAMES, st.integers(2, 200), st.integers(2, 9))
def test_any_problem_is_read_again(seed: int, name: str, mate: int, plies: int) -> None:
    board = play(seed)
    line = play_line(board, seed, plies)
    keys = tuple(move.uci() for move in board.legal_moves)[:3]
    line = line if len(line) > 1 else ()
    problem = Problem(board.fen(en_passant="fen"), name, Claim(mate, keys, line))
    (again,) = read(write_pgn(problem))
    assert isinstance(again, Problem)
    assert (again.fen, again.id, again.claim) == (
        problem.fen,
        problem.id,
        problem.claim,
    )


def test_a_claimed_move_that_is_illegal_cannot_be_written() -> None:
    with pytest.raises(InputError, match="line: expected a move in SAN or UCI, found"):
        write_pgn(Problem(LADDER, "A", Claim(2, (), ("a1a9",))))
