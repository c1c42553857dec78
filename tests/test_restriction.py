"""Restrictions: their ranges, their words and their numbers."""

from __future__ import annotations

from itertools import product

import pytest

from solver.errors import InputError
from solver.problem import Restriction


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("king_flights", -1, "0 to 8"),
        ("king_flights", 9, "0 to 8"),
        ("king_flights", 2**63, "0 to 8"),
        ("replies", -1, "0 to 255"),
        ("replies", 256, "0 to 255"),
        ("threat", 0, "1 to 20"),
        ("threat", 21, "1 to 20"),
    ],
)
def test_a_number_out_of_range_is_refused_by_name(
    name: str, value: int, expected: str
) -> None:
    with pytest.raises(InputError, match=f"{name}: expected {expected}, found {value}"):
        Restriction(**{name: value})  # type: ignore[arg-type]


def test_the_smallest_value_of_each_field_restricts() -> None:
    assert not Restriction(king_flights=0).is_open
    assert not Restriction(replies=0).is_open
    assert not Restriction(threat=1).is_open
    assert not Restriction(checks_only=True).is_open


def test_the_default_is_open_and_has_no_words() -> None:
    assert Restriction().is_open
    assert Restriction().words() == ""


def test_restrictions_have_different_numbers_and_the_open_one_has_none() -> None:
    flights = (None, 0, 1, 7, 8)
    replies = (None, 0, 1, 2, 218, 255)
    threats = (None, 1, 2, 19, 20)
    restrictions = [
        Restriction(*restriction)
        for restriction in product((False, True), flights, replies, threats)
    ]
    assert len({restriction.number for restriction in restrictions}) == len(
        restrictions
    )
    assert [restriction for restriction in restrictions if restriction.number == 0] == [
        Restriction()
    ]


@pytest.mark.parametrize(
    ("restriction", "words"),
    [
        (Restriction(checks_only=True), "checks only"),
        (Restriction(king_flights=1), "at most 1 king flight"),
        (Restriction(king_flights=0), "at most 0 king flights"),
        (Restriction(replies=1), "at most 1 reply"),
        (Restriction(replies=3), "at most 3 replies"),
        (Restriction(threat=2), "threats of mate in 2"),
        (
            Restriction(checks_only=True, king_flights=2, replies=1, threat=3),
            "checks only, at most 2 king flights, at most 1 reply, "
            "threats of mate in 3",
        ),
    ],
)
def test_the_words_describe_every_field(restriction: Restriction, words: str) -> None:
    assert restriction.words() == words
