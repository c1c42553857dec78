"""What is printed about a file: the fields read, the others, warnings and floods."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Protocol

import pytest

from solver.errors import FormatError
from solver.formats.claims import DEFAULTS, FileSummary, ReadOptions, Selection
from solver.formats.registry import FLOOD, read_collection
from solver.problem import Claim, Problem

if TYPE_CHECKING:
    from pathlib import Path

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
ROOK = "8/7K/8/8/8/8/R7/7k w - -"

Records = list[Problem | FormatError]


class Read(Protocol):
    def __call__(
        self, text: str, options: ReadOptions = ...
    ) -> tuple[Records, FileSummary]: ...


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Return a function that reads a text as `x.epd`."""
    path = tmp_path / "x.epd"

    def call(text: str, options: ReadOptions = DEFAULTS) -> tuple[Records, FileSummary]:
        path.write_text(text, encoding="utf-8")
        summary = FileSummary()
        records = list(read_collection(path, options, summary))
        summary.name = "x.epd"
        return records, summary

    return call


def test_the_summary_names_what_is_read_from_which_field(read: Read) -> None:
    text = f'{BACK_RANK} dm 1; bm Ra8; id "a"; acd 4;\n{ROOK} bm #8; c9 "x";\n'
    records, summary = read(text)
    assert len(records) == 2
    assert str(summary) == (
        "x.epd: EPD, 2 records; claim from dm, bm #, keys from bm, name from id; "
        "ignored acd, c9"
    )
    assert summary.record() == {
        "file": "x.epd",
        "format": "EPD",
        "records": 2,
        "unreadable": 0,
        "not_selected": 0,
        "without_claim": 0,
        "fields": {"claim": ["dm", "bm #"], "keys": ["bm"], "name": ["id"]},
        "ignored": ["acd", "c9"],
        "warnings": {},
    }


def test_the_summary_counts_each_record_once(read: Read) -> None:
    text = (
        f"{BACK_RANK} dm 1;\n{BACK_RANK} dm 1; pv Ra8 Kh1;\n{ROOK}\n"
        f"{ROOK} dm x;\nhello\n{ROOK} dm 8;\n"
    )
    selection = ReadOptions(selection=Selection(max_claim=7))
    _, everything = read(text)
    assert str(everything) == (
        "x.epd: EPD, 6 records; claim from dm, line from pv; 1 without a claim; "
        "2 unreadable; warnings about pv 1"
    )
    records, summary = read(text, selection)
    assert (summary.problems, summary.unreadable, summary.not_selected) == (2, 2, 2)
    assert len(records) == summary.records == 4


def test_many_ignored_fields_are_cut(read: Read) -> None:
    operations = " ".join(f"x{number} 1;" for number in range(20))
    _, summary = read(f"{ROOK} dm 8; {operations}\n")
    assert str(summary).endswith("x10, x11, 8 more")
    assert len(summary.record()["ignored"]) == 20


def test_a_bad_field_costs_itself_and_not_the_claim(read: Read) -> None:
    (problem,), _ = read(f"{BACK_RANK} dm 1; bm Ra8; pv Ra8 K;\n")
    assert isinstance(problem, Problem)
    assert problem.claim == Claim(1, ("a1a8",))
    assert problem.warnings == (
        "pv: expected a move in SAN or UCI, found 'K'; kept mate in 1, key a1a8",
    )


def test_strict_refuses_what_else_is_a_warning(read: Read) -> None:
    text = f"{BACK_RANK} dm 1; pv Ra8 K;\n{BACK_RANK} dm 1;\n"
    (error, problem), summary = read(text, ReadOptions(strict=True))
    assert isinstance(error, FormatError)
    assert error.reason == "pv: expected a move in SAN or UCI, found 'K'"
    assert isinstance(problem, Problem)
    assert (summary.unreadable, summary.problems) == (1, 1)
    assert not summary.warnings


@pytest.mark.parametrize(
    ("operations", "reason"),
    [
        ("dm x;", "dm: expected 1 to 200 moves"),
        ("bm #201;", "bm #: expected 1 to 200 moves"),
        ("nomate 0;", "nomate: expected 1 to 200 moves"),
        ("bm Ra8; dm x;", "dm: expected 1 to 200 moves"),
        ("bm Ra9;", "bm: expected a move"),
        ("pv Ra9;", "pv: expected a move"),
    ],
)
def test_a_record_of_which_only_the_position_can_be_read_is_refused(
    read: Read, operations: str, reason: str
) -> None:
    (error,), _ = read(f"{BACK_RANK} {operations}\n")
    assert isinstance(error, FormatError)
    assert error.reason.startswith(reason)


def test_no_claims_keeps_positions_and_stipulations(read: Read) -> None:
    text = f'{BACK_RANK} dm 1; bm Ra8;\n{ROOK} nomate 7;\n{ROOK} stipulation "s#2";\n'
    records, summary = read(text, ReadOptions(claims=False))
    problems = [record for record in records if isinstance(record, Problem)]
    assert [(one.claim, one.no_mate) for one in problems] == [
        (None, None),
        (None, None),
        (Claim(2), None),
    ]
    assert str(problems[2].stipulation) == "s#2"
    assert summary.claims == 3


# --- floods


def test_a_flood_of_equal_faults_is_one_message(read: Read, tmp_path: Path) -> None:
    (flood,), summary = read("hello\n" * 5000, ReadOptions("epd"))
    assert isinstance(flood, FormatError)
    path = tmp_path / "x.epd"
    assert flood == FormatError(
        str(path),
        f"the first {FLOOD} records have the same fault, so the rest is not read: "
        f"{path}:1: board: expected 8 ranks with / between them, found 1 in 'hello'; "
        "the file looks like no format that is known and is read as EPD: "
        "try it without the format",
    )
    assert summary.unreadable == 1


@pytest.mark.parametrize(
    ("text", "source_format", "looks"),
    [
        ("hello\n", "epd", "looks like no format that is known and is read as EPD"),
        ("8/8/8/8/8/8/8/8 w - -\n", "auto", "looks like EPD; --format sets"),
        (f'{{"fen":"{ROOK}"}}\n', "epd", "looks like JSON lines and is read as EPD"),
        (f"{ROOK} dm 8;\n", "jsonl", "looks like EPD and is read as JSON lines"),
        ('[Event "x"]\n', "fen", "looks like PGN and is read as FENs: try it without"),
    ],
)
def test_the_message_about_a_flood_says_what_the_file_looks_like(
    read: Read, text: str, source_format: str, looks: str
) -> None:
    (flood,), _ = read(text * FLOOD, ReadOptions(source_format))
    assert isinstance(flood, FormatError)
    assert f"; the file {looks}" in flood.reason


@pytest.mark.parametrize(
    "text",
    [
        "hello\n" * (FLOOD - 1),
        f"{ROOK} dm 8;\n" + "hello\n" * FLOOD,
        "hello\n" * (FLOOD - 1) + f"{ROOK} dm 8;\n" + "hello\n" * FLOOD,
        f"{ROOK} dm x;\n" + "hello\n" * (FLOOD - 1) + f"{ROOK} dm 8;\n",
    ],
)
def test_anything_less_than_a_flood_is_reported_record_by_record(
    read: Read, text: str
) -> None:
    records, summary = read(text, ReadOptions("epd"))
    assert [record.source.rpartition(":")[2] for record in records] == [
        str(number) for number in range(1, text.count("\n") + 1)
    ]
    assert summary.records == text.count("\n")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_text_in_utf_16_is_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x"
    mark = "" if encoding == "utf-16" else "\ufeff"
    path.write_bytes(f"{mark}{ROOK} dm 8;\n".encode(encoding))
    (problem,) = read_collection(path)
    assert isinstance(problem, Problem)
    assert problem.claim == Claim(8)


def test_a_file_that_is_not_text_is_one_message(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"\x7fELF\x02\xff\0\n" * 5000)
    (error,) = read_collection(path)
    assert isinstance(error, FormatError)
    assert error.source == f"{path}:1"
    assert error.reason.startswith("expected text in UTF-8, found ")


def test_problems_of_another_kind_are_no_flood(read: Read) -> None:
    fairy = "pieces white ke1 black ke8 stipulation #2 condition circe\n"
    solved = "pieces white kf6 qg1 black kh8 stipulation #2\n"
    problems = "nextproblem\n".join([fairy] * 2 * FLOOD + [solved])
    records, summary = read(f"beginproblem\n{problems}endproblem\n")
    assert len(records) == 2 * FLOOD + 1
    assert (summary.problems, summary.unreadable) == (1, 2 * FLOOD)


def test_records_outside_the_selection_are_no_part_of_a_flood(read: Read) -> None:
    rows = "PuzzleId,FEN,Moves,Themes\n" + "a,b,c,long\n" + "a,b,c,mate\n" * 30
    records, summary = read(rows)
    assert len(records) == summary.unreadable == 30


def test_a_program_that_waits_for_an_answer_gets_each_error_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"hello\n")
    with os.fdopen(reading, "rb") as stream:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
        records = read_collection("-", ReadOptions("epd"))
        first = next(records)  # before the second line is written
        os.write(writing, b"hello\n" * 30)
        os.close(writing)
        rest = list(records)
    assert isinstance(first, FormatError)
    assert first.source == "stdin:1"
    assert len(rest) == FLOOD
    assert rest[-1].source == "stdin"
