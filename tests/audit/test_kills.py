"""Audits killed at random moments lose nothing; see benchmarks.kills."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks import kills

PUZZLES = Path(__file__).parents[2] / "puzzles"
RECORDS = 1564

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does"),
    pytest.mark.usefixtures("kernel"),
]


def collections(folder: Path) -> list[str]:
    """Write the project's puzzles twice, the second time under other ids."""
    files = sorted(PUZZLES.glob("*.epd"))
    again = folder / "again.epd"
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    again.write_text(text.replace('id "', 'id "again '), encoding="utf-8")
    return [*map(str, files), str(again)]


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_audit_interrupted_and_killed_has_the_same_results(
    tmp_path: Path, jobs: int
) -> None:
    """Interrupted, it prints what it stored."""
    audit = kills.Audit(collections(tmp_path), jobs, nodes=100_000)
    # With this seed both come after a second, when there are results to lose.
    found = kills.compare(audit, jobs, seed=0, folder=tmp_path, longest_s=1.6, terms=1)
    assert found == RECORDS
