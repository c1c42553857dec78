"""The memory that one thread searches in: a transposition table and scratch memory."""

from __future__ import annotations

import ctypes
import mmap
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from solver.errors import AllocationError, refuse
from solver.kernel.border import interface, parts, search_struct
from solver.kernel.build.loader import load_part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.problem import Restriction

BUCKET_BYTES = 64
BUCKET_ENTRIES = 4
ENTRY_BYTES = 16
MIB = 1 << 20

FIRST_BITS = 14
"""The binary logarithm of the buckets that a search begins with: 2 MiB in all fit the
CPU's caches, and the many short problems of a collection never touch the rest."""

MOST_DOUBLINGS = 12
"""The bits of an entry's tag; see `solver.kernel.mate.transposition`."""

SMALL_PAGES = 8 * MIB
"""Beyond this many bytes, each half of the table gets huge pages: zeroing one takes
longer than a short search, and long searches become 5 to 10% faster."""

LEAST_EFFORT = 2
"""Bounds that took less effort are not exported: they save less than they take."""

LEAST_NODES = 4
"""The same for proof numbers, as the bit length of their nodes: 8 and more."""

MOST_EFFORT = 127

STAMP_SHIFT = 40
GENERATION_BITS = (1 << 12) - 1
SAMPLED_WORDS = 2000


class Workspace:
    """A transposition table and scratch memory, for one search at a time.

    Half of the table holds bounds, the other half the proof numbers of the df-pn
    search. It is small when a search begins and grows with the search's nodes. The cost
    of a search does not depend on earlier searches.

    Parameters
    ----------
    hash_mib : int
        The most that the table may take in MiB, rounded down to a power of two.

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
        buckets = 1 << ((hash_mib * MIB // BUCKET_BYTES // 2).bit_length() - 1)
        memory = allocate(2 * buckets * BUCKET_BYTES, "--hash")
        use_huge_pages(memory)
        self._use_memory(memory)
        bits = buckets.bit_length() - 1
        self.search.first_bits = max(min(bits, FIRST_BITS), bits - MOST_DOUBLINGS)
        self.search.most_buckets = buckets

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
        self._known = b"", b""
        self._memory = memory
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
        self.kernel.begin(self.search)

    def limit(self, nodes: int | None, restriction: Restriction | None = None) -> None:
        """Set the limits of the next search; see `begin`."""
        self._restrict(restriction)
        self.search.node_limit = interface.NO_LIMIT if nodes is None else nodes

    def begin_with(self, bounds: bytes, numbers: bytes) -> None:
        """Let searches begin with what was exported; empty: with an empty table."""
        search, self._known = self.search, (bounds, numbers)  # the kernel reads them
        search.known, search.known_size = _address(bounds), len(bounds) // ENTRY_BYTES
        search.numbers = _address(numbers)
        search.known_numbers = len(numbers) // ENTRY_BYTES

    def merge(self, bounds: bytes) -> bool:
        """Begin, add exported bounds, and return whether none contradicts another."""
        self.begin(None)
        size, address = len(bounds) // ENTRY_BYTES, _address(bounds)
        return self.kernel.merge_bounds(self.search, address, size) == size

    def export(self, room: int, *, of_numbers: bool = False) -> bytes:
        """Return what took the most effort; another thread may search.

        Parameters
        ----------
        room : int
            How many entries at most.
        of_numbers : bool
            Whether they are proof numbers instead of bounds.
        """
        room = min(room, BUCKET_ENTRIES * self.search.most_buckets)
        memory = interface.map_memory(max(1, room) * ENTRY_BYTES)
        start = ctypes.addressof(ctypes.c_char.from_buffer(memory))

        def write(first: int, efforts: tuple[int, int]) -> int:
            place, left = start + first * ENTRY_BYTES, room - first
            return self.kernel.export_entries(
                self.search, place, left, efforts, of_numbers=of_numbers
            )

        lowest = least = LEAST_NODES if of_numbers else LEAST_EFFORT
        while (size := write(0, (least, MOST_EFFORT))) > room:
            least += 1
        if least > lowest:  # some of those that have no room together
            size += write(size, (least - 1, least - 1))
        return memory[: min(size, room) * ENTRY_BYTES]

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
        search.stop = 0
        for name in ("generation", "first_bits", "buckets", "most_buckets", "grow_at"):
            setattr(search, name, getattr(leader.search, name))
        self.limit(nodes, leader.restriction)
        self.kernel.begin(search)

    def resume(self, nodes: int | None = None) -> None:
        """Continue with the last problem and another node limit, or none."""
        self.search.grow_at -= self.search.nodes
        self.search.nodes = 0
        self.search.node_limit = interface.NO_LIMIT if nodes is None else nodes

    def grow(self, times: int) -> int:
        """Make the table this many times as large, at most; it then keeps its size.

        Parameters
        ----------
        times : int
            A power of two.

        Returns
        -------
        int
            The number of nodes at which it should be made larger again.
        """
        search = self.search
        self.kernel.grow(search, times * search.buckets)
        due: int = search.grow_at
        search.grow_at = interface.NO_LIMIT
        return due

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
        Decision
            STOPPED when a limit was hit first; otherwise the verdict is proved. The
            prover knows no restriction.
        """
        return self.kernel.mates_within(
            position, self.search, moves, attacking=attacking
        )

    def search_dfpn(
        self, position: search_struct.PositionStruct, moves: int, *, attacking: bool
    ) -> interface.Decision:
        """Decide the same with the df-pn search, under the restriction."""
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
        """Whether the table has the size that a search begins with."""
        return bool(self.search.buckets == 1 << self.search.first_bits)

    @property
    def is_restricted(self) -> bool:
        """Whether the question is about a restricted attacker."""
        return self.restriction is not None

    @property
    def is_exhausted(self) -> bool:
        """Whether the search has been stopped or is out of nodes."""
        return bool(self.search.stop) or self.search.nodes >= self.search.node_limit

    def hashfull(self) -> int:
        """Estimate from a sample how much of the largest table is full, per mille.

        Bounds are counted, and not proof numbers.
        """
        search = self.search
        words = (ctypes.c_uint64 * SAMPLED_WORDS).from_address(search.table)
        entries: list[int] = words[1::2]
        stamps = [data >> STAMP_SHIFT & GENERATION_BITS for data in entries]
        full = stamps.count(search.generation) / len(stamps)
        return int(full * search.buckets / search.most_buckets * 1000)

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


def _address(data: bytes) -> int:
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0


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
        refuse(f"{option}: expected {wanted}", found, AllocationError)
    return memory


def use_huge_pages(memory: mmap.mmap) -> None:
    """Let the system use huge pages for the part of a table that is seldom used."""
    half = len(memory) // 2
    if half > SMALL_PAGES and hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a Linux that was built without huge pages
            for start in (SMALL_PAGES, half + SMALL_PAGES):
                memory.madvise(mmap.MADV_HUGEPAGE, start, half - SMALL_PAGES)
