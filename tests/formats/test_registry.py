"""Collections are read alike whatever their format; what is printed about them."""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import random
import sys
from typing import TYPE_CHECKING, Any

import pytest

from solver.errors import FormatError
from solver.formats.claims import DEFAULTS, FileSummary, ReadOptions, Selection
from solver.formats.detection import detect
from solver.formats.registry import FLOOD, read_collection
from solver.formats.streams import BATCH_LINES, MAX_LINE_BYTES
from solver.problem import Claim, Problem
from tests.formats.cases import Records, arrows, read_with, shown, with_source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROOK = "8/7K/8/8/8/8/R7/7k w - -"
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
GOOD = f"{ROOK} dm 8;\n".encode()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.epd"


def outcomes(path: Path, text: bytes, **options: Any) -> Records:
    """The records of a file with these bytes, without the folder in their sources."""
    path.write_bytes(text)
    return [
        with_source(record, record.source.replace(str(path), "x.epd"))
        for record in read_with(path, **options)
    ]


def numbers(records: Records) -> list[int]:
    return [int(record.source.rpartition(":")[2]) for record in records]


def problem(line: int) -> Problem:
    return Problem(f"{ROOK} 0 1", f"x.epd:{line}", Claim(8), f"x.epd:{line}")


def test_a_bad_line_is_reported_and_skipped(path: Path) -> None:
    long = "expected a line of at most 65,536 bytes, found a longer one"
    for bad, reason in (
        (b"8/8 caf\xe9\n", "expected plain ASCII, found U+00E9 at character 8"),
        (b" " * (MAX_LINE_BYTES + 1) + b"\n", long),
        (b"\0\n", "board: expected 8 ranks with / between them, found 1 in '\\x00'"),
    ):
        error = FormatError("x.epd:2", reason)
        found = outcomes(path, GOOD + bad + GOOD, source_format="epd")
        assert found == [problem(1), error, problem(3)]
        found = outcomes(path, GOOD + bad.rstrip(b"\n"), source_format="epd")
        assert found == [problem(1), error]


def test_a_file_that_cannot_be_read_is_an_os_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("missing.epd", "."):
        with pytest.raises(OSError, match=r"No such file|Is a directory"):
            list(read_collection(tmp_path / name))
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(OSError, match="standard input is closed"):
        next(read_collection("-"))


@pytest.mark.parametrize("text", [GOOD, gzip.compress(GOOD)], ids=["plain", "gzip"])
def test_standard_input_may_be_replaced_and_has_no_progress(
    monkeypatch: pytest.MonkeyPatch, text: bytes
) -> None:
    summary = FileSummary()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    (record,) = read_collection("-", summary=summary)
    assert (record.source, summary.fraction()) == ("stdin:1", None)


BEGINNINGS = """
8/7K/8/8/8/8/R7/7k w - - dm 8; ~ 8/7K/8/8/8/8/R7/7k -> epd
hello -> text
PuzzleId,FEN,Moves,Rating,Themes ~ Themes,Moves,FEN,New,PuzzleId ~ "id","fen" -> csv
00008,8/7K/8/8/8/8/R7/7k w - - 0 1,h7g6 h1g1,1940,75,94,6608,mate mateIn1,url, -> csv
{"fen": null} ~ { "id" : "x", "fen": "8/8"} ~ {} -> jsonl
[Event "?"] ~ {a comment} 1. e4 ~ 1. e4 e5 ~ 1.e4 -> pgn
BeginProblem ~ beginproblem -> popeye
--- ~ authors: ~ algebraic: ~ stipulation: "#2" ~ - algebraic: ~ - -> olive
"""


@pytest.mark.parametrize(("line", "expected"), arrows(BEGINNINGS))
def test_the_format_is_detected_from_the_first_line(line: str, expected: str) -> None:
    assert detect(line.encode()) == expected
    assert detect(f"  {line} \r\n".encode()) == expected


STREAMED = {
    "epd": ("# a comment", f"{ROOK} dm 8;"),
    "lichess": (
        "PuzzleId,FEN,Moves,Themes",
        "x,8/7K/8/8/8/8/R7/6k1 b - - 0 1,g1h1 h7g6,mate",
    ),
    "csv": ("claim,fen", f"8,{ROOK}"),
    "jsonl": ("", f'{{"fen":"{ROOK}","claim":8}}'),
    "json": ("[", f'{{"fen":"{ROOK}","claim":8}},'),
}
"""The first line of each format, and a record."""


@pytest.mark.parametrize("name", STREAMED)
def test_every_line_of_standard_input_is_read_as_it_arrives_if_its_format_is_stated(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, record = STREAMED[name]
    reading, writing = os.pipe()
    with open(reading) as stdin, open(writing, "wb", buffering=0) as source:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdin", stdin)
        records = read_collection("-", ReadOptions(name))
        source.write(f"{head}\n".encode())
        first = 1 if name == "json" else 2
        for number in (first, first + 1):
            # A reader that reads ahead would hang here.
            source.write(f"{record}\n".encode())
            assert next(records).source == f"stdin:{number}"


def test_a_file_that_changes_while_it_is_read_is_an_error_at_its_end(
    path: Path,
) -> None:
    for change in (
        lambda: path.write_bytes(GOOD * 4),
        lambda: path.write_bytes(b""),
        lambda: os.utime(path, ns=(1, 1)),
    ):
        path.write_bytes(GOOD * 2)
        records = read_collection(str(path))
        given = [next(records)]
        change()
        with pytest.raises(OSError, match="changed while it was read") as caught:
            given.extend(records)
        assert (caught.value.errno, caught.value.filename) == (errno.ESTALE, str(path))
        assert numbers(given[:2]) == [1, 2]


def test_claims_are_selected_and_errors_always_reported(path: Path) -> None:
    tails = ("dm 2;", "dm -3;", "nomate 4;", "bm Kg6;", "dm 500;", "dm 5;")
    text = "".join(f"{ROOK} {tail}\n" for tail in tails).encode()
    for selection, lines in (
        (Selection(all_rows=True), [1, 2, 3, 4, 5, 6]),
        (Selection(min_claim=3), [2, 3, 5, 6]),
        (Selection(max_claim=3), [1, 2, 5]),
        (Selection(min_claim=3, max_claim=4), [2, 3, 5]),
    ):
        summary = FileSummary()
        records = outcomes(path, text, selection=selection, summary=summary)
        assert numbers(records) == lines
        assert (summary.records, summary.not_selected) == (len(lines), 6 - len(lines))
    reason = "--theme and --min-rating: expected lichess's CSV, found EPD"
    for other in (Selection(theme="x"), Selection(min_rating=1)):
        assert outcomes(path, GOOD, selection=other) == [FormatError("x.epd", reason)]
        assert outcomes(path, b"\n", selection=other) == []


def test_the_summary_measures_the_progress_in_a_file(path: Path) -> None:
    path.write_bytes(GOOD * (2 * BATCH_LINES))
    summary = FileSummary()
    fractions = [summary.fraction()]
    fractions += [summary.fraction() for _ in read_collection(path, summary=summary)]
    assert [*dict.fromkeys(fractions)] == [None, 0.5, 1.0]
    noise = "".join(random.Random(1).choices("abcdefgh", k=200_000))
    names = (noise[start : start + 100] for start in range(0, 200_000, 100))
    text = "".join(f'{ROOK} dm 8; id "{name}";\n' for name in names)
    path.write_bytes(gzip.compress(text.encode()))
    given = [summary.fraction() or 0 for _ in read_collection(path, summary=summary)]
    assert given == sorted(given)
    assert (given[0] < 0.5, len(set(given)) > 5, given[-1]) == (True, True, 1.0)


# --- what is printed about a file: fields, warnings and floods


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., tuple[Records, FileSummary]]:
    """Return a function that reads a text as `x.epd`."""
    path = tmp_path / "x.epd"

    def call(text: str, options: ReadOptions = DEFAULTS) -> tuple[Records, FileSummary]:
        path.write_text(text, encoding="utf-8")
        summary = FileSummary()
        records = list(read_collection(path, options, summary))
        summary.name = "x.epd"
        return records, summary

    return call


def test_the_summary_names_what_is_read_from_which_field(read: Any) -> None:
    text = f'{BACK_RANK} dm 1; bm Ra8; id "a"; acd 4;\n{ROOK} bm #8; c9 "x";\n'
    records, summary = read(text)
    places = "claim from dm, bm #, keys from bm, name from id"
    assert str(summary) == f"x.epd: EPD, 2 records; {places}; ignored acd, c9"
    assert summary.record() == {
        "file": "x.epd",
        "format": "EPD",
        "records": len(records),
        **dict.fromkeys(("unreadable", "not_selected", "without_claim"), 0),
        "fields": {"claim": ["dm", "bm #"], "keys": ["bm"], "name": ["id"]},
        "ignored": ["acd", "c9"],
        "warnings": {},
    }
    many = " ".join(f"x{number} 1;" for number in range(20))
    assert str(read(f"{ROOK} dm 8; {many}\n")[1]).endswith("x10, x11, 8 more")


def test_the_summary_counts_each_record_once(read: Any) -> None:
    text = (
        f"{BACK_RANK} dm 1;\n{BACK_RANK} dm 1; pv Ra8 Kh1;\n{ROOK}\n"
        f"{ROOK} dm x;\nhello\n{ROOK} dm 8;\n"
    )
    _, everything = read(text)
    assert str(everything) == (
        "x.epd: EPD, 6 records; claim from dm, line from pv; 1 without a claim; "
        "2 unreadable; warnings about pv 1"
    )
    records, summary = read(text, ReadOptions(selection=Selection(max_claim=7)))
    assert (summary.problems, summary.unreadable, summary.not_selected) == (2, 2, 2)
    assert len(records) == summary.records == 4


def test_strict_refuses_what_else_is_a_warning(read: Any) -> None:
    text = f"{BACK_RANK} dm 1; bm Ra8; pv Ra8 K;\n{BACK_RANK} dm 1;\n"
    fault = "pv: expected a move in SAN or UCI, found 'K'"
    warned = f"1 key a1a8 ! {fault}; kept mate in 1, key a1a8"
    assert [*map(shown, read(text)[0])] == [warned, "1"]
    records, summary = read(text, ReadOptions(strict=True))
    assert [*map(shown, records)] == [f"? {fault}", "1"]
    assert (summary.unreadable, summary.problems) == (1, 1)
    assert not summary.warnings


def test_no_claims_keeps_positions_and_stipulations(read: Any) -> None:
    text = f'{BACK_RANK} dm 1; bm Ra8;\n{ROOK} nomate 7;\n{ROOK} stipulation "s#2";\n'
    records, summary = read(text, ReadOptions(claims=False))
    assert [*map(shown, records)] == ["-", "-", "2"]
    assert str(getattr(records[2], "stipulation", "")) == "s#2"
    assert summary.claims == 3


# --- floods


def test_a_flood_of_equal_faults_is_one_message(read: Any, tmp_path: Path) -> None:
    (flood,), summary = read("hello\n" * 5000, ReadOptions("epd"))
    path = tmp_path / "x.epd"
    assert flood == FormatError(
        str(path),
        f"the first {FLOOD} records have the same fault, so the rest is not read: "
        f"{path}:1: board: expected 8 ranks with / between them, found 1 in 'hello'; "
        "the file looks like no format that is known and is read as EPD: "
        "try it without the format",
    )
    assert summary.unreadable == 1


LOOKS = """
8/8/8/8/8/8/8/8 w - - -> auto -> looks like EPD; --format sets
{"fen":"8/7K/8/8/8/8/R7/7k w - -"} -> epd -> looks like JSON lines and is read as EPD
8/7K/8/8/8/8/R7/7k w - - dm 8; -> jsonl -> looks like EPD and is read as JSON lines
[Event "x"] -> fen -> looks like PGN and is read as FENs: try it without
"""


def test_the_message_about_a_flood_says_what_the_file_looks_like(read: Any) -> None:
    for line, source_format, looks in arrows(LOOKS):
        (flood,), _ = read(f"{line}\n" * FLOOD, ReadOptions(source_format))
        assert f"; the file {looks}" in shown(flood)


def test_anything_less_than_a_flood_is_reported_record_by_record(read: Any) -> None:
    nearly, good = "hello\n" * (FLOOD - 1), f"{ROOK} dm 8;\n"
    for text in (
        nearly,
        f"{good}{nearly}hello\n",
        f"{nearly}{good}{nearly}hello\n",
        f"{ROOK} dm x;\n{nearly}{good}",
    ):
        records, summary = read(text, ReadOptions("epd"))
        assert numbers(records) == [*range(1, text.count("\n") + 1)]
        assert summary.records == text.count("\n")


def test_other_bytes_than_utf_8_are_read_or_one_message(path: Path) -> None:
    text = f"\ufeff{ROOK} dm 8;\n"
    binary = b"\x7fELF\x02\xff\0\n" * 5000
    for content, expected in (
        (text.encode("utf-16-le"), "8"),
        (text.encode("utf-16-be"), "8"),
        (binary, "? expected text in UTF-8, found "),
    ):
        path.write_bytes(content)
        (record,) = read_collection(path)
        assert record.source == f"{path}:1"
        assert shown(record).startswith(expected)


# --- unreadable records keep their text and, where it can be read, their name

BAD = "8/7K/8/8/8/8/R7/8 w - -"
TAGS = f'[Event "y"]\n[FEN "{BAD} 0 1"]'
OE = "\xf6"

UNREADABLE = [
    ("a.csv", f"id,fen,mate\nx,{ROOK},8\ny,{BAD},8\n", f"y,{BAD},8", "y"),
    ("a.csv", f'id,fen,mate\nx,{ROOK},8\n{OE},"{BAD},8\n', f'{OE},"{BAD},8', ""),
    ("a.epd", f'{ROOK} dm 8;\n{BAD} dm 8; id "y";\n', f'{BAD} dm 8; id "y";', "y"),
    ("a.pgn", f"{TAGS}\n\n1. Ra8 *\n", TAGS, "y"),
    ("a.jsonl", f'{{"id":"y","fen":"{BAD}"}}\n', f"y | {BAD}", "y"),
    ("a.json", json.dumps([{"fen": ROOK}, {"id": "y", "fen": BAD}]), f"y | {BAD}", "y"),
]  # fmt: skip


def test_the_error_has_the_text_and_the_name_of_its_record(tmp_path: Path) -> None:
    for encoding in ("utf-8", "cp1252"):
        for file, content, text, name in UNREADABLE:
            (tmp_path / file).write_text(content, encoding)
            records = [*read_collection(tmp_path / file)]
            errors = [one for one in records if isinstance(one, FormatError)]
            assert [(one.text, one.name) for one in errors] == [(text, name)]
    (tmp_path / "a.epd").write_text(f'{BAD} c0 "{400 * OE}";\n', "utf-8")
    (error,) = read_collection(tmp_path / "a.epd")
    assert getattr(error, "text", "") == f'{BAD} c0 "{236 * OE}'  # 500 bytes
