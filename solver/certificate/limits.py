"""How far the building of a certificate goes before it is given up."""

from __future__ import annotations

import time
from dataclasses import dataclass

from solver.errors import MatesolveError


class TooLargeError(MatesolveError):
    """A part of a certificate would pass a limit; the message says which."""


@dataclass(frozen=True, slots=True)
class BuildingLimits:
    """What each part of a certificate may cost.

    Attributes
    ----------
    mate_nodes : int
        Nodes of the proof of a mate.
    refutation_moves : int
        Moves listed in a refutation, all nodes together.
    time_s : float
        Seconds of building a part.
    """

    mate_nodes: int = 500_000
    refutation_moves: int = 1_000_000
    time_s: float = 60.0


class Budget:
    """Counts what a part has cost.

    Parameters
    ----------
    most : int
        How many may be counted.
    what : str
        What is counted.
    time_s : float
        Seconds from now on.
    """

    def __init__(self, most: int, what: str, time_s: float) -> None:
        self._most = most
        self._what = what
        self._time_s = time_s
        self._deadline = time.monotonic() + time_s
        self._count = 0

    def spend(self, count: int) -> None:
        """Count so many more.

        Raises
        ------
        TooLargeError
            The limit is passed, or the time is over.
        """
        self._count += count
        if self._count > self._most:
            msg = f"more than {self._most:,} {self._what}"
            raise TooLargeError(msg)
        self.check_time()

    def check_time(self) -> None:
        """Raise TooLargeError if the time is over."""
        if time.monotonic() > self._deadline:
            msg = f"more than {self._time_s:g} s of building"
            raise TooLargeError(msg)
