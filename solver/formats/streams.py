"""Read files that may be compressed: gzip, bzip2, xz and Zstandard, told by content."""

from __future__ import annotations

import bz2
import codecs
import io
import lzma
import os
import re
import sys
import zlib
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Protocol, TypeAlias, cast

from solver.errors import InputError, missing_package

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


# Open a file, or standard input, for reading bytes.

MAX_RECORD_BYTES = 1 << 20
"""A longer line or game is no record; reading it whole could fill the memory."""

STDIN = "-"
"""The path that stands for standard input."""


def name_of(path: str | os.PathLike[str]) -> str:
    """Name a file in messages and sources of records; standard input is `stdin`."""
    return "stdin" if path == STDIN else os.fspath(path)


def open_collection(path: str | os.PathLike[str]) -> io.BufferedReader | io.BytesIO:
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


# How far the reading of collections is.


class Meter:
    """Counts what is read; another thread may look at it at any time.

    Attributes
    ----------
    records : int
        Given so far, unreadable ones included, in all files together.
    passed_over : int
        Records that were not asked for: outside the selection, or rows of lichess's
        that claim no mate.
    """

    def __init__(self) -> None:
        self.records = 0
        self.passed_over = 0
        self._progress: tuple[Callable[[], int], int] | None = None

    def begin(self, read: Callable[[], int], size: int | None) -> None:
        """Turn to a file.

        Parameters
        ----------
        read : callable
            Tells how many bytes of it have been read.
        size : int or None
            How many it has; None where that is not known.
        """
        self._progress = None if size is None else (read, size)

    def fraction(self) -> float | None:
        """Tell how much of the current file has been read, from 0 to 1.

        Returns
        -------
        float or None
            None before the first file, and where its size is not known.
        """
        progress = self._progress
        if progress is None:
            return None
        read, size = progress
        return min(read() / size, 1.0) if size else 1.0


# The lines of a stream with their numbers, in bounded memory.

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


# Read text whose encoding nobody has told.


def decode(raw: bytes) -> str:
    """Read bytes as UTF-8, or else as Windows-1252, of which Latin-1 is a part.

    So a name in an old encoding costs no record. A byte that stands for nothing is
    replaced by U+FFFD.
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


_PIECE_BYTES = 512
"""So little is decompressed at a time, since it can grow by thousands."""

_PEEKED_BYTES = 6


class _Decompressor(Protocol):
    """What bz2, lzma, zlib and zstandard have in common."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


_Loaded: TypeAlias = "tuple[Callable[[], _Decompressor], type[Exception]]"
"""The maker of decompressors, and what these raise on damage."""


class _Method(NamedTuple):
    name: str
    magic: re.Pattern[bytes]
    load: Callable[[], _Loaded]


def _load_zstandard() -> _Loaded:
    with suppress(ModuleNotFoundError):
        zstd = import_module("compression.zstd")  # part of Python from 3.14 on
        return zstd.ZstdDecompressor, zstd.ZstdError
    with suppress(ModuleNotFoundError):
        zstandard = import_module("zstandard")
        return zstandard.ZstdDecompressor().decompressobj, zstandard.ZstdError
    raise InputError(missing_package("reading Zstandard", "zstandard"))


def _load_gzip() -> _Loaded:
    return lambda: zlib.decompressobj(16 + zlib.MAX_WBITS), zlib.error


def _load_bzip2() -> _Loaded:
    return bz2.BZ2Decompressor, OSError


def _load_xz() -> _Loaded:
    return lzma.LZMADecompressor, lzma.LZMAError


_METHODS = (
    _Method("gzip", re.compile(rb"\x1f\x8b"), _load_gzip),
    _Method("bzip2", re.compile(rb"BZh[1-9]"), _load_bzip2),
    _Method("xz", re.compile(rb"\xfd7zXZ\x00"), _load_xz),
    _Method(
        "Zstandard", re.compile(rb"\x28\xb5\x2f\xfd|[P-_]\x2aM\x18"), _load_zstandard
    ),
)
"""Zstandard files begin with either a frame or a frame to be skipped."""


def open_decompressed(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Open a file, or standard input for `-`, for reading what it holds.

    Returns
    -------
    io.BufferedReader
        Plain bytes, decompressed as they are read. Where the file is cut short or
        damaged, reading raises InputError; what came before can be read.

    Raises
    ------
    OSError
        If it cannot be opened.
    InputError
        If what decompresses it is not installed.
    """
    opened = open_collection(path)
    stream: io.BufferedReader
    if isinstance(opened, io.BufferedReader):
        stream = opened
    else:
        stream = io.BufferedReader(cast("io.RawIOBase", opened))
    try:
        start = stream.peek(_PEEKED_BYTES)
        for method in _METHODS:
            if method.magic.match(start):
                return io.BufferedReader(_Decompressed(stream, method))
    except BaseException:
        stream.close()
        raise
    return stream


def count_compressed(stream: BinaryIO) -> Callable[[], int] | None:
    """Give what tells how many bytes of a compressed file have been read so far.

    Parameters
    ----------
    stream : BinaryIO
        As `open_decompressed` gave it.

    Returns
    -------
    callable or None
        None where the file is not compressed.
    """
    raw = stream.raw if isinstance(stream, io.BufferedReader) else None
    return (lambda: raw.taken) if isinstance(raw, _Decompressed) else None


class _Decompressed(io.RawIOBase):
    """The content of a compressed stream, which may have several parts in a row.

    Attributes
    ----------
    taken : int
        Bytes of the compressed stream that have been read.
    """

    def __init__(self, stream: BinaryIO, method: _Method) -> None:
        self.taken = 0
        self._stream = stream
        self._name = method.name
        self._make, self._error = method.load()
        self._decompressor = self._make()
        self._begun = False
        self._content = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._content:
            self._content = memoryview(self._decompress())
        size = min(len(buffer), len(self._content))
        buffer[:size] = self._content[:size]
        self._content = self._content[size:]
        return size

    def fileno(self) -> int:
        return self._stream.fileno()

    def close(self) -> None:
        self._stream.close()
        super().close()

    def _decompress(self) -> bytes:
        """Give what the next pieces hold; nothing at the end."""
        while piece := self._next_piece():
            self._begun = True
            try:
                content = self._decompressor.decompress(piece)
            except self._error as error:
                msg = f"{self._name}: expected compressed data, found damage: {error}"
                raise InputError(msg) from None
            if content:
                return content
        if self._begun:
            msg = f"{self._name}: expected more compressed data, found the file's end"
            raise InputError(msg)
        return b""

    def _next_piece(self) -> bytes:
        rest = b""
        if self._decompressor.eof:
            rest = self._decompressor.unused_data
            self._decompressor = self._make()
            self._begun = False
        while piece := rest or self._read_piece():
            rest = b""
            # Zeros may fill up the space between two parts.
            if piece := piece if self._begun else piece.lstrip(b"\0"):
                return piece
        return b""

    def _read_piece(self) -> bytes:
        piece = self._stream.read(_PIECE_BYTES)
        self.taken += len(piece)
        return piece
