"""Disagreements: where, what was claimed, and what was found instead."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solver.errors import FormatError
from solver.problem import Claim, Problem
from solver.reports.disagreement import disagreement
from solver.solution import Solution, Status
from solver.verdict import judge
from tests.reports.answers import ROOK_BY_TABLE

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
MATED = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"


@pytest.mark.parametrize(
    ("problem", "mate", "lower_bound", "pv", "told"),
    [
        (
            Problem(BACK_RANK, "Loyd", Claim(2), "dir/x.epd:3"),
            1,
            1,
            ("a1a8",),
            "dir/x.epd:3: Loyd: claimed mate in 2, found mate in 1: 1. Ra8#",
        ),
        (
            Problem(BACK_RANK, "x.epd:3", Claim(2), "dir/x.epd:3"),
            None,
            3,
            (),
            "dir/x.epd:3: claimed mate in 2, found none in 2",
        ),
        (
            Problem(BACK_RANK, "x.epd:3", Claim(-2), "dir/x.epd:3"),
            None,
            3,
            (),
            "dir/x.epd:3: claimed mated in 2, found none in 2",
        ),
        (
            Problem(MATED, "x.epd:3", Claim(-2), "dir/x.epd:3"),
            0,
            0,
            (),
            "dir/x.epd:3: claimed mated in 2, found checkmate on the board",
        ),
        (Problem(BACK_RANK, "x.epd:3", Claim(1), "x.epd:3"), 1, 1, ("a1a8",), None),
        (Problem(BACK_RANK, "x.epd:3", Claim(3), "x.epd:3"), None, 3, (), None),
        (Problem(BACK_RANK, "x.epd:3", None, "x.epd:3"), 1, 1, ("a1a8",), None),
    ],
)
def test_a_contradicted_claim_gets_one_line(
    problem: Problem,
    mate: int | None,
    lower_bound: int,
    pv: tuple[str, ...],
    told: str | None,
) -> None:
    solution = Solution(problem, Status.PROVED, mate, lower_bound, pv)
    assert disagreement(judge(solution)) == told


def test_wrong_keys_are_told_with_the_right_ones() -> None:
    claim = Claim(1, ("a1a7", "a1a8", "a1b1"))
    solution = Solution(
        Problem(BACK_RANK, "x.epd:3", claim, "x.epd:3"),
        Status.PROVED,
        1,
        1,
        keys=("a1a8",),
        keys_complete=True,
    )
    assert disagreement(judge(solution)) == (
        "x.epd:3: claimed mate in 1 by Ra7, Rb1, found Ra8#"
    )


def test_an_unreadable_line_is_no_disagreement() -> None:
    assert disagreement(judge(FormatError("x.epd:3", "expected a FEN"))) is None


def test_a_mate_that_a_table_tells_is_told_as_its() -> None:
    problem = Problem(ROOK_BY_TABLE.problem.fen, "x.epd:3", Claim(4), "x.epd:3")

    told = disagreement(judge(replace(ROOK_BY_TABLE, problem=problem)))

    assert told is not None
    assert told.startswith("x.epd:3: claimed mate in 4, found mate in 3 (Gaviota): 1. ")
