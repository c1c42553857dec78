"""Stipulations: what they mean, how they are written, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from solver.errors import InputError
from solver.problem import Claim, Goal, Play, Problem, Stipulation

FEN = "8/7K/8/8/8/8/R7/7k w - - 0 1"

# As written; half-moves to the goal; the attacker's own moves.
LENGTHS = {
    "#3": (5, 3),
    "=2": (3, 2),
    "s#2": (4, 2),
    "s=3": (6, 3),
    "r#2": (4, 2),
    "semi-r#3": (6, 3),
    "r=2": (4, 2),
    "semi-r=1": (2, 1),
    "h#2": (4, 2),
    "h#2.5": (5, 3),
    "h=3": (6, 3),
    "h#0.5": (1, 1),
    "exact-#3": (5, 3),
    "exact-h=2": (4, 2),
    "exact-h#2.5": (5, 3),
}


@pytest.mark.parametrize(("text", "lengths"), LENGTHS.items())
def test_a_stipulation_keeps_its_text_and_its_length(
    text: str, lengths: tuple[int, int]
) -> None:
    stipulation = Stipulation.parse(text)
    assert str(stipulation) == text
    assert (stipulation.plies, stipulation.attacker_moves) == lengths


def test_case_and_outer_spaces_do_not_matter() -> None:
    assert Stipulation.parse(" H#2.5 ") == Stipulation(Play.HELP, Goal.MATE, 2, True)
    assert Stipulation.parse("Semi-R# 2") == Stipulation.parse("semi-r#2")


REFUSED = ["", "#", "#0", "#2.5", "s#1.5", "h#0", "ser-h#3", "ser-r=2", "+1", "#201"]


@pytest.mark.parametrize("text", [*REFUSED, "exact-s#2", "exact-=2"])
def test_other_stipulations_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"^stipulation: expected "):
        Stipulation.parse(text)


@pytest.mark.parametrize("value", [None, 2, b"h#2", ["h#2"]])
def test_what_is_no_text_is_refused_like_another_text(value: Any) -> None:
    with pytest.raises(InputError, match=r"^stipulation: expected #n, .*, found "):
        Stipulation.parse(value)


@pytest.mark.parametrize("value", [2, b"h#2", ["h#2"]])
def test_the_stipulation_of_a_problem_is_one_or_its_text(value: Any) -> None:
    reason = "^stipulation: expected a Stipulation, its text or None, found "
    with pytest.raises(InputError, match=reason):
        Problem(FEN, stipulation=value)
    assert Problem(FEN, stipulation=None) == Problem(FEN)


def test_a_stipulation_claims_a_solution_of_its_length() -> None:
    problem = Problem(FEN, stipulation=Stipulation.parse("h#2.5"))
    assert problem.claim == Claim(3)


def test_a_claim_of_another_length_is_refused() -> None:
    with pytest.raises(InputError, match=r"claim: expected 2 moves for s#2, found 3"):
        Problem(FEN, claim=Claim(3), stipulation=Stipulation.parse("s#2"))
