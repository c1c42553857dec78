"""Verdicts: every combination of a claim and an answer."""

from __future__ import annotations

import pytest

from solver.audit.results import AuditResult, audit_result
from solver.errors import FormatError
from solver.problem import Claim, Problem
from solver.solution import Solution, Status

FEN = "8/7K/8/8/8/8/R7/7k w - - 0 1"


def answer(claim: Claim | None, mate: int | None, lower_bound: int) -> Solution:
    moves = abs(mate) if mate is not None else None
    status = Status.PROVED if moves == lower_bound else Status.FOUND
    if mate is None:
        status = Status.UNDECIDED
    return Solution(Problem(FEN, claim=claim), status, mate, lower_bound)


@pytest.mark.parametrize(
    ("claimed", "mate", "lower_bound", "verdict", "within"),
    [
        (3, 3, 3, "proved", "proved"),
        (3, 3, 2, "holds", "holds"),
        (3, 3, 1, "holds", "holds"),
        (3, 2, 2, "shorter", "holds"),
        (3, 2, 1, "shorter", "holds"),
        (3, 4, 4, "refuted", "refuted"),
        (3, 5, 4, "refuted", "refuted"),
        (3, 5, 3, "undecided", "undecided"),
        (3, None, 4, "refuted", "refuted"),
        (3, None, 9, "refuted", "refuted"),
        (3, None, 3, "undecided", "undecided"),
        (3, None, 1, "undecided", "undecided"),
        (3, 0, 0, "refuted", "refuted"),
        (3, -3, 3, "refuted", "refuted"),
        (-3, -3, 3, "proved", "proved"),
        (-3, -3, 1, "holds", "holds"),
        (-3, -2, 2, "shorter", "holds"),
        (-1, 0, 0, "shorter", "holds"),
        (-3, -4, 4, "refuted", "refuted"),
        (-3, None, 4, "refuted", "refuted"),
        (-3, None, 3, "undecided", "undecided"),
        (-3, 3, 3, "refuted", "refuted"),
    ],
)
def test_a_verdict_follows_from_the_two_bounds(
    claimed: int, mate: int | None, lower_bound: int, verdict: str, within: str
) -> None:
    solution = answer(Claim(claimed), mate, lower_bound)
    assert audit_result(solution).verdict == verdict
    assert audit_result(solution, within=True).verdict == within
    assert audit_result(solution).word == verdict


@pytest.mark.parametrize(
    ("mate", "lower_bound", "word"),
    [(3, 3, "proved"), (3, 2, "found"), (None, 4, "undecided")],
)
def test_without_a_claim_the_word_is_the_status(
    mate: int | None, lower_bound: int, word: str
) -> None:
    result = audit_result(answer(None, mate, lower_bound))
    assert result.verdict is None
    assert result.claim is None
    assert result.word == word


def test_an_unreadable_record_has_its_own_verdict() -> None:
    error = FormatError("x.epd:3", "expected a FEN, found nothing")
    result = audit_result(error)
    assert result == AuditResult(
        error.source, error.source, verdict="unreadable", error=error.reason
    )
    assert result.verdict == result.word == "unreadable"
    assert result.claim is None


@pytest.mark.parametrize(
    ("claimed", "mate", "complete", "wrong"),
    [
        (2, 2, True, ("a2a4", "h7h8")),
        (2, 2, False, ()),
        (3, 2, True, ()),
        (-2, -2, True, ()),
    ],
)
def test_claimed_keys_are_compared_if_all_keys_of_the_claim_are_known(
    claimed: int, mate: int, complete: bool, wrong: tuple[str, ...]
) -> None:
    solution = Solution(
        Problem(FEN, claim=Claim(claimed, ("a2a4", "h7g6", "h7h8"))),
        Status.PROVED,
        mate,
        2,
        keys=("h7g6", "a2a3"),
        keys_complete=complete,
    )
    assert tuple(audit_result(solution).wrong_keys.split()) == wrong
