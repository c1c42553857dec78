"""The scored search's switches as the numbers that the kernel knows.

This module knows neither numba nor numpy.
"""

from __future__ import annotations

from enum import Flag, IntEnum, IntFlag, auto


class MdpForm(IntFlag):
    """Forms of mate-distance pruning; `solver.kernel.mate_distance` tells of them."""

    OFF = 0
    UPPER = 1
    LOWER = 2
    CPW = UPPER | LOWER
    NEXT_PLY = 4
    TIGHT = CPW | NEXT_PLY
    VIPERMATE = 8


class Extension(Flag):
    """Which moves cost no depth."""

    NONE = 0
    CHECKS = auto()
    CAPTURING_CHECKS = auto()
    PROMOTIONS = auto()


class MipUse(Flag):
    """What a material-imbalance table is used for."""

    NONE = 0
    REDUCTION = auto()
    """A node whose material has always lost, or won, is searched a ply less deep."""
    PRUNING = auto()
    """Such a node is not searched."""
    LAZY = auto()
    """At the horizon, material and what it scored stand for the evaluation."""
    CORRECTION = auto()
    """What the material scored is added to the evaluation."""


class PrunedNodes(IntEnum):
    """Where forward pruning is tried."""

    NONE = 0
    CUT = 1
    CUT_AND_ALL = 2


MULTI_CUT_REDUCTION = 2
"""Plies that multi-cut's searches are shallower than the node's own."""
