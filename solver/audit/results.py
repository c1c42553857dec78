"""The result of auditing one record, and the moves of its claimed line."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from solver import errors, record, solution
from solver.problem import Claim, Problem, Stipulation
from solver.stipulations import Soundness, Verdict, allows_all_mates, genre_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


# --------------------------------------------------------------------------------------
# The attacker's moves in a claimed line, and the other moves that mate as fast.
# `AuditResult.plies` is a JSON array of them.


class Ply(NamedTuple):
    """One of the attacker's moves in a claimed line, with all moves that mate as fast.

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

    @property
    def is_slow(self) -> bool:
        """Whether other moves mate faster than the line's move."""
        return bool(self.keys) and self.move not in self.keys

    @property
    def is_dual(self) -> bool:
        """Whether the move is one of several that mate fastest."""
        return self.only is False and not self.is_slow


def mark_only_moves(claim: Claim, plies: Sequence[Ply]) -> tuple[Ply, ...]:
    """Return the plies of a claimed line with `only` filled in."""
    return tuple(
        ply._replace(only=is_only(claim, ply, is_first=number == 0))
        for number, ply in enumerate(plies)
    )


def is_only(claim: Claim, ply: Ply, *, is_first: bool) -> bool | None:
    """Decide whether no other move mates as fast.

    Moves that the claim allows do not count: the other claimed keys at the first move,
    and other mates in one if the source accepts them all.

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
    """Decide for every move of a line whether no other move mates as fast.

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


def with_holds(
    plies: Sequence[Ply], claim: Claim | None, holds: Sequence[bool | None]
) -> list[Ply]:
    """Return the attacker's moves of a claimed line with `Ply.holds`.

    Parameters
    ----------
    plies : sequence of Ply
        The moves that `every_ply` has searched, or none.
    claim : Claim
        Its line has at least as many moves of the attacker as `holds`.
    holds : sequence of (bool or None)
        For each of these moves; see `Followed`.
    """
    assert claim
    moves = claim.line[0 if claim.mate > 0 else 1 :: 2]
    known = [*plies, *(Ply(move, None, ()) for move in moves[len(plies) :])]
    return [ply._replace(holds=held) for ply, held in zip(known, holds, strict=True)]


def write_plies(plies: Sequence[Ply]) -> str:
    """Return `AuditResult.plies` for the moves of a claimed line."""
    fields = [ply._asdict() for ply in plies]
    for each in fields:
        if each["holds"] is None:
            del each["holds"]
    return json.dumps(fields) if plies else ""


def read_plies(text: str) -> tuple[Ply, ...]:
    """Return the moves of a claimed line from `AuditResult.plies`."""
    return tuple(
        Ply(
            ply["move"], ply["mate"], (*ply["keys"],), ply.get("only"), ply.get("holds")
        )
        for ply in json.loads(text or "[]")
    )


# --------------------------------------------------------------------------------------
# The result of auditing one record.
#
# A worker builds an `AuditResult` from the answer: the row that the store, the exports,
# the tables and the pages all read. `solver.record` has the table of its fields.
#
# The verdict follows from the two proved bounds alone. Soundness needs all keys, and
# duals need a search before each of the attacker's moves in the claimed line. A problem
# with a dual is still sound, as problemists use the word.
#
# `solver.stipulations` has what differs between kinds of stipulations. In self-, reflex
# and stalemate problems, read "mate" as the stipulation's goal.

MOST_DIGITS = 18
"""A line number with more, or with another spelling, is part of a file's name."""

ACCEPT = record.MARKS[0]

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

AGREEING = frozenset({Soundness.SOUND, Soundness.PARTLY_READ})
"""The soundness of records with which nothing disagrees."""

DISAGREEMENTS = (
    Verdict.SHORTER,
    Verdict.REFUTED,
    Verdict.UNFORCED,
    *(word for word in Soundness if word not in AGREEING),
    KEYS,
    DUAL,
    LINE,
)
"""All words that `AuditResult.disagreements` can contain."""

_CONTRADICTED = frozenset({Verdict.SHORTER, Verdict.REFUTED, Verdict.UNFORCED})

_UNDECIDED = frozenset({Verdict.UNDECIDED})

_MISCOUNTED = frozenset({Soundness.MISSING_SOLUTION, Soundness.COOKED})

_FINISHED = frozenset({None, "", solution.StoppedBy.SOLUTIONS})
"""The value of `stopped_by` if the question was answered."""


_place = record.Record._fields.index
_NAMES = record.Record._fields[: _place("fen") + 1]
_CLAIMED = slice(_place("claimed_keys"), _place("claimed_line") + 1)
_FOUND = slice(_place("keys"), _place("time_s") + 1)
_WARNINGS = _place("warnings")


class Origin(StrEnum):
    """Where an audit has the answer of a record from."""

    SEARCHED = "searched"
    """From a search for this record."""

    STORED = "stored"
    """From the store, which had it before the audit. Only the first record that uses an
    answer is counted so."""

    REPEATED = "repeated"
    """The answer is that of an earlier record with the same question."""


class AuditResult(record.Record):
    """What an audit found for one record: its row in a store, and what follows from it.

    The fields are those of `Record`.
    """

    __slots__ = ()

    def row(self) -> tuple[object, ...]:
        """Return the values of `COLUMNS`: what is stored and exported."""
        return self[: len(record.COLUMNS)]

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
        if self.soundness and self.soundness not in AGREEING:
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
        has_failed = self.verdict in _CONTRADICTED or (
            self.solutions is not None and self.soundness in _MISCOUNTED
        )
        return has_failed and self.claim is not None

    @property
    def wants_longer_mate(self) -> bool:
        """Whether the claimed mate is too short and no longer one is known."""
        is_refuted = (
            self.verdict in {Verdict.REFUTED, Verdict.UNFORCED}
            and self.claim is not None
        )
        return (
            is_refuted and self.mate is None and genre_of(self.asked).has_certificates
        )

    def with_longer_mate(self, answer: solution.Solution) -> AuditResult:
        """Add a mate that takes longer than claimed, if one was found.

        The verdict stays that of the question.
        """
        if (answer.mate or 0) * (self.claim or 0) <= 0:  # or the other side mates
            return self
        return self._replace(**record.answer_columns(answer))

    def with_costs_of(self, *answers: solution.Solution) -> AuditResult:
        """Add the nodes and time of further searches for this record."""
        nodes = self.nodes + sum(answer.stats.nodes for answer in answers)
        further_s = sum(answer.stats.time_s for answer in answers)
        return self._replace(
            nodes=nodes, time_s=round((self.time_s or 0.0) + further_s, 6)
        )

    @property
    def is_undecided(self) -> bool:
        """Whether a limit was hit before the question was answered completely.

        A help problem with more solutions than claimed counts as answered without the
        rest.
        """
        return self.stopped_by not in _FINISHED or self.word in _UNDECIDED

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

    def pattern(self) -> Callable[[Problem, str, str, int, float], AuditResult]:
        """Return a function that makes results with other names, positions and moves.

        Their records claim the same, and have the same bounds without all keys, so that
        no moves were compared with the claim. The function takes the problem, the keys,
        the line, the nodes and the time.
        """
        make, complete = AuditResult._make, self.keys_complete
        first, second = (
            self[len(_NAMES) : _FOUND.start],
            self[_FOUND.stop : _CLAIMED.start],
        )
        third, last = self[_CLAIMED.stop : _WARNINGS], self[_WARNINGS + 1 :]

        def like(
            problem: Problem, keys: str, pv: str, nodes: int, time_s: float
        ) -> AuditResult:
            claim, moves, line = problem.claim, "", ""
            if claim and (claim.keys or claim.line):
                moves, line = " ".join(claim.keys), " ".join(claim.line)
            names = problem.id, problem.source, problem.fen
            found = keys, complete, pv, nodes, round(time_s, 6)
            warnings = problem.warnings
            return make(
                (*names, *first, *found, *second, moves, line, *third, warnings, *last)
            )

        return like

    def for_record(self, problem: Problem, origin: str) -> AuditResult:
        """Return this result for another record that poses the same question."""
        return self._replace(
            source=problem.source,
            id=problem.id,
            fen=problem.fen,
            warnings=problem.warnings,
            origin=origin,
        )


def audit_result(
    answer: solution.Solution | errors.FormatError,
    *,
    within: bool = False,
    plies: Sequence[Ply] = (),
    stopped_by: solution.StoppedBy | None = None,
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
    if isinstance(answer, errors.FormatError):
        return AuditResult(
            source=answer.source,
            id=answer.name or answer.source,
            verdict=Verdict.UNREADABLE.value,
            error=answer.reason,
            text=answer.text or None,
        )
    problem, claim = answer.problem, answer.problem.claim
    verdict = find_verdict(answer, within=within)
    marked = mark_only_moves(claim, plies) if claim else ()
    is_only = only_moves(marked)
    kind = genre_of(problem.stipulation)
    solutions = kind.solutions(answer)
    has_all = None if solutions is None else int(answer.solutions_complete)
    return AuditResult(
        source=problem.source,
        id=problem.id,
        fen=problem.fen,
        **claimed_columns(problem),
        **record.answer_columns(answer),
        verdict=record.plain(verdict),
        soundness=record.plain(find_soundness(verdict, answer, marked)),
        wrong_keys=" ".join(find_wrong_keys(answer)),
        plies=write_plies(marked),
        only_moves=None if is_only is None else int(is_only),
        nodes=answer.stats.nodes,
        time_s=round(answer.stats.time_s, 6),
        stopped_by=record.plain(answer.stopped_by or stopped_by),
        solutions=None if solutions is None else record.write_solutions(solutions),
        solutions_complete=has_all,
        certificate=certificate,
        notices=notices,
        warnings=problem.warnings,
    )


def claimed_columns(problem: Problem) -> dict[str, Any]:
    """Return the columns of an `AuditResult` that say what its record claims."""
    claim, kind = problem.claim, genre_of(problem.stipulation)
    return {
        "claim": claim.mate if claim else None,
        "nomate": problem.no_mate,
        "claimed_keys": " ".join(claim.keys) if claim else "",
        "claimed_line": " ".join(claim.line) if claim else "",
        "stipulation": problem.stipulation.text or None,
        "claimed_solutions": kind.claimed_solutions(claim) if claim else None,
    }


def find_verdict(answer: solution.Solution, *, within: bool = False) -> Verdict | None:
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
    verdict = genre_of(answer.problem.stipulation).verdict(claim, answer)
    if verdict is Verdict.REFUTED and claim.by_line:
        return Verdict.UNFORCED
    return Verdict.HOLDS if within and verdict is Verdict.SHORTER else verdict


def _verdict_on_no_mate(moves: int, answer: solution.Solution) -> Verdict:
    if answer.mate is not None and 0 < answer.mate <= moves:
        return Verdict.REFUTED
    is_mated = answer.mate is not None and answer.mate <= 0
    is_excluded = is_mated or answer.lower_bound > moves
    return Verdict.PROVED if is_excluded else Verdict.UNDECIDED


def find_wrong_keys(answer: solution.Solution) -> tuple[str, ...]:
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
    return genre_of(answer.problem.stipulation).wrong_keys(claim, answer)


def find_soundness(
    verdict: Verdict | None, answer: solution.Solution, plies: Sequence[Ply] = ()
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
    kind = genre_of(answer.problem.stipulation)
    is_slow_line = bool(plies) and any(ply.is_slow for ply in plies)
    return kind.soundness(verdict, claim, answer, is_slow_line=is_slow_line)


def split_source(source: str) -> tuple[str, int]:
    """Split `file:line`; the line is 0 if the source has none."""
    file, colon, line = source.rpartition(":")
    is_plain = line.isdecimal() and line.isascii() and line[0] != "0"
    if colon and is_plain and len(line) <= MOST_DIGITS:
        return file, int(line)
    return source, 0


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
