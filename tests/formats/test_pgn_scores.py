"""Mate scores in the comments of games, as lichess, cutechess-cli and others write."""

from __future__ import annotations

import io

import pytest

from solver.errors import FormatError
from solver.formats import claims, scores
from solver.problem import Claim, Problem

FEN = "5k2/8/8/8/8/8/6Q1/4R2K w - - 0 1"
AFTER_QB7 = "5k2/1Q6/8/8/8/8/8/4R2K b - - 1 1"
AFTER_KG8 = "6k1/1Q6/8/8/8/8/8/4R2K w - - 2 2"

CUTECHESS = """\
1. Qb7 {+M3/5 0.050s} Kg8 {-M2/5 0.050s} 2. Re8# {+M1/5 0.050s, White mates} 1-0"""
LICHESS = """\
1. Qb7 { [%eval #1] [%clk 0:03:00] } 1... Kg8 { [%eval #1,20] } 2. Re8# 1-0"""


def game(moves: str, fen: str = FEN) -> str:
    return f'[Event "x"]\n[White "A"]\n[FEN "{fen}"]\n\n{moves}\n\n'


def read(
    text: str, summary: claims.FileSummary | None = None
) -> list[Problem | FormatError]:
    lines = enumerate(io.BytesIO(text.encode()), start=1)
    return list(scores.read_scores(lines, summary or claims.FileSummary("match.pgn")))


def mates(moves: str, fen: str = FEN) -> list[int]:
    problems = read(game(moves, fen))
    return [
        problem.claim.mate
        for problem in problems
        if isinstance(problem, Problem) and problem.claim
    ]


def test_a_score_of_cutechess_is_of_the_position_before_the_move_and_in_plies() -> None:
    at = "match.pgn:1"
    assert read(game(CUTECHESS)) == [
        Problem(FEN, "game 1, 1. Qb7", Claim(2, (), ("g2b7",)), at),
        Problem(AFTER_QB7, "game 1, 1...Kg8", Claim(-1, (), ("f8g8",)), at),
        Problem(AFTER_KG8, "game 1, 2. Re8#", Claim(1, (), ("e1e8",)), at),
    ]


def test_a_score_of_lichess_is_of_the_position_after_the_move_and_whites() -> None:
    at = "match.pgn:7"
    text = game("*") + game(LICHESS)
    assert read(text) == [
        Problem(AFTER_QB7, "game 2, after 1. Qb7", Claim(-1), at),
        Problem(AFTER_KG8, "game 2, after 1...Kg8", Claim(1), at),
    ]


def test_a_score_before_the_first_move_is_of_the_first_position() -> None:
    (problem,) = read(game("{ [%eval #2] } 1. Qb7 *"))
    assert problem == Problem(FEN, "game 1, start", Claim(2), "match.pgn:1")
    assert mates("{ [%eval #2] } 1... Kg8 *", AFTER_QB7) == [-2]
    assert mates("{+M3/5} 1. Qb7 *") == []


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ("1. Qb7 {+M3/5} Kg8 {-M2/5}", [2, -1]),
        ("1. Qb7 {+M3/5} Kg8 {-M1/5}", [3, -1]),  # moves: -M1 is not in plies
        ("1. Qb7 {+M2/5} Kg8 {-M2/5}", [2, -2]),
        ("1. Qb7 {+M199/60 10s}", [100]),
        ("1. Qb7 {M3/5}", [2]),
        ("1. Qb7 {+#3/5} Kg8 {-#2/5}", [3, -2]),
        ("1. Qb7 {#3/5} Kg8 {#-2/5} 2. Re8# {+M1/1}", [3, -2, 1]),
    ],
)
def test_m_counts_plies_unless_one_in_the_game_cannot(
    moves: str, expected: list[int]
) -> None:
    assert mates(f"{moves} *") == expected


def test_each_game_has_its_own_unit() -> None:
    text = game("1. Qb7 {+M2/5} *") + game("1. Qb7 {+M3/5} *")
    found = [problem.claim for problem in read(text) if isinstance(problem, Problem)]
    assert [claim and claim.mate for claim in found] == [2, 2]


@pytest.mark.parametrize(
    ("comment", "mate"),
    [
        *(("[%eval #2]", -2), ("[%eval #+2]", -2), ("[%eval +#2]", -2)),
        *(("[%eval M2]", -2), ("[%eval +M2]", -2), ("[%eval M2,20]", -2)),
        *(("[%eval mate 2]", -2), ("[%eval -M1]", 1), ("[%eval #-1]", 1)),
        *(("[%eval -#1,30] [%clk 0:01:00]", 1),),
        *(("+M2", 2), ("M2", 2), ("+M2 0.5s", 2), ("+M2, White mates", 2)),
        *(("mate 2", 2), ("Mate 3", 3), ("mate -3", -3), ("-M3", -3), ("M-3", -3)),
    ],
)
def test_the_spellings_of_a_score(comment: str, mate: int) -> None:
    assert mates(f"1. Qb7 {{{comment}}} *") == [mate]


@pytest.mark.parametrize(
    ("moves", "expected", "view"),
    [
        # White's view: one sign for the side that mates; the player's: it alternates.
        ("Qb7 {[%eval M1]} Kg8 {[%eval M1]} Re8#", [-1, 1], "[%eval] (White's view"),
        ("Qb7 {[%eval M1]} Kg8 {[%eval -M1]} Re8#", [-1, 1], "[%eval] (player's view"),
        ("Qb7 {[%eval #1]} Kg8 {[%eval #-1]} *", [-1, 1], "[%eval] (player's view"),
        ("Qb7 {M2} Kg8 {-M1} Re8# {M1}", [2, -1, 1], "score (player's view"),
        ("Qb7 {M1} Kg8 {M1} Re8#", [-1, 1], "score (White's view"),
        ("Qb7 {mate 1} Kg8 {mate 1} *", [-1, 1], "score (White's view"),
        (
            "Qb7 {M5} Kg8 {M5} Rf1 {M5} Kh8 {M5} *",
            [-5, 5, -5, 5],
            "score (White's view",
        ),
        # A side that moves may lose its mate.
        (
            "Qb7 {[%eval #9]} Kg8 {[%eval #9]} Rf1 {[%eval #-9]} *",
            [-9, 9, 9],
            "[%eval] (W",
        ),
        ("Qb7 {M5} Kg8 {M9} *", [5, 9], "score (player's view"),
    ],
)
def test_the_point_of_view_is_the_one_that_fits_the_game(
    moves: str, expected: list[int], view: str
) -> None:
    summary = claims.FileSummary("match.pgn")
    found = read(game(f"1. {moves}"), summary)
    claimed = [one.claim for one in found if isinstance(one, Problem)]
    assert [claim and claim.mate for claim in claimed] == expected
    (field,) = summary.fields["claim"]
    assert field.startswith(view)


def test_the_summary_says_what_a_number_counts() -> None:
    summary = claims.FileSummary("match.pgn")
    read(game("1. Qb7 {+M3/5 [%eval #1]} *") + game("1. Qb7 {+M2/5} *"), summary)
    assert [*summary.fields["claim"]] == [
        "[%eval] (White's view, in moves)",
        "score/depth (player's view, in plies)",
        "score/depth (player's view, in moves)",
    ]


@pytest.mark.parametrize(
    "comment",
    [
        *("+2.55/18 0.5s", "0.00/1 0s", "book", "[%eval 0.25]", "Puzzle #3"),
        *("[%eval #0]", "-M0/245 0s", "(Mate in 3 \u2192 4.50) Blunder."),
    ],
)
def test_other_comments_claim_nothing(comment: str) -> None:
    summary = claims.FileSummary("match.pgn")
    assert read(game(f"1. Qb7 {{{comment}}} *"), summary) == []
    assert summary.unread_scores == 0


@pytest.mark.parametrize(
    ("comment", "what"),
    [
        *(("see +M3/5", "+M3"), ("#3", "#3"), ("d=9, wv=-M13, R50=49", "-M13")),
        *(("mate in 3", "mate in 3"), ("Mated in 2!", "Mated in 2")),
        *(("[%eval #M]", "[%eval #M]"), ("[%eval M9999999999]", "[%eval M9999999999]")),
        *(("M3 is a tank", "M3"),),
    ],
)
def test_a_comment_that_looks_like_a_score_and_is_not_read_is_counted_and_named(
    comment: str, what: str
) -> None:
    summary = claims.FileSummary("match.pgn")
    text = game(f"1. Qb7 {{{comment}}} Kg8 {{+M1 to come}} *")
    assert read(game("1. Qb7 {+M3/5} *") + text, summary)
    summary.title = "PGN with mate scores"
    assert str(summary).endswith(
        f"; 2 comments look like a mate score, but cannot be read: first '{what}' "
        "(match.pgn:7, game 2, after 1. Qb7)"
    )
    assert summary.record()["unread_scores"] == 2


def test_variations_are_skipped() -> None:
    moves = "1. Qb7 {+M3/5} (1. Qg3 {+M5/5} Kf7 {[%eval #4]}) 1... Kg8 *"
    assert mates(moves) == [2]


@pytest.mark.parametrize(
    ("moves", "score", "found", "others"),
    [
        ("1. Qb7 {+M401/5} Kg8 {-M2/5} 2. Re8# {M1/5}", "1. Qb7", "201", [-1, 1]),
        # -M1 shows that this game counts moves.
        ("1. Qb7 {+M399/5} Kg8 {-M1/5} 2. Re8# {M1/5}", "1. Qb7", "399", [-1, 1]),
        ("1. Qb7 {+#201/9} Kg8 {-M2/5} 2. Re8# {M1/5}", "1. Qb7", "201", [-1, 1]),
        ("1. Qb7 {+M3/5} Kg8 {-M402/5 0.1s} *", "1...Kg8", "-201", [2]),
        ("1. Qb7 {[%eval #999]} Kg8 {[%eval #1]} *", "after 1. Qb7", "-999", [1]),
        ("{[%eval #201]} 1. Qb7 {[%eval #1]} *", "start", "201", [-1]),
    ],
)
def test_a_score_that_is_too_large_is_named_and_the_others_are_kept(
    moves: str, score: str, found: str, others: list[int]
) -> None:
    errors = [one for one in read(game(moves)) if isinstance(one, FormatError)]
    reason = (
        f"game 1, {score}: expected 1 to 200 moves, negative when the side to move is "
        f"mated, found '{found}'"
    )
    assert errors == [FormatError("match.pgn:1", reason)]
    assert mates(moves) == others


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            game("1. Qb7 {+M3/5} Kg7 2. Qb1 *"),
            "expected a legal move at 1..., found 'Kg7'",
        ),
        (
            game("1. Qb7 *").replace("White", "Variant"),
            "Variant tag: expected Standard or none, found 'A'",
        ),
        ("hello\n", "expected a move at 1., found 'hello'"),
    ],
)
def test_a_game_that_cannot_be_read_is_one_error(text: str, reason: str) -> None:
    assert read(text) == [FormatError("match.pgn:1", reason)]
    error, *others = read(text + "\n" + game(CUTECHESS))
    assert error == FormatError("match.pgn:1", reason)
    assert len(others) == 3
