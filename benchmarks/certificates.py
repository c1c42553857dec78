"""The cost of certificates by length of mate: python -m benchmarks.certificates.

Reads positions with a claim from files or standard input. Each is solved, certified as
`solve --certificate` does, and checked; a proof that fails the check ends the run.
Prints medians, with the maximum in brackets, and on stderr a line for each position.
Seconds are CPU time.
"""

from __future__ import annotations

import gzip
import io
import sys
import time
from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from solver.certificate.build import certify_last
from solver.checker import check, load
from solver.formats.registry import read_collection
from solver.problem import Limits, Problem
from solver.solving import Control, Solver

if TYPE_CHECKING:
    from collections.abc import Sequence

HASH_MIB = 128
NODES = 150_000_000
"""About 30 s of searching."""


class Cost(NamedTuple):
    """The cost of a certificate; `is_shortest`: it proves that no mate is shorter."""

    is_shortest: bool
    mate_nodes: int
    refutation_nodes: int
    positions: int
    kilobytes: float
    compressed_kilobytes: float
    solving_s: float
    building_s: float
    checking_s: float


FORMS = (*(",.0f",) * 3, *(",.1f",) * 2, *(".2f",) * 3)
"""How the numbers of a `Cost` are written."""


def measure(problem: Problem, solver: Solver) -> Cost | None:
    """Certify and check one position; None if no mate is certified."""
    started = time.process_time()
    solution = solver.solve(problem, Limits(nodes=NODES), keys=False)
    solved = time.process_time()
    certification = certify_last(solution, solver.workspace, Control())
    for notice in certification.left_out:
        print(notice, file=sys.stderr)
    certificate = certification.certificate
    if not certificate or not certificate.mate:
        return None
    data = certificate.encode()
    built = time.process_time()
    checked = check(load(io.BytesIO(data)))
    ended = time.process_time()
    assert checked.mate
    assert solution.mate
    assert abs(checked.mate) <= abs(solution.mate)
    lower_bound = solution.lower_bound if certificate.refutation else 1
    assert checked.lower_bound == lower_bound
    refutation = certificate.refutation or {"nodes": ()}
    return Cost(
        is_shortest=abs(checked.mate) == checked.lower_bound,
        mate_nodes=len(certificate.mate["nodes"]),
        refutation_nodes=len(refutation["nodes"]),
        positions=checked.positions,
        kilobytes=len(data) / 1000,
        compressed_kilobytes=len(gzip.compress(data, 6)) / 1000,
        solving_s=solved - started,
        building_s=built - solved,
        checking_s=ended - built,
    )


def main(files: Sequence[str]) -> None:
    """Print a row of a Markdown table for each length of mate."""
    solver = Solver(HASH_MIB)
    costs: defaultdict[int, list[Cost | None]] = defaultdict(list)
    for file in files:
        for problem in read_collection(file):
            assert isinstance(problem, Problem)
            assert problem.claim is not None
            cost = measure(problem, solver)
            costs[abs(problem.claim.mate)].append(cost)
            print(problem.fen, problem.claim.mate, cost, file=sys.stderr, flush=True)
    for moves, all_of in sorted(costs.items()):
        proved = [cost[1:] for cost in all_of if cost and cost.is_shortest]
        row = [f"{moves}", f"{len(proved)} of {len(all_of)}"]
        row += [
            f"{median(values):{form}} ({max(values):{form}})"
            for form, values in zip(FORMS, zip(*proved, strict=True), strict=False)
        ]
        print("|", " | ".join(row), "|")


if __name__ == "__main__":
    main(sys.argv[1:] or ["-"])
