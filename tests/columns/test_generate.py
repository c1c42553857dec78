"""New problems: what python-chess and the oracles say of them, and that they repeat."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import islice

import chess
import pytest

from solver import InputError, Problem, generate
from tests.oracles import naive, remembering

pytestmark = pytest.mark.usefixtures("kernel")

POINTS = {
    chess.PAWN: 1,
    chess.KNIGHT: 3,
    chess.BISHOP: 3,
    chess.ROOK: 5,
    chess.QUEEN: 9,
}


def claimed(problem: Problem) -> tuple[int, set[str]]:
    assert problem.claim is not None
    return problem.claim.mate, set(problem.claim.keys)


def points(board: chess.Board, color: chess.Color) -> int:
    return sum(POINTS[kind] * len(board.pieces(kind, color)) for kind in POINTS)


def forms(board: chess.Board) -> frozenset[str]:
    """The position, mirrored left to right, and both with colours changed."""
    same = [board, board.transform(chess.flip_horizontal)]
    return frozenset(one.epd() for each in same for one in (each, each.mirror()))


@pytest.mark.parametrize(
    ("mate", "count", "pieces", "digest"),
    [
        (1, 40, (5, 9), "d3752bc282bdd7b4"),
        (2, 40, (5, 9), "d92b73625576b7b6"),
        (2, 20, (14, 20), "2c15978e847dab71"),
        (4, 5, (5, 7), "1a923219be15ac87"),
    ],
)
def test_a_seed_makes_the_same_problems_on_every_machine(
    mate: int, count: int, pieces: tuple[int, int], digest: str
) -> None:
    problems = list(generate(mate, count, seed=7, pieces=pieces))
    text = "\n".join(f"{one.id} {one.fen} {one.claim}" for one in problems)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == digest


def test_threads_do_not_change_the_problems() -> None:
    alone = list(generate(2, 30, seed=2, jobs=1))
    assert list(generate(2, 30, seed=2, jobs=3)) == alone


def test_fewer_problems_are_the_first_of_more() -> None:
    assert list(generate(2, 5)) == list(islice(generate(2, 10), 5))


def test_another_seed_makes_other_problems() -> None:
    ours, others = ({p.fen for p in generate(1, 20, seed=s)} for s in (1, 2))
    assert ours.isdisjoint(others)


@pytest.mark.parametrize("unique_key", [False, True])
@pytest.mark.parametrize(("moves", "count"), [(1, 30), (2, 8)])
def test_mates_and_keys_hold_by_the_definition_of_mate(
    moves: int, count: int, unique_key: bool
) -> None:
    for problem in generate(moves, count, seed=3, unique_key=unique_key):
        board = chess.Board(problem.fen)
        assert claimed(problem) == (moves, naive.keys(board, moves))
        assert moves == 1 or not naive.mate_in(board, moves - 1)
        assert problem.claim
        for move in problem.claim.line:
            board.push_uci(move)
        assert board.is_checkmate()
        assert len(board.move_stack) == 2 * moves - 1


def test_longer_mates_hold_by_the_memoised_oracle() -> None:
    for problem in generate(3, 4, seed=4, pieces=(4, 6)):
        board, oracle = chess.Board(problem.fen), remembering.Oracle()
        assert claimed(problem) == (3, oracle.keys(board, 3))
        assert not oracle.mate_in(board, 2)


@pytest.mark.parametrize("unique_key", [False, True])
def test_one_key_can_be_demanded(unique_key: bool) -> None:
    problems = generate(1, 50, seed=5, unique_key=unique_key)
    counts = Counter(len(claimed(problem)[1]) for problem in problems)
    assert counts[1] >= 25
    assert (counts.keys() == {1}) == unique_key


@pytest.mark.parametrize("pieces", [(3, 3), (4, 6), (5, 9), (20, 20)])
def test_positions_are_legal_balanced_and_of_so_many_pieces(
    pieces: tuple[int, int],
) -> None:
    turns, sizes = list[bool](), Counter[int]()
    for problem in generate(1, 40, seed=6, pieces=pieces):
        board = chess.Board(problem.fen)
        assert board.is_valid()
        assert abs(points(board, chess.WHITE) - points(board, chess.BLACK)) <= 5
        turns.append(board.turn)
        sizes[len(board.piece_map())] += 1
    assert sizes.keys() == set(range(pieces[0], pieces[1] + 1))
    assert turns == [chess.WHITE, chess.BLACK] * 20


def test_no_key_takes_a_piece() -> None:
    for problem in generate(1, 80, seed=8, pieces=(8, 12)):
        board = chess.Board(problem.fen)
        keys = map(chess.Move.from_uci, claimed(problem)[1])
        assert not any(map(board.is_capture, keys))


def test_no_two_problems_are_the_same_or_mirrored() -> None:
    """Mates in one of three pieces are so few that many are drawn twice."""
    problems = list(generate(1, 60, seed=9, pieces=(3, 3)))
    assert len({forms(chess.Board(problem.fen)) for problem in problems}) == 60


def test_problems_end_early_if_no_new_one_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("solver.columns.generate.PATIENCE", 1_200_000)
    found = list(generate(1, 10_000, seed=1, pieces=(3, 3)))
    assert 0 < len(found) < 100
    assert list(generate(1, 10_000, seed=1, pieces=(3, 3), jobs=2)) == found


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"mate": 0}, "mate: expected 1 to 6, found 0"),
        ({"mate": 60}, "mate: expected 1 to 6, found 60"),
        ({"count": 0}, "count: expected 1 to"),
        ({"seed": -1}, "seed: expected 0 to"),
        ({"seed": 1.5}, "seed: expected a whole number"),
        ({"jobs": 0}, "jobs: expected 1 to"),
        ({"jobs": "2"}, "jobs: expected a whole number"),
        ({"unique_key": 1}, "unique_key: expected True or False, found 1"),
        ({"pieces": 7}, "pieces: expected the fewest and the most, within"),
        ({"pieces": (9, 5)}, "pieces: expected the fewest and the most, within"),
        ({"pieces": (5,)}, "pieces: expected the fewest and the most, within"),
        ({"pieces": (2, 5)}, "pieces: expected the fewest and the most, within"),
        ({"pieces": (5, 21)}, "pieces: expected the fewest and the most, within"),
    ],
)
def test_a_wrong_argument_is_refused(
    arguments: dict[str, object], expected: str
) -> None:
    call: dict[str, object] = {"mate": 2, "count": 1} | arguments
    with pytest.raises(InputError) as raised:
        generate(**call)  # type: ignore[arg-type]
    assert str(raised.value).startswith(expected)
