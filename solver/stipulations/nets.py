"""The final positions of help play: their memory, and when to list them.

Listing pays if it takes less time than the search without a list. How long each takes
shows only when it is done, so the two take turns, and each gets as much as both have
had. At worst, that takes a constant times as long as the better of the two.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from solver.kernel.border.help_memory import (
    MOST_NET_MOVES,
    MOST_PIECES,
    MOST_SLOTS,
    NEED_WORDS,
    HelpPlay,
    Nets,
)
from solver.kernel.border.memory import Position
from solver.search.workspace import allocate

if TYPE_CHECKING:
    from solver.kernel.border.interface import Kernel
    from solver.kernel.border.memory import Search

MOST_NETS = 1 << 18
LISTS = 16
"""A list for each ply has room if the plies are fewer, or the nets."""

NODES_BEFORE = 8_000
"""A search of fewer nodes is over before a list would be made."""

SHORT_PLIES = 6
STEPS_BY_NODE = 1
MORE_STEPS_BY_NODE = 32
"""For mates within so many plies, and for other problems, which the search without nets
takes longer for. A step takes as long as a node, or less."""

NODES_BY_NET = 4
"""A list is used after so many nodes for each net: a long one slows the search down."""


def make_nets(*, is_stalemate: bool) -> Nets:
    """Return memory for nets; the system provides it as it is used.

    Raises
    ------
    AllocationError
        The system does not have that much memory.
    """
    sizes = {
        "needs": 4 * NEED_WORDS,
        "codes": 2 * MOST_SLOTS * MOST_NETS,
        "clear": 8 * MOST_NETS,
        "entries": 8 * LISTS * MOST_NETS,
    }
    memory = allocate(sum(sizes.values()), "help play", "final positions")
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    nets = Nets(most=MOST_NETS, is_stalemate=is_stalemate)
    nets.memory = memory  # lives as long
    for name, size in sizes.items():
        setattr(nets, name, address)
        address += size
    return nets


class NetList:
    """The nets of one question, listed for one length of its solutions at a time.

    Parameters
    ----------
    kernel : Kernel
        The part for help play.
    is_stalemate : bool
        The goal is stalemate instead of mate.
    """

    def __init__(self, kernel: Kernel, *, is_stalemate: bool) -> None:
        self._kernel = kernel
        self._nets: Nets | None = None
        self._is_stalemate = is_stalemate
        self._steps = 0
        self._plies = 0
        self._overfull = 0

    def list(self, play: HelpPlay, search: Search) -> None:
        """List the nets of an enumeration if that may pay; it then uses them.

        Parameters
        ----------
        play : HelpPlay
            Has no list.
        search : Search
            Has counted the nodes of the question so far.
        """
        nodes = search.nodes
        is_too_long = play.plies > 2 * MOST_NET_MOVES or play.plies == self._overfull
        if nodes < NODES_BEFORE or is_too_long:
            return
        position = Position.from_buffer_copy(play.positions[0])
        sides: list[int] = [position.us, position.them]
        if max(pieces.bit_count() for pieces in sides) > MOST_PIECES:
            return
        if self._nets is None:
            self._nets = make_nets(is_stalemate=self._is_stalemate)
            self._nets.set_up(position, is_attacking=play.plies % 2 == 1)
        nets = self._nets
        address = ctypes.addressof(nets)
        if self._plies != play.plies:
            is_short = play.plies <= SHORT_PLIES and not self._is_stalemate
            rate = STEPS_BY_NODE if is_short else MORE_STEPS_BY_NODE
            nets.budget = rate * nodes + self._steps
            play.nets = address
            is_complete = self._kernel.list_nets(play, search)
            play.nets = 0
            has_room = nets.size * (play.plies + 1) <= LISTS * MOST_NETS
            if nets.is_full or not has_room:
                self._overfull = play.plies
            if not is_complete or not has_room:
                return
            self._plies = play.plies
            self._steps += nets.steps
        if nets.size * NODES_BY_NET <= nodes:
            play.nets = address

    def progress(self, play: HelpPlay, search: Search) -> tuple[int, int] | None:
        """Return how many nets are done, and all; None without a list."""
        if self._nets is None or not play.nets or play.ply < 0:
            return None
        size = self._nets.size
        return size - self._kernel.nets_left(play, search), size
