"""What any stipulation does: its words, its claims, its play and search by force.

Called by `stipulations`, `audit`, `cli`, `output` and `pages`; imports `solving_moves`
and most rooms.

In play by force, one side, the attacker, reaches the goal against every defence.
`solver.stipulations` has the genres: `Mate` and `Battle` override a few methods of
`Genre`, `Help` most of them.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, TypeVar

from solver import errors, position_text
from solver.kernel.border import parts
from solver.problem import Claim, Goal, Limits, Play, Problem, Stipulation
from solver.solution import Solution, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import chess

    from solver.certificate.build import Budget
    from solver.endgames.tablebases import Tablebases
    from solver.search.queries import Question
    from solver.search.threads import Control
    from solver.search.workspaces import Workspace
    from solver.stipulations.solving_moves import Replies

# How a claim compares with the answer


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


# Kinds

GOALS = {Goal.MATE: "mate", Goal.STALEMATE: "stalemate"}

PLAYS = {
    Play.DIRECT: "",
    Play.SELF: "self",
    Play.REFLEX: "reflex",
    Play.SEMI_REFLEX: "semi-reflex",
    Play.HELP: "help",
}

_OTHERS = [f"{play}{goal}" for play in Play for goal in Goal]

ORDER = ("#", "", "no #", *_OTHERS[1:], "none")
"""Claims in the order of the audit table: mates by the side to move, then mates of the
side to move, then claims of no mate."""

_RANKS = 1_000
"""Ranks for each of these: more than the half-moves of any claim."""


def rank_of(claim: str, length: int) -> int:
    """Return a number by which to sort one of the claims in `ORDER`."""
    return ORDER.index(claim) * _RANKS + length


Choice = TypeVar("Choice")


class Genre(Comparison):
    """What the problems with a stipulation have in common.

    Attributes
    ----------
    stipulation : Stipulation
    has_variations : bool
        Whether the play is a tree of attacks and defences, else a list of solutions.
    has_certificates : bool
        Whether the checker can prove an answer, and a claimed line can be followed.
    has_tablebases : bool
        Whether tablebases know an answer.
    has_restrictions : bool
        Whether the attacker's moves may be restricted.
    defender_ends : bool
        Whether the defender's last move ends the play, as in self- and reflex play.
    defender_must_end : bool
        Whether the defender must reach the goal if it can, as in reflex play.
    attacker_must_end : bool
        Whether the attacker, too, must reach the goal if it can.
    warns_of_draws : bool
        Whether a line is checked for draws by the rules of the game.
    play : int
        A `BattlePlay`, for the part that searches battle play.
    """

    has_variations: ClassVar = True
    has_certificates: ClassVar = False
    has_tablebases: ClassVar = False
    has_restrictions: ClassVar = False
    warns_of_draws: ClassVar = False
    defender_ends = False
    defender_must_end = False
    attacker_must_end = False
    play: int = 0

    def __init__(self, stipulation: Stipulation) -> None:
        self.stipulation = stipulation

    # Words

    @property
    def goal(self) -> str:
        """What the play ends with: "mate", "stalemate", "selfmate", "helpmate"."""
        return PLAYS[self.stipulation.play] + GOALS[self.stipulation.goal]

    @property
    def facts(self) -> dict[str, object]:
        """What the sentences of an answer read of it; see output/text.py."""
        asked = self.stipulation
        return {
            "goal": self.goal,
            "begins": self.goal.capitalize(),
            "asked": str(asked).rpartition(asked.goal)[2],
            "help": asked.is_help,
            "is_exact": asked.exact,
            "exact_mate": asked.exact and not asked.is_help,
            "direct": asked.play is Play.DIRECT,
        }

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
        return numbered_line(fen, moves)

    # Search and play

    def part(self) -> parts.Part:
        """Return the compiled part of the kernel that searches it."""
        return parts.SEARCH

    def list_solutions(
        self, workspace: Workspace, question: Question, control: Control
    ) -> Solution | None:
        """Find all solutions, where both sides look for them together.

        Parameters
        ----------
        workspace : Workspace
            Where the search runs.
        question : Question
            Its problem has this stipulation.
        control : Control
            Receives each new bound.

        Returns
        -------
        Solution or None
            With NODES for any limit of effort that was hit, and without its cost. None
            in play by force, which `part` searches turn by turn.
        """
        return None

    def consult(self, tablebases: Tablebases, question: Question) -> Solution | None:
        """Return the answer of tablebases, which know mates only."""
        return None

    def require_variations(self) -> None:
        """Raise InputError if the play is not a tree of attacks and defences."""
        if not self.has_variations:
            expected = "problem: expected a stipulation with variations"
            msg = f"{expected}, found {self.stipulation}"
            raise errors.InputError(msg)

    def choose(self, tree: Choice, solutions: Choice) -> Choice:
        """Return `tree` for play that is a tree, `solutions` for a list of them."""
        return tree if self.has_variations else solutions

    def replies(self, workspace: Workspace, budget: Budget) -> Replies:
        """Return the object that finds the play's moves in a search's memory."""
        from solver.stipulations.solving_moves import Replies

        return Replies(workspace, budget, workspace.kernel)

    # Claims

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

    def without_solution(self, problem: Problem, excluded: int) -> Problem | None:
        """Return a problem that claims no solution; `excluded` moves do not suffice.

        None if no record can claim that.
        """
        return None


# Words and lines


def mover(fen: str) -> str:
    """Return "White" or "Black", whoever is to move."""
    return "White" if fen.split()[1] == "w" else "Black"


def name_mate(moves: int) -> str:
    """Write a mate; 0 means that the side to move is checkmated."""
    if moves == 0:
        return "checkmate on the board"
    return f"mate in {moves}" if moves > 0 else f"mated in {-moves}"


def name_no_mate(excluded: int, claim: int | None) -> str:
    """Write that the claimed side does not mate in as many moves or fewer.

    Parameters
    ----------
    excluded : int
        In moves.
    claim : int or None
        The claim that was searched, negative if it is that the side to move is mated.
    """
    is_mated = claim is not None and claim < 0
    return f"{'not mated' if is_mated else 'no mate'} in {excluded}"


def numbered_line(
    fen: str, moves: Iterable[str], *, half: bool | None = None
) -> list[str]:
    """Write a line in SAN with move numbers, which start at 1 as in problems.

    Parameters
    ----------
    fen : str
        The position at the start of the line.
    moves : iterable of str
        The moves of the line, all legal, in UCI notation.
    half : bool or None
        Whether the first move is the second one of its number. None: if it is Black's.

    Returns
    -------
    list of str
        One string per number: `["1. Qe3 Kh4", "2. Qg5#"]`, or with half a number
        `["1... Qe3", "2. Kh1 Qe1#"]`.
    """
    (words,) = position_text.write_lines(fen, [[*moves]])
    half = mover(fen) == "Black" if half is None else half
    line: list[str] = []
    for ply, san in enumerate(words, int(half)):
        if ply % 2 == 0:
            line.append(f"{ply // 2 + 1}. {san}")
        elif line:
            line[-1] += f" {san}"
        else:
            line.append(f"1... {san}")
    return line
