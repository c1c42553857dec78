"""How a claim compares with the answer: the words, and the rules for play by force."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from solver.solution import Status
from solver.stipulation import Goal

if TYPE_CHECKING:
    import chess

    from solver.problem import Claim
    from solver.solution import Solution
    from solver.stipulation import Stipulation


class Verdict(StrEnum):
    """How one claim compares with its answer."""

    PROVED = "proved"
    """The claimed mate exists and none is shorter; or no mate exists, as claimed."""

    HOLDS = "holds"
    """The claimed mate exists; a shorter one is not excluded.

    Help play: the claimed solutions exist; others are not excluded."""

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


class Comparison:
    """Compares the claims of play by force with their answers.

    Attributes
    ----------
    stipulation : Stipulation
    """

    stipulation: Stipulation

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
        if solving is None:
            return ()
        claimed = claimed_first_moves(claim)
        return tuple(move for move in claimed if move not in solving)

    def first_moves(self, answer: Solution) -> tuple[str, ...] | None:
        """Return the first moves that solve; None if there may be others."""
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
        """Return whether a position is the goal of the play."""
        if self.stipulation.goal is Goal.STALEMATE:
            return board.is_stalemate()
        return board.is_checkmate()

    def claimed_solutions(self, claim: Claim) -> int | None:
        """Return how many solutions are claimed; None if the claim is about keys."""
        return None

    def solutions(self, answer: Solution) -> tuple[tuple[str, ...], ...] | None:
        """Return the solutions that were found; None if the answer has keys instead."""
        return None

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
