"""Files as bytes: compressed or not, and lines in any mixture of line ends."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import struct
import tracemalloc
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import FormatError, InputError
from solver.formats import streams
from solver.formats.claims import ReadOptions
from solver.formats.registry import read_collection
from solver.formats.streams import open_decompressed
from solver.problem import Problem

if TYPE_CHECKING:
    from pathlib import Path

LINES = [b"%d: a line of text\n" % number for number in range(1_000, 3_000)]
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


Compress = Callable[[bytes], bytes]
NAMES: dict[Compress, str] = {
    gzip.compress: "gzip",
    bz2.compress: "bzip2",
    lzma.compress: "xz",
    zstd: "Zstandard",
}
METHODS = pytest.mark.parametrize("compress", NAMES, ids=NAMES.values())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "no suffix"


def read(path: Path, content: bytes) -> bytes:
    path.write_bytes(content)
    with open_decompressed(path) as stream:
        return stream.read()


@METHODS
def test_several_parts_are_one_text(path: Path, compress: Compress) -> None:
    parts = compress(TEXT[:HALF]), compress(b""), compress(TEXT[HALF:])
    assert read(path, b"".join(parts)) == TEXT
    skipped = struct.pack("<II", 0x184D2A5E, 7) + b"ignored"
    if compress is zstd:
        assert read(path, skipped + compress(TEXT) + skipped) == TEXT
    assert read(path, bytes(1024).join(parts) + bytes(1024)) == TEXT


@METHODS
def test_lines_before_a_truncation_are_read(path: Path, compress: Compress) -> None:
    data = compress(TEXT[:HALF]) + compress(TEXT[HALF:])
    path.write_bytes(data[:-20])
    with open_decompressed(path) as stream:
        lines = [stream.readline() for _ in range(len(LINES) // 2)]
        with pytest.raises(InputError) as refused:
            stream.read()
    assert b"".join(lines) == TEXT[:HALF]
    reason = "expected more compressed data, found the end of the file"
    assert str(refused.value) == f"{NAMES[compress]}: {reason}"


@METHODS
def test_every_truncation_and_damage_is_noticed(path: Path, compress: Compress) -> None:
    data = compress(b"8/7K/8/8/8/8/R7/7k w - - [1.0]\n")
    damaged = bytearray(compress(TEXT))
    damaged[len(damaged) // 2] ^= 0x10
    cut = (data[:size] for size in range(6, len(data)))
    for content in (*cut, data + b"and more", bytes(damaged)):
        with pytest.raises(InputError) as refused:
            read(path, content)
        assert str(refused.value).startswith(f"{NAMES[compress]}: expected ")
        assert "\n" not in str(refused.value)


@METHODS
def test_memory_is_bounded_for_any_file(path: Path, compress: Compress) -> None:
    path.write_bytes(compress(bytes(64 << 20)))
    size = 0
    tracemalloc.start()
    try:
        with open_decompressed(path) as stream:
            while content := stream.read(1 << 16):
                size += len(content)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size == 64 << 20
    assert peak < 48 << 20


def test_an_xz_file_cannot_demand_more_memory_than_its_presets(path: Path) -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 28}]
    with pytest.raises(InputError, match=r"xz: .*[Mm]emory usage limit"):
        read(path, lzma.compress(TEXT, filters=filters))
    assert read(path, lzma.compress(TEXT, preset=9 | lzma.PRESET_EXTREME)) == TEXT


def test_missing_zstandard_is_named(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = Mock(side_effect=ModuleNotFoundError("zstandard"))
    monkeypatch.setattr(streams, "import_module", missing)
    needs = "reading Zstandard needs zstandard, which is not installed: "
    with pytest.raises(InputError, match=f"^{needs}pip install zstandard$"):
        read(path, b"\x28\xb5\x2f\xfd")


class Pieces(io.RawIOBase):
    """A stream whose bytes arrive in pieces, as from a pipe; `None` is an error."""

    def __init__(self, *pieces: bytes | None) -> None:
        self._pieces = [piece for piece in pieces if piece != b""]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        piece = self._pieces.pop(0) if self._pieces else b""
        if piece is None:
            raise OSError(5, "Input/output error")
        buffer[: len(piece)] = piece
        return len(piece)


def test_disk_errors_are_no_damage(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.BufferedReader(Pieces(bz2.compress(TEXT)[:100], None))  # type: ignore[type-var]
    monkeypatch.setattr(streams, "open_collection", lambda _: stream)
    with pytest.raises(OSError, match="Input/output error"):
        read(path, b"")


# --- lines: CR, LF and CR LF end them, in every format and in any mixture

ROOK = "8/7K/8/8/8/8/R7/7k w - -"

COLLECTIONS = {
    "epd": f'# EPD\n\n{ROOK} dm 8; id "a";\nhello\n{ROOK} dm 7;\n',
    "lichess": (
        "PuzzleId,FEN,Moves,Themes\n"
        "x,8/7K/8/8/8/8/R7/6k1 b - - 0 1,g1h1 h7g6,mate\n"
        "x,8/8,a1a8,mate\n\n"
        'y,8/7K/8/8/8/8/R7/6k1 b - - 0 1,g1h1 h7g6,"mate"\n'
    ),
    "csv": f'id,fen,claim\n"a, b",{ROOK},8\n\n,8/8,8\n"say ""x""",{ROOK},7\n',
    "jsonl": f'{{"fen":"{ROOK}","claim":8}}\n\n{{}}\n{{"fen":"{ROOK}"}}\n',
    "pgn": (
        f'[Event "x"]\n[FEN "{ROOK} 0 1"]\n\n{{mate\nin 8}} 1. Kg6 ; why\nKg1 *\n\n'
        '[Event "y"]\n[FEN "8/8"]\n\n*\n\n'
        f'% escaped\n[Event "z"]\n[FEN "{ROOK} 0 1"]\n\n1. Kg6 {{mate in 8}} *\n'
    ),
    "popeye": (
        "BeginProblem\nTitle x\nPieces White Kh7 Ra2\nBlack Kh1\nStipulation #8\n"
        "NextProblem\nnonsense\nNextProblem\nRemark Forsyth\nForsyth 8/7K/8/8/8/8/R7/7k"
        "\nStipulation #7\nEndProblem\n"
    ),
    "olive": (
        "---\ntitle: x\nalgebraic:\n  white: [Kh7, Ra2]\n  black:\n    - Kh1\n"
        'stipulation: "#8"\nsolution: |\n  1.Kg6!\n  2.x\n'
        '---\nstipulation: "h#2"\n---\n'
        'algebraic: {white: [Kh7, Ra2], black: [Kh1]}\nstipulation: "#7"\n'
    ),
}


def mixed(text: str) -> str:
    """Alternate the line ends; an empty line after a CR cannot end in LF."""
    ended = ""
    for number, line in enumerate(text.splitlines()):
        end = ("\n", "\r", "\r\n")[number % 3]
        if not line and ended.endswith("\r") and end == "\n":
            end = "\r"
        ended += line + end
    return ended


ENDS: dict[str, Callable[[str], bytes]] = {
    "CR": lambda text: gzip.compress(text.replace("\n", "\r").encode()),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "mixed": lambda text: mixed(text).encode(),
    "CR and none at last": lambda text: text.rstrip("\n").replace("\n", "\r").encode(),
}


@pytest.mark.parametrize("name", COLLECTIONS)
def test_records_do_not_depend_on_line_ends(tmp_path: Path, name: str) -> None:
    path, text = tmp_path / "x", COLLECTIONS[name]
    ended = mixed(text)
    assert io.StringIO(ended, newline=None).read() == text
    assert {"\r", "\n", "\r\n"} <= set(re.findall(r"\r\n|\r|\n", ended))
    for options in (ReadOptions(), ReadOptions(name)):
        path.write_bytes(text.encode())
        expected = [*read_collection(path, options)]
        kinds = [type(record) for record in expected]
        assert kinds == [Problem, FormatError, Problem]
        for end in ENDS.values():
            path.write_bytes(end(text))
            assert [*read_collection(path, options)] == expected


ALPHABET = st.sampled_from([b"a", b"bc", b"\r", b"\n", b"\r\n"])


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.lists(st.lists(ALPHABET, max_size=6).map(b"".join), max_size=8))
def test_lines_do_not_depend_on_how_the_bytes_arrive(pieces: list[bytes]) -> None:
    whole = b"".join(pieces)
    expected = io.TextIOWrapper(io.BytesIO(whole), newline=None).readlines()

    stream = io.BufferedReader(Pieces(*pieces))  # type: ignore[type-var]
    lines = streams.NumberedLines(stream, 100)
    found = list(lines)

    assert [number for number, _ in found] == list(range(1, len(expected) + 1))
    assert [line.rstrip(b"\r\n") for _, line in found] == [
        line.rstrip("\n").encode() for line in expected
    ]
    assert lines.bytes_read == len(whole)


def test_lines_are_cut_at_the_same_length_decoded_and_may_be_comments() -> None:
    for end in ("\r", "\n", "\r\n"):
        for length in (9, 10, 11, 12, 13):
            text = f"{'x' * length}{end}y".encode()
            lines = streams.NumberedLines(io.BytesIO(text), 10)
            first, last = (line.rstrip(b"\r\n") for _, line in lines)
            assert (first, last) == (b"x" * min(length, 11), b"y")
            assert lines.bytes_read == len(text)
    lines = streams.NumberedLines(io.BytesIO(b"abc\nde\n" * 200), 10)
    counts = [(lines.number, lines.bytes_read) for _ in lines.batches()]
    assert counts == [(256, 896), (400, 1400)]
    assert [lines.text_at(number) for number in (1, 400, 401)] == ["abc", "de", ""]
    for line in (b"", b"  \r\n", b"# a", b" % a", b"\t; a", b" " * 65_536):
        assert not streams.is_record(line), line
    for line in (b"a", b"\0", b"\xff", b" " * 65_537, b"#" * 65_537):
        assert streams.is_record(line), line[:9]
    assert streams.decode_line(" né x \r\n".encode()) == " né x \r\n"
    assert streams.decode_line(b"caf\xe9 \x8415\x94\n") == "caf\u00e9 \u201e15\u201d\n"


def test_a_cr_ends_a_line_at_once_and_a_following_lf_belongs_to_it() -> None:
    reading, writing = os.pipe()
    with open(reading, "rb") as stream, open(writing, "wb", buffering=0) as source:  # noqa: PTH123
        lines = iter(streams.NumberedLines(stream, 10))
        source.write(b"a\r")  # a reader that waits for an LF would hang here
        assert next(lines) == (1, b"a\r")
        source.write(b"\nb\r")
        assert next(lines) == (2, b"b\r")
        source.write(b"\r")
        assert next(lines) == (3, b"\r")
        source.write(b"\n\n")
        assert next(lines) == (4, b"\n")
