"""The memory of one search, laid out once for ctypes and for numba.

Kernels allocate nothing: who calls them brings a `Search` and a table, one of each for
every thread. This module knows neither numba nor numpy, so that a process that loads
the stored kernel needs neither.
"""

from __future__ import annotations

from ctypes import Structure, c_int64, c_uint32, c_uint64
from enum import Flag, IntEnum, IntFlag, auto
from typing import ClassVar

# The scored search's switches as the numbers that the kernel knows.
#
# This module knows neither numba nor numpy.


class MdpForm(IntFlag):
    """Forms of mate-distance pruning; `solver.kernel.mate_distance` tells of them."""

    OFF = 0
    UPPER = 1
    LOWER = 2
    CPW = UPPER | LOWER
    NEXT_PLY = 4
    TIGHT = CPW | NEXT_PLY
    VIPERMATE = 8


class Extension(Flag):
    """Which moves cost no depth."""

    NONE = 0
    CHECKS = auto()
    CAPTURING_CHECKS = auto()
    PROMOTIONS = auto()


class MipUse(Flag):
    """What a material-imbalance table is used for."""

    NONE = 0
    REDUCTION = auto()
    """A node whose material has always lost, or won, is searched a ply less deep."""
    PRUNING = auto()
    """Such a node is not searched."""
    LAZY = auto()
    """At the horizon, material and what it scored stand for the evaluation."""
    CORRECTION = auto()
    """What the material scored is added to the evaluation."""


class PrunedNodes(IntEnum):
    """Where forward pruning is tried."""

    NONE = 0
    CUT = 1
    CUT_AND_ALL = 2


MULTI_CUT_REDUCTION = 2
"""Plies that multi-cut's searches are shallower than the node's own."""


MAX_PLIES = 448
"""Room for the longest line asked for, both sides' moves, and a threat behind it."""

MAX_LEGAL_MOVES = 256
"""Room for one position's moves; the most known of a legal position is 218."""

MOVE_KINDS = 1 << 17
"""How many different words a move can be."""

ARRIVALS = MOVE_KINDS >> 6
"""How many different ways to arrive somewhere: a move without its origin."""

MATERIAL_CELLS = 236_196
"""Cells of a material-imbalance table: 9^2 x 3^6 x 2^2 numbers of men."""


class Position(Structure):
    """A position as the kernel's eight bitboards; see `solver.kernel.position`."""

    _fields_: ClassVar = [
        (name, c_uint64)
        for name in (
            "pawns",
            "knights",
            "diagonal",
            "orthogonal",
            "kings",
            "us",
            "them",
            "rights",
        )
    ]


class Search(Structure):
    """What a search is told, what it tells, and its scratch memory.

    Attributes
    ----------
    stop : int64
        Set from outside, from any thread, to end the search.
    nodes : int64
        Positions entered so far, a mate-in-one test being one; never reset inside.
    node_limit : int64
        The search ends when `nodes` reaches it.
    generation : uint64
        Names the problem; table entries of other generations count as empty.
    buckets : uint64
        Buckets of the bounds, a power of two.
    is_companion : int64
        Whether another thread leads this search: the companion takes things in another
        order, so that the two share the work.
    proofs_from : uint64
        The first bucket of the proof numbers, behind all buckets of the bounds.
    proof_buckets : uint64
        Buckets of the proof numbers, a power of two.
    lane : uint64
        Names the lane that the finder keeps to, by a word without pattern; 0: none.
    lane_only : int64
        Whether the question is about the lane alone; else a mate from anywhere will do,
        and the lane only says where to look.
    checks_only, most_flights, most_replies, threat_moves : int64
        What the lane admits; see `solver.kernel.dfpn`.
    rows : uint64, shape (MAX_PLIES, MAX_LEGAL_MOVES)
        The moves of each ply.
    killers : uint64, shape (MAX_PLIES, 2)
        The defences that refuted last at each ply.
    counters : uint64, shape (ARRIVALS,)
        The defence that refuted last against a man's arrival on a square.
    history : uint32, shape (MOVE_KINDS,)
        How often, and how far from the leaves, each defence refuted.
    phis, deltas : uint32, shape (MAX_PLIES, MAX_LEGAL_MOVES)
        The finder's numbers of the positions that the moves of a row lead to.
    line : uint64, shape (MAX_PLIES,)
        The mating line, when it was asked for.
    """

    _fields_: ClassVar = [
        ("stop", c_int64),
        ("nodes", c_int64),
        ("node_limit", c_int64),
        ("table", c_uint64),
        ("generation", c_uint64),
        ("buckets", c_uint64),
        ("is_helper", c_int64),
        ("proofs_from", c_uint64),
        ("proof_buckets", c_uint64),
        ("restriction", c_uint64),
        ("restricted_only", c_int64),
        ("checks_only", c_int64),
        ("most_flights", c_int64),
        ("most_replies", c_int64),
        ("threat_moves", c_int64),
        ("rows", c_uint64 * MAX_LEGAL_MOVES * MAX_PLIES),
        ("killers", c_uint64 * 2 * MAX_PLIES),
        ("counters", c_uint64 * ARRIVALS),
        ("history", c_uint32 * MOVE_KINDS),
        ("phis", c_uint32 * MAX_LEGAL_MOVES * MAX_PLIES),
        ("deltas", c_uint32 * MAX_LEGAL_MOVES * MAX_PLIES),
        ("line", c_uint64 * MAX_PLIES),
    ]


class Experiment(Structure):
    """The switches of a scored search, and what one iteration of it tells.

    Attributes
    ----------
    mdp : int64
        A `MdpForm`.
    extension : int64
        Bits of `Extension`.
    pruned_nodes : int64
        A `PrunedNodes`.
    null_reduction : int64
        R of the null move; 0: none is tried.
    cuts, tries : int64
        C and M of multi-cut; no cuts: it is not tried.
    additions : int64
        Bit k stands for addition k (1 to 4) of Enhanced Forward Pruning.
    mip : int64
        Bits of `MipUse`.
    mip_positions : int64
        Cells that hold fewer positions say nothing.
    alpha, beta : int64
        The root's window.
    depth : int64
        Of the iteration.
    score : int64
        Its result, for the side to move.
    pv_nodes : int64
        `Search.nodes` when the root's best move was found.
    pv_move : uint64
        That move.
    stopped : int64
        Whether a limit was hit, so that `score` says nothing.
    cells : uint32, shape (MATERIAL_CELLS,)
        The material-imbalance table as the side to move sees it; see
        `solver.laboratory.imbalance`.
    """

    _fields_: ClassVar = [
        *(
            (name, c_int64)
            for name in (
                "mdp",
                "extension",
                "pruned_nodes",
                "null_reduction",
                "cuts",
                "tries",
                "additions",
                "mip",
                "mip_positions",
                "alpha",
                "beta",
                "depth",
                "score",
                "pv_nodes",
            )
        ),
        ("pv_move", c_uint64),
        ("stopped", c_int64),
        ("cells", c_uint32 * MATERIAL_CELLS),
    ]
