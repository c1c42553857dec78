"""Which mates a completed depth excludes, against a plain definition."""

from __future__ import annotations

import math

import pytest

from solver.laboratory.techniques import (
    MateBounds,
    bounds_of_shortest,
    bounds_when_seen,
    contradict,
    excludes_shorter,
    plies_of,
)

MATES = range(-6, 7)


SEEN = range(-1, 14)


def test_plies_are_counted_to_the_mate() -> None:
    assert [plies_of(mate) for mate in (1, 2, 8)] == [1, 3, 15]
    assert [plies_of(mate) for mate in (0, -1, -2)] == [0, 2, 4]


@pytest.mark.parametrize("mate", MATES)
def test_shorter_mates_are_excluded_if_the_next_shorter_one_would_be_seen(
    mate: int,
) -> None:
    shorter = [
        plies_of(other)
        for other in range(-9, 10)
        if (other > 0) == (mate > 0) and plies_of(other) < plies_of(mate)
    ]
    for seen in SEEN:
        assert excludes_shorter(mate, seen) == all(plies <= seen for plies in shorter)


def is_excluded(mate: int, known: MateBounds) -> bool:
    if mate > 0:
        return mate <= known.no_mate_within
    return -mate <= known.not_mated_within


@pytest.mark.parametrize("seen", SEEN)
def test_a_search_without_a_mate_excludes_exactly_the_mates_it_would_see(
    seen: int,
) -> None:
    known = bounds_when_seen(None, seen)
    for mate in MATES:
        assert is_excluded(mate, known) == (plies_of(mate) <= seen)


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("mate", MATES)
def test_a_mate_excludes_shorter_ones_that_would_be_seen_and_those_of_the_other_side(
    mate: int, seen: int
) -> None:
    known = bounds_when_seen(mate, seen)
    assert known.mate == mate
    for other in MATES:
        opposite = (other > 0) != (mate > 0)
        shorter = plies_of(other) < plies_of(mate)
        excluded = opposite or (shorter and plies_of(other) <= seen)
        assert is_excluded(other, known) == excluded


@pytest.mark.parametrize("mate", MATES)
def test_the_shortest_mate_excludes_every_shorter_one(mate: int) -> None:
    assert bounds_of_shortest(mate) == bounds_when_seen(mate, 1000)


@pytest.mark.parametrize(
    "bounds",
    [
        [],
        [bounds_when_seen(8, 15), bounds_when_seen(None, 14), bounds_when_seen(8, 13)],
        [bounds_when_seen(9, 8), bounds_when_seen(8, 15)],
        [bounds_when_seen(-3, 6), bounds_when_seen(-5, 3), bounds_when_seen(None, 5)],
        [bounds_when_seen(0, 0)],
        [MateBounds(None, 5, -1), bounds_when_seen(6, 2)],
    ],
)
def test_results_that_one_position_allows_do_not_contradict(
    bounds: list[MateBounds],
) -> None:
    assert not contradict(bounds)


@pytest.mark.parametrize(
    "bounds",
    [
        [bounds_when_seen(8, 15), bounds_when_seen(None, 15)],
        [bounds_when_seen(7, 2), bounds_when_seen(8, 13)],
        [bounds_when_seen(3, -1), bounds_when_seen(-3, -1)],
        [bounds_when_seen(-3, 6), bounds_when_seen(None, 6)],
        [bounds_when_seen(-2, 1), bounds_when_seen(-3, 6)],
        [bounds_when_seen(0, 0), bounds_when_seen(None, 0)],
        [MateBounds(None, 5, -1), bounds_when_seen(5, 2)],
    ],
)
def test_a_mate_that_another_search_excludes_contradicts_it(
    bounds: list[MateBounds],
) -> None:
    assert contradict(bounds)
    assert contradict(reversed(bounds))


def test_the_side_that_mates_is_never_mated() -> None:
    assert bounds_when_seen(4, -1).not_mated_within == math.inf
    assert bounds_when_seen(-4, -1).no_mate_within == math.inf
