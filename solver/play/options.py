"""The question about the play of a problem; this module imports nothing else."""

from __future__ import annotations

from typing import NamedTuple

MOST_MOVES = 50_000
"""Moves of both sides in a tree: usually enough for the play of a mate in four."""

TIME_S = 60.0


class PlayOptions(NamedTuple):
    """Which play is wanted, and what it may cost.

    Attributes
    ----------
    set_play : bool
        Show what would follow if the defender began.
    tries : int
        Show first moves that at most this many defences refute; 0: no tries.
    threats : bool
        Look for threats, and leave out defences that change nothing about them.
    all_defences : bool
        Show these defences too.
    depth : int or None
        Show at most this many moves of the attacker; None: all.
    most_moves : int
        The greatest number of moves of both sides, not counting the main line.
    time_s : float
        Seconds to build the tree.
    """

    set_play: bool = False
    tries: int = 0
    threats: bool = True
    all_defences: bool = False
    depth: int | None = None
    most_moves: int = MOST_MOVES
    time_s: float = TIME_S
