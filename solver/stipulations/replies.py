"""Replies with their continuations, proved: what the play is built from."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from solver.certificate.proving import (
    FIRST_SLICE_NODES,
    SLICE_NODES,
    BuildingStoppedError,
)
from solver.kernel.border.interface import NULL_MOVE
from solver.kernel.border.parts import BATTLE
from solver.kernel.build.loader import load_part
from solver.stipulation import Goal, Play
from solver.stipulations.battle import Battle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.certificate.proving import Budget
    from solver.kernel.border.memory import Position
    from solver.search.workspace import Workspace
    from solver.stipulation import Stipulation


_REFLEX = (Play.REFLEX, Play.SEMI_REFLEX)


class Reply(NamedTuple):
    """A move of the defender, or a null move, and the shortest continuations."""

    word: int

    length: int
    """The attacker's moves that the continuations take; 0: there is none."""

    continuations: list[int]

    ends: bool = False
    """Whether the reply itself reaches the goal, as in self- and reflex play."""

    is_complete: bool = True
    """Whether the continuations are all, and proved to be the shortest."""


class Replies:
    """Asks the kernel, in slices, so that the clock is looked at.

    Parameters
    ----------
    workspace : Workspace
        The memory of the search. Its node limit holds for all answers together.
    budget : Budget
        Its time limits all answers together.

    Notes
    -----
    Each method raises TooLargeError when the time is over, and BuildingStoppedError
    when the search was stopped or is out of nodes.
    """

    def __init__(self, workspace: Workspace, budget: Budget) -> None:
        self._workspace = workspace
        self._kernel = workspace.kernel
        self._search = workspace.search
        self._solving = workspace.kernel
        self._budget = budget
        self._node_limit: int = self._search.node_limit
        self._with_threats = partial(self._kernel.continuations, threats=True)
        self._without_threats = partial(self._kernel.continuations, threats=False)

    def solving_moves(self, position: Position, moves: int) -> list[int]:
        """Return the attacker's moves that reach the goal within `moves`."""
        return self._ask(self._solving.solving_moves, position, moves)

    def refutations(self, position: Position, moves: int, most: int) -> list[int]:
        """Return at most `most` replies after which the attacker fails in `moves`."""
        return self._ask(self._solving.refutations, position, moves, most)

    def may_be_refuted(self, position: Position, moves: int) -> bool:
        """Return whether a move of the attacker that does not solve can be a try."""
        return True

    def after(
        self, position: Position, moves: int, *, threats: bool
    ) -> Iterator[Reply]:
        """Yield each reply with the shortest continuations of at most `moves`.

        With `threats` the null move comes first, unless the defender is in check.
        """
        question = self._with_threats if threats else self._without_threats
        words = self._ask(question, position, moves)
        start, end = 0, len(words)
        while start < end:
            word, length, count = words[start : start + 3]
            start += 3
            yield Reply(word, length, words[start : start + count])
            start += count

    def _ask(
        self,
        question: Callable[..., list[int] | None],
        position: Position,
        *numbers: int,
    ) -> list[int]:
        search, nodes = self._search, FIRST_SLICE_NODES
        while True:
            search.node_limit = min(search.nodes + nodes, self._node_limit)
            answer = question(position, search, *numbers)
            search.node_limit = self._node_limit
            if answer is not None:
                return answer
            if self._workspace.is_exhausted:
                raise BuildingStoppedError
            self._workspace.use_whole_table()
            self._budget.check_time()
            nodes = min(2 * nodes, SLICE_NODES)


class BattleReplies(Replies):
    """The replies of self-, reflex and stalemate play, and to exact mates.

    Parameters
    ----------
    workspace, budget
        See `Replies`.
    stipulation : Stipulation
        What solves.
    """

    def __init__(
        self, workspace: Workspace, budget: Budget, stipulation: Stipulation
    ) -> None:
        super().__init__(workspace, budget)
        self._play, self._goal = stipulation.play, stipulation.goal
        self._is_exact = stipulation.exact
        self._ends_with_mate = self._goal is Goal.MATE and self._play is not Play.DIRECT
        self._solving = load_part(BATTLE).kernel
        self._search.play = Battle(stipulation).play

    def may_be_refuted(self, position: Position, moves: int) -> bool:
        """Return whether a move of the attacker that does not solve can be a try.

        Reflex play has no tries where the attacker must end the play, as no other move
        is allowed; nor has its last move, after which the defender either must end the
        play or cannot: no single reply refutes.
        """
        if self._play not in _REFLEX:
            return True
        if moves == 1:
            return False
        words = self._kernel.moves(position, self._search)
        return self._play is not Play.REFLEX or not self._ending(position, words)

    def after(
        self, position: Position, moves: int, *, threats: bool
    ) -> Iterator[Reply]:
        """Yield each reply with the shortest continuations of at most `moves`.

        See `Replies.after`; here there is a search for each reply and each length.
        """
        kernel, search = self._kernel, self._search
        if not moves and self._ends_with_mate:  # a reply mates or is none
            words = kernel.checking_moves(position, search)
        else:
            words = kernel.moves(position, search)
        if moves and self._play in _REFLEX:
            words = self._ending(position, words) or words
        if threats and moves and not self._is_check(position):
            words = [NULL_MOVE, *words]
        for word in words:
            after = kernel.made(position, search, word)
            length, continuations = self._shortest(after, moves)
            ends = not continuations and word != NULL_MOVE and self._is_reached(after)
            yield Reply(word, length, continuations, ends)

    def _ending(self, position: Position, words: list[int]) -> list[int]:
        """Return the moves that end the play, which reflex play demands."""
        made, search = self._kernel.made, self._search
        return [w for w in words if self._is_reached(made(position, search, w))]

    def _shortest(self, position: Position, moves: int) -> tuple[int, list[int]]:
        for length in range(moves if self._is_exact and moves else 1, moves + 1):
            if words := self.solving_moves(position, length):
                return length, words
        return 0, []

    def _is_reached(self, position: Position) -> bool:
        """Whether a move of self- or reflex play has just ended it."""
        if self._play is Play.DIRECT or self._kernel.moves(position, self._search):
            return False
        return self._is_check(position) == (self._goal is Goal.MATE)

    def _is_check(self, position: Position) -> bool:
        return self._kernel.is_check(position, self._search)
