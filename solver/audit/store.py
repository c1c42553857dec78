"""The store of an audit: an SQLite file of answers and the records they belong to."""

from __future__ import annotations

import errno
import math
import operator
import os
import sqlite3
import stat
import threading
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from solver import __version__, errors, files, record, solution
from solver.audit.results import (
    SUBJECT,
    AuditResult,
    Origin,
    split_source,
    twin_of,
)
from solver.stipulations import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from solver.audit.job import AuditOptions
    from solver.audit.results import Mark, Subject
    from solver.problem import Problem


# --------------------------------------------------------------------------------------
# The SQLite file of a store: its schema, its statements, and how it is opened.
#
# `answers` has one row for each question, `records` one for each record of a
# collection, `marks` one for each decision of an editor, `readings` one for each file;
# the view `results` joins the first three to the columns of `AuditResult`. Each row
# ends with a checksum of all its values: a row that a disk or another program has
# changed is not used.

VERSION = 3
"""Incremented when a column changes its meaning or is removed."""

APPLICATION = files.STORE_ID
"""Marks an SQLite file as a store."""

CHECKSUM_BYTES = 8

_OF_RECORDS = ("source", "id", "fen", "error", "text")
_OF_MARKS = ("mark", "note")

ANSWER_COLUMNS = tuple(
    name for name in record.COLUMNS if name not in (*_OF_RECORDS, *_OF_MARKS)
)


def _typed(names: Iterable[str]) -> dict[str, type]:
    return {name: record.FIELDS[name].kind.column for name in names}


TABLES: dict[str, dict[str, type]] = {
    "answers": {"key": bytes}
    | _typed(ANSWER_COLUMNS)
    | {"options": str, "time_limit_s": float, "node_limit": int},
    "records": {"file": str, "line": int, "twin": str, "id": str, "fen": str}
    | {"key": bytes, "error": str, "text": str, "solver": str},
    "marks": _typed((*SUBJECT, *_OF_MARKS)),
    "readings": {"file": str, "options": str, "reading": str},
}
"""The columns of each table and their types; `checksum` follows."""

_UNIQUE = {"answers": 1, "records": 3, "marks": len(SUBJECT), "readings": 1}
"""How many columns at the beginning of a table are its primary key."""

_SQL_TYPES = {int: "INTEGER", float: "REAL", str: "TEXT", bytes: "BLOB"}


def checksum(table: str, row: Iterable[object]) -> bytes:
    """Return the checksum of the values of a row, which depends on their types too."""
    text = ascii((table, *row))  # `repr` depends on the version of Unicode
    return blake2b(text.encode(), digest_size=CHECKSUM_BYTES).digest()


def _create(table: str) -> str:
    columns = TABLES[table]
    defined = ", ".join(f"{name} {_SQL_TYPES[kind]}" for name, kind in columns.items())
    unique = ", ".join([*columns][: _UNIQUE[table]])
    return f"CREATE TABLE {table} ({defined}, checksum BLOB, PRIMARY KEY ({unique}));\n"


_EXPRESSIONS = {
    "source": "r.file || CASE r.line WHEN 0 THEN '' ELSE ':' || r.line END",
    "id": "r.id",
    "fen": "r.fen",
    "error": "r.error",
    "text": "r.text",
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

SCHEMA = f"""
{"".join(map(_create, TABLES))}
CREATE VIEW results AS
    SELECT {", ".join(f"{_expression(name)} AS {name}" for name in record.COLUMNS)},
    r.file, r.line, a.options, a.time_limit_s, a.node_limit
    FROM records AS r LEFT JOIN answers AS a USING (key)
    LEFT JOIN marks AS m ON
    {" AND ".join(f"m.{name} = {value}" for name, value in _SUBJECT.items())};
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


CLEARED = "DELETE FROM records; DELETE FROM answers; DELETE FROM readings;"
"""Deletes all results; an editor's marks stay."""


def _columns(table: str, alias: str) -> str:
    return ", ".join(f"{alias}.{name}" for name in (*TABLES[table], "checksum"))


# A damaged index must not hide a row, so tables are read from end to end. If the index
# hides an answer, its record is still read.
_RESULTS = (
    f"SELECT r.rowid, {_columns('records', 'r')}, {_columns('answers', 'a')} "
    "FROM records AS r NOT INDEXED LEFT JOIN answers AS a ON a.key = r.key "
    "ORDER BY r.file, r.line, r.id, r.rowid DESC"
)
_READINGS = f"SELECT r.rowid, {_columns('readings', 'r')} FROM readings AS r"
_MARKS = f"SELECT m.rowid, {_columns('marks', 'm')} FROM marks AS m NOT INDEXED"
_ANSWER = f"SELECT {_columns('answers', 'a')} FROM answers AS a WHERE a.key = ?"


def _upsert(table: str) -> str:
    """Return the statement that inserts a row or replaces the one with its key."""
    columns = [*TABLES[table], "checksum"]
    unique = _UNIQUE[table]
    changed = ", ".join(f"{name} = excluded.{name}" for name in columns[unique:])
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) "
        f"VALUES ({', '.join('?' * len(columns))}) "
        f"ON CONFLICT ({', '.join(columns[:unique])}) DO UPDATE SET {changed}"
    )


_UPSERTS = {table: _upsert(table) for table in TABLES}


NOT_CREATED = "cannot be opened or created"

REMEDY = "verify the collection again, into a new store"

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
        raise errors.StoreError(msg)


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
        case "SQLITE_CORRUPT":
            return f"{error}; {REMEDY}"
        case "SQLITE_CANTOPEN":
            return "cannot be opened" if read_only else NOT_CREATED
    return f"{error}{kept}"


def handle_signals() -> None:
    """Do nothing: Python runs signal handlers when it calls a function.

    An exception that they raise, such as KeyboardInterrupt, ends the statement.
    """


# --------------------------------------------------------------------------------------
# `Store` opens, reads and writes such files. With `ResumeStore`, an audit does not
# search a question that was answered before. A question is a position, its
# stipulation, what its record claims, and the options that can change the answer.

COMMIT_S = 1.0
COMMIT_ROWS = 500
"""A crash loses at most the results of this many seconds, or this many rows."""

KEY_BYTES = 16
"""Length of the hash of a question."""

_USE = "INSERT OR IGNORE INTO temp.used VALUES (?)"

_answer_values = operator.itemgetter(*map(record.COLUMNS.index, ANSWER_COLUMNS))

DAMAGED = "damaged in the store; left out"
HIDDEN = "some results may be missing"
MISSING = "its answer is missing in the store; left out"


class Store:
    """A file with the results of audits; any thread may use it.

    Only one store at a time may write to a file; it holds the file's lock until it is
    closed. Any number may read the file meanwhile.

    Once a row or a commit has failed, no more rows are accepted: when the disk is full,
    SQLite ends the whole transaction, and the answers that other threads' records refer
    to are gone. Besides, no other thread then waits for another program's lock.

    Parameters
    ----------
    path : str or PathLike
        The file; created if it does not exist.
    read_only : bool
        Do not write, and do not create the file.
    fresh : bool
        Delete what the store contains.

    Raises
    ------
    StoreError
        The file is not a store, has another version, cannot be used, or another store
        writes to it.

    Attributes
    ----------
    path : Path
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        read_only: bool = False,
        fresh: bool = False,
    ) -> None:
        self.path = Path(path)
        self._file = self.path.absolute()
        self._lock = threading.RLock()
        self._pending = 0
        self._committed = time.monotonic()
        self._failure: str | None = None
        self._read_only = read_only
        with ExitStack() as opened, self._exclusive():  # closed again after an error
            if read_only:
                require_readable(self.path)
            else:
                self._become_sole_writer(opened)
            self._base = opened.enter_context(closing(self._connect()))
            self._prepare(fresh=fresh)
            self._opened = self._file.stat()
            self._resources = opened.pop_all()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def answer(
        self, key: bytes, fen: str
    ) -> tuple[AuditResult, float | None, int | None] | None:
        """Return the answer to a question, without a record, and its limits.

        Parameters
        ----------
        key : bytes
            The question.
        fen : str
            Its position, with any clocks.

        Returns
        -------
        tuple of AuditResult, float or None, int or None, or None
            The answer, and the time and node limits of its search.

        Raises
        ------
        InputError
            The answer is damaged.
        """
        with self._exclusive():
            row = self._base.execute(_ANSWER, (key,)).fetchone()
        if row is None:
            return None
        *answer, found = row
        if checksum("answers", (key, *answer[1:])) != found:
            raise errors.InputError(DAMAGED)
        *_, time_s, nodes = answer
        return _result("", "", fen, row), time_s, nodes

    def is_first_use(self, key: bytes) -> bool:
        """Return whether it is the first call with this question, of maybe millions."""
        with self._exclusive():
            return self._base.execute(_USE, (key,)).rowcount == 1

    def put_answer(
        self,
        key: bytes,
        result: AuditResult,
        options: str,
        time_limit_s: float | None,
        node_limit: int | None,
    ) -> None:
        """Save an answer; it replaces an earlier one to the same question."""
        limits = time_limit_s, node_limit
        self._write("answers", (key, *_answer_values(result), options, *limits))

    def put_record(self, result: AuditResult, key: bytes | None) -> None:
        """Save which answer a record has, or why it cannot be read."""
        row = (
            *split_source(result.source),
            twin_of(result),
            *(result.id, result.fen, key),
            *(result.error, result.text, result.solver),
        )
        self._write("records", map(_escaped, row))

    def put_reading(self, file: str, options: str, reading: str = "") -> None:
        """Save how a file was read; it replaces what was saved before.

        Parameters
        ----------
        file : str
            Its name, as in `records`.
        options : str
            What `ReadOptions.to_json` returns.
        reading : str
            The JSON text of what was understood, if it has been read to its end.
        """
        self._write("readings", map(_escaped, (file, options, reading)))

    def readings(
        self, on_damaged: Callable[[errors.FormatError], object]
    ) -> dict[str, str]:
        """Return the options of each file, see `put_reading`.

        `on_damaged` is called for each damaged row, which is left out.
        """
        found = {}
        with self._exclusive():
            for number, *row, given in self._base.execute(_READINGS):
                if checksum("readings", row) != given:
                    on_damaged(_damaged("readings", number, row[0]))
                else:
                    found[row[0]] = row[1]
        return found

    def put_mark(self, subject: Subject, mark: str, note: str = "") -> None:
        """Save an editor's mark, or an empty one; it replaces an earlier one."""
        values = (*subject, mark, note)
        row = ["" if value is None else _escaped(value) for value in values]
        self._write("marks", row)

    def marks(
        self, on_damaged: Callable[[errors.FormatError], object] = lambda _error: None
    ) -> dict[Subject, Mark]:
        """Return the marks by the records they belong to.

        Parameters
        ----------
        on_damaged : callable
            Called with the name and the reason for each damaged row, which is left out.
        """
        found: dict[Subject, Mark] = {}
        with self._exclusive():
            for number, *row, given in self._base.execute(_MARKS):
                if checksum("marks", row) != given:
                    on_damaged(_damaged("marks", number, row[0]))
                    continue
                source, id_, *others, mark, note = row
                subject = source, id_, *(None if x == "" else x for x in others)
                found[subject] = mark, note
        return found

    def results(
        self,
        on_damaged: Callable[[errors.FormatError], object] = lambda _error: None,
    ) -> Iterator[AuditResult]:
        """Yield the results, ordered by file, line and name.

        Parameters
        ----------
        on_damaged : callable
            Called with the name and the reason for each damaged row, which is left out.
            If a mark is damaged, only the mark is left out.
        """
        with self._exclusive():
            if fault := self._fault():
                on_damaged(errors.FormatError(str(self.path), f"{fault}; {HIDDEN}"))
        marks = self.marks(on_damaged)
        with self._exclusive():
            rows = self._base.execute(_RESULTS)
            before: Sequence[object] = ()
            for row in iter(rows.fetchone, None):
                result = _read_row(row)
                if isinstance(result, errors.FormatError):
                    on_damaged(result)
                    continue
                place = row[1 : 1 + _UNIQUE["records"]]
                if place == before:  # the index had lost the row that was replaced
                    continue
                before = place
                mark, note = marks.get(result.subject, ("", ""))
                yield result._replace(mark=mark or None, note=note or None)

    def commit_if_due(self) -> None:
        """Commit if the last commit was at least `COMMIT_S` ago."""
        if self._pending and time.monotonic() - self._committed >= COMMIT_S:
            self.commit()

    def commit(self) -> None:
        """Write all pending rows to the file."""
        with self._exclusive(is_writing=True):
            if self._base.in_transaction:
                self._base.execute("COMMIT")
                self._require_in_place()
            self._pending = 0
            self._committed = time.monotonic()

    def close(self) -> None:
        """Commit if possible, and always close the file."""
        try:
            self.commit()
        finally:
            with self._lock, suppress(sqlite3.Error):
                self._resources.close()

    def _write(self, table: str, row: Iterable[Any]) -> None:
        # As SQLite returns them: the checksum depends on the types.
        values = [
            value
            if type(value) is kind or value is None or value == ""
            else kind(value)
            for kind, value in zip(TABLES[table].values(), row, strict=True)
        ]
        with self._exclusive(is_writing=True):
            if self._failure is not None:
                raise errors.StoreError(self._failure)
            if not self._base.in_transaction:
                self._base.execute("BEGIN IMMEDIATE")
                self._committed = time.monotonic()
            self._base.execute(_UPSERTS[table], [*values, checksum(table, values)])
            self._pending += 1
            if self._pending >= COMMIT_ROWS:
                self.commit()

    def _connect(self) -> sqlite3.Connection:
        base = sqlite3.connect(
            uri(self._file, create=not self._read_only),
            uri=True,
            timeout=BUSY_S,
            isolation_level=None,
            check_same_thread=False,
        )
        base.text_factory = _decoded
        base.set_progress_handler(handle_signals, STEPS)
        return base

    def _prepare(self, *, fresh: bool) -> None:
        """Create the tables, or check that they are of this version."""
        self._base.execute("PRAGMA synchronous = NORMAL")
        is_empty = not self._pragma("page_count")
        if not is_empty:
            self._require_ours()
        if self._read_only:
            if is_empty:
                self._refuse("expected a store, found an empty file")
            self._base.execute("PRAGMA query_only = 1")
            return
        script = SCHEMA if is_empty else CLEARED if fresh else ""
        if script:
            self._base.executescript(f"BEGIN IMMEDIATE; {script} COMMIT;")
        self._base.execute("CREATE TEMP TABLE used (key PRIMARY KEY) WITHOUT ROWID")
        # After the tables: this writes, and a crash before them would leave no store.
        self._base.execute("PRAGMA journal_mode = WAL")

    def _require_ours(self) -> None:
        if self._pragma("application_id") != APPLICATION:
            self._refuse("expected a store, found another database")
        expected, version = VERSION, self._pragma("user_version")
        if version != expected:
            found = f"expected a store of version {expected}, found {version}"
            self._refuse(f"{found}; {REMEDY}")
        # Another view or a trigger could run without end, or forge rows.
        if others := foreign_definitions(self._base):
            found = f"found another definition of {others[0]}"
            self._refuse(
                f"expected the tables of a store of version {version}, {found}"
            )
        if not self._read_only and (fault := self._fault()):
            self._refuse(f"{fault}; {REMEDY}")

    def _fault(self) -> str:
        """Return what is wrong with the file's pages, which could hide rows."""
        (found,) = self._base.execute("PRAGMA quick_check(1)").fetchone()
        return "" if found == "ok" else f"damaged: {found.splitlines()[-1]}"

    def _become_sole_writer(self, opened: ExitStack) -> None:
        """Hold the lock of the store until `opened` is closed."""
        try:
            opened.enter_context(files.locked(self.path))
        except OSError as error:
            is_held = isinstance(error, BlockingIOError)
            msg = f"{self.path}: {error.strerror if is_held else NOT_CREATED}"
            raise errors.StoreError(msg) from None

    def _require_in_place(self) -> None:
        """Check that the path still names the file that was written."""
        with suppress(FileNotFoundError):
            if os.path.samestat(self._opened, self._file.stat()):
                return
        self._refuse("expected the store, found it removed or replaced")

    def _refuse(self, what: str) -> NoReturn:
        msg = f"{self.path}: {what}"
        raise errors.StoreError(msg)

    def _pragma(self, name: str) -> int:
        (value,) = self._base.execute(f"PRAGMA {name}").fetchone()
        return int(value)

    @contextmanager
    def _exclusive(self, *, is_writing: bool = False) -> Iterator[None]:
        """Hold the lock, and raise errors of SQLite as a `StoreError` of one line.

        The first error in writing is noted before another thread writes.
        """
        with self._lock:
            try:
                try:
                    yield
                except sqlite3.Error as error:
                    if error_name(error) == "SQLITE_INTERRUPT":  # by `handle_signals`
                        raise KeyboardInterrupt from None
                    self._refuse(reason(error, read_only=self._read_only))
                except UnicodeDecodeError:  # SQLite quotes a damaged schema
                    self._refuse(f"malformed database schema; {REMEDY}")
            except errors.StoreError as error:
                if is_writing:
                    self._failure = self._failure or str(error)
                raise error from None


_decoded = partial(str, encoding="utf-8", errors="surrogateescape")
"""SQLite's own decoding would end the query at a text that is not UTF-8."""


def _escaped(value: object) -> object:
    """Escape whatever is not Unicode in a text, such as bytes of a file's name."""
    if isinstance(value, str) and not value.isascii():
        return value.encode(errors="backslashreplace").decode()
    return value


def _result(
    source: str, id_: str, fen: str | None, answer: Sequence[Any]
) -> AuditResult:
    """Return the result of a record with a row of `answers`."""
    found = zip(ANSWER_COLUMNS, answer[1:], strict=False)
    return AuditResult(source=source, id=id_, fen=fen, **dict(found))


def _read_row(row: Sequence[Any]) -> AuditResult | errors.FormatError:
    """Return the result in a row of `_RESULTS`, without its mark; or the damage."""
    number, *values = row
    size = len(TABLES["records"])
    if checksum("records", values[:size]) != values[size]:
        return _damaged("records", number, _source(*values[:2]))
    file, line, _, id_, fen, key, error, text, reader = values[:size]
    source = _source(file, line)
    if error is not None:
        unreadable = AuditResult(id_, source, verdict=Verdict.UNREADABLE.value)
        return unreadable._replace(error=error, text=text, solver=reader)
    _, *answer, found = values[size + 1 :]
    if found is None and not any(answer):
        return errors.FormatError(source, MISSING)
    if checksum("answers", (key, *answer)) != found:
        return errors.FormatError(source, f"its answer is {DAMAGED}")
    return _result(source, id_, fen, (key, *answer))


def _source(file: object, line: object) -> str:
    return f"{file}:{line}" if line else str(file)


def _damaged(table: str, number: int, source: object) -> errors.FormatError:
    """Name a damaged row, of which the source may be what is damaged."""
    return errors.FormatError(f"row {number} of {table} ({source})", DAMAGED)


class ResumeStore:
    """Returns earlier answers from a store and saves new ones.

    Parameters
    ----------
    store : Store
        Where answers are stored.
    options : AuditOptions
        What to search for. Time and node limits are not part of a question: an answer
        that no limit cut short is valid for all of them.
    retry : iterable of str
        Verdicts, or statuses if nothing is claimed, to search again if the limits are
        wider now.

    Attributes
    ----------
    store : Store
    not_retried : int
        How many such answers were not searched again, because the limits were as wide
        before.
    damaged : list of str
        The sources of records whose answers are damaged, and therefore searched again.
    """

    def __init__(
        self, store: Store, options: AuditOptions, retry: Iterable[str] = ()
    ) -> None:
        self.store = store
        self._limits = options.limits
        self._options = options.describe()
        self._retry = frozenset(retry)
        self.not_retried = 0
        self.damaged: list[str] = []

    def key(self, problem: Problem) -> bytes:
        """Return the hash of a question, which includes the solver's version."""
        claim = problem.claim
        question = [
            problem.position,
            f"{claim and claim.mate} {problem.no_mate}",
            " ".join(claim.keys) if claim else "",
            " ".join(claim.line) if claim else "",
            str(claim is not None and claim.any_last_move),
            self._options,
            __version__,
        ]
        if problem.stipulation.text:
            solutions = claim.solutions if claim else None
            question.append(f"{problem.stipulation.text} {solutions}")
        return blake2b("\n".join(question).encode(), digest_size=KEY_BYTES).digest()

    def find(self, problem: Problem, key: bytes) -> AuditResult | None:
        """Return an earlier answer to a question, and store this record with it.

        Returns
        -------
        AuditResult or None
            None if the problem must be searched.
        """
        try:
            found = self.store.answer(key, problem.fen)
        except errors.InputError:
            self.damaged.append(problem.source)
            found = None
        if found is None:
            return None
        result, time_s, nodes = found
        if result.word in self._retry and (
            result.stopped_by == solution.StoppedBy.CRASH
            or self._has_wider_limits(time_s, nodes)
        ):
            return None
        is_first = self.store.is_first_use(key)
        origin = Origin.STORED if is_first else Origin.REPEATED
        result = result.for_record(problem, origin)
        self.store.put_record(result, key)
        return result

    def save(self, key: bytes, result: AuditResult) -> None:
        """Save a new answer and its record."""
        limits = self._limits
        self.store.put_answer(key, result, self._options, limits.time_s, limits.nodes)
        self.store.put_record(result, key)
        self.store.is_first_use(key)

    def _has_wider_limits(self, time_s: float | None, nodes: int | None) -> bool:
        now = _or_infinite(self._limits.time_s), _or_infinite(self._limits.nodes)
        before = _or_infinite(time_s), _or_infinite(nodes)
        # With one limit narrower, the new answer could be worse.
        is_wider = now != before and all(map(operator.ge, now, before))
        self.not_retried += not is_wider
        return is_wider


def _or_infinite(limit: float | None) -> float:
    return math.inf if limit is None else limit
