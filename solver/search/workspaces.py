"""The memory that one thread searches in: a transposition table and scratch memory.

Called by `endgame`, `follow`, `queries`, `threads` and most rooms; imports `errors`,
`kernel.border`, `kernel.build` and `problem`.
"""

from __future__ import annotations

import ctypes
import mmap
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from solver.errors import AllocationError
from solver.kernel.border import interface, parts, search_struct
from solver.kernel.build.loader import load_part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.problem import Restriction


BUCKET_BYTES = 64
MIB = 1 << 20
SMALL_BYTES = 128 * MIB
"""A larger table gets huge pages. They make a search 9 to 20% faster with a table of 1
GiB, and 4 to 9% with 128 MiB. But they are zeroed at once: on a virtual machine that
had given its memory back, 128 MiB took 0.28 s, and small pages 0.06 s."""
GENERATIONS = 1 << 24
GENERATION_SHIFT = 40
SAMPLED_WORDS = 2000

GROWTH = 8
NODES_BY_BUCKET = 4
"""By how much a table grows, and when. Clearing it takes less than a tenth of the time
of the nodes before."""


class Workspace:
    """A transposition table and scratch memory, for one search at a time.

    Half of the table holds bounds, the other half the proof numbers of the df-pn
    search. The cost of a search does not depend on earlier searches.

    Parameters
    ----------
    hash_mib : int
        Size of the table in MiB, rounded down to a power of two.

    Attributes
    ----------
    kernel : Kernel
        The compiled functions.
    search : Search
        The scratch memory that they work in, with the table's address.
    restriction : Restriction or None
        The restriction of the attacker that the question is about.

    Raises
    ------
    AllocationError
        The system does not have that much memory.
    CacheError, KernelError
        The compiled kernel cannot be loaded; see `solver.kernel.build.loader`.
    """

    def __init__(self, hash_mib: int) -> None:
        buckets = 1 << ((hash_mib * MIB // BUCKET_BYTES).bit_length() - 1)
        self._use_memory(allocate(buckets * BUCKET_BYTES, "--hash"))

    def helper(self) -> Workspace:
        """Return a workspace for another thread that shares this one's table.

        If both search the same problem, each finds what the other has proved.
        """
        other = object.__new__(Workspace)
        other._use_memory(self._memory)
        other.search.is_helper = 1
        return other

    def _use_memory(self, memory: mmap.mmap) -> None:
        self.kernel = load_part(parts.SEARCH).kernel
        self.search = interface.new_search()
        self.restriction: Restriction | None = None
        self._memory = memory
        self._buckets = len(memory) // BUCKET_BYTES // 2
        self.search.proofs_from = self.search.proof_buckets = self._buckets
        self.search.table = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))

    def begin(self, nodes: int | None, restriction: Restriction | None = None) -> None:
        """Set the limits of the next search, and forget the last one.

        Parameters
        ----------
        nodes : int or None
            The node limit; None: no limit.
        restriction : Restriction or None
            The restriction of the attacker.
        """
        self.limit(nodes, restriction)
        search = self.search
        search.nodes = 0
        search.buckets = min(self._buckets, interface.SMALL_BUCKETS)
        self.reserve_generations(1)
        search.generation += 1
        self._forget_refutations()

    def limit(self, nodes: int | None, restriction: Restriction | None = None) -> None:
        """Set the limits of the next search; see `begin`."""
        self._restrict(restriction)
        self.search.node_limit = interface.NO_LIMIT if nodes is None else nodes

    def reserve_generations(self, count: int) -> None:
        """Clear the table if `count` more problems would reuse old entries' numbers.

        Each row of a batch counts as a problem.
        """
        if self.search.generation + count >= GENERATIONS:
            self.search.generation = 0
            ctypes.memset(self.search.table, 0, len(self._memory))

    def join(self, leader: Workspace, nodes: int) -> None:
        """Prepare to search the leader's problem, in the same table.

        Parameters
        ----------
        leader : Workspace
            The workspace that this one was made from; its search has begun.
        nodes : int
            The node limit.
        """
        search = self.search
        search.nodes = 0
        search.stop = 0
        search.node_limit = nodes
        search.buckets = self._buckets
        search.generation = leader.search.generation
        self._restrict(leader.restriction)
        self._forget_refutations()

    def resume(self, nodes: int | None = None) -> None:
        """Continue with the last problem and another node limit, or none."""
        self.search.nodes = 0
        self.search.node_limit = interface.NO_LIMIT if nodes is None else nodes

    def use_whole_table(self) -> None:
        """Use the whole table from now on."""
        self.search.buckets = self._buckets

    def begin_one_table(self) -> None:
        """Use the memory as one table, which is empty and small at first.

        Help play stores its entries there; `begin` ends this use.
        """
        self._use_one_table(interface.SMALL_BUCKETS)

    def enlarge_one_table(self) -> None:
        """Continue with a larger table, which is empty."""
        self._use_one_table(self.search.buckets * GROWTH)

    @property
    def one_table_nodes(self) -> int:
        """Nodes to search before the table should become larger."""
        buckets: int = self.search.buckets
        return (
            interface.NO_LIMIT
            if buckets == 2 * self._buckets
            else buckets * NODES_BY_BUCKET
        )

    def _use_one_table(self, buckets: int) -> None:
        buckets = min(buckets, 2 * self._buckets)
        self.search.buckets = buckets
        ctypes.memset(self.search.table, 0, buckets * BUCKET_BYTES)

    def prove(
        self, position: search_struct.PositionStruct, moves: int, *, attacking: bool
    ) -> interface.Decision:
        """Decide with the prover whether the attacker mates within `moves`.

        Parameters
        ----------
        position : Position
        moves : int
            In attacker's moves.
        attacking : bool
            Whether the attacker is to move.

        Returns
        -------
        Verdict
            STOPPED when a limit was hit first; otherwise the verdict is proved. The
            prover knows no restriction.
        """
        if self.search.nodes > interface.SMALL_NODES:
            self.use_whole_table()
        return self.kernel.mates_within(
            position, self.search, moves, attacking=attacking
        )

    def search_dfpn(
        self, position: search_struct.PositionStruct, moves: int, *, attacking: bool
    ) -> interface.Decision:
        """Decide the same with the df-pn search, under the restriction."""
        self.use_whole_table()
        return self.kernel.find_mate(position, self.search, moves, attacking=attacking)

    @contextmanager
    def budget(self, nodes: int) -> Iterator[None]:
        """Limit the nodes of the block, within the node limit of the search."""
        search = self.search
        limit = search.node_limit
        search.node_limit = min(limit, search.nodes + nodes)
        try:
            yield
        finally:
            search.node_limit = limit

    @property
    def is_small(self) -> bool:
        """Whether the last search used only the small part of the table."""
        return bool(self.search.buckets <= interface.SMALL_BUCKETS)

    @property
    def is_restricted(self) -> bool:
        """Whether the question is about a restricted attacker."""
        return self.restriction is not None

    @property
    def is_exhausted(self) -> bool:
        """Whether the search has been stopped or is out of nodes."""
        return bool(self.search.stop) or self.search.nodes >= self.search.node_limit

    def hashfull(self) -> int:
        """Estimate from a sample how full the table of bounds is, per mille."""
        words = (ctypes.c_uint64 * SAMPLED_WORDS).from_address(self.search.table)
        generation = self.search.generation
        entries: list[int] = words[1::2]
        used = [data for data in entries if data >> GENERATION_SHIFT == generation]
        return len(used) * 1000 // len(entries)

    def _forget_refutations(self) -> None:
        search = self.search
        for remembered in (search.killers, search.counters, search.history):
            ctypes.memset(remembered, 0, ctypes.sizeof(remembered))

    def _restrict(self, restriction: Restriction | None) -> None:
        search, self.restriction = self.search, restriction
        search.restricted_only = self.is_restricted
        search.restriction = 0
        if restriction is not None:
            search.restriction = search_struct.restriction_word(restriction.number)
            search.checks_only = restriction.checks_only
            search.most_flights = _most_or_any(restriction.king_flights)
            search.most_replies = _most_or_any(restriction.replies)
            search.threat_moves = restriction.threat or 0


def _most_or_any(most: int | None) -> int:
    return search_struct.MAX_LEGAL_MOVES if most is None else most


def allocate(size: int, option: str, purpose: str = "the table") -> mmap.mmap:
    """Get zeroed memory from the system; a page costs nothing until it is used.

    Parameters
    ----------
    size : int
        In bytes.
    option : str
        The option of the command that makes it smaller, or what needs it.
    purpose : str
        What it is for.

    Raises
    ------
    AllocationError
        The system does not have that much memory.
    """
    try:
        memory = interface.map_memory(size)
    except (OSError, MemoryError) as error:
        found = error.strerror if isinstance(error, OSError) else "less"
        wanted = f"{size // MIB:,} MiB of memory for {purpose}"
        msg = f"{option}: expected {wanted}, found {found}"
        raise AllocationError(msg) from None
    if size > SMALL_BYTES and hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a Linux that was built without huge pages
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memory
