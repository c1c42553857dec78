"""Merged stores: the better answer stays, and every record is there."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import closing
from itertools import product
from typing import TYPE_CHECKING

import pytest

from solver.audit.merging import merge
from solver.audit.result import AuditResult
from solver.audit.schema import VERSION
from solver.audit.store import Store
from solver.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

FEN = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"


def answer(source: str, status: str, lower_bound: int, mate: int | None) -> AuditResult:
    result = AuditResult(source, source, FEN, 5, status=status, verdict="undecided")
    return result._replace(lower_bound=lower_bound, mate=mate)


WORST_FIRST = (
    answer("a.epd:1", "undecided", 1, None),
    answer("a.epd:1", "undecided", 3, None),
    answer("a.epd:1", "found", 2, 6),
    answer("a.epd:1", "found", 4, 6),
    answer("a.epd:1", "proved", 6, 6),
)
PROVED = answer("a.epd:1", "disproved", 7, None)


def made(path: Path, *kept: tuple[AuditResult, bytes | None]) -> Path:
    with Store(path) as base:
        for result, key in kept:
            if key is not None:
                base.put_answer(key, result, "", 1.0, None)
            base.put_record(result, key)
    return path


def stored(path: Path) -> list[AuditResult]:
    with Store(path, read_only=True) as base:
        return list(base.results())


def merged(target: Path, *others: Path) -> list[AuditResult]:
    with Store(target) as base:
        for other in others:
            merge(base, other)
    return stored(target)


@pytest.mark.parametrize(("here", "there"), [*product(range(5), repeat=2)])
def test_the_better_answer_stays(tmp_path: Path, here: int, there: int) -> None:
    a = made(tmp_path / "a.db", (WORST_FIRST[here], b"key"))
    b = made(tmp_path / "b.db", (WORST_FIRST[there], b"key"))
    assert merged(a, b) == [WORST_FIRST[max(here, there)]]


@pytest.mark.parametrize(
    ("table", "damage"),
    [
        ("answers", "status = 'solved'"),
        ("answers", "lower_bound = 'x'"),
        ("answers", "stipulation = CAST(x'ff' AS TEXT)"),
        ("records", "id = x'ff'"),
        ("records", "fen = '8/8 w'"),
        ("marks", "mark = 'x'"),
    ],
)
@pytest.mark.parametrize("is_mine", [False, True])
def test_a_damaged_row_replaces_none_and_gives_way(
    tmp_path: Path, table: str, damage: str, is_mine: bool
) -> None:
    sound = PROVED._replace(mark="cook")
    paths = [tmp_path / "a.db", tmp_path / "b.db"]
    for path in paths:
        made(path, (PROVED, b"key"))
        with Store(path) as base:
            base.put_mark(PROVED.subject, "cook")
    with closing(sqlite3.connect(paths[not is_mine])) as base:
        base.execute(f"UPDATE {table} SET {damage}")
        base.commit()
    assert stored(paths[is_mine]) == [sound]
    assert stored(paths[not is_mine])[0].verdict == "unreadable"
    assert merged(*paths) == [sound]


def test_a_proved_answer_is_not_replaced(tmp_path: Path) -> None:
    mine = PROVED._replace(nodes=1)
    a = made(tmp_path / "a.db", (mine, b"key"))
    b = made(tmp_path / "b.db", (PROVED._replace(nodes=2), b"key"))
    assert merged(a, b) == [mine]


def test_the_merged_store_has_all_records(tmp_path: Path) -> None:
    error = AuditResult(
        "a.epd:2", "a.epd:2", verdict="unreadable", error="expected a FEN"
    )
    a = made(tmp_path / "a.db", (WORST_FIRST[4], b"one"), (error, None))
    again = WORST_FIRST[4]._replace(source="b.epd:1")
    other = PROVED._replace(source="b.epd:2")
    b = made(tmp_path / "b.db", (again, b"one"), (other, b"two"))
    c = made(tmp_path / "c.db", (PROVED._replace(source="c.epd:1"), b"two"))
    sources = ["a.epd:1", "a.epd:2", "b.epd:1", "b.epd:2", "c.epd:1"]
    assert [f.source for f in merged(a, b, c)] == sources
    with Store(a) as base:
        assert base.answer(b"one", FEN) is not None
        assert base.answer(b"two", FEN) is not None


def test_a_record_of_the_other_store_replaces_one_with_the_same_source(
    tmp_path: Path,
) -> None:
    error = AuditResult(
        "a.epd:1", "a.epd:1", verdict="unreadable", error="expected a FEN"
    )
    a = made(tmp_path / "a.db", (error, None))
    b = made(tmp_path / "b.db", (PROVED, b"key"))
    assert merged(a, b) == [PROVED]
    c = made(tmp_path / "c.db", (error, None))
    assert merged(b, c) == [error]


def test_merging_again_changes_nothing(tmp_path: Path) -> None:
    a = made(tmp_path / "a.db", (WORST_FIRST[2], b"key"))
    b = made(tmp_path / "b.db", (PROVED._replace(source="b.epd:1"), b"other"))
    assert merged(a, b) == merged(a, b, b)


def test_a_store_merged_into_itself_is_unchanged(tmp_path: Path) -> None:
    a = made(tmp_path / "a.db", (WORST_FIRST[2], b"key"), (PROVED, b"other"))
    before = stored(a)
    assert merged(a, a) == before


def test_the_other_store_is_only_read(tmp_path: Path) -> None:
    a = made(tmp_path / "a.db", (WORST_FIRST[2], b"key"))
    b = made(tmp_path / "b?#.db", (PROVED, b"key"))
    before = b.read_bytes()
    assert merged(a, b) == [PROVED]
    assert b.read_bytes() == before


def test_the_other_store_may_be_written_during_the_merge(tmp_path: Path) -> None:
    a = made(tmp_path / "a.db", (WORST_FIRST[2], b"key"))
    b = made(tmp_path / "b.db", (PROVED, b"key"))
    with closing(sqlite3.connect(b, isolation_level=None)) as audit:
        audit.execute("BEGIN IMMEDIATE")
        audit.execute("DELETE FROM records")
        assert merged(a, b) == [PROVED]


def test_pending_rows_are_kept_by_a_merge(tmp_path: Path) -> None:
    b = made(tmp_path / "b.db", (PROVED._replace(source="b.epd:1"), b"other"))
    with Store(tmp_path / "a.db") as base:
        base.put_record(PROVED, None)
        merge(base, b)
        base.put_record(PROVED._replace(source="a.epd:2"), None)
    sources = [f.source for f in stored(tmp_path / "a.db")]
    assert sources == ["a.epd:1", "a.epd:2", "b.epd:1"]


def test_a_file_that_is_not_a_store_is_refused_by_name(tmp_path: Path) -> None:
    a = made(tmp_path / "a.db", (PROVED, b"key"))
    foreign, newer, missing = (tmp_path / name for name in ("f.db", "n.db", "m.db"))
    foreign.write_bytes(b"photographs" * 1000)
    made(newer)
    with closing(sqlite3.connect(newer)) as base:
        base.execute(f"PRAGMA user_version = {VERSION + 1}")
    expected = {
        foreign: "expected a store, found another file",
        newer: f"expected a store of version {VERSION}, found {VERSION + 1}",
        missing: os.strerror(errno.ENOENT),
    }
    with Store(a) as store:
        for other, reason in expected.items():
            with pytest.raises(StoreError) as caught:
                merge(store, other)
            assert str(caught.value) == f"{other}: {reason}"
    assert stored(a) == [PROVED]
    assert not missing.exists()


def test_a_merge_that_fails_adds_nothing_and_can_be_tried_again(
    tmp_path: Path,
) -> None:
    a = made(tmp_path / "a.db", (PROVED, b"key"))
    many = [
        (PROVED._replace(source=f"b.epd:{line}"), bytes([line // 256, line % 256]))
        for line in range(1, 2000)
    ]
    b = made(tmp_path / "b.db", *many)
    with Store(a) as base:
        (pages,) = base._base.execute("PRAGMA page_count").fetchone()
        base._base.execute(f"PRAGMA max_page_count = {pages + 20}")
        with pytest.raises(StoreError) as caught:
            merge(base, b)
        assert "the disk is full" in str(caught.value)
        assert list(base.results()) == [PROVED]
        base._base.execute("PRAGMA max_page_count = 100000")
        merge(base, b)
    assert len(stored(a)) == 2000


def test_a_merge_into_a_locked_store_can_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = made(tmp_path / "a.db", (WORST_FIRST[0], b"key"))
    b = made(tmp_path / "b.db", (PROVED, b"key"))
    monkeypatch.setattr("solver.audit.schema.BUSY_S", 0.05)
    with Store(a) as base, closing(sqlite3.connect(a, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked by another program"):
            merge(base, b)
        other.execute("ROLLBACK")
        merge(base, b)
    assert stored(a) == [PROVED]
