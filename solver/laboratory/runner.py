"""Searches of the laboratory one after the other: limited, watched, stoppable."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from solver.background import run_stoppable
from solver.search.threads import WATCHDOG, Control
from solver.solution import StoppedBy

if TYPE_CHECKING:
    from collections.abc import Iterator

    import chess

    from solver.laboratory.results import Iteration, Outcome
    from solver.laboratory.search import Laboratory
    from solver.laboratory.techniques import Techniques


class Runner:
    """Runs each search under the same limits, in a thread of its own.

    So the caller's thread still hears Ctrl-C.

    Parameters
    ----------
    laboratory : Laboratory
    nodes : int, optional
        Ends a search after so many nodes.
    time_s : float, optional
        Ends a search after so many seconds.
    """

    def __init__(
        self,
        laboratory: Laboratory,
        *,
        nodes: int | None = None,
        time_s: float | None = None,
    ) -> None:
        self._laboratory = laboratory
        self._node_limit = nodes
        self._time_s = time_s
        self._control = Control()
        self._reason: StoppedBy | None = None

    @property
    def nodes(self) -> int:
        """Nodes of the search that runs, so far."""
        return self._control.nodes

    @property
    def is_stopped(self) -> bool:
        """Whether all searches were asked to end."""
        return self._reason is not None

    def stop(self, reason: StoppedBy = StoppedBy.INTERRUPT) -> None:
        """End the search that runs, and all that would follow."""
        self._reason = self._reason or reason
        self._control.stop(reason)

    def deepen(
        self, board: chess.Board, techniques: Techniques, depth: int
    ) -> Iterator[Iteration]:
        """Search 1, 2, 3, ... up to `depth` plies, or until a limit comes."""
        with self._search() as control:
            iterations = self._laboratory.deepen(
                board, techniques, depth, nodes=self._node_limit, control=control
            )
            while iteration := run_stoppable(lambda: next(iterations, None), control):
                yield iteration

    def find_mate(
        self, board: chess.Board, techniques: Techniques, depth: int
    ) -> Outcome | None:
        """Search for a mate; None if `stop` came before the answer."""
        with self._search() as control:
            outcome = run_stoppable(
                lambda: self._laboratory.find_mate(
                    board, techniques, depth, nodes=self._node_limit, control=control
                ),
                control,
            )
        return None if self.is_stopped else outcome

    @contextmanager
    def _search(self) -> Iterator[Control]:
        """Give the control of a search that is about to begin."""
        control = self._control = Control()
        if self._reason:  # it may have come before the line above
            control.stop(self._reason)
        with WATCHDOG.limit(control, self._time_s):
            yield control
