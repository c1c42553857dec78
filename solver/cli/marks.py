"""`verify --marks`: an editor's decisions, from a file or a store."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

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

    from solver.audit.result import AuditResult, Subject
    from solver.audit.store import Store

_NUMBERS = ("schema", "claim", "nomate")
_NUMBER = re.compile("-?[0-9]{1,18}")


class Marks:
    """The marks of a file, which replace those of a store.

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
        self._marks = {} if path is None else dict(_read(path))
        self._unused = set(self._marks)

    def keep_in(self, store: Store, notify: Callable[[str], None]) -> None:
        """Save the marks of the file, and use the store's for all other records."""
        for subject, mark in self._marks.items():
            store.put_mark(subject, mark)
        damaged: list[InputError] = []
        self._marks = store.marks(damaged.append)
        if damaged:
            count = f"{len(damaged):,} damaged, so not used"
            notify(f"{store.path}: marks {count}; {damaged[0]}")

    def put_on(self, result: AuditResult) -> AuditResult:
        """Return a result with its mark, if it has one."""
        mark = self._marks.get(result.subject)
        if mark is None:
            return result
        self._unused.discard(result.subject)
        return result._replace(mark=mark or None)

    @property
    def unused(self) -> int:
        """How many marks of the file no result has matched so far."""
        return len(self._unused)


def _read(path: str) -> Iterator[tuple[Subject, str]]:
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
    if not {"fen", "mark"}.issubset(columns):
        found = quote(",".join(columns))
        msg = f"expected JSON lines, or CSV with columns fen and mark, found {found}"
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
