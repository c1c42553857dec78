"""Read files that may be compressed: gzip, bzip2, xz and Zstandard, told by content."""

from __future__ import annotations

import bz2
import io
import lzma
import re
import zlib
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Protocol, TypeAlias, cast

from solver.errors import InputError, missing_package
from solver.formats.opening import open_collection

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

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
