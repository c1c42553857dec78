"""Disagreements: where, what was claimed, and what was found instead."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solver.audit.results import Ply, audit_result
from solver.errors import FormatError
from solver.output.audit_text import disagreement, fault
from solver.problem import Claim, Problem
from solver.solution import Solution, Status
from tests.output.answers import ROOK_BY_TABLE

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
BACK_RANK_LINK = (
    "https://lichess.org/analysis/standard/6k1/5ppp/8/8/8/8/8/R5K1_w_-_-_0_1"
)
MATED = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
MATED_LINK = "https://lichess.org/analysis/standard/7k/6Q1/6K1/8/8/8/8/8_b_-_-_0_1"
LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
LADDER_LINE = ("a2a7", "h8g8", "b1b8")


def lines_of(answer: Solution | FormatError, *plies: Ply) -> list[str] | None:
    lines = disagreement(audit_result(answer, plies=plies))
    return None if lines is None else lines.splitlines()


@pytest.mark.parametrize(
    ("problem", "mate", "lower_bound", "pv", "lines"),
    [
        (
            Problem(BACK_RANK, "Loyd", Claim(2), "dir/x.epd:3"),
            1,
            1,
            ("a1a8",),
            [
                "dir/x.epd:3: Loyd: claimed mate in 2, found mate in 1: 1. Ra8#",
                f"  {BACK_RANK_LINK}",
            ],
        ),
        (
            Problem(
                BACK_RANK, "x.epd:3", Claim(2, line=("a1a7", "g8f8")), "dir/x.epd:3"
            ),
            None,
            3,
            (),
            [
                "dir/x.epd:3: claimed mate in 2, but no mate in 2 exists",
                "  claimed: 1. Ra7 Kf8",
                f"  {BACK_RANK_LINK}",
            ],
        ),
        (
            Problem(BACK_RANK, "x.epd:3", Claim(-2), "dir/x.epd:3"),
            None,
            3,
            (),
            [
                "dir/x.epd:3: claimed mated in 2, found not mated in 2",
                f"  {BACK_RANK_LINK}",
            ],
        ),
        (
            Problem(BACK_RANK, "x.epd:3", None, "dir/x.epd:3", no_mate=2),
            1,
            1,
            ("a1a8",),
            [
                "dir/x.epd:3: claimed none in 2, found mate in 1: 1. Ra8#",
                f"  {BACK_RANK_LINK}",
            ],
        ),
        (
            Problem(MATED, "x.epd:3", Claim(-2), "dir/x.epd:3"),
            0,
            0,
            (),
            [
                "dir/x.epd:3: claimed mated in 2, found checkmate on the board",
                f"  {MATED_LINK}",
            ],
        ),
        (Problem(BACK_RANK, "x.epd:3", Claim(1), "x.epd:3"), 1, 1, ("a1a8",), None),
        (Problem(BACK_RANK, "x.epd:3", Claim(3), "x.epd:3"), None, 3, (), None),
        (Problem(BACK_RANK, "x.epd:3", None, "x.epd:3"), 1, 1, ("a1a8",), None),
    ],
)
def test_a_contradicted_claim_has_both_lines_and_a_link(
    problem: Problem,
    mate: int | None,
    lower_bound: int,
    pv: tuple[str, ...],
    lines: list[str] | None,
) -> None:
    assert lines_of(Solution(problem, Status.PROVED, mate, lower_bound, pv)) == lines


def back_rank_mate(claim: Claim, *keys: str) -> Solution:
    problem = Problem(BACK_RANK, "x.epd:3", claim, "x.epd:3")
    return Solution(problem, Status.PROVED, 1, 1, keys=keys, keys_complete=True)


def test_wrong_keys_are_printed_with_the_right_ones() -> None:
    lines = lines_of(back_rank_mate(Claim(1, ("a1a7", "a1a8", "a1b1")), "a1a8"))
    assert lines
    assert lines[0] == (
        "x.epd:3: claimed mate in 1, but the claimed keys Ra7, Rb1 do not solve; "
        "Ra8# does"
    )


def test_cooks_are_printed_with_the_claimed_key() -> None:
    lines = lines_of(back_rank_mate(Claim(1, ("a1a8",)), "a1a8", "a1a7"))
    assert lines
    assert lines[0] == (
        "x.epd:3: claimed mate in 1 by Ra8#, but a second key, Ra7, also solves"
    )
    lines = lines_of(back_rank_mate(Claim(1), "a1a8", "a1a7"))
    assert lines
    assert lines[0] == "x.epd:3: claimed mate in 1, but 2 keys solve: Ra8#, Ra7"
    assert (
        lines_of(back_rank_mate(Claim(1, any_last_move=True), "a1a8", "a1a7")) is None
    )


def ladder(claim: Claim) -> Solution:
    return Solution(
        Problem(LADDER, "x.epd:3", claim, "x.epd:3"),
        Status.PROVED,
        2,
        2,
        keys=("a2a7",),
        keys_complete=True,
    )


LONG_LINE = ("a2a7", "h8g8", "b1b2", "g8f8", "b2b8")


@pytest.mark.parametrize(
    ("claim", "mate", "lower_bound", "text"),
    [
        (Claim(2, line=LONG_LINE), 2, 2, "2 with a line of 5 plies, found mate in 2"),
        (
            Claim(1, line=LONG_LINE),
            2,
            2,
            "1 with a line of 5 plies, but no mate in 1 exists, only mate in "
            "2 (proved): 1. Ra7",
        ),
        (
            Claim(1, line=LONG_LINE[:2]),
            2,
            2,
            "1 with a line of 2 plies, but no mate in 1 exists, only mate in "
            "2 (proved)",
        ),
        (
            Claim(1, line=LONG_LINE),
            3,
            2,
            "1 with a line of 5 plies, but no mate in 1 exists, only mate in "
            "3 (perhaps not the shortest): 1. Ra7",
        ),
        (Claim(2, line=LONG_LINE), None, 1, "2 with a line of 5 plies, undecided"),
        (
            Claim(2, line=LONG_LINE),
            None,
            3,
            "2 with a line of 5 plies, but no mate in 2 exists",
        ),
    ],
)
def test_a_line_that_is_longer_than_the_claimed_mate_is_a_disagreement(
    claim: Claim, mate: int | None, lower_bound: int, text: str
) -> None:
    keys = ("a2a7",) if mate else ()
    problem = Problem(LADDER, "x", claim, "x.epd:3")
    result = audit_result(
        Solution(problem, Status.FOUND, mate, lower_bound, keys, keys=keys)
    )
    assert "line" in result.disagreements
    paragraph = disagreement(result)
    assert paragraph is not None
    lines = paragraph.splitlines()
    assert lines[0].startswith(f"x.epd:3: x: claimed mate in {text}")
    assert lines[1].startswith("  claimed: 1. Ra7")


@pytest.mark.parametrize(
    ("fen", "claim", "stipulation"),
    [
        (LADDER, Claim(2, line=LONG_LINE[:3]), None),
        (LADDER, Claim(3, line=LONG_LINE), None),
        (LADDER, Claim(3, line=LONG_LINE[:1]), None),
        (LADDER.replace(" w ", " b "), Claim(-1, line=("h8g8", "a2a8")), None),
        (LADDER, Claim(2, line=(*LONG_LINE[:3], "h8g8")), "s#2"),
    ],
)
def test_a_line_as_long_as_claimed_or_shorter_is_none(
    fen: str, claim: Claim, stipulation: str | None
) -> None:
    problem = Problem(fen, "x", claim, "x.epd:3", stipulation=stipulation)
    answer = Solution(problem, Status.UNDECIDED, None, 1)
    assert audit_result(answer).disagreements == ()


def test_a_line_longer_than_the_mate_of_the_side_to_move_is_a_disagreement() -> None:
    fen = LADDER.replace(" w ", " b ")
    claim = Claim(-1, line=("h8g8", "a2a7", "g8f8", "b1b8"))
    answer = Solution(Problem(fen, "x", claim), Status.UNDECIDED, None, 1)
    assert audit_result(answer).disagreements == ("line",)


def test_a_line_of_too_many_plies_is_reported() -> None:
    lines = lines_of(ladder(Claim(2, line=("a2a7", "h8g8", "b1b2", "g8f8", "b2b8"))))
    assert lines
    claimed = "claimed mate in 2 with a line of 5 plies"
    assert lines[0] == f"x.epd:3: {claimed}, but a line of its solution takes longer"
    assert lines[1] == "  claimed: 1. Ra7 Kg8 2. Rb2 Kf8 3. Rb8#"


def test_a_slow_move_of_the_line_is_printed_with_faster_ones() -> None:
    claim = Claim(2, line=("a2a7", "h8g8", "b1b2"))
    plies = [Ply("a2a7", 2, ("a2a7",)), Ply("b1b2", 1, ("b1b8",))]
    lines = lines_of(ladder(claim), *plies)
    assert lines
    assert lines[0] == (
        "x.epd:3: claimed mate in 2, but move 2, Rb2, does not mate in 1; faster: Rb8#"
    )


def test_a_move_that_is_not_the_only_one_is_printed_with_the_others() -> None:
    plies = [Ply("a2a7", 2, ("a2a7",)), Ply("b1b8", 1, ("b1b8", "a7a8"))]
    lines = lines_of(ladder(Claim(2, line=LADDER_LINE)), *plies)
    assert lines
    assert lines[0] == (
        "x.epd:3: claimed mate in 2, "
        "but move 2, Rb8#, is not the only mate in 1; also: Ra8+"
    )
    claim = Claim(2, line=LADDER_LINE, any_last_move=True)
    assert lines_of(ladder(claim), *plies) is None


def test_an_unreadable_line_is_not_a_disagreement() -> None:
    assert lines_of(FormatError("x.epd:3", "expected a FEN")) is None


def test_a_mate_from_a_tablebase_is_labelled() -> None:
    problem = Problem(ROOK_BY_TABLE.problem.fen, "x.epd:3", Claim(4), "x.epd:3")

    lines = lines_of(replace(ROOK_BY_TABLE, problem=problem))

    assert lines is not None
    assert lines[0].startswith(
        "x.epd:3: claimed mate in 4, found mate in 3 (Gaviota): 1. "
    )


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (FormatError("x.epd:3", "expected a FEN"), "expected a FEN"),
        (back_rank_mate(Claim(1), "a1a8"), ""),
        (back_rank_mate(Claim(2), "a1a8"), "claimed mate in 2, found mate in 1"),
        (
            Solution(Problem(BACK_RANK, claim=Claim(2)), Status.DISPROVED, None, 3),
            "no mate in 2 exists",
        ),
        (
            back_rank_mate(Claim(1, ("a1a7",)), "a1a8"),
            "the claimed key Ra7 does not solve; Ra8# does",
        ),
        (
            back_rank_mate(Claim(1, ("a1a8",)), "a1a8", "a1a7"),
            "a second key, Ra7, also solves",
        ),
        (
            back_rank_mate(Claim(1, ("a1a8", "a1a7")), "a1a8", "a1a7", "a1a6"),
            "another key, Ra6, also solves",
        ),
        (
            back_rank_mate(Claim(1, ("a1a8",)), "a1a8", "a1a7", "a1a6"),
            "2 more keys also solve: Ra7, Ra6",
        ),
    ],
)
def test_a_fault_is_a_sentence_without_the_name_of_its_record(
    result: Solution | FormatError, sentence: str
) -> None:
    assert fault(audit_result(result)) == sentence
