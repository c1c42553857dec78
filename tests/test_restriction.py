"""Lanes as they are asked for: what is refused and told, and numbers of their own."""

from __future__ import annotations

from itertools import product

import pytest

from solver.errors import InputError
from solver.lane import Lane


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
def test_a_number_that_restricts_nothing_sensible_is_refused_by_name(
    name: str, value: int, expected: str
) -> None:
    with pytest.raises(InputError, match=f"{name}: expected {expected}, found {value}"):
        Lane(**{name: value})  # type: ignore[arg-type]


def test_the_least_of_each_restriction_is_one() -> None:
    assert not Lane(king_flights=0).is_open
    assert not Lane(replies=0).is_open
    assert not Lane(threat=1).is_open
    assert not Lane(checks_only=True).is_open


def test_without_a_restriction_a_lane_is_open_and_says_nothing() -> None:
    assert Lane().is_open
    assert Lane().words() == ""


def test_each_lane_has_a_number_of_its_own_and_the_open_one_has_none() -> None:
    flights = (None, 0, 1, 7, 8)
    replies = (None, 0, 1, 2, 218, 255)
    threats = (None, 1, 2, 19, 20)
    lanes = [Lane(*lane) for lane in product((False, True), flights, replies, threats)]
    assert len({lane.number for lane in lanes}) == len(lanes)
    assert [lane for lane in lanes if lane.number == 0] == [Lane()]


@pytest.mark.parametrize(
    ("lane", "words"),
    [
        (Lane(checks_only=True), "checks only"),
        (Lane(king_flights=1), "at most 1 king flight"),
        (Lane(king_flights=0), "at most 0 king flights"),
        (Lane(replies=1), "at most 1 reply"),
        (Lane(replies=3), "at most 3 replies"),
        (Lane(threat=2), "threats of mate in 2"),
        (
            Lane(checks_only=True, king_flights=2, replies=1, threat=3),
            "checks only, at most 2 king flights, at most 1 reply, "
            "threats of mate in 3",
        ),
    ],
)
def test_the_words_name_what_is_restricted(lane: Lane, words: str) -> None:
    assert lane.words() == words
