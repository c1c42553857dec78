"""What depths exclude, held to a plain account of which mates are seen when."""

from __future__ import annotations

import math

import pytest

from solver.laboratory.results import (
    Telling,
    contradict,
    depth_to_see,
    tell,
    tell_shortest,
)

MATES = range(-6, 7)


def plies_of(mate: int) -> int:
    """Plies from the position to the mated one."""
    return 2 * mate - 1 if mate > 0 else -2 * mate


def is_seen(mate: int, depth: int) -> bool:
    """The mated position is entered with a ply or more left to search."""
    return depth - plies_of(mate) >= 1


@pytest.mark.parametrize("mate", MATES)
def test_a_mate_is_seen_from_its_depth_on(mate: int) -> None:
    assert is_seen(mate, depth_to_see(mate))
    assert not is_seen(mate, depth_to_see(mate) - 1)


def is_excluded(mate: int, telling: Telling) -> bool:
    if mate > 0:
        return mate <= telling.none_given
    return -mate <= telling.none_suffered


@pytest.mark.parametrize("depth", range(1, 14))
def test_a_search_without_a_mate_excludes_just_those_that_it_would_see(
    depth: int,
) -> None:
    telling = tell(None, depth)
    for mate in MATES:
        assert is_excluded(mate, telling) == is_seen(mate, depth)


@pytest.mark.parametrize("depth", range(14))
@pytest.mark.parametrize("mate", MATES)
def test_a_mate_excludes_the_shorter_ones_that_would_be_seen_and_the_other_sides(
    mate: int, depth: int
) -> None:
    telling = tell(mate, depth)
    assert telling.mate == mate
    for other in MATES:
        opposite = (other > 0) != (mate > 0)
        shorter = plies_of(other) < plies_of(mate)
        excluded = opposite or (shorter and is_seen(other, depth))
        assert is_excluded(other, telling) == excluded


@pytest.mark.parametrize("mate", MATES)
def test_the_shortest_mate_excludes_every_shorter_one(mate: int) -> None:
    assert tell_shortest(mate) == tell(mate, 1000)


@pytest.mark.parametrize(
    "tellings",
    [
        [],
        [tell(8, 16), tell(None, 15), tell(8, 14)],
        [tell(9, 9), tell(8, 16)],
        [tell(-3, 7), tell(-5, 4), tell(None, 6)],
        [tell(0, 1)],
        [Telling(None, 5, -1), tell(6, 3)],
    ],
)
def test_tellings_that_one_position_allows_do_not_contradict(
    tellings: list[Telling],
) -> None:
    assert not contradict(tellings)


@pytest.mark.parametrize(
    "tellings",
    [
        [tell(8, 16), tell(None, 16)],
        [tell(7, 3), tell(8, 14)],
        [tell(3, 0), tell(-3, 0)],
        [tell(-3, 7), tell(None, 7)],
        [tell(-2, 2), tell(-3, 7)],
        [tell(0, 1), tell(None, 1)],
        [Telling(None, 5, -1), tell(5, 3)],
    ],
)
def test_a_mate_that_another_search_excludes_contradicts_it(
    tellings: list[Telling],
) -> None:
    assert contradict(tellings)
    assert contradict(reversed(tellings))


def test_who_mates_is_never_mated() -> None:
    assert tell(4, 0).none_suffered == math.inf
    assert tell(-4, 0).none_given == math.inf
