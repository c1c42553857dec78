"""How a claim fares against the answer found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from solver.errors import FormatError
from solver.soundness import (
    Soundness,
    first_moves_claimed,
    has_dual,
    weigh,
    weigh_plies,
)

if TYPE_CHECKING:
    from collections.abc import Sequence, Sized

    from solver.problem import Claim
    from solver.solution import Solution
    from solver.soundness import Ply


class Verdict(StrEnum):
    """What an audit says of one claim."""

    PROVED = "proved"
    """The mate is there and none is shorter; or there is none, as claimed."""

    HOLDS = "holds"
    """A mate as claimed is there; a shorter one is not excluded."""

    SHORTER = "shorter"
    """There is a shorter mate than claimed."""

    REFUTED = "refuted"
    """Proved: no mate in the claimed number of moves; or one, where none is claimed."""

    UNDECIDED = "undecided"
    """A limit was hit before the claim was settled."""

    UNREADABLE = "unreadable"
    """The record cannot be read."""


KEYS = "keys"
"""The disagreement of a claimed key that is none."""

DUAL = "dual"
"""The disagreement of a claimed line whose solver has a choice after the key."""

DISAGREEMENTS = (
    Verdict.SHORTER,
    Verdict.REFUTED,
    *(word for word in Soundness if word is not Soundness.SOUND),
    KEYS,
    DUAL,
)
"""All words that `disagreements` gives."""


def disagreements(
    word: str, soundness: str | None, wrong_keys: Sized, plies: Sequence[Ply]
) -> tuple[str, ...]:
    """Name what speaks against a claim.

    All that prints, lists, exports or counts disagreements asks this function.

    Parameters
    ----------
    word : str
        The verdict, or the answer's status where nothing was claimed.
    soundness : str or None
        How the keys fared; None or empty where that was not settled.
    wrong_keys : sized
        Claimed keys that are none.
    plies : sequence of Ply
        The solver's moves in the claimed line, each with `only`.

    Returns
    -------
    tuple of str
        Verdict, soundness, `KEYS` and `DUAL`, as far as they apply. None where the
        claim holds, where a limit left it open, and where the record is unreadable.
    """
    words = [word] if word in {Verdict.SHORTER, Verdict.REFUTED} else []
    if soundness and soundness != Soundness.SOUND:
        words.append(soundness)
    if wrong_keys:
        words.append(KEYS)
    if has_dual(plies):
        words.append(DUAL)
    return tuple(words)


def is_undecided(word: str, stopped_by: str | None) -> bool:
    """Decide whether a limit came before the whole answer to what was asked."""
    return word == Verdict.UNDECIDED or bool(stopped_by)


@dataclass(frozen=True, slots=True)
class Result:
    """What an audit tells of one record of a collection.

    Attributes
    ----------
    answer : Solution or FormatError
        The answer to its problem, or why there is no problem to answer.
    verdict : Verdict or None
        How the claim fared; None when nothing was claimed.
    wrong_keys : tuple of str
        Claimed first moves, in UCI notation, that do not mate in the claimed number
        of moves. Told only where all keys are known.
    soundness : Soundness or None
        How the keys fared; None where that was not settled, or the side to move is
        claimed to be mated.
    plies : tuple of Ply
        The solver's moves in the claimed line, where they were looked at.
    """

    answer: Solution | FormatError
    verdict: Verdict | None
    wrong_keys: tuple[str, ...] = ()
    soundness: Soundness | None = None
    plies: tuple[Ply, ...] = ()

    @property
    def claim(self) -> Claim | None:
        """What the record claims, as far as it could be read."""
        if isinstance(self.answer, FormatError):
            return None
        return self.answer.problem.claim

    @property
    def word(self) -> str:
        """The verdict, or the answer's own status where nothing was claimed."""
        if isinstance(self.answer, FormatError) or self.verdict:
            return str(self.verdict)
        return str(self.answer.status)


def judge(
    answer: Solution | FormatError,
    *,
    within: bool = False,
    plies: Sequence[Ply] = (),
) -> Result:
    """Set an answer against what its record claims.

    Parameters
    ----------
    answer : Solution or FormatError
        What was found, or why nothing could be.
    within : bool
        Take the claim as "there is a mate in at most so many moves": a shorter mate
        then agrees with it.
    plies : sequence of Ply
        The solver's moves in the claimed line, if they were looked at.

    Returns
    -------
    Result
        The answer and its verdict.
    """
    if isinstance(answer, FormatError):
        return Result(answer, Verdict.UNREADABLE)
    claim, no_mate = answer.problem.claim, answer.problem.no_mate
    if no_mate is not None:
        return Result(answer, _verdict_on_none(no_mate, answer))
    if claim is None:
        return Result(answer, None)
    verdict = _verdict(claim.mate, answer)
    if within and verdict is Verdict.SHORTER:
        verdict = Verdict.HOLDS
    wrong_keys: tuple[str, ...] = ()
    if answer.keys_complete and answer.mate == claim.mate > 0:
        claimed = first_moves_claimed(claim)
        wrong_keys = tuple(move for move in claimed if move not in answer.keys)
    return Result(
        answer,
        verdict,
        wrong_keys,
        _soundness(verdict, claim, answer, plies),
        weigh_plies(claim, plies),
    )


def _soundness(
    verdict: Verdict, claim: Claim, answer: Solution, plies: Sequence[Ply]
) -> Soundness | None:
    match verdict:
        case Verdict.SHORTER:
            return Soundness.SHORT_SOLUTION
        case Verdict.REFUTED:
            return Soundness.NO_SOLUTION
        case Verdict.PROVED if claim.mate > 0:
            return weigh(claim, answer, plies)
    return None


def _verdict_on_none(moves: int, answer: Solution) -> Verdict:
    """Judge the claim that there is no mate in so many moves."""
    if answer.mate is not None and 0 < answer.mate <= moves:
        return Verdict.REFUTED
    lost = answer.mate is not None and answer.mate <= 0
    excluded = lost or answer.lower_bound > moves
    return Verdict.PROVED if excluded else Verdict.UNDECIDED


def _verdict(claimed: int, answer: Solution) -> Verdict:
    attacker_moves = claimed > 0
    moves = abs(claimed)
    if answer.mate is not None:
        if attacker_moves != (answer.mate > 0):
            return Verdict.REFUTED  # the mate found falls on the other side
        if abs(answer.mate) < moves:
            return Verdict.SHORTER
        if abs(answer.mate) == moves:
            shortest = answer.lower_bound == moves
            return Verdict.PROVED if shortest else Verdict.HOLDS
    return Verdict.REFUTED if answer.lower_bound > moves else Verdict.UNDECIDED
