"""Stores: what they save, what they refuse, and their errors for damaged files."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import threading
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest

from solver.audit import results, store
from solver.errors import StoreError
from tests.processes import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FEN = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"

FULL = results.AuditResult(
    source="a.epd:3",
    id="three",
    fen=FEN,
    claim=2,
    nomate=None,
    claimed_keys="a1a7",
    claimed_line="a1a7 g8f8 a7a8",
    status="proved",
    verdict="shorter",
    soundness="short-solution",
    mate=1,
    lower_bound=1,
    keys="a1a8",
    keys_complete=1,
    wrong_keys="a1a7",
    pv="a1a8",
    plies='[{"move": "a1a7", "mate": 1, "keys": ["a1a8"]}]',
    only_moves=0,
    nodes=12,
    time_s=0.25,
    stopped_by=None,
    tablebase="gaviota",
    error=None,
    solver="1.2.3",
)
UNREADABLE = results.AuditResult(
    "a.epd:4", "a.epd:4", verdict="unreadable", error="expected a FEN"
)


def result(source: str, **fields: object) -> results.AuditResult:
    return FULL._replace(source=source, id=source, **fields)  # type: ignore[arg-type]


def keep(base: store.Store, found: results.AuditResult, key: bytes = b"key") -> None:
    base.put_answer(key, found, "keys", 10.0, 5000)
    base.put_record(found, key)


def stored(path: Path) -> list[results.AuditResult]:
    with store.Store(path, read_only=True) as base:
        return list(base.results())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.db"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that a store's clock shows, in seconds; a list of one number."""
    now = [1000.0]
    monkeypatch.setattr("solver.audit.store.time.monotonic", lambda: now[0])
    return now


# --- what is kept


def test_saved_rows_are_there_when_the_file_is_opened_again(path: Path) -> None:
    with store.Store(path) as base:
        keep(base, FULL)
        base.put_record(UNREADABLE, None)
    assert stored(path) == [FULL, UNREADABLE]


def test_an_answer_is_found_by_its_key(path: Path) -> None:
    with store.Store(path) as base:
        assert base.answer(b"key", FEN) is None
        keep(base, FULL)
        of_no_record = FULL._replace(source="", id="")
        assert base.answer(b"key", FEN) == (of_no_record, 10.0, 5000)
        assert base.answer(b"other", FEN) is None


def test_no_limit_is_stored_as_none(path: Path) -> None:
    with store.Store(path) as base:
        base.put_answer(b"key", FULL, "", None, None)
        found = base.answer(b"key", FEN)
        assert found
        assert found[1:] == (None, None)


def test_an_answer_replaces_an_earlier_one_for_all_its_records(path: Path) -> None:
    with store.Store(path) as base:
        keep(base, result("a.epd:1", verdict="undecided"))
        base.put_record(result("a.epd:2"), b"key")
        base.put_answer(b"key", result("", verdict="refuted"), "keys", 20.0, None)
    assert [(f.source, f.verdict) for f in stored(path)] == [
        ("a.epd:1", "refuted"),
        ("a.epd:2", "refuted"),
    ]


def test_a_corrected_record_replaces_its_error(path: Path) -> None:
    with store.Store(path) as base:
        base.put_record(UNREADABLE._replace(source="a.epd:3"), None)
        keep(base, FULL)
    assert stored(path) == [FULL]


def test_a_record_that_becomes_unreadable_loses_its_answer(path: Path) -> None:
    with store.Store(path) as base:
        keep(base, FULL)
        base.put_record(UNREADABLE._replace(source="a.epd:3"), None)
    assert [f.word for f in stored(path)] == ["unreadable"]


def test_results_are_ordered_by_file_and_line_number(path: Path) -> None:
    sources = ["b.epd:1", "a.epd:10", "a.epd:9", "a.epd", "b.epd:0x", "a.epd:100"]
    with store.Store(path) as base:
        for source in sources:
            keep(base, result(source))
    expected = ["a.epd", "a.epd:9", "a.epd:10", "a.epd:100", "b.epd:1", "b.epd:0x"]
    assert [f.source for f in stored(path)] == expected


@pytest.mark.parametrize(
    ("name", "kept"),
    [("möhre\n☃.epd", "möhre\n☃.epd"), ("\udcff.epd", "\\udcff.epd"), ("", "")],
)
def test_any_name_can_be_stored(path: Path, name: str, kept: str) -> None:
    with store.Store(path) as base:
        found = UNREADABLE._replace(source=f"{name}:1", id=name, error=name)
        base.put_record(found, None)
    (found,) = stored(path)
    assert (found.source, found.id, found.error) == (f"{kept}:1", kept, kept)


def test_threads_can_share_a_store(path: Path) -> None:
    def work(file: str) -> None:
        for line in range(1, 201):
            keep(base, result(f"{file}:{line}"), f"{file} {line}".encode())
            assert base.answer(f"{file} {line}".encode(), FEN)

    with store.Store(path) as base:
        threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(stored(path)) == 800


VALUES = ("1", 1, 1.0, b"1", None, "", "None", "\ud800", 0, True)


def test_a_checksum_depends_on_table_place_value_and_type() -> None:
    rows = [("answers", one, two) for one in VALUES for two in VALUES]
    rows += [("records", one, two) for one in VALUES for two in VALUES]
    found = {store.checksum(table, row) for table, *row in rows}
    assert len(found) == len(rows)


def test_the_checksum_of_a_row_stays_the_same() -> None:
    row = ("\u1f6d\U0001fadc", 2, 0.1, None, b"\xff")  # one is of Unicode 16
    assert store.checksum("marks", row).hex() == "1813109ae75f8e49"


# --- when it is written


def count(path: Path) -> int:
    """Return the number of records that another program sees."""
    with closing(sqlite3.connect(path)) as base:
        (number,) = base.execute("SELECT count(*) FROM records").fetchone()
        return int(number)


def test_five_hundred_rows_are_committed_at_once(
    path: Path, clock: list[float]
) -> None:
    assert clock
    with store.Store(path) as base:
        for line in range(1, 500):
            base.put_record(result(f"a.epd:{line}"), None)
        assert count(path) == 0
        base.put_record(result("a.epd:500"), None)
        assert count(path) == 500


def test_pending_rows_are_committed_after_a_second(
    path: Path, clock: list[float]
) -> None:
    with store.Store(path) as base:
        clock[0] += 100.0
        base.put_record(FULL, None)
        clock[0] += 0.99
        base.commit_if_due()
        assert count(path) == 0
        clock[0] += 0.02
        base.commit_if_due()
        assert count(path) == 1


def test_closing_commits(path: Path) -> None:
    with store.Store(path) as base:
        base.put_record(FULL, None)
        assert count(path) == 0
    assert count(path) == 1


def test_an_error_in_the_block_keeps_the_saved_rows(path: Path) -> None:
    def fail() -> None:
        with store.Store(path) as base:
            base.put_record(FULL, None)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert count(path) == 1


# --- which files


@pytest.mark.parametrize(
    "name", ["a?b.db", "a#b.db", "a b.db", "100%41.db", "höhe.db", "run", "a;b&c=d.db"]
)
def test_the_file_is_named_as_the_path_says(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with store.Store(path) as base:
        base.put_record(FULL, None)
    assert list(tmp_path.iterdir()) == [path]
    assert count(path) == 1


def test_a_relative_path_survives_a_change_of_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with store.Store("run.db") as base:
        base.put_record(FULL, None)
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir("elsewhere")
        base.commit()
    assert count(tmp_path / "run.db") == 1


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    with store.Store(path) as base:
        base.put_record(FULL, None)
    assert count(path) == 1


def test_fresh_deletes_the_results(path: Path) -> None:
    with store.Store(path) as base:
        keep(base, FULL)
    with store.Store(path, fresh=True) as base:
        assert base.answer(b"key", FEN) is None
        assert list(base.results()) == []
        keep(base, result("b.epd:1"))
    assert [f.source for f in stored(path)] == ["b.epd:1"]


def test_fresh_creates_a_missing_store(path: Path) -> None:
    store.Store(path, fresh=True).close()
    assert stored(path) == []


def test_an_interrupted_creation_can_be_repeated(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as context:
        context.setattr(store, "SCHEMA", "CREATE TABLE answers (key); killed;")
        with pytest.raises(StoreError):
            store.Store(path)
    store.Store(path).close()
    assert stored(path) == []


def test_an_interrupted_deletion_deletes_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.Store(path) as base:
        keep(base, FULL)
    with monkeypatch.context() as context:
        context.setattr(store, "CLEARED", f"{store.CLEARED} killed;")
        with pytest.raises(StoreError):
            store.Store(path, fresh=True)
    assert stored(path) == [FULL]


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_is_not_a_store_is_refused_and_unchanged(
    path: Path, fresh: bool, read_only: bool
) -> None:
    path.write_bytes(b"my thesis, the only copy\n" * 200)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="expected a store, found another"):
        store.Store(path, fresh=fresh, read_only=read_only)
    assert path.read_bytes() == before


@pytest.mark.parametrize("fresh", [False, True])
def test_another_database_is_refused_and_unchanged(path: Path, fresh: bool) -> None:
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE records (photo BLOB)")
        base.commit()
    before = path.read_bytes()
    with pytest.raises(StoreError) as caught:
        store.Store(path, fresh=fresh)
    wanted = f"{path}: expected a store, found another database"
    assert str(caught.value) == wanted
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("fresh", [False, True])
def test_a_store_of_another_version_is_refused_and_unchanged(
    path: Path, fresh: bool
) -> None:
    with store.Store(path) as base:
        keep(base, FULL)
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA user_version = {store.VERSION + 1}")
    before = path.read_bytes()
    with pytest.raises(StoreError) as caught:
        store.Store(path, fresh=fresh)
    expected = f"expected a store of version {store.VERSION}, found {store.VERSION + 1}"
    assert str(caught.value) == f"{path}: {expected}; {store.REMEDY}"
    assert path.read_bytes() == before


ENDLESS = (
    "FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    " SELECT records.* FROM n, records) AS r"
)


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("results", ["DROP VIEW results", "{view}"]),
        ("results", ["DROP VIEW results"]),
        (
            "forge",
            [
                "CREATE TRIGGER forge AFTER INSERT ON answers "
                "BEGIN UPDATE answers SET verdict = 'proved'; END"
            ],
        ),
        ("records", ["ALTER TABLE records ADD COLUMN n AS (length(zeroblob(9)))"]),
        ("answers", ["DROP VIEW results", "ALTER TABLE answers DROP COLUMN hint"]),
    ],
    ids=["an endless view", "no view", "a trigger", "a computed column", "early"],
)
def test_a_store_with_other_definitions_is_refused_and_unchanged(
    path: Path, name: str, changes: list[str], read_only: bool, fresh: bool
) -> None:
    with store.Store(path) as base:
        keep(base, FULL)
    with closing(sqlite3.connect(path)) as other:
        query = "SELECT sql FROM sqlite_schema WHERE name = 'results'"
        (view,) = other.execute(query).fetchone()
        endless = view.replace("FROM records AS r", ENDLESS)
        assert endless != view
        for change in changes:
            other.execute(change.format(view=endless))
        other.commit()
    before = path.read_bytes()
    with pytest.raises(StoreError) as caught:
        store.Store(path, fresh=fresh, read_only=read_only)
    assert str(caught.value) == (
        f"{path}: expected the tables of a store of version {store.VERSION}, "
        f"found another definition of {name}"
    )
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "addition",
    [
        "CREATE INDEX by_verdict ON answers (verdict)",
        "CREATE TABLE notes (record TEXT, note TEXT)",
        "CREATE VIEW mine AS SELECT * FROM mine",
        "ANALYZE",
    ],
)
def test_a_user_may_add_to_a_store(path: Path, addition: str) -> None:
    with store.Store(path) as base:
        keep(base, FULL)
    with closing(sqlite3.connect(path)) as other:
        other.execute(addition)
    assert stored(path) == [FULL]


def test_a_store_has_an_application_id(path: Path) -> None:
    store.Store(path).close()
    with closing(sqlite3.connect(path)) as base:
        assert base.execute("PRAGMA application_id").fetchone() == (store.APPLICATION,)
        assert base.execute("PRAGMA user_version").fetchone() == (store.VERSION,)
    assert path.read_bytes()[68:72] == b"mate"


def test_a_read_only_store_is_neither_created_nor_written(path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        store.Store(path, read_only=True)
    assert str(caught.value) == f"{path}: {os.strerror(errno.ENOENT)}"
    assert not path.exists()
    store.Store(path).close()
    with (
        store.Store(path, read_only=True) as base,
        pytest.raises(StoreError, match="readonly"),
    ):
        keep(base, FULL)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing.db", os.strerror(errno.ENOENT)),
        ("no/such/run.db", os.strerror(errno.ENOENT)),
        ("folder", os.strerror(errno.EISDIR)),
        ("file/run.db", os.strerror(errno.ENOTDIR)),
        ("empty.db", "expected a store, found an empty file"),
        ("file", "expected a store, found another file"),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="other words for the same")
def test_an_unreadable_file_is_named_with_the_reason(
    name: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("no store\n" * 100)
    (tmp_path / "empty.db").touch()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(StoreError) as caught:
        store.Store(tmp_path / name, read_only=True)
    assert str(caught.value) == f"{tmp_path / name}: {reason}"
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything"
)
def test_a_store_without_read_permission_is_named_with_the_reason(path: Path) -> None:
    store.Store(path).close()
    path.chmod(0)
    with pytest.raises(StoreError) as caught:
        store.Store(path, read_only=True)
    assert str(caught.value) == f"{path}: {os.strerror(errno.EACCES)}"


def test_an_error_of_a_read_only_store_mentions_no_commits(path: Path) -> None:
    with store.Store(path) as base:
        keep(base, FULL)
    with path.open("r+b") as file:  # the tables' pages, behind the header
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    with pytest.raises(StoreError) as caught:
        stored(path)
    expected = f"database disk image is malformed; {store.REMEDY}"
    assert str(caught.value) == f"{path}: {expected}"


# --- files in trouble


@pytest.mark.parametrize("name", ["", "no/such/run.db"])
def test_a_path_where_no_file_can_be_created_is_an_error(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    with pytest.raises(StoreError) as caught:
        store.Store(path)
    assert str(caught.value) == f"{path}: cannot be opened or created"


def test_a_lock_of_another_program_is_an_error_after_a_wait(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "BUSY_S", 0.05)
    with store.Store(path) as base:
        keep(base, FULL)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with store.Store(path) as base:
            assert base.answer(b"key", FEN) is not None  # reading goes on
            with pytest.raises(StoreError) as caught:
                base.put_record(result("b.epd:1"), None)
        with pytest.raises(StoreError, match="locked by another program"):
            store.Store(path, fresh=True)
        other.execute("ROLLBACK")
    assert str(caught.value) == (
        f"{path}: locked by another program for 0.05 s; "
        "what was committed before is kept"
    )
    assert stored(path) == [FULL]


def test_a_lock_is_waited_for_only_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "BUSY_S", 0.05)
    connected = closing(sqlite3.connect(path, isolation_level=None))
    with store.Store(path) as base, connected as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked") as first:
            base.put_record(FULL, None)
        other.execute("ROLLBACK")  # a second wait would end well
        with pytest.raises(StoreError) as second:
            base.put_record(FULL, None)
    assert str(second.value) == str(first.value)
    assert count(path) == 0


def test_a_lock_that_is_released_in_time_is_no_error(path: Path) -> None:
    with store.Store(path) as base:
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        letting_go = threading.Timer(0.1, other.execute, ["ROLLBACK"])
        letting_go.start()
        base.put_record(FULL, None)
        letting_go.join()
        other.close()
    assert count(path) == 1


def fill(base: store.Store) -> int:
    """Save records until the store refuses; return how many it accepted."""
    for line in range(1, 100_000):
        try:
            base.put_record(result(f"a.epd:{line}", error="x" * 500), None)
        except StoreError as error:
            kept = "what was committed before is kept"
            if str(error) != f"{base.path}: the disk is full; {kept}":
                raise
            return line - 1
    return pytest.fail("it never refused")


def test_a_full_disk_is_reported_and_leaves_the_store_intact(path: Path) -> None:
    base = store.Store(path)
    base._base.execute("PRAGMA max_page_count = 100")
    assert fill(base) > 100
    base.close()
    require_sound(path)
    with store.Store(path) as base:  # there is room again
        before = len(list(base.results()))
        base.put_record(result("b.epd:1"), None)
    assert count(path) == before + 1


def test_a_full_disk_leaves_no_record_without_its_answer(path: Path) -> None:
    base = store.Store(path)
    base.put_answer(b"key", FULL, "keys", 10.0, 5000)
    base._base.execute("PRAGMA max_page_count = 40")
    assert fill(base) < store.COMMIT_ROWS - 1
    assert base.answer(b"key", FEN) is None  # undone with all that was not committed
    with pytest.raises(StoreError, match="the disk is full"):
        base.put_record(FULL, b"key")
    base.close()
    assert stored(path) == []


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[Path]:
    """Mount a small file system; skip the test if that is not possible."""
    folder.mkdir()
    mount = shutil.which("mount")
    umount = shutil.which("umount")
    if not mount or not umount or os.geteuid() != 0:
        pytest.skip("only the superuser mounts file systems")
    words = [mount, "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if run(words).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield folder
    finally:
        run([umount, str(folder)], check=True)


def test_a_real_full_disk_is_reported_and_leaves_the_store_intact(
    tmp_path: Path,
) -> None:
    with mounted(tmp_path / "small", "size=1m") as folder:
        path = folder / "run.db"
        base = store.Store(path)
        assert fill(base) > 100
        base.close()
        require_sound(path)
        committed = count(path)
        with store.Store(path) as base:
            fill_up(folder / "more")
            fill(base)
        require_sound(path)
        assert count(path) >= committed


def fill_up(path: Path) -> None:
    """Fill the rest of a disk."""
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            return


def require_sound(path: Path) -> None:
    with closing(sqlite3.connect(path)) as base:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_read_only_disk_is_reported(tmp_path: Path) -> None:
    with mounted(tmp_path / "fixed", "ro,size=1m") as folder:
        path = folder / "run.db"
        with pytest.raises(StoreError) as caught:
            store.Store(path)
        assert str(caught.value) == f"{path}: cannot be opened or created"


def test_a_store_can_be_read_on_a_read_only_disk(tmp_path: Path) -> None:
    with mounted(tmp_path / "fixed", "size=1m") as folder:
        path = folder / "run.db"
        with store.Store(path) as base:
            keep(base, FULL)
        remount = ["mount", "-o", "remount,ro", str(folder)]
        run(remount, check=True)
        with store.Store(path, read_only=True) as base:
            assert [result.id for result in base.results()] == [FULL.id]


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


def test_a_store_that_cannot_be_opened_is_not_locked(path: Path) -> None:
    path.write_text("no store")
    for _ in range(2):
        with pytest.raises(StoreError, match="found another file"):
            store.Store(path)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("is_replaced", [False, True])
@pytest.mark.skipif(os.name == "nt", reason="Windows removes no file that is open")
def test_a_store_that_is_removed_while_it_is_open_is_reported(
    path: Path, is_replaced: bool
) -> None:
    base = store.Store(path)
    base.put_record(FULL, None)
    path.unlink()
    if is_replaced:
        path.touch()
    with pytest.raises(StoreError) as caught:
        base.commit()
    with pytest.raises(StoreError) as again:
        base.put_record(FULL, None)
    base.close()
    assert str(caught.value) == (
        f"{path}: expected the store, found it removed or replaced"
    )
    assert str(again.value) == str(caught.value)
