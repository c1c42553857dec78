"""The compiled kernel with the memory that it works in, for one thread."""

from __future__ import annotations

import ctypes
import mmap
from contextlib import contextmanager
from typing import TYPE_CHECKING

from solver.errors import AllocationError
from solver.kernel.interface import NO_LIMIT, Bounds, Verdict
from solver.kernel.loader import load_kernel
from solver.kernel.memory import MAX_LEGAL_MOVES, Position, Search

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.problem import Restriction

BUCKET_BYTES = 64
MIB = 1 << 20
GENERATIONS = 1 << 24
GENERATION_SHIFT = 40
SAMPLED_WORDS = 2000

WORD = (1 << 64) - 1
LANE_WORD = 0x9B05688C2B3E6C1F
"""An odd word without pattern, which sets the bounds of a lane apart."""

SMALL_BUCKETS = 1 << 14
SMALL_NODES = 20_000
"""A search of so few nodes keeps to 1 MiB of the table, which the CPU's caches hold;
the many short problems of a collection then never touch the rest."""


class Workspace:
    """A table and scratch memory, used for one search at a time.

    Half of the table holds bounds, half the finder's proof numbers.

    What one search costs does not depend on the searches before it.

    Parameters
    ----------
    hash_mib : int
        Size of the table in MiB, rounded down to a power of two.
    """

    def __init__(self, hash_mib: int) -> None:
        room = 1 << ((hash_mib * MIB // BUCKET_BYTES).bit_length() - 1)
        self._share(allocate(room * BUCKET_BYTES, "--hash"))

    def helper(self) -> Workspace:
        """Make the workspace of another thread, with the same table.

        Where both search the same problem, each takes up what the other has proved.
        """
        other = object.__new__(Workspace)
        other._share(self._memory)
        other.search.is_helper = 1
        return other

    def _share(self, memory: mmap.mmap) -> None:
        self._kernel = load_kernel().kernel
        self.search = Search()
        self.restriction: Restriction | None = None
        self._memory = memory
        self._buckets = len(memory) // BUCKET_BYTES // 2
        self.search.proofs_from = self.search.proof_buckets = self._buckets
        self.search.table = ctypes.addressof(ctypes.c_char.from_buffer(memory))

    def accompany(
        self, leader: Workspace, restriction: Restriction | None, nodes: int
    ) -> None:
        """Begin with the problem that the leader of the same table is at.

        `nodes` is how many this search may take.
        """
        search = self.search
        search.nodes = 0
        search.stop = 0
        search.node_limit = nodes
        search.buckets = self._buckets
        search.generation = leader.search.generation
        self._restrict(restriction)
        self._forget_refutations()

    def begin(self, nodes: int | None, restriction: Restriction | None = None) -> None:
        """Forget the last search, and set what the next may take and play."""
        search = self.search
        self._restrict(restriction)
        search.nodes = 0
        search.node_limit = NO_LIMIT if nodes is None else nodes
        search.buckets = min(self._buckets, SMALL_BUCKETS)
        search.generation += 1
        if search.generation == GENERATIONS:
            search.generation = 1
            ctypes.memset(self.search.table, 0, len(self._memory))
        self._forget_refutations()

    def _forget_refutations(self) -> None:
        search = self.search
        for remembered in (search.killers, search.counters, search.history):
            ctypes.memset(remembered, 0, ctypes.sizeof(remembered))

    @property
    def is_restricted(self) -> bool:
        """Whether the question is about a lane alone."""
        return self.restriction is not None

    def resume(self) -> None:
        """Go on with the last problem, without its limits."""
        self.search.nodes = 0
        self.search.node_limit = NO_LIMIT

    def decide(self, position: Position, moves: int, *, attacking: bool) -> Verdict:
        """Tell whether there is a mate within so many moves, or a limit came first."""
        if self.search.nodes > SMALL_NODES:
            self.search.buckets = self._buckets
        return self._kernel.mates_within(
            position, self.search, moves, attacking=attacking
        )

    def line(self, position: Position, moves: int, *, attacking: bool) -> list[int]:
        """Give the line of a shortest mate; shorter than due if it was stopped."""
        return self._kernel.line(position, self.search, moves, attacking=attacking)

    def find(self, position: Position, moves: int, *, attacking: bool) -> Verdict:
        """Tell the same by proof numbers, which go deep and narrow."""
        self.search.buckets = self._buckets
        return self._kernel.find_mate(position, self.search, moves, attacking=attacking)

    def bounds(self, position: Position, *, attacking: bool) -> Bounds:
        """Read what is proved of a position and still remembered."""
        return self._kernel.bounds(position, self.search, attacking=attacking)

    def moves(self, position: Position) -> list[int]:
        """List the legal moves."""
        return self._kernel.moves(position, self.search)

    def made(self, position: Position, move: int) -> Position:
        """Make a legal move; the result is seen by the other side."""
        return self._kernel.made(position, self.search, move)

    def mate_in_one(self, position: Position) -> int:
        """Find a mating move; 0 when there is none."""
        return self._kernel.mate_in_one(position, self.search)

    @contextmanager
    def looking_in(self, restriction: Restriction) -> Iterator[None]:
        """Let the finder look in a lane only; a mate that it finds is one anywhere."""
        self._keep_to(restriction)
        try:
            yield
        finally:
            self._keep_to(None)

    def _restrict(self, restriction: Restriction | None) -> None:
        self.restriction = restriction
        self.search.restricted_only = self.is_restricted
        self._keep_to(restriction)

    def _keep_to(self, restriction: Restriction | None) -> None:
        search = self.search
        search.restriction = 0
        if restriction is not None:
            search.restriction = restriction.number * LANE_WORD & WORD
            search.checks_only = restriction.checks_only
            search.most_flights = _or_any(restriction.king_flights)
            search.most_replies = _or_any(restriction.replies)
            search.threat_moves = restriction.threat or 0

    @property
    def is_exhausted(self) -> bool:
        """Whether a limit ends the search."""
        return bool(self.search.stop) or self.search.nodes >= self.search.node_limit

    def hashfull(self) -> int:
        """Tell how full the bounds' half of the table is, per mille, by a sample."""
        words = (ctypes.c_uint64 * SAMPLED_WORDS).from_address(self.search.table)
        generation = self.search.generation
        entries: list[int] = words[1::2]
        used = [data for data in entries if data >> GENERATION_SHIFT == generation]
        return len(used) * 1000 // len(entries)

    @contextmanager
    def budget(self, nodes: int) -> Iterator[None]:
        """Limit what the block may cost to so many nodes."""
        search = self.search
        limit = search.node_limit
        search.node_limit = min(limit, search.nodes + nodes)
        try:
            yield
        finally:
            search.node_limit = limit


def _or_any(most: int | None) -> int:
    return MAX_LEGAL_MOVES if most is None else most


def allocate(size: int, option: str) -> mmap.mmap:
    """Get zeroed memory from the system; pages cost nothing until they are used.

    Parameters
    ----------
    size : int
        In bytes.
    option : str
        Which option of the command makes it smaller.

    Raises
    ------
    AllocationError
        The system has not got as much.
    """
    try:
        memory = mmap.mmap(-1, size)
    except (OSError, MemoryError) as error:
        found = error.strerror if isinstance(error, OSError) else "less"
        wanted = f"{size // MIB:,} MiB of memory for the table"
        msg = f"{option}: expected {wanted}, found {found}"
        raise AllocationError(msg) from None
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memory
