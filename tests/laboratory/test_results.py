"""Which mates a completed depth excludes, against a plain definition."""

from __future__ import annotations

import math

import pytest

from solver.laboratory.results import (
    MateBounds,
    bounds_at_depth,
    bounds_of_shortest,
    contradict,
    depth_to_see,
)

MATES = range(-6, 7)


def plies_of(mate: int) -> int:
    """The number of plies from the position to the mate."""
    return 2 * mate - 1 if mate > 0 else -2 * mate


def is_seen(mate: int, depth: int) -> bool:
    """Whether the mated position is entered with at least one ply left to search."""
    return depth - plies_of(mate) >= 1


@pytest.mark.parametrize("mate", MATES)
def test_a_mate_is_seen_from_its_depth_on(mate: int) -> None:
    assert is_seen(mate, depth_to_see(mate))
    assert not is_seen(mate, depth_to_see(mate) - 1)


def is_excluded(mate: int, known: MateBounds) -> bool:
    if mate > 0:
        return mate <= known.no_mate_within
    return -mate <= known.not_mated_within


@pytest.mark.parametrize("depth", range(1, 14))
def test_a_search_without_a_mate_excludes_exactly_the_mates_it_would_see(
    depth: int,
) -> None:
    known = bounds_at_depth(None, depth)
    for mate in MATES:
        assert is_excluded(mate, known) == is_seen(mate, depth)


@pytest.mark.parametrize("depth", range(14))
@pytest.mark.parametrize("mate", MATES)
def test_a_mate_excludes_shorter_ones_that_would_be_seen_and_those_of_the_other_side(
    mate: int, depth: int
) -> None:
    known = bounds_at_depth(mate, depth)
    assert known.mate == mate
    for other in MATES:
        opposite = (other > 0) != (mate > 0)
        shorter = plies_of(other) < plies_of(mate)
        excluded = opposite or (shorter and is_seen(other, depth))
        assert is_excluded(other, known) == excluded


@pytest.mark.parametrize("mate", MATES)
def test_the_shortest_mate_excludes_every_shorter_one(mate: int) -> None:
    assert bounds_of_shortest(mate) == bounds_at_depth(mate, 1000)


@pytest.mark.parametrize(
    "bounds",
    [
        [],
        [bounds_at_depth(8, 16), bounds_at_depth(None, 15), bounds_at_depth(8, 14)],
        [bounds_at_depth(9, 9), bounds_at_depth(8, 16)],
        [bounds_at_depth(-3, 7), bounds_at_depth(-5, 4), bounds_at_depth(None, 6)],
        [bounds_at_depth(0, 1)],
        [MateBounds(None, 5, -1), bounds_at_depth(6, 3)],
    ],
)
def test_results_that_one_position_allows_do_not_contradict(
    bounds: list[MateBounds],
) -> None:
    assert not contradict(bounds)


@pytest.mark.parametrize(
    "bounds",
    [
        [bounds_at_depth(8, 16), bounds_at_depth(None, 16)],
        [bounds_at_depth(7, 3), bounds_at_depth(8, 14)],
        [bounds_at_depth(3, 0), bounds_at_depth(-3, 0)],
        [bounds_at_depth(-3, 7), bounds_at_depth(None, 7)],
        [bounds_at_depth(-2, 2), bounds_at_depth(-3, 7)],
        [bounds_at_depth(0, 1), bounds_at_depth(None, 1)],
        [MateBounds(None, 5, -1), bounds_at_depth(5, 3)],
    ],
)
def test_a_mate_that_another_search_excludes_contradicts_it(
    bounds: list[MateBounds],
) -> None:
    assert contradict(bounds)
    assert contradict(reversed(bounds))


def test_the_side_that_mates_is_never_mated() -> None:
    assert bounds_at_depth(4, 0).not_mated_within == math.inf
    assert bounds_at_depth(-4, 0).no_mate_within == math.inf
