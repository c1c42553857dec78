"""The score of a match in Elo, its error, and the sequential probability ratio test.

A match is played in pairs of games that share an opening. The two games of a pair are
not independent, so the error is that of the pairs (the pentanomial distribution of
their points: 0, 1/2, 1, 3/2 or 2), as the testing framework of Stockfish has it.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

PAIR_POINTS = (0.0, 0.5, 1.0, 1.5, 2.0)
"""What the two games of a pair can yield together."""

CONFIDENCE = 0.95
_DEVIATIONS = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)

ERROR_RATE = 0.05
"""The probability of each wrong decision of the test."""

DECISION = math.log((1 - ERROR_RATE) / ERROR_RATE)
"""The log-likelihood ratio, positive or negative, at which the test decides."""

_UNSEEN = 1e-3
"""Stands for no pair at all, so that every outcome has a probability."""

_BISECTIONS = 100


class Hypotheses(NamedTuple):
    """The two differences in Elo between which a test decides; `lower` < `upper`."""

    lower: float
    upper: float


@dataclass(slots=True)
class MatchScore:
    """The games of a match as one side sees them.

    Attributes
    ----------
    wins, losses, draws : int
    pairs : Counter of float
        The number of pairs by their points.
    """

    wins: int = 0
    losses: int = 0
    draws: int = 0
    pairs: Counter[float] = field(default_factory=Counter)

    def add_pair(self, first: float, second: float) -> None:
        """Count two games with the same opening, each worth 1, 0.5 or 0 points."""
        for points in (first, second):
            self.wins += points == 1
            self.losses += points == 0
            self.draws += points == 0.5
        self.pairs[first + second] += 1

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.losses + self.draws

    @property
    def mean(self) -> float | None:
        """The points for each game, 0 to 1; None without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else None

    @property
    def elo(self) -> float | None:
        """The difference in Elo; None without games, or if one side won them all."""
        return None if self.mean is None else to_elo(self.mean)

    @property
    def error(self) -> float | None:
        """Half the width of the 95 per cent interval, in Elo.

        It is taken from the pairs, or from single games where no pair is known. None
        if the interval is not bounded.
        """
        if self.mean is None:
            return None
        margin = _DEVIATIONS * math.sqrt(self._variance_of_mean())
        low, high = to_elo(self.mean - margin), to_elo(self.mean + margin)
        return None if low is None or high is None else (high - low) / 2

    def llr(self, hypotheses: Hypotheses) -> float:
        """Return the log-likelihood ratio of the upper to the lower hypothesis.

        It is the generalized ratio: each hypothesis takes the distribution of pairs
        that has its mean and makes the pairs played most likely. The test ends at
        `DECISION` either way (Van den Bergh, "A practical introduction to the GSPRT").
        """
        counts = [self.pairs[points] or _UNSEEN for points in PAIR_POINTS]
        total = sum(counts)
        seen = {
            points / 2: count / total
            for points, count in zip(PAIR_POINTS, counts, strict=True)
        }
        lower, upper = (
            _most_likely(seen, from_elo(difference)) for difference in hypotheses
        )
        return sum(
            count * math.log(above / below)
            for count, above, below in zip(counts, upper, lower, strict=True)
        )

    def _variance_of_mean(self) -> float:
        assert self.mean is not None
        if self.pairs:
            outcomes = {points / 2: count for points, count in self.pairs.items()}
        else:
            outcomes = {1.0: self.wins, 0.5: self.draws, 0.0: self.losses}
        number = sum(outcomes.values())
        squares = (
            count * (points - self.mean) ** 2 for points, count in outcomes.items()
        )
        return sum(squares) / number**2


def to_elo(mean: float) -> float | None:
    """Return the difference in Elo that scores `mean` points a game.

    None if `mean` is not strictly between 0 and 1.
    """
    return 400 * math.log10(mean / (1 - mean)) if 0 < mean < 1 else None


def from_elo(difference: float) -> float:
    """Return the points a game that a difference in Elo scores."""
    return 1 / (1 + 10 ** (-difference / 400))


def _most_likely(seen: Mapping[float, float], mean: float) -> list[float]:
    """Return the distribution with a mean that makes what was seen most likely.

    With Lagrange's multiplier x for the mean, outcome a has the probability
    p(a) / (1 + x (a - mean)), and x is where these deviate from the mean by 0 in sum,
    which falls as x grows.
    """
    least, most = -1 / (max(seen) - mean), 1 / (mean - min(seen))
    for _ in range(_BISECTIONS):
        middle = (least + most) / 2
        deviation = sum(
            share * (points - mean) / (1 + middle * (points - mean))
            for points, share in seen.items()
        )
        if deviation > 0:
            least = middle
        else:
            most = middle
    return [share / (1 + least * (points - mean)) for points, share in seen.items()]
