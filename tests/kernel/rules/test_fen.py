"""The kernel reads and writes FENs as the strict reader and python-chess do."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import pack
from solver.errors import FenError
from solver.kernel.border.query import FEN_FAULTS, FenFault
from solver.strict_fen import find_fault, parse_strictly
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
KINGS = "7k/8/8/8/8/8/8/K7"


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


EXPLAINED = {
    FenFault.EMPTY: "expected a FEN, found nothing",
    FenFault.TOO_LONG: "expected a FEN of at most 200 characters",
    FenFault.NOT_ASCII: "expected plain ASCII",
    FenFault.FIELDS: "expected a FEN of 1, 2, 4 or 6 fields",
    FenFault.RANKS: "board: expected 8 ranks",
    FenFault.LETTER: "rank [1-8]: expected pieces",
    FenFault.DIGITS: "rank [1-8]: expected one digit",
    FenFault.SQUARES: "rank [1-8]: expected 8 squares",
    FenFault.SIDE: "side to move: expected w or b",
    FenFault.CASTLING_LETTERS: "castling rights: expected - or letters",
    FenFault.EN_PASSANT: "en passant square: expected - or a square",
    FenFault.CLOCK: "halfmove clock: expected",
    FenFault.NUMBER: "move number: expected",
    FenFault.WHITE_KING: "expected one white king",
    FenFault.BLACK_KING: "expected one black king",
    FenFault.EDGE_PAWN: "expected no pawn on the first or last rank",
    FenFault.WHITE_PAWNS: "expected at most 8 white pawns",
    FenFault.BLACK_PAWNS: "expected at most 8 black pawns",
    FenFault.WHITE_PIECES: "expected at most 16 white pieces",
    FenFault.BLACK_PIECES: "expected at most 16 black pieces",
    FenFault.CASTLING_PIECES: "castling right [KQkq]: expected a .* king on",
    FenFault.EN_PASSANT_RANK: "en passant square: expected one on rank",
    FenFault.EN_PASSANT_PAWN: "en passant square [a-h][36]: expected a .* pawn on",
    FenFault.EN_PASSANT_BLOCKED: "en passant square .* to be empty",
    FenFault.OPPOSITE_CHECK: "expected the .* king out of check",
    FenFault.TOO_MANY_CHECKS: "expected at most two pieces giving check",
    FenFault.IMPOSSIBLE_CHECKS: "expected checks that a single move can give",
}
"""How the strict reader's message on each fault begins."""


def compare(kernel: Kernel, fens: Iterable[str]) -> tuple[int, Counter[FenFault]]:
    """Compare readings; return how many FENs were read, and the faults of the others.

    Both readers find the same fault of several.
    """
    fens = iter(fens)
    read = 0
    faults: Counter[FenFault] = Counter()
    while batch := list(islice(fens, BATCH)):
        rows = Rows([Question(fen) for fen in batch])
        assert rows.read(kernel) == len(batch)
        for index, fen in enumerate(batch):
            reading = rows.reading(index)
            assert reading == expected(fen), fen
            fault = FenFault(rows.rows[index].fen_fault)
            assert (fault == FenFault.NONE) == (reading is not None), fen
            if reading:
                read += 1
                continue
            message = str(find_fault(fen))
            assert re.match(EXPLAINED[fault], message), (fen, fault, message)
            faults[fault] += 1
    return read, faults


@sized("count", 500, 2000)
def test_positions_of_play_are_read_as_by_the_strict_reader(
    kernel: Kernel, count: int
) -> None:
    boards = [
        *walks.random_positions(4 * count, 21),
        *walks.small_positions(count, 21),
    ]
    fens = [board.fen(en_passant="fen") for board in boards]
    assert compare(kernel, fens) == (5 * count, {})


def test_changed_fens_are_accepted_and_refused_as_by_the_strict_reader(
    kernel: Kernel,
) -> None:
    too_long = f"{KINGS} w - -{' ' * 180}0 1"
    read, faults = compare(kernel, [too_long, *mutated_fens(8000, seed=22)])
    assert read > 1200
    assert faults.total() > 1200
    assert faults.keys() == FEN_FAULTS.keys()


@pytest.mark.slow
def test_a_million_changed_fens_are_read_as_by_the_strict_reader(
    kernel: Kernel,
) -> None:
    read, faults = compare(kernel, mutated_fens(1_000_000, seed=23))
    assert read > 150_000
    assert faults.total() > 200_000


def test_each_fault_has_a_sentence_that_says_what_was_expected() -> None:
    assert set(FEN_FAULTS) == set(EXPLAINED) == set(FenFault) - {FenFault.NONE}
    sentences = FEN_FAULTS.values()
    assert len(set(sentences)) == len(sentences)
    assert all(re.match("([a-z ]+: )?expected ", sentence) for sentence in sentences)
    for fault, sentence in FEN_FAULTS.items():
        shared = set(re.findall("[a-z]{4,}", EXPLAINED[fault])) - {"expected", "rank"}
        assert shared <= set(re.findall("[a-z]{4,}", sentence)), fault


@pytest.mark.parametrize("fen", BAD)
def test_a_bad_fen_is_refused(kernel: Kernel, fen: str) -> None:
    read, faults = compare(kernel, [fen])
    assert (read, faults.total()) == (0, 1)


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
    read, faults = compare(kernel, fens)
    assert read > 100
    assert faults.total() < read


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
