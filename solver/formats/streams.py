"""Read files and standard input as numbered lines, in bounded memory.

1. `open_decompressed` opens a file. gzip, bzip2, xz and Zstandard are recognised by the
   first bytes, not by the name.
2. `NumberedLines` splits it into lines, each available as soon as it arrives, and
   `Batches` has those that have arrived together.
3. `decode_line` and `decode` turn bytes into text; a line must not be binary data.
4. `read_each` parses records, and reports those that cannot be parsed.
"""

from __future__ import annotations

import bz2
import codecs
import io
import lzma
import os
import re
import stat
import sys
import tempfile
import zlib
from collections import deque
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, TypeAlias, TypeVar, cast

from solver.errors import FormatError, InputError, missing_package
from solver.problem import escape_controls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from solver.problem import Problem


MAX_RECORD_BYTES = 1 << 20
"""The longest line or game that is read, so that no record fills the memory."""

STDIN = "-"
"""The path that means standard input."""

Lines: TypeAlias = "Iterable[tuple[int, bytes]]"
"""The number of each line, from 1, and its bytes."""

Records: TypeAlias = "Iterator[Problem | FormatError]"
"""What a reader yields: problems, and errors for unreadable records."""

Raw = TypeVar("Raw")
Parsed = TypeVar("Parsed")


def name_of(path: str | os.PathLike[str]) -> str:
    """Return a file's name for messages and `file:line`; `-` becomes `stdin`."""
    return "stdin" if path == STDIN else escape_controls(os.fspath(path))


def open_collection(path: str | os.PathLike[str]) -> io.BufferedReader:
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
        # Not `sys.stdin` itself: a thread that waits inside it would keep the
        # interpreter from closing it at exit.
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except io.UnsupportedOperation:
        stdin = io.BytesIO(sys.stdin.buffer.read())
        return io.BufferedReader(cast("io.RawIOBase", stdin))


def open_decompressed(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Open a file, or standard input for `-`, and decompress it.

    Returns
    -------
    io.BufferedReader
        Plain bytes, decompressed as they are read. If the file is truncated or damaged,
        reading raises InputError after all bytes before the damage have been read.

    Raises
    ------
    OSError
        If the file cannot be opened.
    InputError
        If the package that decompresses it is not installed.
    """
    stream = open_collection(path)
    try:
        start = stream.peek(_PEEKED_BYTES)
        if compressed := _match_magic(start):
            return io.BufferedReader(_Decompressed(stream, str(compressed.lastgroup)))
    except BaseException:  # also an interrupt; nobody else can close it
        stream.close()
        raise
    return stream


def count_compressed(stream: io.BufferedReader) -> Callable[[], int] | None:
    """Return a function that counts the compressed bytes read so far.

    Parameters
    ----------
    stream : io.BufferedReader
        A stream of `open_decompressed`.

    Returns
    -------
    callable or None
        None if the file is not compressed.
    """
    raw = stream.raw
    return (lambda: raw.bytes_read) if isinstance(raw, _Decompressed) else None


def is_seekable(stream: BinaryIO) -> bool:
    """Return whether a stream can be read from any place, and stands at its beginning.

    A compressed stream and a pipe cannot.
    """
    return stream.seekable() and stream.seek(0, io.SEEK_CUR) == 0


@contextmanager
def seekable(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Return the stream, or a temporary copy if it is not seekable.

    Raises
    ------
    OSError
        If the copy cannot be written.
    """
    if is_seekable(stream):
        yield stream
    else:
        with _copy(stream) as copy:
            yield copy


@contextmanager
def with_path(stream: BinaryIO) -> Iterator[str]:
    """Return the path of a regular file that is open, else that of a temporary copy.

    A stream may also have the name of a member of a zip, so the path must lead to the
    file that is open.
    """
    path = getattr(stream, "name", None)
    if isinstance(path, str) and _is_file(path, stream):
        yield path
    else:
        with _copy(stream) as copy:
            yield copy.name


def _is_file(path: str, stream: BinaryIO) -> bool:
    try:
        opened, found = os.fstat(stream.fileno()), Path(path).stat()
    except OSError:  # not from a file, or removed
        return False
    return stat.S_ISREG(opened.st_mode) and os.path.samestat(opened, found)


@contextmanager
def _copy(stream: BinaryIO) -> Iterator[BinaryIO]:
    with tempfile.NamedTemporaryFile() as copy:
        while piece := stream.read(_SPOOL_BYTES):
            try:
                copy.write(piece)
                copy.flush()
            except OSError as error:  # the temporary file's name says little
                with suppress(OSError):
                    copy.close()
                folder = tempfile.gettempdir()
                raise OSError(error.errno, error.strerror, folder) from None
        copy.seek(0)
        yield cast("BinaryIO", copy)


_SPOOL_BYTES = 1 << 20

MAX_LINE_BYTES = 65_536
"""The longest record of a format with one record per line."""

PIECE_BYTES = 1 << 15
BATCH_LINES = 256
"""The most lines that are read together."""

_RECENT_LINES, _SHOWN_BYTES = 300, 500
"""How many lines are kept to show unreadable records, and how many bytes of each."""

_BEGINS_TAG = re.compile(rb'\[\w+\s*"')
_LINE_ENDS = b"\r\n"

_NOTHING_STARTS = frozenset({b"", b"#", b"%", b";"})


class Batches(Generic[Raw]):
    """Items that arrive in batches: an iterator over items, or over what has arrived.

    Parameters
    ----------
    batches : iterable of iterable
        Items of the same batch are there without waiting for more input.
    """

    def __init__(self, batches: Iterable[Iterable[Raw]]) -> None:
        self._batches = iter(batches)
        self._begun: Iterator[Raw] = iter(())

    @classmethod
    def of_lines(cls, lines: Lines) -> Batches[tuple[int, bytes]]:
        """Return the batches of `NumberedLines`; other lines come one by one."""
        if isinstance(lines, NumberedLines):
            return Batches(lines.batches())
        return Batches([line] for line in lines)

    def __iter__(self) -> Iterator[Raw]:
        return self

    def __next__(self) -> Raw:
        while True:
            for item in self._begun:
                return item
            self._begun = iter(next(self._batches))

    def rest(self) -> Iterator[list[Raw]]:
        """Yield what is left of the batch that was begun, and the other batches."""
        yield [*self._begun]
        yield from map(list, self._batches)


class NumberedLines:
    """The lines of a stream, each yielded as soon as it arrives.

    CR, LF and CR LF end a line, in any mixture. Iterating yields the number, from 1,
    and the bytes of each line with its end. A byte order mark at the beginning is
    removed. A line longer than the limit is cut to its first `limit + 1` bytes.

    Parameters
    ----------
    stream : io.BufferedIOBase
        The stream, read to its end.
    limit : int
        The longest line that is yielded whole, in bytes, without its end.

    Attributes
    ----------
    number : int
        The number of the last line yielded; 0 before the first.
    bytes_read : int
        Bytes of the lines yielded so far, including those cut off.
    """

    def __init__(self, stream: io.BufferedIOBase, limit: int) -> None:
        self.number = self._yielded = 0
        self.bytes_read = 0
        self._stream = stream
        self._limit = limit
        self._ahead = bytearray()
        self._damage: InputError | None = None
        self._recent = deque[bytes](maxlen=_RECENT_LINES + BATCH_LINES)

    def text_at(self, number: int) -> str:
        """Return a recent line, or its beginning; empty if it is too long ago.

        If it begins with a tag of PGN, the lines up to a blank one follow.
        """
        at = len(self._recent) - (self.number - number) - 1
        count = max(self._yielded - number, 0) + 1  # of lines that its reader has
        if not 0 <= at < len(self._recent) or count > _RECENT_LINES:
            return ""
        text = self._recent[at].strip()
        if _BEGINS_TAG.match(text):
            lines = map(bytes.strip, islice(self._recent, at, at + count))
            text = b"\n".join(takewhile(bool, lines))
        text = text[:_SHOWN_BYTES]
        try:  # the last character may be cut
            return codecs.getincrementaldecoder("utf-8")().decode(text)
        except UnicodeDecodeError:
            return decode(text)

    def sample(self, size: int) -> bytes:
        """Read ahead, and return the first bytes without a mark of UTF-8.

        Parameters
        ----------
        size : int
            How many to return; fewer only if the stream ends, more if they are blank.
        """
        try:
            while len(self._ahead) < size + len(codecs.BOM_UTF8) or (
                len(self._ahead) < PIECE_BYTES and not self._ahead.strip()
            ):
                if not (piece := self._stream.read1(PIECE_BYTES)):
                    break
                self._ahead += piece
        except InputError as error:  # raised again after what was read before
            self._damage = error
        size = max(size, PIECE_BYTES)
        return bytes(self._ahead).removeprefix(codecs.BOM_UTF8)[:size]

    def decode_utf16(self) -> None:
        """Read the rest of the stream, from its mark on, as UTF-16."""
        text = (bytes(self._ahead) + self._stream.read()).decode("utf-16", "replace")
        self._ahead = bytearray(text.encode())

    def rest(self) -> BinaryIO:
        """Return what is not read as a stream, or all of it if it can be sought."""
        stream = cast("BinaryIO", self._stream)
        if stream.seekable() and not self._damage:
            stream.seek(-len(self._ahead), io.SEEK_CUR)
            return stream
        return cast(
            "BinaryIO",
            io.BufferedReader(_Joined(bytes(self._ahead), stream, self._damage)),
        )

    def _read(self) -> bytes:
        """Return the next bytes; those that were read ahead come first."""
        if self._ahead:
            piece, self._ahead = bytes(self._ahead), bytearray()
            return piece
        if self._damage:
            raise self._damage
        return self._stream.read1(PIECE_BYTES)

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        for batch in self.batches():
            for item in batch:
                self._yielded = item[0]
                yield item

    def batches(self) -> Iterator[list[tuple[int, bytes]]]:
        """Yield the lines that have arrived together, `BATCH_LINES` at most."""
        for arrived in self._chunks():
            for start in range(0, len(arrived), BATCH_LINES):
                lines = arrived[start : start + BATCH_LINES]
                self.bytes_read += sum(map(len, lines))
                if len(max(lines, key=len)) > self._limit:
                    lines = [self._cut(line) for line in lines]
                if not self.number:
                    lines[0] = lines[0].removeprefix(codecs.BOM_UTF8)
                self._recent.extend([line[:_SHOWN_BYTES] for line in lines])
                first = self.number + 1
                self.number += len(lines)
                yield [*enumerate(lines, first)]

    def _cut(self, line: bytes) -> bytes:
        return line[: self._limit + 1] if _is_longer(line, self._limit) else line

    def pieces(self) -> Iterator[bytes]:
        """Yield the stream in pieces instead of lines, without a byte order mark."""
        while piece := self._read():
            begun, self.bytes_read = self.bytes_read, self.bytes_read + len(piece)
            yield piece if begun else piece.removeprefix(codecs.BOM_UTF8)

    def _chunks(self) -> Iterator[list[bytes]]:
        """Yield the lines that end in each chunk, and finally one without an end.

        A CR at the end of a chunk ends its line at once, because a program that writes
        to a pipe may wait for the answer before it writes more. An LF at the beginning
        of the next chunk then belongs to that line.
        """
        begun = bytearray()  # a line whose end has not arrived
        after_cr = False
        while chunk := self._read():
            if after_cr and chunk.startswith(b"\n"):
                self.bytes_read += 1
                chunk = chunk[1:]
            after_cr = chunk.endswith(b"\r")
            lines = chunk.splitlines(keepends=True)
            has_rest = lines and not chunk.endswith((b"\r", b"\n"))
            rest = lines.pop() if has_rest else b""
            if begun and lines:
                lines[0] = bytes(begun + lines[0])
                begun.clear()
            yield lines
            if len(begun) <= self._limit:
                begun += rest
            else:
                self.bytes_read += len(rest)
        if begun:
            yield [bytes(begun)]


class _Joined(io.RawIOBase):
    """Bytes, and the stream from which they were read ahead, or how it ended."""

    def __init__(
        self, ahead: bytes, stream: BinaryIO, damage: InputError | None
    ) -> None:
        self._ahead, self._stream, self._damage = ahead, stream, damage

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._damage and not self._ahead:
            raise self._damage
        piece = self._ahead[: len(buffer)] or self._stream.read(len(buffer))
        self._ahead = self._ahead[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)


def plain_text(content: bytes) -> str:
    """Return a text with line feeds, and without NUL bytes and unusual spaces."""
    text = decode(content).replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\0", "").translate(_PLAIN)


_PLAIN = {0xA0: " ", 0xFEFF: None}


def is_record(line: bytes) -> bool:
    """Return whether a line is neither blank nor a comment after #, % or ;.

    A line that is too long counts as a record, which is then refused.
    """
    return line.lstrip()[:1] not in _NOTHING_STARTS or _is_longer(line, MAX_LINE_BYTES)


def decode_line(line: bytes) -> str:
    """Decode a line of a format with one record per line; see `decode`.

    Parameters
    ----------
    line : bytes
        With or without its end.

    Returns
    -------
    str
        The text with its white space.

    Raises
    ------
    InputError
        If the line is too long, or not UTF-8 and has a NUL byte, as binary data have.
    """
    if len(line) > MAX_LINE_BYTES and _is_longer(line, MAX_LINE_BYTES):
        msg = f"expected a line of at most {MAX_LINE_BYTES:,} bytes, found a longer one"
        raise InputError(msg)
    try:
        return line.decode()
    except UnicodeDecodeError:
        if 0 in line:
            msg = f"expected text, found a NUL byte at byte {line.index(0) + 1}"
            raise InputError(msg) from None
        return decode(line)


def decode_batch(
    batch: Sequence[tuple[int, bytes]],
) -> list[tuple[int, str | InputError]]:
    """Return the texts of numbered lines, or why `decode_line` refuses them."""
    with suppress(UnicodeDecodeError):
        if max((len(line) for _, line in batch), default=0) <= MAX_LINE_BYTES:
            return [(number, line.decode()) for number, line in batch]
    texts: list[tuple[int, str | InputError]] = []
    for number, line in batch:
        try:
            texts.append((number, decode_line(line)))
        except InputError as error:
            texts.append((number, error))
    return texts


def _is_longer(line: bytes, limit: int) -> bool:
    return len(line) > limit and len(line.rstrip(_LINE_ENDS)) > limit


def decode(raw: bytes) -> str:
    """Decode bytes as UTF-8, else as Windows-1252, a superset of printable Latin-1.

    A name in an old encoding thus does not make a record unreadable. Undefined bytes
    become U+FFFD.
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


def read_each(
    records: Iterable[tuple[int, Raw]], name: str, parse: Callable[[Raw, str], Parsed]
) -> Iterator[Parsed | FormatError]:
    """Parse the records of a file, each as soon as it arrives.

    Parameters
    ----------
    records : iterable of tuple
        The number of the line where each record begins, and the record.
    name : str
        The file's name in `file:line`.
    parse : callable
        Parses a record, given its `file:line`; raises InputError.

    Yields
    ------
    object or FormatError
        One for each record, in file order.
    """
    for number, record in records:
        source = f"{name}:{number}"
        try:
            yield parse(record, source)
        except InputError as error:
            yield FormatError(source, str(error))


_COMPRESSED_BYTES = 512
"""Compressed bytes per step; with gzip, they expand to at most 512 KiB."""

_CONTENT_BYTES = 1 << 20
"""Content per step; bzip2 expands a piece to 500 MiB, Zstandard to 16 MiB."""

_MEMORY_BYTES = 1 << 27
"""The memory that an xz file may demand: twice as much as any preset. It is Zstandard's
own limit."""

_PEEKED_BYTES = 6


_match_magic = re.compile(
    rb"(?P<gzip>\x1f\x8b)|(?P<bzip2>BZh[1-9])|(?P<xz>\xfd7zXZ\x00)"
    rb"|(?P<Zstandard>\x28\xb5\x2f\xfd|[P-_]\x2aM\x18)"
).match
"""A Zstandard file begins with a frame or a skippable frame."""


def _load(method: str) -> tuple[Callable[[], Any], type[Exception]]:
    """Return a factory of decompressors, and what they raise on damaged data.

    Those of bz2, lzma, zlib and zstandard have `decompress`, `eof` and `unused_data`.
    """
    if method == "gzip":
        return partial(zlib.decompressobj, 16 + zlib.MAX_WBITS), zlib.error
    if method == "bzip2":
        return bz2.BZ2Decompressor, OSError
    if method == "xz":
        xz = partial(lzma.LZMADecompressor, memlimit=_MEMORY_BYTES)
        return xz, lzma.LZMAError
    with suppress(ModuleNotFoundError):
        zstd = import_module("compression.zstd")  # in Python from 3.14 on
        return zstd.ZstdDecompressor, zstd.ZstdError
    with suppress(ModuleNotFoundError):
        zstandard = import_module("zstandard")
        return zstandard.ZstdDecompressor().decompressobj, zstandard.ZstdError
    raise InputError(missing_package("reading Zstandard", "zstandard"))


class _Decompressed(io.RawIOBase):
    """The content of a compressed stream, which may consist of several parts.

    The readers of bz2 and lzma drop without an error what follows zeros between two
    parts, or damage after one; that of zstandard ends a truncated file as if it were
    whole; none of lzma limits the memory that a file may demand.

    Attributes
    ----------
    bytes_read : int
        Bytes of the compressed stream that have been read.
    """

    def __init__(self, stream: BinaryIO, method: str) -> None:
        self.bytes_read = 0
        self._stream = stream
        self._contents = filter(None, self._decompress(method, *_load(method)))
        self._content = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._content:
            self._content = memoryview(next(self._contents, b""))
        size = min(len(buffer), len(self._content))
        buffer[:size] = self._content[:size]
        self._content = self._content[size:]
        return size

    def fileno(self) -> int:
        return self._stream.fileno()

    def close(self) -> None:
        self._stream.close()
        super().close()

    def _decompress(
        self, name: str, make: Callable[[], Any], damage: type[Exception]
    ) -> Iterator[bytes]:
        """Yield the content piece by piece; some may be empty."""
        part: Any = None  # the decompressor of a part that has not ended
        piece = b""
        while piece := piece or self._read_piece():
            # Two parts may be separated by zeros as padding.
            if not part and not (piece := piece.lstrip(b"\0")):
                continue
            part = part or make()
            # Those of zlib and zstandard have no limit that keeps the rest.
            limit = (_CONTENT_BYTES,) if hasattr(part, "needs_input") else ()
            is_full = True
            while is_full:
                try:
                    content = part.decompress(piece, *limit)
                except damage as error:
                    msg = f"{name}: expected compressed data, found damage: {error}"
                    raise InputError(msg) from None
                yield content
                piece = b""
                is_full = bool(limit) and not (part.eof or part.needs_input)
            if part.eof:
                piece, part = part.unused_data, None
        if part:
            msg = f"{name}: expected more compressed data, found the end of the file"
            raise InputError(msg)

    def _read_piece(self) -> bytes:
        piece = self._stream.read(_COMPRESSED_BYTES)
        self.bytes_read += len(piece)
        return piece
