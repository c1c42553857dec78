"""The genres of problems: mate, battle and help play, and what is special to each.

`genre_of` returns the object for a stipulation; other rooms need not know its genre.
`solver.problem` has the value: text and numbers. `genre.py` has what all genres do,
`solving_moves.py` their moves in a search's memory.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from solver.kernel.border import parts, search_struct
from solver.kernel.build.loader import load_part
from solver.problem import MATE, Claim, Goal, Limits, Play, Problem, Stipulation
from solver.stipulations import genre

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.certificate.build import Budget
    from solver.endgames.tablebases import Tablebases
    from solver.search.queries import Question
    from solver.search.threads import Control
    from solver.search.workspaces import Workspace
    from solver.solution import Solution
    from solver.stipulations.solving_moves import Replies

# Direct mate


class Mate(genre.Genre):
    """The attacker mates; a claim or an answer may also be that it is mated."""

    has_certificates = True
    has_tablebases = True
    has_restrictions = True
    warns_of_draws = True

    def consult(self, tablebases: Tablebases, question: Question) -> Solution | None:
        """Return the tablebases' answer; None if they have none."""
        from solver.search.endgame import consult_tablebases

        return consult_tablebases(tablebases, question)

    def length_name(self, moves: int) -> str:
        """Name a length; a negative one means that the side to move is mated."""
        return genre.name_mate(moves)

    def claim_name(self, moves: int) -> tuple[int, str]:
        """Return rank and name of a claim, mates of the side to move last."""
        return genre.rank_of("#" if moves > 0 else "", abs(moves)), f"#{moves}"

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


# Self-, reflex and stalemate play and exact mates

BATTLE_PLAYS = {
    (Play.DIRECT, Goal.STALEMATE): search_struct.BattlePlay.STALEMATE,
    (Play.SELF, Goal.MATE): search_struct.BattlePlay.SELF_MATE,
    (Play.SELF, Goal.STALEMATE): search_struct.BattlePlay.SELF_STALEMATE,
    (Play.REFLEX, Goal.MATE): search_struct.BattlePlay.REFLEX,
    (Play.SEMI_REFLEX, Goal.MATE): search_struct.BattlePlay.SEMI_REFLEX,
    (Play.REFLEX, Goal.STALEMATE): search_struct.BattlePlay.REFLEX_STALEMATE,
    (Play.SEMI_REFLEX, Goal.STALEMATE): search_struct.BattlePlay.SEMI_REFLEX_STALEMATE,
}


class Battle(genre.Genre):
    """The attacker forces its goal."""

    def __init__(self, stipulation: Stipulation) -> None:
        super().__init__(stipulation)
        self.defender_ends = stipulation.play is not Play.DIRECT
        self.defender_must_end = stipulation.play in (Play.REFLEX, Play.SEMI_REFLEX)
        self.attacker_must_end = stipulation.play is Play.REFLEX
        self.play = (
            search_struct.BattlePlay.EXACT_MATE
            if stipulation.exact
            else BATTLE_PLAYS[stipulation.play, stipulation.goal]
        )

    def part(self) -> parts.Part:
        """Return the compiled part of the kernel that searches it."""
        return parts.BATTLE

    def replies(self, workspace: Workspace, budget: Budget) -> Replies:
        """Return the object that finds the play's moves in a search's memory."""
        from solver.stipulations.solving_moves import Replies

        workspace.search.play = self.play
        return Replies(workspace, budget, load_part(self.part()).kernel)


# Help play

SPARE_SOLUTIONS = 100
"""An audit of a help problem ends after this many more solutions than claimed."""


class Help(genre.Genre):
    """The side that ends the play is the attacker; there are no keys."""

    has_variations = False

    def part(self) -> parts.Part:
        """Return the compiled part of the kernel that searches it."""
        return parts.HELP

    def list_solutions(
        self, workspace: Workspace, question: Question, control: Control
    ) -> Solution:
        """Find all solutions, the shortest first."""
        from solver.stipulations.solving_moves import search_solutions

        return search_solutions(workspace, question, control)

    def main_line(self, solution: Solution) -> tuple[str, ...]:
        """Return no line, because all solutions are printed below the answer."""
        return ()

    def numbered_line(self, fen: str, moves: Iterable[str]) -> list[str]:
        """Write a line in SAN; the side that is mated begins each number."""
        return genre.numbered_line(fen, moves, half=self.stipulation.half)

    def verdict(self, claim: Claim, answer: Solution) -> genre.Verdict:
        """Return the verdict on the length of the solutions.

        Their number matters only if a limit leaves it open, or if no number is claimed.
        """
        claimed, found = self.claimed_solutions(claim), len(answer.solutions)
        if answer.mate is None and answer.lower_bound > claim.mate:
            return genre.Verdict.REFUTED if claimed else genre.Verdict.PROVED
        if not found:
            return genre.Verdict.UNDECIDED
        if not claimed:
            return genre.Verdict.REFUTED
        if answer.mate is not None and answer.mate < claim.mate:
            return genre.Verdict.SHORTER
        if not answer.solutions_complete and found < claimed:
            return genre.Verdict.UNDECIDED
        is_shortest = answer.lower_bound == claim.mate
        is_decided = answer.solutions_complete or found > claimed
        return (
            genre.Verdict.PROVED if is_shortest and is_decided else genre.Verdict.HOLDS
        )

    def first_moves(self, answer: Solution) -> tuple[str, ...] | None:
        """Return the first moves of the solutions; None if there may be others."""
        if not answer.solutions_complete:
            return None
        return tuple(line[0] for line in answer.solutions)

    def soundness(
        self,
        verdict: genre.Verdict | None,
        claim: Claim,
        answer: Solution,
        *,
        is_slow_line: bool,
    ) -> genre.Soundness | None:
        """Compare number and moves of the solutions with the claim."""
        claimed, found = self.claimed_solutions(claim), len(answer.solutions)
        if verdict is genre.Verdict.REFUTED:
            return genre.Soundness.NO_SOLUTION if claimed else genre.Soundness.COOKED
        if not claimed:
            return genre.Soundness.SOUND if verdict is genre.Verdict.PROVED else None
        if answer.mate != claim.mate:  # shorter, which --within accepts
            return None
        if answer.solutions_complete and (
            found < claimed
            or self.wrong_keys(claim, answer)
            or _is_no_solution(claim, answer)
        ):
            return genre.Soundness.MISSING_SOLUTION
        if found > claimed:
            return genre.Soundness.COOKED
        return genre.Soundness.SOUND if verdict is genre.Verdict.PROVED else None

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


# The genre of a stipulation

_GENRES: dict[tuple[Play, Goal], type[genre.Genre]] = {
    (Play.HELP, Goal.MATE): Help,
    (Play.HELP, Goal.STALEMATE): Help,
}


def genre_of(stipulation: Stipulation) -> genre.Genre:
    """Return the object for a stipulation."""
    return _MATE if stipulation is MATE else _made(stipulation)


@lru_cache
def _made(stipulation: Stipulation) -> genre.Genre:
    if stipulation.is_direct_mate:
        return Mate(stipulation)
    return _GENRES.get((stipulation.play, stipulation.goal), Battle)(stipulation)


_MATE = _made(MATE)
"""The genre of most rows, which each need it several times; hashing would take
longer."""
