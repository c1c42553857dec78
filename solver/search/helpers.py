"""Helper threads: further cores that search the same problem in the same table."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from solver.search.threads import Control

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.search.workspace import Workspace

HELPED_FROM = 1_000_000
"""Nodes after which helper threads may join a search. A shorter one, 0.15 s on Zen 5,
takes the same nodes whatever the number of cores."""


class HelperThreads:
    """Further threads that search the same problem in the same table.

    They search in another order than the leading workspace. They find in the table what
    the others have proved, so the leader, whose answer counts, gets it sooner.

    Parameters
    ----------
    leader : Workspace
        The workspace whose table they share.
    most : int
        How many threads at most; 0 is allowed.
    cores : callable or None
        Returns how many threads, the leader's included, may search at present; None:
        all of them. More may join as cores become free; none leaves before the end.

    Attributes
    ----------
    nodes : int
        Positions that the threads entered for the last problem, once they ended.
    """

    def __init__(
        self, leader: Workspace, most: int, cores: Callable[[], int] | None = None
    ) -> None:
        self._leader = leader
        self._most = most
        self._cores = cores
        self._helpers: list[Workspace] = []
        """Made when they are first needed: each takes 3 MB."""
        self._threads: list[threading.Thread] = []
        self._controls: list[Control] = []
        self.nodes = 0

    def start(self, work: Callable[[Workspace, Control], object]) -> None:
        """Let further threads do the work, as many as may join the search by now.

        The leader and the new threads get equal shares of its remaining nodes.
        """
        leader = self._leader.search
        running = len(self._threads)
        if running == self._most or leader.nodes < HELPED_FROM:
            return
        allowed = self._most if self._cores is None else self._cores() - 1
        size = min(self._most, allowed)
        if running >= size:
            return
        share = (leader.node_limit - leader.nodes) // (size - running + 1)
        leader.node_limit = leader.nodes + share
        while len(self._helpers) < size:
            self._helpers.append(self._leader.helper())
        for helper in self._helpers[running:size]:
            helper.join(self._leader, share)
            control = Control()
            control.attach(helper.search)  # here, so that no stop is overlooked
            self._controls.append(control)
            task = (helper, control)
            thread = threading.Thread(target=work, args=task, daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Stop the threads and wait until they end."""
        for control in self._controls:
            control.stop()  # not the search itself, which may be finishing a mate
        for thread in self._threads:
            thread.join()
        helped = self._helpers[: len(self._threads)]
        self.nodes = sum(helper.search.nodes for helper in helped)
        self._threads.clear()
        self._controls.clear()
