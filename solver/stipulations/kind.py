"""What the other rooms call for any stipulation: here, for play by force.

In play by force, one side, the attacker, reaches the goal against every defence. `Mate`
and `Battle` differ from this in little, `Help` in most.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from solver.solution import Status
from solver.stipulation import Play
from solver.stipulations import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.problem import Claim, Problem
    from solver.solution import Solution
    from solver.stipulation import Stipulation

PLAYS = {
    Play.DIRECT: "",
    Play.SELF: "self",
    Play.REFLEX: "reflex",
    Play.SEMI_REFLEX: "semi-reflex",
    Play.HELP: "help",
}

ORDER = ("#", "", "no #", "=", "s#", "s=", "r#", "semi-r#", "h#", "h=", "none")
"""Claims in the order of the audit table: first mates by the side to move, then mates
of it, then claims of no mate."""

_RANKS = 1_000
"""Ranks of each of these: more than the half-moves of any."""


def rank_of(claim: str, length: int) -> int:
    """Return a number by which to sort one of the claims in `ORDER`."""
    return ORDER.index(claim) * _RANKS + length


class Kind:
    """What a stipulation does.

    Attributes
    ----------
    stipulation : Stipulation
    lists_solutions : bool
        Whether the answer is a list of solutions, instead of keys with a tree of play.
    """

    lists_solutions: ClassVar = False

    def __init__(self, stipulation: Stipulation) -> None:
        self.stipulation = stipulation

    # Words

    @property
    def goal(self) -> str:
        """What the play ends with: "mate", "stalemate", "selfmate", "helpmate"."""
        return PLAYS[self.stipulation.play] + words.GOALS[self.stipulation.goal]

    def headline(self, solution: Solution) -> str:
        """Return the sentence with the answer."""
        return words.headline(solution, self.goal)

    def proof(self, solution: Solution) -> str:
        """Return the sentences on what is proved."""
        return words.proof(solution, self.goal)

    def main_line(self, solution: Solution) -> tuple[str, ...]:
        """Return the line that is printed with the answer; empty: none."""
        return solution.pv

    def length_name(self, moves: int) -> str:
        """Name a claimed or found length, in moves of the attacker."""
        return str(self.stipulation.with_attacker_moves(moves))

    def claim_name(self, moves: int) -> tuple[int, str]:
        """Return a rank by which to sort a claim of this length, and its name."""
        asked = self.stipulation
        half_moves = 2 * asked.moves + asked.half
        return rank_of(f"{asked.play}{asked.goal}", half_moves), str(asked)

    # Notation

    def numbered_line(self, fen: str, moves: Iterable[str]) -> list[str]:
        """Write a line in SAN with move numbers.

        Parameters
        ----------
        fen : str
            The position at the start of the line.
        moves : iterable of str
            The moves of the line, all legal, in UCI notation.
        """
        return words.numbered_line(fen, moves)

    # Claims

    def with_solution(
        self,
        problem: Problem,
        found: Claim,
        solutions: Sequence[tuple[str, ...]] | None,
    ) -> Problem:
        """Return a problem that claims what was found.

        Parameters
        ----------
        problem : Problem
            A position that claims nothing.
        found : Claim
            Moves, keys and line of the solution.
        solutions : sequence of tuple of str or None
            All solutions of help play; None: they are not known.
        """
        demanded = self.stipulation.with_attacker_moves(found.mate)
        return replace(problem, claim=found, stipulation=demanded)

    def without_solution(self, problem: Problem, excluded: int) -> Problem:
        """Return a problem that claims no solution; `excluded` moves are too few."""
        return problem

    def is_sound(self, solution: Solution) -> bool:
        """Return whether a problem has one solution as claimed, and that is proved."""
        claim = solution.problem.claim
        return (
            solution.status is Status.PROVED
            and solution.keys_complete
            and len(solution.keys) == 1
            and (claim is None or claim.mate == solution.mate)
            and not solution.restriction
        )
