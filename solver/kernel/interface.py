"""The border between Python and the compiled kernel: one C function, many operations.

This module imports neither numba nor numpy, so that a process that loads the stored
kernel needs neither.
"""

from __future__ import annotations

from ctypes import CFUNCTYPE, POINTER, byref, c_int64
from enum import IntEnum
from typing import NamedTuple

from solver.kernel.memory import Experiment, Position, Search

NO_LIMIT = (1 << 63) - 1
"""The node limit of a search without one."""

NO_BOUND = 255
"""The upper bound of a position with no known mate."""

STOPPED = -1
"""The result of any operation that a limit or `Search.stop` ended early."""

MATE_SCORE = 30_000
"""The scored search's score for giving mate now, in centipawns."""

MATE_ZONE = 29_000
"""Scores at least this far from 0 are mates; the evaluation stays below."""

INFINITE_SCORE = 32_000
"""Larger than every score."""

MATE_SHIFT = 8
MOVE_SHIFT = 16


class Operation(IntEnum):
    """An operation of the compiled function."""

    PERFT = 0
    GENERATE = 1
    GENERATE_CHECKS = 2
    MAKE = 3
    MATE_IN_ONE = 4
    MATES_WITHIN = 5
    FIND_MATE = 6
    FIND_LINE = 7
    SEARCH_SCORE = 8
    EVALUATE = 9
    MATERIAL_CELL = 10
    BOUNDS = 11


class Verdict(IntEnum):
    """An answer to "is there a mate in n?"; all but STOPPED are proved."""

    STOPPED = STOPPED
    NO_MATE = 0
    MATE = 1


class Bounds(NamedTuple):
    """What the table holds as proved of a position.

    Attributes
    ----------
    no_mate : int
        This many moves are not enough.
    mate : int or None
        This many moves are enough; None if no mate is known.
    move : int
        The attacker's mating move or the defender's refutation; 0 if none is known.
    """

    no_mate: int
    mate: int | None
    move: int


PROTOTYPE = CFUNCTYPE(
    c_int64,
    c_int64,
    POINTER(Position),
    POINTER(Search),
    c_int64,
    c_int64,
    POINTER(Experiment),
)
"""operation, position, search, number, flag, experiment -> result."""


class Kernel:
    """The compiled functions. Stateless: every call brings its own memory.

    The searches read and write the transposition table at `Search.table`.

    Parameters
    ----------
    address : int
        Address of the compiled C function, whose code must outlive this object.

    Notes
    -----
    Calls release the GIL, so threads with one `Search` each run in parallel.
    """

    def __init__(self, address: int) -> None:
        self._call = PROTOTYPE(address)

    def perft(
        self, position: Position, search: Search, depth: int, *, listed: bool = False
    ) -> int:
        """Count the leaves `depth` plies (at least 1) down; STOPPED on a stop.

        The last ply's moves are only counted, or listed as a search lists them.
        """
        return self._run(Operation.PERFT, position, search, depth, listed)

    def moves(self, position: Position, search: Search) -> list[int]:
        """Return the legal moves."""
        size = self._run(Operation.GENERATE, position, search)
        return search.rows[0][:size]

    def checking_moves(self, position: Position, search: Search) -> list[int]:
        """Return the legal moves that give check."""
        size = self._run(Operation.GENERATE_CHECKS, position, search)
        return search.rows[0][:size]

    def made(self, position: Position, search: Search, move: int) -> Position:
        """Return the position after a legal move, seen by the other side."""
        child = Position.from_buffer_copy(position)
        self._run(Operation.MAKE, child, search, move)
        return child

    def mate_in_one(self, position: Position, search: Search) -> int:
        """Return a mating move, or 0 if there is none."""
        return self._run(Operation.MATE_IN_ONE, position, search)

    def mates_within(
        self, position: Position, search: Search, moves: int, *, attacking: bool = True
    ) -> Verdict:
        """Decide with the prover whether the attacker mates within `moves`.

        Parameters
        ----------
        position : Position
            The attacker is to move if `attacking`, else the defender.
        search : Search
        moves : int
            The attacker's own moves, at least 0.
        attacking : bool

        Returns
        -------
        Verdict
        """
        return Verdict(
            self._run(Operation.MATES_WITHIN, position, search, moves, attacking)
        )

    def find_mate(
        self, position: Position, search: Search, moves: int, *, attacking: bool = True
    ) -> Verdict:
        """Decide the same with the df-pn search, under the restriction of `search`."""
        return Verdict(
            self._run(Operation.FIND_MATE, position, search, moves, attacking)
        )

    def bounds(self, position: Position, search: Search, *, attacking: bool) -> Bounds:
        """Read the table's bounds of a position under the restriction of `search`."""
        packed = self._run(Operation.BOUNDS, position, search, 0, attacking)
        no_mate, mate, move = (
            packed & 255,
            packed >> MATE_SHIFT & 255,
            packed >> MOVE_SHIFT,
        )
        return Bounds(no_mate, None if mate == NO_BOUND else mate, move)

    def line(
        self, position: Position, search: Search, moves: int, *, attacking: bool = True
    ) -> list[int]:
        """Return the mating line of a position whose shortest mate is `moves`.

        It is cut short if the search was stopped.
        """
        size = self._run(Operation.FIND_LINE, position, search, moves, attacking)
        return search.line[:size]

    def search_score(
        self, position: Position, search: Search, experiment: Experiment
    ) -> bool:
        """Run the scored search that `experiment` describes.

        Returns
        -------
        bool
            Whether it was completed; `experiment` then has the result.
        """
        self._run(Operation.SEARCH_SCORE, position, search, experiment=experiment)
        return not experiment.stopped

    def evaluate(self, position: Position, search: Search) -> int:
        """Evaluate a position without a search, in centipawns for the side to move."""
        return self._run(Operation.EVALUATE, position, search)

    def material_cell(self, position: Position, search: Search) -> int:
        """Return the position's index in a material-imbalance table; -1 if none."""
        return self._run(Operation.MATERIAL_CELL, position, search)

    def _run(
        self,
        operation: Operation,
        position: Position,
        search: Search,
        number: int = 0,
        flag: int = 0,
        experiment: Experiment | None = None,
    ) -> int:
        result: int = self._call(
            operation,
            byref(position),
            byref(search),
            number,
            flag,
            byref(experiment) if experiment else None,
        )
        return result
