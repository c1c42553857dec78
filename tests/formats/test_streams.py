"""Compressed files: detected by content, in parts, truncated, or damaged."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tracemalloc
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from solver.errors import InputError
from solver.formats import streams as compressed
from solver.formats.streams import open_decompressed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LINES = [b"%d: a line of text\n" % number for number in range(1_000, 3_000)]
HALF_LINES = len(LINES) // 2
TEXT = b"".join(LINES)
HALF = len(TEXT) // 2


def zstd(data: bytes) -> bytes:
    """Compress with a checksum, or skip the test if no package can."""
    try:
        module = import_module("compression.zstd")
    except ModuleNotFoundError:
        module = pytest.importorskip("zstandard")
        return bytes(module.ZstdCompressor(write_checksum=True).compress(data))
    return bytes(
        module.compress(data, options={module.CompressionParameter.checksum_flag: 1})
    )


METHODS = pytest.mark.parametrize(
    ("name", "compress"),
    [
        ("gzip", gzip.compress),
        ("bzip2", bz2.compress),
        ("xz", lzma.compress),
        ("Zstandard", zstd),
    ],
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "no suffix"


def read(path: Path) -> bytes:
    with open_decompressed(path) as stream:
        return stream.read()


@METHODS
def test_compression_is_detected_from_the_content(
    path: Path, name: str, compress: Callable[[bytes], bytes]
) -> None:
    assert name
    path.write_bytes(compress(TEXT))
    assert read(path) == TEXT


@METHODS
def test_several_parts_are_one_text(
    path: Path, name: str, compress: Callable[[bytes], bytes]
) -> None:
    assert name
    parts = compress(TEXT[:HALF]), compress(b""), compress(TEXT[HALF:])
    path.write_bytes(b"".join(parts))
    assert read(path) == TEXT
    path.write_bytes(bytes(1024).join(parts) + bytes(1024))
    assert read(path) == TEXT


@METHODS
def test_the_lines_before_a_truncation_are_read(
    path: Path, name: str, compress: Callable[[bytes], bytes]
) -> None:
    data = compress(TEXT[:HALF]) + compress(TEXT[HALF:])
    path.write_bytes(data[:-20])
    lines: list[bytes] = []
    with open_decompressed(path) as stream:
        while len(lines) < HALF_LINES:
            lines.append(stream.readline())
        with pytest.raises(InputError) as refused:
            stream.read()
    assert str(refused.value) == (
        f"{name}: expected more compressed data, found the end of the file"
    )
    assert b"".join(lines) == TEXT[:HALF]


@METHODS
def test_every_truncation_is_noticed(
    path: Path, name: str, compress: Callable[[bytes], bytes]
) -> None:
    data = compress(b"8/7K/8/8/8/8/R7/7k w - - [1.0]\n")
    for size in range(6, len(data)):
        path.write_bytes(data[:size])
        with pytest.raises(InputError, match=f"{name}: expected"):
            read(path)


@METHODS
def test_damage_is_noticed(
    path: Path, name: str, compress: Callable[[bytes], bytes]
) -> None:
    data = bytearray(compress(TEXT))
    data[len(data) // 2] ^= 0x10
    path.write_bytes(data)
    with pytest.raises(InputError) as refused:
        read(path)
    assert str(refused.value).startswith(f"{name}: expected ")
    assert "\n" not in str(refused.value)


@METHODS
def test_trailing_data_is_noticed(
    path: Path, name: str, compress: Callable[[bytes], bytes]
) -> None:
    path.write_bytes(compress(TEXT) + b"and more")
    with pytest.raises(InputError, match=f"{name}: expected"):
        read(path)


EXPANDED_MIB = 64
BOUND_MIB = 48


@METHODS
def test_memory_is_bounded_however_far_a_file_expands(
    path: Path, name: str, compress: Callable[[bytes], bytes]
) -> None:
    assert name
    path.write_bytes(compress(bytes(EXPANDED_MIB << 20)))
    size = 0
    tracemalloc.start()
    try:
        with open_decompressed(path) as stream:
            while content := stream.read(1 << 16):
                size += len(content)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size == EXPANDED_MIB << 20
    assert peak < BOUND_MIB << 20


def test_an_xz_file_cannot_demand_more_memory_than_its_presets(path: Path) -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 28}]
    path.write_bytes(lzma.compress(TEXT, filters=filters))
    with pytest.raises(InputError, match=r"xz: .*[Mm]emory usage limit"):
        read(path)
    path.write_bytes(lzma.compress(TEXT, preset=9 | lzma.PRESET_EXTREME))
    assert read(path) == TEXT


def test_a_skippable_frame_is_skipped(path: Path) -> None:
    skipped = struct.pack("<II", 0x184D2A5E, 7) + b"ignored"
    path.write_bytes(skipped + zstd(TEXT) + skipped)
    assert read(path) == TEXT


@pytest.mark.parametrize("content", [b"", b"\n", b"B", b"8/8", TEXT])
def test_an_uncompressed_file_is_read_as_it_is(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert read(path) == content


def test_without_zstandard_the_error_names_the_package(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(compressed, "import_module", find)
    path.write_bytes(b"\x28\xb5\x2f\xfd")
    with pytest.raises(InputError) as refused:
        open_decompressed(path)
    assert str(refused.value) == (
        "reading Zstandard needs zstandard, which is not installed: "
        "pip install zstandard"
    )


def test_an_error_of_the_disk_is_not_reported_as_damage(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Faulty(io.RawIOBase):
        def __init__(self) -> None:
            self.pieces = [bz2.compress(TEXT)[:100]]

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
            if not self.pieces:
                raise OSError(5, "Input/output error")
            piece = self.pieces.pop()
            buffer[: len(piece)] = piece
            return len(piece)

    stream = io.BufferedReader(Faulty())  # type: ignore[type-var]
    monkeypatch.setattr(compressed, "open_collection", lambda _: stream)
    with (
        open_decompressed(path) as opened,
        pytest.raises(OSError, match="Input/output error"),
    ):
        opened.read()
