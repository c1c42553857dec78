"""`verify --marks`: an editor's decisions, from a file or a store."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from solver.audit.result import SUBJECT, comparable
from solver.errors import InputError, quote
from solver.formats.streams import (
    MAX_LINE_BYTES,
    NumberedLines,
    decode_line,
    name_of,
    open_decompressed,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from solver.audit.result import AuditResult, Mark
    from solver.audit.store import Store

_NUMBERS = ("schema", "claim", "nomate")
_NUMBER = re.compile("-?[0-9]{1,18}")


class Marks:
    """The marks of a file, which replace those of a store.

    A mark belongs to the records that have all values which it gives.

    Parameters
    ----------
    path : str or None
        A file of JSON lines or CSV, - for standard input; None: no file.

    Raises
    ------
    OSError
        The file cannot be read.
    InputError
        It is damaged; the message begins with `file:line`.
    """

    def __init__(self, path: str | None) -> None:
        self._store: Store | None = None
        self._marks: defaultdict[tuple[str, ...], dict[object, tuple[int, Mark]]]
        self._marks = defaultdict(dict)
        for number, (given, mark) in enumerate(_read(path) if path else (), 1):
            self._marks[(*given,)][comparable(given.items())] = number, mark
        self._unused = {n for marks in self._marks.values() for n, _ in marks.values()}

    def keep_in(self, store: Store, notify: Callable[[str], None]) -> None:
        """Save the marks that `put_on` uses, and use the store's for other records."""
        self._store = store
        damaged: list[InputError] = []
        for subject, mark in store.marks(damaged.append).items():
            key = comparable(zip(SUBJECT, subject, strict=True))
            self._marks[SUBJECT].setdefault(key, (0, mark))
        if damaged:
            count = f"{len(damaged):,} damaged, so not used"
            notify(f"{store.path}: marks {count}; {damaged[0]}")

    def put_on(self, result: AuditResult) -> AuditResult:
        """Return a result with its mark, if it has one: the last of the file."""
        found: list[tuple[int, Mark]] = []
        for columns, marks in self._marks.items():
            key = comparable((name, getattr(result, name)) for name in columns)
            if key in marks:
                found.append(marks[key])
        if not found:
            return result
        self._unused.difference_update(number for number, _ in found)
        _, (mark, note) = max(found)
        if self._store:
            self._store.put_mark(result.subject, mark, note)
        return result._replace(mark=mark or None, note=note or None)

    @property
    def unused(self) -> int:
        """How many marks of the file no result has matched so far."""
        return len(self._unused)


def _read(path: str) -> Iterator[tuple[dict[str, object], Mark]]:
    """Yield the marks of a file: JSON lines, or CSV if the first line is no object."""
    from solver.formats.json_records import parse_object
    from solver.formats.rows import split_row
    from solver.output.audit_records import read_mark

    header: list[str] | None = None
    is_first = True
    with open_decompressed(path) as stream:
        for number, line in NumberedLines(stream, MAX_LINE_BYTES):
            if not line.strip():
                continue
            try:
                if is_first and not line.lstrip().startswith(b"{"):
                    header = _columns(split_row(line))
                elif header is None:
                    yield read_mark(parse_object(decode_line(line)))
                else:
                    yield read_mark(_record(header, split_row(line)))
            except InputError as error:
                msg = f"{name_of(path)}:{number}: {error}"
                raise InputError(msg) from None
            is_first = False


def _columns(cells: Sequence[str]) -> list[str]:
    """Return the names of the columns of CSV."""
    columns = [cell.strip() for cell in cells]
    if "mark" not in columns or {"fen", "id", "source"}.isdisjoint(columns):
        found = quote(",".join(columns))
        expected = "JSON lines, or CSV with columns mark and fen, id or source"
        msg = f"expected {expected}, found {found}"
        raise InputError(msg)
    return columns


def _record(header: Sequence[str], cells: Sequence[str]) -> dict[str, object]:
    """Return a row of CSV as the object of a JSON line."""
    if len(cells) != len(header):
        msg = f"expected {len(header)} columns, found {len(cells):,}"
        raise InputError(msg)
    record: dict[str, object] = {}
    for name, text in zip(header, map(str.strip, cells), strict=True):
        is_number = name in _NUMBERS and _NUMBER.fullmatch(text)
        record[name] = int(text) if is_number else text or None
    return record
