"""The totals of the audit page, for its charts and its table."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from solver.audit.result import DUAL, AuditResult
from solver.output.audit_records import WORDS
from solver.output.audit_text import name_claim

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NOT_AGREEING = tuple(
    word for word in WORDS if not AuditResult("", "", verdict=word).agrees
)
"""Verdicts of which no record agrees with its claim."""


BINS_PER_DECADE = 10
"""Resolution of the histograms of times: each bin ends 26% above its beginning."""

SHORTEST_S = 1e-6
"""Records give times in whole microseconds."""

MANY_CLAIMS = 14
"""If there are more kinds of claims, the long ones share rows of the charts."""

BAND_ENDS = (10, 15, 20, 30, 50, 100)
"""Claims up to the first of these lengths have a row each; longer ones share a row with
all claims up to the next of them."""


@dataclass(slots=True)
class _Row:
    """Sums over all results with the same claim."""

    words: Counter[str] = field(default_factory=Counter)
    bins: Counter[int] = field(default_factory=Counter)
    times_s: array[float] = field(default_factory=lambda: array("d"))
    nodes: int = 0
    time_s: float = 0.0


class Tally:
    """Results counted by claim, verdict, soundness and time.

    It keeps only the time of each result, 8 bytes, because a median needs all of them.
    """

    def __init__(self) -> None:
        self._rows: dict[tuple[int, str], _Row] = {}
        self._soundness: Counter[str] = Counter()
        self._solvers: dict[str, None] = {}
        self._agreeing = 0
        self._disagreements = 0
        self._duals = 0

    def add(self, result: AuditResult) -> None:
        """Count a result."""
        row = self._rows.setdefault(name_claim(result), _Row())
        row.words[result.word] += 1
        row.nodes += result.nodes
        if result.fen and result.time_s is not None:
            row.time_s += result.time_s
            row.bins[time_bin(result.time_s)] += 1
            row.times_s.append(result.time_s)
        if result.soundness:
            self._soundness[result.soundness] += 1
        if result.solver:
            self._solvers[result.solver] = None
        self._agreeing += result.agrees
        disagreements = result.disagreements
        self._disagreements += bool(disagreements)
        self._duals += DUAL in disagreements

    def summary(self) -> dict[str, object]:
        """Return the totals as JSON can hold them.

        Returns
        -------
        dict
            `claims`: for each claim, in order, its `name`, the counts by `words`,
            `nodes`, `time_s`, and its `times` as pairs of bin and count;
            `rows`: for each row of the charts its `name`, the indices of its `claims`
            and its `median_s`;
            `soundness`: counts, the most frequent first;
            `solvers`: the versions that found the answers;
            `duals`: the number of records with a dual;
            `agreeing` and `disagreements`: the numbers of records that agree with
            their claims and that do not. Undecided and unreadable records are neither.
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
    """Return the bin of a time; bin `b` starts at `10 ** (b / 10)` seconds."""
    return math.floor(BINS_PER_DECADE * math.log10(max(time_s, SHORTEST_S)))


def _chart_rows(claims: Sequence[tuple[str, _Row]]) -> Iterator[dict[str, object]]:
    """Group claims into rows of a chart; long claims share rows if there are many.

    Parameters
    ----------
    claims : sequence of tuple
        The name and the sums of each claim, in order.
    """
    rows: dict[str, list[int]] = {}
    for index, (name, _) in enumerate(claims):
        band = band_name(name) if len(claims) > MANY_CLAIMS else name
        rows.setdefault(band, []).append(index)
    for name, indices in rows.items():
        times_s = [claims[index][1].times_s for index in indices]
        yield {"name": name, "claims": indices, "median_s": median(times_s)}


def band_name(claim: str) -> str:
    """Return the row of a claim such as `#17`: `#16 to 20`, or `over #100`.

    A claim with half a move has a row of its own.
    """
    if claim.endswith(".5"):
        return claim
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
    """Return the exact median of all times, or None if there are none.

    It copies the times: 8 more bytes for each.
    """
    import numpy as np

    times = np.concatenate([np.frombuffer(part) for part in times_s])
    return float(np.median(times, overwrite_input=True)) if times.size else None
