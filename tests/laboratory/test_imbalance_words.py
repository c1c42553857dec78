"""The words of the search: both colours folded or White's view, rounded or a curve."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings

from solver.kernel.border.query_struct import MipUse
from solver.laboratory.imbalance import CELLS, MIRROR, ImbalanceTable, Outcomes
from tests.laboratory.test_imbalance import (
    POSITIONS,
    ROOK,
    ROOK_FOR_BLACK,
    ROOKS,
    table_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

Words = dict[int | None, int]

FOLDED, WHITE = MipUse.NONE, MipUse.WHITE
ROUNDED, CURVE = MipUse.ROUNDED, MipUse.CURVE


def words_of(
    table: ImbalanceTable, form: MipUse, weight: int = 0
) -> tuple[Words, Words]:
    """Return the words that are not 0, as White and Black see them."""
    both = table.search_words(form, weight)
    for words in both:
        assert words.dtype == np.uint32
        assert words.shape == (CELLS,)
    return filled(both[0].tolist()), filled(both[1].tolist())


def filled(words: Sequence[int]) -> Words:
    return {cell: word for cell, word in enumerate(words) if word}


def with_rook(outcomes: Outcomes) -> ImbalanceTable:
    """Return a table with the results of White's rook against a bare king."""
    results = zip((1.0, 0.5, 0.0), outcomes, strict=True)
    return table_of((ROOK, result) for result, number in results for _ in range(number))


# Folded


def test_folded_words_count_both_colours_results() -> None:
    table = table_of(
        # White with the rook: a win and a draw; Black with it: two wins.
        [(ROOK, 1), (ROOK, 0.5), (ROOK_FOR_BLACK, 0), (ROOK_FOR_BLACK, 0)]
    )
    expected = {ROOK: 4 << 7 | 88, ROOK_FOR_BLACK: 4 << 7 | 13}
    assert words_of(table, FOLDED) == (expected, expected)


def test_folded_words_score_equal_material_as_a_half() -> None:
    table = table_of([(ROOKS, 1), (ROOKS, 1), (ROOKS, 0.5)])
    assert words_of(table, FOLDED)[0] == {ROOKS: 3 << 7 | 50}


def test_a_material_that_only_white_had_is_known_for_black_too() -> None:
    words = words_of(table_of([(ROOK, 1)] * 3), FOLDED)[0]
    assert words == {ROOK: 3 << 7 | 100, ROOK_FOR_BLACK: 3 << 7}


@settings(derandomize=True, deadline=None, max_examples=15)
@given(POSITIONS)
def test_games_with_colours_exchanged_give_the_same_folded_words(
    positions: list[tuple[int | None, float]],
) -> None:
    exchanged = [
        (None if cell is None else int(MIRROR[cell]), 1 - result)
        for cell, result in positions
    ]
    folded = words_of(table_of(positions), FOLDED)
    assert folded == words_of(table_of(exchanged), FOLDED)


# White's view


def test_in_whites_view_black_has_100_minus_whites_score() -> None:
    table = table_of([(ROOK, 1), (ROOK, 0.5), (ROOK, 0.5), (ROOKS, 0), (ROOKS, 0.5)])
    white = {ROOK: 3 << 7 | 67, ROOKS: 2 << 7 | 25}
    black = {ROOK_FOR_BLACK: 3 << 7 | 33, ROOKS: 2 << 7 | 75}
    assert words_of(table, WHITE) == (white, black)


def test_in_whites_view_blacks_results_with_a_material_are_not_whites() -> None:
    table = table_of([(ROOK, 1), (ROOK_FOR_BLACK, 1)])
    white, black = words_of(table, WHITE)
    assert white == {ROOK: 1 << 7 | 100, ROOK_FOR_BLACK: 1 << 7 | 100}
    assert black == {ROOK: 1 << 7, ROOK_FOR_BLACK: 1 << 7}
    both = {ROOK: 2 << 7 | 50, ROOK_FOR_BLACK: 2 << 7 | 50}
    assert words_of(table, FOLDED) == (both, both)


@settings(derandomize=True, deadline=None, max_examples=15)
@given(POSITIONS)
def test_games_with_colours_exchanged_give_whites_view_to_black(
    positions: list[tuple[int | None, float]],
) -> None:
    exchanged = [
        (None if cell is None else int(MIRROR[cell]), 1 - result)
        for cell, result in positions
    ]
    first = words_of(table_of(positions), WHITE | CURVE, 3)
    second = words_of(table_of(exchanged), WHITE | CURVE, 3)
    for words, others in zip(first, reversed(second), strict=True):
        assert words.keys() == others.keys()
        for cell, word in words.items():
            assert word >> 7 == others[cell] >> 7
            # Halves are rounded up for White, so the other side may have one less.
            assert abs(word % 128 - others[cell] % 128) <= 1


# Rounded, and the curve


@pytest.mark.parametrize(
    ("outcomes", "exact", "rounded"),
    [
        (Outcomes(0, 1, 99), 1, 1),
        (Outcomes(0, 1, 100), 1, 0),
        (Outcomes(100, 1, 0), 99, 100),
        (Outcomes(0, 0, 7), 0, 0),
        (Outcomes(3, 0, 0), 100, 100),
    ],
)
def test_rounded_words_have_0_and_100_per_cent_from_half_a_per_cent_on(
    outcomes: Outcomes, exact: int, rounded: int
) -> None:
    table, positions = with_rook(outcomes), outcomes.positions
    assert words_of(table, FOLDED)[0][ROOK] == positions << 7 | exact
    for form in (ROUNDED, ROUNDED | WHITE):
        assert words_of(table, form)[0][ROOK] == positions << 7 | rounded


@pytest.mark.parametrize("outcomes", [Outcomes(4, 0, 0), Outcomes(1, 3, 7)])
@pytest.mark.parametrize("weight", [0, 1, 4, 50, 10_000])
def test_a_curve_draws_the_score_to_50_by_the_number_of_positions(
    outcomes: Outcomes, weight: int
) -> None:
    positions = outcomes.positions
    score = Fraction(100 * (2 * outcomes.wins + outcomes.draws), 2 * positions)
    drawn = 50 + (score - 50) * Fraction(positions, positions + weight)
    per_cent = floor(drawn + Fraction(1, 2))
    table = with_rook(outcomes)
    assert words_of(table, CURVE, weight)[0][ROOK] == positions << 7 | per_cent


def test_a_curve_is_0_or_100_only_with_many_positions() -> None:
    for number, per_cent in ((98, 99), (99, 100)):
        words = words_of(with_rook(Outcomes(number, 0, 0)), CURVE, 1)[0]
        assert words[ROOK] == number << 7 | per_cent
