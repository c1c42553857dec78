"""Comparisons of variants: answers, ratios and contradictions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from solver.laboratory.node_counts import ProblemCounts, Series, Total, node_ratio
from solver.problem import Problem
from tests.laboratory import counts

if TYPE_CHECKING:
    from solver.laboratory.techniques import Outcome


def test_a_position_is_complete_when_every_variant_reached_its_depth() -> None:
    assert counts.POSITION.is_complete
    assert not counts.CUT_POSITION.is_complete
    assert list(counts.CUT_POSITION.depths) == [1, 2, 3, 4]


def test_depths_that_were_not_reached_have_no_iteration() -> None:
    cut = counts.CUT_POSITION.series[1]
    assert cut.depth == 3
    assert cut.at(0) is cut.at(4) is None
    assert cut.ratio(counts.POSITION.series[0], 4) is None


def test_ratios_compare_nodes_until_the_variation_was_found() -> None:
    off, cpw = counts.POSITION.series
    assert cpw.ratio(off, 4) == pytest.approx(9876 / 12345)
    assert off.ratio(cpw, 4) == pytest.approx(12345 / 9876)


def test_without_nodes_there_is_no_ratio() -> None:
    assert node_ratio(0, 5) is node_ratio(5, 0) is None


def test_mates_seen_earlier_through_extensions_do_not_contradict() -> None:
    extended = (
        *counts.POSITION.series,
        counts.series(counts.CHECKS, (counts.M2, 9, 9)),
    )
    assert not replace(counts.POSITION, series=extended).is_contradictory


def test_sound_variants_with_different_mates_contradict() -> None:
    later = counts.series(counts.CPW, *[(596, 1, 1)] * 4)
    assert replace(
        counts.POSITION, series=(counts.POSITION.series[0], later)
    ).is_contradictory


def test_mates_that_an_unsound_variant_misses_or_invents_contradict_nothing() -> None:
    for score in (596, counts.MATED_IN_2):
        unsound = counts.series(counts.EFP, *[(score, 1, 1)] * 6)
        assert not replace(
            counts.POSITION, series=(counts.POSITION.series[0], unsound)
        ).is_contradictory


@pytest.mark.parametrize(
    ("outcomes", "same"),
    [
        ((counts.FOUND, counts.FOUND), True),
        ((counts.FOUND, counts.NONE), False),
        ((counts.NONE, counts.NONE), True),
        ((counts.NONE, counts.UNPROVED), True),
        ((counts.FOUND, counts.UNPROVED), False),
        ((counts.FOUND, counts.OPEN), False),
        ((counts.FOUND, counts.STOPPED), True),
        ((counts.FOUND, counts.STOPPED, counts.NONE), False),
        ((replace(counts.FOUND, complete=False), counts.NONE), False),
        ((replace(counts.OPEN, complete=False), counts.FOUND), True),
    ],
)
def test_the_answer_is_the_same_if_no_two_answers_differ(
    outcomes: tuple[Outcome, ...], same: bool
) -> None:
    assert counts.problem_counts("x", 2, *outcomes).same_answer is same


def test_totals_count_proved_mates_and_compare_equal_ones() -> None:
    first, second = counts.COLLECTION.totals()
    assert first == Total(
        counts.OFF,
        found=5,
        unproved=0,
        stopped=0,
        differing=0,
        nodes_total=5 * 1500 + 900,
        ratio=first.ratio,
        compared=5,
    )
    assert second == Total(
        counts.EFP,
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
    (one, first), (other, second) = counts.SEVERAL_FILES.parts()
    assert (one, other) == ("x.epd", '"b", <i>.epd')
    assert first.rows + second.rows == counts.SEVERAL_FILES.rows
    assert [len(part.rows) for part in (first, second)] == [4, 2]
    for part in (first, second):
        ((_, itself),) = part.parts()
        assert itself == part
    sums = zip(
        first.totals(), second.totals(), counts.SEVERAL_FILES.totals(), strict=True
    )
    for total, another, whole in sums:
        assert total.found + another.found == whole.found
        assert total.nodes_total + another.nodes_total == whole.nodes_total


def test_a_file_that_was_not_reached_has_no_rows() -> None:
    stopped = replace(counts.SEVERAL_FILES, rows=counts.SEVERAL_FILES.rows[:3])
    (_, first), (_, second) = stopped.parts()
    assert (len(first.rows), first.problems) == (3, 4)
    assert (second.rows, second.problems) == ((), 2)
    assert [total.found for total in second.totals()] == [0, 0]


def test_without_problems_to_compare_there_is_no_ratio() -> None:
    collection = replace(
        counts.COLLECTION,
        rows=(counts.problem_counts("x", 2, counts.NONE, counts.NONE),),
    )
    assert [total.ratio for total in collection.totals()] == [None, None]


def test_a_collection_is_complete_with_every_answer_to_every_problem() -> None:
    answered = [t for t in counts.COLLECTION.rows if t.problem.id != "cut"]
    collection = replace(
        counts.COLLECTION, rows=tuple(answered), problems=len(answered)
    )
    assert collection.is_complete
    assert not replace(collection, problems=len(answered) + 1).is_complete
    assert not counts.COLLECTION.is_complete


@pytest.mark.parametrize(
    ("claim", "outcomes", "contradicts"),
    [
        (2, (counts.FOUND, counts.NONE), False),  # the second variant is not sound
        (2, (counts.NONE, counts.NONE), True),
        (1, (counts.FOUND, counts.FOUND), True),
        (3, (counts.FOUND, counts.FOUND), True),
        (-2, (counts.FOUND, counts.FOUND), True),
        (3, (counts.NONE, counts.NONE), False),  # depth 4 sees no mate in 3
        (2, (counts.STOPPED, counts.STOPPED), False),
        (3, (counts.OPEN, counts.OPEN), False),
        (2, (counts.STOPPED, counts.OPEN), False),
        (4, (counts.STOPPED, counts.OPEN), True),  # proved, whichever variant found it
        (None, (counts.NONE, counts.UNPROVED), False),
        (None, (counts.NONE, replace(counts.FOUND, mate=3)), False),
        (None, (counts.NONE, counts.FOUND), True),
    ],
)
def test_proved_answers_are_checked_against_the_claim_and_each_other(
    claim: int | None, outcomes: tuple[Outcome, ...], contradicts: bool
) -> None:
    collection = replace(
        counts.COLLECTION,
        rows=(counts.problem_counts("x", claim, *outcomes),),
        problems=1,
    )
    assert collection.is_contradictory is contradicts
    assert list(collection.contradictions()) == list(collection.rows) * contradicts


@pytest.mark.parametrize(
    ("none_in", "outcome", "contradicts"),
    [(1, counts.FOUND, False), (2, counts.FOUND, True), (2, counts.NONE, False)],
)
def test_a_claim_of_no_mate_is_checked_as_well(
    none_in: int, outcome: Outcome, contradicts: bool
) -> None:
    problem = Problem(counts.ELSEWHERE, no_mate=none_in)
    collection = replace(
        counts.COLLECTION,
        variants=(counts.OFF,),
        rows=(ProblemCounts(problem, 4, (outcome,)),),
        problems=1,
    )
    assert collection.is_contradictory is contradicts


def test_an_empty_series_has_depth_zero() -> None:
    assert Series(counts.OFF, ()).depth == 0
    assert list(replace(counts.POSITION, series=(Series(counts.OFF, ()),)).depths) == []
