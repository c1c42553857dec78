"""Help play: both sides reach the goal together, and every solution counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from solver.errors import InputError
from solver.problem import Claim
from solver.stipulations.comparison import Soundness, Verdict
from solver.stipulations.kind import MATE_OPTIONS, Choice, Kind, numbered_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.kernel.border.parts import Part
    from solver.problem import Limits, Problem
    from solver.search.question import Question
    from solver.search.threads import Control
    from solver.search.workspace import Workspace
    from solver.solution import Solution


SPARE_SOLUTIONS = 100
"""An audit of a help problem ends after this many more solutions than claimed."""


class Help(Kind):
    """The side that ends the play is the attacker; there are no keys."""

    unused_options = (
        *("--no-threats", "--all-defences", "--depth", "--tries"),
        *MATE_OPTIONS,
    )

    def part(self) -> Part:
        """Return the compiled part of the kernel that searches it."""
        from solver.kernel.border.parts import HELP

        return HELP

    def list_solutions(
        self, workspace: Workspace, question: Question, control: Control
    ) -> Solution:
        """Find all solutions, the shortest first."""
        from solver.stipulations.solutions import search_solutions

        return search_solutions(workspace, question, control)

    def require_variations(self) -> None:
        """Raise InputError, because the play is a list of solutions."""
        expected = "problem: expected a stipulation with variations"
        msg = f"{expected}, found {self.stipulation}"
        raise InputError(msg)

    def choose(self, tree: Choice, solutions: Choice) -> Choice:
        """Return `solutions`."""
        return solutions

    def main_line(self, solution: Solution) -> tuple[str, ...]:
        """Return no line, because all solutions are printed below the answer."""
        return ()

    def numbered_line(self, fen: str, moves: Iterable[str]) -> list[str]:
        """Write a line in SAN; the side that is mated begins each number."""
        return numbered_line(fen, moves, half=self.stipulation.half)

    def verdict(self, claim: Claim, answer: Solution) -> Verdict:
        """Return the verdict on the length of the solutions.

        Their number matters only if a limit leaves it open, or if no number is claimed.
        """
        claimed, found = self.claimed_solutions(claim), len(answer.solutions)
        if answer.mate is None and answer.lower_bound > claim.mate:
            return Verdict.REFUTED if claimed else Verdict.PROVED
        if not found:
            return Verdict.UNDECIDED
        if not claimed:
            return Verdict.REFUTED
        if answer.mate is not None and answer.mate < claim.mate:
            return Verdict.SHORTER
        if not answer.solutions_complete and found < claimed:
            return Verdict.UNDECIDED
        is_shortest = answer.lower_bound == claim.mate
        is_decided = answer.solutions_complete or found > claimed
        return Verdict.PROVED if is_shortest and is_decided else Verdict.HOLDS

    def first_moves(self, answer: Solution) -> tuple[str, ...] | None:
        """Return the first moves of the solutions; None if there may be others."""
        if not answer.solutions_complete:
            return None
        return tuple(line[0] for line in answer.solutions)

    def soundness(
        self,
        verdict: Verdict | None,
        claim: Claim,
        answer: Solution,
        *,
        is_slow_line: bool,
    ) -> Soundness | None:
        """Compare number and moves of the solutions with the claim."""
        claimed, found = self.claimed_solutions(claim), len(answer.solutions)
        if verdict is Verdict.REFUTED:
            return Soundness.NO_SOLUTION if claimed else Soundness.COOKED
        if not claimed:
            return Soundness.SOUND if verdict is Verdict.PROVED else None
        if answer.mate != claim.mate:  # shorter, which --within accepts
            return None
        if answer.solutions_complete and (
            found < claimed
            or self.wrong_keys(claim, answer)
            or _is_no_solution(claim, answer)
        ):
            return Soundness.MISSING_SOLUTION
        if found > claimed:
            return Soundness.COOKED
        return Soundness.SOUND if verdict is Verdict.PROVED else None

    def claimed_solutions(self, claim: Claim) -> int:
        """Return how many solutions are claimed; without a number: one.

        Several claimed first moves claim a solution each.
        """
        return max(1, len(claim.keys)) if claim.solutions is None else claim.solutions

    def solutions(self, answer: Solution) -> tuple[tuple[str, ...], ...]:
        """Return the solutions that were found."""
        return answer.solutions

    def limits(
        self, problem: Problem, limits: Limits, *, within: bool
    ) -> tuple[Limits, int | None]:
        """Return how far to search: beyond the claimed number of solutions."""
        most = None
        if problem.claim:
            most = self.claimed_solutions(problem.claim) + SPARE_SOLUTIONS
        return limits.with_lengths(max_solutions=most), None

    def with_solution(
        self,
        problem: Problem,
        found: Claim,
        solutions: Sequence[tuple[str, ...]] | None,
    ) -> Problem:
        """Return a problem that claims the number of solutions, if it is known."""
        number = None
        if solutions is not None:
            plies = self.stipulation.with_attacker_moves(found.mate).plies
            number = sum(len(line) == plies for line in solutions)
        claim = Claim(found.mate, solutions=number)
        return super().with_solution(problem, claim, solutions)

    def without_solution(self, problem: Problem, excluded: int) -> Problem | None:
        """Return a problem that claims no solutions; None if that is not proved."""
        moves = self.stipulation.attacker_moves
        if excluded < moves:
            return None
        claim = Claim(moves, solutions=0)
        return replace(problem, claim=claim, stipulation=self.stipulation)

    def is_sound(self, solution: Solution) -> bool:
        """Return whether exactly the claimed number of solutions is proved."""
        claim = solution.problem.claim
        wanted = claim.solutions if claim else None
        plies = self.stipulation.plies
        return (
            solution.solutions_complete
            and len(solution.solutions) == (1 if wanted is None else wanted)
            and all(len(line) == plies for line in solution.solutions)
        )


def _is_no_solution(claim: Claim, answer: Solution) -> bool:
    """Return whether no solution begins with the claimed line."""
    line = claim.line
    return all(solution[: len(line)] != line for solution in answer.solutions)
