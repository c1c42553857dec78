"""Answers made by hand, whose descriptions the tests know exactly."""

from __future__ import annotations

from dataclasses import replace

from solver.problem import Claim, Problem
from solver.solution import Solution, Stats, Status, StoppedBy, TableFormat

STATS = Stats(nodes=1234567, time_s=0.4123456789)

PROVED = Solution(
    Problem("5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1", "smothered", Claim(2)),
    Status.PROVED,
    mate=2,
    lower_bound=2,
    keys_complete=True,
    stats=STATS,
)
SMOTHERED = replace(PROVED, pv=("c4g8", "f8g8", "h6f7"), keys=("c4g8",))
SMOTHERED_BY_BLACK = replace(
    PROVED,
    problem=Problem("6k1/8/8/2q5/8/7n/6PP/5R1K b - - 0 1"),
    pv=("c5g1", "f1g1", "h3f2"),
    keys=("c5g1",),
)
MATED = Solution(
    Problem("5rk1/8/8/8/8/7n/6PP/6qK w - - 0 1", claim=Claim(-1)),
    *(Status.PROVED, -1, 1),
    stats=STATS,
)

ROOK = Problem("8/8/8/8/8/5K2/R7/6k1 w - - 0 1")
ROOK_LINE = ("a2a8", "g1h2", "a8a1", "h2h3", "a1h1")

ROOK_FOUND = Solution(
    ROOK,
    Status.FOUND,
    mate=3,
    lower_bound=2,
    pv=ROOK_LINE,
    keys=("a2a8", "a2a7"),
    stopped_by=StoppedBy.TIME,
    stats=STATS,
)

ROOK_DISPROVED = Solution(ROOK, Status.DISPROVED, mate=None, lower_bound=3, stats=STATS)
ROOK_UNDECIDED = Solution(
    *(ROOK, Status.UNDECIDED, None, 1),
    stopped_by=StoppedBy.NODES,
    stats=Stats(1, 0.00004),
)
ROOK_BY_TABLE = replace(
    ROOK_FOUND,
    keys_complete=True,
    stopped_by=StoppedBy.TABLEBASE,
    tablebase=TableFormat.GAVIOTA,
)
