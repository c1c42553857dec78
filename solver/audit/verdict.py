"""Compare a claim with the answer that was found: verdict, soundness, duals.

The verdict follows from the two proved bounds alone. Soundness needs all keys, and
duals need a search before each of the attacker's moves in the claimed line. A dual
leaves a problem sound, as problemists use the word.

What differs from one kind of stipulation to another is in `solver.stipulations`. In
self-, reflex and stalemate problems, read "mate" as the stipulation's goal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from solver.stipulations import kind_of
from solver.stipulations.comparison import Soundness, Verdict, allows_all_mates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.problem import Claim
    from solver.solution import Solution


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
    verdict = kind_of(answer.problem.stipulation).verdict(claim, answer)
    return Verdict.HOLDS if within and verdict is Verdict.SHORTER else verdict


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
    return kind_of(answer.problem.stipulation).wrong_keys(claim, answer)


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
    kind, is_slow_line = kind_of(answer.problem.stipulation), any(map(is_slow, plies))
    return kind.soundness(verdict, claim, answer, is_slow_line=is_slow_line)


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
    return allows_all_mates(claim, ply.mate) or allowed.issuperset(ply.keys)


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
