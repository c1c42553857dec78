"""`matesolve mip reliability`: exact output, records, widths and exit codes."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest

from solver import __version__
from solver.cli.main import run
from solver.laboratory.games import GamePosition
from solver.laboratory.imbalance import ImbalanceTable
from solver.laboratory.material import Material, find_cell
from tests.cli.processes import run_and_list_heavy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROOK = "8/7K/8/8/8/8/R7/7k w - -"
BLACKS_ROOK = "8/7K/8/8/8/8/r7/7k b - -"
EQUAL = "8/7K/8/8/8/8/R6r/7k b - -"

HELD_OUT = f"""\
{ROOK} c9 "1-0";
{ROOK} c9 "1-0";
{ROOK} c9 "1/2-1/2";
{BLACKS_ROOK} c9 "0-1";
{EQUAL} c9 "1/2-1/2";
QQ5K/8/8/8/8/8/8/7k b - - c9 "1-0";
{ROOK} c9 "*";
"""

PRINTED = """\
Both colours folded
in cell      held out   share  cells  error   Brier  decided   right  rounded   right
0                   1   20.0%      1                       0                0        
1-9                 0    0.0%      0                       0                0        
10-49               0    0.0%      0                       0                0        
50-199              4   80.0%      2   12.5  0.0625        4  75.00%        4  75.00%
200-999             0    0.0%      0                       0                0        
1,000-9,999         0    0.0%      0                       0                0        
10,000+             0    0.0%      0                       0                0        
all                 5  100.0%      3   12.5  0.0625        4  75.00%        4  75.00%

coverage: 80.0% of the held-out positions are in cells with positions, 80.0% in cells \
with 50 or more
curve: N = 20 has the least Brier score, 0.0469; without a curve it is 0.0625

"""  # noqa: W291 - as the columns are padded


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "held.epd").write_text(HELD_OUT)
    (tmp_path / "bad.epd").write_text(f"hello\n{HELD_OUT}")
    table = ImbalanceTable("by hand")
    for _ in range(60):
        table.add(find_cell(Material(white_rooks=1)), 1)
    table.save(tmp_path / "hand.npz")
    return tmp_path


def reliability(
    capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str, str]:
    code = run(["mip", "reliability", *arguments, "--mip-table", "hand.npz"])
    return code, *capsys.readouterr()


def test_held_out_positions_are_compared_with_their_cells(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = reliability(capsys, "held.epd")
    assert (code, err) == (0, "")
    assert out.startswith(PRINTED)
    white = out[len(PRINTED) :].splitlines()
    assert white[0] == "White's view"
    assert white[2].split() == ["0", "2", "40.0%", "2", "0", "0"]
    assert white[5].split()[:5] == ["50-199", "3", "60.0%", "1", "16.7"]
    assert "coverage: 60.0% of the held-out positions" in out
    assert white[-2:] == ["1 position out of range", "1 record without a result"]


def test_small_differences_can_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = reliability(capsys, "held.epd", "--least-balance", "2")
    assert code == 0
    assert "all                 4  100.0%" in out
    assert "\n1 position with a smaller difference than 2 pawns\n" in out


def test_the_comparison_has_a_record(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = reliability(capsys, "held.epd", "--json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    views = record.pop("views")
    assert record.pop("sha256") == ImbalanceTable.load("hand.npz").checksum()
    assert record == {
        "schema": 1,
        "table": "by hand",
        "table_positions": 60,
        "held_out": 5,
        "out_of_range": 1,
        "least_balance": 0,
        "solver": __version__,
    }
    assert list(views) == ["folded", "white"]
    folded = views["folded"]
    assert (folded["coverage"], folded["trusted_coverage"]) == (0.8, 0.8)
    assert folded["best_curve"] == 20
    assert folded["curves"]["20"] < folded["curves"]["1"] < folded["total"]["brier"]
    assert [bucket["most"] for bucket in folded["buckets"]] == [
        0, 9, 49, 199, 999, 9_999, None
    ]  # fmt: skip
    assert folded["buckets"][3] == {
        "least": 50,
        "most": 199,
        "cells": 2,
        "positions": 4,
        "mean_error": 0.125,
        "brier": 0.0625,
        "decided": 4,
        "decided_right": 3,
        "rounded": 4,
        "rounded_right": 3,
    }
    assert folded["buckets"][0]["mean_error"] is None
    assert views["white"]["total"]["positions"] == 5


def test_a_bad_record_and_a_missing_file_are_reported_and_the_rest_is_compared(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = reliability(capsys, "bad.epd")
    assert code == 65
    assert out.startswith(PRINTED)
    assert err.startswith("error: bad.epd:1: board: expected 8 ranks")
    code, out, err = reliability(capsys, "missing", "held.epd")
    assert (code, err) == (74, "error: missing: No such file or directory\n")
    assert out.startswith(PRINTED)


def test_without_positions_there_is_no_coverage(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "empty.epd").write_text("")
    code, out, err = reliability(capsys, "empty.epd")
    assert (code, err) == (0, "")
    assert out.count("no held-out position is in a cell with positions") == 2
    assert reliability(capsys, "empty.epd", "--json")[0] == 0


def test_ctrl_c_compares_what_was_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(_file: str, *, skip_plies: int) -> Iterator[GamePosition]:
        assert skip_plies == 3
        yield GamePosition(Material(white_rooks=1), 1)
        signal.raise_signal(signal.SIGINT)
        pytest.fail("the interrupt was lost")

    monkeypatch.setattr("solver.laboratory.games.read_results", read)
    code, out, err = reliability(capsys, "held.epd", "--skip-plies", "3")
    assert (code, err) == (130, "interrupted: what was read is compared\n")
    assert "all                 1  100.0%" in out


@pytest.mark.parametrize(
    ("arguments", "code", "last"),
    [
        ([], 2, "Error: Missing argument 'FILE...'."),
        (
            ["held.epd", "--least-balance", "-1"],
            2,
            "Error: Invalid value for '--least-balance': -1 is not in the range "
            "0<=x<=100.",
        ),
        (
            ["held.epd", "--mip-table", "held.epd"],
            65,
            "error: held.epd: expected a material-imbalance table, "
            "found another kind of file",
        ),
    ],
)
def test_wrong_arguments_are_reported(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, last: str
) -> None:
    assert run(["mip", "reliability", *arguments]) == code
    out, err = capsys.readouterr()
    assert (out, err.splitlines()[-1]) == ("", last)


def test_help_loads_neither_the_kernel_nor_the_board() -> None:
    printed, heavy = run_and_list_heavy(
        "from solver.cli.main import run; run(['mip', 'reliability', '-h'])"
    )
    assert printed.startswith("Usage: matesolve mip reliability ")
    assert not heavy
