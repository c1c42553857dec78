"""The methods that other packages call for any stipulation, here for play by force.

In play by force, one side, the attacker, reaches the goal against every defence. `Mate`
and `Battle` override a few methods, `Help` most of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, TypeVar

from solver.stipulation import Goal, Play
from solver.stipulations.comparison import Comparison

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.certificate.proving import Budget
    from solver.endgames.tablebases import Tablebases
    from solver.kernel.border.parts import Part
    from solver.problem import Claim, Limits, Problem
    from solver.search.question import Question
    from solver.search.threads import Control
    from solver.search.workspace import Workspace
    from solver.solution import Solution
    from solver.stipulation import Stipulation
    from solver.stipulations.replies import Replies

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

MATE_OPTIONS = ("--certificate", "--tablebases", "--checks-only")
"""Options that only apply to mates; the last one means all restrictions."""


def rank_of(claim: str, length: int) -> int:
    """Return a number by which to sort one of the claims in `ORDER`."""
    return ORDER.index(claim) * _RANKS + length


Choice = TypeVar("Choice")


class Kind(Comparison):
    """What a stipulation does.

    Attributes
    ----------
    stipulation : Stipulation
    unused_options : tuple of str
        Options of the command `solve` that have no meaning for it.
    has_certificates : bool
        Whether the checker can prove an answer, and a claimed line can be followed.
    defender_ends : bool
        Whether the defender's last move ends the play, as in self- and reflex play.
    attacker_must_end : bool
        Whether the attacker must reach the goal if it can, as in reflex play.
    warns_of_draws : bool
        Whether a line is checked for draws by the rules of the game.
    play : int
        A `BattlePlay`, for the part that searches battle play.
    """

    unused_options: ClassVar[tuple[str, ...]] = ("--max-solutions",)
    has_certificates: ClassVar = False
    warns_of_draws: ClassVar = False
    defender_ends = False
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

    def part(self) -> Part:
        """Return the compiled part of the kernel that searches it."""
        from solver.kernel.border.parts import SEARCH

        return SEARCH

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

    def choose(self, tree: Choice, solutions: Choice) -> Choice:
        """Return `tree` for play that is a tree, `solutions` for a list of them."""
        return tree

    def replies(self, workspace: Workspace, budget: Budget) -> Replies:
        """Return the object that finds the play's moves in a search's memory."""
        from solver.stipulations.replies import Replies

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


def mover(fen: str) -> str:
    """Return "White" or "Black", whoever is to move."""
    return "White" if fen.split()[1] == "w" else "Black"


def at_most(moves: int) -> str:
    """Write "1 move" or "n or fewer moves"."""
    return "1 move" if moves == 1 else f"{moves} or fewer moves"


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
    from solver.position_text import write_lines

    (words,) = write_lines(fen, [[*moves]])
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
