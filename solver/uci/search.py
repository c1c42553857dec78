"""One `go` from its command to its `bestmove`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from solver.solution import StoppedBy
from solver.uci.analysis import Analysis
from solver.uci.line import Effort, depth_below, tell_best, tell_line

if TYPE_CHECKING:
    from collections.abc import Callable

    import chess

    from solver.search.solver import Solver
    from solver.uci.line import Line
    from solver.uci.protocol import Go

REPORT_S = 1.0
"""Between two reports of a search that has found nothing new."""


class Search:
    """Works on one `go`, watches its clock, and tells the client how far it is.

    `run` belongs in a thread of its own; all else is for the session's thread, which
    alone speaks to the client.

    Parameters
    ----------
    board : chess.Board
        The position.
    go : Go
        What is asked.
    line_count : int
        How many of the best first moves are wanted.
    tell : callable
        Takes a line for the client.
    """

    def __init__(
        self, board: chess.Board, go: Go, line_count: int, tell: Callable[[str], None]
    ) -> None:
        self._board = board
        self._go = go
        self._tell = tell
        self._analysis = Analysis(board, go, line_count)
        self._solver: Solver | None = None
        self._finished = False
        self._pondering = go.ponder
        self._released = False
        self._started = self._reported = time.monotonic()
        self._deadline: float | None = None
        self._told: tuple[Line, ...] = ()
        self._told_bound = 1

    @property
    def over(self) -> bool:
        """It is time for `bestmove`."""
        held = self._pondering or self._go.infinite or self._go.unlimited
        return self._finished and (self._released or not held)

    @property
    def deadline(self) -> float | None:
        """When to look again at the latest, by the monotonic clock."""
        return self._deadline

    def begin(self, solver: Solver) -> None:
        """Start the clock: `run` follows."""
        self._solver = solver
        self._started = self._reported = time.monotonic()
        if not self._pondering:
            self._start_clock()

    def run(self) -> None:
        """Search to the end."""
        assert self._solver is not None
        self._analysis.run(self._solver)

    def watch(self) -> None:
        """Stop when time is over, and tell what is new."""
        if self._finished or self._solver is None:
            return
        now = time.monotonic()
        if self._deadline is not None and now >= self._deadline:
            self._deadline = None
            self._analysis.stop(StoppedBy.TIME)
        lines, bound = self._analysis.lines(), self._analysis.lower_bound
        if _mates(lines) != _mates(self._told):
            self._report(lines)
        elif now - self._reported >= REPORT_S:
            self._reported = now
            self._told_bound = max(bound, self._told_bound)
            depth = depth_below(self._told_bound)
            self._tell(f"info depth {depth} {self._effort().words}")

    def finish(self) -> None:
        """Tell all that is known: there is nothing more to come."""
        self._finished = True
        self._deadline = None
        if lines := self._analysis.lines():
            self._report(lines)
        else:
            score = "mate 0" if self._board.is_check() else "cp 0"
            self._tell(f"info depth 0 score {score}")

    def tell_best(self) -> None:
        """Tell the move."""
        self._tell(tell_best(self._analysis.lines()))

    def stop(self) -> None:
        """Hold nothing back, and end: at once where it has not begun."""
        self._released = True
        self.abandon()
        if self._solver is None and not self._finished:
            self.finish()

    def abandon(self) -> None:
        """End `run` soon."""
        self._analysis.stop(StoppedBy.INTERRUPT)

    def hit(self) -> None:
        """Go on by the clock: the move that was pondered on has been played."""
        if self._pondering:
            self._pondering = False
            if self._solver:
                self._start_clock()

    def _start_clock(self) -> None:
        time_s = self._go.time_s(self._board.turn)
        if time_s is not None and not self._finished:
            self._deadline = time.monotonic() + time_s

    def _report(self, lines: tuple[Line, ...]) -> None:
        self._told = lines
        self._reported = time.monotonic()
        effort = self._effort()
        for number, line in enumerate(lines, 1):
            self._tell(tell_line(number, line, effort))

    def _effort(self) -> Effort:
        time_s = time.monotonic() - self._started
        hashfull = self._solver.hashfull() if self._solver else 0
        return Effort(self._analysis.nodes, time_s, hashfull)


def _mates(lines: tuple[Line, ...]) -> list[tuple[str, ...]]:
    """The mating lines, by which a report is told from the one before."""
    return [line.pv for line in lines if line.mate is not None]
