"""The measured tables of docs/explanation/laboratory.md: known, complete, current."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.laboratory import PAGE, QUICK, TABLES, Work, tables_of

if TYPE_CHECKING:
    from pathlib import Path


def test_the_page_has_each_table_once_and_none_is_empty() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert sorted(tables_of(page)) == sorted(TABLES)
    assert page.count("<!-- table: ") == page.count("<!-- end -->") == len(TABLES)
    for name, shown in tables_of(page).items():
        assert len(shown.splitlines()) > 2, name


@pytest.mark.usefixtures("laboratory_kernel", "worker_processes")
@pytest.mark.parametrize("name", QUICK)
def test_a_table_that_takes_a_second_is_current(name: str, tmp_path: Path) -> None:
    made = QUICK[name](Work(tmp_path, 1))
    assert tables_of(PAGE.read_text(encoding="utf-8"))[name] == made


@pytest.mark.slow
@pytest.mark.usefixtures("laboratory_kernel", "worker_processes")
@pytest.mark.parametrize("name", [name for name in TABLES if name not in QUICK])
def test_every_table_is_current(name: str, tmp_path: Path) -> None:
    made = TABLES[name](Work(tmp_path, 2))
    assert tables_of(PAGE.read_text(encoding="utf-8"))[name] == made
