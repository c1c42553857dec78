"""Stores: what they save, what they refuse, and their errors for damaged files."""

from __future__ import annotations

import errno
import os
import re
import sqlite3
from contextlib import closing
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from solver.audit import results, store
from solver.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

FEN = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"

# fmt: off
FULL = results.AuditResult(
    source="a.epd:3", id="three", fen=FEN, claim=2, nomate=None, claimed_keys="a1a7",
    claimed_line="a1a7 g8f8 a7a8", status="proved", verdict="shorter",
    soundness="short-solution", mate=1, lower_bound=1, keys="a1a8", keys_complete=1,
    wrong_keys="a1a7", pv="a1a8", plies='[{"move": "a1a7", "mate": 1, "keys": []}]',
    only_moves=0, nodes=12, time_s=0.25, stopped_by=None, tablebase="gaviota",
    error=None, solver="1.2.3",
)
# fmt: on
UNREADABLE = results.AuditResult(
    "a.epd:3", "a.epd:3", verdict="unreadable", error="expected a FEN"
)


def result(source: str, **fields: object) -> results.AuditResult:
    return FULL._replace(source=source, id=source, **fields)  # type: ignore[arg-type]


def keep(base: store.Store, found: results.AuditResult, key: bytes = b"key") -> None:
    base.put_answer(key, found, "keys", 10.0, 5000)
    base.put_record(found, key)


def stored(path: Path) -> list[results.AuditResult]:
    with store.Store(path, read_only=True) as base:
        return list(base.results())


def count(path: Path) -> int:
    """Return the number of records that another program sees."""
    with closing(sqlite3.connect(path)) as base:
        (number,) = base.execute("SELECT count(*) FROM records").fetchone()
        return int(number)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.db"


@pytest.fixture
def kept(path: Path) -> Path:
    """A store with one result."""
    with store.Store(path) as base:
        keep(base, FULL)
    return path


# --- what is kept


def test_saved_rows_are_there_when_the_file_is_opened_again(kept: Path) -> None:
    """Also after an error in the block; a record may become unreadable and back."""
    other = UNREADABLE._replace(source="m\xf6hre\n\u2603 \udcff:4")
    escaped = UNREADABLE._replace(source="m\xf6hre\n\u2603 \\udcff:4")

    def fail() -> None:
        with store.Store(kept) as base:
            base.put_record(other, None)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert stored(kept) == [FULL, escaped]
    with store.Store(kept) as base:
        base.put_record(UNREADABLE, None)
    assert stored(kept) == [UNREADABLE, escaped]
    with store.Store(kept) as base:
        keep(base, FULL)
    assert stored(kept) == [FULL, escaped]


def test_an_answer_is_found_by_its_key_and_replaces_an_earlier_one(path: Path) -> None:
    of_no_record = FULL._replace(source="", id="")
    with store.Store(path) as base:
        assert base.answer(b"key", FEN) is None
        keep(base, result("a.epd:1", verdict="undecided"))
        base.put_record(result("a.epd:2"), b"key")
        base.put_answer(b"key", FULL, "keys", 20.0, None)
        assert base.answer(b"key", FEN) == (of_no_record, 20.0, None)
    assert stored(path) == [result("a.epd:1"), result("a.epd:2")]


VALUES = ("1", 1, 1.0, b"1", None, "", "None", "\ud800", 0, True)


def test_a_checksum_depends_on_table_place_value_and_type() -> None:
    rows = [*product(("answers", "records"), VALUES, VALUES)]
    found = {store.checksum(table, (one, two)) for table, one, two in rows}
    assert len(found) == len(rows)
    # It stays the same; one letter is of Unicode 16.
    row = ("\u1f6d\U0001fadc", 2, 0.1, None, b"\xff")
    assert store.checksum("marks", row).hex() == "1813109ae75f8e49"


# --- when it is written


def test_rows_are_committed_by_five_hundred_or_after_a_second(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr("solver.audit.store.time.monotonic", lambda: now)
    with store.Store(path) as base:
        for line in range(1, 500):
            base.put_record(result(f"a.epd:{line}"), None)
        assert count(path) == 0
        base.put_record(result("a.epd:500"), None)
        assert count(path) == 500
        now += 100.0
        base.put_record(result("b.epd:1"), None)
        now += 0.99
        base.commit_if_due()
        assert count(path) == 500
        now += 0.02
        base.commit_if_due()
        assert count(path) == 501


# --- which files


@pytest.mark.parametrize("name", ["a?b#c.db", "100%41.db", "a;b&c=d höhe"])
def test_the_file_is_named_as_the_path_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Also after a change of folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).touch()  # an empty file becomes a store
    with store.Store(name) as base:
        base.put_record(FULL, None)
        monkeypatch.chdir("/")
        base.commit()
    assert list(tmp_path.iterdir()) == [tmp_path / name]
    assert count(tmp_path / name) == 1


def test_an_interrupted_creation_or_deletion_can_be_repeated(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as context:
        context.setattr(store, "SCHEMA", "CREATE TABLE answers (key); killed;")
        with pytest.raises(StoreError):
            store.Store(path)
    with store.Store(path, fresh=True) as base:
        keep(base, FULL)
    with monkeypatch.context() as context:
        context.setattr(store, "CLEARED", f"{store.CLEARED} killed;")
        with pytest.raises(StoreError):
            store.Store(path, fresh=True)
    assert stored(path) == [FULL]
    with store.Store(path, fresh=True) as base:
        assert base.answer(b"key", FEN) is None
        keep(base, result("b.epd:1"))
    assert [f.source for f in stored(path)] == ["b.epd:1"]


def changed_by(*statements: str) -> Callable[[Path], None]:
    """Return a function that changes a store as another program would."""

    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as base:
            query = "SELECT sql FROM sqlite_schema WHERE name = 'results'"
            (view,) = base.execute(query).fetchone()
            for statement in statements:
                base.execute(statement.format(view=view.replace(RECORDS, ENDLESS)))
            base.commit()

    return change


def other_file(path: Path) -> None:
    path.write_bytes(b"my thesis, the only copy\n" * 200)


def other_database(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE records (photo BLOB)")


RECORDS = "FROM records AS r"
ENDLESS = (
    "FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    " SELECT records.* FROM n, records) AS r"
)
FORGE = (
    "CREATE TRIGGER forge AFTER INSERT ON answers "
    "BEGIN UPDATE answers SET verdict = 'proved'; END"
)
COMPUTED = "ALTER TABLE records ADD COLUMN n AS (length(zeroblob(9)))"
EARLIER = "ALTER TABLE answers DROP COLUMN hint"
NEXT = store.VERSION + 1
VERSIONS = f"store of version {store.VERSION}, found"
LATER = f"{VERSIONS} {NEXT}"
DEFINED = f"the tables of a {VERSIONS} another definition of"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (other_file, "a store, found another file"),
        (other_database, "a store, found another database"),
        (changed_by(f"PRAGMA user_version = {NEXT}"), f"a {LATER}; {store.REMEDY}"),
        (changed_by("DROP VIEW results", "{view}"), f"{DEFINED} results"),
        (changed_by("DROP VIEW results"), f"{DEFINED} results"),
        (changed_by(FORGE), f"{DEFINED} forge"),
        (changed_by(COMPUTED), f"{DEFINED} records"),
        (changed_by("DROP VIEW results", EARLIER), f"{DEFINED} answers"),
    ],
)
@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("read_only", [False, True])
def test_what_is_not_a_store_is_refused_and_unchanged(
    kept: Path,
    change: Callable[[Path], None],
    expected: str,
    read_only: bool,
    fresh: bool,
) -> None:
    change(kept)
    before = kept.read_bytes()
    with pytest.raises(StoreError) as caught:
        store.Store(kept, fresh=fresh, read_only=read_only)
    assert str(caught.value) == f"{kept}: expected {expected}"
    assert kept.read_bytes() == before
    assert list(kept.parent.iterdir()) == [kept]  # no lock is left


def test_a_user_may_add_to_a_store_but_not_write_to_a_read_only_one(kept: Path) -> None:
    changed_by(
        "CREATE INDEX by_verdict ON answers (verdict)",
        "CREATE TABLE notes (record TEXT, note TEXT)",
        "CREATE VIEW mine AS SELECT * FROM mine",
        "ANALYZE",
    )(kept)
    assert stored(kept) == [FULL]
    assert kept.read_bytes()[68:72] == b"mate"
    with (
        store.Store(kept, read_only=True) as base,
        pytest.raises(StoreError, match="readonly"),
    ):
        keep(base, FULL)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("no/such/run.db", os.strerror(errno.ENOENT)),
        ("folder", os.strerror(errno.EISDIR)),
        ("file/run.db", os.strerror(errno.ENOTDIR)),
        ("empty.db", "expected a store, found an empty file"),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="other words for the same")
def test_an_unreadable_file_is_named_with_the_reason_and_not_created(
    name: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "empty.db").touch()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(StoreError) as caught:
        store.Store(tmp_path / name, read_only=True)
    assert str(caught.value) == f"{tmp_path / name}: {reason}"
    if "/" in name:
        with pytest.raises(StoreError, match=r": cannot be opened or created$"):
            store.Store(tmp_path / name)
    assert sorted(tmp_path.rglob("*")) == before


def test_an_error_of_a_read_only_store_mentions_no_commits(kept: Path) -> None:
    with kept.open("r+b") as file:  # the tables' pages, behind the header
        file.seek(4096)
        file.write(b"\xff" * (kept.stat().st_size - 4096))
    with pytest.raises(StoreError) as caught:
        stored(kept)
    expected = f"database disk image is malformed; {store.REMEDY}"
    assert str(caught.value) == f"{kept}: {expected}"


# --- files in trouble


def test_a_full_disk_is_reported_and_leaves_the_store_intact(path: Path) -> None:
    base = store.Store(path)
    base.commit()
    base.put_answer(b"key", FULL, "keys", 10.0, 5000)
    base._base.execute("PRAGMA max_page_count = 40")

    def fill() -> None:
        for line in range(1, store.COMMIT_ROWS - 1):
            base.put_record(result(f"a.epd:{line}", error="x" * 500), None)

    with pytest.raises(StoreError) as caught:
        fill()
    expected = "the disk is full; what was committed before is kept"
    assert str(caught.value) == f"{path}: {expected}"
    assert base.answer(b"key", FEN) is None  # undone with all that was not committed
    with pytest.raises(StoreError, match="the disk is full"):
        base.put_record(FULL, b"key")
    base.close()
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with store.Store(path) as base:  # there is room again
        base.put_record(FULL, None)
    assert count(path) == 1


def test_one_store_at_a_time_writes_to_a_file(path: Path) -> None:
    link = path.with_name("link.db")
    link.symlink_to(path)
    with store.Store(path) as base:
        keep(base, FULL)
        base.commit()
        for name in (path, link):
            with pytest.raises(StoreError) as caught:
                store.Store(name, fresh=True)
            assert str(caught.value) == f"{name}: another program is writing to it"
        assert stored(path) == [FULL]  # any number may read
        keep(base, FULL)
    with store.Store(path) as base:
        keep(base, FULL)
    assert sorted(path.parent.iterdir()) == [link, path]


# --- docs/reference/store.md

TEXT = Path(__file__).parents[2] / "docs" / "reference" / "store.md"
PAGE = TEXT.read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
PLIES = '[{"move": "a1a8", "mate": 1, "keys": ["a1a8", "a1a7"], "only": false}]'
SOLUTIONS = '["a8b8 a1a8", "a8b7 a1a8"]'
ROWS = [
    result("a.epd:1", verdict="shorter", soundness="cooked", nodes=9),
    result("a.epd:2", stopped_by="nodes", verdict="undecided"),
    result("a.epd:3", claim=1, plies=PLIES),
    result(
        "a.epd:4",
        stipulation="h#2",
        claimed_solutions=1,
        solutions=SOLUTIONS,
        solutions_complete=1,
    ),
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_documented_query_runs_and_finds_something(path: Path, query: str) -> None:
    with store.Store(path) as base:
        for number, one in enumerate(ROWS):
            keep(base, one, bytes([number]))
            base.put_record(one._replace(source=f"b.epd:{number + 1}"), bytes([number]))
    with closing(sqlite3.connect(path)) as other:
        assert other.execute(query).fetchall()


def test_every_column_and_number_is_documented() -> None:
    named = set(re.findall(r"`(\w+)`", PAGE))
    assert named >= {"checksum", *chain.from_iterable(store.TABLES.values())}
    assert len(QUERIES) >= 5
    version = f"user_version` is the version of the schema, now {store.VERSION}."
    assert f"`PRAGMA {version}" in PAGE
    assert f"`PRAGMA application_id` {store.APPLICATION}," in PAGE
