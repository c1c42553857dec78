"""Hand-made node counts with exactly known summaries."""

from __future__ import annotations

from dataclasses import replace

from solver.kernel.border.scored_struct import MATE_SCORE
from solver.laboratory import node_counts, techniques
from solver.problem import Claim, Problem

OFF, CPW = techniques.combine(["off", "cpw"], ["off"], ["off"], ["off"])
(EFP,) = techniques.combine(["off"], ["off"], ["on"], ["off"])
(CHECKS,) = techniques.combine(["off"], ["all"], ["off"], ["off"])
ENTRIES = 1 << 18
ELSEWHERE = "8/8/8/8/8/5K2/R7/7k w - - 0 1"

M2 = MATE_SCORE - 3
MATED_IN_2 = 4 - MATE_SCORE


def iteration(
    variant: techniques.Variant, depth: int, score: int, nodes: int, nodes_total: int
) -> techniques.Iteration:
    """An iteration; only a sound search proves its mate."""
    mate = techniques.mate_distance(score)
    is_sound = mate is None or variant.techniques.is_sound
    settled = (
        mate is not None and is_sound and techniques.excludes_shorter(mate, depth - 1)
    )
    return techniques.Iteration(
        depth, score, "h7g6", nodes, nodes_total, is_sound, settled
    )


def series(
    variant: techniques.Variant, *rows: tuple[int, int, int]
) -> node_counts.Series:
    """Iterations from (score, nodes, total nodes), the first at depth 1."""
    iterations = [iteration(variant, depth, *row) for depth, row in enumerate(rows, 1)]
    return node_counts.Series(variant, tuple(iterations))


POSITION = node_counts.PositionCounts(
    ELSEWHERE,
    depth=4,
    table_entries=ENTRIES,
    series=(
        series(OFF, (596, 4, 19), (586, 30, 58), (-5, 1234, 2000), (M2, 12345, 20000)),
        series(CPW, (596, 4, 19), (586, 30, 58), (-5, 1234, 2000), (M2, 9876, 10000)),
    ),
)

GLASS_POSITION = replace(POSITION, fen=node_counts.GLASS_FEN)

_OFF_SERIES, _CPW_SERIES = POSITION.series
_CUT_SERIES = replace(_CPW_SERIES, iterations=_CPW_SERIES.iterations[:3])
CUT_POSITION = replace(POSITION, series=(_OFF_SERIES, _CUT_SERIES))

MIXED_POSITION = node_counts.PositionCounts(
    ELSEWHERE,
    depth=2,
    table_entries=0,
    series=(
        series(OFF, (10, 20, 30), (20, 200, 300)),
        series(CHECKS, (10, 22, 33), (M2, 150, 300)),
        series(EFP, (10, 20, 30), (M2, 100, 200)),
    ),
)

FOUND = techniques.Outcome(
    2, settled=True, proved=True, nodes=1000, nodes_total=1500, complete=True
)
NONE = techniques.Outcome(
    None, settled=False, proved=False, nodes=0, nodes_total=900, complete=True
)
STOPPED = replace(NONE, nodes_total=5000, complete=False)
UNPROVED = replace(NONE, mate=3, nodes=70, nodes_total=90)
OPEN = replace(UNPROVED, proved=True, nodes=80, nodes_total=99)


def problem_counts(
    name: str, claim: int | None, *outcomes: techniques.Outcome
) -> node_counts.ProblemCounts:
    claimed = Claim(claim) if claim is not None else None
    return node_counts.ProblemCounts(
        Problem(ELSEWHERE, name, claimed, f"x.epd:{name}"), 4, outcomes
    )


COLLECTION = node_counts.CollectionCounts(
    ENTRIES,
    (OFF, EFP),
    (
        problem_counts("alike", 2, FOUND, replace(FOUND, nodes=250)),
        problem_counts(
            "dearer", 2, FOUND, replace(FOUND, nodes=4000, nodes_total=4100)
        ),
        problem_counts("overlooked", 2, FOUND, NONE),
        problem_counts("invented", None, NONE, UNPROVED),
        problem_counts("cut", 2, FOUND, STOPPED),
        problem_counts("longer", None, FOUND, OPEN),
    ),
    problems=6,
    files=(node_counts.CollectionFile("x.epd", 6),),
)

SEVERAL_FILES = replace(
    COLLECTION,
    files=(
        node_counts.CollectionFile("x.epd", 4),
        node_counts.CollectionFile('"b", <i>.epd', 2),
    ),
)
