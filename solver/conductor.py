"""The conductor: closes the bounds on the shortest mate from both sides.

The prover asks for a mate in 1, 2, 3, ... and lifts the lower bound; the finder goes
for any mate below the upper bound and pulls that down. They take turns, with budgets
that double, until the bounds meet or a limit comes. Both share what is proved of each
position, so the work of one is never lost on the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.kernel.interface import Verdict
from solver.lane import Lane

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.search.question import Question
    from solver.search.root import Root
    from solver.search.threads import Control

FIRST_BUDGET = 20_000
"""Nodes that the finder may spend on one question in the first round."""

PROVER_SHARE = 2.0
"""The prover may spend so many times that on each lower bound."""

PROVER_SHARE_OF_ANY = 0.1
"""The same, where a mate of any length will do."""

REACH = 3
"""How far above the lower bound the finder asks in the first round, and how much
farther in each round after."""

LANE = Lane(king_flights=1)
LANE_SHARE = 0.25
LANE_FROM = 8
"""What the finder leaves open is asked again in a lane, for a share of the cost, from
so many moves on: in a lane some long mates are near."""


class Conductor:
    """Asks prover and finder in turn.

    Parameters
    ----------
    root : Root
        What is asked about.
    question : Question
        What is asked.
    control : Control
        Told each new bound.

    Attributes
    ----------
    lower : int
        No mate takes fewer moves: proved.
    upper : int or None
        A mate within so many is proved.
    line : tuple of str
        Its line, in UCI notation; empty when it was interrupted.
    """

    def __init__(self, root: Root, question: Question, control: Control) -> None:
        self.root = root
        self._workspace = root.workspace
        self._question = question
        self._control = control
        self.lower = 1
        self.upper: int | None = None
        self.line: tuple[str, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to ask."""
        if self.upper is not None and (
            self._question.any_length or self.lower >= self.upper
        ):
            return True
        return self.lower > self._question.most_moves

    def turns(self) -> Iterator[None]:
        """Take turns until all is answered; the caller stops when a limit comes."""
        budget, reach = FIRST_BUDGET, REACH
        while not self.is_done:
            share = PROVER_SHARE_OF_ANY if self._question.any_length else PROVER_SHARE
            self._lift(int(share * budget))
            yield
            self._pull(budget, reach)
            yield
            budget *= 2
            reach += REACH

    def _lift(self, nodes: int) -> None:
        """Let the prover lift the lower bound, at most `nodes` a step."""
        verdict = Verdict.NO_MATE
        while verdict is Verdict.NO_MATE and not self.is_done:
            with self._workspace.budget(nodes):
                verdict = self.root.decide(self.lower)
            if verdict is Verdict.NO_MATE:
                self._raise_lower(self.lower + 1)
            elif verdict is Verdict.MATE:
                self._lower_upper(self.lower)

    def _pull(self, nodes: int, reach: int) -> None:
        """Let the finder look below the upper bound, at most `nodes` a question."""
        question = self._question
        if question.any_length:
            self._ask(question.most_moves, nodes)
            return
        if question.expected and self.upper is None:
            self._ask(question.expected, nodes)
        moves, asked = self.lower, 0
        while not self.is_done and moves <= self._farthest(reach):
            self._ask(moves, nodes)
            asked += 1
            # A bound that is too high costs little, so far questions lie wide apart.
            moves += 1 if self.upper else max(1, asked // 2)

    def _ask(self, moves: int, nodes: int) -> None:
        verdict = self._find(moves, nodes)
        if verdict is Verdict.MATE:
            self._lower_upper(moves)
        elif verdict is Verdict.NO_MATE:
            self._raise_lower(moves + 1)

    def _find(self, moves: int, nodes: int) -> Verdict:
        """Ask the finder, and once more in a lane if it does not know."""
        workspace = self._workspace
        with workspace.budget(nodes):
            verdict = self.root.find(moves)
        if verdict is not Verdict.STOPPED or workspace.has_lane or moves < LANE_FROM:
            return verdict
        with workspace.budget(int(LANE_SHARE * nodes)), workspace.looking_in(LANE):
            found = self.root.find(moves)
        return found if found is Verdict.MATE else verdict

    def _farthest(self, reach: int) -> int:
        if self.upper is not None:
            return self.upper - 1
        return min(self._question.most_moves, self.lower + reach - 1)

    def _raise_lower(self, moves: int) -> None:
        if moves > self.lower:
            self.lower = moves
            if self.root.attacking == self._question.attacking:
                self._control.lower_bound = moves

    def _lower_upper(self, moves: int) -> None:
        """Take a mate that was just proved within `moves`, with its line."""
        with self._control.finishing():
            line = self.root.line(moves, shortest=moves == self.lower)
        if line or self.upper is None:
            self.upper = (len(line) + 1) // 2 if line else moves
            self.line = line
        if line:
            mate = self.upper if self.root.attacking else -self.upper
            self._control.best = mate, line
