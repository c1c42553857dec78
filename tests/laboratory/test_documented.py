"""The tables of docs/explanation/laboratory*.md, and those of reliability."""

from __future__ import annotations

import re
import shutil
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from benchmarks import patched
from benchmarks.laboratory import PAGES, QUICK, TABLES, tables_of, tables_of_pages
from benchmarks.laboratory_commands import ROOT, Work
from benchmarks.reliability import (
    BUCKETS,
    WEIGHTS,
    measure,
)
from benchmarks.scoreboard import TEXTS, UNTESTED, VERDICTS, Measured
from solver.laboratory.games import GamePosition
from solver.laboratory.imbalance import ImbalanceTable, Material, find_material_cell

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.reliability import Tally


def test_the_pages_have_each_table_once_and_none_is_empty() -> None:
    pages = [page.read_text(encoding="utf-8") for page in PAGES]
    assert sorted(name for page in pages for name in tables_of(page)) == sorted(TABLES)
    for mark in ("<!-- table: ", "<!-- end -->"):
        assert sum(page.count(mark) for page in pages) == len(TABLES)
    for name, shown in tables_of_pages().items():
        assert len(shown.splitlines()) > 2, name


@pytest.mark.parametrize("text", TEXTS)
def test_each_claim_is_tested_by_a_command_or_says_why_not(text: str) -> None:
    _, claims_of = TEXTS[text]
    for claim in claims_of(Measured(tables_of_pages())):
        assert claim.verdict in VERDICTS
        assert claim.found or claim.verdict == UNTESTED, claim.said
        assert claim.reason or claim.verdict not in VERDICTS[1:], claim.said


@pytest.mark.parametrize("changes", patched.ALL)
def test_each_change_finds_the_lines_that_it_replaces(
    changes: Sequence[patched.Change], tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "solver", tmp_path / "solver")
    for change in changes:
        change.apply(tmp_path)


@pytest.mark.usefixtures("laboratory_kernel", "worker_processes")
@pytest.mark.parametrize("name", QUICK)
def test_a_table_that_takes_a_second_is_current(name: str, tmp_path: Path) -> None:
    assert tables_of_pages()[name] == QUICK[name](Work(tmp_path, 1))


@pytest.mark.slow
@pytest.mark.usefixtures("laboratory_kernel", "worker_processes")
@pytest.mark.parametrize("name", [name for name in TABLES if name not in QUICK])
def test_every_table_is_current(name: str, tmp_path: Path) -> None:
    assert tables_of_pages()[name] == TABLES[name](Work(tmp_path, 2))


# How well a table predicts held-out games, against a count position by position


RESULTS = (1.0, 0.5, 0.0)
KRK = Material(white_rooks=1)
KRKR = Material(white_rooks=1, black_rooks=1)
KQQK = Material(white_queens=2)
MATERIALS = [KRK, Material(black_rooks=1), KRKR, KRKR._replace(white_pawns=1), KQQK]
MATERIALS += [Material(white_pawns=n, black_knights=n % 3) for n in range(8)]


def table_of(positions: Sequence[GamePosition]) -> ImbalanceTable:
    table = ImbalanceTable()
    for position in positions:
        table.add(find_material_cell(position.material), position.result)
    return table


# A naive oracle


class Guess(NamedTuple):
    """What the counted games say about one held-out position."""

    positions: int
    score: Fraction
    """A half where nothing is known."""

    result: Fraction

    @property
    def error(self) -> Fraction:
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
    score = sum(seen, Fraction(0)) / len(seen) if seen else Fraction(1, 2)
    return Guess(len(seen), score, result)


def drawn_to_half(guessed: Guess, weight: int) -> Guess:
    trust = Fraction(guessed.positions, guessed.positions + weight)
    score = Fraction(1, 2) + (guessed.score - Fraction(1, 2)) * trust
    return guessed._replace(score=score)


def mean(numbers: Sequence[Fraction]) -> object:
    return pytest.approx(float(sum(numbers) / len(numbers))) if numbers else None


def check(tally: Tally, guesses: Sequence[Guess]) -> None:
    scored = [guessed for guessed in guesses if guessed.positions]
    assert tally.positions == len(guesses)
    assert tally.mean_error == mean([g.error for g in scored])
    assert tally.brier == mean([g.error**2 for g in scored])
    decided = [g for g in scored if g.score in {0, 1}]
    assert tally.decided == len(decided)
    assert tally.decided_right == sum(g.score == g.result for g in decided)
    half = Fraction(1, 200)
    to_1 = [g for g in scored if g.score >= 1 - half]
    to_0 = [g for g in scored if g.score < half]
    assert tally.rounded == len(to_1) + len(to_0)
    right = sum(g.result == 1 for g in to_1) + sum(g.result == 0 for g in to_0)
    assert tally.rounded_right == right


def random_games(chance: Random, number: int) -> list[GamePosition]:
    """Return positions with few materials, some often and some always won."""
    found = []
    for _ in range(number):
        material = MATERIALS[min(int(chance.expovariate(0.5)), len(MATERIALS) - 1)]
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
    tables = (table_of(counted), table_of(held_out))
    found = measure(*tables, folded=folded, least_balance=least_balance)
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
        assert curve.brier == mean(errors)
    assert [curve.weight for curve in found.curves] == (list(WEIGHTS) if scored else [])
    best = min(found.curves, key=lambda curve: curve.brier, default=None)
    assert found.best_curve == best
    for least in BUCKETS:
        met = sum(g.positions >= least for g in guesses)
        assert found.met(least) == met
        assert found.coverage(least) == pytest.approx(met / len(guesses))


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
