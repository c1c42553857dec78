"""Bounds that close from both sides, and are true all the while."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import chess
import pytest

from solver.kernel.border.interface import Verdict
from solver.problem import Limits
from solver.search import bounds as bounds_search
from solver.search.bounds import BoundsSearch
from solver.search.question import read_question
from solver.search.threads import Control
from solver.search.workspace import Workspace
from tests.oracles import walks
from tests.oracles.remembering import Oracle
from tests.search import workspaces

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("kernel")

MOST = 4


@pytest.fixture(params=["roomy", "tiny"])
def workspace(request: pytest.FixtureRequest) -> Workspace:
    return Workspace(hash_mib=4) if request.param == "roomy" else workspaces.tiny()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Budgets so small that easy problems reach the narrow df-pn search too."""
    monkeypatch.setattr(bounds_search, "FIRST_BUDGET", 30)
    monkeypatch.setattr(bounds_search, "NARROW_FROM", 1)
    monkeypatch.setattr(bounds_search, "NARROW_SHARE", 3.0)


def begin(
    workspace: Workspace,
    board: chess.Board,
    *,
    attacking: bool = True,
    **changed: int | bool,
) -> BoundsSearch:
    """Begin the search of one side, for a mate in at most `MOST` moves."""
    question = read_question(board, Limits(max_moves=MOST))
    question = replace(question, attacking=attacking, both_sides=False, **changed)  # type: ignore[arg-type]
    workspace.begin(None)
    control = Control()
    control.attach(workspace.search)
    return BoundsSearch(workspace, question, control, attacking=attacking)


def problems(count: int, seed: int) -> Iterator[tuple[chess.Board, int | None]]:
    """Yield positions of few pieces and the length of the shortest mate, or None."""
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
        search = begin(workspace, board)
        lower, upper = 1, MOST + 1
        for _ in search.turns:
            assert search.lower >= lower, board.fen()
            assert search.upper is None or search.upper <= upper, board.fen()
            lower, upper = search.lower, search.upper or upper
            assert lower <= (shortest or MOST + 1), board.fen()
            if search.upper is not None:
                assert shortest is not None
                assert upper >= shortest, board.fen()
            turns += 1
        assert search.is_closed
        assert search.upper == shortest, board.fen()
        assert search.lower == (shortest or MOST + 1), board.fen()
        if shortest:
            assert len(search.line) == 2 * shortest - 1
        lengths.add(shortest)
    assert lengths == {1, 2, 3, 4, None}
    assert turns > 2 * len(solved)


def test_horizons_lie_the_wider_apart_the_farther_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both searches are replaced: neither decides anything."""
    searched: list[tuple[int, int]] = []

    def undecided(workspace: Workspace, _: object, moves: int, **__: bool) -> Verdict:
        if not workspace.search.restriction:
            searched.append((moves, workspace.search.node_limit))
        return Verdict.STOPPED

    monkeypatch.setattr(bounds_search, "prove", lambda *_, **__: Verdict.STOPPED)
    monkeypatch.setattr(bounds_search, "search_dfpn", undecided)
    search = begin(workspaces.tiny(), chess.Board(), most_moves=100)
    for _, _ in zip(range(6), search.turns, strict=False):
        pass
    budget = bounds_search.FIRST_BUDGET
    near = [1, 2, 3, 4, 6, 9]
    rounds = [near, [*near, 13, 19], [*near, 13, 19, 28]]
    assert searched == [
        (moves, (budget << number) // (4 if moves > 13 else 1))
        for number, row in enumerate(rounds)
        for moves in row
    ]


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("expected", [1, 2, 3, 4, 7, 12])
def test_a_wrong_claim_changes_no_bound(
    solved: list[tuple[chess.Board, int | None]], expected: int
) -> None:
    workspace = Workspace(hash_mib=4)
    for board, shortest in solved:
        search = begin(workspace, board, expected=expected, most_moves=12)
        if shortest is None:
            workspace.search.node_limit = 3000
        for _ in search.turns:
            if workspace.is_exhausted:
                break
        if shortest is not None:
            assert (search.lower, search.upper) == (shortest, shortest)
        elif search.upper is not None:
            assert search.upper > MOST, board.fen()
            assert search.lower <= search.upper, board.fen()


@pytest.mark.usefixtures("impatient")
def test_any_mate_is_an_answer_where_the_length_is_given(
    workspace: Workspace, solved: list[tuple[chess.Board, int | None]]
) -> None:
    longer = 0
    for board, shortest in solved:
        most = MOST + 4 if shortest else MOST
        search = begin(workspace, board, any_length=True, most_moves=most)
        for _ in search.turns:
            pass
        if shortest is None:
            assert search.upper is None
            assert search.lower == MOST + 1
        else:
            assert search.upper is not None, board.fen()
            assert shortest <= search.upper <= most
            assert search.lower <= shortest
            assert len(search.line) == 2 * search.upper - 1
            longer += search.upper > shortest
    assert longer


@pytest.fixture(scope="module")
def lost() -> list[tuple[chess.Board, int | None]]:
    """Positions of few pieces and in how many moves the side to move is mated."""
    oracle, positions = Oracle(), []
    for board in walks.small_positions(80, seed=82):
        if chess.popcount(board.occupied) <= 4 and not board.is_checkmate():
            lengths = (n for n in range(1, 4) if oracle.mated_in(board, n))
            positions.append((board, next(lengths, None)))
    return positions


@pytest.mark.usefixtures("impatient")
def test_bounds_are_as_exact_where_the_side_to_move_is_mated(
    workspace: Workspace, lost: list[tuple[chess.Board, int | None]]
) -> None:
    mated = 0
    for board, shortest in lost:
        search = begin(workspace, board, attacking=False, most_moves=3)
        for _ in search.turns:
            pass
        assert search.upper == shortest, board.fen()
        assert search.lower == (shortest or 4), board.fen()
        assert len(search.line) == 2 * (shortest or 0)
        mated += shortest is not None
    assert mated > 5


def test_bounds_are_true_wherever_a_limit_ends_the_turns(
    workspace: Workspace, solved: list[tuple[chess.Board, int | None]]
) -> None:
    open_bounds = 0
    for board, shortest in solved[::3]:
        for nodes in range(1, 2000, 97):
            search = begin(workspace, board)
            workspace.search.node_limit = nodes
            for _ in search.turns:
                if workspace.is_exhausted:
                    break
            assert search.lower <= (shortest or MOST + 1), (board.fen(), nodes)
            if search.upper is not None:
                assert shortest is not None
                assert shortest <= search.upper, (board.fen(), nodes)
            open_bounds += not search.is_closed
    assert open_bounds
