"""The totals of the audit page, for its charts and its table."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from solver.audit.result import AuditResult
from solver.output.audit_records import WORDS
from solver.output.audit_text import AuditTable, name_claim

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


class Tally(AuditTable):
    """Results counted as in the audit table, and by time.

    It keeps only the time of each result, 8 bytes, because a median needs all of them.
    """

    def __init__(self) -> None:
        super().__init__()
        self._times_s: defaultdict[tuple[int, str], array[float]] = defaultdict(
            lambda: array("d")
        )
        self._solvers: dict[str, None] = {}
        self._agreeing = 0
        self._disagreements = 0

    def add(self, result: AuditResult) -> None:
        """Count a result."""
        super().add(result)
        if result.fen and result.time_s is not None:
            self._times_s[name_claim(result)].append(result.time_s)
        if result.solver:
            self._solvers[result.solver] = None
        self._agreeing += result.agrees
        self._disagreements += bool(result.disagreements)

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
        claims = sorted(self._rows)
        times_s = [(claim[1], self._times_s[claim]) for claim in claims]
        return {
            "claims": [
                {
                    "name": claim[1],
                    "words": self._rows[claim].words,
                    "nodes": self._rows[claim].nodes,
                    "time_s": self._rows[claim].time_s,
                    "times": sorted(Counter(map(time_bin, times)).items()),
                }
                for claim, (_, times) in zip(claims, times_s, strict=True)
            ],
            "rows": list(_chart_rows(times_s)),
            "soundness": dict(self._soundness.most_common()),
            "solvers": list(self._solvers),
            "duals": self._duals,
            "agreeing": self._agreeing,
            "disagreements": self._disagreements,
        }


def time_bin(time_s: float) -> int:
    """Return the bin of a time; bin `b` starts at `10 ** (b / 10)` seconds."""
    return math.floor(BINS_PER_DECADE * math.log10(max(time_s, SHORTEST_S)))


def _chart_rows(
    claims: Sequence[tuple[str, array[float]]],
) -> Iterator[dict[str, object]]:
    """Group claims into rows of a chart; long claims share rows if there are many.

    Parameters
    ----------
    claims : sequence of tuple
        The name of each claim, in order, and the times of its results.
    """
    rows: dict[str, list[int]] = {}
    for index, (name, _) in enumerate(claims):
        band = band_name(name) if len(claims) > MANY_CLAIMS else name
        rows.setdefault(band, []).append(index)
    for name, indices in rows.items():
        times_s = [claims[index][1] for index in indices]
        yield {"name": name, "claims": indices, "median_s": median(times_s)}


def band_name(claim: str) -> str:
    """Return the row of a claim such as `#17`: `#16 to 20`, or `over #100`.

    A claim with half a move shares no row.
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
