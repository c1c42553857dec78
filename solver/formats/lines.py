"""Read collections of one problem a line, of any size: EPD files and lists of FENs.

Blank lines count for nothing, nor do comments: lines whose first character is one of
`#`, `%` and `;`, with which no FEN can begin. A line that cannot be read costs itself
and no other. Line ends are LF or CRLF, the last may be missing; a byte order mark is
passed over.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from solver.errors import FormatError, InputError
from solver.formats.epd import parse_record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.problem import Problem

STDIN = "-"
"""The path that stands for standard input."""

MAX_LINE_BYTES = 65_536
"""A longer line is no record; reading it whole would let one line fill the memory."""

_COMMENT_MARKS = ("#", "%", ";")
_NOTHING_STARTS = frozenset({b"", *(mark.encode() for mark in _COMMENT_MARKS)})


def parse_line(text: str, source: str) -> Problem | FormatError | None:
    """Read one line of a collection.

    Parameters
    ----------
    text : str
        The line, with or without its end.
    source : str
        `file:line`.

    Returns
    -------
    Problem or FormatError or None
        None when the line is blank or a comment.
    """
    text = text.removeprefix("\ufeff").strip()
    if not text or text.startswith(_COMMENT_MARKS):
        return None
    try:
        return parse_record(text, source)
    except InputError as error:
        return FormatError(source, str(error))


def read_problems(path: str | os.PathLike[str]) -> Iterator[Problem | FormatError]:
    """Read a collection, one line at a time.

    Parameters
    ----------
    path : str or PathLike
        A file, or `-` for standard input.

    Yields
    ------
    Problem or FormatError
        One for each line that is neither blank nor a comment, in their order.

    Raises
    ------
    OSError
        If the file cannot be opened or read.
    """
    with open_collection(path) as stream:
        name = "stdin" if path == STDIN else os.fspath(path)
        yield from parse_stream(stream, name)


def parse_stream(stream: BinaryIO, name: str) -> Iterator[Problem | FormatError]:
    """Read a collection from an open stream, each line as soon as it is there.

    Parameters
    ----------
    stream : BinaryIO
        Lines of UTF-8.
    name : str
        What to call the stream in `file:line`.

    Yields
    ------
    Problem or FormatError
        One for each line that is neither blank nor a comment, in their order.
    """
    for number, raw in enumerate(_split_lines(stream), start=1):
        record = _parse_bytes(raw, f"{name}:{number}")
        if record is not None:
            yield record


def count_records(stream: BinaryIO) -> int:
    """Count the lines that `parse_stream` would give a record for.

    Parameters
    ----------
    stream : BinaryIO
        Lines of UTF-8, read to its end.

    Returns
    -------
    int
        How many lines are neither blank nor comments.
    """
    return sum(_is_record(raw) for raw in _split_lines(stream))


def open_collection(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file, or standard input for `-`, for reading bytes.

    Raises
    ------
    OSError
        If it cannot be opened.
    """
    if path != STDIN:
        return Path(path).open("rb")
    if sys.stdin is None:
        msg = "standard input is closed"
        raise OSError(msg)
    try:
        # A reader of our own: a thread that waits for input inside `sys.stdin` would
        # keep the interpreter from closing that, and so from exiting.
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except io.UnsupportedOperation:
        return io.BytesIO(sys.stdin.buffer.read())


def _split_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Cut at line ends; of a line that is too long, only its beginning is kept."""
    while raw := stream.readline(MAX_LINE_BYTES + 1):
        rest = raw
        while len(rest) > MAX_LINE_BYTES and not rest.endswith(b"\n"):
            rest = stream.readline(MAX_LINE_BYTES + 1)
        yield raw


def _is_record(raw: bytes) -> bool:
    """Tell, without decoding it, whether a line is neither blank nor a comment."""
    start = raw.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    return len(raw) > MAX_LINE_BYTES or start not in _NOTHING_STARTS


def _parse_bytes(raw: bytes, source: str) -> Problem | FormatError | None:
    if len(raw) > MAX_LINE_BYTES:
        reason = (
            f"expected a line of at most {MAX_LINE_BYTES} bytes, found a longer one"
        )
        return FormatError(source, reason)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        found = f"0x{raw[error.start]:02x} at byte {error.start + 1}"
        return FormatError(source, f"expected UTF-8, found {found}")
    return parse_line(text, source)
