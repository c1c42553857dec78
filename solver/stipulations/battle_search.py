"""Self-, reflex and stalemate play: the shortest way to the goal, keys and a line.

The search deepens move by move up to the stipulation's number, so that its first
success is the shortest. The keys are all first moves that reach the goal within the
stipulation, as problemists count them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.board import unpack_line, unpack_move
from solver.kernel.border.interface import SMALL_NODES, Verdict
from solver.kernel.border.memory import BattlePlay
from solver.kernel.border.parts import BATTLE
from solver.kernel.build.loader import load_part
from solver.solution import Solution, Status, StoppedBy
from solver.stipulation import Goal, Play
from solver.stipulations import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.kernel.border.memory import Position
    from solver.search.question import Question
    from solver.search.threads import Control
    from solver.search.workspace import Workspace
    from solver.stipulation import Stipulation
    from solver.stipulations.kind import Means

PLAYS = {
    (Play.DIRECT, Goal.STALEMATE): BattlePlay.STALEMATE,
    (Play.SELF, Goal.MATE): BattlePlay.SELF_MATE,
    (Play.SELF, Goal.STALEMATE): BattlePlay.SELF_STALEMATE,
    (Play.REFLEX, Goal.MATE): BattlePlay.REFLEX,
    (Play.SEMI_REFLEX, Goal.MATE): BattlePlay.SEMI_REFLEX,
    (Play.REFLEX, Goal.STALEMATE): BattlePlay.REFLEX_STALEMATE,
    (Play.SEMI_REFLEX, Goal.STALEMATE): BattlePlay.SEMI_REFLEX_STALEMATE,
}


def battle_play(stipulation: Stipulation) -> BattlePlay:
    """Return the kernel's word for a stipulation of battle play."""
    return PLAYS[stipulation.play, stipulation.goal]


def search_battle(means: Means, question: Question, control: Control) -> Solution:
    """Answer a stipulation of battle play other than the direct mate.

    Parameters
    ----------
    means : Means
    question : Question
        What to search; its problem has the stipulation.
    control : Control
        Receives each new bound.
    """

    def help_search(helper: Workspace, progress: Control) -> None:
        _BattleSearch(helper, question, progress, lambda: None).solve()

    def start_helpers() -> None:
        means.helper_threads.start(help_search, None)

    means.workspace.forget()
    return _BattleSearch(means.workspace, question, control, start_helpers).solve()


class _BattleSearch:
    """One search, from the first bound to the keys."""

    def __init__(
        self,
        workspace: Workspace,
        question: Question,
        control: Control,
        start_helpers: Callable[[], None],
    ) -> None:
        stipulation = question.problem.stipulation
        self._question = question
        self._workspace = workspace
        self._control = control
        self._start_helpers = start_helpers
        self._kernel = load_part(BATTLE).kernel
        self._play = battle_play(stipulation)
        workspace.search.play = self._play

    def solve(self) -> Solution:
        """Return the answer, with NODES for any limit that was hit."""
        question, problem = self._question, self._question.problem
        for moves in range(1, question.most_moves + 1):
            self._control.lower_bound = moves
            verdict, first = self._search_root(moves)
            if verdict is Verdict.STOPPED:
                return Solution(
                    problem, Status.UNDECIDED, None, moves, stopped_by=StoppedBy.NODES
                )
            if verdict is Verdict.MATE:
                return self._complete(moves, first)
        return Solution(problem, Status.DISPROVED, None, question.most_moves + 1)

    def _complete(self, shortest: int, first: int) -> Solution:
        """Return the answer with line and keys, once the shortest way is proved.

        Parameters
        ----------
        shortest : int
            The attacker's moves to the goal.
        first : int
            A first move that needs no more; 0: any.
        """
        question = self._question
        with self._control.finishing():
            pv = self._line(shortest, first)
        self._control.best = shortest, pv
        plies = 2 * shortest - (self._play == BattlePlay.STALEMATE)
        is_finished = len(pv) == plies
        keys, keys_complete = pv[:1], False
        if question.all_keys:
            found, keys_complete = self._keys()
            keys = found or keys
            is_finished &= keys_complete
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

    def _search_root(self, moves: int) -> tuple[Verdict, int]:
        """Decide whether the goal is reached within `moves`; with which chosen move."""
        question = self._question
        if question.root_moves is None:
            return self._decide(question.position, moves, attacking=True), 0
        for move, child in self._children():
            verdict = self._decide(child, moves - 1, attacking=False)
            if verdict is not Verdict.NO_MATE:
                return verdict, move
        return Verdict.NO_MATE, 0

    def _keys(self) -> tuple[tuple[str, ...], bool]:
        """Return the first moves that solve the stipulation, and whether all."""
        keys: list[str] = []
        for move, child in self._children():
            moves = self._question.most_moves - 1
            verdict = self._decide(child, moves, attacking=False)
            if verdict is Verdict.STOPPED:
                return tuple(keys), False
            if verdict is Verdict.MATE:
                keys.append(unpack_move(self._question.board, move).uci())
        return tuple(keys), True

    def _line(self, shortest: int, first: int) -> tuple[str, ...]:
        """Return a line of the shortest solution, in UCI notation."""
        question, search = self._question, self._workspace.search
        words: list[int]
        if first:
            child = self._workspace.kernel.made(question.position, search, first)
            rest = self._kernel.line(child, search, shortest - 1, attacking=False)
            words = [first, *rest]
        else:
            words = self._kernel.line(question.position, search, shortest)
        return unpack_line(question.board, words)

    def _decide(self, position: Position, moves: int, *, attacking: bool) -> Verdict:
        """Decide whether the goal is reached; start helper threads if that is long."""
        workspace, kernel = self._workspace, self._kernel
        search = workspace.search
        with workspace.budget(max(0, SMALL_NODES - search.nodes)):
            verdict = kernel.reaches_within(
                position, search, moves, attacking=attacking
            )
        if verdict is Verdict.STOPPED and not workspace.is_exhausted:
            workspace.use_whole_table()
            self._start_helpers()
            verdict = kernel.reaches_within(
                position, search, moves, attacking=attacking
            )
        return verdict

    def _children(self) -> Iterator[tuple[int, Position]]:
        """Yield the first moves, all or those chosen, and where they lead."""
        workspace, question = self._workspace, self._question
        kernel, search, chosen = workspace.kernel, workspace.search, question.root_moves
        if self._must_end():
            return
        for move in kernel.moves(question.position, search):
            if chosen is None or unpack_move(question.board, move).uci() in chosen:
                yield move, kernel.made(question.position, search, move)

    def _must_end(self) -> bool:
        """Whether the attacker has to reach the goal itself, and so fails."""
        kind = kind_of(self._question.problem.stipulation)
        return kind.attacker_must_end and kind.ends_in_one(self._question.board)
