"""`nomate N`, the claim that there is no mate: from the EPD line to the verdict."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from solver.audit.results import audit_result
from solver.cli.main import matesolve
from solver.errors import InputError
from solver.formats.epd import parse_record
from solver.problem import MAX_MOVES, Claim, Problem
from solver.solution import Solution, Status

if TYPE_CHECKING:
    from pathlib import Path

LONE_KNIGHT = "k7/8/1K6/8/3N4/8/8/8 w - -"
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"


def test_the_claim_is_read() -> None:
    problem = parse_record(f'{LONE_KNIGHT} nomate 4; id "x";', "f:1")
    assert (problem.no_mate, problem.claim) == (4, None)


@pytest.mark.parametrize("operand", ["0", "-3", "x", "", str(MAX_MOVES + 1)])
def test_a_line_without_a_valid_number_is_refused(operand: str) -> None:
    with pytest.raises(InputError, match=r"nomate: expected 1 to 200 moves, found"):
        parse_record(f"{LONE_KNIGHT} nomate {operand};", "f:1")


def test_of_a_mate_and_no_mate_the_mate_is_kept_with_a_warning() -> None:
    problem = parse_record(f"{BACK_RANK} dm 2; nomate 1;", "f:1")
    assert (problem.claim, problem.no_mate) == (Claim(2), None)
    assert problem.warnings == (
        "claims: expected one, found a mate in 2 and nomate 1; kept mate in 2",
    )


@pytest.mark.parametrize(
    ("mate", "lower_bound", "verdict"),
    [
        (None, 4, "proved"),
        (None, 3, "undecided"),
        (3, 3, "refuted"),
        (3, 1, "refuted"),
        (4, 4, "proved"),
        (4, 2, "undecided"),
        (-2, 2, "proved"),
        (0, 0, "proved"),
    ],
)
def test_the_verdict_follows_from_the_bounds(
    mate: int | None, lower_bound: int, verdict: str
) -> None:
    problem = Problem(f"{BACK_RANK} 0 1", no_mate=3)
    answer = Solution(problem, Status.FOUND, mate, lower_bound)
    assert audit_result(answer).verdict == verdict


@pytest.mark.usefixtures("kernel")
def test_verify_proves_or_refutes_the_claim(tmp_path: Path) -> None:
    path = tmp_path / "x.epd"
    path.write_text(f"{LONE_KNIGHT} nomate 3;\n{BACK_RANK} nomate 2;\n")
    result = CliRunner().invoke(matesolve, ["verify", str(path)])
    assert "no #3       1" in result.stdout
    assert f"{path}:2: claimed none in 2, found mate in 1: 1. Ra8#" in result.stdout
    assert result.exit_code == 1
    result = CliRunner().invoke(matesolve, ["verify", str(path), "--jsonl"])
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(r["verdict"], r["nomate"]) for r in records] == [
        ("proved", 3),
        ("refuted", 2),
    ]
