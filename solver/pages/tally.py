"""The totals of a collection's page: headline, links to the list, table of claims."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from solver.audit.result import DUAL, LINE
from solver.output.audit_records import WORDS
from solver.output.audit_text import name_claim, soundness_of
from solver.output.text import duration
from solver.stipulations.kind import Soundness

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from solver.audit.result import AuditResult

UNSOLVED = "unsolved"
"""The verdict of a record that was read but not searched."""

VERDICTS = (*WORDS, UNSOLVED)


def verdict_of(result: AuditResult) -> str:
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
        return duration(median(self.times_s)) if self.times_s else ""

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

    def add(self, result: AuditResult, *, agrees: bool) -> str:
        """Count a result; return the name of its claim."""
        claim = name_claim(result)
        if claim not in self._rows:
            self._rows[claim] = ClaimRow(claim[1])
        verdict = verdict_of(result)
        for row in (self._rows[claim], self.all):
            row.verdicts[verdict] += 1
            row.agreeing += agrees
            if result.fen and result.time_s is not None:
                row.times_s.append(result.time_s)
        self._soundness.update(soundness_of(result))
        return claim[1]

    @property
    def claims(self) -> list[ClaimRow]:
        """The rows of the table, in the order of the claims."""
        return [row for _, row in sorted(self._rows.items())]

    @property
    def verdicts_found(self) -> list[tuple[str, int]]:
        """The verdicts that occur, with their counts, in order."""
        return _found(self.all.verdicts, VERDICTS)

    @property
    def soundness_found(self) -> list[tuple[str, int]]:
        """The kinds of soundness that occur, with their counts, in order."""
        return _found(self._soundness, (*Soundness, DUAL, LINE))

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


def _found(counts: Counter[str], words: Iterable[str]) -> list[tuple[str, int]]:
    return [(str(word), counts[word]) for word in words if counts[word]]


def _listed(found: Iterable[tuple[str, int]]) -> str:
    names = {DUAL: "with a dual", LINE: "with a line too long"}
    return ", ".join(f"{count:,} {names.get(word, word)}" for word, count in found)
