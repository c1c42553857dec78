"""The lines of a stream with their numbers, in bounded memory."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from solver.errors import InputError

if TYPE_CHECKING:
    import io
    from collections.abc import Iterator

MAX_LINE_BYTES = 65_536
"""A longer line is no record of a format that has one a line."""

_CHUNK_BYTES = 1 << 14
_LINE_ENDS = b"\r\n"

_NOTHING_STARTS = frozenset({b"", b"#", b"%", b";"})


class NumberedLines:
    """The lines of a stream, each given as soon as it is there.

    CR, LF and CR LF end a line, in any mixture. Iterating gives the number, from 1,
    and the bytes of each line with its end. A byte order mark before the first is left
    out. Of a line that is longer than the limit, its first `limit + 1` bytes are given.

    Parameters
    ----------
    stream : io.BufferedIOBase
        What is read, to its end.
    limit : int
        The longest line that is given whole, in bytes, its end not counted.

    Attributes
    ----------
    number : int
        Of the line given last; 0 before the first.
    taken : int
        Bytes of the lines given so far and of what was cut off them.
    """

    def __init__(self, stream: io.BufferedIOBase, limit: int) -> None:
        self.number = 0
        self.taken = 0
        self._stream = stream
        self._limit = limit

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        shortest_cut = self._limit + 1
        for lines in self._chunks():
            for line in lines:
                self.taken += len(line)
                if len(line) > shortest_cut:
                    line = self._cut(line)  # noqa: PLW2901
                if not self.number:
                    line = line.removeprefix(codecs.BOM_UTF8)  # noqa: PLW2901
                self.number += 1
                yield self.number, line

    def _chunks(self) -> Iterator[list[bytes]]:
        """Give the lines that end in each chunk, and at last the one without an end.

        A CR at the end of a chunk ends its line there and then: whoever writes to a
        pipe may wait for the answer before writing more. An LF that follows in the next
        chunk belongs to that line. A file keeps nobody waiting: its chunks do not end
        between CR and LF, which a CSV row with an open quote tells from a CR alone.
        """
        begun: list[bytes] = []  # pieces of a line whose end has not come
        kept = 0
        after_cr = False
        while chunk := self._stream.read1(_CHUNK_BYTES):
            if chunk.endswith(b"\r") and self._stream.seekable():
                chunk += self._stream.read(1)
            if after_cr and chunk.startswith(b"\n"):
                self.taken += 1
                chunk = chunk[1:]
            after_cr = chunk.endswith(b"\r")
            lines = chunk.splitlines(keepends=True)
            has_rest = lines and not chunk.endswith((b"\r", b"\n"))
            rest = lines.pop() if has_rest else b""
            if begun and lines:
                lines[0] = b"".join([*begun, lines[0]])
                begun, kept = [], 0
            yield lines
            if kept <= self._limit:
                begun.append(rest)
                kept += len(rest)
            else:
                self.taken += len(rest)
        if kept:
            yield [b"".join(begun)]

    def _cut(self, line: bytes) -> bytes:
        if len(line.rstrip(_LINE_ENDS)) <= self._limit:
            return line
        return line[: self._limit + 1]


def is_record(line: bytes) -> bool:
    """Tell a line from a blank one and from a comment, which #, % or ; begins.

    A line of nothing but too many spaces is none of these: it will be refused.
    """
    return line.lstrip()[:1] not in _NOTHING_STARTS or _is_too_long(line)


def decode_line(line: bytes) -> str:
    """Read a line of a format that has one record a line.

    Parameters
    ----------
    line : bytes
        With or without its end.

    Returns
    -------
    str
        Without white space around it.

    Raises
    ------
    InputError
        If it is too long, or no UTF-8.
    """
    if len(line) > MAX_LINE_BYTES and _is_too_long(line):
        msg = f"expected a line of at most {MAX_LINE_BYTES} bytes, found a longer one"
        raise InputError(msg)
    try:
        return line.decode().strip()
    except UnicodeDecodeError as error:
        found = f"0x{line[error.start]:02x} at byte {error.start + 1}"
        msg = f"expected UTF-8, found {found}"
        raise InputError(msg) from None


def _is_too_long(line: bytes) -> bool:
    return len(line.rstrip(_LINE_ENDS)) > MAX_LINE_BYTES
