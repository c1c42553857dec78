"""A position and what its game came to, as far as a count of men needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from solver.laboratory.material import Material

MAX_RECORD_BYTES = 1 << 20
"""A longer line or game is no record; reading it whole could fill the memory."""


class GamePosition(NamedTuple):
    """The men of one position, and the result of the game that it is from.

    Attributes
    ----------
    material : Material
    result : float
        1 if White won, 0.5 for a draw, 0 if Black won.
    """

    material: Material
    result: float


class Unfinished(NamedTuple):
    """A line or a game without a result (`*`): in order, but of no use here.

    Attributes
    ----------
    source : str
        `file:line`.
    """

    source: str


RESULTS = {"1-0": 1.0, "1/2-1/2": 0.5, "1/2": 0.5, "0-1": 0.0}
"""What PGN and EPD write, seen by White."""

UNFINISHED = "*"
"""What they write for a game that was not played to an end."""
