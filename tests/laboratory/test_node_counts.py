"""Comparisons of variants: answers, ratios and contradictions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from solver.laboratory.node_counts import ProblemCounts, Series, Total, node_ratio
from solver.problem import Problem
from tests.laboratory import counts
from tests.laboratory.counts import (
    CHECKS,
    COLLECTION,
    CPW,
    EFP,
    FOUND,
    M2,
    MATED_IN_2,
    NONE,
    OFF,
    OPEN,
    POSITION,
    SEVERAL_FILES,
    STOPPED,
    UNPROVED,
    problem_counts,
    series,
)

if TYPE_CHECKING:
    from solver.laboratory.techniques import Outcome


def test_a_position_is_complete_when_every_variant_reached_its_depth() -> None:
    assert POSITION.is_complete
    assert not counts.CUT_POSITION.is_complete
    assert list(counts.CUT_POSITION.depths) == [1, 2, 3, 4]


def test_depths_that_were_not_reached_have_no_iteration() -> None:
    cut = counts.CUT_POSITION.series[1]
    assert cut.depth == 3
    assert cut.at(0) is cut.at(4) is None
    assert cut.ratio(POSITION.series[0], 4) is None


def test_ratios_compare_nodes_until_the_variation_was_found() -> None:
    off, cpw = POSITION.series
    assert cpw.ratio(off, 4) == pytest.approx(9876 / 12345)
    assert off.ratio(cpw, 4) == pytest.approx(12345 / 9876)


def test_without_nodes_there_is_no_ratio() -> None:
    assert node_ratio(0, 5) is node_ratio(5, 0) is None


def test_mates_seen_earlier_through_extensions_do_not_contradict() -> None:
    extended = (*POSITION.series, series(CHECKS, (M2, 9, 9)))
    assert not replace(POSITION, series=extended).is_contradictory


def test_sound_variants_with_different_mates_contradict() -> None:
    later = series(CPW, *[(596, 1, 1)] * 4)
    assert replace(POSITION, series=(POSITION.series[0], later)).is_contradictory


def test_mates_that_an_unsound_variant_misses_or_invents_contradict_nothing() -> None:
    for score in (596, MATED_IN_2):
        unsound = series(EFP, *[(score, 1, 1)] * 6)
        assert not replace(
            POSITION, series=(POSITION.series[0], unsound)
        ).is_contradictory


@pytest.mark.parametrize(
    ("outcomes", "same"),
    [
        ((FOUND, FOUND), True),
        ((FOUND, NONE), False),
        ((NONE, NONE), True),
        ((NONE, UNPROVED), True),
        ((FOUND, UNPROVED), False),
        ((FOUND, OPEN), False),
        ((FOUND, STOPPED), True),
        ((FOUND, STOPPED, NONE), False),
        ((replace(FOUND, complete=False), NONE), False),
        ((replace(OPEN, complete=False), FOUND), True),
    ],
)
def test_the_answer_is_the_same_if_no_two_answers_differ(
    outcomes: tuple[Outcome, ...], same: bool
) -> None:
    assert problem_counts("x", 2, *outcomes).same_answer is same


def test_totals_count_proved_mates_and_compare_equal_ones() -> None:
    first, second = COLLECTION.totals()
    assert first == Total(
        OFF,
        found=5,
        unproved=0,
        stopped=0,
        differing=0,
        nodes_total=5 * 1500 + 900,
        ratio=first.ratio,
        compared=5,
    )
    assert second == Total(
        EFP,
        found=3,
        unproved=1,
        stopped=1,
        differing=2,
        nodes_total=1500 + 4100 + 900 + 90 + 5000 + 99,
        ratio=second.ratio,
        compared=2,
    )
    assert first.ratio == pytest.approx(1.0)
    assert second.ratio == pytest.approx(1.0)  # a quarter and four times


def test_the_parts_of_a_collection_are_its_files() -> None:
    (one, first), (other, second) = SEVERAL_FILES.parts()
    assert (one, other) == ("x.epd", '"b", <i>.epd')
    assert first.rows + second.rows == SEVERAL_FILES.rows
    assert [len(part.rows) for part in (first, second)] == [4, 2]
    for part in (first, second):
        ((_, itself),) = part.parts()
        assert itself == part
    sums = zip(first.totals(), second.totals(), SEVERAL_FILES.totals(), strict=True)
    for total, another, whole in sums:
        assert total.found + another.found == whole.found
        assert total.nodes_total + another.nodes_total == whole.nodes_total


def test_a_file_that_was_not_reached_has_no_rows() -> None:
    stopped = replace(SEVERAL_FILES, rows=SEVERAL_FILES.rows[:3])
    (_, first), (_, second) = stopped.parts()
    assert (len(first.rows), first.problems) == (3, 4)
    assert (second.rows, second.problems) == ((), 2)
    assert [total.found for total in second.totals()] == [0, 0]


def test_without_problems_to_compare_there_is_no_ratio() -> None:
    collection = replace(COLLECTION, rows=(problem_counts("x", 2, NONE, NONE),))
    assert [total.ratio for total in collection.totals()] == [None, None]


def test_a_collection_is_complete_with_every_answer_to_every_problem() -> None:
    answered = [t for t in COLLECTION.rows if t.problem.id != "cut"]
    collection = replace(COLLECTION, rows=tuple(answered), problems=len(answered))
    assert collection.is_complete
    assert not replace(collection, problems=len(answered) + 1).is_complete
    assert not COLLECTION.is_complete


@pytest.mark.parametrize(
    ("claim", "outcomes", "contradicts"),
    [
        (2, (FOUND, NONE), False),  # the second variant is not sound
        (2, (NONE, NONE), True),
        (1, (FOUND, FOUND), True),
        (3, (FOUND, FOUND), True),
        (-2, (FOUND, FOUND), True),
        (3, (NONE, NONE), False),  # depth 4 sees no mate in 3
        (2, (STOPPED, STOPPED), False),
        (3, (OPEN, OPEN), False),
        (2, (STOPPED, OPEN), False),
        (4, (STOPPED, OPEN), True),  # proved, whichever variant found it
        (None, (NONE, UNPROVED), False),
        (None, (NONE, replace(FOUND, mate=3)), False),
        (None, (NONE, FOUND), True),
    ],
)
def test_proved_answers_are_checked_against_the_claim_and_each_other(
    claim: int | None, outcomes: tuple[Outcome, ...], contradicts: bool
) -> None:
    collection = replace(
        COLLECTION, rows=(problem_counts("x", claim, *outcomes),), problems=1
    )
    assert collection.is_contradictory is contradicts
    assert list(collection.contradictions()) == list(collection.rows) * contradicts


@pytest.mark.parametrize(
    ("none_in", "outcome", "contradicts"),
    [(1, FOUND, False), (2, FOUND, True), (2, NONE, False)],
)
def test_a_claim_of_no_mate_is_checked_as_well(
    none_in: int, outcome: Outcome, contradicts: bool
) -> None:
    problem = Problem(counts.ELSEWHERE, no_mate=none_in)
    collection = replace(
        COLLECTION,
        variants=(OFF,),
        rows=(ProblemCounts(problem, 4, (outcome,)),),
        problems=1,
    )
    assert collection.is_contradictory is contradicts


def test_an_empty_series_has_depth_zero() -> None:
    assert Series(OFF, ()).depth == 0
    assert list(replace(POSITION, series=(Series(OFF, ()),)).depths) == []
