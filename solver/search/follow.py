"""Follow a line: prove a known mate backwards along its own moves.

A line of a mate in n names a move at each of the attacker's nodes, and one reply. To
prove the mate, every other reply must be answered too. The steps are taken from the
end of the line: after the attacker's last move, then after the one before it, and so
on. In each step the df-pn search decides whether the defender is mated within the
moves left. The line's reply is in the table from the previous step, and so are many
positions after the other replies. Each step is thus a short search where the whole
would be a long one. When all steps are proved, the root has a proved move.

The line only guides the search; only the search's verdicts count.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from solver.kernel.border import interface, search_struct
from solver.position_text import uci_line, uci_move
from solver.search import queries
from solver.search.threads import WATCHDOG, Control
from solver.solution import Solution, Stats, Status, StoppedBy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from solver.problem import Limits
    from solver.search.workspaces import Workspace

FIRST_BUDGET = 20_000
"""Nodes for each step in the first round; doubled in each further round."""


class Followed(NamedTuple):
    """The result of following a line.

    Attributes
    ----------
    solution : Solution
        The answer, with the mate if only the line has led to it.
    holds : tuple of (bool or None)
        For each of the attacker's moves in the line: whether it mates within the moves
        that the claim leaves. All but None is proved.
    stopped_by : StoppedBy or None
        The limit that was hit first; None: every move is decided, or one is refuted.
    """

    solution: Solution
    holds: tuple[bool | None, ...] = ()
    stopped_by: StoppedBy | None = None


def solve_and_follow(
    solve: Callable[[queries.Question], Solution],
    workspace: Workspace,
    question: queries.Question,
    searching: Callable[[], AbstractContextManager[Control]],
) -> Followed:
    """Solve a mate, and follow its claimed line if there is one.

    If any mate within the claim is an answer, the line comes first: a mate that it
    proves needs no search.

    Parameters
    ----------
    solve : callable
        Answers the question in the workspace.
    workspace : Workspace
        Where the line is followed.
    question : Question
        The problem.
    searching : callable
        Returns a context manager that provides the control of a search.
    """
    problem, limits = question.problem, question.limits

    def follow(answer: Solution) -> Followed:
        with searching() as control:
            return follow_line(answer, workspace, limits, control)

    claim = problem.claim
    if not (claim and claim.line):
        return Followed(solve(question))
    if question.within is None:
        return follow(solve(question))
    workspace.begin(None)
    followed = follow(Solution(problem, Status.UNDECIDED, None, 1))
    found, stopped_by = followed.solution, followed.stopped_by
    if found.mate is not None or stopped_by is StoppedBy.INTERRUPT:
        return followed
    answer = solve(question)
    stats = Stats(
        found.stats.nodes + answer.stats.nodes,
        found.stats.time_s + answer.stats.time_s,
    )
    return followed._replace(solution=replace(answer, stats=stats))


def follow_line(
    answer: Solution, workspace: Workspace, limits: Limits, control: Control
) -> Followed:
    """Prove the claimed mate along the claimed line.

    Parameters
    ----------
    answer : Solution
        The answer to the problem, whose claim has the mate and the line.
    workspace : Workspace
        Where the answer was found; what was proved there helps.
    limits : Limits
        What following the line may cost, whatever the answer has cost.
    control : Control
        Stops it.
    """
    claim = answer.problem.claim
    assert claim
    question = queries.read_question(answer.problem, within=claim.mate)
    moves = len(claim.line[0 if question.attacking else 1 :: 2])
    if not moves or moves > abs(claim.mate):
        return Followed(answer)
    started = time.perf_counter()
    workspace.resume(limits.nodes)
    control.attach(workspace.search)
    proof = _LineProof(workspace, question)
    solution = answer
    with WATCHDOG.limit(control, limits.time_s):
        proof.search()
        if proof.is_proved and (
            answer.mate is None or abs(answer.mate) > abs(claim.mate)
        ):
            solution = _with_mate(answer, workspace, question, control)
    is_open = not proof.is_over or (proof.is_proved and solution.mate is None)
    stats = Stats(
        answer.stats.nodes + workspace.search.nodes,
        answer.stats.time_s + time.perf_counter() - started,
    )
    return Followed(
        replace(solution, stats=stats),
        proof.holds,
        (control.reason or StoppedBy.NODES) if is_open else None,
    )


def _with_mate(
    answer: Solution, workspace: Workspace, question: queries.Question, control: Control
) -> Solution:
    """Return the answer with the mate that the last step has proved."""
    position, attacking = question.position, question.attacking
    moves = question.most_moves
    verdict = workspace.search_dfpn(position, moves, attacking=attacking)
    if verdict is not interface.Decision.MATE:
        return answer
    with control.finishing():
        words = workspace.kernel.proved_line(
            position, workspace.search, moves, attacking=attacking
        )
    if not words:
        return answer
    line = uci_line(question.position, words, black=question.black)
    moves = (len(line) + 1) // 2
    is_shortest = answer.lower_bound >= moves
    return replace(
        answer,
        status=Status.PROVED if is_shortest else Status.FOUND,
        mate=moves if attacking else -moves,
        pv=line,
        keys=line[:1] if attacking else (),
        keys_complete=False,
    )


class _Step(NamedTuple):
    """A position after one of the attacker's moves, and how many more it may need."""

    position: search_struct.PositionStruct
    moves: int


def _positions_after(
    question: queries.Question, line: Sequence[str], workspace: Workspace
) -> Iterator[search_struct.PositionStruct]:
    """Yield the position after each move of a line of legal moves."""
    kernel, search = workspace.kernel, workspace.search
    position, black = question.position, question.black
    for move in line:
        words = kernel.moves(position, search)
        names = [uci_move(position, word, black=black) for word in words]
        position = kernel.made(position, search, words[names.index(move)])
        black = not black
        yield position


class _LineProof:
    """The proof of a mate along a line, one step after another from its end.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs.
    question : Question
        The position, and the claimed mate with its line of legal moves, which may stop
        before the mate.
    """

    def __init__(self, workspace: Workspace, question: queries.Question) -> None:
        claim = question.problem.claim
        assert claim
        self._workspace = workspace
        self._steps: list[_Step] = []
        left, is_attackers = abs(claim.mate), question.attacking
        for position in _positions_after(question, claim.line, workspace):
            if is_attackers:
                left -= 1
                self._steps.append(_Step(position, left))
            is_attackers = not is_attackers
        self._open = len(self._steps)
        self._is_refuted = False

    @property
    def is_proved(self) -> bool:
        """Whether every step is proved."""
        return not self._open and not self._is_refuted

    @property
    def is_over(self) -> bool:
        """Whether every step is proved, or one is refuted."""
        return not self._open or self._is_refuted

    @property
    def holds(self) -> tuple[bool | None, ...]:
        """For each step, whether it is proved or refuted; None for neither."""
        decided = [True] * (len(self._steps) - self._open)
        before: list[bool | None] = [None] * self._open
        if self._is_refuted:
            before[-1] = False
        return (*before, *decided)

    def search(self) -> None:
        """Prove step after step with growing budgets, until a limit is hit."""
        nodes = FIRST_BUDGET
        while not self.is_over and not self._workspace.is_exhausted:
            self._search_round(nodes)
            nodes *= 2

    def _search_round(self, nodes: int) -> None:
        """Prove as many steps as possible, each with at most `nodes` nodes."""
        workspace = self._workspace
        while not self.is_over:
            step = self._steps[self._open - 1]
            with workspace.budget(nodes):
                verdict = workspace.search_dfpn(
                    step.position, step.moves, attacking=False
                )
            if verdict is interface.Decision.STOPPED:
                return
            if verdict is interface.Decision.MATE:
                self._open -= 1
            else:
                self._is_refuted = True
