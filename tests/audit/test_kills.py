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


def test_an_audit_interrupted_and_killed_has_the_same_results(tmp_path: Path) -> None:
    """Interrupted, it prints what it stored."""
    audit = kills.Audit(collections(tmp_path), jobs=1, nodes=100_000)
    # With this seed both come after a second, when there are results to lose.
    found = kills.compare(audit, 1, seed=0, folder=tmp_path, longest_s=1.6, terms=1)
    assert found == RECORDS


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_audit_killed_often_has_the_same_results(tmp_path: Path, jobs: int) -> None:
    audit = kills.Audit(collections(tmp_path), jobs=jobs, nodes=100_000)
    assert kills.compare(audit, 5, seed=jobs, folder=tmp_path, longest_s=1.5) == RECORDS
