"""From an answer to its certificate: which parts there are, and which are left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from solver.certificate.case import understand_case
from solver.certificate.document import Certificate
from solver.certificate.limits import Budget, BuildingLimits, TooLargeError
from solver.certificate.proof_trees import build_mate
from solver.certificate.refutation_tree import build_refutation

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.certificate.case import Case
    from solver.certificate.prover import Prover
    from solver.solution import Solution


@dataclass(frozen=True, slots=True)
class Certification:
    """What came of it.

    Attributes
    ----------
    certificate : Certificate or None
        None where nothing is proved, or every part is left out.
    left_out : tuple of str
        A line for each part that a limit left out.
    """

    certificate: Certificate | None
    left_out: tuple[str, ...]


def certify(
    solution: Solution, prover: Prover, limits: BuildingLimits | None = None
) -> Certification:
    """Build the certificate of an answer.

    Parameters
    ----------
    solution : Solution
        What is proved: the mate, and that none takes fewer moves than `lower_bound`.
    prover : Prover
        Proves it once more, node by node.
    limits : BuildingLimits, optional
        What each part may cost.

    Raises
    ------
    BuildingStoppedError
        The prover was told to stop.
    """
    limits = limits or BuildingLimits()
    case = understand_case(solution, prover)
    left_out: list[str] = []
    mate = refutation = None
    if solution.mate is not None:
        budget = Budget(limits.mate_nodes, "nodes", limits.time_s)
        mate = _attempt(build_mate, case, abs(solution.mate), budget, left_out)
    # In a lane the lower bound speaks of the lane alone.
    excluded = 0 if solution.lane else solution.lower_bound - 1
    if excluded > 0:
        budget = Budget(limits.refutation_moves, "moves", limits.time_s)
        refutation = _attempt(build_refutation, case, excluded, budget, left_out)
    certificate = None
    if mate or refutation:
        fen = solution.problem.fen
        certificate = Certificate(fen, case.attacker, mate, refutation)
    return Certification(certificate, tuple(left_out))


def _attempt(
    build: Callable[[Case, int, Budget], dict[str, Any]],
    case: Case,
    moves: int,
    budget: Budget,
    left_out: list[str],
) -> dict[str, Any] | None:
    """Build a part, or note why it is left out."""
    try:
        return build(case, moves, budget)
    except TooLargeError as limit:
        what = "no mate" if build is build_refutation else "mate"
        left_out.append(f"the proof of {what} in {moves} is left out: {limit}")
        return None
