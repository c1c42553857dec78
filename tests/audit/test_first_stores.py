"""Stores of earlier schemas, without stipulations, marks or hints."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from solver.audit.job import AuditOptions
from solver.audit.merging import merge
from solver.audit.result import AuditResult
from solver.audit.store import ResumeStore, Store
from solver.errors import StoreError
from solver.problem import Claim, Limits, Problem

if TYPE_CHECKING:
    from pathlib import Path

FIRST_SCHEMA = """
CREATE TABLE answers (
    key BLOB PRIMARY KEY, claim INTEGER, nomate INTEGER, claimed_keys TEXT, \
claimed_line TEXT, status TEXT, verdict TEXT, soundness TEXT, mate INTEGER, \
lower_bound INTEGER, keys TEXT, keys_complete INTEGER, wrong_keys TEXT, pv TEXT, \
plies TEXT, only_moves INTEGER, nodes INTEGER, time_s REAL, stopped_by TEXT, \
tablebase TEXT, solver TEXT,
    options TEXT, time_limit_s REAL, node_limit INTEGER
);
CREATE TABLE records (
    file TEXT, line INTEGER, id TEXT, fen TEXT, key BLOB REFERENCES answers (key),
    error TEXT, solver TEXT, PRIMARY KEY (file, line)
);
CREATE VIEW results AS
    SELECT r.file || CASE r.line WHEN 0 THEN '' ELSE ':' || r.line END AS source, \
r.id AS id, r.fen AS fen, a.claim AS claim, a.nomate AS nomate, \
coalesce(a.claimed_keys, '') AS claimed_keys, \
coalesce(a.claimed_line, '') AS claimed_line, a.status AS status, \
iif(r.error IS NULL, a.verdict, 'unreadable') AS verdict, a.soundness AS soundness, \
a.mate AS mate, a.lower_bound AS lower_bound, coalesce(a.keys, '') AS keys, \
coalesce(a.keys_complete, 0) AS keys_complete, \
coalesce(a.wrong_keys, '') AS wrong_keys, coalesce(a.pv, '') AS pv, \
coalesce(a.plies, '') AS plies, a.only_moves AS only_moves, \
coalesce(a.nodes, 0) AS nodes, coalesce(a.time_s, 0.0) AS time_s, \
a.stopped_by AS stopped_by, a.tablebase AS tablebase, r.error AS error, \
coalesce(a.solver, r.solver) AS solver, r.file, r.line, a.options, a.time_limit_s, \
a.node_limit
    FROM records AS r LEFT JOIN answers AS a USING (key);
PRAGMA application_id = 1835103333;
PRAGMA user_version = 1;
"""
"""As matesolve wrote it before it knew stipulations; never to be changed."""

WITH_STIPULATIONS = """
DROP VIEW results;
ALTER TABLE answers ADD COLUMN stipulation TEXT;
ALTER TABLE answers ADD COLUMN claimed_solutions INTEGER;
ALTER TABLE answers ADD COLUMN solutions TEXT;
ALTER TABLE answers ADD COLUMN solutions_complete INTEGER;
CREATE TEMP TABLE first_records AS SELECT * FROM records;
DROP TABLE records;
CREATE TABLE records (
    file TEXT, line INTEGER, twin TEXT, id TEXT, fen TEXT,
    key BLOB REFERENCES answers (key), error TEXT, solver TEXT,
    PRIMARY KEY (file, line, twin)
);
INSERT INTO records SELECT file, line, '', id, fen, key, error, solver
    FROM first_records;
DROP TABLE temp.first_records;
CREATE VIEW results AS
    SELECT r.file || CASE r.line WHEN 0 THEN '' ELSE ':' || r.line END AS source, \
r.id AS id, r.fen AS fen, a.claim AS claim, a.nomate AS nomate, \
coalesce(a.claimed_keys, '') AS claimed_keys, \
coalesce(a.claimed_line, '') AS claimed_line, a.status AS status, \
iif(r.error IS NULL, a.verdict, 'unreadable') AS verdict, a.soundness AS soundness, \
a.mate AS mate, a.lower_bound AS lower_bound, coalesce(a.keys, '') AS keys, \
coalesce(a.keys_complete, 0) AS keys_complete, \
coalesce(a.wrong_keys, '') AS wrong_keys, coalesce(a.pv, '') AS pv, \
coalesce(a.plies, '') AS plies, a.only_moves AS only_moves, \
coalesce(a.nodes, 0) AS nodes, coalesce(a.time_s, 0.0) AS time_s, \
a.stopped_by AS stopped_by, a.tablebase AS tablebase, r.error AS error, \
coalesce(a.solver, r.solver) AS solver, a.stipulation AS stipulation, \
a.claimed_solutions AS claimed_solutions, a.solutions AS solutions, \
a.solutions_complete AS solutions_complete, r.file, r.line, a.options, \
a.time_limit_s, a.node_limit
    FROM records AS r LEFT JOIN answers AS a USING (key);
"""
"""What matesolve added before it knew marks; never to be changed."""

WITH_MARKS = """
DROP VIEW results;
CREATE TABLE IF NOT EXISTS marks (
    fen TEXT, stipulation TEXT, claim INTEGER, nomate INTEGER, mark TEXT,
    PRIMARY KEY (fen, stipulation, claim, nomate)
);
CREATE VIEW results AS
    SELECT r.file || CASE r.line WHEN 0 THEN '' ELSE ':' || r.line END AS source, \
r.id AS id, r.fen AS fen, a.claim AS claim, a.nomate AS nomate, \
coalesce(a.claimed_keys, '') AS claimed_keys, \
coalesce(a.claimed_line, '') AS claimed_line, a.status AS status, \
iif(r.error IS NULL, a.verdict, 'unreadable') AS verdict, a.soundness AS soundness, \
a.mate AS mate, a.lower_bound AS lower_bound, coalesce(a.keys, '') AS keys, \
coalesce(a.keys_complete, 0) AS keys_complete, \
coalesce(a.wrong_keys, '') AS wrong_keys, coalesce(a.pv, '') AS pv, \
coalesce(a.plies, '') AS plies, a.only_moves AS only_moves, \
coalesce(a.nodes, 0) AS nodes, coalesce(a.time_s, 0.0) AS time_s, \
a.stopped_by AS stopped_by, a.tablebase AS tablebase, r.error AS error, \
coalesce(a.solver, r.solver) AS solver, a.stipulation AS stipulation, \
a.claimed_solutions AS claimed_solutions, a.solutions AS solutions, \
a.solutions_complete AS solutions_complete, nullif(m.mark, '') AS mark, r.file, \
r.line, a.options, a.time_limit_s, a.node_limit
    FROM records AS r LEFT JOIN answers AS a USING (key)
    LEFT JOIN marks AS m ON m.fen = r.fen
    AND m.stipulation = coalesce(a.stipulation, '')
    AND m.claim = coalesce(a.claim, '') AND m.nomate = coalesce(a.nomate, '');
"""
"""What matesolve added before it knew hints; never to be changed."""

WITH_HINTS = """
DROP VIEW results;
ALTER TABLE answers ADD COLUMN hint TEXT;
CREATE VIEW results AS
    SELECT r.file || CASE r.line WHEN 0 THEN '' ELSE ':' || r.line END AS source, \
r.id AS id, r.fen AS fen, a.claim AS claim, a.nomate AS nomate, \
coalesce(a.claimed_keys, '') AS claimed_keys, \
coalesce(a.claimed_line, '') AS claimed_line, a.status AS status, \
iif(r.error IS NULL, a.verdict, 'unreadable') AS verdict, a.soundness AS soundness, \
a.mate AS mate, a.lower_bound AS lower_bound, coalesce(a.keys, '') AS keys, \
coalesce(a.keys_complete, 0) AS keys_complete, \
coalesce(a.wrong_keys, '') AS wrong_keys, coalesce(a.pv, '') AS pv, \
coalesce(a.plies, '') AS plies, a.only_moves AS only_moves, \
coalesce(a.nodes, 0) AS nodes, coalesce(a.time_s, 0.0) AS time_s, \
a.stopped_by AS stopped_by, a.tablebase AS tablebase, r.error AS error, \
coalesce(a.solver, r.solver) AS solver, a.stipulation AS stipulation, \
a.claimed_solutions AS claimed_solutions, a.solutions AS solutions, \
a.solutions_complete AS solutions_complete, nullif(m.mark, '') AS mark, \
a.hint AS hint, r.file, r.line, a.options, a.time_limit_s, a.node_limit
    FROM records AS r LEFT JOIN answers AS a USING (key)
    LEFT JOIN marks AS m ON m.fen = r.fen
    AND m.stipulation = coalesce(a.stipulation, '')
    AND m.claim = coalesce(a.claim, '') AND m.nomate = coalesce(a.nomate, '');
"""
"""What matesolve added before a mark belonged to a record; never to be changed."""

FEN = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
PROBLEM = Problem(FEN, "one", Claim(2), "a.epd:1")
OPTIONS = AuditOptions(Limits(nodes=1000))
RESULT = AuditResult(
    "a.epd:1", "one", FEN, 2, status="proved", verdict="proved", mate=2, lower_bound=2
)
UNREADABLE = AuditResult("a.epd:2", "a.epd:2", verdict="unreadable", error="no FEN")


MARKED = [
    WITH_STIPULATIONS + WITH_MARKS,
    WITH_STIPULATIONS + WITH_MARKS + WITH_HINTS,
]


@pytest.fixture(
    params=["", WITH_STIPULATIONS, *MARKED],
    ids=["first", "without marks", "without hints", "marks of problems"],
)
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """An earlier store with an answer and an unreadable record."""
    path = tmp_path / "run.db"
    key = bytes.fromhex("e41a3699992a9d9eea46147bfbf3a14a")
    with closing(sqlite3.connect(path)) as base:
        base.executescript(FIRST_SCHEMA)
        base.execute(
            "INSERT INTO answers (key, claim, claimed_keys, claimed_line, status, "
            "verdict, mate, lower_bound, keys, keys_complete, wrong_keys, pv, plies, "
            "nodes, time_s, solver, options) VALUES (?, 2, '', '', 'proved', 'proved', "
            "2, 2, '', 0, '', '', '', 0, 0.0, ?, '')",
            (key, RESULT.solver),
        )
        base.executemany(
            "INSERT INTO records VALUES ('a.epd', ?, ?, ?, ?, ?, ?)",
            [
                (1, "one", FEN, key, None, RESULT.solver),
                (2, "a.epd:2", None, None, "no FEN", RESULT.solver),
            ],
        )
        base.commit()
        base.executescript(request.param)
    return path


def stored(path: Path, where: str | None = None) -> list[AuditResult]:
    with Store(path, read_only=True) as store:
        return list(store.results(where))


def columns(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as base:
        return [row[1] for row in base.execute("PRAGMA table_info(answers)")]


def test_it_is_read_without_being_changed(path: Path) -> None:
    before = path.read_bytes()
    assert stored(path) == [RESULT, UNREADABLE]
    assert stored(path, "stipulation IS NULL AND mate = 2") == [RESULT]
    assert stored(path, "mark IS NOT NULL") == []
    with Store(path, read_only=True) as store:
        assert store.marks() == {}
    assert path.read_bytes() == before


def test_it_gets_the_columns_once_it_is_written(path: Path) -> None:
    with Store(path):
        pass
    assert stored(path) == [RESULT, UNREADABLE]
    helpmate = RESULT._replace(
        source="a.epd:3",
        stipulation="h#2",
        claimed_solutions=2,
        solutions='["a1a7 g8h8"]',
        solutions_complete=0,
        hint="solves as claimed with en passant on e6",
    )
    with Store(path) as store:
        store.put_answer(b"key", helpmate, "", None, None)
        store.put_record(helpmate, b"key")
        store.put_mark(RESULT.subject, "cook")
        store.put_mark(helpmate.subject, "accept")
    marked = [
        RESULT._replace(mark="cook"),
        UNREADABLE,
        helpmate._replace(mark="accept"),
    ]
    assert stored(path) == marked
    fresh = path.with_name("fresh.db")
    Store(fresh).close()
    assert columns(path) == columns(fresh)


def test_its_answers_are_found_again_by_the_version_that_wrote_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solver.audit.store.__version__", "0.1.0")
    with Store(path) as store:
        resume = ResumeStore(store, OPTIONS)
        found = resume.find(PROBLEM, resume.key(PROBLEM))
        assert found == RESULT._replace(origin="stored")
        other = Problem(FEN, "one", stipulation="s#2")
        assert resume.find(other, resume.key(other)) is None


@pytest.mark.parametrize("path", MARKED, indirect=True)
def test_a_mark_of_a_problem_becomes_that_of_its_records(path: Path) -> None:
    with closing(sqlite3.connect(path)) as base:
        base.execute(
            "INSERT INTO records VALUES ('b.epd', 7, '', 'two', ?, "
            "(SELECT key FROM answers), NULL, ?)",
            (FEN, RESULT.solver),
        )
        rows = [(FEN, "", 2, "", "cook"), (FEN, "", 3, "", "reject")]
        base.executemany("INSERT INTO marks VALUES (?, ?, ?, ?, ?)", rows)
        base.commit()
    marked = [
        RESULT._replace(mark="cook"),
        UNREADABLE,
        RESULT._replace(source="b.epd:7", id="two", mark="cook"),
    ]
    assert stored(path) == marked
    other = path.with_name("other.db")
    with Store(other) as store:
        merge(store, path)
    Store(path).close()
    for one in (path, other):
        assert stored(one) == marked
        with Store(one, read_only=True) as store:
            assert {*store.marks()} == {marked[0].subject, marked[2].subject}
    Store(path, fresh=True).close()
    with Store(path, read_only=True) as store:
        assert len(store.marks()) == 2


def test_indexes_and_views_that_a_user_added_stay(path: Path) -> None:
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE INDEX mine ON answers (verdict)")
        base.execute("CREATE VIEW ours AS SELECT id, verdict FROM results")
        base.commit()
    Store(path).close()
    with closing(sqlite3.connect(path)) as base:
        names = {name for (name,) in base.execute("SELECT name FROM sqlite_schema")}
        assert names >= {"mine", "ours"}
        assert ("one", "proved") in base.execute("SELECT * FROM ours").fetchall()


@pytest.mark.parametrize("is_target", [False, True])
def test_it_is_merged_with_a_newer_one(path: Path, is_target: bool) -> None:
    newer = path.with_name("newer.db")
    hint = "solves as claimed without White's castling (O-O)"
    selfmate = RESULT._replace(source="b.epd:1", stipulation="s#2", hint=hint)
    with Store(newer) as store:
        store.put_answer(b"key", selfmate, "", None, None)
        store.put_record(selfmate, b"key")
        store.put_mark(selfmate.subject, "reject")
    target, other = (path, newer) if is_target else (newer, path)
    before = other.read_bytes()
    with Store(target) as store:
        merge(store, other)
    assert stored(target) == [RESULT, UNREADABLE, selfmate._replace(mark="reject")]
    assert other.read_bytes() == before


def test_an_interrupted_upgrade_changes_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as context:
        broken = ("DROP VIEW results; killed;",) * 4
        context.setattr("solver.audit.schema.UPGRADES", broken)
        with pytest.raises(StoreError):
            Store(path)
    assert stored(path) == [RESULT, UNREADABLE]
    Store(path).close()
    assert stored(path) == [RESULT, UNREADABLE]


@pytest.mark.parametrize("read_only", [False, True])
def test_it_is_refused_with_another_view(path: Path, read_only: bool) -> None:
    with closing(sqlite3.connect(path)) as base:
        base.executescript("DROP VIEW results; CREATE VIEW results AS SELECT 1;")
    with pytest.raises(StoreError, match="found another definition of results"):
        Store(path, read_only=read_only)


def test_fresh_replaces_it(path: Path) -> None:
    Store(path, fresh=True).close()
    assert stored(path) == []
    assert "stipulation" in columns(path)


def test_twins_of_one_line_have_rows_of_their_own(path: Path) -> None:
    twins = [
        RESULT._replace(source="b.inp:2", id=f"b.inp:2{label}")
        for label in (" a)", " a) duplex", " z1)")
    ]
    broken = UNREADABLE._replace(
        source="b.inp:2", id="b.inp:2", error="twin c): expected a piece, found none"
    )
    renamed = [twin._replace(id=f"Title{twin.id[7:]}") for twin in twins]
    with Store(path) as store:
        store.put_answer(b"key", RESULT, "", None, None)
        for twin in [*twins, broken, *renamed]:
            store.put_record(twin, None if twin.error else b"key")
    found = [one.id for one in stored(path) if one.source == "b.inp:2"]
    assert found == ["Title a)", "Title a) duplex", "Title z1)", "b.inp:2"]
