"""CR, LF and CR LF end a line, in every format and in any mixture."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import re
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import FormatError, InputError
from solver.formats import streams
from solver.formats.claims import ReadOptions
from solver.formats.registry import read_collection
from solver.laboratory.games import read_results
from solver.problem import Claim, Problem

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROOK = "8/7K/8/8/8/8/R7/7k w - -"

COLLECTIONS = {
    "epd": f'# EPD\n\n{ROOK} dm 8; id "a";\nhello\n{ROOK} dm 7;\n',
    "fen": f"; FENs\n{ROOK} 0 1\n8/8\n{ROOK}\n",
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
"""Files with two good records and a bad one between them."""

SCORED = {
    "positions": (
        f'# results\n{ROOK} c9 "1-0";\n\n8/8 1-0\n{ROOK} c9 "*";\n{ROOK} [0.5]\n'
    ),
    "games": (
        f'[FEN "{ROOK} 0 1"]\n[Result "1-0"]\n\n1. Kg6\nKg1 1-0\n\n'
        f'[FEN "8/8"]\n\n*\n\n[FEN "{ROOK} 0 1"]\n\n1. Kg6 *\n'
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


ENDS: dict[str, Callable[[str], str]] = {
    "CR": lambda text: text.replace("\n", "\r"),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "mixed": mixed,
    "CR and none at last": lambda text: text.rstrip("\n").replace("\n", "\r"),
}
COMPRESSIONS = {"plain": bytes, "gzip": gzip.compress, "bzip2": bz2.compress}

each_end = pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)


def test_mixed_line_ends_include_all_three() -> None:
    for text in COLLECTIONS.values():
        ended = mixed(text)
        assert io.StringIO(ended, newline=None).read() == text
        assert {"\r", "\n", "\r\n"} <= set(re.findall(r"\r\n|\r|\n", ended))


@each_end
@pytest.mark.parametrize("compress", COMPRESSIONS.values(), ids=COMPRESSIONS)
@pytest.mark.parametrize("name", COLLECTIONS)
@pytest.mark.parametrize("source_format", ["auto", "its own"])
def test_records_and_their_lines_do_not_depend_on_line_ends(
    tmp_path: Path,
    name: str,
    source_format: str,
    end: Callable[[str], str],
    compress: Callable[[bytes], bytes],
) -> None:
    chosen = name if source_format == "its own" else source_format
    path = tmp_path / "x"
    path.write_bytes(COLLECTIONS[name].encode())
    expected = list(read_collection(path, ReadOptions(source_format=chosen)))
    kinds = [type(record) for record in expected]
    assert kinds == [Problem, FormatError, Problem]

    path.write_bytes(compress(end(COLLECTIONS[name]).encode()))

    assert list(read_collection(path, ReadOptions(source_format=chosen))) == expected


@each_end
@pytest.mark.parametrize("compress", COMPRESSIONS.values(), ids=COMPRESSIONS)
@pytest.mark.parametrize("text", SCORED.values(), ids=SCORED)
def test_results_and_their_lines_do_not_depend_on_line_ends(
    tmp_path: Path,
    text: str,
    end: Callable[[str], str],
    compress: Callable[[bytes], bytes],
) -> None:
    path = tmp_path / "x"
    path.write_bytes(text.encode())
    expected = list(read_results(path))
    assert len(expected) >= 4

    path.write_bytes(compress(end(text).encode()))

    assert list(read_results(path)) == expected


class Pieces(io.RawIOBase):
    """A stream whose bytes arrive in pieces, as from a pipe."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = [piece for piece in pieces if piece]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        if not self._pieces:
            return 0
        piece = self._pieces.pop(0)
        buffer[: len(piece)] = piece
        return len(piece)


ALPHABET = st.sampled_from([b"a", b"bc", b"\r", b"\n", b"\r\n"])


@settings(derandomize=True, deadline=None, max_examples=400)
@given(st.lists(st.lists(ALPHABET, max_size=6).map(b"".join), max_size=8))
def test_lines_do_not_depend_on_how_the_bytes_arrive(pieces: list[bytes]) -> None:
    whole = b"".join(pieces)
    expected = io.TextIOWrapper(io.BytesIO(whole), newline=None).readlines()

    stream = io.BufferedReader(Pieces(pieces))  # type: ignore[type-var]
    lines = streams.NumberedLines(stream, 100)
    found = list(lines)

    assert [number for number, _ in found] == list(range(1, len(expected) + 1))
    assert [line.rstrip(b"\r\n") for _, line in found] == [
        line.rstrip("\n").encode() for line in expected
    ]
    assert lines.bytes_read == len(whole)


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
@pytest.mark.parametrize("length", [9, 10, 11, 12, 13])
def test_a_line_is_cut_at_the_same_length_whatever_ends_it(
    end: str, length: int
) -> None:
    text = f"{'x' * length}{end}y".encode()
    lines = streams.NumberedLines(io.BytesIO(text), 10)
    first, last = (line.rstrip(b"\r\n") for _, line in lines)
    assert (first, last) == (b"x" * min(length, 11), b"y")
    assert lines.bytes_read == len(text)


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_the_longest_line_of_a_record_does_not_depend_on_its_end(
    tmp_path: Path, end: str
) -> None:
    path = tmp_path / "x"
    lines = (
        ROOK.ljust(streams.MAX_LINE_BYTES),
        " " * streams.MAX_LINE_BYTES,
        "#" * streams.MAX_LINE_BYTES,
    )
    longer = (f"{line} " for line in lines)
    path.write_bytes("".join(f"{line}{end}" for line in (*lines, *longer)).encode())
    record, *refused = read_collection(path, ReadOptions(source_format="epd"))
    assert isinstance(record, Problem)
    assert [error.source for error in refused] == [f"{path}:{n}" for n in (4, 5, 6)]
    for error in refused:
        assert isinstance(error, FormatError)
        assert error.reason.endswith("found a longer one")


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


def test_a_record_of_standard_input_is_read_at_its_cr(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, writing = os.pipe()
    with open(reading) as stdin, open(writing, "wb", buffering=0) as source:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdin", stdin)
        records = read_collection("-", ReadOptions("epd"))
        for number, text in enumerate((f"{ROOK}\r", f"\n{ROOK}\r", f"{ROOK}\r"), 1):
            source.write(text.encode())
            assert next(records).source == f"stdin:{number}"


ROWS = {
    "csv": ("id,fen", f"c,{ROOK}", f'"d,{ROOK}'),
    "lichess": (
        "OpeningTags,PuzzleId,FEN,Moves,Themes",
        "d,y,8/7K/8/8/8/8/R7/6k1 b - - 0 1,g1h1 h7g6,mate",
        '"e,z,8/7K/8/8/8/8/R7/6k1 b - - 0 1,g1h1 h7g6,mate',
    ),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_an_unclosed_quote_spoils_its_own_row_only(
    tmp_path: Path, name: str, end: str
) -> None:
    header, plain, unclosed = ROWS[name]
    path = tmp_path / "x"
    path.write_bytes(end.join((header, unclosed, plain, unclosed, plain)).encode())

    first, second, third, fourth = read_collection(path)

    assert isinstance(first, FormatError)
    assert isinstance(second, Problem)
    assert isinstance(third, FormatError)
    assert isinstance(fourth, Problem)
    assert fourth.source == f"{path}:5"


@pytest.mark.parametrize("inside", ["\r", "\r\r", '\r[Event "y"]\r'])
def test_a_cr_in_a_comment_of_a_game_is_read_as_an_lf(
    tmp_path: Path, inside: str
) -> None:
    game = f'[Event "x"]\n[FEN "{ROOK} 0 1"]\n\n{{mate in 8{inside} }} 1. Kg6 *\n\n'
    path = tmp_path / "x"
    path.write_bytes(game.replace("\r", "\n").encode() * 2)
    expected = list(read_collection(path))
    path.write_bytes(game.encode() * 2)
    assert list(read_collection(path)) == expected


def test_a_cr_in_a_comment_of_a_game_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text(
        f'[FEN "{ROOK} 0 1"]\n\n{{mate\rin 8}} 1. Kg6 *\n\n' * 2, newline=""
    )
    first, second = read_collection(path)
    assert isinstance(first, Problem)
    assert isinstance(second, Problem)
    assert first.claim == second.claim == Claim(8, ("h7g6",))
    assert second.source == f"{path}:6"


# --- numbered lines: none is lost, and none is too long


def numbered(text: bytes, limit: int = 10) -> list[tuple[int, bytes]]:
    return list(streams.NumberedLines(io.BytesIO(text), limit))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (b"", []),
        (b"a", [b"a"]),
        (b"a\n", [b"a\n"]),
        (b"a\r\n\nb", [b"a\r\n", b"\n", b"b"]),
        (b"\xef\xbb\xbfa\nb\n", [b"a\n", b"b\n"]),
        (b"a\n\xef\xbb\xbfb\n", [b"a\n", b"\xef\xbb\xbfb\n"]),
        (b"123456789\nb", [b"123456789\n", b"b"]),
        (b"1234567890\nb", [b"1234567890\n", b"b"]),
        (b"12345678901\nb", [b"12345678901", b"b"]),
        (b"1" * 1000 + b"\nb", [b"1" * 11, b"b"]),
        (b"1" * 1000, [b"1" * 11]),
    ],
)
def test_lines_are_numbered_and_long_ones_cut(text: bytes, lines: list[bytes]) -> None:
    assert numbered(text) == list(enumerate(lines, start=1))


def test_number_and_bytes_are_those_of_the_lines_that_have_arrived() -> None:
    lines = streams.NumberedLines(io.BytesIO(b"abc\nde\n" * 200), 10)
    assert (lines.number, lines.bytes_read) == (0, 0)
    counts = [(lines.number, lines.bytes_read) for _ in lines.batches()]
    assert counts == [(256, 896), (400, 1400)]
    assert [lines.text_at(number) for number in (1, 2, 400, 401)] == [
        "abc",
        "de",
        "de",
        "",
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"", False),
        (b"  \r\n", False),
        (b"# a", False),
        (b" % a", False),
        (b"\t; a", False),
        (b"a", True),
        (b"\0", True),
        (b"\xff", True),
        (b" " * streams.MAX_LINE_BYTES, False),
        (b" " * (streams.MAX_LINE_BYTES + 1), True),
        (b"#" * (streams.MAX_LINE_BYTES + 1), True),
    ],
)
def test_blank_lines_and_comments_are_not_records(line: bytes, expected: bool) -> None:
    assert streams.is_record(line) is expected


def test_a_decoded_line_is_stripped() -> None:
    assert streams.decode_line(" né x \r\n".encode()) == " né x \r\n"
    assert (
        streams.decode_line(b"x" * streams.MAX_LINE_BYTES)
        == "x" * streams.MAX_LINE_BYTES
    )


def test_a_line_that_is_not_utf_8_is_windows_1252() -> None:
    assert streams.decode_line(b"caf\xe9 \x8415\x94\n") == "caf\u00e9 \u201e15\u201d\n"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"caf\xe9\0\n", "expected text, found a NUL byte at byte 5"),
        ("7k w".encode("utf-16"), "expected text, found a NUL byte at byte 4"),
        (
            b"x" * (streams.MAX_LINE_BYTES + 1),
            "expected a line of at most 65,536 bytes, found a longer one",
        ),
    ],
)
def test_binary_and_too_long_lines_are_refused(line: bytes, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        streams.decode_line(line)
    assert str(caught.value) == reason
