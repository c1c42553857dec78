"""The border between Python and the compiled kernel: one C function, many operations.

This module knows neither numba nor numpy.
"""

from __future__ import annotations

from ctypes import CFUNCTYPE, POINTER, byref, c_int64, c_void_p
from enum import IntEnum
from typing import NamedTuple

from solver.kernel.memory import Experiment, Position, Search

NO_LIMIT = (1 << 63) - 1
"""A node limit that is none."""

NO_BOUND = 255
"""An upper bound on a mate that is none."""

MATE_SCORE = 30_000
"""What a mate on the spot is worth to the scored search, in its centipawns."""

MATE_ZONE = 29_000
"""A score so far from 0 is a mate; the evaluation stays below."""

INFINITE_SCORE = 32_000
"""Beyond every score."""


class Operation(IntEnum):
    """What the compiled function is asked to do."""

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


class Bounds(NamedTuple):
    """What a table holds proved of a position.

    Attributes
    ----------
    no_mate : int
        So many moves do not suffice.
    mate : int or None
        So many do.
    move : int
        The attacker's move that mates, or the reply that refuted; 0: none is known.
    """

    no_mate: int
    mate: int | None
    move: int


class Verdict(IntEnum):
    """What the prover says; anything but a limit is proved."""

    STOPPED = -1
    NO_MATE = 0
    MATE = 1


PROTOTYPE = CFUNCTYPE(
    c_int64,
    c_int64,
    POINTER(Position),
    POINTER(Search),
    c_void_p,
    c_int64,
    c_int64,
    POINTER(Experiment),
)
"""operation, position, search, table, number, flag, experiment -> result."""


class Kernel:
    """The compiled functions. Stateless: every call brings its own memory.

    Parameters
    ----------
    address : int
        Of the compiled C function; its code must outlive this object.

    Notes
    -----
    Calls release the GIL, so threads with a `Search` each run side by side.
    """

    def __init__(self, address: int) -> None:
        self._call = PROTOTYPE(address)

    def perft(
        self, position: Position, search: Search, depth: int, *, listed: bool = False
    ) -> int:
        """Count the leaves `depth` plies (at least 1) down."""
        return self._run(Operation.PERFT, position, search, None, depth, listed)

    def moves(self, position: Position, search: Search) -> list[int]:
        """List the legal moves."""
        size = self._run(Operation.GENERATE, position, search, None, 0, 0)
        return search.rows[0][:size]

    def checking_moves(self, position: Position, search: Search) -> list[int]:
        """List the legal moves that give check."""
        size = self._run(Operation.GENERATE_CHECKS, position, search, None, 0, 0)
        return search.rows[0][:size]

    def made(self, position: Position, search: Search, move: int) -> Position:
        """Make a legal move; the result is seen by the other side."""
        child = Position.from_buffer_copy(position)
        self._run(Operation.MAKE, child, search, None, move, 0)
        return child

    def mate_in_one(self, position: Position, search: Search) -> int:
        """Find a mating move; 0 when there is none."""
        return self._run(Operation.MATE_IN_ONE, position, search, None, 0, 0)

    def mates_within(
        self,
        position: Position,
        search: Search,
        table: int,
        moves: int,
        *,
        attacking: bool = True,
    ) -> Verdict:
        """Decide whether the attacker mates within `moves` of its own.

        `table` is the address of `search.buckets` buckets of 64 bytes; `attacking`
        tells whether the attacker is to move.
        """
        return Verdict(
            self._run(Operation.MATES_WITHIN, position, search, table, moves, attacking)
        )

    def find_mate(
        self,
        position: Position,
        search: Search,
        table: int,
        moves: int,
        *,
        attacking: bool = True,
    ) -> Verdict:
        """Decide the same by proof numbers, in the lane that `search` names.

        `table` is followed by the proof numbers; see `Search.proofs_from`.
        """
        numbers = self._run(
            Operation.FIND_MATE, position, search, table, moves, attacking
        )
        phi, delta = numbers >> 32, numbers & 0xFFFF_FFFF
        if (phi == 0) == (delta == 0):
            return Verdict.STOPPED
        return Verdict.MATE if attacking == (phi == 0) else Verdict.NO_MATE

    def bounds(
        self, position: Position, search: Search, table: int, *, attacking: bool
    ) -> Bounds:
        """Read what is proved of a position, in the lane that `search` names."""
        packed = self._run(Operation.BOUNDS, position, search, table, 0, attacking)
        no_mate, mate, move = packed & 255, (packed >> 8) & 255, packed >> 16
        return Bounds(no_mate, None if mate == NO_BOUND else mate, move)

    def line(
        self,
        position: Position,
        search: Search,
        table: int,
        moves: int,
        *,
        attacking: bool = True,
    ) -> list[int]:
        """Find the line of a position whose shortest mate is `moves`."""
        size = self._run(Operation.FIND_LINE, position, search, table, moves, attacking)
        return search.line[:size]

    def search_score(
        self,
        position: Position,
        search: Search,
        table: int | None,
        experiment: Experiment,
    ) -> bool:
        """Do the iteration that `experiment` asks for; tell whether it was completed.

        `table` is the address of `search.buckets` buckets of 64 bytes, all zero before
        the first iteration; no buckets, no table.
        """
        self._run(Operation.SEARCH_SCORE, position, search, table, 0, 0, experiment)
        return not experiment.stopped

    def evaluate(self, position: Position, search: Search) -> int:
        """Score a position without searching, in centipawns for the side to move."""
        return self._run(Operation.EVALUATE, position, search, None, 0, 0)

    def material_cell(self, position: Position, search: Search) -> int:
        """Index the men in a material-imbalance table; -1 when it has no room."""
        return self._run(Operation.MATERIAL_CELL, position, search, None, 0, 0)

    def _run(
        self,
        operation: Operation,
        position: Position,
        search: Search,
        table: int | None,
        number: int,
        flag: int,
        experiment: Experiment | None = None,
    ) -> int:
        result: int = self._call(
            operation,
            byref(position),
            byref(search),
            table,
            number,
            flag,
            byref(experiment) if experiment else None,
        )
        return result
