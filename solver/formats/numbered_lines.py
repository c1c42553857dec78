"""The lines of a stream with their numbers, in bounded memory."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, BinaryIO

from solver.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LINE_BYTES = 65_536
"""A longer line is no record of a format that has one a line."""

_NOTHING_STARTS = frozenset({b"", b"#", b"%", b";"})


class NumberedLines:
    """The lines of a stream, each given as soon as it is there.

    Iterating gives the number, from 1, and the bytes of each line with its end. A byte
    order mark before the first is left out. Of a line that is longer than the limit,
    its first `limit + 1` bytes are given.

    Parameters
    ----------
    stream : BinaryIO
        What is read, to its end.
    limit : int
        The longest line that is given whole, in bytes.

    Attributes
    ----------
    number : int
        Of the line given last; 0 before the first.
    taken : int
        Bytes of the lines given so far and of what was cut off them.
    """

    def __init__(self, stream: BinaryIO, limit: int) -> None:
        self.number = 0
        self.taken = 0
        self._stream = stream
        self._limit = limit + 1

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        readline, limit = self._stream.readline, self._limit
        while line := readline(limit):
            taken = len(line)
            rest = line
            while len(rest) == limit and not rest.endswith(b"\n"):
                rest = readline(limit)
                taken += len(rest)
            if not self.number:
                line = line.removeprefix(codecs.BOM_UTF8)
            self.number += 1
            self.taken += taken
            yield self.number, line


def is_record(line: bytes) -> bool:
    """Tell a line from a blank one and from a comment, which #, % or ; begins.

    A line of nothing but too many spaces is none of these: it will be refused.
    """
    return len(line) > MAX_LINE_BYTES or line.lstrip()[:1] not in _NOTHING_STARTS


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
    if len(line) > MAX_LINE_BYTES:
        msg = f"expected a line of at most {MAX_LINE_BYTES} bytes, found a longer one"
        raise InputError(msg)
    try:
        return line.decode().strip()
    except UnicodeDecodeError as error:
        found = f"0x{line[error.start]:02x} at byte {error.start + 1}"
        msg = f"expected UTF-8, found {found}"
        raise InputError(msg) from None
