"""Cells of CSV that a spreadsheet takes for formulas."""

from __future__ import annotations

import csv
import io
from typing import BinaryIO, cast

import pytest

from solver.formats.rows import FormulaGuard, is_formula


@pytest.mark.parametrize(
    "cell",
    [
        *("=1+1", "+M2", "-M2", "-", "@SUM(A1)", "\t=1", "\r=1", "\0=1", "=2", "+1-2"),
        '=HYPERLINK("http://x")',
    ],
)
def test_a_cell_is_a_formula_by_its_first_character(cell: str) -> None:
    assert is_formula(cell)


@pytest.mark.parametrize("cell", ["", "-3", "+3", "-0.25", "a=1", "'=1", " =1", '"=1'])
def test_numbers_and_other_text_are_no_formulas(cell: str) -> None:
    assert not is_formula(cell)


ROWS = (
    ["id", "fen", "claim"],
    ["=1", "8/8 w - -", "-3"],
    ["a,b", '=say "x"', "1"],
    ["", 'say "=1"', ""],
    ["\t", "two\nlines", "+M2"],
    ['"=1', "fine", "2"],
    ["@last", "fine", "2"],
)


def written(guard: FormulaGuard) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(ROWS)
    return guard.check(text.getvalue())


def reports(guard: FormulaGuard) -> list[str]:
    lines: list[str] = []
    guard.report(lines.append)
    return lines


def test_cells_stay_as_they_are_and_the_first_are_named() -> None:
    guard = FormulaGuard(escapes=False)
    text = io.StringIO(written(guard), newline="")
    assert [tuple(row) for row in csv.reader(text)] == [*map(tuple, ROWS)]
    assert reports(guard) == [
        "warning: 5 cells are a formula to a spreadsheet (line 2, id: '=1'; line 3, "
        "fen: '=say \"x\"'; line 5, id: '\\t'; ...); --escape-formulas writes ' before "
        "each"
    ]


def test_each_formula_gets_a_quote_and_no_other_cell_does() -> None:
    guard = FormulaGuard(escapes=True)
    text = io.StringIO(written(guard), newline="")
    expected = [
        [f"'{cell}" if is_formula(cell) else cell for cell in row] for row in ROWS
    ]
    assert [*csv.reader(text)] == expected
    assert reports(guard) == []


@pytest.mark.parametrize("escapes", [False, True])
def test_rows_written_to_a_file_one_by_one_are_the_same(*, escapes: bool) -> None:
    whole, file = FormulaGuard(escapes=escapes), io.BytesIO()
    guard = FormulaGuard(cast("BinaryIO", file), escapes=escapes)
    for row in ROWS:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerow(row)
        guard.writelines([text.getvalue().encode()])
    assert file.getvalue().decode() == written(whole)
    assert reports(guard) == reports(whole)


def test_without_a_formula_nothing_is_reported() -> None:
    guard = FormulaGuard(escapes=False)
    assert guard.check("id,claim\nx,-3\n") == "id,claim\nx,-3\n"
    assert reports(guard) == []
