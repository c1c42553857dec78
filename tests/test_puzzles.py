"""The puzzle sets: readable, with unique names, and right by independent oracles."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING, Any, NamedTuple

import chess
import pytest

from solver import Solver
from tests.oracles import naive
from tests.oracles.remembering import Oracle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.usefixtures("kernel")

FOLDER = Path(__file__).parents[1] / "puzzles"


class Puzzle(NamedTuple):
    """A position and what its line says of it; a claim is a mate or its absence."""

    id: str
    file: str
    board: chess.Board
    source: str
    mate: int | None
    no_mate: int | None
    keys: set[str]

    @property
    def moves(self) -> int:
        """How many moves deep an oracle has to look."""
        return abs(self.mate or self.no_mate or 0)


def read_puzzles() -> Iterator[Puzzle]:
    for path in sorted(FOLDER.glob("*.epd")):
        for line in path.read_text(encoding="ascii").splitlines():
            if line.startswith("#"):
                continue
            board = chess.Board()
            given: dict[str, Any] = board.set_epd(line)
            keys = {move.uci() for move in given.get("bm", ())}
            name, source = given["id"], given["c0"]
            mates = given.get("dm"), given.get("nomate")
            yield Puzzle(name, path.name, board, source, *mates, keys)


PUZZLES = list(read_puzzles())

ROOK_ENDING = "rook-ending-1"
"""Too long for a search in Python: `tests.test_solving` has it."""


@pytest.mark.parametrize(
    "puzzles",
    [
        pytest.param(lambda at, one: one.no_mate and at % 2 == 0, id="no mates"),
        pytest.param(lambda at, one: one.moves <= 2 and at % 12 == 0, id="short mates"),
        pytest.param(lambda _at, _one: True, id="all", marks=pytest.mark.slow),
    ],
)
def test_claims_hold_by_the_definition_of_mate(
    puzzles: Callable[[int, Puzzle], bool],
) -> None:
    for puzzle in (one for at, one in enumerate(PUZZLES) if puzzles(at, one)):
        if puzzle.id == ROOK_ENDING:
            continue
        oracle: Any = naive if puzzle.moves <= 2 else Oracle()
        board = puzzle.board
        if puzzle.no_mate is not None:
            assert not oracle.mate_in(board, puzzle.no_mate), puzzle
        elif puzzle.mate is not None and puzzle.mate < 0:
            assert oracle.mated_in(board, puzzle.moves), puzzle
            assert not oracle.mated_in(board, puzzle.moves - 1), puzzle
        else:
            assert oracle.keys(board, puzzle.moves) == puzzle.keys, puzzle
            assert not oracle.mate_in(board, puzzle.moves - 1), puzzle


def test_each_puzzle_claims_one_thing_with_one_key_and_has_a_name_and_source() -> None:
    for puzzle in PUZZLES:
        assert puzzle.board.is_valid(), puzzle.id
        assert (puzzle.mate is None) != (puzzle.no_mate is None), puzzle.id
        assert puzzle.moves > 0, puzzle.id
        has_key = puzzle.mate is not None and puzzle.mate > 0
        assert len(puzzle.keys) == has_key, puzzle.id
        assert puzzle.source, puzzle.id
    assert len(PUZZLES) >= 600
    assert len({puzzle.id for puzzle in PUZZLES}) == len(PUZZLES)
    assert len({(puzzle.board.fen(), puzzle.mate) for puzzle in PUZZLES}) == len(
        PUZZLES
    )
    sizes = Counter(puzzle.file for puzzle in PUZZLES)
    assert min(sizes["classics.epd"], sizes["traps.epd"]) >= 40
    assert sizes["nomates.epd"] >= 20


@pytest.mark.parametrize(
    "count", [2, pytest.param(None, marks=pytest.mark.slow, id="all")]
)
@pytest.mark.parametrize("moves", [1, 2, 3, 4, 5])
def test_generator_makes_the_same_lines_again(moves: int, count: int | None) -> None:
    generator = run_path(str(FOLDER / "generate.py"))
    made = generator["make_set"](generator["RECIPES"][moves - 1], Solver())
    text = (FOLDER / f"generated-{moves}.epd").read_text(encoding="ascii")
    lines = text.splitlines(keepends=True)[1:]
    assert list(islice(made, count)) == lines[:count]
