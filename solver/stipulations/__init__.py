"""The genres of problems: mate, battle and help play, and what is special to each.

`genre_of` returns the object for a stipulation; other rooms need not know its genre.
`solver.problem` has the value: text and numbers. `solving_moves.py` has the moves of
each genre in a search's memory.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, TypeVar

from solver import errors, position_text
from solver.kernel.border import parts, search_struct
from solver.kernel.build.loader import load_part
from solver.problem import MATE, Claim, Goal, Limits, Play, Problem, Stipulation
from solver.solution import Solution, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import chess

    from solver.endgames.tablebases import Tablebases
    from solver.search.queries import Question
    from solver.search.threads import Budget, Control
    from solver.search.workspaces import Workspace
    from solver.stipulations.solving_moves import Replies


# --------------------------------------------------------------------------------------
# What any genre does: its words, its claims, its play and search by force.
#
# In play by force, one side, the attacker, reaches the goal against every defence.
# `Mate` and `Battle` override a few methods of `Genre`, `Help` most of them.

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

    UNFORCED = "unforced"
    """Proved: the line of the record ends in mate, but the mate is not forced; nothing
    else claims one."""

    UNDECIDED = "undecided"
    """A limit was hit before the claim was proved or refuted."""

    UNREADABLE = "unreadable"
    """The record could not be parsed."""


class Soundness(StrEnum):
    """How the keys and the claimed line compare with the answer."""

    SOUND = "sound"
    """One key, or exactly the claimed ones, and no fault in the line.

    Help play: as many solutions as claimed."""

    PARTLY_READ = "partly-read"
    """The same, but a part of the source's solution was not read."""

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
        if verdict in {Verdict.REFUTED, Verdict.UNFORCED}:
            return Soundness.NO_SOLUTION
        if verdict is not Verdict.PROVED or claim.mate < 0 or not answer.keys_complete:
            return None
        if self.wrong_keys(claim, answer):
            return Soundness.MISSING_SOLUTION
        lines = claim.line, *claim.variations
        if is_slow_line or any(self._takes_longer(line, answer) for line in lines):
            return Soundness.NOT_SHORTEST_LINE
        expected = max(1, len(claimed_first_moves(claim)))
        if len(answer.keys) <= expected or allows_all_mates(claim, claim.mate):
            return Soundness.PARTLY_READ if claim.partly_read else Soundness.SOUND
        return Soundness.COOKED

    def _takes_longer(self, line: Sequence[str], answer: Solution) -> bool:
        """Return whether a line does not reach the goal within the answer's length."""
        plies = self.stipulation.numbered(max(answer.mate or 0, 0)).plies
        if len(line) < plies:  # cut short, or not the longest defence
            return False
        if len(line) > plies:
            return True
        import chess

        board = chess.Board(answer.problem.fen)
        for move in line:
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
        """Return whether a problem deserves `C+`: tested by computer, and sound.

        It has one key, in as many moves as claimed, or without a claim in the fewest;
        all this is proved, and nothing that the source claims contradicts it.
        """
        claim, no_mate = solution.problem.claim, solution.problem.no_mate
        return (
            solution.status is Status.PROVED
            and solution.keys_complete
            and len(solution.keys) == 1
            and not solution.restriction
            and (no_mate is None or (solution.mate or 0) > no_mate)
            and (claim is None or claim.mate == solution.mate)
            and not (claim and self.wrong_keys(claim, solution))
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


def rank_claim(
    stipulation: Stipulation, mate: int | None, no_mate: int | None
) -> tuple[int, str]:
    """Return a number by which claims are sorted, and the name of a claim.

    Mates by the side to move come first, then mates of the side to move, then claims of
    no mate, then the other stipulations, then records without a claim. Claims of each
    kind are sorted by length.

    Parameters
    ----------
    stipulation : Stipulation
    mate, no_mate : int or None
        The lengths that are claimed, as in `Claim` and `Problem`.
    """
    if claim := mate or stipulation.attacker_moves:
        return genre_of(stipulation).claim_name(claim)
    if no_mate is not None:
        return rank_of("no #", no_mate), f"no #{no_mate}"
    return rank_of("none", 0), "none"


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
            "end": GOALS[asked.goal],
            "asked": str(asked).rpartition(asked.goal)[2],
            "help": asked.is_help,
            "is_exact": asked.exact,
            "exact_mate": asked.exact and not asked.is_help,
            "direct": asked.play is Play.DIRECT,
        }

    def has_exchanged_roles(self, fen: str) -> bool:
        """Return whether Black plays the part that is White's by convention."""
        return (mover(fen) == "White") is not self.stipulation.white_begins

    def main_line(self, solution: Solution) -> tuple[str, ...]:
        """Return the line that is printed with the answer; empty: none."""
        return solution.pv

    def length_name(self, moves: int) -> str:
        """Name a claimed or found length, in moves of the attacker."""
        return str(self.stipulation.with_attacker_moves(moves))

    def claim_name(self, moves: int) -> tuple[int, str]:
        """Return a rank by which to sort a claim of this length, and its name."""
        asked = self.stipulation
        half_moves = 2 * asked.length + asked.half
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
            errors.refuse(expected, self.stipulation)

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


# --------------------------------------------------------------------------------------
# The genres.

# Direct mate


class Mate(Genre):
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


class Battle(Genre):
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


class Help(Genre):
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
        """Return whether a problem deserves `C+`: tested by computer, and sound.

        It then has as many solutions as the source claims (one, if it names no number),
        and none that is shorter.
        """
        claim, found = solution.problem.claim, solution.solutions
        plies = self.stipulation.plies
        return (
            claim is not None
            and solution.solutions_complete
            and 0 < len(found) == self.claimed_solutions(claim)
            and all(len(line) == plies for line in found)
            and not self.wrong_keys(claim, solution)
        )


def _is_no_solution(claim: Claim, answer: Solution) -> bool:
    """Return whether no solution begins with the claimed line."""
    line = claim.line
    return all(solution[: len(line)] != line for solution in answer.solutions)


# The genre of a stipulation


def genre_of(stipulation: Stipulation) -> Genre:
    """Return the object for a stipulation."""
    return _MATE if stipulation is MATE else _made(stipulation)


@lru_cache
def _made(stipulation: Stipulation) -> Genre:
    if stipulation.is_direct_mate:
        return Mate(stipulation)
    return (Help if stipulation.is_help else Battle)(stipulation)


_MATE = _made(MATE)
"""The genre of most rows, which each need it several times; hashing would take
longer."""
