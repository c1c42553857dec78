"""Which mates a completed depth excludes, against a plain definition."""

from __future__ import annotations

import math

import pytest

from solver.laboratory.mate_scores import (
    MateBounds,
    bounds_at_depth,
    bounds_of_shortest,
    contradict,
    depth_to_see,
    excludes_shorter,
)

MATES = range(-6, 7)


def plies_of(mate: int) -> int:
    """The number of plies from the position to the mate."""
    return 2 * mate - 1 if mate > 0 else -2 * mate


def is_seen(mate: int, depth: int, *, at_horizon: bool) -> bool:
    """Whether the mated position is tested for mate, by an iteration that exists.

    It is if it is entered with at least one ply left to search, or with none where the
    horizon has a mate test.
    """
    return depth >= 1 and depth - plies_of(mate) >= (0 if at_horizon else 1)


HORIZONS = pytest.mark.parametrize("at_horizon", [False, True])


@HORIZONS
@pytest.mark.parametrize("mate", MATES)
def test_a_mate_is_seen_from_its_depth_on(mate: int, at_horizon: bool) -> None:
    depth = depth_to_see(mate, at_horizon=at_horizon)
    assert is_seen(mate, depth, at_horizon=at_horizon)
    assert not is_seen(mate, depth - 1, at_horizon=at_horizon)


@HORIZONS
@pytest.mark.parametrize("mate", MATES)
def test_a_depth_excludes_shorter_mates_if_it_would_show_the_next_shorter_one(
    mate: int, at_horizon: bool
) -> None:
    shorter = [
        other
        for other in range(-9, 10)
        if (other > 0) == (mate > 0) and plies_of(other) < plies_of(mate)
    ]
    for depth in range(1, 14):
        excluded = all(is_seen(m, depth, at_horizon=at_horizon) for m in shorter)
        assert excludes_shorter(mate, depth, at_horizon=at_horizon) == excluded


def is_excluded(mate: int, known: MateBounds) -> bool:
    if mate > 0:
        return mate <= known.no_mate_within
    return -mate <= known.not_mated_within


@HORIZONS
@pytest.mark.parametrize("depth", range(14))
def test_a_search_without_a_mate_excludes_exactly_the_mates_it_would_see(
    depth: int, at_horizon: bool
) -> None:
    known = bounds_at_depth(None, depth, at_horizon=at_horizon)
    for mate in MATES:
        seen = is_seen(mate, depth, at_horizon=at_horizon)
        assert is_excluded(mate, known) == seen


@HORIZONS
@pytest.mark.parametrize("depth", range(14))
@pytest.mark.parametrize("mate", MATES)
def test_a_mate_excludes_shorter_ones_that_would_be_seen_and_those_of_the_other_side(
    mate: int, depth: int, at_horizon: bool
) -> None:
    known = bounds_at_depth(mate, depth, at_horizon=at_horizon)
    assert known.mate == mate
    for other in MATES:
        opposite = (other > 0) != (mate > 0)
        shorter = plies_of(other) < plies_of(mate)
        seen = is_seen(other, depth, at_horizon=at_horizon)
        excluded = opposite or (shorter and seen)
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
