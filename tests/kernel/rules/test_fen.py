"""The kernel reads and writes FENs as an oracle and python-chess do."""

from __future__ import annotations

from collections import Counter
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import chess

from solver.board import pack_board
from solver.kernel.border.query_struct import FEN_FAULTS, FenFault
from tests.kernel.fens import mutated_fens
from tests.kernel.mate.rows import Question, Reading, Rows, read_all
from tests.oracles import reading, walks
from tests.sizes import sized
from tests.test_fen_faults import BAD

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solver.kernel.border.interface import Kernel

PUZZLES = sorted((Path(__file__).parents[3] / "puzzles").glob("*.epd"))
KINGS = "7k/8/8/8/8/8/8/K7"


UNUSUAL = [
    KINGS,
    f"{KINGS} b",
    f"{KINGS} w - - 007 0",
    f"{KINGS} w - - {'9' * 17} {'9' * 17}",
    f"\x1c\t{KINGS}\x1d\x1e\x1fw\x0b-\x0c-\r\n0 \n 1\x1c ",
    f"{KINGS} w - -{' ' * 179}0 1",
    f"{KINGS} w - -{' ' * 180}0 1",
    f"{' ' * 300}{KINGS}{' ' * 300}",
    "r3k2r/8/8/8/8/8/8/R3K2R w qKkQ -",
    "4k3/8/8/8/4Pp2/8/8/4K3 b - e3 0 1",
    "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1",
    "8/8/8/8/1k1Pp2R/8/8/4K3 b - d3 0 1",
    "4k3/8/8/1B6/4P3/8/8/4K3 b - e3",
    "8/8/8/3k4/4P3/8/8/4K3 b - e3",
    "8/8/8/3k4/3RP3/8/8/4K3 b - e3",
    "4k3/8/5N2/8/4R3/8/8/4K3 b",
    "4r3/8/8/8/4K3/8/8/k3r3 w",
    "8/8/2b5/8/4K3/8/6b1/k7 w",
    "r3k2r/8/8/8/8/8/8/R4K1R w K - 0 1",
    "r3k2r/8/8/8/8/8/8/r3K2R w Q - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KK - 0 1",
    "k7/p7/p7/p7/p7/ppppp3/8/7K w - - 0 1",
    "k7/8/8/8/8/1n6/2n5/K7 w - - 0 1",
    f"{KINGS} w - - {'0' * 17}1 1",
    f"\u00a0{KINGS}",
]


def expected(fen: str, *, black: bool = False) -> Reading | None:
    """Return what a FEN is read as by the oracle."""
    board = reading.read_fen(fen, not black)
    if isinstance(board, str):
        return None
    return Reading(
        bytes(pack_board(board)),
        not board.turn,
        board.ep_square,
        board.halfmove_clock,
        board.fullmove_number,
        board.fen(en_passant="fen"),
        "",
    )


def compare(kernel: Kernel, fens: Iterable[str]) -> tuple[int, Counter[FenFault]]:
    """Compare readings; return how many FENs were read, and the faults of the others.

    Both readers find the same fault of several.
    """
    fens = iter(fens)
    read = 0
    faults: Counter[FenFault] = Counter()
    while batch := list(islice(fens, 50_000)):
        rows = Rows([Question(fen) for fen in batch])
        assert rows.read(kernel) == len(batch)
        for index, fen in enumerate(batch):
            assert rows.reading(index) == expected(fen), fen
            fault = FenFault(rows.rows[index].fen_fault)
            named = reading.read_fen(fen)
            assert fault.name == (named if isinstance(named, str) else "NONE"), fen
            if fault == FenFault.NONE:
                read += 1
            else:
                faults[fault] += 1
    return read, faults


@sized("count", 200, 2000)
def test_positions_of_play_are_read_as_by_the_oracle(
    kernel: Kernel, count: int
) -> None:
    boards = [*walks.random_positions(4 * count, 21), *walks.small_positions(count, 21)]
    fens = [board.fen(en_passant="fen") for board in boards]
    assert compare(kernel, fens) == (5 * count, {})
    lines = chain(*(path.read_text("utf-8").splitlines() for path in PUZZLES))
    problems = [" ".join(line.split()[:4]) for line in lines if line[:1] != "#"]
    read, faults = compare(kernel, problems)
    assert faults.total() < 100 < read


@sized("count", 3_000, 1_000_000)
def test_changed_fens_are_accepted_and_refused_as_by_the_oracle(
    kernel: Kernel, count: int
) -> None:
    fens = [*UNUSUAL, *BAD, *mutated_fens(count, seed=22)]
    read, faults = compare(kernel, fens)
    assert read > 0.15 * count
    assert faults.total() > 0.15 * count
    assert faults.keys() == FEN_FAULTS.keys()


def test_black_begins_by_default_where_that_is_asked_for(kernel: Kernel) -> None:
    fens = [KINGS, f"{KINGS} w", f"{KINGS} b - -", "6rk/8/8/8/8/8/8/6K1"]
    for black in (False, True):
        readings = read_all(kernel, [Question(fen, black=black) for fen in fens])
        assert readings == [expected(fen, black=black) for fen in fens]


def test_rows_are_read_until_their_text_has_no_room(kernel: Kernel) -> None:
    boards = list(walks.random_positions(100, 24))
    questions = [Question(board.fen(en_passant="fen")) for board in boards]
    whole = read_all(kernel, questions)
    rows = Rows(questions, text_size=1000)
    start, calls, readings = 0, 0, []
    while start < len(questions):
        rows.search.text_written = 0
        end = rows.read(kernel, start)
        assert end > start
        readings += [rows.reading(index) for index in range(start, end)]
        start = end
        calls += 1
    assert readings == whole
    assert calls > 5
    assert Rows([Question(chess.STARTING_FEN)], text_size=60).read(kernel) == 0
