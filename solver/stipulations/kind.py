"""What the other rooms call for any stipulation: here, for play by force.

In play by force, one side, the attacker, reaches the goal against every defence. `Mate`
and `Battle` differ from this in little, `Help` in most.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from solver.solution import Status
from solver.stipulation import Goal, Play
from solver.stipulations import words
from solver.stipulations.comparison import (
    Soundness,
    Verdict,
    allows_all_mates,
    claimed_first_moves,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import chess

    from solver.problem import Claim, Limits, Problem
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
    has_certificates : bool
        Whether the checker can prove an answer.
    warns_of_draws : bool
        Whether a line is checked for draws by the rules of the game.
    """

    lists_solutions: ClassVar = False
    has_certificates: ClassVar = False
    warns_of_draws: ClassVar = False

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

    def verdict(self, claim: Claim, answer: Solution) -> Verdict:
        """Return the verdict on the claimed length; see `find_verdict`."""
        moves = abs(claim.mate)
        if answer.mate is not None:
            if (claim.mate > 0) != (answer.mate > 0):
                return Verdict.REFUTED  # the other side is mated
            if abs(answer.mate) < moves:
                return Verdict.SHORTER
            if abs(answer.mate) == moves:
                is_shortest = answer.lower_bound == moves
                return Verdict.PROVED if is_shortest else Verdict.HOLDS
        return Verdict.REFUTED if answer.lower_bound > moves else Verdict.UNDECIDED

    def wrong_keys(self, claim: Claim, answer: Solution) -> tuple[str, ...]:
        """Return the claimed first moves that do not solve; see `find_wrong_keys`."""
        solving = self.first_moves(answer)
        claimed = () if solving is None else claimed_first_moves(claim)
        return tuple(move for move in claimed if move not in (solving or ()))

    def first_moves(self, answer: Solution) -> tuple[str, ...] | None:
        """Return the first moves that solve; None: there may be others."""
        return answer.keys if answer.keys_complete else None

    def soundness(
        self,
        verdict: Verdict | None,
        claim: Claim,
        answer: Solution,
        *,
        is_slow_line: bool,
    ) -> Soundness | None:
        """Return how keys and claimed line compare with the answer.

        See `find_soundness`. The answer is no shorter than claimed.

        Parameters
        ----------
        verdict : Verdict or None
        claim : Claim
        answer : Solution
        is_slow_line : bool
            A move of the claimed line is slower than another.
        """
        if verdict is Verdict.REFUTED:
            return Soundness.NO_SOLUTION
        if verdict is not Verdict.PROVED or claim.mate < 0 or not answer.keys_complete:
            return None
        if self.wrong_keys(claim, answer):
            return Soundness.MISSING_SOLUTION
        if is_slow_line or self._takes_longer(claim, answer):
            return Soundness.NOT_SHORTEST_LINE
        expected = max(1, len(claimed_first_moves(claim)))
        if len(answer.keys) <= expected or allows_all_mates(claim, claim.mate):
            return Soundness.SOUND
        return Soundness.COOKED

    def _takes_longer(self, claim: Claim, answer: Solution) -> bool:
        plies = self.stipulation.numbered(claim.mate).plies
        if len(claim.line) < plies:  # cut short, or not the longest defence
            return False
        if len(claim.line) > plies:
            return True
        import chess

        board = chess.Board(answer.problem.fen)
        for move in claim.line:
            board.push_uci(move)
        return not self.is_goal(board)

    def is_goal(self, board: chess.Board) -> bool:
        """Return whether a position is what the play shall end with."""
        if self.stipulation.goal is Goal.STALEMATE:
            return board.is_stalemate()
        return board.is_checkmate()

    def claimed_solutions(self, claim: Claim) -> int | None:
        """Return how many solutions are claimed; None: the claim is about keys."""
        return None

    def solutions(self, answer: Solution) -> tuple[tuple[str, ...], ...] | None:
        """Return the solutions that were found; None: the answer has keys instead."""
        return None

    def searched_line(self, claim: Claim) -> tuple[str, ...]:
        """Return the part of the claimed line whose moves an audit compares."""
        return ()

    def limits(
        self, problem: Problem, limits: Limits, *, within: bool
    ) -> tuple[Limits, int | None]:
        """Return how far an audit searches a problem.

        Parameters
        ----------
        problem : Problem
        limits : Limits
            What the caller allows.
        within : bool
            Any mate within the claimed moves is an answer.

        Returns
        -------
        limits : Limits
        within : int or None
            If given, search only for a mate within this many moves.
        """
        return limits.with_lengths(), None

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
