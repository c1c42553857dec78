"""The tables of docs/explanation/laboratory*.md: known, complete, current."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from benchmarks import patched
from benchmarks.laboratory import PAGES, QUICK, TABLES, tables_of, tables_of_pages
from benchmarks.laboratory_commands import ROOT, Work
from benchmarks.scoreboard import TEXTS, UNTESTED, VERDICTS, Measured

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
