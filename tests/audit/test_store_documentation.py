"""docs/reference/store.md names every column, and its queries run."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from itertools import chain
from pathlib import Path

import pytest

from solver.audit.results import AuditResult
from solver.audit.store import APPLICATION, TABLES, VERSION, Store

TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "store.md").read_text(
    encoding="utf-8"
)
QUERIES = re.findall(r"```sql\n(.*?)```", TEXT, re.DOTALL)
ROWS = [
    AuditResult(
        "one", "a.epd:1", "8/8", 2, verdict="shorter", soundness="cooked", nodes=9
    ),
    AuditResult("two", "a.epd:2", "8/8", 2, stopped_by="nodes", verdict="undecided"),
    AuditResult(
        "three",
        "a.epd:3",
        "8/8",
        1,
        plies='[{"move": "a1a8", "mate": 1, "keys": ["a1a8", "a1a7"], "only": false}]',
    ),
    AuditResult(
        "four",
        "a.epd:4",
        "8/8",
        2,
        stipulation="h#2",
        claimed_solutions=1,
        solutions='["a8b8 a1a8", "a8b7 a1a8"]',
        solutions_complete=1,
    ),
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_runs_and_finds_something(tmp_path: Path, query: str) -> None:
    with Store(tmp_path / "run.db") as store:
        for number, result in enumerate(ROWS):
            key = bytes([number])
            store.put_answer(key, result, "", None, None)
            store.put_record(result, key)
            store.put_record(result._replace(source=f"b.epd:{number + 1}"), key)
    with closing(sqlite3.connect(tmp_path / "run.db")) as base:
        assert base.execute(query).fetchall()


def test_every_column_is_named() -> None:
    named = set(re.findall(r"`(\w+)`", TEXT))
    assert named >= {"checksum", *chain.from_iterable(TABLES.values())}
    assert len(QUERIES) >= 5


def test_the_application_id_and_version_are_as_documented() -> None:
    assert f"`PRAGMA user_version` is the version of the schema, now {VERSION}." in TEXT
    assert f"`PRAGMA application_id` {APPLICATION}," in TEXT
