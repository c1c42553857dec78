"""Numbered lines: none is lost, none is too long, each is yielded as it arrives."""

from __future__ import annotations

import io
import os
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import InputError
from solver.formats.streams import (
    MAX_LINE_BYTES,
    NumberedLines,
    decode_line,
    is_record,
)


def numbered(text: bytes, limit: int = 10) -> list[tuple[int, bytes]]:
    return list(NumberedLines(io.BytesIO(text), limit))


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


@settings(derandomize=True, deadline=None)
@given(st.lists(st.binary(max_size=30), min_size=1), st.integers(1, 40))
def test_every_line_and_every_byte_is_counted(lines: list[bytes], limit: int) -> None:
    lines = [re.sub(rb"[\r\n]", b"", line) for line in lines] + [b"the last"]
    text = b"\n".join(lines)
    read = NumberedLines(io.BytesIO(text), limit)
    assert sum(1 for _ in read) == read.number == len(lines)
    assert read.bytes_read == len(text)


def test_number_and_bytes_are_those_of_the_last_line() -> None:
    lines = NumberedLines(io.BytesIO(b"abc\nde\n"), 10)
    assert (lines.number, lines.bytes_read) == (0, 0)
    counts = [(lines.number, lines.bytes_read) for _ in lines]
    assert counts == [(1, 4), (2, 7)]


def test_a_line_is_yielded_before_the_next_arrives() -> None:
    reading, writing = os.pipe()
    with open(reading, "rb") as stream, open(writing, "wb", buffering=0) as source:  # noqa: PTH123
        lines = iter(NumberedLines(stream, 10))
        for number in (1, 2):
            source.write(b"a\n")  # a reader that reads ahead would hang here
            assert next(lines) == (number, b"a\n")


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
        (b" " * MAX_LINE_BYTES, False),
        (b" " * (MAX_LINE_BYTES + 1), True),
        (b"#" * (MAX_LINE_BYTES + 1), True),
    ],
)
def test_blank_lines_and_comments_are_not_records(line: bytes, expected: bool) -> None:
    assert is_record(line) is expected


def test_a_decoded_line_is_stripped() -> None:
    assert decode_line(" né x \r\n".encode()) == " né x \r\n"
    assert decode_line(b"x" * MAX_LINE_BYTES) == "x" * MAX_LINE_BYTES


def test_a_line_that_is_not_utf_8_is_windows_1252() -> None:
    assert decode_line(b"caf\xe9 \x8415\x94\n") == "caf\u00e9 \u201e15\u201d\n"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"caf\xe9\0\n", "expected text, found a NUL byte at byte 5"),
        ("7k w".encode("utf-16"), "expected text, found a NUL byte at byte 4"),
        (
            b"x" * (MAX_LINE_BYTES + 1),
            "expected a line of at most 65,536 bytes, found a longer one",
        ),
    ],
)
def test_binary_and_too_long_lines_are_refused(line: bytes, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        decode_line(line)
    assert str(caught.value) == reason
