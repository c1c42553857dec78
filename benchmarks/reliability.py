"""How well a material-imbalance table predicts games that it has not counted.

The held-out games are counted into a separate table, cell by cell. A cell's score,
a half for a draw, predicts the result of every held-out position in it; its error is
the distance from that result. The Brier score is the mean of the squared errors: 0 is
perfect, and a score of 50 per cent everywhere has at most 0.25.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, NamedTuple

from solver.laboratory.imbalance import (
    RESULTS,
    ImbalanceTable,
    find_material_cell,
    material_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from solver.laboratory.games import GamePosition
    from solver.laboratory.imbalance import Outcomes

BUCKETS = (0, 1, 10, 50, 200, 1_000, 10_000)
"""The least positions of the cells in each bucket."""

TRUSTED = 50
"""Positions that a cell needs by default to be used."""

WEIGHTS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
"""The N of the curves that are compared."""


@dataclass(slots=True)
class Tally:
    """Held-out positions, and how well the scores of their cells predicted the results.

    `cells` counts the cells that the positions are in, `predicted` the positions in
    cells that have a score. `error` is the sum of the distances between score and
    result, each 0 to 1, and `squared` the sum of their squares. `decided` counts
    positions in cells that were always won or always lost, and `decided_right` those
    whose games ended so; `rounded` and `rounded_right` count the same in cells whose
    rounded score is 0 or 100 per cent.
    """

    cells: int = 0
    positions: int = 0
    predicted: int = 0
    error: float = 0.0
    squared: float = 0.0
    decided: int = 0
    decided_right: int = 0
    rounded: int = 0
    rounded_right: int = 0

    @property
    def mean_error(self) -> float | None:
        """The mean distance between score and result; None without predictions."""
        return self.error / self.predicted if self.predicted else None

    @property
    def brier(self) -> float | None:
        """The Brier score; None without predictions."""
        return self.squared / self.predicted if self.predicted else None

    def add(self, known: Outcomes, found: Outcomes) -> None:
        """Count the held-out positions of a cell of which the table knows so much."""
        self.cells += 1
        self.positions += found.positions
        if not known.positions:
            return
        self.predicted += found.positions
        score = _score(known, 0)
        self.squared += _squared_error(found, score)
        for number, result in zip(found, RESULTS, strict=True):
            self.error += number * abs(score - result)
        right = found.wins if known.wins > known.losses else found.losses
        if known.is_decided:
            self.decided += found.positions
            self.decided_right += right
        if score < 0.005 or score >= 0.995:  # 0 or 100 per cent, halves rounded up
            self.rounded += found.positions
            self.rounded_right += right


class Bucket(NamedTuple):
    """The held-out positions in cells with `least` to `most` positions; None: more."""

    least: int
    most: int | None
    tally: Tally


class CurveScore(NamedTuple):
    """The Brier score if cells are drawn towards 50 per cent by n / (n + weight)."""

    weight: int
    brier: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """How well one view of a table predicts held-out games.

    There is a bucket for each of `BUCKETS`, and a curve for each of `WEIGHTS`; none
    without positions whose cell has a score.
    """

    buckets: tuple[Bucket, ...]
    curves: tuple[CurveScore, ...]

    @property
    def total(self) -> Tally:
        """The sum of all buckets."""
        rows = (astuple(bucket.tally) for bucket in self.buckets)
        return Tally(*(sum(column) for column in zip(*rows, strict=True)))

    @property
    def best_curve(self) -> CurveScore | None:
        """The curve with the least Brier score, of equal ones the least weight."""
        return min(self.curves, key=lambda curve: curve.brier, default=None)

    def met(self, least: int) -> int:
        """Count the held-out positions in cells with enough, one of `BUCKETS`."""
        assert least in BUCKETS
        return sum(b.tally.positions for b in self.buckets if b.least >= least)

    def coverage(self, least: int = 1) -> float | None:
        """Return the share of held-out positions in such cells; None without any."""
        positions = self.total.positions
        return self.met(least) / positions if positions else None


def measure(
    imbalance: ImbalanceTable,
    held_out: ImbalanceTable,
    *,
    folded: bool = True,
    least_balance: int = 0,
) -> Reliability:
    """Compare a table with the positions of games that it has not counted.

    If it is folded, a cell counts what either colour scored with this material, else
    only what White did. Positions in which neither side is ahead by `least_balance`
    pawns are left out.
    """
    buckets = [
        Bucket(least, most and most - 1, Tally())
        for least, most in zip(BUCKETS, [*BUCKETS[1:], None], strict=True)
    ]
    squared = dict.fromkeys(WEIGHTS, 0.0)
    predicted = 0
    for known, found in _pairs(imbalance, held_out, folded, least_balance):
        positions = known.positions
        bucket = next(b for b in reversed(buckets) if b.least <= positions)
        bucket.tally.add(known, found)
        if positions:
            predicted += found.positions
            for weight in WEIGHTS:
                squared[weight] += _squared_error(found, _score(known, weight))
    curves = (CurveScore(weight, squared[weight] / predicted) for weight in WEIGHTS)
    return Reliability(tuple(buckets), tuple(curves) if predicted else ())


class SizedCoverage(NamedTuple):
    """The coverage of a table after so many positions, those out of range included.

    `met` and `trusted` are the shares of held-out positions in cells with any, and with
    `TRUSTED` positions.
    """

    positions: int
    met: float | None
    trusted: float | None


def coverage_by_size(
    counted: Iterable[GamePosition],
    held_out: ImbalanceTable,
    sizes: Collection[int],
) -> Iterator[SizedCoverage]:
    """Yield the coverage of a table as it counts positions, at these sizes and last."""

    def covered() -> SizedCoverage:
        reliability = measure(imbalance, held_out)
        met, trusted = reliability.coverage(), reliability.coverage(TRUSTED)
        return SizedCoverage(number, met, trusted)

    imbalance, number = ImbalanceTable(), 0
    for number, position in enumerate(counted, 1):
        imbalance.add(find_material_cell(position.material), position.result)
        if number in sizes:
            yield covered()
    if number not in sizes:
        yield covered()


def _pairs(
    imbalance: ImbalanceTable,
    held_out: ImbalanceTable,
    folded: bool,
    least_balance: int,
) -> Iterator[tuple[Outcomes, Outcomes]]:
    """Yield what the table knows and what was held out, for each cell that was met."""
    imbalance = imbalance.folded() if folded else imbalance
    for cell, found in held_out.filled_cells():
        if abs(material_of(cell).balance()) >= least_balance:
            yield imbalance.outcomes(cell), found


def _score(known: Outcomes, weight: int) -> float:
    """Return White's score, 0 to 1, with this many additional drawn positions."""
    halves = 2 * known.wins + known.draws + weight
    return halves / (2 * (known.positions + weight))


def _squared_error(found: Outcomes, score: float) -> float:
    results = zip(found, RESULTS, strict=True)
    return sum(number * (score - result) ** 2 for number, result in results)
