"""Which positions of an ending there are, and which are in check."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solver.endgames.table import TRIANGLE, lay
from solver.endings.geometry import BETWEEN, KING_STEPS, SQUARES, has_square, sight

if TYPE_CHECKING:
    from solver.endgames.table import Words
    from solver.endings.men import Men

_KINGS = np.array(TRIANGLE)
_OTHERS = ~SQUARES


class Ground(NamedTuple):
    """The positions of an ending, as sets.

    Attributes
    ----------
    empty : ndarray of uint64
        All men stand on squares of their own.
    attacker_nodes, defender_nodes : ndarray of uint64
        Legal positions with the attacker, with the defender to move.
    checks : ndarray of uint64
        The defender's king is attacked; those that are not legal may be left out.
    """

    empty: Words
    attacker_nodes: Words
    defender_nodes: Words
    checks: Words


def survey(men: Men) -> Ground:
    """Find out which positions of an ending there are."""
    empty = _empty(len(men))
    apart = empty & lay(~KING_STEPS[_KINGS], [0], empty.ndim)
    checks = np.zeros_like(empty)
    replied = np.zeros_like(empty)
    for axis, man in enumerate(men, 1):
        if man.attacks:
            checks |= _seen(men, axis)
        else:
            replied |= _king_seen(men, axis)
    return Ground(empty, apart & ~checks, apart & ~replied, checks)


def _empty(men: int) -> Words:
    dimensions = men + 1
    empty = np.full((len(TRIANGLE), *[64] * men), ~np.uint64(0))
    empty &= lay(_OTHERS[_KINGS], [0], dimensions)
    unlike = np.where(np.eye(64, dtype=bool), np.uint64(0), ~np.uint64(0))
    for axis in range(1, dimensions):
        empty &= lay(_OTHERS, [axis], dimensions)
        empty &= lay(unlike[_KINGS], [0, axis], dimensions)
        for other in range(1, axis):
            empty &= lay(unlike, [other, axis], dimensions)
    return empty


def _seen(men: Men, axis: int) -> Words:
    """Give the squares that a man attacks, the defender's king left out."""
    dimensions = len(men) + 1
    seen = sight(men[axis - 1].kind)
    words = lay(seen[:, _KINGS], [axis, 0], dimensions)
    for other in range(1, dimensions):
        if other != axis:
            words = words & lay(seen, [axis, other], dimensions)
    return words


def _king_seen(men: Men, axis: int) -> Words:
    """Give the squares of the defender's king where a man attacks the attacker's."""
    dimensions = len(men) + 1
    seen = sight(men[axis - 1].kind)
    aimed = has_square(seen.diagonal()[:, None], _KINGS)
    words = lay(aimed & ~BETWEEN[:, _KINGS], [axis, 0], dimensions)
    for other in range(1, dimensions):
        if other != axis:
            clear = has_square(seen[:, :, None], _KINGS)
            words = words & lay(clear, [axis, other, 0], dimensions)
    return words
