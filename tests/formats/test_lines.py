"""Collections: one outcome a line, whatever the bytes, and nothing read ahead."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import FormatError
from solver.formats.lines import (
    MAX_LINE_BYTES,
    count_records,
    parse_line,
    parse_stream,
    read_problems,
)
from solver.problem import Claim, Problem

ROOK = "8/7K/8/8/8/8/R7/7k w - -"
GOOD = f"{ROOK} dm 8;\n".encode()
SUITES = Path(__file__).parents[3] / "shared" / "data"


def outcomes(text: bytes) -> list[Problem | FormatError]:
    return list(parse_stream(io.BytesIO(text), "dir/x.epd"))


def problem(line: int) -> Problem:
    return Problem(f"{ROOK} 0 1", f"x.epd:{line}", Claim(8), f"dir/x.epd:{line}")


@pytest.mark.parametrize(
    "text",
    ["", "\n", "   \t\r\n", "# a comment", "  % another", "; a third", "\ufeff", "#"],
)
def test_blank_lines_and_comments_count_for_nothing(text: str) -> None:
    assert parse_line(text, "x:1") is None
    assert outcomes(text.encode()) == []
    assert count_records(io.BytesIO(text.encode())) == 0


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(GOOD, id="line feed"),
        pytest.param(GOOD.replace(b"\n", b"\r\n"), id="carriage return"),
        pytest.param(GOOD.rstrip(), id="no line end"),
        pytest.param(b"\xef\xbb\xbf" + GOOD, id="byte order mark"),
        pytest.param(b"  " + GOOD, id="indented"),
    ],
)
def test_a_line_may_end_and_begin_as_editors_have_it(text: bytes) -> None:
    assert outcomes(text) == [problem(1)]
    assert count_records(io.BytesIO(text)) == 1


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"\xff\xfe\n", "expected UTF-8, found 0xff at byte 1"),
        (b"8/8 caf\xe9\n", "expected UTF-8, found 0xe9 at byte 8"),
        (b"hello\n", "board: expected 8 ranks with / between them, found 1 in 'hello'"),
        (
            b"8/" * MAX_LINE_BYTES + b"\n",
            "expected a line of at most 65536 bytes, found a longer one",
        ),
        (
            b" " * (MAX_LINE_BYTES + 1) + b"\n",
            "expected a line of at most 65536 bytes, found a longer one",
        ),
        (b"\0\n", "board: expected 8 ranks with / between them, found 1 in '\\x00'"),
    ],
)
def test_a_bad_line_costs_that_line_only(bad: bytes, reason: str) -> None:
    error = FormatError("dir/x.epd:2", reason)
    assert outcomes(GOOD + bad + GOOD) == [problem(1), error, problem(3)]
    assert outcomes(GOOD + bad.rstrip(b"\n")) == [problem(1), error]
    assert count_records(io.BytesIO(GOOD + bad + GOOD)) == 3
    assert str(error) == f"dir/x.epd:2: {reason}"


def test_the_longest_line_that_is_read_has_the_stated_length() -> None:
    padded = GOOD.rstrip() + b" " * (MAX_LINE_BYTES - len(GOOD)) + b"\n"
    assert len(padded) == MAX_LINE_BYTES
    assert outcomes(padded) == [problem(1)]


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "x.epd"
    path.write_bytes(GOOD)
    source = f"{path}:1"
    expected = Problem(f"{ROOK} 0 1", "x.epd:1", Claim(8), source)
    assert list(read_problems(path)) == [expected]
    assert list(read_problems(str(path))) == [expected]


@pytest.mark.parametrize("name", ["missing.epd", "."])
def test_a_file_that_cannot_be_read_is_an_os_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(OSError, match=r"No such file|Is a directory"):
        list(read_problems(tmp_path / name))


def test_a_dash_is_standard_input_and_each_line_is_given_as_it_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, writing = os.pipe()
    with open(reading) as stdin, open(writing, "wb", buffering=0) as source:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdin", stdin)
        problems = read_problems("-")
        for number in (1, 2):
            source.write(GOOD)  # a reader that wants more would wait here for ever
            assert next(problems) == Problem(
                f"{ROOK} 0 1", f"stdin:{number}", Claim(8), f"stdin:{number}"
            )


def test_standard_input_may_be_replaced_by_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD)))
    assert [record.source for record in read_problems("-")] == ["stdin:1"]


def test_closed_standard_input_is_an_os_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(OSError, match="standard input is closed"):
        next(read_problems("-"))


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("KRvK1000.epd", 502),
        ("classic280.epd", 152),
        ("mate-in-2.epd", 3067),
        ("matetrack.epd", 3233),
    ],
)
def test_public_suites_are_read_whole(name: str, count: int) -> None:
    if not (SUITES / name).exists():
        pytest.skip("the public suites are not part of the project")
    records = list(read_problems(SUITES / name))
    assert [record for record in records if isinstance(record, FormatError)] == []
    assert len(records) == count
    assert all(record.claim for record in records if isinstance(record, Problem))


LINES = st.lists(
    st.binary(max_size=120)
    | st.text(max_size=60).map(str.encode)
    | st.sampled_from([GOOD.strip(), b"", b"# comment"]),
    max_size=6,
)


@settings(derandomize=True, deadline=None)
@given(LINES)
def test_any_bytes_give_at_most_one_outcome_a_line(lines: list[bytes]) -> None:
    lines = [line.replace(b"\n", b"") for line in lines]
    records = outcomes(b"\n".join(lines))
    sources = [record.source for record in records]
    numbers = [int(source.rpartition(":")[2]) for source in sources]
    assert numbers == sorted(set(numbers))
    assert {n for n, line in enumerate(lines, 1) if line == GOOD.strip()} <= set(
        numbers
    )
    assert all(n <= len(lines) for n in numbers)
