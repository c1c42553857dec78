"""Search for a mate: one query, its turns, helper threads, and small endgames."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from solver.kernel.border.query import Turn
from solver.search.queries import Queries, solution_of

if TYPE_CHECKING:
    from solver.endgames.probe import EndingHistory
    from solver.search.question import Question
    from solver.search.threads import Control, HelperThreads
    from solver.search.workspace import Workspace
    from solver.solution import Solution

Begun: TypeAlias = tuple[Queries, int]
"""An open query: the batch that has it, and its place there."""


class MateSearch:
    """Searches for one mate after another.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs; its limits are set.
    helper_threads : HelperThreads
        Threads that join a search that is not short.
    """

    def __init__(self, workspace: Workspace, helper_threads: HelperThreads) -> None:
        self._workspace = workspace
        self._helper_threads = helper_threads
        self._queries = Queries(workspace, 1)

    @cached_property
    def _history(self) -> EndingHistory:
        """The small endgames that were met."""
        from solver.endgames.probe import EndingHistory

        return EndingHistory()

    def solve(
        self, question: Question, control: Control, begun: Begun | None = None
    ) -> Solution:
        """Answer a question within the limits that are set; its time is left out.

        Parameters
        ----------
        question : Question
        control : Control
            Receives the bounds.
        begun : Begun or None
            The question's query if its search has begun.
        """
        # 1. The first turn answers trivial cases, and pauses at a small endgame.
        workspace = self._workspace
        queries, index = begun or (self._queries, 0)
        query = queries.rows[index]
        is_ending = not query.nodes
        if begun is None:
            queries.fill(index, question)
            workspace.reserve_generations(1)
            turn = workspace.kernel.take_turn(query, workspace.search)
            if turn is Turn.ENDS:
                return solution_of(question.problem, query, "")
            is_ending = turn is Turn.PAUSES
        if is_ending:
            return self._solve_ending(queries, index, question, control)

        # 2. The bounds, closed until they meet; then the keys.
        def is_over() -> bool:
            self._start_helpers(question)
            return False

        solution = queries.finish(index, question, control, is_over)
        assert solution
        return solution

    def _solve_ending(
        self, queries: Queries, index: int, question: Question, control: Control
    ) -> Solution:
        """Search a small endgame, or probe its table."""
        from solver.search.endgame import EndgameProbe

        workspace = self._workspace
        endgame = EndgameProbe(workspace, question, control, self._history)
        if known := endgame.answer_at_once():
            return known

        def is_over() -> bool:
            if endgame.is_answered():
                return True
            self._start_helpers(question)
            return False

        with workspace.budget(endgame.search_budget):
            solution = queries.finish(index, question, control, is_over)
            return endgame.complete(solution)

    def _start_helpers(self, question: Question) -> None:
        """Let the helper threads search the same question, unless they do already."""

        def help_search(helper: Workspace, control: Control) -> None:
            queries = Queries(helper, 1)
            helper.kernel.take_turn(queries.fill(0, question), helper.search)
            queries.finish(0, question, control, lambda: False)

        self._helper_threads.start(help_search, question.restriction)
