"""Compare a claim with the answer that was found: verdict, soundness, duals.

The verdict follows from the two proved bounds alone. Soundness needs all keys, and
duals need a search before each of the attacker's moves in the claimed line. A dual
leaves a problem sound, as problemists use the word.

In self-, reflex and stalemate problems, read "mate" as the stipulation's goal. A help
problem has solutions instead of keys: verdict and soundness follow from their number.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from solver.stipulation import Goal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.problem import Claim
    from solver.solution import Solution


class Verdict(StrEnum):
    """How one claim compares with its answer."""

    PROVED = "proved"
    """The claimed mate exists and none is shorter; or no mate exists, as claimed."""

    HOLDS = "holds"
    """The claimed mate exists; a shorter one is not excluded.

    Help play: so do the claimed solutions; others are not excluded."""

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


KEYS = "keys"
"""The disagreement when a claimed key does not solve."""

DUAL = "dual"
"""The disagreement when the attacker has a choice after the key of the claimed line."""

DISAGREEMENTS = (
    Verdict.SHORTER,
    Verdict.REFUTED,
    *(word for word in Soundness if word is not Soundness.SOUND),
    KEYS,
    DUAL,
)
"""All words that `AuditResult.disagreements` can contain."""


class Ply(NamedTuple):
    """One of the attacker's moves in a claimed line, and all moves that mate as fast.

    Attributes
    ----------
    move : str
        The move of the line, in UCI notation.
    mate : int or None
        Moves to mate in the position before the move; None if a limit was hit first or
        there is no mate.
    keys : tuple of str
        All moves that mate as fast, in UCI notation; empty if a limit was hit before
        all were known.
    only : bool or None
        Whether this move mates as fast as any, and no other move does except those that
        the claim allows; see `is_only`. None if unknown.
    holds : bool or None
        Whether the move is proved to mate within the moves that the claim leaves. None
        if the line was not followed, or a limit was hit first.
    """

    move: str
    mate: int | None
    keys: tuple[str, ...]
    only: bool | None = None
    holds: bool | None = None


def find_verdict(answer: Solution, *, within: bool = False) -> Verdict | None:
    """Return the verdict on what the answer's problem claims.

    Parameters
    ----------
    answer : Solution
        The answer to a problem, with or without a claim.
    within : bool
        Read the claim as "there is a mate in at most this many moves", so that a
        shorter mate confirms it.

    Returns
    -------
    Verdict or None
        None if nothing is claimed.
    """
    claim, no_mate = answer.problem.claim, answer.problem.no_mate
    if no_mate is not None:
        return _verdict_on_no_mate(no_mate, answer)
    if claim is None:
        return None
    if answer.problem.stipulation.is_help:
        verdict = _verdict_on_solutions(claim, answer)
    else:
        verdict = _verdict_on_mate(claim.mate, answer)
    return Verdict.HOLDS if within and verdict is Verdict.SHORTER else verdict


def _verdict_on_mate(claimed: int, answer: Solution) -> Verdict:
    moves = abs(claimed)
    if answer.mate is not None:
        if (claimed > 0) != (answer.mate > 0):
            return Verdict.REFUTED  # the other side is mated
        if abs(answer.mate) < moves:
            return Verdict.SHORTER
        if abs(answer.mate) == moves:
            is_shortest = answer.lower_bound == moves
            return Verdict.PROVED if is_shortest else Verdict.HOLDS
    return Verdict.REFUTED if answer.lower_bound > moves else Verdict.UNDECIDED


def _verdict_on_solutions(claim: Claim, answer: Solution) -> Verdict:
    """Return the verdict on a help problem: on the length of its solutions.

    Their number counts only while a limit leaves it open, or if none is claimed.
    """
    claimed, found = claimed_solutions(claim), len(answer.solutions)
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


def _verdict_on_no_mate(moves: int, answer: Solution) -> Verdict:
    if answer.mate is not None and 0 < answer.mate <= moves:
        return Verdict.REFUTED
    is_mated = answer.mate is not None and answer.mate <= 0
    is_excluded = is_mated or answer.lower_bound > moves
    return Verdict.PROVED if is_excluded else Verdict.UNDECIDED


def find_wrong_keys(answer: Solution) -> tuple[str, ...]:
    """Return the claimed first moves that do not mate in the claimed number of moves.

    Returns
    -------
    tuple of str
        In UCI notation; empty unless the mate is as long as claimed and all its keys
        are known. Help play: the first moves of no solution, if all are known.
    """
    claim = answer.problem.claim
    if claim is None or not answer.mate == claim.mate > 0:
        return ()
    is_complete, solving = answer.keys_complete, answer.keys
    if answer.problem.stipulation.is_help:
        is_complete = answer.solutions_complete
        solving = tuple(line[0] for line in answer.solutions)
    claimed = claimed_first_moves(claim) if is_complete else ()
    return tuple(move for move in claimed if move not in solving)


def find_soundness(
    verdict: Verdict | None, answer: Solution, plies: Sequence[Ply] = ()
) -> Soundness | None:
    """Return how the keys and the claimed line compare with the answer.

    Parameters
    ----------
    verdict : Verdict or None
        See `find_verdict`.
    answer : Solution
        The answer to the problem that makes the claim.
    plies : sequence of Ply
        The attacker's moves in the claimed line, as far as they were searched.

    Returns
    -------
    Soundness or None
        None if that is undecided, or no mate by the side to move is claimed.
    """
    claim = answer.problem.claim
    if claim is None:
        return None
    if verdict is Verdict.SHORTER:
        return Soundness.SHORT_SOLUTION
    if answer.problem.stipulation.is_help:
        return _compare_solutions(verdict, claim, answer)
    if verdict is Verdict.REFUTED:
        return Soundness.NO_SOLUTION
    if verdict is Verdict.PROVED and claim.mate > 0 and answer.keys_complete:
        return _compare_keys(claim, answer, plies)
    return None


def _compare_keys(claim: Claim, answer: Solution, plies: Sequence[Ply]) -> Soundness:
    if find_wrong_keys(answer):
        return Soundness.MISSING_SOLUTION
    if _takes_longer(claim, answer) or any(map(is_slow, plies)):
        return Soundness.NOT_SHORTEST_LINE
    expected = max(1, len(claimed_first_moves(claim)))
    if len(answer.keys) <= expected or _allows_all_mates(claim, claim.mate):
        return Soundness.SOUND
    return Soundness.COOKED


def _compare_solutions(
    verdict: Verdict | None, claim: Claim, answer: Solution
) -> Soundness | None:
    """Compare number and moves of a help problem's solutions with the claim."""
    claimed, found = claimed_solutions(claim), len(answer.solutions)
    if verdict is Verdict.REFUTED:
        return Soundness.NO_SOLUTION if claimed else Soundness.COOKED
    if not claimed:
        return Soundness.SOUND if verdict is Verdict.PROVED else None
    if answer.mate != claim.mate:  # shorter, which --within accepts
        return None
    if answer.solutions_complete and (
        found < claimed or find_wrong_keys(answer) or _is_no_solution(claim, answer)
    ):
        return Soundness.MISSING_SOLUTION
    if found > claimed:
        return Soundness.COOKED
    return Soundness.SOUND if verdict is Verdict.PROVED else None


def _is_no_solution(claim: Claim, answer: Solution) -> bool:
    """Return whether the claimed line begins none of a help problem's solutions."""
    line = claim.line
    return all(solution[: len(line)] != line for solution in answer.solutions)


def claimed_solutions(claim: Claim) -> int:
    """Return how many solutions a help problem claims; without a number: one.

    Several claimed first moves claim a solution each.
    """
    return max(1, len(claim.keys)) if claim.solutions is None else claim.solutions


def claimed_first_moves(claim: Claim) -> tuple[str, ...]:
    """Return the claimed keys, or else the first move of the claimed line."""
    return claim.keys or claim.line[:1]


def _takes_longer(claim: Claim, answer: Solution) -> bool:
    stipulation = answer.problem.stipulation
    plies = stipulation.numbered(claim.mate).plies
    if len(claim.line) < plies:  # cut short, or not the longest defence
        return False
    if len(claim.line) > plies:
        return True
    import chess

    board = chess.Board(answer.problem.fen)
    for move in claim.line:
        board.push_uci(move)
    if stipulation.goal is Goal.STALEMATE:
        return not board.is_stalemate()
    return not board.is_checkmate()


def _allows_all_mates(claim: Claim, mate: int | None) -> bool:
    """Return whether the source accepts every mating move at this point of the line."""
    return mate == 1 and claim.any_last_move


def mark_only_moves(claim: Claim, plies: Sequence[Ply]) -> tuple[Ply, ...]:
    """Return the plies of a claimed line with `only` filled in."""
    return tuple(
        ply._replace(only=is_only(claim, ply, is_first=number == 0))
        for number, ply in enumerate(plies)
    )


def is_only(claim: Claim, ply: Ply, *, is_first: bool) -> bool | None:
    """Decide whether a move is the only one that mates as fast.

    Moves that the claim itself allows do not count against it: the other claimed keys
    at the first move, and other mates in one if the source accepts them all.

    Returns
    -------
    bool or None
        None if a limit was hit before that was known.
    """
    if not ply.keys:
        return None
    if ply.move not in ply.keys:
        return False
    allowed = {ply.move, *(claim.keys if is_first else ())}
    return _allows_all_mates(claim, ply.mate) or allowed.issuperset(ply.keys)


def only_moves(plies: Sequence[Ply]) -> bool | None:
    """Decide whether every move of a line is the only one that mates as fast.

    Parameters
    ----------
    plies : sequence of Ply
        Each with `only`; see `mark_only_moves`.

    Returns
    -------
    bool or None
        None if the line was not searched, or a limit was hit before that was known.
    """
    only = [ply.only for ply in plies]
    if False in only:
        return False
    return True if only and None not in only else None


def recorded_only(
    move: str, keys: Sequence[str], *, only_moves: bool | None
) -> bool | None:
    """Return `Ply.only` for a record of an earlier version, which stored it per line.

    Parameters
    ----------
    move, keys
        See `Ply`.
    only_moves : bool or None
        What the record says of all moves of the line together. Unless it is False, the
        claim allows whatever other keys there are.
    """
    if only_moves is not False:
        return only_moves
    return tuple(keys) == (move,) if keys else None


def is_slow(ply: Ply) -> bool:
    """Return whether other moves mate faster than the line's move."""
    return bool(ply.keys) and ply.move not in ply.keys


def is_dual(ply: Ply) -> bool:
    """Return whether a move mates as fast as any, and another move does so too."""
    return ply.only is False and not is_slow(ply)
