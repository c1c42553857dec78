"""Search one query: its turns, helper threads, and small endgames."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from solver.kernel.border.query import Turn
from solver.search.queries import Queries, solution_of

if TYPE_CHECKING:
    from solver.endgames.probe import EndingHistory
    from solver.kernel.border.interface import Kernel
    from solver.search.question import Question
    from solver.search.threads import Control, HelperThreads
    from solver.search.workspace import Workspace
    from solver.solution import Solution

Begun: TypeAlias = tuple[Queries, int]
"""An open query: the batch that has it, and its place there."""


class QuerySearch:
    """Answers one question after another, of mates and of battle play.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs; its limits are set.
    helper_threads : HelperThreads
        Threads that join a search that is not short.

    Attributes
    ----------
    workspace : Workspace
    """

    def __init__(self, workspace: Workspace, helper_threads: HelperThreads) -> None:
        self.workspace = workspace
        self._helper_threads = helper_threads
        self._queries = Queries(workspace, 1)

    @cached_property
    def _history(self) -> EndingHistory:
        """The small endgames that were met."""
        from solver.endgames.probe import EndingHistory

        return EndingHistory()

    def solve(
        self,
        question: Question,
        control: Control,
        begun: Begun | None = None,
        *,
        kernel: Kernel | None = None,
        play: int = 0,
    ) -> Solution:
        """Answer a question within the limits that are set; its time is left out.

        Parameters
        ----------
        question : Question
        control : Control
            Receives the bounds.
        begun : Begun or None
            The question's query if its search has begun.
        kernel : Kernel or None
            The part that takes the turns; None: the search for mates.
        play : int
            A `BattlePlay`, for the part of battle play.
        """
        # 1. The first turn answers trivial cases, and pauses at a small endgame.
        workspace = self.workspace
        queries, index = begun or (self._queries, 0)
        query = queries.rows[index]
        is_ending = not query.nodes
        if begun is None:
            queries.fill(index, question, kernel, play)
            workspace.reserve_generations(1)
            turn = queries.kernel.take_turn(query, workspace.search)
            if turn is Turn.ENDS:
                return solution_of(question.problem, query, "")
            is_ending = turn is Turn.PAUSES
        if is_ending:
            return self._solve_ending(queries, index, question, control)

        # 2. The bounds, closed until they meet; then the keys.
        def is_over() -> bool:
            self._start_helpers(queries, question)
            return False

        solution = queries.finish(index, question, control, is_over)
        assert solution
        return solution

    def _solve_ending(
        self, queries: Queries, index: int, question: Question, control: Control
    ) -> Solution:
        """Search a small endgame, or probe its table."""
        from solver.search.endgame import EndgameProbe

        workspace = self.workspace
        endgame = EndgameProbe(workspace, question, control, self._history)
        if known := endgame.answer_at_once():
            return known

        def is_over() -> bool:
            if endgame.is_answered():
                return True
            self._start_helpers(queries, question)
            return False

        with workspace.budget(endgame.search_budget):
            solution = queries.finish(index, question, control, is_over)
            return endgame.complete(solution)

    def _start_helpers(self, queries: Queries, question: Question) -> None:
        """Let the helper threads search the same question, unless they do already."""

        def help_search(helper: Workspace, control: Control) -> None:
            twin = Queries(helper, 1)
            query = twin.fill(0, question, queries.kernel, queries.rows[0].play)
            twin.kernel.take_turn(query, helper.search)
            twin.finish(0, question, control, lambda: False)

        self._helper_threads.start(help_search, question.restriction)
