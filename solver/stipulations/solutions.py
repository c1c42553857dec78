"""Help play: every solution of a problem in which both sides help each other.

As in Popeye, shorter solutions count too, unless the length must be exact; a problem
with a shorter solution has a flaw. They are searched for first, so the shortest
solution is proved before a longer one is found.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from solver.kernel.border.help_memory import HelpPlay, HelpState
from solver.kernel.border.parts import HELP
from solver.kernel.build.loader import load_part
from solver.position_text import uci_line
from solver.problem import Claim
from solver.solution import Solution, Status, StoppedBy
from solver.stipulation import Goal
from solver.stipulations.nets import NODES_BEFORE, NetList

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.search.question import Question
    from solver.search.threads import Control
    from solver.search.workspace import Workspace

GROWTH = 2
MOST_SLICE_NODES = 1_000_000
"""The search pauses after ever more nodes, at most so many, to list the final positions
or to show progress."""

Line = tuple[str, ...]
"""The moves of a solution, in UCI notation and play order."""


def search_solutions(
    workspace: Workspace, question: Question, control: Control
) -> Solution:
    """Find all solutions of a help stipulation; see `Kind.list_solutions`.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs.
    question : Question
        Its stipulation is one of help play. `limits.max_solutions` and
        `limits.max_moves` apply.
    control : Control
        Receives each new bound.
    """
    enumeration = Enumeration(workspace, question)
    solutions = []
    for lines in enumeration.pieces():
        solutions += lines
        control.lower_bound = enumeration.lower_bound
        control.detail = enumeration.progress()
        if solutions:
            control.best = (_attacker_moves(solutions[0]), solutions[0])
    complete = enumeration.stopped_by is None
    mate = _attacker_moves(solutions[0]) if solutions else None
    if mate is None:
        status = Status.DISPROVED if complete else Status.UNDECIDED
    else:
        status = Status.PROVED if complete else Status.FOUND
    return Solution(
        question.problem,
        status,
        mate,
        enumeration.lower_bound if mate is None else mate,
        pv=solutions[0] if solutions else (),
        stopped_by=enumeration.stopped_by,
        solutions=tuple(solutions),
        solutions_complete=complete,
    )


def set_play(question: Question) -> Question | None:
    """Return the question of the set play: the other side begins with one ply less.

    The set play of `h#n` is `h#(n-1).5`, that of `h#n.5` is `h#n`.

    Returns
    -------
    Question or None
        A question for `Solver.answer`; None if there is no set play, because the side
        to move is in check, which it would leave unanswered, or no ply is left.
    """
    stipulation = question.problem.stipulation
    if not stipulation.is_help:
        msg = f"expected help play, found {stipulation}"
        raise ValueError(msg)
    shorter = stipulation.without_first_move()
    if shorter is None or question.board.is_check():
        return None
    board = question.board.copy(stack=False)
    board.turn = not board.turn
    board.ep_square = None
    problem = replace(
        question.problem,
        fen=board.fen(),
        stipulation=shorter,
        claim=Claim(shorter.attacker_moves),
    )
    return replace(question, problem=problem)


class Enumeration:
    """The solutions of a question, shortest first, in pieces to save memory.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs; its last search is forgotten.
    question : Question
        Its stipulation is one of help play.

    Attributes
    ----------
    lower_bound : int
        No solution has fewer moves of the side that ends the play: proved so far.
    stopped_by : StoppedBy or None
        After the pieces: why the enumeration ended early. NODES stands for any limit
        on the search.
    """

    def __init__(self, workspace: Workspace, question: Question) -> None:
        stipulation = question.problem.stipulation
        self.stopped_by: StoppedBy | None = None
        self._kernel = load_part(HELP).kernel
        self._workspace = workspace
        self._question = question
        self._is_stalemate = stipulation.goal is Goal.STALEMATE
        moves = stipulation.attacker_moves
        if question.limits.max_moves is not None:
            moves = min(moves, question.limits.max_moves)
        first = stipulation.attacker_moves if stipulation.exact else 1
        self.lower_bound = first
        self._lengths = [2 * n - stipulation.half for n in range(first, moves + 1)]
        self._left = question.limits.max_solutions
        self._nets = NetList(self._kernel, is_stalemate=self._is_stalemate)
        self._play: HelpPlay | None = None
        workspace.begin(question.limits.nodes)
        workspace.begin_one_table()

    def pieces(self) -> Iterator[list[Line]]:
        """Yield the solutions in pieces, some of them empty."""
        for plies in self._lengths:
            if self._left == 0:
                self.stopped_by = StoppedBy.SOLUTIONS
                return
            yield from self._of_length(plies)
            if self.stopped_by:
                return
            self.lower_bound += 1

    def progress(self) -> str:
        """Return how many final positions are done, for people to read."""
        if self._play is None:
            return ""
        found = self._nets.progress(self._play, self._workspace.search)
        return f"{found[0]:,} of {found[1]:,} final positions done" if found else ""

    def _of_length(self, plies: int) -> Iterator[list[Line]]:
        workspace, question = self._workspace, self._question
        search = workspace.search
        play = self._play = HelpPlay.of(
            question.position, plies, is_stalemate=self._is_stalemate
        )
        self._nets.list(play, search)
        room = workspace.one_table_nodes
        slice_nodes = NODES_BEFORE
        state = HelpState.PAUSED
        while state is not HelpState.COMPLETE:
            before = search.nodes
            with workspace.budget(min(slice_nodes, room)):
                lines, state = self._kernel.solutions(play, search, self._left)
            room -= search.nodes - before
            yield [
                uci_line(question.position, line, black=question.black)
                for line in lines
            ]
            if workspace.is_exhausted and state is HelpState.STOPPED:
                self.stopped_by = StoppedBy.NODES
                return
            if self._left is not None:
                self._left -= len(lines)
                if self._left == 0 and state is not HelpState.COMPLETE:
                    self.stopped_by = StoppedBy.SOLUTIONS
                    return
            if state is not HelpState.STOPPED:
                continue
            if room <= 0:
                workspace.enlarge_one_table()
                room = workspace.one_table_nodes
            if not play.nets:
                self._nets.list(play, search)
            slice_nodes = min(GROWTH * slice_nodes, MOST_SLICE_NODES)


def _attacker_moves(line: Line) -> int:
    return (len(line) + 1) // 2
