"""The score of a match: published scores, intervals and the sequential test."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from solver.laboratory.match_score import (
    DECISION,
    Hypotheses,
    MatchScore,
    from_elo,
    to_elo,
)
from solver.laboratory.match_table import PROPHET_SCORES
from tests.sizes import sized

PROPHET4_AGAINST_PROPHET3 = (313, 929, 758, 34.6, -110.6, 12.2)


@pytest.mark.parametrize(
    "published",
    [PROPHET4_AGAINST_PROPHET3, PROPHET_SCORES["all"], PROPHET_SCORES["captures"]],
)
def test_published_scores_have_their_published_elo_and_error(
    published: tuple[int, int, int, float, float, float],
) -> None:
    wins, losses, draws, per_cent, elo, error = published
    score = MatchScore(wins, losses, draws)
    assert score.mean is not None
    assert 100 * score.mean == pytest.approx(per_cent, abs=0.05)
    assert score.elo == pytest.approx(elo, abs=0.05)
    assert score.error == pytest.approx(error, abs=0.15)


@pytest.mark.parametrize("elo", [-400.0, -20.0, 0.0, 5.0, 190.8])
def test_points_and_elo_are_inverse(elo: float) -> None:
    assert to_elo(from_elo(elo)) == pytest.approx(elo)


def test_a_score_without_an_interval_has_no_elo_or_error() -> None:
    assert (MatchScore().elo, MatchScore().error) == (None, None)
    assert MatchScore(wins=3).elo is None
    assert MatchScore(losses=3).error is None
    few = MatchScore()
    few.add_pair(1, 0)
    few.add_pair(1, 1)
    assert few.elo is not None
    assert few.error is None


def sample(pairs: int, advantage: float, seed: int) -> MatchScore:
    """Play pairs in which the opening decides more than the players."""
    chance = random.Random(seed)
    score = MatchScore()
    for _ in range(pairs):
        opening = chance.gauss(0, 2)
        points = []
        for side in (1, -1):
            strength = side * opening + advantage + chance.gauss(0, 0.5)
            points.append(1.0 if strength > 1 else 0.0 if strength < -1 else 0.5)
        score.add_pair(*points)
    return score


def test_a_game_counts_once_and_a_pair_by_its_points() -> None:
    score = MatchScore()
    for pair in ((1, 1), (1, 0), (0, 1), (0.5, 1), (0, 0.5), (0, 0)):
        score.add_pair(*pair)
    assert (score.wins, score.losses, score.draws) == (5, 5, 2)
    assert score.games == 12
    assert score.pairs == Counter({2: 1, 1: 2, 1.5: 1, 0.5: 1, 0: 1})


def test_the_error_of_pairs_covers_the_spread_of_repeated_matches() -> None:
    matches = [sample(400, 0.1, seed) for seed in range(300)]
    elos = [match.elo for match in matches if match.elo is not None]
    mean = sum(elos) / len(elos)
    spread = math.sqrt(sum((elo - mean) ** 2 for elo in elos) / len(elos))
    errors = [match.error for match in matches if match.error is not None]
    assert len(errors) == len(matches)
    assert sum(errors) / len(errors) == pytest.approx(1.96 * spread, rel=0.1)
    single = MatchScore(matches[0].wins, matches[0].losses, matches[0].draws)
    assert single.error is not None
    assert single.error > 1.5 * errors[0]  # the games of a pair are no two samples


@pytest.mark.parametrize("advantage", [-0.05, 0.0, 0.05])
def test_the_ratio_of_close_hypotheses_is_that_of_normal_distributions(
    advantage: float,
) -> None:
    score = sample(20_000, advantage, 1)
    hypotheses = Hypotheses(0, 5)
    lower, upper = map(from_elo, hypotheses)
    pairs = sum(score.pairs.values())
    mean = sum(points / 2 * count for points, count in score.pairs.items()) / pairs
    variance = (
        sum((points / 2 - mean) ** 2 * count for points, count in score.pairs.items())
        / pairs
    )
    normal = pairs * (upper - lower) * (2 * mean - lower - upper) / (2 * variance)
    assert score.llr(hypotheses) == pytest.approx(normal, rel=0.03, abs=0.05)


def test_the_ratio_is_that_of_the_best_distributions_on_a_grid() -> None:
    score = MatchScore()
    for pair, count in {(0, 0): 5, (0, 1): 11, (1, 1): 9}.items():
        for _ in range(count):
            score.add_pair(*pair)

    def best(mean: float) -> float:
        """Try all distributions of wins, splits and losses with a mean."""
        found = -math.inf
        for step in range(1, 20_000):
            both = step / 20_000
            split = 2 * (mean - both)
            neither = 1 - both - split
            if split > 0 and neither > 0:
                logs = map(math.log, (neither, split, both))
                found = max(
                    found, sum(map(math.prod, zip((5, 11, 9), logs, strict=True)))
                )
        return found

    hypotheses = Hypotheses(-30, 60)
    lower, upper = map(from_elo, hypotheses)
    expected = best(upper) - best(lower)
    assert score.llr(hypotheses) == pytest.approx(expected, abs=0.01)


@sized("count", 40, 200)
def test_the_test_decides_for_the_truth_nineteen_times_of_twenty(count: int) -> None:
    hypotheses = Hypotheses(0, 40)
    wrong = 0
    for seed in range(count):
        chance = random.Random(seed)
        score = MatchScore()
        while abs(score.llr(hypotheses)) < DECISION:
            score.add_pair(chance.choice((0, 0.5, 1)), chance.choice((0, 0.5, 1)))
        wrong += score.llr(hypotheses) > 0
    assert 0 < wrong <= count // 10
