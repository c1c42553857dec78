"""What the laboratory's search shares with its caller: for ctypes and for numba.

Like `solver.kernel.border.search_struct`, this module imports neither numba nor numpy.
No other search needs it, so it is not part of `query_struct`.
"""

from __future__ import annotations

from ctypes import Structure, c_int64, c_uint32, c_uint64
from enum import Flag, IntEnum, auto
from typing import ClassVar

from solver.kernel.border import search_struct

MATERIAL_CELLS = 236_196
"""Cells of a material-imbalance table: 9^2 x 3^6 x 2^2 numbers of pieces."""

MATE_SCORE = 30_000
"""The scored search's score for giving mate now, in centipawns."""

MATE_ZONE = 29_000
"""Scores at least this far from 0 are mates; the evaluation stays below."""

INFINITE_SCORE = 32_000
"""Larger than every score."""

MULTI_CUT_REDUCTION = 2
"""Plies by which multi-cut's searches are shallower than the node's own."""


MDP_UPPER, MDP_LOWER, MDP_NEXT_PLY, MDP_VIPERMATE = 1, 2, 4, 8
"""The bits of the forms of mate-distance pruning."""


class Mdp(IntEnum):
    """Mate-distance pruning's forms; see `solver.kernel.laboratory.alphabeta_table`."""

    OFF = 0
    UPPER = MDP_UPPER
    """Only beta is lowered, to the score of mating at this node."""
    LOWER = MDP_LOWER
    """Only alpha is raised, to the score of being mated at this node."""
    CPW = MDP_UPPER | MDP_LOWER
    """Both, as on the Chess Programming Wiki."""
    TIGHT = CPW | MDP_NEXT_PLY
    """Both, with beta lowered to a mate on the next ply: none is sooner."""
    VIPERMATE = MDP_VIPERMATE
    """As in ViperMate: not at the root, and beta only if alpha did not change."""


class Extension(Flag):
    """Moves that are searched one ply deeper; see `laboratory.alphabeta_table`."""

    NONE = 0
    CHECKS = auto()
    CAPTURING_CHECKS = auto()
    PROMOTIONS = auto()
    UNCAPPED = auto()
    """Lines may become longer than twice the iteration's depth."""


class MipUse(Flag):
    """Uses of a material-imbalance table; see `solver.kernel.laboratory.evaluation`.

    The last three are forms of its cells; see `solver.laboratory.imbalance`.
    """

    NONE = 0
    REDUCTION = auto()
    """Search a node one ply shallower if its material has always lost, or won."""
    PRUNING = auto()
    """Do not search such a node."""
    LAZY = auto()
    """At the horizon, replace the evaluation by material and its past score."""
    CORRECTION = auto()
    """Add what the material has scored to the evaluation."""
    WHITE = auto()
    """Count only what White scored with White's pieces, not what Black scored with the
    same."""
    ROUNDED = auto()
    """0 and 100 per cent are rounded: below 0.5 per cent, and from 99.5 on."""
    CURVE = auto()
    """Draw scores towards 50 per cent, the more so the fewer positions a cell has."""


class Horizon(IntEnum):
    """What is searched when no depth is left; see `laboratory.evaluation`."""

    STATIC = 0
    """Nothing: the node's score is its evaluation."""
    MATE = 1
    """Whether the side to move is mated."""
    QUIESCENCE = 2
    """Captures and promotions, and all replies to a check."""


class RootOrder(IntEnum):
    """The order of the root's moves; see `solver.kernel.laboratory.alphabeta_table`."""

    SEARCH = 0
    """That of every node."""
    GENERATED = 1
    """The table's move, then as they are generated."""
    NODES = 2
    """The last iteration's best move, then by the nodes of its trees."""


class PrunedNodes(IntEnum):
    """Types of nodes at which forward pruning is tried."""

    NONE = 0
    CUT = 1
    ALL = 2
    CUT_AND_ALL = CUT | ALL


class Experiment(Structure):
    """The switches of a scored search, and the result of one iteration.

    Attributes
    ----------
    mdp : int64
        A `Mdp`.
    extension : int64
        Bits of `Extension`.
    pruned_nodes : int64
        A `PrunedNodes`.
    null_reduction : int64
        R of the null move; 0: no null move.
    cuts, tries : int64
        C and M of multi-cut; 0 cuts: no multi-cut.
    additions : int64
        Bit k stands for addition k (1 to 4) of Enhanced Forward Pruning.
    mip : int64
        Bits of `MipUse`.
    is_plain_horizon : int64
        Whether the score at the horizon is the evaluation and nothing else.
    mip_positions : int64
        Cells with fewer positions are ignored.
    horizon : int64
        A `Horizon`.
    root_order : int64
        A `RootOrder`.
    last_best : uint64
        The best move of the last iteration, or 0 (no move).
    alpha, beta : int64
        The root's window.
    depth : int64
        Depth of the iteration, in plies.
    score : int64
        Its result, in centipawns for the side to move.
    pv_nodes : int64
        `Search.nodes` when the root's best move was found.
    pv_move : uint64
        That move.
    stopped : int64
        Whether a limit was hit, so that `score` means nothing.
    extra_calls : int64
        Calls of the search function that made no move: for roots, and for moves that
        were searched again. The kernel never resets it.
    interior : int64
        Nodes whose moves were generated, without those of the quiescence search. The
        kernel never resets it.
    pv_extra_calls, pv_interior : int64
        The same when the root's best move was found.
    root_counted : int64
        `Search.nodes` after the last root move.
    root_moves : uint64, shape (MAX_LEGAL_MOVES,)
        The root's moves as they are generated.
    root_nodes, last_nodes : int64, shape (MAX_LEGAL_MOVES,)
        The nodes of each one's tree, in this iteration and in the last.
    cells : uint32, shape (2, MATERIAL_CELLS)
        The material-imbalance table as the side to move at the root sees it, and as its
        opponent does; see `solver.laboratory.imbalance`.
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
                "is_plain_horizon",
                "mip_positions",
                "horizon",
                "root_order",
                "alpha",
                "beta",
                "depth",
                "score",
                "pv_nodes",
            )
        ),
        ("pv_move", c_uint64),
        ("stopped", c_int64),
        ("extra_calls", c_int64),
        ("interior", c_int64),
        ("pv_extra_calls", c_int64),
        ("pv_interior", c_int64),
        ("root_counted", c_int64),
        ("last_best", c_uint64),
        ("root_moves", c_uint64 * search_struct.MAX_LEGAL_MOVES),
        ("root_nodes", c_int64 * search_struct.MAX_LEGAL_MOVES),
        ("last_nodes", c_int64 * search_struct.MAX_LEGAL_MOVES),
        ("cells", c_uint32 * MATERIAL_CELLS * 2),
    ]
