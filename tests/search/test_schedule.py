"""The conductor: bounds that close from both sides, and are true all the while."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import chess
import pytest

from solver import conductor as conducting
from solver.conductor import Conductor
from solver.search.question import Question
from solver.search.root import Root
from solver.search.threads import Control
from solver.search.workspace import Workspace
from tests.oracles import walks
from tests.oracles.remembering import Oracle
from tests.search import workspaces

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("kernel")

MOST = 4
QUESTION = Question(
    attacking=True,
    most_moves=MOST,
    both_sides=False,
    hopeless=False,
    any_length=False,
    expected=None,
)


@pytest.fixture(params=["roomy", "tiny"])
def workspace(request: pytest.FixtureRequest) -> Workspace:
    return Workspace(hash_mib=4) if request.param == "roomy" else workspaces.tiny()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Budgets so small that finder, prover and lane come to turns on easy problems."""
    monkeypatch.setattr(conducting, "FIRST_BUDGET", 30)
    monkeypatch.setattr(conducting, "LANE_FROM", 1)
    monkeypatch.setattr(conducting, "LANE_SHARE", 3.0)


def conduct(workspace: Workspace, board: chess.Board, question: Question) -> Conductor:
    workspace.begin(None)
    control = Control()
    control.attach(workspace.search)
    root = Root(workspace, board, attacking=question.attacking)
    return Conductor(root, question, control)


def problems(count: int, seed: int) -> Iterator[tuple[chess.Board, int | None]]:
    """Yield positions of few men and the length of the shortest mate, if there is."""
    oracle = Oracle()
    for board in walks.small_positions(count, seed):
        if chess.popcount(board.occupied) <= 4:
            lengths = (n for n in range(1, MOST + 1) if oracle.mate_in(board, n))
            yield board, next(lengths, None)


@pytest.fixture(scope="module")
def solved() -> list[tuple[chess.Board, int | None]]:
    return list(problems(50, seed=81))


@pytest.mark.usefixtures("impatient")
def test_bounds_close_and_are_true_after_each_turn(
    workspace: Workspace, solved: list[tuple[chess.Board, int | None]]
) -> None:
    lengths, turns = set(), 0
    for board, shortest in solved:
        conductor = conduct(workspace, board, QUESTION)
        lower, upper = 1, MOST + 1
        for _ in conductor.turns():
            assert conductor.lower >= lower, board.fen()
            assert conductor.upper is None or conductor.upper <= upper, board.fen()
            lower, upper = conductor.lower, conductor.upper or upper
            assert lower <= (shortest or MOST + 1), board.fen()
            if conductor.upper is not None:
                assert shortest is not None
                assert upper >= shortest, board.fen()
            turns += 1
        assert conductor.is_done
        assert conductor.upper == shortest, board.fen()
        assert conductor.lower == (shortest or MOST + 1), board.fen()
        if shortest:
            assert len(conductor.line) == 2 * shortest - 1
        lengths.add(shortest)
    assert lengths == {1, 2, 3, 4, None}
    assert turns > 2 * len(solved)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("expected", [1, 2, 3, 4, 7, 12])
def test_a_wrong_claim_changes_no_answer(
    solved: list[tuple[chess.Board, int | None]], expected: int
) -> None:
    workspace = Workspace(hash_mib=4)
    for board, shortest in solved:
        question = replace(QUESTION, expected=expected, most_moves=12)
        conductor = conduct(workspace, board, question)
        if shortest is None:
            workspace.search.node_limit = 3000
        for _ in conductor.turns():
            if workspace.is_exhausted:
                break
        if shortest is not None:
            assert (conductor.lower, conductor.upper) == (shortest, shortest)
        elif conductor.upper is not None:
            assert conductor.upper > MOST, board.fen()
            assert conductor.lower <= conductor.upper, board.fen()


@pytest.mark.usefixtures("impatient")
def test_any_mate_will_do_where_the_length_is_given(
    workspace: Workspace, solved: list[tuple[chess.Board, int | None]]
) -> None:
    longer = 0
    for board, shortest in solved:
        most = MOST + 4 if shortest else MOST
        question = replace(QUESTION, any_length=True, most_moves=most)
        conductor = conduct(workspace, board, question)
        for _ in conductor.turns():
            pass
        if shortest is None:
            assert conductor.upper is None
            assert conductor.lower == MOST + 1
        else:
            assert conductor.upper is not None, board.fen()
            assert shortest <= conductor.upper <= most
            assert conductor.lower <= shortest
            assert len(conductor.line) == 2 * conductor.upper - 1
            longer += conductor.upper > shortest
    assert longer


@pytest.fixture(scope="module")
def lost() -> list[tuple[chess.Board, int | None]]:
    """Positions of few men and in how many moves the side to move is mated."""
    oracle, positions = Oracle(), []
    for board in walks.small_positions(80, seed=82):
        if chess.popcount(board.occupied) <= 4 and not board.is_checkmate():
            lengths = (n for n in range(1, 4) if oracle.mated_in(board, n))
            positions.append((board, next(lengths, None)))
    return positions


@pytest.mark.usefixtures("impatient")
def test_who_is_mated_is_told_as_exactly(
    workspace: Workspace, lost: list[tuple[chess.Board, int | None]]
) -> None:
    mated = 0
    question = replace(QUESTION, attacking=False, most_moves=3)
    for board, shortest in lost:
        conductor = conduct(workspace, board, question)
        for _ in conductor.turns():
            pass
        assert conductor.upper == shortest, board.fen()
        assert conductor.lower == (shortest or 4), board.fen()
        assert len(conductor.line) == 2 * (shortest or 0)
        mated += shortest is not None
    assert mated > 5


def test_bounds_are_true_wherever_a_limit_ends_the_turns(
    workspace: Workspace, solved: list[tuple[chess.Board, int | None]]
) -> None:
    open_bounds = 0
    for board, shortest in solved[::3]:
        for nodes in range(1, 2000, 97):
            conductor = conduct(workspace, board, QUESTION)
            workspace.search.node_limit = nodes
            for _ in conductor.turns():
                if workspace.is_exhausted:
                    break
            assert conductor.lower <= (shortest or MOST + 1), (board.fen(), nodes)
            if conductor.upper is not None:
                assert shortest is not None
                assert shortest <= conductor.upper, (board.fen(), nodes)
            open_bounds += not conductor.is_done
    assert open_bounds
