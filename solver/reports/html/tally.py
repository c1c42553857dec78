"""All records of an audit, counted; none of them is kept."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from solver.audit.verdict import DUAL
from solver.reports.claim_name import name_claim

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from solver.output.audit_page.rows import CheckedRecord

BINS_PER_DECADE = 10
"""How finely times are counted: a bin ends a quarter above where it begins."""

SHORTEST_S = 1e-6
"""Records tell times to the microsecond."""

MANY_CLAIMS = 14
"""With more than so many kinds of claims, the long ones share rows of the charts."""

BAND_ENDS = (10, 15, 20, 30, 50, 100)
"""Up to the first of these lengths each claim has its own row; then each band has."""


@dataclass(slots=True)
class _Row:
    """What is known of all records with the same claim."""

    words: Counter[str] = field(default_factory=Counter)
    bins: Counter[int] = field(default_factory=Counter)
    times_s: array[float] = field(default_factory=lambda: array("d"))
    nodes: int = 0
    time_s: float = 0.0


class Tally:
    """Records counted by claim, verdict, soundness and time.

    Of each record only the time is kept, in 8 bytes, since a median needs them all.
    """

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
            row.bins[time_bin(finding.time_s)] += 1
            row.times_s.append(finding.time_s)
        if finding.soundness:
            self._soundness[finding.soundness] += 1
        if finding.solver:
            self._solvers[finding.solver] = None
        self._agreeing += finding.agrees
        disagreements = finding.disagreements
        self._disagreements += bool(disagreements)
        self._duals += DUAL in disagreements

    def summary(self) -> dict[str, object]:
        """Give what `json.dumps` takes.

        Returns
        -------
        dict
            `claims`: a row for each claim in their order, with the counts by `words`,
            `nodes`, `time_s` and the `times` as pairs of a bin and a count;
            `rows`: those of the charts, each with the places of its `claims` and their
            `median_s`; `soundness`: counts, the most frequent first; `duals`: how many
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
                    "times": sorted(row.bins.items()),
                }
                for name, row in rows
            ],
            "rows": list(_chart_rows(rows)),
            "soundness": dict(self._soundness.most_common()),
            "solvers": list(self._solvers),
            "duals": self._duals,
            "agreeing": self._agreeing,
            "disagreements": self._disagreements,
        }


def time_bin(time_s: float) -> int:
    """Number the bin of a time: from 10^(bin / 10) seconds on, up to the next."""
    return math.floor(BINS_PER_DECADE * math.log10(max(time_s, SHORTEST_S)))


def _chart_rows(claims: Sequence[tuple[str, _Row]]) -> Iterator[dict[str, object]]:
    """Gather the claims for a chart: each alone, or the long ones where there are many.

    Parameters
    ----------
    claims : sequence of tuple
        The names of the claims and what is known of them, in their order.
    """
    rows: dict[str, list[int]] = {}
    for place, (name, _) in enumerate(claims):
        band = band_name(name) if len(claims) > MANY_CLAIMS else name
        rows.setdefault(band, []).append(place)
    for name, places in rows.items():
        times_s = [claims[place][1].times_s for place in places]
        yield {"name": name, "claims": places, "median_s": median(times_s)}


def band_name(claim: str) -> str:
    """Name the band that a claim such as `#17` belongs to: `#16 to 20`, `over #100`."""
    sign = claim.rstrip("0123456789")
    moves = int(claim.removeprefix(sign) or 0)
    if moves <= BAND_ENDS[0]:
        return claim
    for before, end in pairwise(BAND_ENDS):
        if moves <= end:
            minus = "-" if sign.endswith("-") else ""
            return f"{sign}{before + 1} to {minus}{end}"
    return f"over {sign}{BAND_ENDS[-1]}"


def median(times_s: Sequence[array[float]]) -> float | None:
    """Give the median of all times; of an even number, the mean of the middle two.

    It is exact, and takes 8 more bytes a time while it is found.
    """
    import numpy as np

    times = np.concatenate([np.frombuffer(part) for part in times_s])
    return float(np.median(times, overwrite_input=True)) if times.size else None


def claim_name(finding: CheckedRecord) -> str:
    """Name a claim: #3, #-2, no #4, or none."""
    return name_claim(finding.claim, finding.no_mate)[1]
