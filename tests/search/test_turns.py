"""Bounds that close from both sides, and are true all the while."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess
import pytest

from solver.kernel.border.query_struct import QueryState, Turn
from solver.problem import Limits
from solver.search.queries import Questions, read_question
from solver.search.workspaces import Workspace
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


IMPATIENT = 30
"""A budget so small that easy problems take many turns."""


class Turns:
    """The search of one side, for a mate in at most `MOST` moves, turn by turn."""

    def __init__(
        self,
        workspace: Workspace,
        board: chess.Board,
        *,
        attacking: bool = True,
        budget: int = IMPATIENT,
        nodes: int | None = None,
        **changed: int,
    ) -> None:
        question = read_question(board, Limits(max_moves=MOST, nodes=nodes))
        workspace.begin(None)
        self._workspace, self._batch = workspace, Questions(workspace, [question])
        self._batch.read()
        self.query = self._batch.rows[0]
        self.query.attacking, self.query.first_budget = attacking, budget
        for name, value in changed.items():
            setattr(self.query, name, value)

    def __iter__(self) -> Iterator[Turn]:
        """Take turns until the query is answered."""
        self._batch.use_text()
        kernel, search = self._workspace.kernel, self._workspace.search
        while self.query.state != QueryState.ANSWERED:
            yield kernel.take_turn(self.query, search)

    @property
    def lower(self) -> int:
        is_answered = self.query.state == QueryState.ANSWERED
        return int(self.query.lower_bound if is_answered else self.query.lower[0])

    @property
    def upper(self) -> int | None:
        return self.query.upper[0] or None

    @property
    def plies(self) -> int:
        return int(self.query.line_plies[0])


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


def test_bounds_close_and_are_true_after_each_turn(
    workspace: Workspace, solved: list[tuple[chess.Board, int | None]]
) -> None:
    lengths, turns = set(), 0
    for board, shortest in solved:
        search = Turns(workspace, board)
        lower, upper = 1, MOST + 1
        for _ in search:
            assert search.lower >= lower, board.fen()
            assert search.upper is None or search.upper <= upper, board.fen()
            lower, upper = search.lower, search.upper or upper
            assert lower <= (shortest or MOST + 1), board.fen()
            if search.upper is not None:
                assert shortest is not None
                assert upper >= shortest, board.fen()
            turns += 1
        assert not search.query.is_cut
        assert search.upper == shortest, board.fen()
        assert search.lower == (shortest or MOST + 1), board.fen()
        if shortest:
            assert search.plies == 2 * shortest - 1
        lengths.add(shortest)
    assert lengths == {1, 2, 3, 4, None}
    assert turns > 2 * len(solved)


@pytest.mark.parametrize("expected", [1, 3, 7])
def test_a_wrong_claim_changes_no_bound(
    solved: list[tuple[chess.Board, int | None]], expected: int
) -> None:
    workspace = Workspace(hash_mib=4)
    for board, shortest in solved:
        nodes = 3000 if shortest is None else None
        search = Turns(workspace, board, nodes=nodes, expected=expected, most_moves=12)
        for _ in search:
            pass
        if shortest is not None:
            assert (search.lower, search.upper) == (shortest, shortest)
        elif search.upper is not None:
            assert search.upper > MOST, board.fen()
            assert search.lower <= search.upper, board.fen()


def test_any_mate_is_an_answer_where_the_length_is_given(
    workspace: Workspace, solved: list[tuple[chess.Board, int | None]]
) -> None:
    longer = 0
    for board, shortest in solved:
        most = MOST + 4 if shortest else MOST
        search = Turns(workspace, board, any_length=True, most_moves=most)
        for _ in search:
            pass
        if shortest is None:
            assert search.upper is None
            assert search.lower == MOST + 1
        else:
            assert search.upper is not None, board.fen()
            assert shortest <= search.upper <= most
            assert search.lower <= shortest
            assert search.plies == 2 * search.upper - 1
            longer += search.upper > shortest
    assert longer


def test_bounds_are_true_wherever_a_limit_ends_the_turns(
    workspace: Workspace, solved: list[tuple[chess.Board, int | None]]
) -> None:
    open_bounds = 0
    for board, shortest in solved[::3]:
        for nodes in range(1, 2000, 97):
            search = Turns(workspace, board, nodes=nodes, budget=0)
            for _ in search:
                pass
            assert search.lower <= (shortest or MOST + 1), (board.fen(), nodes)
            if search.upper is not None:
                assert shortest is not None
                assert shortest <= search.upper, (board.fen(), nodes)
            open_bounds += search.query.is_cut
    assert open_bounds
