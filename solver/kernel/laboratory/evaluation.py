"""The worth of a node of the laboratory's search without depth left.

The evaluation counts material, advanced pawns and the position of a bare king: just
enough to prefer promoting a pawn and driving a bare king to the edge. All scores are in
centipawns.

Material-imbalance pruning
--------------------------
After Ed Schröder's MIP, which names four uses: reduction, pruning, lazy evaluation and
score correction. The numbers of pieces of both sides index 236,196 cells. Each cell has
a number of positions and their average score in per cent. The table is stored twice, as
the side to move at the root sees it and as its opponent does, who are to move at even
and at odd plies; see `solver.laboratory.imbalance`. Balances within a pawn are
ignored, as in the original.

Horizon
-------
What the search does where no depth is left is a switch:

- Static: the node's score is its evaluation.
- Mate test: a side in check without a legal move is mated. So a mate is seen one ply
  earlier; stalemate is not looked for.
- Quiescence search: captures and promotions go on, because the evaluation is wrong in
  the middle of an exchange. The side to move may also stand pat, that is, take the
  evaluation, unless it is in check; then all its moves are searched, and without any it
  is mated. This is common practice: see the Chess Programming Wiki, "Quiescence
  Search". Other checks are not tried.

A mate score of the quiescence search proves a mate, since a side is mated only in
check, where it has all its moves. The quiescence search uses neither the table nor
mate-distance pruning. It reads killers and history, for the order of the replies to a
check, and changes neither. A check may be answered by a check, so the rows of `Search`
end a line here too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.kernel.border import interface, scored_struct, search_struct
from solver.kernel.build.jit import (
    first_square,
    flip,
    inlined,
    jit,
    population,
    report_if_due,
)
from solver.kernel.build.words import Bitboard, Experiment, Number, Row, Search, Square
from solver.kernel.laboratory import alphabeta_table
from solver.kernel.mate import ordering
from solver.kernel.rules import bitboards, mating, movegen

PAWN_WORTH = 100
KNIGHT_WORTH = 320
BISHOP_WORTH = 330
ROOK_WORTH = 500
QUEEN_WORTH = 900
PAWN_STEP = 3
EDGE = 10
CLOSENESS = 4
FARTHEST = 14
LOW_CENTRE = 3
HIGH_CENTRE = 4

RANK_MASKS = tuple(np.uint64(0xFF << 8 * rank) for rank in range(8))


class Pieces(NamedTuple):
    """How many pieces of each kind a side has, without the king."""

    pawns: Number
    knights: Number
    bishops: Number
    rooks: Number
    queens: Number


@inlined
def count_pieces(position: bitboards.Position, side: Bitboard) -> Pieces:
    """Count the pieces of one side by kind."""
    queens = position.diagonal & position.orthogonal & side
    return Pieces(
        population(position.pawns & side),
        population(position.knights & side),
        population(position.diagonal & side & ~queens),
        population(position.orthogonal & side & ~queens),
        population(queens),
    )


@inlined
def material_balance(ours: Pieces, theirs: Pieces) -> Number:
    """Return our material less theirs."""
    return (
        PAWN_WORTH * (ours.pawns - theirs.pawns)
        + KNIGHT_WORTH * (ours.knights - theirs.knights)
        + BISHOP_WORTH * (ours.bishops - theirs.bishops)
        + ROOK_WORTH * (ours.rooks - theirs.rooks)
        + QUEEN_WORTH * (ours.queens - theirs.queens)
    )


@inlined
def pawn_progress(pawns: Bitboard) -> Number:
    """Return the worth of the ranks that pawns have advanced."""
    steps = 0
    for rank in range(2, 7):
        steps += (rank - 1) * population(pawns & RANK_MASKS[rank])
    return PAWN_STEP * steps


@inlined
def _off_centre(line: Square) -> Number:
    """Return the distance of a file or rank from the two central ones."""
    place = np.int64(line)
    return max(LOW_CENTRE - place, place - HIGH_CENTRE)


@inlined
def drive(lone: Square, king: Square) -> Number:
    """Return the worth of a bare king near the edge and of the other king near it."""
    edge = _off_centre(lone & bitboards.SEVEN) + _off_centre(lone // bitboards.EIGHT)
    files = abs(np.int64(lone & bitboards.SEVEN) - np.int64(king & bitboards.SEVEN))
    ranks = abs(np.int64(lone // bitboards.EIGHT) - np.int64(king // bitboards.EIGHT))
    return EDGE * edge + CLOSENESS * (FARTHEST - files - ranks)


@jit
def evaluate(position: bitboards.Position) -> Number:
    """Evaluate a position for the side to move."""
    we_have_more = position.us & (position.us - bitboards.ONE) != bitboards.ZERO
    they_have_more = position.them & (position.them - bitboards.ONE) != bitboards.ZERO
    score = material_balance(
        count_pieces(position, position.us), count_pieces(position, position.them)
    )
    score += pawn_progress(position.pawns & position.us)
    score -= pawn_progress(flip(position.pawns & position.them))
    king = first_square(position.kings & position.us)
    other = first_square(position.kings & position.them)
    if we_have_more and not they_have_more:
        score += drive(other, king)
    elif they_have_more and not we_have_more:
        score -= drive(king, other)
    return score


# Material-imbalance pruning

NOT_IN_TABLE = -1
"""No cell, or no score in per cent."""

TWO_KINDS = 2
THREE_KINDS = 3
NINE_KINDS = 9

MINOR_PAWNS = 3
ROOK_PAWNS = 5
QUEEN_PAWNS = 9
ONE_PAWN = 1

REDUCTION = scored_struct.MipUse.REDUCTION.value
PRUNING = scored_struct.MipUse.PRUNING.value
LAZY = scored_struct.MipUse.LAZY.value
CORRECTION = scored_struct.MipUse.CORRECTION.value
WHITE = scored_struct.MipUse.WHITE.value

ALL_LOST = 0
EVEN = 50
ALL_WON = 100
DECIDED = 10_000
"""Centipawns added if the material has always won, subtracted if it has always lost."""
PER_CENT_WORTH = 4
"""Centipawns for each per cent that the material scored above 50."""


COUNT_SHIFT = 7
PER_CENT_BITS = 127


@inlined
def find_cell(ours: Pieces, theirs: Pieces) -> Number:
    """Return the cell of a balance, or NOT_IN_TABLE if a side has too many pieces."""
    if (
        max(ours.queens, theirs.queens) >= TWO_KINDS
        or max(ours.rooks, theirs.rooks) >= THREE_KINDS
        or max(ours.bishops, theirs.bishops) >= THREE_KINDS
        or max(ours.knights, theirs.knights) >= THREE_KINDS
        or max(ours.pawns, theirs.pawns) >= NINE_KINDS
    ):
        return NOT_IN_TABLE
    cell = ours.queens * TWO_KINDS + theirs.queens
    cell = (cell * THREE_KINDS + ours.rooks) * THREE_KINDS + theirs.rooks
    cell = (cell * THREE_KINDS + ours.bishops) * THREE_KINDS + theirs.bishops
    cell = (cell * THREE_KINDS + ours.knights) * THREE_KINDS + theirs.knights
    return (cell * NINE_KINDS + ours.pawns) * NINE_KINDS + theirs.pawns


@jit
def past_score(
    position: bitboards.Position, ply: Number, experiment: Experiment
) -> Number:
    """Return what the side to move has scored with this material, in per cent.

    Returns
    -------
    int64
        0 (every game lost) to 100 (every game won). NOT_IN_TABLE if the balance is
        within a pawn, a side has too many pieces, or the cell has too few positions.
    """
    ours = count_pieces(position, position.us)
    theirs = count_pieces(position, position.them)
    balance = (
        ours.pawns
        - theirs.pawns
        + MINOR_PAWNS * (ours.knights + ours.bishops - theirs.knights - theirs.bishops)
        + ROOK_PAWNS * (ours.rooks - theirs.rooks)
        + QUEEN_PAWNS * (ours.queens - theirs.queens)
    )
    if abs(balance) <= ONE_PAWN:
        return NOT_IN_TABLE
    cell = find_cell(ours, theirs)
    if cell == NOT_IN_TABLE:
        return NOT_IN_TABLE
    word = np.int64(experiment.cells[ply & 1, cell])
    if word >> COUNT_SHIFT < max(experiment.mip_positions, ONE_PAWN):
        return NOT_IN_TABLE
    return word & PER_CENT_BITS


@inlined
def horizon_score(
    position: bitboards.Position, ply: Number, experiment: Experiment
) -> Number:
    """Return the evaluation, replaced or corrected by the material-imbalance table."""
    if experiment.mip & (LAZY | CORRECTION):
        scored = past_score(position, ply, experiment)
        if scored != NOT_IN_TABLE:
            bonus = PER_CENT_WORTH * (scored - EVEN)
            if experiment.mip & LAZY:
                ours = count_pieces(position, position.us)
                theirs = count_pieces(position, position.them)
                return material_balance(ours, theirs) + bonus
            return evaluate(position) + bonus
    return evaluate(position)


# Horizon

MATE_TEST = scored_struct.Horizon.MATE.value
QUIESCENCE = scored_struct.Horizon.QUIESCENCE.value


@inlined
def generate_gains(position: bitboards.Position, moves: Row) -> Number:
    """Write the legal captures and promotions to a row and return their number."""
    size = movegen.generate(position, moves)
    kept = 0
    for index in range(size):
        move = moves[index]
        if alphabeta_table.captures(position, move) or alphabeta_table.promotes(
            position, move
        ):
            moves[kept] = move
            kept += 1
    return kept


@jit
def quiescence(
    position: bitboards.Position,
    window: alphabeta_table.Window,
    ply: Number,
    search: Search,
    experiment: Experiment,
) -> Number:
    """Score a position for the side to move by captures, promotions and evasions.

    The contract is that of `solver.kernel.laboratory.alphabeta.alphabeta`: it is
    fail-soft and counts moves made as nodes.

    Parameters
    ----------
    position : Position
    window : Window
        Open.
    ply : int64
        Distance from the root.
    search : Search
    experiment : Experiment

    Returns
    -------
    int64
        In centipawns. Meaningless if `experiment.stopped` is set.
    """
    # 1. No row is left.
    if ply >= search_struct.MAX_PLIES:
        return horizon_score(position, ply, experiment)

    # 2. Stand pat, unless in check.
    alpha = window.alpha
    beta = window.beta
    in_check = bitboards.checkers(position) != bitboards.ZERO
    best = -scored_struct.INFINITE_SCORE
    if not in_check:
        best = horizon_score(position, ply, experiment)
        if best >= beta:
            return best

    # 3. Limits.
    report_if_due(search)
    if search.stop or search.nodes >= search.node_limit:
        experiment.stopped = 1
        return interface.STOPPED

    # 4. All moves in check, else captures and promotions. Mate.
    moves = search.rows[ply]
    if in_check:
        size = movegen.generate(position, moves)
        if size == 0:
            return ply - scored_struct.MATE_SCORE
    else:
        size = generate_gains(position, moves)

    # 5. Search them.
    alphabeta_table.rank_moves(position, moves, size, ply, bitboards.NO_MOVE, search)
    for index in range(size):
        ordering.bring_best(moves, index, size)
        search.nodes += 1
        score = -quiescence(
            bitboards.make(position, ordering.unranked(moves[index])),
            alphabeta_table.Window(-beta, -max(alpha, best)),
            ply + 1,
            search,
            experiment,
        )
        if experiment.stopped:
            return interface.STOPPED
        best = max(best, score)
        if best >= beta:
            break
    return best


@jit
def _search_beyond(
    position: bitboards.Position,
    window: alphabeta_table.Window,
    ply: Number,
    search: Search,
    experiment: Experiment,
) -> Number:
    """Score a node by the chosen horizon and uses of material."""
    if experiment.horizon == QUIESCENCE:
        return quiescence(position, window, ply, search, experiment)
    if experiment.horizon == MATE_TEST and mating.is_checkmate(position):
        return ply - scored_struct.MATE_SCORE
    return horizon_score(position, ply, experiment)


@inlined
def search_horizon(
    position: bitboards.Position,
    window: alphabeta_table.Window,
    ply: Number,
    search: Search,
    experiment: Experiment,
) -> Number:
    """Score a node without depth left; one test is enough for most of them."""
    if experiment.is_plain_horizon:
        return evaluate(position)
    return _search_beyond(position, window, ply, search, experiment)
