"""The score of a match: published scores, intervals, text and record."""

from __future__ import annotations

import io
import math
import random
from collections import Counter

import pytest
from rich.console import Console

from solver import __version__
from solver.laboratory.match import (
    PROPHET_SCORES,
    Match,
    MatchResult,
    MatchScore,
    draw_match,
    match_notes,
    match_record,
    to_elo,
)
from solver.laboratory.player import Rules
from solver.laboratory.techniques import parse_variant

PROPHET4_AGAINST_PROPHET3 = (313, 929, 758, 34.6, -110.6, 12.2)


@pytest.mark.parametrize(
    "published",
    [PROPHET4_AGAINST_PROPHET3, PROPHET_SCORES["all"], PROPHET_SCORES["captures"]],
)
def test_published_scores_have_their_published_elo(
    published: tuple[int, int, int, float, float, float],
) -> None:
    wins, losses, draws, per_cent, elo, _ = published
    score = MatchScore(wins, losses, draws)
    assert score.mean is not None
    assert 100 * score.mean == pytest.approx(per_cent, abs=0.05)
    assert score.elo == pytest.approx(elo, abs=0.05)


@pytest.mark.parametrize("elo", [-400.0, -20.0, 0.0, 5.0, 190.8])
def test_points_and_elo_are_inverse(elo: float) -> None:
    points = 1 / (1 + 10 ** (-elo / 400))
    assert to_elo(points) == pytest.approx(elo)


def test_a_score_without_an_interval_has_no_elo_or_error() -> None:
    assert (MatchScore().elo, MatchScore().error) == (None, None)
    assert MatchScore(wins=3).elo is None
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


def result(
    first: str = "check-extension=all",
    pairs: tuple[tuple[float, float], ...] = ((1, 1), (1, 0), (0.5, 1), (0, 0.5)),
    requested: int = 4,
) -> MatchResult:
    one, other = (parse_variant(text) for text in (first, "off"))
    score = MatchScore()
    for pair in pairs:
        score.add_pair(*pair)
    return MatchResult(Match(one, other, Rules(nodes=20_000), 7), score, requested)


def text(shown: MatchResult, width: int = 80) -> str:
    console = Console(width=width, file=io.StringIO(), record=True)
    console.print(draw_match(shown, console))
    return console.export_text()


def test_the_columns_are_those_of_prophet4s_author() -> None:
    assert text(result()) == (
        "                     wins  losses  draws    pct   Elo  error\n"
        "check-extension=all     4       2      2  62.5%  88.7  243.2\n"
        "Prophet4              331     183    402  58.1%  56.6   16.8\n"
    )


def test_a_narrow_console_gets_a_line_for_each_score() -> None:
    assert " ".join(text(result(), 40).split()) == (
        "check-extension=all: wins 4, losses 2, draws 2, pct 62.5%, Elo 88.7, "
        "error 243.2 "
        "Prophet4: wins 331, losses 183, draws 402, pct 58.1%, Elo 56.6, error 16.8"
    )


@pytest.mark.parametrize(
    "first", ["mdp=cpw", "check-extension=all,mdp=cpw", "check-extension=promotions"]
)
def test_prophet4_is_shown_only_for_its_own_experiments(first: str) -> None:
    assert "Prophet4" not in text(result(first))
    assert "Prophet4" not in "".join(match_notes(result(first)))


def test_a_match_without_games_has_no_figures() -> None:
    assert text(result("mdp=cpw", ())).splitlines()[1].split() == [
        *("mdp=cpw", "0", "0", "0")
    ]


def test_the_notes_say_what_was_played_and_what_is_missing() -> None:
    notes = list(match_notes(result(requested=9)))
    assert notes[0].startswith(
        "8 games of check-extension=all against off, 20,000 nodes a move, quiescence "
        "horizon, seed 7."
    )
    assert notes[1] == "Pairs by points: 0: 0, 0.5: 1, 1: 1, 1.5: 1, 2: 1."
    assert notes[-1] == "Stopped after 8 of 18 games."
    assert "Stopped" not in "".join(match_notes(result()))


def test_the_record_has_the_settings_and_the_score() -> None:
    off = {"mdp": "off", "check_extension": "off", "efp": "off", "mip": "off"}
    assert match_record(result()) == {
        "schema": 1,
        "first": off | {"check_extension": "all"},
        "second": off,
        "depth": None,
        "nodes": 20_000,
        "horizon": "quiescence",
        "seed": 7,
        "complete": True,
        "games": 8,
        "wins": 4,
        "losses": 2,
        "draws": 2,
        "score": 0.625,
        "elo": pytest.approx(88.739, abs=0.001),
        "error": pytest.approx(243.2, abs=0.1),
        "pairs": [0, 1, 1, 1, 1],
        "solver": __version__,
    }
