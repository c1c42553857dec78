"""Further threads on a hard position: companions that share the leader's table.

They ask what the leader asks, in another order. What one has proved the others find in
the table, so the leader's answer, which is the one that counts, comes sooner.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from solver.search.threads import Control

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.lane import Lane
    from solver.search.workspace import Workspace


class Crew:
    """The companions of one workspace, one thread each while they are at work.

    Parameters
    ----------
    leader : Workspace
        Whose table they share.
    size : int
        How many; none is fine.
    """

    def __init__(self, leader: Workspace, size: int) -> None:
        self._leader = leader
        self._companions = [leader.companion() for _ in range(size)]
        self._threads: list[threading.Thread] = []
        self._controls: list[Control] = []
        self._counted = 0

    @property
    def nodes(self) -> int:
        """Positions that the companions entered for the last problem."""
        return self._counted

    def begin(self) -> None:
        """Forget the last problem."""
        self._counted = 0

    def start(
        self, work: Callable[[Workspace, Control], object], lane: Lane | None
    ) -> None:
        """Let each companion do the work, unless they are at it.

        What is left of the leader's node limit is shared among all.
        """
        if self._threads or not self._companions:
            return
        leader = self._leader.search
        share = (leader.node_limit - leader.nodes) // (len(self._companions) + 1)
        leader.node_limit = leader.nodes + share
        for companion in self._companions:
            companion.accompany(self._leader, lane, share)
            control = Control()
            control.attach(companion.search)  # here, so that no stop is overlooked
            self._controls.append(control)
            task = (companion, control)
            thread = threading.Thread(target=work, args=task, daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """End their work, and wait for that."""
        for control in self._controls:
            control.stop()  # not the search itself, which may be finishing a mate
        for thread in self._threads:
            thread.join()
        if self._threads:
            self._counted = sum(mate.search.nodes for mate in self._companions)
        self._threads.clear()
        self._controls.clear()
