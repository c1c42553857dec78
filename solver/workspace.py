"""The compiled kernel with the memory that it works in, for one thread."""

from __future__ import annotations

import ctypes
import mmap
from contextlib import contextmanager
from typing import TYPE_CHECKING

from solver.kernel.calls import NO_LIMIT, Verdict
from solver.kernel.compiled import load_kernel
from solver.kernel.memory import Position, Search

if TYPE_CHECKING:
    from collections.abc import Iterator

BUCKET_BYTES = 64
MIB = 1 << 20
GENERATIONS = 1 << 24

SMALL_BUCKETS = 1 << 14
SMALL_NODES = 20_000
"""A search of so few nodes keeps to 1 MiB of the table, which the CPU's caches hold;
the many short problems of a collection then never touch the rest."""


class Workspace:
    """A table and scratch memory, used for one search at a time.

    What one search costs does not depend on the searches before it.

    Parameters
    ----------
    hash_mib : int
        Size of the table in MiB, rounded down to a power of two.
    """

    def __init__(self, hash_mib: int) -> None:
        self._kernel = load_kernel().kernel
        self.search = Search()
        self._buckets = 1 << ((hash_mib * MIB // BUCKET_BYTES).bit_length() - 1)
        self._memory = allocate(self._buckets * BUCKET_BYTES)
        self._table = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))

    def begin(self, nodes: int | None) -> None:
        """Forget the last search, and set how many nodes the next may take."""
        search = self.search
        search.nodes = 0
        search.node_limit = NO_LIMIT if nodes is None else nodes
        search.buckets = min(self._buckets, SMALL_BUCKETS)
        search.generation += 1
        if search.generation == GENERATIONS:
            search.generation = 1
            ctypes.memset(self._table, 0, len(self._memory))
        for remembered in (search.killers, search.counters, search.history):
            ctypes.memset(remembered, 0, ctypes.sizeof(remembered))

    def decide(self, position: Position, moves: int, *, attacking: bool) -> Verdict:
        """Tell whether there is a mate within so many moves, or a limit came first."""
        if self.search.nodes > SMALL_NODES:
            self.search.buckets = self._buckets
        return self._kernel.mates_within(
            position, self.search, self._table, moves, attacking=attacking
        )

    def line(self, position: Position, moves: int, *, attacking: bool) -> list[int]:
        """Give the line of a shortest mate; shorter than due if it was stopped."""
        return self._kernel.line(
            position, self.search, self._table, moves, attacking=attacking
        )

    def keys(self, position: Position, moves: int) -> tuple[list[int], bool]:
        """Give the first moves that mate within so many, and whether that is all."""
        return self._kernel.keys(position, self.search, self._table, moves)

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


def allocate(size: int) -> mmap.mmap:
    """Get zeroed memory from the system; pages cost nothing until they are used."""
    memory = mmap.mmap(-1, size)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memory
