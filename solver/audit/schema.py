"""The SQLite file of a store: its schema, its statements, and how it is opened.

`answers` has one row for each question, `records` one for each record of a collection,
`marks` one for each decision of an editor; the view `results` joins them to the columns
of `AuditResult`.

Columns and tables are only ever added. A new store and an upgraded one run the same
statements, so both have the same definitions.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from typing import TYPE_CHECKING

from solver.audit.result import COLUMNS, SUBJECT, AuditResult, column_types
from solver.errors import StoreError, StoreQueryError
from solver.files import locked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
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

ADDED_COLUMNS = (
    "stipulation",
    "claimed_solutions",
    "solutions",
    "solutions_complete",
)
"""Columns of `answers` that the first stores lack, in the order of addition."""

HINT = "hint"
"""The column of `answers` that was added last."""

_NOTE = OF_MARKS[1]
"""The column of `marks` that was added last."""


def _defined(names: Iterable[str]) -> Iterator[str]:
    types = column_types()
    return (f"{name} {_SQL_TYPES[types[name]]}" for name in names)


_FIRST_ANSWERS = ", ".join(
    _defined(name for name in ANSWER_COLUMNS if name not in (*ADDED_COLUMNS, HINT))
)

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


def _selected(columns: Iterable[str]) -> str:
    """Return what the view `results` selects."""
    selected = ", ".join(f"{_expression(name)} AS {name}" for name in columns)
    return f"{selected}, r.file, r.line, a.options, a.time_limit_s, a.node_limit"


_ROWS = "FROM records AS r LEFT JOIN answers AS a USING (key)"


def _view(columns: Iterable[str], marks: str = "") -> str:
    """Return the definition of the view `results` with these columns."""
    return f"""VIEW results AS
    SELECT {_selected(columns)}
    {_ROWS}{marks};
"""


_FIRST_MARKS = """
    LEFT JOIN marks AS m ON m.fen = r.fen
    AND m.stipulation = coalesce(a.stipulation, '')
    AND m.claim = coalesce(a.claim, '') AND m.nomate = coalesce(a.nomate, '')"""
"""Joins marks that belong to a problem, whichever record it has."""

_SUBJECT = {name: f"coalesce({_expression(name)}, '')" for name in SUBJECT}

_MARKS = "\n    LEFT JOIN marks AS m ON " + "\n    AND ".join(
    f"m.{name} = {value}" for name, value in _SUBJECT.items()
)

_HINTED = tuple(name for name in COLUMNS if name != _NOTE)
_MARKED = tuple(name for name in _HINTED if name != HINT)
_UNMARKED = tuple(name for name in _MARKED if name != "mark")


def _marks_of_records(base: str) -> str:
    """Return the query that gives each record the mark of its problem."""
    subject = ", ".join(f"{value} AS {name}" for name, value in _SUBJECT.items())
    return (
        f"SELECT DISTINCT {subject}, m.mark AS mark, '' AS note FROM {base}records AS r"
        f" JOIN {base}answers AS a USING (key) JOIN {base}marks AS m "
        f"ON {_FIRST_MARKS.partition(' ON ')[2]}"
    )


_FIRST_SCHEMA = f"""
CREATE TABLE answers (
    key BLOB PRIMARY KEY, {_FIRST_ANSWERS},
    options TEXT, time_limit_s REAL, node_limit INTEGER
);
CREATE TABLE records (
    file TEXT, line INTEGER, id TEXT, fen TEXT, key BLOB REFERENCES answers (key),
    error TEXT, solver TEXT, PRIMARY KEY (file, line)
);
CREATE {_view(name for name in _UNMARKED if name not in ADDED_COLUMNS)}
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""

_ADDITIONS = "".join(
    f"ALTER TABLE answers ADD COLUMN {column};\n" for column in _defined(ADDED_COLUMNS)
)

_TWINS = """
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
"""
"""Gives each twin a row; early stores have one row for each line."""

UPGRADES = (
    f"DROP VIEW results; {_ADDITIONS} {_TWINS} CREATE {_view(_UNMARKED)}",
    f"""
DROP VIEW results;
CREATE TABLE IF NOT EXISTS marks (
    fen TEXT, stipulation TEXT, claim INTEGER, nomate INTEGER, mark TEXT,
    PRIMARY KEY (fen, stipulation, claim, nomate)
);
CREATE {_view(_MARKED, _FIRST_MARKS)}
""",
    f"""
DROP VIEW results;
ALTER TABLE answers ADD COLUMN {next(_defined([HINT]))};
CREATE {_view(_HINTED, _FIRST_MARKS)}
""",
    f"""
DROP VIEW results;
CREATE TEMP TABLE first_marks AS {_marks_of_records("main.")};
DROP TABLE marks;
CREATE TABLE marks (
    {", ".join(_defined(MARK_COLUMNS))},
    PRIMARY KEY ({", ".join(SUBJECT)})
);
INSERT INTO marks SELECT * FROM temp.first_marks;
DROP TABLE temp.first_marks;
CREATE {_view(COLUMNS, _MARKS)}
""",
)
"""Each adds what earlier stores lack; existing rows stay unchanged."""

SCHEMA = _FIRST_SCHEMA + "".join(UPGRADES)

_MARKS_FROM = 2
"""How many of `UPGRADES` a store with the table `marks` has."""

_HINTS_FROM = 3
"""How many of `UPGRADES` a store with hints has; its marks belong to problems."""


def lacking(upgrades: int) -> tuple[str, ...]:
    """Return the columns of `answers` that a store with few of `UPGRADES` lacks."""
    has_hint = upgrades >= _HINTS_FROM
    return (*(() if upgrades else ADDED_COLUMNS), *(() if has_hint else (HINT,)))


def shown_as_upgraded(upgrades: int) -> str:
    """Return the script that lets an early store be read like any other.

    Temporary tables and views of a connection that must not write replace those that
    an upgrade would add or change.
    """
    if upgrades == len(UPGRADES):
        return ""
    no_values = "".join(f", NULL AS {name}" for name in lacking(upgrades))
    marks = f"TABLE marks ({', '.join(MARK_COLUMNS)})"
    if upgrades >= _MARKS_FROM:
        marks = f"VIEW marks AS {_marks_of_records('main.')}"
    return f"""
CREATE TEMP VIEW answers AS SELECT *{no_values} FROM main.answers;
CREATE TEMP {marks};
CREATE TEMP {_view(COLUMNS, _MARKS)}
"""


def upgrades_of(base: sqlite3.Connection) -> int:
    """Return how many of `UPGRADES` a store has."""
    found = _definitions(base)
    return min(
        range(len(UPGRADES) + 1), key=lambda count: len(_definitions_by(count) - found)
    )


def foreign_definitions(base: sqlite3.Connection) -> list[str]:
    """Return the names of triggers, and of tables that are defined differently.

    Indexes, tables and views added by a user do not matter: nothing reads them.
    """
    found = _definitions(base)
    triggers = {one for one in found if one[0] == "trigger"}
    own = _definitions_by(upgrades_of(base))
    return sorted(name for _, name, _ in (own - found) | triggers)


def _definitions(base: sqlite3.Connection) -> frozenset[tuple[str, str, str]]:
    query = "SELECT type, name, sql FROM main.sqlite_schema WHERE type <> 'index'"
    return frozenset(base.execute(query))


@cache
def _definitions_by(upgrades: int) -> frozenset[tuple[str, str, str]]:
    """Return the definitions of a store with this many of `UPGRADES`."""
    with closing(sqlite3.connect(":memory:")) as base:
        base.executescript(_FIRST_SCHEMA + "".join(UPGRADES[:upgrades]))
        return _definitions(base)


CLEARED = "DELETE FROM records; DELETE FROM answers;"
"""Deletes all results; an editor's marks stay."""

_STORED = (
    {"source": "r.file"}
    | {name: f"r.{name}" for name in ("id", "fen", "error")}
    | {name: f"m.{name}" for name in OF_MARKS}
)
"""The columns that are not of an answer, as they are stored."""

ROW_COLUMNS = (*COLUMNS, "line", "twin", "has_answer", "reader")
"""What `rows` selects: `COLUMNS` as they are stored, `source` without its line; then
whether there is an answer, and the version that read the record."""


def rows(upgrades: int) -> str:
    """Return the query of the stored values behind the view `results`.

    The view puts defaults in place of values that are missing, and hides the damage.
    The query has the view's name and columns too, so that expressions can use them.

    Parameters
    ----------
    upgrades : int
        How many of `UPGRADES` the store has.
    """
    values = [_STORED.get(name, f"a.{name}") for name in COLUMNS]
    twin = "r.twin" if upgrades else "''"
    values += ["r.line", twin, "a.key IS NOT NULL", "r.solver"]
    pairs = zip(values, ROW_COLUMNS, strict=True)
    stored = ", ".join(f"{value} AS stored_{name}" for value, name in pairs)
    selected = ", ".join(f"stored_{name}" for name in ROW_COLUMNS)
    source = f"SELECT {stored}, {_selected(COLUMNS)} {_ROWS}{_MARKS}"
    return f"SELECT {selected} FROM ({source}) AS results"


ALL_ANSWER_COLUMNS = ("key", *ANSWER_COLUMNS, "options", "time_limit_s", "node_limit")

RECORD_COLUMNS = ("file", "line", "twin", "id", "fen", "key", "error", "solver")


def upsert(table: str, columns: tuple[str, ...], unique: int, *, rows: str = "") -> str:
    """Return the statement that inserts rows and replaces those with the same key.

    Parameters
    ----------
    table : str
        The table's name.
    columns : tuple of str
        The columns to write; the first `unique` of them are the table's key.
    unique : int
        See `columns`.
    rows : str
        The SQL that supplies the rows; empty: one row of parameters.
    """
    rows = rows or f"VALUES ({', '.join('?' * len(columns))})"
    changed = ", ".join(f"{name} = excluded.{name}" for name in columns[unique:])
    key = ", ".join(columns[:unique])
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) {rows} "
        f"ON CONFLICT ({key}) DO UPDATE SET {changed}"
    )


def require_expression(where: str, columns: Sequence[str]) -> None:
    """Check that a text is one SQL expression over the columns of `results`.

    SQLite's parser decides. Without parentheses, a text that closes one which it has
    not opened is an error, such as `0) UNION SELECT 1 --`; within parentheses, further
    clauses and statements are, such as `1 LIMIT 5`. Only an expression is valid in
    both. `results` is the only table here, and it is empty.

    Raises
    ------
    StoreQueryError
        It is something else; the message has SQLite's reason.
    """
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"CREATE TABLE results ({', '.join(columns)})")
        try:
            for text in (where, f"({where}\n)"):
                base.execute(f"EXPLAIN SELECT 1 FROM results WHERE {text}")
        # Before Python 3.12, a second statement is a Warning.
        except (sqlite3.Error, sqlite3.Warning, UnicodeEncodeError) as error:
            raise query_error(where, error) from None


def query_error(where: str, reason: Exception) -> StoreQueryError:
    """Return the error for an expression that SQLite refuses, with its reason."""
    msg = f"--where: expected an SQL expression, found {where!r}: {reason}"
    return StoreQueryError(msg)


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


def is_of_statement(error: sqlite3.Error) -> bool:
    """Return whether the statement caused an error, and not the file or its disk."""
    return error_name(error) in {"SQLITE_ERROR", "SQLITE_TOOBIG", "SQLITE_MISMATCH"}


def is_interrupt(error: sqlite3.Error) -> bool:
    """Return whether an exception from `handle_signals` ended a statement."""
    return error_name(error) == "SQLITE_INTERRUPT"


def handle_signals() -> None:
    """Do nothing: Python runs signal handlers when it calls a function.

    An exception that they raise, such as KeyboardInterrupt, ends the statement.
    """
