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

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)


@dataclass(slots=True)
class Tally:
    """Held-out positions, and how well the scores of their cells predicted the results.

    Attributes
    ----------
    cells : int
        Cells that the positions are in.
    positions : int
        Held-out positions.
    predicted : int
        Those in cells that have a score.
    error : float
        Sum of the distances between score and result, each 0 to 1.
    squared : float
        Sum of their squares.
    decided, decided_right : int
        Predicted positions in cells that were always won or always lost, and how many
        of their games ended so.
    rounded, rounded_right : int
        The same of cells whose rounded score is 0 or 100 per cent.
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
        """Count the held-out positions of one cell.

        Parameters
        ----------
        known : Outcomes
            What the table has counted there.
        found : Outcomes
            The held-out positions, at least one.
        """
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
    """The held-out positions in cells with about as many positions.

    Attributes
    ----------
    least : int
    most : int or None
        The range of positions of the table's cells, None without an upper end.
    tally : Tally
    """

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

    Attributes
    ----------
    buckets : tuple of Bucket
        By the positions of the cells in the table, one for each of `BUCKETS`.
    curves : tuple of CurveScore
        One for each of `WEIGHTS`, over the positions whose cell has a score; none
        without such positions.
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
        """Count the held-out positions in cells with enough positions.

        Parameters
        ----------
        least : int
            One of `BUCKETS`.
        """
        assert least in BUCKETS
        return sum(b.tally.positions for b in self.buckets if b.least >= least)

    def coverage(self, least: int = 1) -> float | None:
        """Return the share of held-out positions in such cells, 0 to 1.

        It is None without held-out positions.
        """
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

    Parameters
    ----------
    imbalance : ImbalanceTable
        The table that predicts.
    held_out : ImbalanceTable
        The held-out positions, counted likewise.
    folded : bool
        Whether a cell counts what either colour scored with this material, or only what
        White did.
    least_balance : int
        Leave out positions in which neither side is ahead by this many pawns.
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
    """The coverage of a table of some size.

    Attributes
    ----------
    positions : int
        Positions that were read, those out of range included.
    met, trusted : float or None
        The share of held-out positions in cells with any, and with `TRUSTED` positions.
    """

    positions: int
    met: float | None
    trusted: float | None


def coverage_by_size(
    counted: Iterable[GamePosition],
    held_out: ImbalanceTable,
    sizes: Collection[int] = SIZES,
    *,
    folded: bool = True,
    least_balance: int = 0,
) -> Iterator[SizedCoverage]:
    """Yield the coverage of a table while it grows.

    Parameters
    ----------
    counted : iterable of GamePosition
        The positions to count, in the order of the games.
    held_out : ImbalanceTable
        Positions of other games.
    sizes : collection of int
        Numbers of positions.
    folded, least_balance
        See `measure`.

    Yields
    ------
    SizedCoverage
        For each size that is reached, and for the whole.
    """

    def covered() -> SizedCoverage:
        reliability = measure(
            imbalance, held_out, folded=folded, least_balance=least_balance
        )
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
