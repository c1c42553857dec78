"""The table of the laboratory's search, and the moves that its techniques select."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.kernel.border import scored_struct, search_struct
from solver.kernel.build.jit import inlined, jit, words_at
from solver.kernel.build.words import Bitboard, Experiment, Move, Number, Row, Search
from solver.kernel.mate import ordering, transposition
from solver.kernel.rules import bitboards
from solver.kernel.rules.mating import find_checks, gives_check

# --------------------------------------------------------------------------------------
# What the laboratory's search remembers: move order and transposition table.
#
# The moves of a node are tried in this order: the table's move; captures and promotions
# by what they win, then by the least valuable piece that moves (MVV-LVA); the two
# killers of the ply (Akl and Newborn, 1977); the rest by the history heuristic
# (Schaeffer, ICCA Journal 6, 1983). Moves of equal worth are ordered by their encoding,
# so that the definition of the search determines every node count. The root may have
# another order.
#
# The table shares its hash keys and its buckets of four entries with
# `solver.kernel.mate.transposition`, but its entries hold scores. An entry is two
# 64-bit words: the key's check word; and, from bit 0, score (16, less LOWEST), depth
# (8), bound (2) and move (17). A zeroed table is empty. Mate scores are stored relative
# to the entry's position, so that they are valid at any distance from the root.

# Move order

TABLE_MOVE = np.uint64(1 << 30)
GAIN = np.uint64(1 << 29)
SECOND_KILLER = np.uint64(1 << 28)
KILLER = SECOND_KILLER + bitboards.ONE
MOST_HISTORY = SECOND_KILLER - bitboards.ONE

SEARCH_ORDER = scored_struct.RootOrder.SEARCH.value
NODES_ORDER = scored_struct.RootOrder.NODES.value


@inlined
def piece_on(position: bitboards.Position, square: Bitboard) -> Bitboard:
    """Return the rank of the piece on a square: pawn 1 to queen 5, king 6, none 0."""
    if position.pawns & square:
        return bitboards.ONE
    if position.knights & square:
        return bitboards.TWO
    if position.diagonal & square:
        return bitboards.FIVE if position.orthogonal & square else bitboards.THREE
    if position.orthogonal & square:
        return bitboards.FOUR
    return bitboards.SIX if position.kings & square else bitboards.ZERO


@inlined
def piece_arriving(kind: Move) -> Bitboard:
    """Return the rank of the piece that a pawn promotes to."""
    if kind & bitboards.KNIGHT:
        return bitboards.TWO
    if kind & bitboards.DIAGONAL:
        return bitboards.FIVE if kind & bitboards.ORTHOGONAL else bitboards.THREE
    return bitboards.FOUR


@inlined
def promotes(position: bitboards.Position, move: Move) -> bool:
    """Return whether a pawn promotes."""
    return (
        position.pawns & (bitboards.ONE << bitboards.origin(move)) != bitboards.ZERO
        and bitboards.arrival(move) & bitboards.PAWN == bitboards.ZERO
    )


@inlined
def captures(position: bitboards.Position, move: Move) -> bool:
    """Return whether a piece is taken, en passant included."""
    arrived = bitboards.ONE << bitboards.target(move)
    en_passant = (
        bitboards.arrival(move) & bitboards.PAWN
        and arrived & position.rights & bitboards.RANK_6
    )
    return position.them & arrived != bitboards.ZERO or en_passant != bitboards.ZERO


@inlined
def worth(
    position: bitboards.Position, move: Move, ply: Number, known: Move, search: Search
) -> Bitboard:
    """Return the worth of a move for the order; `known` is the table's move."""
    if move == known:
        return TABLE_MOVE
    taking = captures(position, move)
    promoting = promotes(position, move)
    if taking or promoting:
        gain = bitboards.ZERO
        if taking:
            victim = piece_on(position, bitboards.ONE << bitboards.target(move))
            gain += bitboards.EIGHT * max(
                victim, bitboards.ONE
            )  # en passant takes a pawn elsewhere
        if promoting:
            gain += bitboards.EIGHT * piece_arriving(bitboards.arrival(move))
        return (
            GAIN
            + gain
            + bitboards.SIX
            - piece_on(position, bitboards.ONE << bitboards.origin(move))
        )
    if move == search.killers[ply, 0]:
        return KILLER
    if move == search.killers[ply, 1]:
        return SECOND_KILLER
    return min(np.uint64(search.history[move]), MOST_HISTORY)


@jit
def rank_moves(
    position: bitboards.Position,
    moves: Row,
    size: Number,
    ply: Number,
    known: Move,
    search: Search,
) -> None:
    """Write the worth of each move above its 32 bits, for `bring_best`."""
    for index in range(size):
        move = moves[index]
        moves[index] = move | (
            worth(position, move, ply, known, search) << ordering.WORTH_SHIFT
        )


FIRST = ordering.LOW_WORD
"""The worth of the root's first move; all others are below."""


@jit
def rank_root(
    position: bitboards.Position,
    moves: Row,
    size: Number,
    known: Move,
    search: Search,
    experiment: Experiment,
) -> None:
    """Rank the root's moves, like `rank_moves`, in the order of `experiment`.

    In the order by nodes, the first iteration uses the usual order.
    """
    for index in range(size):
        experiment.root_moves[index] = moves[index]
    order = experiment.root_order
    if order == SEARCH_ORDER or (order == NODES_ORDER and not experiment.last_best):
        rank_moves(position, moves, size, 0, known, search)
        return
    first = experiment.last_best if order == NODES_ORDER else known
    for index in range(size):
        worth = np.uint64(size - index)
        if order == NODES_ORDER:
            worth = min(np.uint64(experiment.last_nodes[index]), FIRST - bitboards.ONE)
        if moves[index] == first:
            worth = FIRST
        moves[index] |= worth << ordering.WORTH_SHIFT


@jit
def count_root_move(move: Move, search: Search, experiment: Experiment) -> None:
    """Add the nodes since the last root move to those of a root move."""
    index = 0
    while experiment.root_moves[index] != move:
        index += 1
    experiment.root_nodes[index] += search.nodes - experiment.root_counted
    experiment.root_counted = search.nodes


# Transposition table

NO_ENTRY = 0
EXACT = 1
LOWER = 2
UPPER = 3

LOWEST = -(1 << 15)
SCORE_BITS = np.uint64(0xFFFF)
DEPTH_SHIFT = np.uint64(16)
DEPTH_BITS = np.uint64(0xFF)
BOUND_SHIFT = np.uint64(24)
BOUND_BITS = np.uint64(3)
MOVE_SHIFT = np.uint64(26)


class Window(NamedTuple):
    """The scores that a search must distinguish; closed if alpha is not below beta."""

    alpha: Number
    beta: Number


class Scored(NamedTuple):
    """An entry: a score as seen from the root, its depth, its bound, the best move."""

    score: Number
    depth: Number
    bound: Number
    move: Move


@inlined
def seen_from(score: Number, plies: Number) -> Number:
    """Return a score as seen from a node further down; only mates change.

    A negative number means a node further up.
    """
    if score >= scored_struct.MATE_ZONE:
        return score + plies
    if score <= -scored_struct.MATE_ZONE:
        return score - plies
    return score


@inlined
def decides(entry: Scored, window: Window) -> bool:
    """Return whether an entry's score answers a window."""
    return (
        entry.bound == EXACT
        or (entry.bound == LOWER and entry.score >= window.beta)
        or (entry.bound == UPPER and entry.score <= window.alpha)
    )


@inlined
def probe_score(search: Search, key: transposition.HashKey, ply: Number) -> Scored:
    """Return the entry of a position; its bound is NO_ENTRY if there is none."""
    if search.buckets:
        table = words_at(search.table)
        start = (
            key.bucket & (search.buckets - bitboards.ONE)
        ) * transposition.BUCKET_WORDS
        for slot in range(transposition.ENTRIES):
            entry = start + np.uint64(slot) * transposition.ENTRY_WORDS
            data = table[entry + bitboards.ONE]
            if table[entry] == key.check and data:
                return Scored(
                    seen_from(np.int64(data & SCORE_BITS) + LOWEST, -ply),
                    np.int64((data >> DEPTH_SHIFT) & DEPTH_BITS),
                    np.int64((data >> BOUND_SHIFT) & BOUND_BITS),
                    (data >> MOVE_SHIFT) & bitboards.MOVE_BITS,
                )
    return Scored(0, 0, NO_ENTRY, bitboards.NO_MOVE)


@jit
def store_score(
    search: Search, key: transposition.HashKey, entry: Scored, ply: Number
) -> None:
    """Store an entry.

    It replaces the entry of the same position, else an empty entry, else the entry of
    the least depth.
    """
    if not search.buckets:
        return
    table = words_at(search.table)
    start = (key.bucket & (search.buckets - bitboards.ONE)) * transposition.BUCKET_WORDS
    chosen = start
    least = DEPTH_BITS + bitboards.ONE
    for slot in range(transposition.ENTRIES):
        other = start + np.uint64(slot) * transposition.ENTRY_WORDS
        data = table[other + bitboards.ONE]
        if table[other] == key.check or not data:
            chosen = other
            break
        depth = (data >> DEPTH_SHIFT) & DEPTH_BITS
        if depth < least:
            least = depth
            chosen = other
    table[chosen] = key.check
    table[chosen + bitboards.ONE] = (
        np.uint64(seen_from(entry.score, ply) - LOWEST)
        | (np.uint64(entry.depth) << DEPTH_SHIFT)
        | (np.uint64(entry.bound) << BOUND_SHIFT)
        | (entry.move << MOVE_SHIFT)
    )


# --------------------------------------------------------------------------------------
# Selectivity: what is cut off or pruned, and what is searched one ply deeper.
#
# Mate-distance pruning
# ---------------------
# No line from here beats a mate that comes at once.
#
# A mate at `ply` scores MATE - ply for the side that gives it. So the score of a node
# at `ply` lies between being mated now, `ply - MATE`, and mating now, `MATE - ply`. If
# no score in that range lies inside the window, the node is cut off. The pruning is
# exact. It saves nothing before a mate score reaches the window; from then on no line
# is searched beyond the length of the known mate, however deep the iteration.
#
# The forms are the one of the Chess Programming Wiki (Mate Distance Pruning), each half
# of it alone, a form that is one ply tighter because the side to move mates at the next
# ply at the earliest (as in Stockfish), and ViperMate's, which tests beta only where
# alpha needed no change and returns alpha. docs/explanation/mate-scores.md compares
# them.
#
# Forward pruning
# ---------------
# The nodes at which the null move and multi-cut are tried.
#
# Enhanced Forward Pruning (Winands, van den Herik, Uiterwijk and van der Werf,
# Information Sciences 175, 2005) prunes not only at expected cut nodes but also at
# expected all nodes. A wrong cut at an expected cut node hides a new principal
# variation for good. A wrong cut at an expected all node costs less: it makes a PV node
# search once more, and that search does not prune.
#
# The null move is after Goetsch and Campbell (1990) and Donninger (ICCA Journal 16,
# 1993), multi-cut after Björnsson and Marsland (1998).
# `solver.kernel.laboratory.alphabeta` has the four additions of Enhanced Forward
# Pruning where they apply.
#
# Extensions
# ----------
# Moves that are searched one ply deeper.
#
# After the check extension of Prophet4, whose author measured three forms in games: all
# checks (+57 Elo), capturing checks (+3) and promotions (no effect). The laboratory has
# each of them as a switch; docs/explanation/laboratory-techniques.md has their savings.
#
# A move at `ply` with `depth` left is extended only while `ply + depth` is below a cap.
# Each extension raises that sum by one, and a move without one leaves it as it is, so
# no line is longer than the cap: twice the depth of the iteration or, uncapped, the
# rows of `Search`. Uncapped is the naive form that Prophet4's author published with the
# warning that it need not terminate. What can be said of it:
#
# - Perpetual check ends. Only moves that are not extended cost depth, and the replies
#   to the checks of one side are such moves. So a line of more than twice the depth of
#   the iteration has a check that is answered by a check, or promotions. Where one side
#   cannot give check, both forms search the same tree.
# - Checks that answer checks can follow each other for long, and every branch of theirs
#   is searched before any depth is spent. Trees with queens on open lines explode.
# - An endless line would end in perpetual check by both sides, each check answered by
#   another; captures and moves of pawns are finite. No position with orthodox pieces is
#   known to allow it; with nightriders it is possible (N. Elkies). The search does
#   not rely on this: the rows end every line.

# Mate-distance pruning


@inlined
def narrow_to_mates(window: Window, ply: Number, form: Number) -> Window:
    """Narrow a window to the scores that a node can have.

    Parameters
    ----------
    window : Window
        Open.
    ply : int64
        The node's distance from the root.
    form : int64
        A `Mdp`.

    Returns
    -------
    Window
        If it is closed, its alpha is the score of the node.
    """
    alpha = window.alpha
    beta = window.beta
    if ply == 0 and form & (scored_struct.MDP_NEXT_PLY | scored_struct.MDP_VIPERMATE):
        return window
    mating = (
        scored_struct.MATE_SCORE - ply - (1 if form & scored_struct.MDP_NEXT_PLY else 0)
    )
    mated = ply - scored_struct.MATE_SCORE
    if form & scored_struct.MDP_UPPER:
        beta = min(beta, mating)
        if alpha >= beta:
            return Window(beta, beta)
    if form & scored_struct.MDP_LOWER or (
        form & scored_struct.MDP_VIPERMATE and alpha < mated
    ):
        return Window(max(alpha, mated), beta)
    if form & scored_struct.MDP_VIPERMATE:
        beta = min(beta, mating)
    return Window(alpha, beta)


# Forward pruning

PRUNED_CUT = scored_struct.PrunedNodes.CUT.value
PRUNED_ALL = scored_struct.PrunedNodes.ALL.value

# The numbering of the paper: minus the type of a node is the type of its first child.
PV_NODE = 0
CUT_NODE = 1
ALL_NODE = -1


@inlined
def may_prune(
    position: bitboards.Position,
    beta: Number,
    node_type: Number,
    experiment: Experiment,
) -> bool:
    """Return whether forward pruning may be tried at a node.

    It is never tried at a PV node, in check, or if beta is a mate score, where it would
    have to prove a mate.

    Parameters
    ----------
    position : Position
    beta : int64
        The upper end of the node's null window.
    node_type : int64
        PV_NODE, CUT_NODE or ALL_NODE.
    experiment : Experiment
        Its `pruned_nodes` says at which types of nodes pruning is tried.
    """
    return (
        node_type != PV_NODE
        and experiment.pruned_nodes
        & (PRUNED_CUT if node_type == CUT_NODE else PRUNED_ALL)
        and abs(beta) < scored_struct.MATE_ZONE
        and bitboards.checkers(position) == bitboards.ZERO
    )


@inlined
def has_pieces(position: bitboards.Position) -> bool:
    """Return whether the side to move has more than its king and pawns.

    With only a king and pawns, zugzwang is likely, which a null move cannot see.
    """
    pieces = position.knights | position.diagonal | position.orthogonal
    return pieces & position.us != bitboards.ZERO


# Extensions

CHECKS = scored_struct.Extension.CHECKS.value
CAPTURING_CHECKS = scored_struct.Extension.CAPTURING_CHECKS.value
PROMOTIONS = scored_struct.Extension.PROMOTIONS.value
UNCAPPED = scored_struct.Extension.UNCAPPED.value


@inlined
def extension(
    position: bitboards.Position,
    move: Move,
    depth: Number,
    ply: Number,
    experiment: Experiment,
) -> Number:
    """Return by how many plies a move is extended: 0 or 1.

    Parameters
    ----------
    position : Position
        Before the move.
    move : uint64
        Legal.
    depth : int64
        Plies left at `position`.
    ply : int64
        Distance of `position` from the root.
    experiment : Experiment
        Says which moves are extended, and how deep the iteration is.
    """
    wanted = experiment.extension
    if ply + depth >= (
        search_struct.MAX_PLIES if wanted & UNCAPPED else 2 * experiment.depth
    ):
        return 0
    if wanted & PROMOTIONS and promotes(position, move):
        return 1
    if wanted & CHECKS or (wanted & CAPTURING_CHECKS and captures(position, move)):
        return 1 if gives_check(position, find_checks(position), move) else 0
    return 0
