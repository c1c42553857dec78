"""The store of an audit: an SQLite file with answers and the records that they are for.

`Store` opens, reads, writes and merges such files. `schema` has the tables.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import threading
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from solver.audit.result import COLUMNS, AuditResult, split_source, twin_of
from solver.audit.schema import (
    ALL_ANSWER_COLUMNS,
    ANSWER_COLUMNS,
    APPLICATION,
    CLEARED,
    RECORD_COLUMNS,
    SCHEMA,
    SHOWN_AS_UPGRADED,
    UPGRADE,
    VERSION,
    foreign_definitions,
    lacks_columns,
    merge_statements,
    query_error,
    require_expression,
    upsert,
)
from solver.errors import StoreError
from solver.files import locked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType


COMMIT_S = 1.0
COMMIT_ROWS = 500
"""A crash loses at most the results of this many seconds, or this many rows."""

BUSY_S = 10.0
"""How long to wait while another program writes to the store."""

_RESULT = f"SELECT {', '.join(COLUMNS)} FROM results"
_ANSWER = f"SELECT {', '.join(ANSWER_COLUMNS)} FROM answers WHERE key = ?"
_LIMITS = "SELECT time_limit_s, node_limit FROM answers WHERE key = ?"
_PUT_ANSWER = upsert("answers", ALL_ANSWER_COLUMNS, 1)
_PUT_RECORD = upsert("records", RECORD_COLUMNS, 3)


_STATEMENT_ERRORS = {"SQLITE_ERROR", "SQLITE_TOOBIG", "SQLITE_MISMATCH"}
"""Errors of a statement; all others are errors of the file or its disk."""

_NOT_CREATED = "cannot be opened or created"

_STEPS = 1000
"""SQLite lets Python handle signals after so many of its instructions. Counting them
costs nothing that can be measured; a thousand take less than a millisecond."""

_ANSWER_PLACES = tuple(map(COLUMNS.index, ANSWER_COLUMNS))


class Store:
    """A file with the results of audits; any thread may use it.

    One store at a time may write to a file: it holds the lock of the file until it is
    closed. Any number may read it meanwhile.

    Once a row or a commit has failed, no more rows are accepted. SQLite ends the whole
    transaction when the disk is full, so that answers are gone which records of other
    threads would refer to; and nobody waits for the lock of another program again.

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
        self._lacks_columns = False
        with ExitStack() as opened, self._exclusive():  # closed again after an error
            if read_only:
                _require_readable(self.path)
            else:
                opened.enter_context(_sole_writer(self.path))
            self._base = opened.enter_context(closing(self._connect()))
            self._prepare(fresh=fresh)
            self._opened = self._file.stat()
            self._resources = opened.pop_all()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()

    def answer(self, key: bytes) -> AuditResult | None:
        """Return the answer to a question, without a record."""
        with self._exclusive():
            row = self._base.execute(_ANSWER, (key,)).fetchone()
        if row is None:
            return None
        return AuditResult("", "", **dict(zip(ANSWER_COLUMNS, row, strict=True)))

    def limits(self, key: bytes) -> tuple[float | None, int | None]:
        """Return the limits of time and nodes with which an answer was searched."""
        with self._exclusive():
            time_s, nodes = self._base.execute(_LIMITS, (key,)).fetchone()
        return time_s, nodes

    def put_answer(
        self,
        key: bytes,
        result: AuditResult,
        options: str,
        time_limit_s: float | None,
        node_limit: int | None,
    ) -> None:
        """Save an answer; it replaces an earlier one to the same question."""
        values = [result[place] for place in _ANSWER_PLACES]
        self._write(_PUT_ANSWER, [key, *values, options, time_limit_s, node_limit])

    def put_record(self, result: AuditResult, key: bytes | None) -> None:
        """Save which record has which answer, or why it cannot be read."""
        row = (
            *split_source(result.source),
            twin_of(result),
            *(result.id, result.fen, key, result.error, result.solver),
        )
        self._write(_PUT_RECORD, list(map(_escaped, row)))

    def results(self, where: str | None = None) -> Iterator[AuditResult]:
        """Yield the results, ordered by file, line and name.

        Parameters
        ----------
        where : str or None
            An SQL expression over the columns of `results`, the only table that its
            subqueries may read; None: all results.

        Raises
        ------
        StoreQueryError
            It is not an SQL expression.
        """
        with self._exclusive():
            query = _RESULT
            if where is not None:
                empty = self._base.execute("SELECT * FROM results LIMIT 0")
                require_expression(where, [name for name, *_ in empty.description])
                query = f"{_RESULT} WHERE ({where}\n)"
            try:
                rows = self._base.execute(f"{query} ORDER BY file, line, id")
                while row := rows.fetchone():
                    yield AuditResult(*row)
            except sqlite3.Error as error:
                if where is None or _error_name(error) not in _STATEMENT_ERRORS:
                    raise
                raise query_error(where, error) from None

    def count(self) -> int:
        """Return the number of records."""
        with self._exclusive():
            (count,) = self._base.execute("SELECT count(*) FROM records").fetchone()
        return int(count)

    def commit_if_due(self) -> None:
        """Commit if the last commit was at least `COMMIT_S` ago."""
        if self._pending and time.monotonic() - self._committed >= COMMIT_S:
            self.commit()

    def commit(self) -> None:
        """Write all pending rows to the file."""
        with self._writing():
            if self._base.in_transaction:
                self._base.execute("COMMIT")
                self._require_in_place()
            self._pending = 0
            self._committed = time.monotonic()

    def close(self) -> None:
        """Commit if possible, and close the file in any case."""
        try:
            self.commit()
        finally:
            with self._lock, suppress(sqlite3.Error):
                self._resources.close()

    def merge_from(self, other: Path) -> None:
        """Add the results of another store, all or none of them.

        If both have an answer to a question, the better one stays: proved or disproved
        before found before undecided, then the higher lower bound. If both have a
        record, the other store's replaces it.

        Parameters
        ----------
        other : Path
            A store; it is only read.

        Raises
        ------
        StoreError
            It is not a store, or one of the two cannot be used.
        """
        self.commit()
        # Opening it checks that it is a store of this version.
        with Store(other, read_only=True) as opened, self._exclusive():
            self._base.execute("ATTACH ? AS other", (_uri(other),))
            try:
                self._base.execute("BEGIN")  # IMMEDIATE would lock the other as well
                for statement in merge_statements(is_first=opened._lacks_columns):
                    self._base.execute(statement)
                self._base.execute("COMMIT")
            finally:
                if self._base.in_transaction:  # a full disk may have ended it
                    self._base.execute("ROLLBACK")
                self._base.execute("DETACH other")

    def _write(self, statement: str, row: list[object]) -> None:
        with self._writing():
            if self._failure is not None:
                raise StoreError(self._failure)
            if not self._base.in_transaction:
                self._base.execute("BEGIN IMMEDIATE")
                self._committed = time.monotonic()
            self._base.execute(statement, row)
            self._pending += 1
            if self._pending >= COMMIT_ROWS:
                self.commit()

    def _connect(self) -> sqlite3.Connection:
        base = sqlite3.connect(
            _uri(self._file, create=not self._read_only),
            uri=True,
            timeout=BUSY_S,
            isolation_level=None,
            check_same_thread=False,
        )
        base.set_progress_handler(_handle_signals, _STEPS)
        return base

    def _prepare(self, *, fresh: bool) -> None:
        """Create the tables, or check that they are of this version.

        A first store gets the columns that it lacks; one that must not be written is
        read as if it had them.
        """
        self._base.execute("PRAGMA synchronous = NORMAL")
        is_empty = not self._pragma("page_count")
        if not is_empty:
            self._require_ours()
            self._lacks_columns = lacks_columns(self._base)
        if self._read_only:
            if is_empty:
                msg = f"{self.path}: expected a store, found an empty file"
                raise StoreError(msg)
            if self._lacks_columns:
                self._base.executescript(SHOWN_AS_UPGRADED)
            self._base.execute("PRAGMA query_only = 1")
            return
        script = UPGRADE if self._lacks_columns else ""
        if is_empty or fresh:
            script = SCHEMA if is_empty else CLEARED + SCHEMA
        if script:
            self._base.executescript(f"BEGIN IMMEDIATE; {script} COMMIT;")
            self._lacks_columns = False
        # After the tables: this writes, and a crash before them would leave no store.
        self._base.execute("PRAGMA journal_mode = WAL")

    def _require_ours(self) -> None:
        if self._pragma("application_id") != APPLICATION:
            msg = f"{self.path}: expected a store, found another database"
            raise StoreError(msg)
        if (version := self._pragma("user_version")) != VERSION:
            msg = f"{self.path}: expected a store of version {VERSION}, found {version}"
            raise StoreError(msg)
        # Another view or a trigger could run without end, or forge rows.
        if others := foreign_definitions(self._base):
            msg = (
                f"{self.path}: expected the tables of a store, "
                f"found another definition of {others[0]}"
            )
            raise StoreError(msg)

    def _require_in_place(self) -> None:
        """Check that the path still leads to the file that was written."""
        with suppress(FileNotFoundError):
            if os.path.samestat(self._opened, self._file.stat()):
                return
        msg = f"{self.path}: expected the store, found it removed or replaced"
        raise StoreError(msg)

    def _pragma(self, name: str) -> int:
        (value,) = self._base.execute(f"PRAGMA {name}").fetchone()
        return int(value)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the lock, and note the first error, before another thread writes."""
        with self._lock:
            try:
                with self._exclusive():
                    yield
            except StoreError as error:
                self._failure = self._failure or str(error)
                raise

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Hold the lock, and raise errors of SQLite as a `StoreError` of one line."""
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                if _error_name(error) == "SQLITE_INTERRUPT":  # by `_handle_signals`
                    raise KeyboardInterrupt from None
                reason = _reason(error, read_only=self._read_only)
                msg = f"{self.path}: {reason}"
                raise StoreError(msg) from None


def _escaped(value: object) -> object:
    """Escape what is not Unicode in a text, such as bytes of a file's name."""
    if isinstance(value, str) and not value.isascii():
        return value.encode(errors="backslashreplace").decode()
    return value


def _handle_signals() -> None:
    """Do nothing: Python runs signal handlers when it calls a function.

    What they raise, such as KeyboardInterrupt, ends the statement of SQLite.
    """


def _error_name(error: Exception) -> str:
    """Return SQLite's name of an error; empty if Python raised it before SQLite."""
    name: str = getattr(error, "sqlite_errorname", "")
    return "_".join(name.split("_")[:2])


def _uri(path: Path, *, create: bool = False) -> str:
    """Return the URI with which SQLite opens a file.

    Readers need permission to write as well: SQLite creates two files beside a store
    that is open, and deletes them again. In a folder where it cannot, nobody writes,
    and the file can be opened as immutable.
    """
    mode = "rwc" if create else "rw"
    log = path.with_name(f"{path.name}-wal")
    if not (create or os.access(path.parent, os.W_OK) or log.exists()):
        mode = "ro&immutable=1"
    return f"{path.absolute().as_uri()}?mode={mode}"


@contextmanager
def _sole_writer(path: Path) -> Iterator[None]:
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
            msg = f"{path}: {error.strerror if is_held else _NOT_CREATED}"
            raise StoreError(msg) from None
        yield


def _require_readable(path: Path) -> None:
    """Refuse a file that cannot be read, with the system's message, not SQLite's.

    The file is not opened: closing it would release all locks that another connection
    of this process holds on it.

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


def _reason(error: sqlite3.Error, *, read_only: bool) -> str:
    """Return the message for an error, and what remains stored if rows were written."""
    kept = "" if read_only else "; what was committed before is kept"
    match _error_name(error):
        case "SQLITE_FULL":
            return f"the disk is full{kept}"
        case "SQLITE_BUSY":
            return f"locked by another program for {BUSY_S:g} s{kept}"
        case "SQLITE_NOTADB":
            return "expected a store, found another file"
        case "SQLITE_CANTOPEN":
            return "cannot be opened" if read_only else _NOT_CREATED
    return f"{error}{kept}"
