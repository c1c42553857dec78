"""How well a table predicts held-out games, against a count position by position."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from benchmarks.reliability import (
    BUCKETS,
    WEIGHTS,
    SizedCoverage,
    coverage_by_size,
    measure,
)
from solver.laboratory.games import GamePosition
from solver.laboratory.imbalance import ImbalanceTable, Material, find_material_cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.reliability import Tally

ROOT = Path(__file__).parents[2]

RESULTS = (1.0, 0.5, 0.0)
KRK = Material(white_rooks=1)
KKR = Material(black_rooks=1)
KRKR = Material(white_rooks=1, black_rooks=1)
KRPKR = Material(white_rooks=1, black_rooks=1, white_pawns=1)
KQQK = Material(white_queens=2)


def table_of(positions: Sequence[GamePosition]) -> ImbalanceTable:
    table = ImbalanceTable()
    for position in positions:
        table.add(find_material_cell(position.material), position.result)
    return table


def games(material: Material, won: int, drawn: int, lost: int) -> list[GamePosition]:
    numbers = zip(RESULTS, (won, drawn, lost), strict=True)
    return [GamePosition(material, result) for result, n in numbers for _ in range(n)]


# A naive oracle


class Guess(NamedTuple):
    """What the counted games say about one held-out position."""

    positions: int
    score: Fraction | None
    result: Fraction

    @property
    def error(self) -> Fraction:
        assert self.score is not None
        return abs(self.score - self.result)


def guess(
    counted: Sequence[GamePosition], position: GamePosition, *, folded: bool
) -> Guess:
    material, result = position.material, Fraction(position.result)
    exchanged = Material(*(material[place ^ 1] for place in range(10)))
    seen = [Fraction(p.result) for p in counted if p.material == material]
    if folded and exchanged == material:
        seen = [Fraction(1, 2)] * len(seen)
    elif folded:
        seen += [1 - Fraction(p.result) for p in counted if p.material == exchanged]
    score = sum(seen, Fraction(0)) / len(seen) if seen else None
    return Guess(len(seen), score, result)


def drawn_to_half(guessed: Guess, weight: int) -> Guess:
    assert guessed.score is not None
    trust = Fraction(guessed.positions, guessed.positions + weight)
    score = Fraction(1, 2) + (guessed.score - Fraction(1, 2)) * trust
    return guessed._replace(score=score)


def mean(numbers: Sequence[Fraction]) -> float:
    return float(sum(numbers, Fraction(0)) / len(numbers))


def check(tally: Tally, guesses: Sequence[Guess]) -> None:
    assert tally.positions == len(guesses)
    scored = [guessed for guessed in guesses if guessed.score is not None]
    if scored:
        assert tally.mean_error == pytest.approx(mean([g.error for g in scored]))
        assert tally.brier == pytest.approx(mean([g.error**2 for g in scored]))
    else:
        assert tally.mean_error is None
        assert tally.brier is None
    decided = [g for g in scored if g.score in {0, 1}]
    assert tally.decided == len(decided)
    assert tally.decided_right == sum(g.score == g.result for g in decided)
    half = Fraction(1, 200)
    rounded = [g for g in scored if g.score and g.score >= 1 - half]
    rounded_to_0 = [g for g in scored if g.score is not None and g.score < half]
    assert tally.rounded == len(rounded) + len(rounded_to_0)
    assert tally.rounded_right == (
        sum(g.result == 1 for g in rounded) + sum(g.result == 0 for g in rounded_to_0)
    )


def random_games(chance: Random, number: int) -> list[GamePosition]:
    """Return positions with few materials, some often and some always won."""
    materials = [KRK, KKR, KRKR, KRPKR, KQQK]
    materials += [Material(white_pawns=n, black_knights=n % 3) for n in range(8)]
    found = []
    for _ in range(number):
        material = materials[min(int(chance.expovariate(0.5)), len(materials) - 1)]
        sure = material.balance() >= 3 and chance.random() < 0.999
        found.append(GamePosition(material, 1.0 if sure else chance.choice(RESULTS)))
    return found


@pytest.mark.parametrize("folded", [True, False])
@pytest.mark.parametrize("least_balance", [0, 2])
@pytest.mark.parametrize("counted_positions", [0, 30, 2_000])
def test_predictions_are_those_of_a_count_position_by_position(
    counted_positions: int, least_balance: int, *, folded: bool
) -> None:
    chance = Random(counted_positions)
    counted = random_games(chance, counted_positions)
    held_out = random_games(chance, 150)
    found = measure(
        table_of(counted),
        table_of(held_out),
        folded=folded,
        least_balance=least_balance,
    )
    guesses = [
        guess(counted, position, folded=folded)
        for position in held_out
        if position.material != KQQK  # out of range
        and abs(position.material.balance()) >= least_balance
    ]
    check(found.total, guesses)
    assert [bucket.least for bucket in found.buckets] == list(BUCKETS)
    for bucket in found.buckets:
        most = bucket.most if bucket.most is not None else 10**9
        check(bucket.tally, [g for g in guesses if bucket.least <= g.positions <= most])
    scored = [g for g in guesses if g.positions]
    for curve in found.curves:
        errors = [drawn_to_half(g, curve.weight).error ** 2 for g in scored]
        assert curve.brier == pytest.approx(mean(errors))
    assert [curve.weight for curve in found.curves] == (list(WEIGHTS) if scored else [])
    for least in BUCKETS:
        met = sum(g.positions >= least for g in guesses)
        assert found.met(least) == met
        assert found.coverage(least) == pytest.approx(met / len(guesses))


def test_a_score_is_compared_with_each_result() -> None:
    """A cell of 75 per cent: 0.25 from a win, and 0.75 from a loss."""
    found = measure(
        table_of(games(KRK, 1, 1, 0)), table_of(games(KRK, 3, 0, 1)), folded=False
    ).total
    assert (found.cells, found.positions) == (1, 4)
    assert found.mean_error == (3 * 0.25 + 0.75) / 4
    assert found.brier == (3 * 0.25**2 + 0.75**2) / 4
    assert found.decided == 0


def test_folding_predicts_whites_material_from_blacks_games() -> None:
    counted, held_out = table_of(games(KKR, 0, 0, 60)), table_of(games(KRK, 3, 1, 0))
    assert measure(counted, held_out, folded=False).total.predicted == 0
    folded = measure(counted, held_out).total
    assert (folded.predicted, folded.decided, folded.decided_right) == (4, 4, 3)


def test_the_best_curve_trusts_few_positions_as_far_as_they_deserve() -> None:
    """Two wins seen, six of ten games won: N = 10 gives 58 per cent, the nearest."""
    counted, held_out = table_of(games(KRK, 2, 0, 0)), table_of(games(KRK, 6, 0, 4))
    best = measure(counted, held_out).best_curve
    assert best is not None
    score = 0.5 + 0.5 * 2 / 12
    assert best.weight == 10
    assert best.brier == pytest.approx(0.6 * (1 - score) ** 2 + 0.4 * score**2)
    sure = measure(counted, table_of(games(KRK, 9, 0, 0))).best_curve
    assert sure is not None
    assert sure.weight == min(WEIGHTS)


def test_without_held_out_positions_nothing_is_known() -> None:
    found = measure(table_of(games(KRK, 2, 0, 0)), ImbalanceTable())
    assert found.total.positions == 0
    assert found.coverage() is None
    assert found.best_curve is None


def test_the_coverage_of_a_growing_table_is_that_of_each_part() -> None:
    chance = Random(4)
    counted, held_out = random_games(chance, 300), table_of(random_games(chance, 100))
    expected = []
    for size in (10, 200, 300):
        found = measure(table_of(counted[:size]), held_out)
        expected.append(SizedCoverage(size, found.coverage(), found.coverage(50)))
    assert list(coverage_by_size(counted, held_out, (10, 200, 1_000))) == expected
    assert list(coverage_by_size(counted, held_out, (10, 200, 300))) == expected
    assert expected[0].trusted == 0
    assert expected[0].met is not None
    assert 0 < expected[0].met < 1


def test_the_recipe_of_the_docs_has_the_same_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = Random(7)
    tables = [
        table_of([one for one in random_games(chance, n) if one.material != KRKR])
        for n in (500, 200)
    ]
    monkeypatch.chdir(tmp_path)
    for table, name in zip(tables, ("mine.npz", "other.npz"), strict=True):
        table.save(name)
    page = (ROOT / "docs" / "reference" / "material-tables.md").read_text()
    (recipe,) = re.findall(r"```python\n(from itertools.*?)```", page, re.DOTALL)
    exec(recipe, {})
    buckets = [(bucket.least, bucket.tally) for bucket in measure(*tables).buckets]
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        [str(least), str(tally.positions), f"{100 * (tally.mean_error or 0):.1f}"]
        for least, tally in buckets[1:]
    ]
