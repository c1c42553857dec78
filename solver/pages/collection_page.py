"""The page of a collection: totals and rows in HTML, and all records for the script."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from dataclasses import dataclass, field
from statistics import median
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from solver import board, errors, pages, problem
from solver.audit import results as audit
from solver.audit.duplicates import Duplicates
from solver.output import audit_records, audit_text, text
from solver.pages.viewer_pages import viewer_data
from solver.record import MARKS
from solver.solution import Solution, Status
from solver.stipulations import Soundness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Record: TypeAlias = (
        audit.AuditResult | Mapping[str, object] | problem.Problem | errors.FormatError
    )

MAX_ROWS = 20_000
"""At most this many disagreeing records are listed; all are counted."""

MAX_AGREEING = 1_000
"""At most this many agreeing records of an audit are listed."""

FIRST_ROWS = 50
"""Without scripts, a page shows this many rows."""

UNSOLVED = "unsolved"
"""The verdict of a record that was read but not searched."""

VERDICTS = (*audit_records.WORDS, UNSOLVED)


def render_page(  # noqa: PLR0913 -- each is one part of the page
    records: Iterable[Record],
    *,
    title: str,
    chosen: Callable[[audit.AuditResult], bool] = lambda _result: True,
    modules: Mapping[str, bytes] | None = None,
    changes: Mapping[str, str] = MappingProxyType({}),
    most_agreeing: int = MAX_AGREEING,
    on_damaged: Callable[[str], None] = lambda _line: None,
    on_left_out: Callable[[str], None] = lambda _line: None,
    skipped: Callable[[], str] = str,
) -> bytes:
    """Return the page of a collection.

    A damaged record is listed as unreadable, with the reason.

    Parameters
    ----------
    records : iterable of AuditResult, Mapping, Problem or FormatError
        Results of an audit, their records as `audit_records.audit_record` makes them,
        or a collection that nobody has solved; read one at a time.
    title : str
        The title of the page.
    chosen : callable
        Whether the page has a result.
    modules : mapping of str to bytes
        The WebAssembly modules by the names of their parts; a page without them does
        not solve.
    changes : mapping of str to str
        What was changed in a collection, by the source of the record.
    most_agreeing : int
        How many records that agree with their claims are listed.
    on_damaged, on_left_out : callable
        Called with a line of text for each damaged record, and if records are left out.
    skipped : callable
        Called after the last record; returns a sentence about those that are not among
        them, or nothing.

    Returns
    -------
    bytes
        One self-contained HTML file in UTF-8.
    """
    tally = Tally()
    room = {False: MAX_ROWS, True: most_agreeing}
    first: dict[bool, list[dict[str, Any]]] = {False: [], True: []}
    listed: list[dict[str, Any]] = []
    repeated = Duplicates()
    for number, given in enumerate(records, 1):
        try:
            result = _result(given)
        except errors.InputError as error:
            name = f"record {number}"
            on_damaged(f"{name}: {error}")
            result = audit.audit_result(errors.FormatError(name, str(error)))
        if not chosen(result):
            continue
        agrees = verdict_of(result) != UNSOLVED and result.agrees
        claim = tally.add(result, agrees=agrees)
        if result.source:
            repeated.add_result(result)
        if not room[agrees]:
            continue
        room[agrees] -= 1
        record = pages.page_record(audit_records.audit_record(result))
        record["row"] = [claim, _found(result), agrees, audit_text.soundness_of(result)]
        _say(record, fault=audit_text.fault(result), change=changes.get(result.source))
        listed.append(record)
        if len(first[agrees]) < FIRST_ROWS:
            first[agrees].append(record)
    duplicates = repeated.sentences()
    for record in listed:
        _say(record, duplicate=duplicates.get(record["source"]))
    lines = [json.dumps(record, separators=(",", ":")) for record in listed]
    note = skipped()
    if left_out := tally.all.total - len(lines):
        counted = f"{left_out:,} more records are counted, not listed."
        on_left_out(f"{len(lines):,} records are listed; {counted}")
        note = f"{counted} {note}"
    return pages.fill_page(
        "collection.html",
        title=title,
        style="collection.css",
        scripts=["modules/collection.mjs"] if lines else [],
        tally=tally,
        rows=(first[False] + first[True])[:FIRST_ROWS],
        note=note,
        duration=text.duration,
        menus={
            "verdict": [word for word, _ in tally.verdicts_found],
            "soundness": [word for word, _ in tally.soundness_found],
            "claim": [row.name for row in tally.claims],
            "mark": (*MARKS, "unmarked"),
        },
        data={
            "records": pages.packed("\n".join(lines).encode()),
            "totals": {word: tally.all.verdicts[word] for word in VERDICTS},
            **viewer_data(modules if lines else None),
        },
    )


def _say(record: dict[str, Any], **texts: str | None) -> None:
    """Add the texts that a page shows, without those that are empty."""
    shown = ((name, text) for name, text in texts.items() if text)
    record.update((name, problem.printable(text)) for name, text in shown)


def _result(given: Record) -> audit.AuditResult:
    """Return any record as a result; an unsolved one has no status."""
    if isinstance(given, problem.Problem):
        result = audit.audit_result(Solution(given, Status.UNDECIDED, None, 0))
        return result._replace(status=None, verdict=None, time_s=None)
    if isinstance(given, errors.FormatError):
        return audit.audit_result(given)
    if isinstance(given, audit.AuditResult):
        return given
    result = audit_records.read_record(given)
    if result.fen is not None:
        board.parse_fen(result.fen)
    return result


def _found(result: audit.AuditResult) -> str:
    """Name what was found as briefly as a claim."""
    if result.mate is not None and result.mate <= 0:
        return f"#{result.mate}"
    if result.mate:
        found = str(result.asked.with_attacker_moves(result.mate))
        solutions = len(result.found_solutions())
        return f"{found}, {solutions}" if solutions else found
    excluded = (result.lower_bound or 0) - 1
    if excluded <= 0:
        return ""
    if result.claim is not None and result.claim < 0:
        return f"no #-{excluded}"
    return f"no {result.asked.with_attacker_moves(excluded)}"


# Totals


def verdict_of(result: audit.AuditResult) -> str:
    """Return the verdict, the status of a record without a claim, or `UNSOLVED`."""
    return str(result.verdict or result.status or UNSOLVED)


@dataclass(slots=True)
class ClaimRow:
    """What the table shows of all records with the same claim.

    It keeps the time of each record in 8 bytes, because a median needs all of them.
    """

    name: str
    verdicts: Counter[str] = field(default_factory=Counter)
    agreeing: int = 0
    times_s: array[float] = field(default_factory=lambda: array("d"))

    @property
    def total(self) -> int:
        """The number of records."""
        return self.verdicts.total()

    @property
    def time(self) -> str:
        """Their median time; empty if no record has a time."""
        return text.duration(median(self.times_s)) if self.times_s else ""

    @property
    def share(self) -> str:
        """The share of records that agree with the claim; empty if none was solved."""
        is_solved = self.verdicts[UNSOLVED] < self.total
        return per_cent(self.agreeing, self.total) if is_solved else ""

    @property
    def bars(self) -> Iterator[tuple[str, float, float]]:
        """Verdicts as parts of a bar of length 100: word, beginning and length."""
        begin = 0.0
        for word in VERDICTS:
            length = 100 * self.verdicts[word] / self.total
            if length:
                yield word, round(begin, 2), round(length, 2)
            begin += length


class Tally:
    """Counts by claim and verdict, and by soundness."""

    def __init__(self) -> None:
        self._rows: dict[tuple[int, str], ClaimRow] = {}
        self.all = ClaimRow("all")
        self._soundness: Counter[str] = Counter()

    def add(self, result: audit.AuditResult, *, agrees: bool) -> str:
        """Count a result; return the name of its claim."""
        claim = audit_text.name_claim(result)
        if claim not in self._rows:
            self._rows[claim] = ClaimRow(claim[1])
        verdict = verdict_of(result)
        for row in (self._rows[claim], self.all):
            row.verdicts[verdict] += 1
            row.agreeing += agrees
            if result.fen and result.time_s is not None:
                row.times_s.append(result.time_s)
        self._soundness.update(audit_text.soundness_of(result))
        return claim[1]

    @property
    def claims(self) -> list[ClaimRow]:
        """The rows of the table, in the order of the claims."""
        return [row for _, row in sorted(self._rows.items())]

    @property
    def verdicts_found(self) -> list[tuple[str, int]]:
        """The verdicts that occur, with their counts, in order."""
        return _counted(self.all.verdicts, VERDICTS)

    @property
    def soundness_found(self) -> list[tuple[str, int]]:
        """The kinds of soundness that occur, with their counts, in order."""
        return _counted(self._soundness, (*Soundness, audit.DUAL, audit.LINE))

    @property
    def is_uniform(self) -> bool:
        """Whether one line says all: every record agrees, or none was solved."""
        total = self.all.total
        return total in (self.all.agreeing, self.all.verdicts[UNSOLVED])

    @property
    def headline(self) -> str:
        """The headline: how many records agree; if all do, with their words."""
        total, agreeing = self.all.total, self.all.agreeing
        if not total:
            return "There are no records."
        counts = f"{total:,} record{'s' * (total > 1)}"
        if not self.is_uniform:
            return f"{agreeing:,} of {counts} agree{'s' * (agreeing == 1)}"
        if not agreeing:
            return f"{counts}, not solved yet"
        if self.soundness_found:
            counts += f": {_listed(self.soundness_found)}"
        is_one = len(self.verdicts_found) == 1
        verdicts = f"all {self.verdicts_found[0][0]}" if is_one else ""
        return f"{counts}; claims: {verdicts or _listed(self.verdicts_found)}"


def per_cent(part: int, whole: int) -> str:
    """Write a share; 0% and 100% are exact."""
    if part in (0, whole):
        return "100%" if part else "0%"
    return f"{min(max(100 * part / whole, 0.1), 99.9):.1f}%"


def _counted(counts: Counter[str], words: Iterable[str]) -> list[tuple[str, int]]:
    return [(str(word), counts[word]) for word in words if counts[word]]


def _listed(found: Iterable[tuple[str, int]]) -> str:
    names = {audit.DUAL: "with a dual", audit.LINE: "with a line too long"}
    return ", ".join(f"{count:,} {names.get(word, word)}" for word, count in found)
