"""The cost of certificates by length of mate: python -m tests.benchmarks.certificates.

Reads positions with a claim from files or standard input, solves and certifies each,
and runs the checker. Prints medians, with the maximum in brackets.
"""

from __future__ import annotations

import gzip
import io
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from solver.certificate.build import certify
from solver.certificate.proving import WorkspaceProver
from solver.checker import check, load
from solver.formats.registry import read_collection
from solver.problem import Limits, Problem
from solver.search.workspace import Workspace
from solver.solving import Solver

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HASH_MIB = 128
TIME_S = 60


@dataclass(frozen=True)
class Cost:
    """The cost of one certificate."""

    mate_nodes: int
    refutation_nodes: int
    positions: int
    kilobytes: float
    compressed_kilobytes: float
    solving_s: float
    building_s: float
    checking_s: float


def measure(problem: Problem) -> Cost | None:
    """Certify one position; None unless the shortest mate is proved by both parts."""
    solution = Solver(HASH_MIB).solve(problem, Limits(time_s=TIME_S), all_keys=False)
    workspace = Workspace(HASH_MIB)
    workspace.begin(None)
    started = time.perf_counter()
    certificate = certify(solution, WorkspaceProver(workspace)).certificate
    if not certificate or not certificate.mate:
        return None
    data = certificate.encode()
    built = time.perf_counter()
    checked = check(load(io.BytesIO(data)))
    ended = time.perf_counter()
    if checked.mate is None or abs(checked.mate) != checked.lower_bound:
        return None
    refutation = certificate.refutation or {"nodes": ()}
    return Cost(
        mate_nodes=len(certificate.mate["nodes"]),
        refutation_nodes=len(refutation["nodes"]),
        positions=checked.positions,
        kilobytes=len(data) / 1000,
        compressed_kilobytes=len(gzip.compress(data, 6)) / 1000,
        solving_s=solution.stats.time_s,
        building_s=built - started,
        checking_s=ended - built,
    )


def main(files: Sequence[str]) -> None:
    """Print a row of a Markdown table for each length of mate."""
    costs: defaultdict[int, list[Cost | None]] = defaultdict(list)
    for file in files:
        for problem in read_collection(file):
            assert isinstance(problem, Problem)
            assert problem.claim is not None
            costs[abs(problem.claim.mate)].append(measure(problem))
    for moves, all_of in sorted(costs.items()):
        proved = [cost for cost in all_of if cost]
        row = [f"{moves}", f"{len(proved)} of {len(all_of)}"]

        def summary(
            of: Callable[[Cost], float], form: str, costs: list[Cost] = proved
        ) -> str:
            values = [of(cost) for cost in costs]
            return f"{median(values):{form}} ({max(values):{form}})"

        if proved:
            row += [
                summary(lambda cost: cost.mate_nodes, ",.0f"),
                summary(lambda cost: cost.refutation_nodes, ",.0f"),
                summary(lambda cost: cost.positions, ",.0f"),
                summary(lambda cost: cost.kilobytes, ",.1f"),
                summary(lambda cost: cost.compressed_kilobytes, ",.1f"),
                summary(lambda cost: cost.solving_s, ".2f"),
                summary(lambda cost: cost.building_s, ".2f"),
                summary(lambda cost: cost.checking_s, ".2f"),
            ]
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main(sys.argv[1:] or ["-"])
