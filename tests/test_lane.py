"""Lanes as they are asked for: what is refused and told, and numbers of their own."""

from __future__ import annotations

from itertools import product

import pytest

from solver.errors import InputError
from solver.lane import Lane


@pytest.mark.parametrize(
    ("name", "value", "least"),
    [("king_flights", -1, 0), ("replies", -1, 0), ("threat", 0, 1), ("threat", -3, 1)],
)
def test_a_number_that_restricts_nothing_sensible_is_refused_by_name(
    name: str, value: int, least: int
) -> None:
    with pytest.raises(InputError, match=f"{name}: expected {least} or more, found"):
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
    limits = (None, 0, 1, 2, 217, 218)
    threats = (None, 1, 2, 199, 200)
    lanes = [Lane(*lane) for lane in product((False, True), limits, limits, threats)]
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
