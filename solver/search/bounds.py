"""The bounds search: close the bounds on the shortest mate from both sides.

The prover asks for a mate in 1, 2, 3, ... moves and raises the lower bound; the df-pn
search looks for any mate below the upper bound and lowers that. They take turns with
doubling budgets, until the bounds meet or a limit is hit. Both keep what they prove of
each position in one table, so each profits from the other's work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.kernel.border.interface import Verdict
from solver.problem import Restriction
from solver.search.root import Root, prove, search_dfpn
from solver.solution import Solution, Status, StoppedBy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.kernel.border.memory import Row
    from solver.search.question import Question
    from solver.search.threads import Control
    from solver.search.workspace import Workspace

FIRST_BUDGET = 20_000
"""Nodes that the df-pn search may spend on one horizon in the first round."""

PROVER_SHARE = 5.0
"""The prover may spend this many times as much on each lower bound."""

PROVER_SHARE_OF_KNOWN = 8.0
"""The same, once a mate is known: then the lower bound is what is missing."""

PROVER_SHARE_OF_ANY = 0.1
"""The same, where a mate of any length is an answer."""

REACH = 12
"""How far above the lower bound the df-pn search looks in the first round; each round
looks this much farther. Some mates are near only at a far horizon;
docs/explanation/tried.md has the measurements."""

FAR_SHARE = 0.25
"""A horizon farther than `REACH` gets this share of the budget."""

NARROW = Restriction(king_flights=1)
NARROW_SHARE = 0.25
NARROW_FROM = 8
"""From this many moves on, the df-pn search repeats an undecided search under the
restriction `NARROW`, for this share of the budget: it makes some long mates near."""

OTHER_SIDE_SHARE = 8
OTHER_SIDE_NODES = 10_000
"""If the caller does not say who attacks, one eighth of the nodes, and at least this
many, go into the other side's mate."""

OTHER_SIDE_REST = 2_000_000
"""Nodes for the other side's mate once the side to move is proved to have none."""


def first_step(*, any_length: bool) -> int:
    """Return how many nodes the prover may spend on each bound in its first turn."""
    share = PROVER_SHARE_OF_ANY if any_length else PROVER_SHARE
    return int(share * FIRST_BUDGET)


def close_bounds(
    workspace: Workspace,
    question: Question,
    control: Control,
    is_over: Callable[[], bool],
    begun: Row | None = None,
) -> BoundsSearch:
    """Search until the bounds meet or a limit is hit.

    If the caller did not say who attacks, the other side's mate is searched for too,
    at a share of the cost, until one side is known to mate: both never do.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs; `Workspace.begin` has set its limits.
    question : Question
        What to search.
    control : Control
        Receives each new bound.
    is_over : callable
        Called after each turn that leaves the bounds open; True ends the search.
    begun : Row or None
        What the prover's first turn has left open; see `solver.kernel.mate.batch`.
        None: it was not taken.

    Returns
    -------
    BoundsSearch
        The bounds of the side that mates; of the expected attacker if neither does.
    """
    attacking = question.attacking
    ours = BoundsSearch(workspace, question, control, attacking=attacking, begun=begun)
    if not question.both_sides:
        ours.finish(is_over)
        return ours

    theirs = BoundsSearch(workspace, question, control, attacking=False)
    their_nodes = 0
    for _ in ours.turns:
        if ours.upper is None:
            nodes = workspace.search.nodes
            share = max(nodes // OTHER_SIDE_SHARE, OTHER_SIDE_NODES) - their_nodes
            if share > 0:
                with workspace.budget(share):
                    next(theirs.turns, None)
            their_nodes += workspace.search.nodes - nodes
        if theirs.upper is not None or is_over():
            break
    if ours.upper is None and ours.is_closed and theirs.upper is None:
        with workspace.budget(OTHER_SIDE_REST):
            theirs.finish(is_over)
    if theirs.upper is None:
        return ours
    theirs.finish(is_over)
    return theirs


class BoundsSearch:
    """The bounds on the shortest mate of one side, and the search that closes them.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs.
    question : Question
        What to search.
    control : Control
        Receives each new bound.
    attacking : bool
        Whether the side to move is the attacker.
    begun : Row or None
        What the prover's first turn has left open; None: it was not taken.

    Attributes
    ----------
    lower : int
        No mate takes fewer moves: proved.
    upper : int or None
        A mate within this many moves is proved.
    line : tuple of str
        The line of that mate, in UCI notation; empty when it was interrupted.
    turns : iterator
        Yields after each turn of prover or df-pn search, until the bounds are closed.
        The caller stops it when a limit is hit.
    """

    def __init__(
        self,
        workspace: Workspace,
        question: Question,
        control: Control,
        *,
        attacking: bool,
        begun: Row | None = None,
    ) -> None:
        self.root = Root(workspace, question, attacking=attacking)
        self._workspace = workspace
        self._question = question
        self._control = control
        self.lower = 1
        self.upper: int | None = None
        self.line: tuple[str, ...] = ()
        self.turns = self._take_turns(begun)

    @property
    def is_closed(self) -> bool:
        """Whether nothing is left to search."""
        if self.is_proved or (self.upper is not None and self._question.any_length):
            return True
        return self.lower > self._question.most_moves

    @property
    def is_proved(self) -> bool:
        """Whether the bounds have met: there is a mate, and none is shorter."""
        return self.upper is not None and self.lower >= self.upper

    def finish(self, is_over: Callable[[], bool]) -> None:
        """Take turns until the bounds are closed or `is_over()` is true after one."""
        for _ in self.turns:
            if is_over():
                break

    def solution(self) -> Solution:
        """Return the answer, with its keys; NODES stands for any limit that was hit."""
        problem, lower, upper = self._question.problem, self.lower, self.upper
        if upper is None:
            if self.is_closed:
                return Solution(problem, Status.DISPROVED, None, lower)
            return Solution(
                problem, Status.UNDECIDED, None, lower, stopped_by=StoppedBy.NODES
            )
        keys, keys_complete = self._keys()
        keys_wanted = self.is_proved and self._question.all_keys
        complete = (
            bool(self.line) and self.is_closed and (keys_complete or not keys_wanted)
        )
        return Solution(
            problem,
            Status.PROVED if self.is_proved else Status.FOUND,
            upper if self.root.attacking else -upper,
            lower,
            pv=self.line,
            keys=keys,
            keys_complete=keys_complete,
            stopped_by=None if complete else StoppedBy.NODES,
        )

    def _keys(self) -> tuple[tuple[str, ...], bool]:
        """Return the keys, as far as they are wanted, and whether these are all."""
        if not self.root.attacking:
            return (), True
        if self.is_proved and self._question.all_keys:
            found, complete = self.root.keys(self.lower)
            return found or self.line[:1], complete
        return self.line[:1], False

    def _take_turns(self, begun: Row | None) -> Iterator[None]:
        budget, reach = FIRST_BUDGET, REACH
        while begun or not self.is_closed:
            if begun:
                self._continue(begun)
                begun = None
            else:
                self._search_lower(int(self._prover_share * budget))
            yield
            self._search_upper(budget, reach)
            yield
            budget *= 2
            reach += REACH

    def _continue(self, begun: Row) -> None:
        """Accept the prover's first turn; of a mate the line alone is missing."""
        self._note(Verdict.NO_MATE, begun.lower_bound - 1)
        if begun.mate > 0:
            self._lower_upper(begun.mate)

    @property
    def _prover_share(self) -> float:
        if self._question.any_length:
            return PROVER_SHARE_OF_ANY
        return PROVER_SHARE if self.upper is None else PROVER_SHARE_OF_KNOWN

    def _search_lower(self, nodes: int) -> None:
        """Raise the lower bound with the prover, at most `nodes` for each step."""
        # The prover knows no restrictions, so there the df-pn search does its work.
        engine = search_dfpn if self._workspace.is_restricted else prove
        verdict = Verdict.NO_MATE
        while verdict is Verdict.NO_MATE and not self.is_closed:
            with self._workspace.budget(nodes):
                verdict = self.root.search(engine, self.lower)
            self._note(verdict, self.lower)

    def _search_upper(self, nodes: int, reach: int) -> None:
        """Lower the upper bound with the df-pn search, at most `nodes` a horizon."""
        question = self._question
        if question.any_length:
            if not self.is_closed:
                self._search_horizon(question.most_moves, nodes)
            return
        if question.expected and self.upper is None:
            self._search_horizon(question.expected, nodes)
        lowest = horizon = self.lower
        while not self.is_closed and horizon <= self._farthest(reach):
            above = horizon - lowest
            is_far = self.upper is None and above > REACH
            self._search_horizon(horizon, int(FAR_SHARE * nodes) if is_far else nodes)
            # Any horizon at or above the length of a mate may find it, so they lie the
            # wider apart the farther they are, until a mate is known.
            horizon += 1 if self.upper else max(1, (above + 1) // 2)

    def _search_horizon(self, horizon: int, nodes: int) -> None:
        """Search for a mate within `horizon`; narrowly too if it stays undecided."""
        workspace = self._workspace
        with workspace.budget(nodes):
            verdict = self.root.search(search_dfpn, horizon)
        if (
            verdict is Verdict.STOPPED
            and not workspace.is_restricted
            and horizon >= NARROW_FROM
        ):
            budget = int(NARROW_SHARE * nodes)
            with workspace.budget(budget), workspace.narrowed_to(NARROW):
                found = self.root.search(search_dfpn, horizon)
            # A mate under a restriction is a mate; "none" holds only under it.
            verdict = found if found is Verdict.MATE else verdict
        self._note(verdict, horizon)

    def _farthest(self, reach: int) -> int:
        if self.upper is not None:
            return self.upper - 1
        return min(self._question.most_moves, self.lower + reach - 1)

    def _note(self, verdict: Verdict, moves: int) -> None:
        """Update the bounds with a verdict on "mate within `moves`?"."""
        if verdict is Verdict.MATE:
            self._lower_upper(moves)
        elif verdict is Verdict.NO_MATE and moves >= self.lower:
            self.lower = moves + 1
            if self.root.attacking == self._question.attacking:
                self._control.lower_bound = self.lower

    def _lower_upper(self, moves: int) -> None:
        """Read the line of a mate that was just proved within `moves`."""
        with self._control.finishing():
            line = self.root.line(moves, is_shortest=moves == self.lower)
        if line or self.upper is None:
            self.upper = (len(line) + 1) // 2 if line else moves
            self.line = line
        if line:
            mate = self.upper if self.root.attacking else -self.upper
            self._control.best = mate, line
