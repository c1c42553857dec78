"""The puzzle sets: readable, with unique names, and right by independent oracles."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING, Protocol

import chess
import pytest

from solver import Solver
from tests.oracles import endgames, naive
from tests.oracles.remembering import Oracle

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("kernel")

FOLDER = Path(__file__).parents[1] / "puzzles"


class Definition(Protocol):
    """What the oracles answer; `naive` does so as a module."""

    def mate_in(self, board: chess.Board, n: int) -> bool: ...

    def mated_in(self, board: chess.Board, n: int) -> bool: ...

    def keys(self, board: chess.Board, n: int) -> set[str]: ...


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position and what its line says of it; a claim is a mate or its absence."""

    id: str
    file: str
    fen: str
    source: str
    mate: int | None
    no_mate: int | None
    keys: frozenset[str]

    @property
    def board(self) -> chess.Board:
        return chess.Board(self.fen)

    @property
    def moves(self) -> int:
        """How many moves deep an oracle has to look."""
        return abs(self.mate or self.no_mate or 0)


def read_puzzles() -> Iterator[Puzzle]:
    for path in sorted(FOLDER.glob("*.epd")):
        for line in path.read_text(encoding="ascii").splitlines():
            if not line.startswith("#"):
                yield read_puzzle(path.name, line)


def read_puzzle(file: str, line: str) -> Puzzle:
    board = chess.Board()
    operations = board.set_epd(line)
    mate, no_mate, keys = (operations.get(name) for name in ("dm", "nomate", "bm"))
    assert isinstance(mate, int | None)
    assert isinstance(no_mate, int | None)
    assert isinstance(keys, list | None)
    return Puzzle(
        id=str(operations["id"]),
        file=file,
        fen=board.fen(),
        source=str(operations["c0"]),
        mate=mate,
        no_mate=no_mate,
        keys=frozenset(move.uci() for move in keys or ()),
    )


PUZZLES = list(read_puzzles())

ROOK_ENDING = "rook-ending-1"
"""Too long for a search in Python, so retrograde analysis checks it."""

SHORT = [puzzle for puzzle in PUZZLES if puzzle.moves <= 2]

LONG = [puzzle for puzzle in PUZZLES if puzzle.moves > 2 and puzzle.id != ROOK_ENDING]


def is_quick(index: int, puzzle: Puzzle) -> bool:
    """Pick all no-mates, and every sixth of the other puzzles up to mates in two."""
    return puzzle.no_mate is not None or (puzzle.moves <= 2 and index % 6 == 0)


def with_slow_mark(index: int, puzzle: Puzzle) -> object:
    marks = () if is_quick(index, puzzle) else (pytest.mark.slow,)
    return pytest.param(puzzle, id=puzzle.id, marks=marks)


def check(puzzle: Puzzle, oracle: Definition) -> None:
    board = puzzle.board
    if puzzle.no_mate is not None:
        assert not oracle.mate_in(board, puzzle.no_mate)
    elif puzzle.mate is not None and puzzle.mate < 0:
        assert oracle.mated_in(board, puzzle.moves)
        assert not oracle.mated_in(board, puzzle.moves - 1)
    else:
        assert oracle.keys(board, puzzle.moves) == puzzle.keys
        assert not oracle.mate_in(board, puzzle.moves - 1)


@pytest.mark.parametrize(
    "puzzle", [with_slow_mark(index, puzzle) for index, puzzle in enumerate(SHORT)]
)
def test_short_claims_hold_by_the_definition_of_mate(puzzle: Puzzle) -> None:
    check(puzzle, naive)


@pytest.mark.parametrize(
    "puzzle", [with_slow_mark(index, puzzle) for index, puzzle in enumerate(LONG)]
)
def test_long_claims_hold_by_the_memoised_oracle(puzzle: Puzzle) -> None:
    check(puzzle, Oracle())


def test_the_rook_endgame_holds_by_retrograde_analysis() -> None:
    (puzzle,) = (puzzle for puzzle in PUZZLES if puzzle.id == ROOK_ENDING)
    rook = endgames.solve_endgame(chess.ROOK)
    board = puzzle.board
    assert rook.plies_to_mate(board) == 2 * puzzle.moves - 1
    keys = set()
    for move in puzzle.board.legal_moves:
        board.push(move)
        if rook.plies_to_mate(board) == 2 * puzzle.moves - 2:
            keys.add(move.uci())
        board.pop()
    assert keys == puzzle.keys


def test_positions_are_legal_and_each_claims_one_thing_with_one_key() -> None:
    for puzzle in PUZZLES:
        assert puzzle.board.is_valid(), puzzle.id
        assert (puzzle.mate is None) != (puzzle.no_mate is None), puzzle.id
        assert puzzle.moves > 0, puzzle.id
        has_key = puzzle.mate is not None and puzzle.mate > 0
        assert len(puzzle.keys) == has_key, puzzle.id


def test_puzzles_have_unique_names_and_a_source() -> None:
    assert len(PUZZLES) >= 600
    assert len({puzzle.id for puzzle in PUZZLES}) == len(PUZZLES)
    assert all(puzzle.source for puzzle in PUZZLES)


def test_no_position_has_the_same_claim_twice() -> None:
    assert len({(puzzle.fen, puzzle.mate) for puzzle in PUZZLES}) == len(PUZZLES)


@pytest.mark.parametrize("moves", [1, 2, 3, 4, 5])
def test_generated_sets_hold_a_hundred_mates_for_both_sides(moves: int) -> None:
    name = f"generated-{moves}.epd"
    generated = [puzzle for puzzle in PUZZLES if puzzle.file == name]
    assert [puzzle.mate for puzzle in generated] == [moves] * 100
    turns = [puzzle.board.turn for puzzle in generated]
    assert 40 <= sum(turns) <= 60


@pytest.mark.parametrize(
    "count", [3, pytest.param(None, marks=pytest.mark.slow, id="all")]
)
@pytest.mark.parametrize("moves", [1, 2, 3, 4, 5])
def test_generator_makes_the_same_lines_again(moves: int, count: int | None) -> None:
    generator = run_path(str(FOLDER / "generate.py"))
    made = generator["make_set"](generator["RECIPES"][moves - 1], Solver())
    text = (FOLDER / f"generated-{moves}.epd").read_text(encoding="ascii")
    lines = text.splitlines(keepends=True)[1:]
    assert list(islice(made, count)) == lines[:count]


@pytest.mark.parametrize(
    ("file", "least"), [("classics.epd", 40), ("traps.epd", 40), ("nomates.epd", 20)]
)
def test_collected_sets_are_as_large_as_promised(file: str, least: int) -> None:
    assert sum(puzzle.file == file for puzzle in PUZZLES) >= least
