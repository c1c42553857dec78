"""New problems: what python-chess and the oracles say of them, and that they repeat."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import islice

import chess
import pytest

from solver import InputError, Problem, generate
from tests.oracles import remembering

pytestmark = pytest.mark.usefixtures("kernel")

POINTS = dict(zip(chess.PIECE_TYPES, (1, 3, 3, 5, 9), strict=False))


def claimed(problem: Problem) -> tuple[int, set[str]]:
    assert problem.claim is not None
    return problem.claim.mate, set(problem.claim.keys)


def points(board: chess.Board, color: chess.Color) -> int:
    return sum(POINTS[kind] * len(board.pieces(kind, color)) for kind in POINTS)


@pytest.mark.parametrize(
    ("mate", "count", "pieces", "digest"),
    [(1, 40, (5, 9), "d3752bc282bdd7b4"), (2, 20, (14, 20), "2c15978e847dab71")],
)
def test_a_seed_makes_the_same_problems_on_every_machine(
    mate: int, count: int, pieces: tuple[int, int], digest: str
) -> None:
    problems = list(generate(mate, count, seed=7, pieces=pieces))
    text = "\n".join(f"{one.id} {one.fen} {one.claim}" for one in problems)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == digest


def test_only_the_seed_changes_the_problems() -> None:
    alone = list(generate(2, 8, seed=2, jobs=1))
    assert list(islice(generate(2, 16, seed=2, jobs=3), 8)) == alone
    others = {problem.fen for problem in generate(2, 8, seed=1)}
    assert others.isdisjoint(problem.fen for problem in alone)


@pytest.mark.parametrize("unique_key", [False, True])
@pytest.mark.parametrize(("moves", "count"), [(1, 12), (2, 6), (3, 2)])
def test_mates_and_keys_hold(moves: int, count: int, unique_key: bool) -> None:
    pieces = (4, 6) if moves == 3 else (5, 9)
    for problem in generate(moves, count, seed=3, unique_key=unique_key, pieces=pieces):
        board, oracle = chess.Board(problem.fen), remembering.Oracle()
        assert claimed(problem) == (moves, oracle.keys(board, moves))
        assert moves == 1 or not oracle.mate_in(board, moves - 1)
        assert problem.claim
        for move in problem.claim.line:
            board.push_uci(move)
        assert board.is_checkmate()
        assert len(board.move_stack) == 2 * moves - 1


def test_one_key_can_be_demanded() -> None:
    for unique_key in (False, True):
        problems = generate(1, 30, seed=5, unique_key=unique_key)
        counts = Counter(len(claimed(problem)[1]) for problem in problems)
        assert counts[1] >= 12
        assert (counts.keys() == {1}) == unique_key


@pytest.mark.parametrize("pieces", [(4, 6), (20, 20)])
def test_positions_are_legal_balanced_and_sized(pieces: tuple[int, int]) -> None:
    turns, sizes = list[bool](), Counter[int]()
    for problem in generate(1, 20, seed=6, pieces=pieces):
        board = chess.Board(problem.fen)
        assert board.is_valid()
        assert abs(points(board, chess.WHITE) - points(board, chess.BLACK)) <= 5
        turns.append(board.turn)
        sizes[len(board.piece_map())] += 1
        keys = map(chess.Move.from_uci, claimed(problem)[1])
        assert not any(map(board.is_capture, keys))
    assert sizes.keys() == set(range(pieces[0], pieces[1] + 1))
    assert turns == [chess.WHITE, chess.BLACK] * 10


def test_no_two_problems_are_the_same_or_mirrored() -> None:
    """Mates in one of three pieces are so few that many are drawn twice."""
    seen = set[str]()
    for problem in generate(1, 40, seed=9, pieces=(3, 3)):
        board = chess.Board(problem.fen)
        assert board.epd() not in seen
        for one in (board, board.transform(chess.flip_horizontal)):
            seen |= {one.epd(), one.mirror().epd()}


def test_problems_end_if_no_new_one_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.columns.generate.PATIENCE", 1_200_000)
    found = list(generate(1, 10_000, seed=1, pieces=(3, 3)))
    assert 0 < len(found) < 100
    assert list(generate(1, 10_000, seed=1, pieces=(3, 3), jobs=2)) == found


SIZES = "expected the fewest and the most, within"

# fmt: off
WRONG = [
    ("mate", 0, "expected 1 to 6, found 0"), ("mate", 60, "expected 1 to 6, found 60"),
    ("count", 0, "expected 1 to"), ("seed", -1, "expected 0 to"),
    ("seed", 1.5, "expected a whole number"), ("jobs", 0, "expected 1 to"),
    ("unique_key", 1, "expected True or False, found 1"), ("pieces", 7, SIZES),
    ("pieces", (9, 5), SIZES), ("pieces", (5,), SIZES), ("pieces", (2, 5), SIZES),
    ("pieces", (5, 21), SIZES),
]
# fmt: on


def test_a_wrong_argument_is_refused() -> None:
    for name, value, expected in WRONG:
        call: dict[str, object] = {"mate": 2, "count": 1, name: value}
        with pytest.raises(InputError, match=f"^{name}: {expected}"):
            generate(**call)  # type: ignore[arg-type]
