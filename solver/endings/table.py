"""The table of an ending: how far the mate is, of every position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from solver.endgames.table import REFLECTIONS, pack, unpack

if TYPE_CHECKING:
    from solver.endgames.table import Moves, Words
    from solver.endings.men import Placement

NEVER = 127
"""In place of a number of moves: the attacker does not mate."""

ILLEGAL = -1
"""In place of a number of moves: the side that has moved is in check."""


@dataclass(frozen=True, slots=True)
class Table:
    """The shortest mates of an ending.

    Attributes
    ----------
    attacker_nodes, defender_nodes : ndarray of int8, shape (10, 64, ..., 64)
        The attacker's moves to mate, `NEVER` or `ILLEGAL`, by the place of its king in
        the triangle, the squares of the men, the square of the defender's king; with
        the attacker, with the defender to move.
    """

    attacker_nodes: Moves
    defender_nodes: Moves

    @property
    def longest(self) -> int:
        """The longest mate, in the attacker's moves; 0 where there is none."""
        mates = self.attacker_nodes[self.attacker_nodes != NEVER]
        return max(0, int(mates.max()))

    def won(self, moves: int) -> Words:
        """Give the defender nodes that are mate within so many moves."""
        nodes = self.defender_nodes
        return pack((nodes != ILLEGAL) & (nodes <= moves))

    def open(self, moves: int) -> Words:
        """Give the attacker nodes that are no mate within so many moves."""
        return pack(self.attacker_nodes > moves)

    def moves(self, placement: Placement, *, attacking: bool) -> int:
        """Give the number of a position: moves to mate, `NEVER` or `ILLEGAL`."""
        reflection = REFLECTIONS[placement.king]
        image = reflection.image_of
        images = [image[square] for square in placement.squares]
        nodes = self.attacker_nodes if attacking else self.defender_nodes
        # Several times as fast as indexing an array with arrays or numbers.
        return nodes.item(reflection.place, *images, image[placement.target])


def blank(legal: Words) -> Moves:
    """Begin a table: no mate is known of any legal position."""
    return np.where(unpack(legal), np.int8(NEVER), np.int8(ILLEGAL))
