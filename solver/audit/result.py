"""The result of auditing one record.

A worker builds an `AuditResult` from the answer: the row that the store, the exports,
the tables and the pages all read. `solver.record` has the table of its fields.

The verdict follows from the two proved bounds alone. Soundness needs all keys, and
duals need a search before each of the attacker's moves in the claimed line. A problem
with a dual is still sound, as problemists use the word.

`solver.stipulations` has what differs between kinds of stipulations. In self-, reflex
and stalemate problems, read "mate" as the stipulation's goal.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from solver.audit.plies import Ply, mark_only_moves, only_moves, read_plies, write_plies
from solver.errors import FormatError
from solver.record import COLUMNS, MARKS, Record, answer_columns, plain, write_solutions
from solver.solution import StoppedBy
from solver.stipulation import Stipulation
from solver.stipulations import kind_of
from solver.stipulations.kind import Soundness, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.problem import Problem
    from solver.solution import Solution


_SOURCE = re.compile(r"(?P<file>.*):(?P<line>[1-9][0-9]{0,17})", re.DOTALL)
"""A line number with another spelling, or of more than 64 bits, is part of the name."""


ACCEPT = MARKS[0]

SUBJECT = ("source", "id", "fen", "stipulation", "claim", "nomate")
"""The columns that say which record a mark belongs to."""

Subject: TypeAlias = "tuple[str, str, str | None, str | None, int | None, int | None]"
"""The values of `SUBJECT` of a record."""

Mark: TypeAlias = "tuple[str, str]"
"""A word of `MARKS`, or an empty text if it was taken back; and its note."""


def comparable(values: Iterable[tuple[str, object]]) -> tuple[object, ...]:
    """Return values of `SUBJECT`, by their names, for a comparison of records.

    Other machines have other folders, and a row of CSV has no line breaks.
    """
    return tuple(
        " ".join((PurePath(value).name if name == "source" else value).split()) or None
        if isinstance(value, str)
        else value
        for name, value in values
    )


KEYS = "keys"
"""The disagreement when a claimed key does not solve."""

DUAL = "dual"
"""The disagreement when the attacker has a choice after the key of the claimed line."""

LINE = "line"
"""The disagreement when the claimed line is longer than the claimed mate."""

DISAGREEMENTS = (
    Verdict.SHORTER,
    Verdict.REFUTED,
    *(word for word in Soundness if word is not Soundness.SOUND),
    KEYS,
    DUAL,
    LINE,
)
"""All words that `AuditResult.disagreements` can contain."""

_CONTRADICTED = frozenset({Verdict.SHORTER, Verdict.REFUTED})

_FINISHED = frozenset({None, "", StoppedBy.SOLUTIONS})
"""The value of `stopped_by` if the question was answered."""


class Origin(StrEnum):
    """Where an audit has the answer of a record from."""

    SEARCHED = "searched"
    """From a search for this record."""

    STORED = "stored"
    """From the store, where it was before the audit; the first record that uses it."""

    REPEATED = "repeated"
    """The answer is that of an earlier record with the same question."""


class AuditResult(Record):
    """What an audit found for one record: its row in a store, and what follows from it.

    The fields are those of `Record`.
    """

    __slots__ = ()

    def row(self) -> tuple[object, ...]:
        """Return the values of `COLUMNS`: what is stored and exported."""
        return self[: len(COLUMNS)]

    @property
    def word(self) -> str:
        """The verdict, or the answer's own status if nothing was claimed."""
        return str(self.verdict or self.status)

    @property
    def disagreements(self) -> tuple[str, ...]:
        """The words that contradict the claim: verdict, soundness, and the others.

        Empty if the claim holds, if a limit left it undecided, and if the record is
        unreadable. Everything that prints, lists, exports or counts disagreements reads
        this property.
        """
        words = [self.word] if self.verdict in _CONTRADICTED else []
        if self.soundness and self.soundness != Soundness.SOUND:
            words.append(self.soundness)
        if self.wrong_keys:
            words.append(KEYS)
        # Other moves in place of the key are cooks, which `soundness` reports.
        if self.only_moves == 0 and any(
            ply.is_dual for ply in self.claimed_plies()[1:]
        ):
            words.append(DUAL)
        if self.claimed_line and self._is_line_longer():
            words.append(LINE)
        return tuple(words)

    def _is_line_longer(self) -> bool:
        """Return whether the line has more plies than the mate that is claimed."""
        if self.claim is None or self.stipulation:
            return False
        plies = 2 * abs(self.claim) - (self.claim > 0)
        return self.claimed_line.count(" ") >= plies

    @property
    def wants_hint(self) -> bool:
        """Whether the claimed solution, or in help play its number, is wrong."""
        counts = {Soundness.MISSING_SOLUTION, Soundness.COOKED}
        is_miscounted = self.solutions is not None and self.soundness in counts
        has_failed = self.verdict in _CONTRADICTED or is_miscounted
        return has_failed and self.claim is not None

    @property
    def wants_longer_mate(self) -> bool:
        """Whether a mate is claimed that is too short, and no longer one is known."""
        is_refuted = self.verdict == Verdict.REFUTED and self.claim is not None
        return is_refuted and self.mate is None and kind_of(self.asked).has_certificates

    def with_longer_mate(self, answer: Solution) -> AuditResult:
        """Add a mate that takes longer than claimed, if one was found.

        Verdict and costs stay those of the question.
        """
        if (answer.mate or 0) * (self.claim or 0) <= 0:  # or the other side mates
            return self
        return self._replace(**answer_columns(answer))

    @property
    def is_undecided(self) -> bool:
        """Whether a limit was hit before the question was answered completely.

        A help problem with more solutions than claimed counts as answered without the
        rest.
        """
        is_stopped = self.stopped_by not in _FINISHED
        return self.word == Verdict.UNDECIDED or is_stopped

    @property
    def agrees(self) -> bool:
        """Whether the record was decided and nothing contradicts its claim."""
        is_decided = self.word != Verdict.UNREADABLE and not self.is_undecided
        return is_decided and not self.disagreements

    @property
    def subject(self) -> Subject:
        """Which record this is, for a mark."""
        return (
            *(self.source, self.id, self.fen),
            *(self.stipulation, self.claim, self.nomate),
        )

    @property
    def asked(self) -> Stipulation:
        """The stipulation; without a number if the source only claims a mate.

        Raises
        ------
        InputError
            It is not a stipulation.
        """
        return Stipulation.from_record(self.stipulation)

    def claimed_plies(self) -> tuple[Ply, ...]:
        """Parse `plies`."""
        return read_plies(self.plies)

    def found_solutions(self) -> tuple[tuple[str, ...], ...]:
        """Parse `solutions`."""
        return tuple(tuple(line.split()) for line in json.loads(self.solutions or "[]"))

    def for_record(
        self, problem: Problem, origin: str = Origin.SEARCHED.value
    ) -> AuditResult:
        """Return this result for another record that poses the same question."""
        return self._replace(
            source=problem.source,
            id=problem.id,
            fen=problem.fen,
            warnings=problem.warnings,
            origin=origin,
        )


def audit_result(
    answer: Solution | FormatError,
    *,
    within: bool = False,
    plies: Sequence[Ply] = (),
    stopped_by: StoppedBy | None = None,
    certificate: bytes | None = None,
    notices: tuple[str, ...] = (),
) -> AuditResult:
    """Compare an answer with what its record claims.

    Parameters
    ----------
    answer : Solution or FormatError
        The answer, or why the record could not be read.
    within : bool
        Read the claim as "there is a mate in at most this many moves".
    plies : sequence of Ply
        The attacker's moves in the claimed line, if they were searched.
    stopped_by : StoppedBy or None
        The first limit that one of their searches hit.
    certificate, notices
        See `AuditResult`.
    """
    if isinstance(answer, FormatError):
        return AuditResult(
            source=answer.source,
            id=answer.source,
            verdict=Verdict.UNREADABLE.value,
            error=answer.reason,
        )
    problem, claim = answer.problem, answer.problem.claim
    verdict = find_verdict(answer, within=within)
    marked = mark_only_moves(claim, plies) if claim and plies else ()
    is_only = only_moves(marked) if marked else None
    kind = kind_of(problem.stipulation)
    solutions = kind.solutions(answer)
    has_all = None if solutions is None else int(answer.solutions_complete)
    return AuditResult(
        source=problem.source,
        id=problem.id,
        fen=problem.fen,
        **claimed_columns(problem),
        **answer_columns(answer),
        verdict=plain(verdict),
        soundness=plain(find_soundness(verdict, answer, marked)),
        wrong_keys=" ".join(find_wrong_keys(answer)),
        plies=write_plies(marked) if marked else "",
        only_moves=None if is_only is None else int(is_only),
        nodes=answer.stats.nodes,
        time_s=round(answer.stats.time_s, 6),
        stopped_by=plain(answer.stopped_by or stopped_by),
        solutions=None if solutions is None else write_solutions(solutions),
        solutions_complete=has_all,
        certificate=certificate,
        notices=notices,
        warnings=problem.warnings,
    )


def claimed_columns(problem: Problem) -> dict[str, Any]:
    """Return the columns of an `AuditResult` that say what its record claims."""
    claim, kind = problem.claim, kind_of(problem.stipulation)
    return {
        "claim": claim.mate if claim else None,
        "nomate": problem.no_mate,
        "claimed_keys": " ".join(claim.keys) if claim else "",
        "claimed_line": " ".join(claim.line) if claim else "",
        "stipulation": problem.stipulation.text or None,
        "claimed_solutions": kind.claimed_solutions(claim) if claim else None,
    }


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
    kind = kind_of(answer.problem.stipulation)
    is_slow_line = bool(plies) and any(ply.is_slow for ply in plies)
    return kind.soundness(verdict, claim, answer, is_slow_line=is_slow_line)


def split_source(source: str) -> tuple[str, int]:
    """Split `file:line`; the line is 0 if the source has none."""
    match = _SOURCE.fullmatch(source)
    return (match["file"], int(match["line"])) if match else (source, 0)


_TWIN = re.compile(r" ([a-z][0-9]*\)(?: duplex)?|duplex)$")
_TWIN_ERROR = re.compile(r"twin ([a-z][0-9]*\)):")


def twin_of(result: AuditResult) -> str:
    """Return the label of a twin; empty for the only problem on its line.

    Readers add `a)`, `duplex` and so on to the names of twins, and name the twin in an
    error.
    """
    if result.error is not None:
        match = _TWIN_ERROR.search(result.error)
    else:
        match = _TWIN.search(result.id)
    return match[1] if match else ""
