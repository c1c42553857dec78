"""En Croissant's databases: each row is a game that ends in the solver's mate."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import pytest

from solver import accepted
from solver.errors import InputError
from solver.formats import registry
from solver.formats.en_croissant import take_back
from solver.problem import Claim, Problem
from tests.formats import random_positions
from tests.formats.whole_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable

pytestmark = pytest.mark.usefixtures("kernel")

PUZZLES = Path(__file__).parents[2] / "puzzles"
PHILIDOR = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
LINE = "c4g8", "f8g8", "h6f7"
BEFORE = "5k2/5ppp/8/8/8/8/8/R5K1 b - - 4 30"
"""After Kg8, Ra8 mates."""


def rows_of(path: Path, problems: Iterable[Problem]) -> list[tuple[int, str, str, int]]:
    """Write problems; return number, position, moves and themes of each row."""
    path.write_bytes(write_whole("sqlite", *problems))
    with closing(sqlite3.connect(path)) as base:
        columns = "SELECT id, fen, moves, rating FROM puzzles ORDER BY id"
        return base.execute(columns).fetchall()


def mates(fen: str, moves: str) -> chess.Board:
    """Replay the moves of a row; return the position after the first of them."""
    board = chess.Board(fen)
    assert board.is_valid()
    first, *line = moves.split()
    assert len(line) % 2 == 1
    for move in (first, *line):
        assert board.parse_uci(move) in board.legal_moves
        board.push_uci(move)
    assert board.is_checkmate()
    for _ in line:
        board.pop()
    return board


def test_a_problem_begins_with_a_move_that_is_taken_back(tmp_path: Path) -> None:
    problem = Problem(PHILIDOR, "philidor", Claim(2, LINE[:1], LINE))
    ((number, fen, moves, rating),) = rows_of(tmp_path / "x.db3", [problem])
    assert (number, rating) == (1, 1500)
    assert (fen, moves) == (
        "7k/6pp/7N/8/2Q5/8/5r2/6K1 b - - 0 1",
        "f2f8 c4g8 f8g8 h6f7",
    )
    with closing(sqlite3.connect(tmp_path / "x.db3")) as base:
        themes = base.execute(
            "SELECT puzzle_id, name FROM puzzle_themes JOIN themes ON id = theme_id"
        ).fetchall()
        puzzles = base.execute("SELECT * FROM puzzles").fetchall()
    assert themes == [(1, "mateIn2")]
    assert None not in puzzles[0]


def test_the_source_s_own_move_is_kept(tmp_path: Path) -> None:
    moves = "f8g8 a1a8"
    for text in (
        f"PuzzleId,FEN,Moves,Themes\none,{BEFORE},{moves},mate mateIn1\n",
        f"id,fen,line,claim\none,{BEFORE},Kg8 Ra8#,1\n",
        f'[FEN "{BEFORE}"]\n[Event "mate in 1"]\n\n30... Kg8 31. Ra8# 1-0\n',
    ):
        (problem,) = registry.read_text(text)
        assert isinstance(problem, Problem)
        (row,) = rows_of(tmp_path / "x.db3", [problem])
        assert row[1:3] == (BEFORE, moves)


def test_generated_mates_get_their_lines_from_trees_and_are_read_again(
    tmp_path: Path,
) -> None:
    path = tmp_path / "mates.db3"
    problems = [
        one
        for one in registry.read_collection(PUZZLES / "generated-3.epd")
        if isinstance(one, Problem)
    ]
    writer = registry.find_writer("sqlite")
    rows = [writer.write(one, accepted(one.fen, 3)) for one in problems]
    with path.open("wb") as file:
        writer.save(rows, file)
    for problem, (fen, moves, length) in zip(problems, rows, strict=True):
        assert mates(fen, moves).epd() == chess.Board(problem.fen).epd()
        assert length == 3
        claim = problem.claim
        assert claim
        assert moves.split()[1] in claim.keys
    read = [one for one in registry.read_collection(path) if isinstance(one, Problem)]
    assert [one.position for one in read] == [one.position for one in problems]
    assert {one.claim and one.claim.mate for one in read} == {3}


def test_a_move_is_taken_back_from_almost_any_position() -> None:
    taken = 0
    for seed in range(60):
        board = random_positions.play(seed)
        try:
            fen, move = take_back(board.fen())
        except InputError:
            continue
        before = chess.Board(fen)
        assert before.is_valid()
        assert not before.is_capture(before.parse_uci(move))
        before.push_uci(move)
        assert before.epd() == board.epd()
        taken += 1
    assert taken > 50


@pytest.mark.parametrize(
    ("fen", "move"),
    [
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "d7d5"),  # en passant is still possible
        ("4k3/8/8/8/1b6/8/7p/4K3 w - - 0 1", "a3b4"),  # it has just given check
    ],
)
def test_the_move_that_is_taken_back_explains_the_position(fen: str, move: str) -> None:
    before, taken = take_back(fen)
    assert taken == move
    board = chess.Board(before)
    board.push_uci(taken)
    assert board.epd() == chess.Board(fen).epd()


@pytest.mark.parametrize(
    ("problem", "fault"),
    [
        (
            Problem(PHILIDOR),
            "line: expected moves up to the solver's mate, found none; "
            "--accepted finds them",
        ),
        (
            Problem(PHILIDOR, claim=Claim(2, (), LINE[:2])),
            "line: expected moves up to the solver's mate, found c4g8 f8g8; "
            "--accepted finds them",
        ),
        (
            Problem(PHILIDOR, stipulation="h#2"),
            "line: expected moves up to the solver's mate, found h#2",
        ),
        (
            # None of Black's pieces can have moved last.
            Problem("5brk/4p1pp/8/4N3/8/8/8/6K1 w - -", "", Claim(1, (), ("e5f7",))),
            "position: expected one that a quiet move leads to, found none to take "
            "back",
        ),
    ],
)
def test_what_cannot_be_played_is_refused(problem: Problem, fault: str) -> None:
    with pytest.raises(InputError) as refused:
        registry.find_writer("sqlite").write(problem)
    assert str(refused.value) == fault
