"""Correct a collection: proved claims in place of wrong ones, as an editor decides.

1. The file is read again, and each record is matched with its result.
2. `formats.patches` finds the fields of each record that is wrong, or has a mark.
3. As few fields as possible get what was proved. The record is read with them, and
   stays as it was if it would still contradict the answer.
4. Each of these records is reported: what was changed, or why it is left.
"""

from __future__ import annotations

import re
from collections import deque
from contextlib import suppress
from enum import StrEnum
from itertools import product
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from solver import errors, position_text, solution
from solver.audit import job, results
from solver.audit.duplicates import Duplicates
from solver.formats import claims, evidence, patches, registry, streams, words
from solver.formats.solutions import read_solution, translated
from solver.formats.words import NUMERALS
from solver.position_text import find_fens
from solver.problem import MATE, Problem, printable
from solver.record import MARKS
from solver.stipulations import Soundness, Verdict, genre_of

if TYPE_CHECKING:
    import os
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )

    from solver.audit.results import AuditResult
    from solver.formats.patches import Located, PlacedField

_NUMBER = re.compile(
    rf"\d+(?!\d|[.,]\d*[1-9])|\b(?:{'|'.join(NUMERALS)})\b", re.IGNORECASE
)
_WORDS = {number: word for word, number in NUMERALS.items()}
_UCI = re.compile(r"(?<!\w)[a-h][1-8][a-h][1-8][nbrq]?\b")
_HAS_MOVES = re.compile(r"[a-h][1-8]|O-O|0-0")
_MOVE = re.compile(
    r"[a-h][1-8][a-h][1-8][nbrq]?|O-O(?:-O)?[+#]?"
    r"|[A-Z\u0410-\u042f\u2654-\u265f]?[a-h]?[1-8]?[x:-]?[a-h][1-8](?:=?[A-Z])?[+#]?"
)
_HAS_NUMBERS = re.compile(r"\b1\s*\.")

_, COOK, REJECT = MARKS


class Drop(StrEnum):
    """Which records to leave out."""

    REJECT = "reject"
    UNREADABLE = "unreadable"
    DUPLICATES = "duplicates"


class Cause(StrEnum):
    """Why a record stays wrong, or as it is."""

    UNPROVED = "no shortest mate is proved"
    OTHER = "it demands something other than a mate"
    DUAL = "the claimed line has a dual"
    NO_FIELD = "no field of the record can express the answer"
    NO_KEYS = "no field of the record can hold all keys"
    NO_PLACE = "its place in the file is shared or unclear"
    GONE = "not in the file as it was audited"
    UNREADABLE = "unreadable; --drop unreadable leaves it out"
    REJECTED = "the mark reject has no effect without --drop reject"
    NOT_COOKED = "the mark cook has no effect: there is no second key"
    HINT = "--hints writes that position"


class Decisions(NamedTuple):
    """What an editor wants to be written.

    Attributes
    ----------
    drop : frozenset of Drop
        Which records to leave out.
    keeps_claim_only : bool
        Write no keys and no line for a record with the mark `cook`, instead of all keys
        that were found.
    hints : bool
        Write positions with the convention with which a claim holds.
    """

    drop: frozenset[Drop] = frozenset()
    keeps_claim_only: bool = False
    hints: bool = False


class Correction(NamedTuple):
    """What happened to one record.

    Attributes
    ----------
    result : AuditResult
        Its result.
    before, after : dict of str to str
        The texts of the changed fields, by their names.
    left : tuple of str
        What is still wrong: words of `AuditResult.disagreements` and a `Cause`.
    dropped : str
        Why it was left out; empty if it was not.
    """

    result: AuditResult
    before: Mapping[str, str] = {}
    after: Mapping[str, str] = {}
    left: tuple[str, ...] = ()
    dropped: str = ""

    def __str__(self) -> str:
        result = self.result
        has_name = result.id not in {"", claims.default_name(result.source)}
        named = f" {result.id}:" * (has_name and result.id != result.source)
        end = f": {_shown(result.text or result.error or '', 200)}"
        return f"{result.source}:{named} {self.said}{end * (not result.fen)}"

    @property
    def said(self) -> str:
        """What was changed, and what is left and why, in words."""
        changed = ", ".join(
            f"{name} {_shown(old)} -> {_shown(self.after[name])}"
            for name, old in self.before.items()
        )
        said = [f"changed {changed}"] if changed else []
        if self.dropped:
            said.append(f"dropped: {self.dropped}")
        if self.left:
            wrong = [one for one in self.left if one in results.DISAGREEMENTS]
            causes = ", ".join(self.left[len(wrong) :])
            words_left = f" ({', '.join(wrong)})" if wrong else ""
            said.append(f"left{words_left}: {causes}".removesuffix(": "))
        return "; ".join(said)


def _shown(text: str, most: int = 60) -> str:
    shown = " ".join(printable(text).split()) or "(empty)"
    return shown if len(shown) <= most else f"{shown[:most]}..."


class _Task(NamedTuple):
    """A record to decide about.

    Attributes
    ----------
    result : AuditResult
    problem : Problem or None
        None if it is unreadable.
    duplicate_of : str
        The source of the record that it repeats, if it is dropped therefore.
    is_shared : bool
        Whether another record has the same number.
    """

    result: AuditResult
    problem: Problem | None
    duplicate_of: str = ""
    is_shared: bool = False


def correct(
    path: str | os.PathLike[str],
    options: claims.ReadOptions,
    found: Iterable[AuditResult],
    report: Callable[[Correction], object],
    decisions: Decisions = Decisions(),  # noqa: B008 -- immutable
    on_record: Callable[[], object] = lambda: None,
) -> Iterator[bytes]:
    """Yield the content of a collection piece by piece, with proved claims.

    Parameters
    ----------
    path : str or PathLike
        The file, which is read several times; see `read_collection`.
    options : ReadOptions
        How it was read for the audit.
    found : iterable of AuditResult
        The results of the audit, perhaps with those of other files. An editor's
        accepted records stay as they are.
    report : callable
        Called for each record that is wrong, unreadable or marked, or that is left out.
    decisions : Decisions
        What the editor wants.
    on_record : callable
        Called for each record that is read.

    Raises
    ------
    InputError
        The format of the file cannot be corrected, or a record cannot be dropped.
    """
    summary = claims.FileSummary()
    repeated = Duplicates()
    if Drop.DUPLICATES in decisions.drop:
        deque(repeated.note(registry.read_collection(path, options)), 0)
    matches = _Matches(streams.name_of(path), found, repeated.dropped())
    for record in registry.read_collection(path, options, summary):
        matches.add(record)
        on_record()
    tasks = matches.tasks(decisions.drop)
    if summary.format not in patches.FORMATS:
        expected = "CSV, EPD, JSON, JSON lines, PGN or xlsx to correct"
        raise errors.refusal(summary.name, expected, summary.title or "nothing")

    def decide(number: int, located: Located) -> Mapping[Any, str] | None:
        letters = summary.learnt.letters if summary.learnt else ()
        corrector = _Corrector(tasks.pop(number), located, decisions, letters)
        correction, texts = corrector.decide()
        report(correction)
        return texts

    for result in matches.gone():
        report(Correction(result, left=(*result.disagreements, Cause.GONE)))
    yield from patches.patch(path, summary, {*tasks}, decide)
    for task in tasks.values():
        left = (*task.result.disagreements, Cause.NO_PLACE)
        report(Correction(task.result, left=left))


class _Matches:
    """Matches the records of a file with the results of its audit.

    A result belongs to the record on its line with its position and claim. If there is
    none, it belongs to one with its name, position and claim.

    Parameters
    ----------
    name : str
        The name of the file.
    found : iterable of AuditResult
        The results, perhaps also of other files.
    repeats : mapping of str to str
        The sources of duplicates, and the source that each repeats.
    """

    def __init__(
        self, name: str, found: Iterable[AuditResult], repeats: Mapping[str, str]
    ) -> None:
        kept = [one for one in found if one.mark or one.disagreements]
        files = {results.split_source(one.source)[0] for one in kept}
        own = {name} & files or {
            one for one in files if PurePath(one).name == PurePath(name).name
        }
        self._kept = [one for one in kept if results.split_source(one.source)[0] in own]
        self._by_line = {_keys_of(one)[0]: one for one in self._kept}
        self._by_name = {_keys_of(one)[1]: one for one in self._kept}
        self._repeats = repeats
        self._tasks: dict[int, _Task] = {}
        self._moved: list[tuple[int, Problem, AuditResult]] = []
        self._repeating: dict[int, _Task] = {}
        self._matched: set[int] = set()
        self._last, self._shared = -1, set[int]()

    def add(self, record: Problem | errors.FormatError) -> None:
        """Look for the result of the next record."""
        number = results.split_source(record.source)[1]
        if number == self._last:
            self._shared.add(number)
        self._last = number
        if isinstance(record, errors.FormatError):
            self._tasks[number] = _Task(results.audit_result(record), None)
            return
        claimed = results.claimed_columns(record)
        asked = results.AuditResult(record.id, record.source, record.fen, **claimed)
        by_line, by_name = _keys_of(asked)
        if result := self._by_line.get(by_line):
            self._take(number, record, result)
        elif result := self._by_name.get(by_name):
            self._moved.append((number, record, result))
        if first := self._repeats.get(record.source):
            self._repeating[number] = _Task(result or asked, record, first)

    def _take(self, number: int, record: Problem, result: AuditResult) -> None:
        self._matched.add(id(result))
        if result.mark != results.ACCEPT:
            self._tasks[number] = _Task(result, record)

    def tasks(self, drop: Collection[Drop]) -> dict[int, _Task]:
        """Return what to decide about, by the numbers of the records."""
        for number, record, result in self._moved:
            if id(result) not in self._matched:
                self._take(number, record, result)
        rejected = {
            number
            for number, task in self._tasks.items()
            if task.result.mark == REJECT and Drop.REJECT in drop
        }
        for number, task in self._repeating.items():
            # What repeats a record that is left out stays.
            if results.split_source(task.duplicate_of)[1] not in rejected:
                self._tasks[number] = task
        for number in self._shared & self._tasks.keys():
            self._tasks[number] = self._tasks[number]._replace(is_shared=True)
        return self._tasks

    def gone(self) -> list[AuditResult]:
        """Return the results that belong to no record."""
        return [
            one
            for one in self._kept
            if id(one) not in self._matched and one.mark != results.ACCEPT
        ]


def _keys_of(result: AuditResult) -> tuple[object, object]:
    """Return what identifies a record, first by its line, then by its name."""
    line = results.split_source(result.source)[1]
    is_named = result.id != claims.default_name(result.source)
    asked = result.fen, result.stipulation, result.claim, result.nomate
    return (line, *asked), (result.id if is_named else "", *asked)


class _Corrector:
    """Corrects one record.

    Parameters
    ----------
    task : _Task
    located : Located
        Where its fields are.
    decisions : Decisions
    letters : collection of str
        See `translated`.
    """

    def __init__(
        self,
        task: _Task,
        located: Located,
        decisions: Decisions,
        letters: Collection[str],
    ) -> None:
        self._letters = letters
        self._result, self._problem, self._first, self._is_shared = task
        self._located = patches.Located() if self._is_shared else located
        self._decisions = decisions

    def decide(self) -> tuple[Correction, Mapping[Any, str] | None]:
        """Return what happens to the record, and its other texts; None drops it."""
        result, wrong = self._result, self._result.disagreements
        is_idle = result.mark == COOK and Soundness.COOKED not in wrong
        notes = (Cause.NOT_COOKED,) * is_idle
        why = self._why_dropped()
        if why and not self._is_shared:
            return Correction(result, dropped=why), None
        cause = Cause.NO_PLACE if why else self._obstacle(self._problem)
        if cause or not wrong or self._problem is None:
            causes = filter(None, (cause, *notes))
            return Correction(result, left=(*wrong, *causes)), {}
        texts, left = self._search(self._problem)
        fields = {one.at: one for one in self._located.fields}
        before = {fields[at].name: fields[at].text for at in texts}
        after = {fields[at].name: new for at, new in texts.items()}
        return Correction(result, before, after, (*left, *notes)), texts

    def _why_dropped(self) -> str:
        """Return why the record is left out; empty if it is not."""
        reasons = {
            Drop.UNREADABLE: "unreadable" * (self._problem is None),
            Drop.REJECT: "rejected" * (self._result.mark == REJECT),
            Drop.DUPLICATES: self._first and f"a duplicate of {self._first}",
        }
        found = (why for one, why in reasons.items() if one in self._decisions.drop)
        return next(filter(None, found), "")

    def _obstacle(self, problem: Problem | None) -> str:
        """Return why nothing can be written in the record; empty if it can be tried."""
        result, wrong = self._result, self._result.disagreements
        is_proved = result.mate and result.lower_bound == abs(result.mate)
        is_length_right = bool(
            problem and problem.claim and problem.claim.mate == result.mate
        )
        hint = f"{result.hint}: {Cause.HINT}" * (not self._decisions.hints)
        obstacles = {
            Cause.UNREADABLE: problem is None,
            Cause.REJECTED: result.mark == REJECT,
            Cause.OTHER: bool(wrong and result.asked.beside_claim.text),
            hint: bool(wrong and result.hint),
            Cause.UNPROVED: bool(wrong) and not (is_proved or result.hint),
            Cause.DUAL: is_length_right and results.DUAL in wrong and not result.hint,
        }
        return next((cause for cause, is_met in obstacles.items() if is_met), "")

    def _search(self, problem: Problem) -> tuple[Mapping[Any, str], tuple[str, ...]]:
        """Return the texts to write, and what is then still wrong.

        What need not be replaced stays: keys, then the line, then both are tried.
        """
        result = self._result
        if result.hint:
            return self._with_convention(problem)
        mate = result.mate or 0
        moves = mate if problem.claim else mate - 1  # how many have no mate
        keys, pv = result.keys.split() if mate > 0 else None, result.pv.split()
        if result.mark == COOK and self._decisions.keeps_claim_only:
            texts = self._rewrite(problem, moves, [], [])
            left = self._left(texts, problem)
            if left == (Soundness.COOKED,):
                return texts, left
            return {}, (*result.disagreements, Cause.NO_FIELD)
        best: Mapping[Any, str] = {}
        ways = (None, None), (keys, None), (None, pv), (keys, pv)
        for words_too, (new_keys, new_line) in product((False, True), ways):
            texts = self._rewrite(
                problem, moves, new_keys, new_line, words_too=words_too
            )
            left = self._left(texts, problem)
            if texts and not left:
                return texts, ()
            # Keys that the record has no room for are no reason to keep a wrong length.
            is_cooked = left == (Soundness.COOKED,)
            if is_cooked and not best and result.verdict != Verdict.PROVED:
                best = texts
        if best:
            return best, (Soundness.COOKED, Cause.NO_KEYS)
        is_cooked = result.disagreements == (Soundness.COOKED,)
        cause = Cause.NO_KEYS if is_cooked else Cause.NO_FIELD
        return {}, (*result.disagreements, cause)

    def _with_convention(
        self, problem: Problem
    ) -> tuple[Mapping[Any, str], tuple[str, ...]]:
        """Return the position with which the claim holds."""
        variants = {words: variant.fen for words, variant in job.variants(problem)}
        fen = variants.get((self._result.hint or "").removeprefix(job.HINTED), "")
        for field in self._located.fields:
            place = next(find_fens(field.text), None)
            if field.part != "position" or place is None:
                continue
            old = place.fen.split()
            new = " ".join([*fen.split()[: len(old)][:4], *old[4:]])
            text = field.text[: place.start] + new + field.text[place.end :]
            with suppress(errors.InputError):
                read = self._located.read({field.at: text})
                if read and read.fen.split()[:4] == fen.split()[:4]:
                    return {field.at: text}, ()
        return {}, (*self._result.disagreements, Cause.NO_FIELD)

    def _rewrite(
        self,
        problem: Problem,
        moves: int,
        keys: Sequence[str] | None,
        line: Sequence[str] | None,
        *,
        words_too: bool = False,
    ) -> dict[Any, str]:
        """Return the texts that differ with another claim; None leaves keys or line.

        With `words_too`, claims in words are replaced too: those around a position, and
        those in fields that the reader ignores.
        """
        given = next(
            (one.text for one in self._located.fields if one.part == "position"), ""
        )
        played = int(problem.fen.partition(" ")[0] not in given)
        claim = problem.claim
        claimed = claim.mate if claim else problem.no_mate or 0
        change = _Change(problem.fen, claimed, moves, keys, line, played, self._letters)
        read = [one for one in self._located.fields if one.part not in {"", "position"}]
        fields = self._located.fields if words_too else read
        written = ((field, _rewritten(field, change)) for field in fields)
        return {field.at: new for field, new in written if new != field.text}

    def _left(self, texts: Mapping[Any, str], before: Problem) -> tuple[str, ...]:
        """Return what in a record with other texts still contradicts the answer."""
        result = self._result
        try:
            problem = self._located.read(texts)
        except errors.InputError:
            problem = None
        if problem is None or problem.fen != result.fen:
            return result.disagreements
        answer = solution.Solution(
            problem,
            solution.Status.PROVED,
            result.mate,
            result.lower_bound or 1,
            tuple(result.pv.split()),
            tuple(result.keys.split()),
            keys_complete=bool(result.keys_complete),
        )
        found = results.audit_result(answer)
        claim = problem.claim
        moves = {*claim.keys, *claim.line[:1]} if claim and claim.mate > 0 else set()
        is_clean = len(problem.warnings) <= len(before.warnings)
        is_known = is_clean and moves <= {*answer.keys}  # maybe not all are known
        is_proved = found.verdict == Verdict.PROVED and is_known
        return found.disagreements if is_proved else result.disagreements


# The texts of fields


class _Change(NamedTuple):
    """What replaces a claim; None: it stays.

    Attributes
    ----------
    fen : str
    claimed, moves : int
        The length that is claimed, and the one that is proved.
    keys, line : sequence of str or None
    played : int
        How many moves of the written line lead to the position.
    letters : collection of str
        See `translated`.
    """

    fen: str
    claimed: int
    moves: int
    keys: Sequence[str] | None
    line: Sequence[str] | None
    played: int
    letters: Collection[str]


_NUMBERS = {"claim", "nomate", "stipulation", "keys", "line", "plies"}


def _rewritten(field: PlacedField, change: _Change) -> str:
    """Return the text of a field with another claim."""
    text, part = field.text, field.part
    if part in {"keys", "line"} and _HAS_MOVES.search(text):
        return _write_moves(text, change, part)
    if part == "position":
        place = next(find_fens(text), None)
        start, end = (place.start, place.end) if place else (0, len(text))
        around = (_reworded(one, change) for one in (text[:start], text[end:]))
        return text[start:end].join(around)
    if part == "themes" and "mateIn" in text:
        old, new = (min(n, evidence.AND_MORE) for n in (change.claimed, change.moves))
        return re.sub(rf"(?<=\bmateIn){old}(?!\d)", str(new), text)
    if part in {"", "words", "themes"}:
        return _reworded(text, change)
    is_number = part in _NUMBERS
    return _renumbered(text, change, in_plies=part == "plies") if is_number else text


def _reworded(text: str, change: _Change) -> str:
    """Return a text with another length in words that claim one."""
    plain = text.replace("_", " ")
    for _, said, _ in words.find_words(plain, evidence.WHITE)[0]:
        start = plain.find(said)
        end = start + len(said)
        text = text[:start] + _renumbered(said, change) + text[end:]
    return text


def _renumbered(text: str, change: _Change, *, in_plies: bool = False) -> str:
    """Return a text with another number, as a word if it was one.

    Only the first number is replaced, if it is the claimed one.
    """
    found = _NUMBER.search(text)
    number = NUMERALS.get(found[0].lower(), found[0]) if found else ""
    moves = (int(number or 0) + 1) // 2 if in_plies else int(number or 0)
    if not found or moves != abs(change.claimed):
        return text
    plies = 2 * abs(change.moves) - (change.moves > 0)
    new = str(plies if in_plies else abs(change.moves))
    if not found[0].isdecimal() and new in _WORDS:
        word = _WORDS[new]
        new = word.capitalize() if found[0][0].isupper() else word
    return text[: found.start()] + new + text[found.end() :]


def _names_keys(text: str, change: _Change) -> bool:
    """Return whether a text names first moves only."""
    found = read_solution(change.fen, text)
    return not change.played and bool(found.keys or len(found.moves) == 1)


def _write_moves(text: str, change: _Change, part: str) -> str:
    """Return a text of keys or a line with others, in its notation."""
    has_keys = part == "keys" or _names_keys(text, change)
    moves = change.keys if has_keys else change.line
    if moves is None:
        return text
    given = text.split()
    kept = [] if has_keys else given[: change.played]
    kept += [_renumbered(one, change) for one in given if one.startswith("#")]
    if _UCI.search(text):
        written = [*moves]
    elif has_keys:
        written = position_text.first_moves(change.fen, moves)
    elif _HAS_NUMBERS.search(text):
        written = genre_of(MATE).numbered_line(change.fen, moves)
    else:
        (written,) = position_text.write_lines(change.fen, [moves])
    if not (_UCI.search(text) or change.played):
        local = translated(change.fen, text, written, change.letters)
        if local is None:
            return text
        written = local
    if has_keys and len(only := [*_MOVE.finditer(text)]) == 1 and moves:
        start, end = only[0].span()  # what is around the only key stays: `1. Ra8!`
    else:
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        written = kept + written
    return text[:start] + " ".join(written) + text[end:]
