"""The kernel reads and writes FENs as the strict reader and python-chess do."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import pack
from solver.errors import FenError
from solver.strict_fen import parse_strictly
from tests.kernel.fens import mutated_fens
from tests.kernel.mate.rows import Question, Reading, Rows, read_all
from tests.oracles import walks
from tests.sizes import sized
from tests.test_strict_fen import BAD

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solver.kernel.border.interface import Kernel

ROOT = Path(__file__).parents[3]
PUZZLES = ROOT / "puzzles"
SHARED = ROOT.parent / "shared" / "data"
BATCH = 50_000


def expected(fen: str, *, black: bool = False) -> Reading | None:
    """Return what a FEN is read as by the strict reader."""
    try:
        board = parse_strictly(fen, not black)
    except FenError:
        return None
    return Reading(
        bytes(pack(board)),
        not board.turn,
        board.ep_square,
        board.halfmove_clock,
        board.fullmove_number,
        board.fen(en_passant="fen"),
        "",
    )


def compare(kernel: Kernel, fens: Iterable[str]) -> tuple[int, int]:
    """Compare readings; return how many FENs were read and how many refused."""
    fens = iter(fens)
    read = refused = 0
    while batch := list(islice(fens, BATCH)):
        readings = read_all(kernel, [Question(fen) for fen in batch])
        for fen, reading in zip(batch, readings, strict=True):
            assert reading == expected(fen), fen
            read += reading is not None
            refused += reading is None
    return read, refused


@sized("count", 500, 2000)
def test_positions_of_play_are_read_as_by_the_strict_reader(
    kernel: Kernel, count: int
) -> None:
    boards = [
        *walks.random_positions(4 * count, 21),
        *walks.small_positions(count, 21),
    ]
    fens = [board.fen(en_passant="fen") for board in boards]
    assert compare(kernel, fens) == (5 * count, 0)


def test_changed_fens_are_accepted_and_refused_as_by_the_strict_reader(
    kernel: Kernel,
) -> None:
    read, refused = compare(kernel, mutated_fens(8000, seed=22))
    assert read > 1200
    assert refused > 1200


@pytest.mark.slow
def test_a_million_changed_fens_are_read_as_by_the_strict_reader(
    kernel: Kernel,
) -> None:
    read, refused = compare(kernel, mutated_fens(1_000_000, seed=23))
    assert read > 150_000
    assert refused > 200_000


def test_changed_fens_have_every_fault() -> None:
    faults = set()
    for fen in mutated_fens(8000, seed=22):
        try:
            parse_strictly(fen)
        except FenError as error:
            faults.add(re.sub(r"[a-h][1-8]|[0-9]+|'.*'", "", str(error))[:38])
    for fault in (
        "expected checks that one move can give",
        "expected at most two pieces giving che",
        "expected the white king out of check (",
        "expected the black king out of check (",
        "expected no pawn on the first or last ",
        "expected at most  white pieces, found ",
        "expected at most  black pawns, found ",
        "halfmove clock: expected a whole numbe",
        "castling right Q: expected a white kin",
    ):
        assert fault in faults


@pytest.mark.parametrize("fen", BAD)
def test_a_bad_fen_is_refused(kernel: Kernel, fen: str) -> None:
    assert read_all(kernel, [Question(fen)]) == [None]


KINGS = "7k/8/8/8/8/8/8/K7"


@pytest.mark.parametrize(
    "fen",
    [
        KINGS,
        f"{KINGS} b",
        f"{KINGS} b - -",
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
        "8/8/8/8/k3P2R/8/8/4K3 b - e3",
        "8/8/8/3k4/4P3/8/8/4K3 b - e3",
        "8/8/8/3k4/3RP3/8/8/4K3 b - e3",
        "4k3/8/5N2/8/4R3/8/8/4K3 b",
        "4r3/8/8/8/4K3/8/8/k3r3 w",
        "8/8/2b5/8/4K3/8/6b1/k7 w",
        "8/8/2b5/8/4K3/8/2q5/k7 w",
        "r3k2r/8/8/8/8/8/8/R4K1R w K - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K1R1 w K - 0 1",
        "r3k2r/8/8/8/8/8/8/r3K2R w Q - 0 1",
        "R3k2r/8/8/8/8/8/8/R3K2R w q - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KK - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1",
        "k7/p7/p7/p7/p7/ppppp3/8/7K w - - 0 1",
        "k7/8/8/8/8/8/8/K6r b - - 0 1",
        f"{KINGS} w - - 0 -1",
        "k7/8/8/8/8/1n6/2n5/K7 w - - 0 1",
        f"{KINGS} w - - {'0' * 17}1 1",
        f"\u00a0{KINGS}",
    ],
)
def test_an_unusual_fen_is_read_as_by_the_strict_reader(
    kernel: Kernel, fen: str
) -> None:
    assert read_all(kernel, [Question(fen)]) == [expected(fen)]


def test_black_begins_by_default_where_that_is_asked_for(kernel: Kernel) -> None:
    fens = [KINGS, f"{KINGS} w", f"{KINGS} b - -", "6rk/8/8/8/8/8/8/6K1"]
    for black in (False, True):
        readings = read_all(kernel, [Question(fen, black=black) for fen in fens])
        assert readings == [expected(fen, black=black) for fen in fens]


@pytest.mark.parametrize("folder", [PUZZLES, SHARED])
def test_positions_of_problems_are_read_as_by_the_strict_reader(
    kernel: Kernel, folder: Path
) -> None:
    fens = []
    for path in sorted(folder.glob("*.epd")):
        lines = path.read_text("utf-8").splitlines()
        fens += [" ".join(line.split()[:4]) for line in lines if line[:1] != "#"]
    if folder == SHARED and not fens:
        pytest.skip("the public suites are not part of the project")
    read, refused = compare(kernel, fens)
    assert read > 100
    assert refused < read


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


def test_no_row_is_read_without_room_for_its_text(kernel: Kernel) -> None:
    rows = Rows([Question(chess.STARTING_FEN)], text_size=60)
    assert rows.read(kernel) == 0
