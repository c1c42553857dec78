"""Self-, reflex and stalemate play: the shortest way to the goal, keys and a line.

The search deepens move by move up to the stipulation's number, so that its first
success is the shortest. The keys are all first moves that reach the goal within the
stipulation, as problemists count them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.board import unpack_line, unpack_move
from solver.kernel.interface import Verdict
from solver.kernel.loader import load_battle
from solver.kernel.memory import BattlePlay
from solver.search.workspace import SMALL_NODES
from solver.solution import Solution, Status, StoppedBy
from solver.stipulation import Goal, Play

if TYPE_CHECKING:
    from solver.kernel.interface import BattleKernel
    from solver.search.question import Question
    from solver.search.threads import Control
    from solver.search.workspace import Workspace
    from solver.stipulation import Stipulation

PLAYS = {
    (Play.DIRECT, Goal.STALEMATE): BattlePlay.STALEMATE,
    (Play.SELF, Goal.MATE): BattlePlay.SELF_MATE,
    (Play.SELF, Goal.STALEMATE): BattlePlay.SELF_STALEMATE,
    (Play.REFLEX, Goal.MATE): BattlePlay.REFLEX,
    (Play.SEMI_REFLEX, Goal.MATE): BattlePlay.SEMI_REFLEX,
}


def battle_play(stipulation: Stipulation) -> BattlePlay:
    """Return the kernel's word for a stipulation of battle play."""
    return PLAYS[stipulation.play, stipulation.goal]


def search_battle(
    workspace: Workspace, question: Question, control: Control
) -> Solution:
    """Answer a stipulation of battle play other than the direct mate.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs; `Workspace.begin` has set its limits.
    question : Question
        What to search; its problem has the stipulation.
    control : Control
        Receives each new bound.
    """
    return _BattleSearch(workspace, question, control).solve()


class _BattleSearch:
    """One search, from the first bound to the keys."""

    def __init__(
        self, workspace: Workspace, question: Question, control: Control
    ) -> None:
        stipulation = question.problem.stipulation
        assert stipulation is not None
        self._question = question
        self._workspace = workspace
        self._control = control
        self._kernel: BattleKernel = load_battle().kernel
        self._play = battle_play(stipulation)
        workspace.search.play = self._play

    def solve(self) -> Solution:
        """Return the answer, with NODES for any limit that was hit."""
        question, problem = self._question, self._question.problem
        for moves in range(1, question.most_moves + 1):
            self._control.lower_bound = moves
            solving = self._solving_moves(moves, first_only=True)
            if solving is None:
                return Solution(
                    problem, Status.UNDECIDED, None, moves, stopped_by=StoppedBy.NODES
                )
            if solving:
                return self._complete(moves, solving[0])
        return Solution(problem, Status.DISPROVED, None, question.most_moves + 1)

    def _complete(self, shortest: int, found: int) -> Solution:
        """Return the answer with keys and line, once the shortest way is proved."""
        question, workspace = self._question, self._workspace
        board, search = question.board, workspace.search
        with self._control.finishing():
            child = workspace.kernel.made(question.position, search, found)
            rest = self._kernel.line(child, search, shortest - 1, attacking=False)
        pv = unpack_line(board, (found, *rest))
        plies = 2 * shortest - (self._play == BattlePlay.STALEMATE)
        self._control.best = shortest, pv
        keys, keys_complete = pv[:1], False
        if question.all_keys:
            solving = self._solving_moves(question.most_moves)
            if solving is not None:
                keys = tuple(unpack_move(board, move).uci() for move in solving)
                keys_complete = True
        is_finished = len(pv) == plies and (keys_complete or not question.all_keys)
        return Solution(
            question.problem,
            Status.PROVED,
            shortest,
            shortest,
            pv=pv,
            keys=keys,
            keys_complete=keys_complete,
            stopped_by=None if is_finished else StoppedBy.NODES,
        )

    def _solving_moves(
        self, moves: int, *, first_only: bool = False
    ) -> list[int] | None:
        """Return the first moves that reach the goal in time; None on a limit."""
        workspace, question = self._workspace, self._question
        kernel, search, position = self._kernel, workspace.search, question.position
        if search.nodes > SMALL_NODES:
            workspace.use_whole_table()
        chosen = question.root_moves
        if first_only:
            verdict = kernel.reaches_within(position, search, moves)
            if verdict is Verdict.STOPPED:
                return None
            if verdict is Verdict.NO_MATE:
                return []
        solving = kernel.solving_moves(position, search, moves)
        if solving is None or chosen is None:
            return solving
        board = question.board
        return [move for move in solving if unpack_move(board, move).uci() in chosen]
