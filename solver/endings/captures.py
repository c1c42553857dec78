"""Captures taken back: they lead into the ending without the man that is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess
import numpy as np

from solver.endgames.table import REFLECTIONS, TRIANGLE, lay
from solver.endings.geometry import BETWEEN, KING_STEPS, has_square, sight

if TYPE_CHECKING:
    from solver.endgames.table import Words
    from solver.endings.men import Men

_KINGS = np.array(TRIANGLE)


def captured_by_target(smaller: Words, victim: int) -> Words:
    """Take back what the defender's king takes.

    Parameters
    ----------
    smaller : ndarray of uint64
        The positions, without the man taken, that the captures lead to.
    victim : int
        The axis of that man in the larger ending.

    Returns
    -------
    ndarray of uint64
        A set of the larger ending; some of its positions may be illegal.
    """
    dimensions = smaller.ndim + 1
    squares = lay(np.arange(64, dtype=np.uint64), [victim], dimensions)
    taken = has_square(np.expand_dims(smaller, victim), squares)
    return taken & lay(KING_STEPS, [victim], dimensions)


def captured_by_king(smaller: Words, victim: int) -> Words:
    """Take back what the attacker's king takes; see `captured_by_target`."""
    shape = list(smaller.shape)
    shape.insert(victim, 64)
    before = np.zeros(shape, np.uint64)
    by_square = np.moveaxis(before, victim, 1)
    for place, origin in enumerate(TRIANGLE):
        for square in chess.SquareSet(chess.BB_KING_ATTACKS[origin]):
            by_square[place, square] = REFLECTIONS[square].unfold(smaller)
    return before


def captured_by_man(smaller: Words, victim: int, axis: int, men: Men) -> Words:
    """Take back what a man takes; see `captured_by_target`.

    Parameters
    ----------
    smaller, victim
        As there; no men are left but the one that takes.
    axis : int
        The axis of that one in the larger ending.
    men : Men
        The two men of the larger ending.
    """
    seen = sight(men[axis - 1].kind)
    reach = has_square(seen[:, _KINGS, None], np.arange(64, dtype=np.uint64))
    return (
        lay(reach, [axis, 0, victim], 3)
        & lay(~BETWEEN, [axis, victim], 3)
        & lay(smaller, [0, victim], 3)
    )
