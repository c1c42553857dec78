"""All records of an audit, counted; none of them is kept."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from solver.reports.claim_name import name_claim
from solver.verdict import DUAL

if TYPE_CHECKING:
    from solver.reports.html.checked_record import CheckedRecord

BINS_PER_DECADE = 10
"""How finely times are counted: a bin ends a quarter above where it begins."""

SHORTEST_S = 1e-6
"""Records tell times to the microsecond."""


@dataclass(slots=True)
class _Row:
    """What is known of all records with the same claim."""

    words: Counter[str] = field(default_factory=Counter)
    times: Counter[int] = field(default_factory=Counter)
    nodes: int = 0
    time_s: float = 0.0


class Tally:
    """Records counted by claim, verdict, soundness and time."""

    def __init__(self) -> None:
        self._rows: dict[tuple[int, str], _Row] = {}
        self._soundness: Counter[str] = Counter()
        self._solvers: dict[str, None] = {}
        self._agreeing = 0
        self._disagreements = 0
        self._duals = 0

    def add(self, finding: CheckedRecord) -> None:
        """Count one record."""
        row = self._rows.setdefault(name_claim(finding.claim, finding.no_mate), _Row())
        row.words[finding.word] += 1
        row.nodes += finding.nodes
        if finding.time_s is not None:
            row.time_s += finding.time_s
            row.times[time_bin(finding.time_s)] += 1
        if finding.soundness:
            self._soundness[finding.soundness] += 1
        if finding.solver:
            self._solvers[finding.solver] = None
        self._agreeing += finding.agrees
        self._disagreements += bool(finding.disagreements)
        self._duals += DUAL in finding.disagreements

    def summary(self) -> dict[str, object]:
        """Give what `json.dumps` takes.

        Returns
        -------
        dict
            `claims`: a row for each claim in their order, with the counts by `words`,
            `nodes`, `time_s` and the `times` as pairs of a bin and a count;
            `soundness`: counts, the most frequent first; `duals`: how many
            records have one; `solvers`: their versions; `agreeing`: how many records
            are as claimed; `disagreements`: how many are not. What is undecided or
            unreadable is neither.
        """
        rows = [(name, row) for (_, name), row in sorted(self._rows.items())]
        return {
            "claims": [
                {
                    "name": name,
                    "words": row.words,
                    "nodes": row.nodes,
                    "time_s": row.time_s,
                    "times": sorted(row.times.items()),
                }
                for name, row in rows
            ],
            "soundness": dict(self._soundness.most_common()),
            "solvers": list(self._solvers),
            "duals": self._duals,
            "agreeing": self._agreeing,
            "disagreements": self._disagreements,
        }


def time_bin(time_s: float) -> int:
    """Number the bin of a time: from 10^(bin / 10) seconds on, up to the next."""
    return math.floor(BINS_PER_DECADE * math.log10(max(time_s, SHORTEST_S)))


def claim_name(finding: CheckedRecord) -> str:
    """Name a claim: #3, #-2, no #4, or none."""
    return name_claim(finding.claim, finding.no_mate)[1]
