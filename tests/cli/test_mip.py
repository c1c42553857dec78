"""`matesolve mip`: exact output and exit codes; incomplete tables go to `.partial`."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import signal
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from solver import __version__
from solver.cli.main import run
from solver.laboratory.games import GamePosition
from solver.laboratory.imbalance import (
    ImbalanceTable,
    Material,
    Outcomes,
    find_material_cell,
)
from tests.cli.processes import process, run_and_list_heavy

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOK = "8/7K/8/8/8/8/R7/7k w - -"

EPD = f"""\
# five records
{ROOK} c9 "1-0";
{ROOK} 0 1 [0.5]
8/7K/8/8/8/8/R6r/7k b - - 0 1 | -20 | 0.0
QQ5K/8/8/8/8/8/8/7k b - - c9 "1-0";
{ROOK} c9 "*";
"""
BAD = f"hello\n{EPD}{ROOK}\n"

PGN = """\
[Event "x"]
[Result "0-1"]

1. e4 d5 2. exd5 0-1

"""

COUNTED = """\
x.npz: 3 positions in 2 of 236,196 cells
1 position out of range
1 record without a result
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.epd").write_text(EPD)
    (tmp_path / "x.pgn").write_text(PGN)
    (tmp_path / "bad.epd").write_text(BAD)
    return tmp_path


def mip(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run the command in this process."""
    code = run(["mip", *arguments])
    return code, *capsys.readouterr()


def outcomes(path: str, **pieces: int) -> Outcomes:
    cell = find_material_cell(Material(**pieces))
    assert cell is not None
    return ImbalanceTable.load(path).outcomes(cell)


def checksum_of(path: str) -> str:
    with np.load(path, allow_pickle=False) as arrays:
        return hashlib.sha256(arrays["counts"]).hexdigest()


# --- build


def test_positions_are_counted_into_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert mip(capsys, "build", "x.epd", "-o", "x.npz") == (0, COUNTED, "")
    assert outcomes("x.npz", white_rooks=1) == Outcomes(1, 1, 0)
    assert outcomes("x.npz", white_rooks=1, black_rooks=1) == Outcomes(0, 0, 1)
    assert ImbalanceTable.load("x.npz").source == "x.epd"


def test_files_of_both_formats_add_up(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "x.pgn.gz").write_bytes(gzip.compress(PGN.encode()))
    files = ["x.epd", "x.pgn", "x.pgn.gz"]
    code, out, err = mip(capsys, "build", *files, "-o", "x.npz")
    assert (code, err) == (0, "")
    assert out.startswith("x.npz: 11 positions in 4 of 236,196 cells\n")
    assert ImbalanceTable.load("x.npz").source == "x.epd, x.pgn, x.pgn.gz"


def test_the_first_positions_of_games_can_be_skipped(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ["build", "x.pgn", "-o", "x.npz", "--skip-plies", "3"]
    printed = "x.npz: 1 position in 1 of 236,196 cells\n"
    assert mip(capsys, *arguments) == (0, printed, "")


def test_tables_are_merged_and_one_can_be_replaced_by_the_sum(
    capsys: pytest.CaptureFixture[str],
) -> None:
    mip(capsys, "build", "x.epd", "-o", "x.npz")
    mip(capsys, "build", "x.pgn", "-o", "y.npz")
    code, out, _ = mip(
        capsys, "build", "x.epd", "--merge", "x.npz", "--merge", "y.npz", "-o", "x.npz"
    )
    assert (code, out.splitlines()[:2]) == (
        0,
        ["x.npz: 10 positions in 4 of 236,196 cells", "2 positions out of range"],
    )
    assert ImbalanceTable.load("x.npz").source == "x.npz, y.npz, x.epd"
    mip(capsys, "build", "--merge", "x.npz", "-o", "z.npz", "--source", "a copy")
    copy, table = ImbalanceTable.load("z.npz"), ImbalanceTable.load("x.npz")
    assert copy.source == "a copy"
    assert list(copy.filled_cells()) == list(table.filled_cells())


def test_the_order_of_files_changes_only_the_source(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for files, table in ((["x.epd", "x.pgn"], "a"), (["x.pgn", "x.epd"], "b")):
        mip(capsys, "build", *files, "-o", table, "--source", "same")
    assert Path("a").read_bytes() == Path("b").read_bytes()


def test_an_unreadable_record_is_reported_and_skipped(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert mip(capsys, "build", "bad.epd", "-o", "x.npz") == (
        65,
        COUNTED,
        "error: bad.epd:1: board: expected 8 ranks with / between them, "
        "found 1 in 'hello'\n"
        'error: bad.epd:8: expected one result, such as c9 "1-0"; or [0.5], '
        "found none\n",
    )
    assert ImbalanceTable.load("x.npz").coverage().positions == 3


def test_if_a_file_cannot_be_read_the_table_goes_to_partial(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "x.npz").write_text("before")
    assert mip(capsys, "build", "missing", "bad.epd", "-o", "x.npz", "x.epd")[::2] == (
        74,
        "error: missing: No such file or directory\n"
        "error: bad.epd:1: board: expected 8 ranks with / between them, "
        "found 1 in 'hello'\n"
        'error: bad.epd:8: expected one result, such as c9 "1-0"; or [0.5], '
        "found none\n"
        "not all files were read: the counts so far are in x.npz.partial\n",
    )
    assert (folder / "x.npz").read_text() == "before"
    assert ImbalanceTable.load("x.npz.partial").coverage().positions == 6


def test_if_nothing_was_counted_nothing_is_written(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    assert mip(capsys, "build", "missing", "-o", "x.npz") == (
        74,
        "",
        "error: missing: No such file or directory\n"
        "not all files were read: nothing was counted\n",
    )
    assert sorted(path.name for path in folder.iterdir()) == [
        "bad.epd", "x.epd", "x.pgn"
    ]  # fmt: skip


@pytest.mark.skipif(os.name != "posix", reason="devices have a name on POSIX only")
def test_a_device_is_written_to_and_stays(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = mip(capsys, "build", "x.epd", "-o", os.devnull)
    assert (code, err) == (0, "")
    assert out.startswith(f"{os.devnull}: 3 positions")
    assert Path(os.devnull).is_char_device()


@pytest.mark.parametrize(
    ("arguments", "code", "last"),
    [
        (["x.epd"], 2, "Error: Missing option '-o' / '--output'."),
        (
            ["-o", "x.npz"],
            2,
            "Error: expected a FILE or --merge TABLE, found neither.",
        ),
        (
            ["x.epd", "-o", "x.npz", "--skip-plies", "-1"],
            2,
            "Error: Invalid value for '--skip-plies': expected a whole number from 0 "
            "to 9,223,372,036,854,775,807, found '-1'",
        ),
        (
            ["x.epd", "-o", "x.npz", "--source", "a\nb"],
            65,
            "error: source: expected one printable line, found U+000A",
        ),
        (
            ["x.epd", "-o", "x.npz", "--merge", "x.pgn"],
            65,
            "error: x.pgn: expected a material-imbalance table, "
            "found another kind of file",
        ),
        (
            ["x.epd", "-o", "x.npz", "--merge", "missing"],
            74,
            "error: missing: No such file or directory",
        ),
    ],
)
def test_wrong_arguments_of_build_are_reported(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, last: str
) -> None:
    ended, out, err = mip(capsys, "build", *arguments)
    assert (ended, out) == (code, "")
    assert err.splitlines()[-1] == last
    assert not Path("x.npz").exists()


def test_the_names_of_many_files_are_cut_to_fit_the_source(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    name = "é" * 100
    (folder / name).write_text(EPD)
    assert mip(capsys, "build", *[name] * 7, "-o", "x.npz")[0] == 0
    source = ImbalanceTable.load("x.npz").source
    assert source.startswith(f"{name}, {name}")
    assert 990 < len(source.encode()) <= 1000


def test_ctrl_c_keeps_the_counts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    def read(_file: str, *, skip_plies: int) -> Iterator[GamePosition]:
        assert skip_plies == 0
        yield GamePosition(Material(), 0.5)
        signal.raise_signal(signal.SIGINT)
        pytest.fail("the interrupt was lost")

    (folder / "x.npz").write_text("before")
    monkeypatch.setattr("solver.laboratory.games.read_results", read)
    assert mip(capsys, "build", "x.epd", "-o", "x.npz") == (
        130,
        "x.npz.partial: 1 position in 1 of 236,196 cells\n",
        "interrupted: the counts so far are in x.npz.partial\n",
    )
    assert (folder / "x.npz").read_text() == "before"
    assert outcomes("x.npz.partial") == Outcomes(0, 1, 0)


# --- show


@pytest.fixture
def table() -> str:
    built = ImbalanceTable("by hand")
    for pieces, won, drawn, lost in (
        (Material(white_rooks=1), 1_234, 765, 1),
        (Material(white_rooks=1, black_rooks=1, white_pawns=1), 1, 1, 0),
        (Material(black_queens=1), 0, 0, 5),
    ):
        for result, number in ((1, won), (0.5, drawn), (0, lost)):
            for _ in range(number):
                built.add(find_material_cell(pieces), result)
    built.add(None, 1)
    built.save("hand.npz")
    return "hand.npz"


@pytest.mark.parametrize(
    ("what", "printed"),
    [
        (
            ["KRvK"],
            """\
KRvK: 2,000 positions, White scored 81 per cent
1,234 won, 765 drawn, 1 lost
cell 19,683, word 0x0003e851
White is 5 pawns ahead
""",
        ),
        (
            ROOK.split(),
            """\
KRvK: 2,000 positions, White scored 81 per cent
1,234 won, 765 drawn, 1 lost
cell 19,683, word 0x0003e851
White is 5 pawns ahead
""",
        ),
        (
            ["krpvkr"],
            """\
KRPvKR: 2 positions, White scored 75 per cent
1 won, 1 drawn, 0 lost
cell 26,253, word 0x0000014b
White is 1 pawn ahead; the search uses only differences of more than one pawn
""",
        ),
        (
            ["KvKQ"],
            """\
KvKQ: 5 positions, White scored 0 per cent
0 won, 0 drawn, 5 lost
cell 59,049, word 0x00000280
Black is 9 pawns ahead
""",
        ),
        (
            ["KvK"],
            """\
KvK: no positions
cell 0, word 0x00000000
neither side is ahead; the search uses only differences of more than one pawn
""",
        ),
        (
            ["KBBBvK"],
            """\
KBBBvK: out of range
a cell has at most 1 queen, 2 rooks, 2 bishops, 2 knights and 8 pawns a side
""",
        ),
    ],
)
def test_show_prints_the_results_of_a_material(
    capsys: pytest.CaptureFixture[str], table: str, what: list[str], printed: str
) -> None:
    assert mip(capsys, "show", *what, "--mip-table", table) == (0, printed, "")


def test_a_cell_has_a_record(capsys: pytest.CaptureFixture[str], table: str) -> None:
    code, out, err = mip(capsys, "show", "KRvK", "--mip-table", table, "--json")
    assert (code, err) == (0, "")
    assert list(json.loads(out).items()) == [
        ("schema", 1),
        ("material", "KRvK"),
        ("balance", 5),
        ("cell", 19_683),
        ("positions", 2_000),
        ("wins", 1_234),
        ("draws", 765),
        ("losses", 1),
        ("per_cent", 81),
        ("word", 0x3E851),
        ("solver", __version__),
    ]


@pytest.mark.parametrize(
    ("what", "known"),
    [
        ("KBBBvK", {"cell": None, "positions": None, "per_cent": None, "word": None}),
        ("KvK", {"cell": 0, "positions": 0, "per_cent": None, "word": 0}),
    ],
)
def test_a_record_has_null_for_missing_values(
    capsys: pytest.CaptureFixture[str], table: str, what: str, known: dict[str, Any]
) -> None:
    _, out, _ = mip(capsys, "show", what, "--mip-table", table, "--json")
    record = json.loads(out)
    assert {name: record[name] for name in known} == known


@pytest.mark.parametrize(
    ("arguments", "code", "last"),
    [
        (
            ["KRK", "--mip-table", "hand.npz"],
            65,
            "error: expected material such as KRPvKR, White's first, found 'KRK'",
        ),
        (
            ["8/8/8/8/8/8/R7/7k", "--mip-table", "hand.npz"],
            65,
            "error: expected one white king, found none",
        ),
        (
            ["KvK", "--mip-table", "x.pgn"],
            65,
            "error: x.pgn: expected a material-imbalance table, "
            "found another kind of file",
        ),
        (
            ["KvK", "--mip-table", "missing"],
            74,
            "error: missing: No such file or directory",
        ),
        ([], 2, "Error: Missing argument 'MATERIAL | FEN...'."),
    ],
)
def test_wrong_arguments_of_show_are_reported(
    capsys: pytest.CaptureFixture[str],
    table: str,
    arguments: list[str],
    code: int,
    last: str,
) -> None:
    assert table == "hand.npz"
    ended, out, err = mip(capsys, "show", *arguments)
    assert (ended, out) == (code, "")
    assert err.splitlines()[-1] == last


# --- info


def test_info_summarises_a_table(
    capsys: pytest.CaptureFixture[str], table: str
) -> None:
    checksum = checksum_of(table)
    assert mip(capsys, "info", table) == (
        0,
        f"""\
source     by hand
version    2
positions  2,007, and 1 out of range
cells      3 of 236,196 filled
decided    1 of these, with 5 positions: all won or all lost
sha-256    {checksum}

KRvK    2,000   81%
KvKQ        5    0%
KRPvKR      2   75%
""",
        "",
    )


def test_info_summarises_an_empty_table(capsys: pytest.CaptureFixture[str]) -> None:
    ImbalanceTable().save("empty.npz")
    code, out, err = mip(capsys, "info", "empty.npz")
    assert (code, err) == (0, "")
    assert out.splitlines()[:-1] == [
        "source     none given",
        "version    2",
        "positions  0, and 0 out of range",
        "cells      0 of 236,196 filled",
        "decided    0 of these, with 0 positions: all won or all lost",
    ]


def test_a_table_has_a_record(capsys: pytest.CaptureFixture[str], table: str) -> None:
    code, out, err = mip(capsys, "info", table, "--json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    frequent = record.pop("most_frequent")
    assert record == {
        "schema": 1,
        "version": 2,
        "source": "by hand",
        "positions": 2_007,
        "ignored": 1,
        "cells": 236_196,
        "filled": 3,
        "decided": 1,
        "decided_positions": 5,
        "sha256": checksum_of(table),
        "solver": __version__,
    }
    assert [cell["material"] for cell in frequent] == ["KRvK", "KvKQ", "KRPvKR"]
    assert frequent[1] == {
        "material": "KvKQ",
        "balance": -9,
        "cell": 59_049,
        "positions": 5,
        "wins": 0,
        "draws": 0,
        "losses": 5,
        "per_cent": 0,
        "word": 0x280,
    }


def test_a_damaged_table_is_refused(
    capsys: pytest.CaptureFixture[str], table: str
) -> None:
    path = Path(table)
    path.write_bytes(path.read_bytes()[:-1])
    assert mip(capsys, "info", table) == (
        65,
        "",
        "error: hand.npz: expected a whole table, found a damaged one\n",
    )


def test_without_a_name_the_shipped_table_is_read(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    table: str,
) -> None:
    Path(table).rename(folder / "imbalance.npz")
    monkeypatch.setattr(resources, "files", lambda _: folder)
    assert mip(capsys, "info")[1].startswith("source     by hand\n")
    assert mip(capsys, "show", "KRvK")[1].startswith("KRvK: 2,000 positions")


# --- in a separate process


def test_ctrl_c_ends_a_wait_for_input() -> None:
    with process("mip", "build", "-", "-o", "x.npz") as running:
        assert running.stdin
        assert running.stdout
        assert running.stderr
        running.stdin.write(f"{ROOK} 1-0\nhello\n")
        running.stdin.flush()
        assert "stdin:2" in running.stderr.readline()
        running.send_signal(signal.SIGINT)  # while it waits for the third line
        assert running.wait() == 130
        assert running.stdout.read() == (
            "x.npz.partial: 1 position in 1 of 236,196 cells\n"
        )
        assert running.stderr.read() == (
            "interrupted: the counts so far are in x.npz.partial\n"
        )


def test_a_terminal_shows_progress_and_errors_on_stderr() -> None:
    pty = pytest.importorskip("pty", reason="terminals are drawn on POSIX only")
    watching, terminal = pty.openpty()
    try:
        with process(
            "mip", "build", "bad.epd", "-o", "x.npz", stderr=terminal, TERM="xterm"
        ) as running:
            out, _ = running.communicate()
        shown = os.read(watching, 65_536).decode()
    finally:
        os.close(watching)
        os.close(terminal)
    assert out == COUNTED
    assert re.search(r"\d done, [\d.]+/s", shown)
    assert "error: bad.epd:1: board: expected" in shown
    assert running.returncode == 65


def test_a_table_is_loaded_with_numpy_alone() -> None:
    _, heavy = run_and_list_heavy(
        "from solver.laboratory.imbalance import MipUse, shipped;"
        "shipped().search_words(MipUse.NONE, 1)"
    )
    assert heavy == {"numpy"}
