"""Pure, model and ideal mates, and what a key does.

On positions made for each rule, and as the oracle says it of all kinds of positions.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import pytest

from solver import Limits, Problem, solve
from solver.board import Place
from solver.formats.registry import read_collection
from solver.play.record import KEY_FEATURES, MateMark, find_mate_mark, mark_key
from tests.oracles import marks, special, walks
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("kernel")

PUZZLES = Path(__file__).parents[2] / "puzzles"

PLAIN, PURE, MODEL, IDEAL = MateMark

CHECK_ON_BOTH_LINES = "kr6/8/8/2b5/4B3/8/8/R6K b - - 0 1"
PINNED = "3rkb2/4qp2/5N2/8/8/8/8/4R2K b - - 0 1"

MATES = [
    # One guard for each square; the king takes part.
    ("k6R/8/1K6/8/8/8/8/8 b - - 0 1", IDEAL),
    ("k7/2K5/8/8/8/8/8/R7 b - - 0 1", IDEAL),
    # An idle king or pawn leaves a model mate, an idle piece a pure one.
    ("4R1k1/5ppp/8/8/8/8/8/K7 b - - 0 1", MODEL),
    ("k6R/8/1K6/8/8/8/7P/8 b - - 0 1", MODEL),
    ("4R1k1/5ppp/8/8/8/8/8/K1B5 b - - 0 1", PURE),
    # An idle piece of the mated side prevents only an ideal mate.
    ("k6R/8/1K6/8/8/8/p7/8 b - - 0 1", MODEL),
    # Smothered: all blocks, and the knight alone mates.
    ("6rk/5Npp/8/8/8/8/8/K7 b - - 0 1", MODEL),
    # A square guarded twice, and a block that is guarded.
    ("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", PLAIN),
    ("4R1k1/5ppp/8/8/3B4/8/8/K7 b - - 0 1", PLAIN),
    # The king's own shadow is guarded: h8 by the rook behind its king.
    ("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", MODEL),
    # Both checks are needed: the bishop would parry one, the rook the other.
    (CHECK_ON_BOTH_LINES, MODEL),
    ("kr6/8/8/8/4B3/8/8/R6K b - - 0 1", PLAIN),
    # A block may be guarded by its pinner where the pin is needed.
    (PINNED, MODEL),
    ("3rkb2/4np2/5N2/8/8/8/8/4R2K b - - 0 1", PLAIN),
    # The rook far away would parry the check, so its pinner takes part; the knight
    # would not.
    ("k1K5/8/8/3r4/8/8/6B1/R7 b - - 0 1", MODEL),
    ("k1K5/8/8/3n4/8/8/6B1/R7 b - - 0 1", PURE),
    # The pawn f4 would capture en passant if the rook did not pin it.
    ("8/6K1/8/4pkp1/2Q1Ppp1/5R2/8/8 b - e3 0 1", IDEAL),
    # Not mate at all: stalemate, check, and a quiet position.
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", PLAIN),
    ("k7/8/8/8/8/8/8/R6K b - - 0 1", PLAIN),
    (chess.STARTING_FEN, PLAIN),
]


@pytest.mark.parametrize(("fen", "mark"), MATES)
def test_a_mate_is_marked_by_the_definition(fen: str, mark: MateMark) -> None:
    board = chess.Board(fen)
    assert find_mate_mark(board) is mark
    assert board.fen(en_passant="fen") == fen
    assert find_mate_mark(board.mirror()) is mark
    assert find_mate_mark(board.transform(chess.flip_horizontal)) is mark


def test_the_positions_above_are_mates_where_they_should_be() -> None:
    for fen, mark in MATES[:-3]:
        assert chess.Board(fen).is_checkmate(), (fen, mark)


KEYS = [
    # A block: a quiet move of the queen that nobody can take.
    ("2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1", "h5a5", []),
    # The same queen offers itself with check.
    (
        "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1",
        "h5d5",
        ["check", "sacrifice"],
    ),
    ("8/8/8/8/8/8/8/R3K2k w Q - 0 1", "e1c1", ["check", "takes flight g1", "castling"]),
    # A capture that promotes.
    (
        "1n5k/P7/8/8/8/8/8/K7 w - - 0 1",
        "a7b8q",
        ["check", "captures a knight", "takes flight g8", "promotes to a queen"],
    ),
    # En passant is a capture.
    ("8/8/8/3pP3/8/8/7k/K7 w - d6 0 1", "e5d6", ["captures a pawn"]),
    # A pin, and the piece left behind it en prise.
    ("4k3/4n3/8/8/8/8/8/3R2K1 w - - 0 1", "d1e1", ["pins e7", "gives flights d7, d8"]),
    (
        "4k3/4n3/8/8/8/8/8/4R1K1 w - - 0 1",
        "e1d1",
        ["takes flights d7, d8", "unpins e7"],
    ),
    # Flights are given and taken.
    (
        "8/8/8/8/8/k7/7R/7K w - - 0 1",
        "h2h3",
        ["check", "takes flight b3", "gives flights a2, b2"],
    ),
    # A piece that the moved one shielded is en prise.
    (
        "r3k3/8/8/8/N7/8/B7/7K w - - 0 1",
        "a4b6",
        ["takes flight d7", "puts a2 en prise"],
    ),
]


@pytest.mark.parametrize(("fen", "uci", "marks"), KEYS)
def test_a_key_is_marked_by_what_it_does(fen: str, uci: str, marks: list[str]) -> None:
    board = chess.Board(fen)
    move = chess.Move.from_uci(uci)
    assert move in board.legal_moves
    assert mark_key(Place.of(board), move.uci()) == marks
    assert board.fen() == fen


def test_nothing_is_said_of_a_key_that_mates() -> None:
    board = chess.Board("7k/8/6K1/8/8/8/8/1R6 w - - 0 1")
    assert mark_key(Place.of(board), "b1b8") == []


def moves_of(count: int, seed: int) -> Iterator[tuple[chess.Board, chess.Move]]:
    """Yield all legal moves of positions of all kinds, special moves among them."""
    boards = chain(
        walks.random_positions(count, seed),
        walks.small_positions(count, seed),
        walks.crowded_positions(count, seed),
        special.all_kinds(count // len(special.KINDS), seed),
    )
    return ((board, move) for board in boards for move in list(board.legal_moves))


def feature_of(remark: str) -> str:
    """Return a remark without its squares."""
    words = remark.replace(",", "").split()
    return " ".join(word for word in words if word not in chess.SQUARE_NAMES)


@sized("count", 60, 3_000)
def test_a_key_does_what_the_oracle_says(count: int) -> None:
    found: Counter[str] = Counter()
    for board, move in moves_of(count, seed=1):
        expected = marks.mark_key(board, move)
        assert mark_key(Place.of(board), move.uci()) == expected, (board.fen(), move)
        found.update(map(feature_of, expected))
        found[special.name_special(board, move)] += 1
    named = {feature_of(text.format("a1")) for text in KEY_FEATURES.values()}
    assert named - {"promotes to a pawn"} <= set(found)
    assert {"castling", "en passant", "promotion"} <= set(found)


def test_a_key_does_the_same_with_flipped_colours() -> None:
    for board, move in moves_of(40, seed=2):
        start, end = move.from_square ^ 56, move.to_square ^ 56
        mirrored = chess.Move(start, end, move.promotion)
        found = mark_key(Place.of(board.mirror()), mirrored.uci())
        expected = mark_key(Place.of(board), move.uci())
        assert list(map(feature_of, found)) == list(map(feature_of, expected))
        assert squares_of(found) == {square ^ 56 for square in squares_of(expected)}


def squares_of(remarks: list[str]) -> set[chess.Square]:
    words = " ".join(remarks).replace(",", "").split()
    names = chess.SQUARE_NAMES
    return {names.index(word) for word in words if word in names}


def mates_of_play(count: int, seed: int) -> Iterator[chess.Board]:
    """Yield the mates that a legal move gives in positions of all kinds."""
    for board, move in moves_of(count, seed):
        board.push(move)
        if board.is_checkmate():
            yield board
        board.pop()


def mates_of_puzzles(every: int) -> Iterator[chess.Board]:
    """Yield the final positions of the puzzles' solutions."""
    records = chain.from_iterable(map(read_collection, sorted(PUZZLES.glob("*.epd"))))
    for record in islice(records, 0, None, every):
        assert isinstance(record, Problem)
        board = chess.Board(record.fen)
        for move in solve(record, Limits(nodes=20_000)).pv:
            board.push_uci(move)
        yield board


@sized("count", 150, 8_000)
def test_a_mate_is_what_the_oracle_says(count: int) -> None:
    found: Counter[str] = Counter()
    mates = chain(
        walks.mated_positions(count, seed=3),
        mates_of_play(count, seed=3),
        mates_of_puzzles(every=10 if count < 1_000 else 1),
    )
    for board in mates:
        mark = marks.mark_mate(board)
        assert find_mate_mark(board) is mark, board.fen()
        assert find_mate_mark(board.mirror()) is mark, board.fen()
        found[mark] += 1
        found["double check"] += mark != PLAIN and len(board.checkers()) > 1
        found["pin"] += mark != PLAIN and bool(pinned(board))
    assert {PLAIN, PURE, MODEL, "double check", "pin"} <= set(+found)


def pinned(board: chess.Board) -> list[chess.Square]:
    return [
        square
        for square in chess.SquareSet(board.occupied_co[board.turn] & ~board.kings)
        if board.is_pinned(board.turn, square)
    ]
