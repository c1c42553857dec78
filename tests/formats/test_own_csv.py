"""matesolve's CSV: columns by name, one problem per row."""

from __future__ import annotations

import pytest

from solver.errors import FormatError
from solver.formats.claims import FileSummary, ReadOptions
from solver.formats.rows import CSV_HEAD, read_csv
from solver.problem import Claim, Problem
from tests.formats.whole_files import with_source

HEAD = "id,fen,claim,nomate,claimed_keys,claimed_line,any_last_move\n"
"""The columns of a mate; files of matesolve 0.1 have no others."""

ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"


def read(*rows: str | bytes) -> list[Problem | FormatError]:
    lines = (row if isinstance(row, bytes) else row.encode() for row in rows)
    summary = FileSummary("dir/x.csv")
    records = read_csv(enumerate(lines, 1), summary, ReadOptions())
    return [with_source(record, record.source) for record in records]


def problem(
    line: int = 2,
    claim: Claim | None = None,
    no_mate: int | None = None,
    name: str = "rook",
) -> Problem:
    return Problem(ROOK, name, claim, f"dir/x.csv:{line}", no_mate)


def test_the_header_is_the_documented_one() -> None:
    assert CSV_HEAD == (
        "id,fen,claim,nomate,claimed_keys,claimed_line,any_last_move,stipulation,"
        "claimed_solutions\n"
    )


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (f"rook,{ROOK},,,,,", problem()),
        (f"rook,{ROOK},8,,,,", problem(claim=Claim(8))),
        (f"rook,{ROOK},-8,,,,false", problem(claim=Claim(-8))),
        (f"rook,{ROOK},,4,,,", problem(no_mate=4)),
        (
            f"rook,{ROOK},8,,h7g6 h7h6,h7g6 h1g1,true",
            problem(
                claim=Claim(8, ("h7g6", "h7h6"), ("h7g6", "h1g1"), any_last_move=True)
            ),
        ),
        (f"rook,{ROOK},,,h7g6,,", problem()),
        (f'"a ""rook""; 1,2",{ROOK},,,,,', problem(name='a "rook"; 1,2')),
        (f"#1,{ROOK},,,,,", problem(name="#1")),
        (f",{ROOK},,,,,", problem(name="x.csv:2")),
        (f" rook\t, {ROOK} , ,,,,\r\n", problem(name=" rook\t")),
    ],
)
def test_a_row_is_a_problem(row: str, expected: Problem) -> None:
    assert read(HEAD, row) == [expected]


def test_columns_are_in_any_order_and_only_fen_is_required() -> None:
    assert read("solver,claim,fen,id", f"0.1,8,{ROOK},rook") == [
        problem(claim=Claim(8))
    ]
    assert read('"fen"', f'"{ROOK}"') == [problem(name="x.csv:2")]


def test_blank_rows_are_skipped() -> None:
    rows = ("", "fen,id", "", f"{ROOK},rook", " \r\n", f"{ROOK},rook")
    assert read(*rows) == [problem(4), problem(6)]
    assert read() == []


def test_positions_are_found_by_their_values_whatever_the_header() -> None:
    expected = [problem(2), problem(3)]
    assert read("id,square", f"rook,{ROOK}", f"rook,{ROOK}") == expected


DISTANCE = "expected 1 to 200 moves"


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (f"rook,{ROOK},,,,", "expected 7 columns, found 6"),
        (f"a, rook,{ROOK},,,,,", "expected 7 columns, found 8"),
        ("rook,,,,,,", "expected a FEN, found nothing"),
        (
            f"rook,{ROOK},x,,,,",
            f"claim: {DISTANCE}, negative when the side to move is mated, found 'x'",
        ),
        (f"rook,{ROOK},,0,,,", f"nomate: {DISTANCE}, found '0'"),
        (
            f'"rook,{ROOK},8',
            "expected a row of CSV, found '\"rook,8/7K/8/8/8/8/R7/7k w - - 0 1,8': "
            "unexpected end of data",
        ),
    ],
)
def test_a_bad_row_is_reported_and_skipped(bad: str | bytes, reason: str) -> None:
    good = f"rook,{ROOK},,,,,"
    error = FormatError("dir/x.csv:3", reason)
    assert read(HEAD, good, bad, good) == [problem(2), error, problem(4)]


@pytest.mark.parametrize(
    ("cells", "claim", "warning"),
    [
        ("8,8,,,", Claim(8), "claims: expected one, found a mate in 8 and nomate 8"),
        ("8,,h7h5,,", Claim(8), "claimed_keys: expected a legal, unambiguous move"),
        ("8,,,,yes", Claim(8), "any_last_move: expected true, false or nothing"),
        ("8,,,h7g6 x,", Claim(8), "claimed_line: expected a move in SAN or UCI"),
        ("x,4,,,", None, "claim: expected 1 to 200 moves"),
    ],
)
def test_a_bad_cell_costs_neither_the_position_nor_the_other_claims(
    cells: str, claim: Claim | None, warning: str
) -> None:
    (found,) = read(HEAD, f"rook,{ROOK},{cells}")
    assert found == problem(claim=claim, no_mate=None if claim else 4)
    assert isinstance(found, Problem)
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith(warning)
