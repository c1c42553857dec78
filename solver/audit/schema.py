"""The SQLite file of a store: its schema, its statements, and how it is opened.

`answers` has one row for each question, `records` one for each record of a collection,
`marks` one for each decision of an editor; the view `results` joins them to the columns
of `AuditResult`.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from typing import TYPE_CHECKING

from solver.audit.result import SUBJECT, AuditResult
from solver.errors import StoreError
from solver.files import locked
from solver.record import COLUMNS, FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

VERSION = 1
"""Incremented when a column changes its meaning or is removed."""

APPLICATION = 0x6D617465
"""Marks an SQLite file as a store: `mate` in ASCII."""

OF_RECORDS = ("source", "id", "fen", "error")
"""Columns that belong to the record."""

OF_MARKS = ("mark", "note")
"""Columns that belong to an editor's mark; all others belong to the answer."""

MARK_COLUMNS = (*SUBJECT, *OF_MARKS)
"""A `Subject`, with an empty text for None; then the mark, an empty text if it was
taken back, and its note."""

ANSWER_COLUMNS = tuple(name for name in COLUMNS if name not in (*OF_RECORDS, *OF_MARKS))

_SQL_TYPES = {int: "INTEGER", float: "REAL", str: "TEXT"}


def _defined(names: Iterable[str]) -> Iterator[str]:
    return (f"{name} {_SQL_TYPES[FIELDS[name].kind.column]}" for name in names)


_EXPRESSIONS = {
    "source": "r.file || CASE r.line WHEN 0 THEN '' ELSE ':' || r.line END",
    "id": "r.id",
    "fen": "r.fen",
    "error": "r.error",
    "verdict": "iif(r.error IS NULL, a.verdict, 'unreadable')",
    "solver": "coalesce(a.solver, r.solver)",
    "mark": "nullif(m.mark, '')",
    "note": "nullif(m.note, '')",
}


def _expression(name: str) -> str:
    """Return the expression for a column of `results`; records may lack an answer."""
    default = AuditResult._field_defaults.get(name)
    if name in _EXPRESSIONS or default is None:
        return _EXPRESSIONS.get(name, f"a.{name}")
    return f"coalesce(a.{name}, {default!r})"


_SUBJECT = {name: f"coalesce({_expression(name)}, '')" for name in SUBJECT}

_ROWS = "FROM records AS r LEFT JOIN answers AS a USING (key)\n" + (
    "    LEFT JOIN marks AS m ON "
    + "\n    AND ".join(f"m.{name} = {value}" for name, value in _SUBJECT.items())
)

SCHEMA = f"""
CREATE TABLE answers (
    key BLOB PRIMARY KEY, {", ".join(_defined(ANSWER_COLUMNS))},
    options TEXT, time_limit_s REAL, node_limit INTEGER
);
CREATE TABLE records (
    file TEXT, line INTEGER, twin TEXT, id TEXT, fen TEXT,
    key BLOB REFERENCES answers (key), error TEXT, solver TEXT,
    PRIMARY KEY (file, line, twin)
);
CREATE TABLE marks (
    {", ".join(_defined(MARK_COLUMNS))},
    PRIMARY KEY ({", ".join(SUBJECT)})
);
CREATE VIEW results AS
    SELECT {", ".join(f"{_expression(name)} AS {name}" for name in COLUMNS)},
    r.file, r.line, a.options, a.time_limit_s, a.node_limit
    {_ROWS};
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""


def foreign_definitions(base: sqlite3.Connection) -> list[str]:
    """Return the names of triggers, and of tables that are defined differently.

    Indexes, tables and views added by a user do not matter: nothing reads them.
    """
    found = _definitions(base)
    triggers = {one for one in found if one[0] == "trigger"}
    return sorted(name for _, name, _ in (_own_definitions() - found) | triggers)


def _definitions(base: sqlite3.Connection) -> frozenset[tuple[str, str, str]]:
    query = "SELECT type, name, sql FROM main.sqlite_schema WHERE type <> 'index'"
    return frozenset(base.execute(query))


@cache
def _own_definitions() -> frozenset[tuple[str, str, str]]:
    with closing(sqlite3.connect(":memory:")) as base:
        base.executescript(SCHEMA)
        return _definitions(base)


CLEARED = "DELETE FROM records; DELETE FROM answers;"
"""Deletes all results; an editor's marks stay."""

_STORED = (
    {"source": "r.file"}
    | {name: f"r.{name}" for name in ("id", "fen", "error")}
    | {name: f"m.{name}" for name in OF_MARKS}
)
"""The columns that are not of an answer, as they are stored."""

_VALUES = (
    *(_STORED.get(name, f"a.{name}") for name in COLUMNS),
    *("r.line", "r.twin", "a.key IS NOT NULL", "r.solver"),
)

RESULTS = f"SELECT {', '.join(_VALUES)} {_ROWS} ORDER BY r.file, r.line, r.id"
"""The stored values behind the view `results`: `COLUMNS`, `source` without its line;
then its line and twin, whether there is an answer, and the version that read the
record. The view puts defaults in place of missing values, and hides the damage."""

ALL_ANSWER_COLUMNS = ("key", *ANSWER_COLUMNS, "options", "time_limit_s", "node_limit")

RECORD_COLUMNS = ("file", "line", "twin", "id", "fen", "key", "error", "solver")


def upsert(table: str, columns: tuple[str, ...], unique: int) -> str:
    """Return the statement that inserts a row and replaces the one with the same key.

    Parameters
    ----------
    table : str
        The table's name.
    columns : tuple of str
        The columns to write; the first `unique` of them are the table's key.
    unique : int
        See `columns`.
    """
    changed = ", ".join(f"{name} = excluded.{name}" for name in columns[unique:])
    key = ", ".join(columns[:unique])
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) "
        f"VALUES ({', '.join('?' * len(columns))}) "
        f"ON CONFLICT ({key}) DO UPDATE SET {changed}"
    )


NOT_CREATED = "cannot be opened or created"

BUSY_S = 10.0
"""How long to wait while another program writes to the store."""

STEPS = 1000
"""SQLite lets Python handle signals after this many of its instructions. A thousand
take less than a millisecond, and counting them costs nothing measurable."""


def uri(path: Path, *, create: bool = False) -> str:
    """Return the URI with which SQLite opens a file.

    Readers need permission to write as well: SQLite creates two files beside a store
    that is open, and deletes them again. In a folder where it cannot, no store is
    written, and the file can be opened as immutable.
    """
    mode = "rwc" if create else "rw"
    log = path.with_name(f"{path.name}-wal")
    if not (create or os.access(path.parent, os.W_OK) or log.exists()):
        mode = "ro&immutable=1"
    return f"{path.absolute().as_uri()}?mode={mode}"


@contextmanager
def sole_writer(path: Path) -> Iterator[None]:
    """Hold the lock of a store.

    Raises
    ------
    StoreError
        Another store writes to the file, or none can be created there.
    """
    with ExitStack() as held:
        try:
            held.enter_context(locked(path))
        except OSError as error:
            is_held = isinstance(error, BlockingIOError)
            msg = f"{path}: {error.strerror if is_held else NOT_CREATED}"
            raise StoreError(msg) from None
        yield


def require_readable(path: Path) -> None:
    """Refuse a file that cannot be read, with the system's message, not SQLite's.

    The file is not opened: closing it would release all locks that other connections of
    this process hold on it.

    Raises
    ------
    StoreError
        There is no such file, it is a folder, or it may not be read.
    """
    reason = None
    try:
        if stat.S_ISDIR(path.stat().st_mode):
            reason = os.strerror(errno.EISDIR)
        elif not os.access(path, os.R_OK):
            reason = os.strerror(errno.EACCES)
    except OSError as error:
        reason = error.strerror
    if reason:
        msg = f"{path}: {reason}"
        raise StoreError(msg)


def error_name(error: Exception) -> str:
    """Return SQLite's name of an error; empty if Python raised it before SQLite."""
    name: str = getattr(error, "sqlite_errorname", "")
    return "_".join(name.split("_")[:2])


def reason(error: sqlite3.Error, *, read_only: bool) -> str:
    """Return the message for an error, which also says what remains stored."""
    kept = "" if read_only else "; what was committed before is kept"
    match error_name(error):
        case "SQLITE_FULL":
            return f"the disk is full{kept}"
        case "SQLITE_BUSY":
            return f"locked by another program for {BUSY_S:g} s{kept}"
        case "SQLITE_NOTADB":
            return "expected a store, found another file"
        case "SQLITE_CANTOPEN":
            return "cannot be opened" if read_only else NOT_CREATED
    return f"{error}{kept}"


def is_interrupt(error: sqlite3.Error) -> bool:
    """Return whether an exception from `handle_signals` ended a statement."""
    return error_name(error) == "SQLITE_INTERRUPT"


def handle_signals() -> None:
    """Do nothing: Python runs signal handlers when it calls a function.

    An exception that they raise, such as KeyboardInterrupt, ends the statement.
    """
