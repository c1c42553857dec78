"""Direct mate, `#n` or without a number: the question of the mate search."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from solver.stipulations.kind import Kind, name_mate, rank_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.endgames.tablebases import Tablebases
    from solver.problem import Claim, Limits, Problem
    from solver.search.question import Question
    from solver.solution import Solution


class Mate(Kind):
    """The attacker mates; a claim or an answer may also be that it is mated."""

    has_certificates = True
    warns_of_draws = True

    def consult(self, tablebases: Tablebases, question: Question) -> Solution | None:
        """Return the tablebases' answer; None if they have none."""
        from solver.search.endgame import consult_tablebases

        return consult_tablebases(tablebases, question)

    def length_name(self, moves: int) -> str:
        """Name a length; a negative one means that the side to move is mated."""
        return name_mate(moves)

    def claim_name(self, moves: int) -> tuple[int, str]:
        """Return rank and name of a claim, mates of the side to move last."""
        return rank_of("#" if moves > 0 else "", abs(moves)), f"#{moves}"

    def with_solution(
        self,
        problem: Problem,
        found: Claim,
        solutions: Sequence[tuple[str, ...]] | None,
    ) -> Problem:
        """Return a problem that claims a mate, without keys for the mated side."""
        keys = found.keys if found.mate > 0 else ()
        return replace(problem, claim=replace(found, keys=keys))

    def without_solution(self, problem: Problem, excluded: int) -> Problem:
        """Return a problem that claims no mate within the proved number of moves."""
        return replace(problem, no_mate=excluded if excluded > 0 else None)

    def searched_line(self, claim: Claim) -> tuple[str, ...]:
        """Return the claimed line up to the length of the claimed mate."""
        return claim.line[: 2 * claim.mate - 1] if claim.mate > 0 else ()

    def limits(
        self, problem: Problem, limits: Limits, *, within: bool
    ) -> tuple[Limits, int | None]:
        """Return how far to search: up to the claimed length, or up to the limits."""
        claimed = problem.claim.mate if problem.claim else problem.no_mate
        if problem.claim and within:
            return limits, claimed
        if claimed and limits.max_moves is None:
            return limits.with_lengths(abs(claimed)), None
        return limits, None
