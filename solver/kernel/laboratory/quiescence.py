"""The horizon: what the laboratory's search does where no depth is left.

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

from typing import Any

from solver.kernel.border.experiment import INFINITE_SCORE, MATE_SCORE, Horizon
from solver.kernel.border.interface import STOPPED
from solver.kernel.border.memory import MAX_PLIES
from solver.kernel.build.jit import ROW, Number, experiment_t, i64, jit, search_t
from solver.kernel.laboratory.alphabeta_table import (
    Window,
    captures,
    promotes,
    rank_moves,
    window_t,
)
from solver.kernel.laboratory.evaluation import evaluate, horizon_score
from solver.kernel.mate.ordering import bring_best, unranked
from solver.kernel.rules.bitboards import ZERO
from solver.kernel.rules.mate_in_one import is_checkmate
from solver.kernel.rules.movegen import generate
from solver.kernel.rules.position import NO_MOVE, Position, checkers, make, position_t

MATE_TEST = Horizon.MATE.value
QUIESCENCE = Horizon.QUIESCENCE.value


@jit(i64(position_t, ROW), inline=True)
def generate_gains(position: Position, moves: Any) -> Number:
    """Write the legal captures and promotions to a row and return their number."""
    size = generate(position, moves)
    kept = 0
    for index in range(size):
        move = moves[index]
        if captures(position, move) or promotes(position, move):
            moves[kept] = move
            kept += 1
    return kept


@jit(i64(position_t, window_t, i64, search_t, experiment_t))
def quiescence(
    position: Position, window: Window, ply: Number, search: Any, experiment: Any
) -> Number:
    """Score a position for the side to move by captures, promotions and evasions.

    The contract is that of `solver.kernel.laboratory.alphabeta.alphabeta`: fail-soft,
    and moves made are counted as nodes.

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
    if ply >= MAX_PLIES:
        return horizon_score(position, ply, experiment)

    # 2. Stand pat, unless in check.
    alpha = window.alpha
    beta = window.beta
    in_check = checkers(position) != ZERO
    best = -INFINITE_SCORE
    if not in_check:
        best = horizon_score(position, ply, experiment)
        if best >= beta:
            return best

    # 3. Limits.
    if search.stop or search.nodes >= search.node_limit:
        experiment.stopped = 1
        return STOPPED

    # 4. All moves in check, else captures and promotions. Mate.
    moves = search.rows[ply]
    if in_check:
        size = generate(position, moves)
        if size == 0:
            return ply - MATE_SCORE
    else:
        size = generate_gains(position, moves)

    # 5. Search them.
    rank_moves(position, moves, size, ply, NO_MOVE, search)
    for index in range(size):
        bring_best(moves, index, size)
        search.nodes += 1
        score = -quiescence(
            make(position, unranked(moves[index])),
            Window(-beta, -max(alpha, best)),
            ply + 1,
            search,
            experiment,
        )
        if experiment.stopped:
            return STOPPED
        best = max(best, score)
        if best >= beta:
            break
    return best


@jit(i64(position_t, window_t, i64, search_t, experiment_t))
def _search_beyond(
    position: Position, window: Window, ply: Number, search: Any, experiment: Any
) -> Number:
    """Score a node by the horizon and the uses of material that are switched on."""
    if experiment.horizon == QUIESCENCE:
        return quiescence(position, window, ply, search, experiment)
    if experiment.horizon == MATE_TEST and is_checkmate(position):
        return ply - MATE_SCORE
    return horizon_score(position, ply, experiment)


@jit(i64(position_t, window_t, i64, search_t, experiment_t), inline=True)
def search_horizon(
    position: Position, window: Window, ply: Number, search: Any, experiment: Any
) -> Number:
    """Score a node without depth left; most nodes are such, so one test is enough."""
    if experiment.is_plain_horizon:
        return evaluate(position)
    return _search_beyond(position, window, ply, search, experiment)
