"""Words for how a claim compares with the answer that was found."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from solver.problem import Claim


class Verdict(StrEnum):
    """How one claim compares with its answer."""

    PROVED = "proved"
    """The claimed mate exists and none is shorter; or no mate exists, as claimed."""

    HOLDS = "holds"
    """The claimed mate exists; a shorter one is not excluded.

    Help play: so do the claimed solutions; others are not excluded."""

    SHORTER = "shorter"
    """There is a shorter mate than claimed."""

    REFUTED = "refuted"
    """Proved: no mate in the claimed number of moves, or a mate if none is claimed."""

    UNDECIDED = "undecided"
    """A limit was hit before the claim was proved or refuted."""

    UNREADABLE = "unreadable"
    """The record could not be parsed."""


class Soundness(StrEnum):
    """How the keys and the claimed line compare with the answer."""

    SOUND = "sound"
    """One key, or exactly the claimed ones, and no fault in the line.

    Help play: as many solutions as claimed."""

    COOKED = "cooked"
    """There are more keys, or solutions, than claimed."""

    SHORT_SOLUTION = "short-solution"
    """There is a shorter mate than claimed."""

    NO_SOLUTION = "no-solution"
    """There is no mate in the claimed number of moves."""

    MISSING_SOLUTION = "missing-solution"
    """A claimed key, or the first move of the line, does not solve.

    Help play: the claimed line is no solution, or there are fewer than claimed."""

    NOT_SHORTEST_LINE = "not-shortest-line"
    """The line takes longer than the mate, or does not end in mate."""


def claimed_first_moves(claim: Claim) -> tuple[str, ...]:
    """Return the claimed keys, or else the first move of the claimed line."""
    return claim.keys or claim.line[:1]


def allows_all_mates(claim: Claim, mate: int | None) -> bool:
    """Return whether the source accepts every mating move at this point of the line."""
    return mate == 1 and claim.any_last_move
