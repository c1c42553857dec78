"""The tables of docs/explanation/laboratory*.md, and those of reliability."""

from __future__ import annotations

import re
import shutil
from random import Random
from typing import TYPE_CHECKING

import pytest

from benchmarks import patched
from benchmarks.laboratory import PAGES, QUICK, TABLES, tables_of, tables_of_pages
from benchmarks.laboratory_commands import ROOT, Work
from benchmarks.reliability import (
    measure,
)
from benchmarks.scoreboard import TEXTS, UNTESTED, VERDICTS, Measured
from solver.laboratory.games import GamePosition
from solver.laboratory.imbalance import ImbalanceTable, Material, find_material_cell

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


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


# How well a table predicts held-out games


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


def random_games(chance: Random, number: int) -> list[GamePosition]:
    """Return positions with few materials, some often and some always won."""
    found = []
    for _ in range(number):
        material = MATERIALS[min(int(chance.expovariate(0.5)), len(MATERIALS) - 1)]
        sure = material.balance() >= 3 and chance.random() < 0.999
        found.append(GamePosition(material, 1.0 if sure else chance.choice(RESULTS)))
    return found


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
