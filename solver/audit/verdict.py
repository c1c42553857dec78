"""How a claim fares against the answer found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from solver.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence, Sized

    from solver.problem import Claim
    from solver.solution import Solution


# Whether a problem is sound: it has a key, just one, and the one that is claimed.
#
# Duals are found here too. They leave a problem sound, as problemists use the word.


class Soundness(StrEnum):
    """What an audit says of keys and line."""

    SOUND = "sound"
    """One key, or just the claimed ones, and nothing against the line."""

    COOKED = "cooked"
    """Keys beside the claimed one."""

    SHORT_SOLUTION = "short-solution"
    """There is a shorter mate than claimed."""

    NO_SOLUTION = "no-solution"
    """There is no mate in the moves claimed."""

    MISSING_SOLUTION = "missing-solution"
    """A claimed key, or the first move of the line, does not solve."""

    NOT_SHORTEST_LINE = "not-shortest-line"
    """The line takes longer than the mate, or does not end in it."""


class Ply(NamedTuple):
    """One of the solver's moves in a claimed line, and what would mate as fast.

    Attributes
    ----------
    move : str
        The move of the line, in UCI notation.
    mate : int or None
        Moves to mate where it is played; None: a limit came first, or there is none.
    keys : tuple of str
        All moves that mate as fast there, in UCI notation; none where a limit came
        before all were known.
    only : bool or None
        Whether this move mates as fast as any, and has no rival that the claim leaves
        out; see `is_only`. None where that is not known.
    """

    move: str
    mate: int | None
    keys: tuple[str, ...]
    only: bool | None = None


def first_moves_claimed(claim: Claim) -> tuple[str, ...]:
    """Give the claimed keys, or else the first move of the claimed line."""
    return claim.keys or claim.line[:1]


def weigh(claim: Claim, answer: Solution, plies: Sequence[Ply]) -> Soundness | None:
    """Hold all keys of a proved mate, of the length claimed, against the claim.

    Parameters
    ----------
    claim : Claim
        A mate by the side to move.
    answer : Solution
        Its mate is as long as claimed and proved to be the shortest.
    plies : sequence of Ply
        The solver's moves in the line, as far as they were looked at.

    Returns
    -------
    Soundness or None
        None where not all keys are known.
    """
    if not answer.keys_complete:
        return None
    claimed = first_moves_claimed(claim)
    if any(move not in answer.keys for move in claimed):
        return Soundness.MISSING_SOLUTION
    if _takes_longer(claim, answer) or any(is_slow(ply) for ply in plies):
        return Soundness.NOT_SHORTEST_LINE
    if len(answer.keys) > max(1, len(claimed)) and not _is_free(claim, claim.mate):
        return Soundness.COOKED
    return Soundness.SOUND


def is_slow(ply: Ply) -> bool:
    """Tell whether other moves mate, and faster than the line's."""
    return bool(ply.keys) and ply.move not in ply.keys


def weigh_plies(claim: Claim, plies: Sequence[Ply]) -> tuple[Ply, ...]:
    """Hold each of the solver's moves in the claimed line against its rivals.

    Returns
    -------
    tuple of Ply
        The same with `only`.
    """
    return tuple(
        ply._replace(only=is_only(claim, ply, is_first=number == 0))
        for number, ply in enumerate(plies)
    )


def is_only(claim: Claim, ply: Ply, *, is_first: bool) -> bool | None:
    """Decide whether a move is the only one that mates as fast.

    What the claim itself allows is no rival: the other claimed keys at the first move,
    and other mates in one where the source counts them all alike.

    Returns
    -------
    bool or None
        None where a limit left that open.
    """
    if not ply.keys:
        return None
    if ply.move not in ply.keys:
        return False
    allowed = {ply.move, *(claim.keys if is_first else ())}
    return _is_free(claim, ply.mate) or allowed.issuperset(ply.keys)


def only_moves(claim: Claim, plies: Sequence[Ply]) -> bool | None:
    """Decide whether each of the solver's moves is the only one that mates as fast.

    Returns
    -------
    bool or None
        None where the line was not looked at, or a limit left that open.
    """
    only = [ply.only for ply in weigh_plies(claim, plies)]
    if False in only:
        return False
    return True if only and None not in only else None


def has_dual(plies: Sequence[Ply]) -> bool:
    """Decide whether a move after the key has a rival that mates as fast.

    Rivals of the key are cooks, and `Soundness` has words for them.
    """
    return any(map(is_dual, plies[1:]))


def is_dual(ply: Ply) -> bool:
    """Decide whether a move mates as fast as any, and another does so too."""
    return ply.only is False and not is_slow(ply)


def recorded_only(
    move: str, keys: Sequence[str], *, only_moves: bool | None
) -> bool | None:
    """Give `Ply.only` for a record of an earlier version, which has it for all alone.

    Parameters
    ----------
    move, keys
        As in `Ply`.
    only_moves : bool or None
        What the record says of all moves of the line together: where it is not False,
        those that have rivals are allowed them.
    """
    if only_moves is not False:
        return only_moves
    return tuple(keys) == (move,) if keys else None


def _is_free(claim: Claim, mate: int | None) -> bool:
    """Tell whether the source counts all mates alike there."""
    return mate == 1 and claim.any_last_move


def _takes_longer(claim: Claim, answer: Solution) -> bool:
    plies = 2 * claim.mate - 1
    if len(claim.line) < plies:  # cut short, or not defended as long as possible
        return False
    if len(claim.line) > plies:
        return True
    import chess

    board = chess.Board(answer.problem.fen)
    for move in claim.line:
        board.push_uci(move)
    return not board.is_checkmate()


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
