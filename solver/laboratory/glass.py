"""Node counts of the chess engine Glass 1.0, with and without mate-distance pruning.

Published by the Chess Programming Wiki, "Mate Distance Pruning", section "In Practice":
nodes until the principal variation is found, with a table and an ordering of moves that
are Glass's own.
"""

from __future__ import annotations

from dataclasses import dataclass

FEN = "8/7K/8/8/8/8/R7/7k w - - 0 1"
"""A mate in 8."""


@dataclass(frozen=True, slots=True)
class GlassRow:
    """One iteration of Glass.

    Attributes
    ----------
    depth : int
        In plies.
    score : int or str
        Centipawns, or `M8`: mate in 8 moves. The same with and without pruning.
    off, on : int
        Nodes without and with mate-distance pruning.
    """

    depth: int
    score: int | str
    off: int
    on: int


ROWS = (
    GlassRow(1, 1041, 3, 3),
    GlassRow(2, 1041, 23, 23),
    GlassRow(3, 1051, 103, 103),
    GlassRow(4, 1051, 551, 551),
    GlassRow(5, 1055, 2151, 2151),
    GlassRow(6, 1051, 7638, 7638),
    GlassRow(7, 1055, 24353, 24353),
    GlassRow(8, 1065, 62692, 62692),
    GlassRow(9, 1065, 139241, 139241),
    GlassRow(10, 1085, 253338, 253338),
    GlassRow(11, 1085, 409101, 409101),
    GlassRow(12, 1105, 610285, 610285),
    GlassRow(13, 1105, 873959, 873959),
    GlassRow(14, 1105, 1417047, 1417047),
    GlassRow(15, 1105, 1907578, 1907578),
    GlassRow(16, "M8", 2846864, 2547293),
    GlassRow(17, "M8", 3715208, 2819164),
    GlassRow(18, "M8", 4842666, 3092833),
    GlassRow(19, "M8", 6181827, 3368068),
    GlassRow(20, "M8", 7774698, 3643489),
)
"""The published table."""


def glass_row(fen: str, depth: int) -> GlassRow | None:
    """Give what Glass published of a position at a depth, None where it did not."""
    return ROWS[depth - 1] if fen == FEN and 1 <= depth <= len(ROWS) else None
