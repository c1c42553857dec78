"""Help play: both sides reach the goal together, and every solution counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.problem import Claim
from solver.solution import Status
from solver.stipulations.kind import Kind
from solver.stipulations.words import numbered_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.problem import Problem
    from solver.solution import Solution


class Help(Kind):
    """The side that ends the play is the attacker; there are no keys."""

    lists_solutions = True

    def headline(self, solution: Solution) -> str:
        """Return the sentence with the number of solutions."""
        problem, goal = solution.problem, self.goal
        length = str(self.stipulation).partition(self.stipulation.goal)[2]
        if not solution.solutions:
            if solution.status is Status.DISPROVED:
                return f"No {goal} in {length}."
            return f"Undecided: no {goal} in {length} found so far."
        count = len(solution.solutions)
        several = f"{count:,} solution{'s' if count > 1 else ''}"
        if not solution.solutions_complete:
            several += " found so far"
        wanted = problem.claim.solutions if problem.claim else None
        if wanted is not None and wanted != count:
            several += f", {wanted:,} stipulated"
        return f"{goal.capitalize()} in {length}: {several}."

    def proof(self, solution: Solution) -> str:
        """Return whether there are other solutions."""
        if solution.solutions and solution.solutions_complete:
            return "Proved: there are no others."
        if solution.solutions:
            return "There may be others."
        is_disproved = solution.status is Status.DISPROVED
        return "Proved." if is_disproved else "Proved: nothing yet."

    def main_line(self, solution: Solution) -> tuple[str, ...]:
        """Return none: all solutions are printed below the answer."""
        return ()

    def numbered_line(self, fen: str, moves: Iterable[str]) -> list[str]:
        """Write a line in SAN: the side that is mated begins each number."""
        return numbered_line(fen, moves, half=self.stipulation.half)

    def with_solution(
        self,
        problem: Problem,
        found: Claim,
        solutions: Sequence[tuple[str, ...]] | None,
    ) -> Problem:
        """Return a problem that claims the number of solutions, if that is known."""
        number = None
        if solutions is not None:
            plies = self.stipulation.with_attacker_moves(found.mate).plies
            number = sum(len(line) == plies for line in solutions)
        claim = Claim(found.mate, solutions=number)
        return super().with_solution(problem, claim, solutions)

    def is_sound(self, solution: Solution) -> bool:
        """Return whether the claimed number of solutions is proved, none shorter."""
        claim = solution.problem.claim
        wanted = claim.solutions if claim else None
        plies = self.stipulation.plies
        return (
            solution.solutions_complete
            and len(solution.solutions) == (1 if wanted is None else wanted)
            and all(len(line) == plies for line in solution.solutions)
        )
