"""`matesolve mip`: exact output and exit codes; incomplete tables go to `.partial`."""

from __future__ import annotations

import gzip
import hashlib
import json
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from solver import __version__
from solver.laboratory.games import GamePosition
from solver.laboratory.imbalance import (
    ImbalanceTable,
    Material,
    Outcomes,
    find_material_cell,
)
from tests.cli.conftest import names, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.conftest import Cli

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
BAD_RECORDS = """\
error: bad.epd:1: board: expected 8 ranks with / between them, found 1 in 'hello'
error: bad.epd:8: expected one result, such as c9 "1-0"; or [0.5], found none
"""


@pytest.fixture
def mip(cli: Cli) -> Cli:
    Path("x.epd").write_text(EPD)
    Path("x.pgn").write_text(PGN)
    Path("bad.epd").write_text(BAD)
    return lambda words, **settings: cli(f"mip {words}", **settings)


def outcomes(path: str, **pieces: int) -> Outcomes:
    cell = find_material_cell(Material(**pieces))
    assert cell is not None
    return ImbalanceTable.load(path).outcomes(cell)


# --- build


def test_positions_are_counted_into_a_table(mip: Cli) -> None:
    assert mip("build x.epd -o x.npz") == (0, COUNTED, "")
    assert outcomes("x.npz", white_rooks=1) == Outcomes(1, 1, 0)
    assert outcomes("x.npz", white_rooks=1, black_rooks=1) == Outcomes(0, 0, 1)
    assert ImbalanceTable.load("x.npz").source == "x.epd"


def test_files_of_both_formats_add_up(mip: Cli) -> None:
    Path("x.pgn.gz").write_bytes(gzip.compress(PGN.encode()))
    code, out, err = mip("build x.epd x.pgn x.pgn.gz -o x.npz")
    assert (code, err) == (0, "")
    assert out.startswith("x.npz: 11 positions in 4 of 236,196 cells\n")
    assert ImbalanceTable.load("x.npz").source == "x.epd, x.pgn, x.pgn.gz"
    printed = "x.npz: 1 position in 1 of 236,196 cells\n"
    assert mip("build x.pgn -o x.npz --skip-plies 3") == (0, printed, "")
    name = "é" * 100
    Path(name).write_text(EPD)
    mip(f"build {f'{name} ' * 7} -o x.npz")
    assert 990 < len(ImbalanceTable.load("x.npz").source.encode()) <= 1000


def test_tables_are_merged_and_one_can_be_replaced_by_the_sum(mip: Cli) -> None:
    mip("build x.epd -o x.npz")
    mip("build x.pgn -o y.npz")
    code, out, _ = mip("build x.epd --merge x.npz --merge y.npz -o x.npz")
    lines = ["x.npz: 10 positions in 4 of 236,196 cells", "2 positions out of range"]
    assert (code, out.splitlines()[:2]) == (0, lines)
    assert ImbalanceTable.load("x.npz").source == "x.npz, y.npz, x.epd"
    mip("build --merge x.npz -o z.npz --source 'a copy'")
    copy, table = ImbalanceTable.load("z.npz"), ImbalanceTable.load("x.npz")
    assert copy.source == "a copy"
    assert list(copy.filled_cells()) == list(table.filled_cells())


def test_if_a_file_cannot_be_read_the_table_goes_to_partial(mip: Cli) -> None:
    missing = "error: missing: No such file or directory\n"
    unread = "not all files were read:"
    nothing = f"{missing}{unread} nothing was counted\n"
    assert mip("build missing -o x.npz") == (74, "", nothing)
    assert names() == ["bad.epd", "x.epd", "x.pgn"]
    assert mip("build bad.epd -o x.npz") == (65, COUNTED, BAD_RECORDS)
    before = Path("x.npz").read_bytes()
    code, _, err = mip("build missing bad.epd -o x.npz x.epd")
    partial = f"{unread} the counts so far are in x.npz.partial\n"
    assert (code, err) == (74, missing + BAD_RECORDS + partial)
    assert Path("x.npz").read_bytes() == before
    assert ImbalanceTable.load("x.npz.partial").coverage().positions == 6


def test_ctrl_c_keeps_the_counts(mip: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(_file: str, *, skip_plies: int) -> Iterator[GamePosition]:
        assert skip_plies == 0
        yield GamePosition(Material(), 0.5)
        signal.raise_signal(signal.SIGINT)
        pytest.fail("the interrupt was lost")

    Path("x.npz").write_text("before")
    monkeypatch.setattr("solver.laboratory.games.read_results", read)
    assert mip("build x.epd -o x.npz") == (
        130,
        "x.npz.partial: 1 position in 1 of 236,196 cells\n",
        "interrupted: the counts so far are in x.npz.partial\n",
    )
    assert Path("x.npz").read_text() == "before"
    assert outcomes("x.npz.partial") == Outcomes(0, 1, 0)


# --- show and info


@pytest.fixture
def table(mip: Cli) -> Cli:
    """Return the command, beside a table that is made by hand."""
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
    return mip


SHOWN = """
KRvK: 2,000 positions, White scored 81 per cent
1,234 won, 765 drawn, 1 lost
cell 19,683, word 0x0003e851
White is 5 pawns ahead

KRPvKR: 2 positions, White scored 75 per cent
1 won, 1 drawn, 0 lost
cell 26,253, word 0x0000014b
White is 1 pawn ahead; the search uses only differences of more than one pawn

KvK: no positions
cell 0, word 0x00000000
neither side is ahead; the search uses only differences of more than one pawn

KBBBvK: out of range
a cell has at most 1 queen, 2 rooks, 2 bishops, 2 knights and 8 pawns a side
"""


def test_show_prints_the_results_of_a_material(table: Cli) -> None:
    answers = SHOWN.strip("\n").split("\n\n")
    words = [answer.partition(":")[0] for answer in answers]
    assert len(words) == 4
    for word, answer in zip(
        [*words, "krpvkr", ROOK], [*answers, *answers[1::-1]], strict=True
    ):
        shown = table(f"show {word} --mip-table hand.npz")
        assert shown == (0, answer.rstrip("\n") + "\n", "")


RECORD = {
    "schema": 1, "material": "KRvK", "balance": 5, "cell": 19_683, "positions": 2_000,
    "wins": 1_234, "draws": 765, "losses": 1, "per_cent": 81, "word": 0x3E851,
    "solver": __version__,
}  # fmt: skip


def test_a_cell_has_a_record(table: Cli) -> None:
    code, out, err = table("show KRvK --mip-table hand.npz --json")
    assert (code, err) == (0, "")
    assert list(json.loads(out).items()) == list(RECORD.items())
    none, zero = (
        json.loads(table(f"show {what} --mip-table hand.npz --json").out)
        for what in ("KBBBvK", "KvK")
    )
    known = ("cell", "positions", "per_cent", "word")
    assert [none[name] for name in known] == [None] * 4
    assert [zero[name] for name in known] == [0, 0, None, 0]


SUMMARY = """\
source     by hand
version    2
positions  2,007, and 1 out of range
cells      3 of 236,196 filled
decided    1 of these, with 5 positions: all won or all lost
sha-256    {}

KRvK    2,000   81%
KvKQ        5    0%
KRPvKR      2   75%
"""


def test_info_summarises_a_table(table: Cli) -> None:
    with np.load("hand.npz", allow_pickle=False) as arrays:
        checksum = hashlib.sha256(arrays["counts"]).hexdigest()
    assert table("info hand.npz") == (0, SUMMARY.format(checksum), "")
    code, out, err = table("info hand.npz --json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    frequent = record.pop("most_frequent")
    assert record == {
        "schema": 1, "version": 2, "source": "by hand", "positions": 2_007,
        "ignored": 1, "cells": 236_196, "filled": 3, "decided": 1,
        "decided_positions": 5, "sha256": checksum, "solver": __version__,
    }  # fmt: skip
    assert [cell["material"] for cell in frequent] == ["KRvK", "KvKQ", "KRPvKR"]
    assert frequent[0] == {name: RECORD[name] for name in frequent[0]}


KIND = "expected a material-imbalance table, found another kind of file"
MATERIAL = "expected material such as KRPvKR, White's first, found 'KRK'"


def test_wrong_arguments_are_reported(table: Cli) -> None:
    for words, code, last in rows(f"""
build x.epd             | 2  | Error: Missing option '-o' / '--output'.
build -o x.npz          | 2  | Error: expected a FILE or --merge TABLE, found neither.
build x.epd -o x.npz --source 'a	b' | 65 | expected one printable line, found U+0009
build x.epd -o x.npz --merge x.pgn   | 65 | error: x.pgn: {KIND}
show KRK --mip-table hand.npz | 65 | error: {MATERIAL}
show 8/8/8/8/8/8/R7/7k        | 65 | error: expected one white king, found none
show KvK --mip-table missing  | 74 | error: missing: No such file or directory
info cut.npz      | 65 | error: cut.npz: expected a whole table, found a damaged one
"""):
        Path("cut.npz").write_bytes(Path("hand.npz").read_bytes()[:-1])
        ended = table(words)
        assert (ended.code, ended.out) == (int(code), "")
        assert ended.err.splitlines()[-1].endswith(last)
        assert not Path("x.npz").exists()
