"""Quiet moves taken back: all positions from which one leads into a set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess
import numpy as np

from solver.endgames.table import REFLECTIONS, TRIANGLE
from solver.endings.geometry import LEAPS, SLIDES

if TYPE_CHECKING:
    from solver.endgames.table import Words

_NOT_FILE_A = np.uint64(~chess.BB_FILE_A & chess.BB_ALL)
_NOT_FILE_H = np.uint64(~chess.BB_FILE_H & chess.BB_ALL)
_ONE = np.uint64(1)
_RANK = np.uint64(8)


def retreat_target(words: Words) -> Words:
    """Take back the moves of the defender's king."""
    left = words >> _ONE & _NOT_FILE_H
    right = words << _ONE & _NOT_FILE_A
    row = words | left | right
    before: Words = left | right | row << _RANK | row >> _RANK
    return before


def retreat_king(words: Words) -> Words:
    """Take back the moves of the attacker's king."""
    before = np.zeros_like(words)
    unfolded: dict[chess.Square, Words] = {}
    for place, origin in enumerate(TRIANGLE):
        for square in chess.SquareSet(chess.BB_KING_ATTACKS[origin]):
            if square not in unfolded:
                unfolded[square] = REFLECTIONS[square].unfold(words)
            before[place] |= unfolded[square]
    return before


def retreat_man(words: Words, empty: Words, axis: int, kind: chess.PieceType) -> Words:
    """Take back the moves of a man.

    Parameters
    ----------
    words : ndarray of uint64, shape (10, 64, ...)
        Where the moves lead to.
    empty : ndarray of uint64, same shape
        The positions in which all men stand on squares of their own.
    axis : int
        The man's axis.
    kind : chess.PieceType
        What it is.
    """
    before = np.zeros(words.shape, np.uint64)
    source, free, out = (_by_rank_and_file(w, axis) for w in (words, empty, before))
    if kind == chess.KNIGHT:
        for ranks, files in LEAPS:
            out[_kept(-ranks), _kept(-files)] |= source[_kept(ranks), _kept(files)]
        return before
    for ranks, files in SLIDES[kind]:
        if ranks:
            _slide(source, free, out, rank_step=ranks, file_step=files)
        else:
            turned = (w.swapaxes(0, 1) for w in (source, free, out))
            _slide(*turned, rank_step=files, file_step=ranks)
    return before


def _by_rank_and_file(words: Words, axis: int) -> Words:
    """View a set with the rank and the file of a man as its first two axes."""
    shape = words.shape
    view = words.reshape(*shape[:axis], 8, 8, *shape[axis + 1 :])
    return np.moveaxis(view, (axis, axis + 1), (0, 1))


def _slide(
    source: Words, free: Words, out: Words, *, rank_step: int, file_step: int
) -> None:
    """Add to `out` what slides back from `source`, rank by rank."""
    run = np.zeros_like(source[0])
    onto, off = _kept(-file_step), _kept(file_step)
    ranks = range(7) if rank_step > 0 else range(7, 0, -1)
    for rank in ranks:
        front = source[rank] | run
        run = np.zeros_like(front)
        run[onto] = front[off] & free[rank + rank_step][onto]
        out[rank + rank_step] |= run


def _kept(step: int) -> slice:
    """The ranks or files from which a step stays on the board."""
    return slice(max(0, -step), 8 - max(0, step))
