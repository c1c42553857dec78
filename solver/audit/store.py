"""One store, open: answers looked up and kept, findings told."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from solver.audit.result import AuditResult, split_source
from solver.audit.schema import (
    ALL_ANSWER_COLUMNS,
    ANSWER_COLUMNS,
    APPLICATION,
    CLEARED,
    RECORD_COLUMNS,
    SCHEMA,
    VERSION,
    upsert,
)
from solver.errors import StoreError, StoreQueryError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType


COMMIT_S = 1.0
COMMIT_ROWS = 500
"""How old, and how many, findings are that a kill can lose."""

BUSY_S = 10.0
"""How long to wait for another program that writes to the store."""

_FINDING = f"SELECT {', '.join(AuditResult._fields)} FROM results"
_ANSWER = (
    f"SELECT {', '.join(ANSWER_COLUMNS)}, time_limit_s, node_limit "
    "FROM answers WHERE key = ?"
)
_PUT_ANSWER = upsert("answers", ALL_ANSWER_COLUMNS, 1)
_PUT_RECORD = upsert("records", RECORD_COLUMNS, 2)

_OF_STATEMENTS = {"", "SQLITE_ERROR", "SQLITE_TOOBIG", "SQLITE_MISMATCH"}

_PLACES = tuple(map(AuditResult._fields.index, ANSWER_COLUMNS))


class Answered(NamedTuple):
    """An answer that the store has.

    Attributes
    ----------
    finding : Finding
        What was found; of no record yet.
    time_limit_s, node_limit
        What it was allowed to cost; None: no limit.
    """

    result: AuditResult
    time_limit_s: float | None
    node_limit: int | None


class Store:
    """A file with what audits have found; any thread may use it.

    Parameters
    ----------
    path : str or PathLike
        Made where there is none.
    read_only : bool
        Do not write, and do not make one.
    fresh : bool
        Forget what is in it.

    Raises
    ------
    StoreError
        The file is no store, is another version's, or cannot be used.
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
        self._read_only = read_only
        if read_only:
            _require_readable(self.path)
        with self._telling():
            self._base = self._connect(read_only=read_only)
            try:
                self._prepare(read_only=read_only, fresh=fresh)
                self._opened = self._file.stat()
            except BaseException:
                self._base.close()
                raise

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()

    def answer(self, key: bytes) -> Answered | None:
        """Look an answer up."""
        with self._telling():
            row = self._base.execute(_ANSWER, (key,)).fetchone()
        if row is None:
            return None
        *told, time_limit_s, node_limit = row
        fields = dict(zip(ANSWER_COLUMNS, told, strict=True))
        return Answered(AuditResult("", "", **fields), time_limit_s, node_limit)

    def put_answer(
        self,
        key: bytes,
        result: AuditResult,
        options: str,
        time_limit_s: float | None,
        node_limit: int | None,
    ) -> None:
        """Keep an answer, in the place of an earlier one to the same question."""
        told = [result[place] for place in _PLACES]
        self._write(_PUT_ANSWER, [key, *told, options, time_limit_s, node_limit])

    def put_record(self, result: AuditResult, key: bytes | None) -> None:
        """Keep which record has which answer, or why it cannot be read."""
        file, line = split_source(result.source)
        told = (result.id, result.fen, key, result.error, result.solver)
        row = [_writable(value) for value in (file, line, *told)]
        self._write(_PUT_RECORD, row)

    def results(self, where: str = "") -> Iterator[AuditResult]:
        """Give what was found, by file and line.

        Parameters
        ----------
        where : str
            An SQL expression over the columns of `results`; empty: all.

        Raises
        ------
        StoreQueryError
            The expression is none.
        """
        query = f"{_FINDING} WHERE ({where})" if where else _FINDING
        with self._telling():
            try:
                rows = self._base.execute(f"{query} ORDER BY file, line")
                while row := rows.fetchone():
                    yield AuditResult._make(row)
            except (sqlite3.Error, UnicodeEncodeError) as error:
                if not where or _is_of_file(error):
                    raise
                msg = f"--where: expected an SQL expression, found {where!r}: {error}"
                raise StoreQueryError(msg) from None

    def count(self) -> int:
        """Tell how many records there are."""
        with self._telling():
            (count,) = self._base.execute("SELECT count(*) FROM records").fetchone()
        return int(count)

    def commit_if_due(self) -> None:
        """Write down what has waited for a second."""
        if self._pending and time.monotonic() - self._committed >= COMMIT_S:
            self.commit()

    def commit(self) -> None:
        """Write down all that was put."""
        with self._telling():
            if self._base.in_transaction:
                self._base.execute("COMMIT")
                self._require_in_place()
            self._pending = 0
            self._committed = time.monotonic()

    def close(self) -> None:
        """Write down all that was put, if that is possible, and close the file."""
        try:
            self.commit()
        finally:
            with self._lock, suppress(sqlite3.Error):
                self._base.close()

    def merge_from(self, statements: Iterator[str], other: Path) -> None:
        """Run statements that read another store, named `other`, as one transaction."""
        self.commit()
        with self._telling():
            self._base.execute("ATTACH ? AS other", (_address(other),))
            try:
                self._base.execute("BEGIN")  # IMMEDIATE would lock the other as well
                for statement in statements:
                    self._base.execute(statement)
                self._base.execute("COMMIT")
            finally:
                if self._base.in_transaction:  # a full disk may have ended it
                    self._base.execute("ROLLBACK")
                self._base.execute("DETACH other")

    def _write(self, statement: str, row: list[object]) -> None:
        with self._telling():
            if not self._base.in_transaction:
                self._base.execute("BEGIN IMMEDIATE")
                self._committed = time.monotonic()
            self._base.execute(statement, row)
            self._pending += 1
            if self._pending >= COMMIT_ROWS:
                self.commit()

    def _connect(self, *, read_only: bool) -> sqlite3.Connection:
        return sqlite3.connect(
            _address(self._file, may_make=not read_only),
            uri=True,
            timeout=BUSY_S,
            isolation_level=None,
            check_same_thread=False,
        )

    def _prepare(self, *, read_only: bool, fresh: bool) -> None:
        """Make the tables, or see that they are the ones of this version."""
        self._base.execute("PRAGMA synchronous = NORMAL")
        self._base.execute(f"PRAGMA query_only = {int(read_only)}")
        is_empty = not self._pragma("page_count")
        if not is_empty:
            self._require_ours()
        if read_only:
            if is_empty:
                msg = f"{self.path}: expected a store of audits, found an empty file"
                raise StoreError(msg)
            return
        if is_empty or fresh:
            cleared = "" if is_empty else CLEARED
            self._base.executescript(f"BEGIN IMMEDIATE; {cleared} {SCHEMA} COMMIT;")
        # Writes to a new file: behind the tables, or a kill leaves a file without them.
        self._base.execute("PRAGMA journal_mode = WAL")

    def _require_ours(self) -> None:
        if self._pragma("application_id") != APPLICATION:
            msg = f"{self.path}: expected a store of audits, found another database"
            raise StoreError(msg)
        if (version := self._pragma("user_version")) != VERSION:
            msg = f"{self.path}: expected a store of version {VERSION}, found {version}"
            raise StoreError(msg)

    def _require_in_place(self) -> None:
        """See that what was written can be found again."""
        with suppress(FileNotFoundError):
            if os.path.samestat(self._opened, self._file.stat()):
                return
        msg = f"{self.path}: expected the store, found it removed or replaced"
        raise StoreError(msg)

    def _pragma(self, name: str) -> int:
        (value,) = self._base.execute(f"PRAGMA {name}").fetchone()
        return int(value)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Use the file alone, and tell in a line what SQLite has against it."""
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                reason = _reason(error, read_only=self._read_only)
                msg = f"{self.path}: {reason}"
                raise StoreError(msg) from None


def _writable(value: object) -> object:
    """Escape in a text what is no Unicode: bytes of a file's name, say."""
    if isinstance(value, str) and not value.isascii():
        return value.encode(errors="backslashreplace").decode()
    return value


def _is_of_file(error: Exception) -> bool:
    """Tell faults of the file, or its disk, from those of a statement."""
    return _name(error) not in _OF_STATEMENTS


def _name(error: Exception) -> str:
    """Give SQLite's name of an error; empty where Python has found it first."""
    name: str = getattr(error, "sqlite_errorname", "")
    return "_".join(name.split("_")[:2])


def _address(path: Path, *, may_make: bool = False) -> str:
    """Give SQLite's address of a file.

    Readers may write too, as far as SQLite is concerned: it keeps two files beside a
    store that is open, and takes them away. Where it cannot, nobody writes at all.
    """
    mode = "rwc" if may_make else "rw"
    log = path.with_name(f"{path.name}-wal")
    if not (may_make or os.access(path.parent, os.W_OK) or log.exists()):
        mode = "ro&immutable=1"
    return f"{path.absolute().as_uri()}?mode={mode}"


def _require_readable(path: Path) -> None:
    """Refuse what cannot be read, in the system's words, which say more than SQLite's.

    The file is not opened: closing it would end all locks that another connection of
    this process has on it.

    Raises
    ------
    StoreError
        There is no such file, it is a folder, or reading it is not allowed.
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
    """Say what is wrong, and where something may have been written, what is left."""
    kept = "" if read_only else "; what was committed before is kept"
    match _name(error):
        case "SQLITE_FULL":
            return f"the disk is full{kept}"
        case "SQLITE_BUSY":
            return f"locked by another program for {BUSY_S:g} s{kept}"
        case "SQLITE_NOTADB":
            return "expected a store of audits, found another file"
        case "SQLITE_CANTOPEN":
            return (
                "cannot be opened" if read_only else "cannot be opened, or made there"
            )
    return f"{error}{kept}"


# Several stores into one, such as those of the shards of an audit.

_SETTLED = "CASE {0}.status WHEN 'undecided' THEN 0 WHEN 'found' THEN 1 ELSE 2 END"

_ANSWERS = upsert(
    "answers",
    ALL_ANSWER_COLUMNS,
    1,
    rows=f"SELECT {', '.join(ALL_ANSWER_COLUMNS)} FROM other.answers WHERE true",
)
_IS_BETTER = (
    f"({_SETTLED.format('excluded')}, excluded.lower_bound) > "
    f"({_SETTLED.format('answers')}, answers.lower_bound)"
)
_RECORDS = upsert(
    "records",
    RECORD_COLUMNS,
    2,
    rows=f"SELECT {', '.join(RECORD_COLUMNS)} FROM other.records WHERE true",
)


def merge(store: Store, other: Path) -> None:
    """Add what another store has found.

    Where both have answered a question, the more settled answer stays; where both have
    a record, the other's counts.

    Parameters
    ----------
    store : Store
        Is added to: all or nothing.
    other : Path
        A store; it is only read.

    Raises
    ------
    StoreError
        It is none, or one of the two cannot be used.
    """
    with Store(other, read_only=True):  # sees whether it is one, and of this version
        store.merge_from(iter((f"{_ANSWERS} WHERE {_IS_BETTER}", _RECORDS)), other)
