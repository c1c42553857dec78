"""Replies with their proved continuations, from which the play is built."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from solver.certificate.proving import (
    FIRST_SLICE_NODES,
    SLICE_NODES,
    BuildingStoppedError,
)
from solver.kernel.border.interface import REPLY_WORDS, ReplyFlag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.certificate.proving import Budget
    from solver.kernel.border.interface import Kernel
    from solver.kernel.border.memory import Position
    from solver.search.workspace import Workspace


class Reply(NamedTuple):
    """A move of the defender, or a null move, and the shortest continuations."""

    word: int

    length: int
    """The attacker's moves that the continuations take; 0: there is none."""

    continuations: list[int]

    ends: bool = False
    """Whether the reply itself reaches the goal, as in self- and reflex play."""

    is_relevant: bool = True
    """Whether it is a relevant defence; see `ReplyFlag.RELEVANT`."""

    is_complete: bool = True
    """Whether the continuations are all, and proved to be the shortest."""


class Replies:
    """Calls the kernel in slices, so that the clock is checked in between.

    Parameters
    ----------
    workspace : Workspace
        The memory of the search. Its node limit holds for all answers together.
    budget : Budget
        Its time limits all answers together.
    kernel : Kernel
        The part of the kernel that searches the play.

    Notes
    -----
    Each method raises TooLargeError when the time is over, and BuildingStoppedError
    when the search was stopped or is out of nodes.
    """

    def __init__(self, workspace: Workspace, budget: Budget, kernel: Kernel) -> None:
        self._workspace = workspace
        self._search = workspace.search
        self._kernel = kernel
        self._budget = budget
        self._node_limit: int = self._search.node_limit
        self._with_threats = partial(self._kernel.continuations, threats=True)
        self._without_threats = partial(self._kernel.continuations, threats=False)

    def solving_moves(self, position: Position, moves: int) -> list[int]:
        """Return the attacker's moves that reach the goal within `moves`."""
        return self._ask(self._kernel.solving_moves, position, moves)

    def refutations(self, position: Position, moves: int, most: int) -> list[int]:
        """Return at most `most` replies after which the attacker fails in `moves`."""
        return self._ask(self._kernel.refutations, position, moves, most)

    def has_tries(self, position: Position, moves: int) -> bool:
        """Return whether a move of the attacker that does not solve can be a try."""
        return self._kernel.has_tries(position, self._search, moves)

    def after(
        self, position: Position, moves: int, *, threats: bool
    ) -> Iterator[Reply]:
        """Yield each reply with the shortest continuations of at most `moves`.

        With `threats` the null move comes first, unless the defender is in check or
        `moves` is 0.
        """
        question = self._with_threats if threats else self._without_threats
        words = self._ask(question, position, moves)
        start, end = 0, len(words)
        while start < end:
            word, length, flags, count = words[start : start + REPLY_WORDS]
            start += REPLY_WORDS
            continuations = words[start : start + count]
            ends = bool(flags & ReplyFlag.ENDS)
            yield Reply(
                word, length, continuations, ends, bool(flags & ReplyFlag.RELEVANT)
            )
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
