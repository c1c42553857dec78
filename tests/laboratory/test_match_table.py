"""The score of a match as text and as a record."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from solver import __version__
from solver.laboratory.match import Match
from solver.laboratory.match_score import Hypotheses, MatchScore
from solver.laboratory.match_table import (
    MatchResult,
    draw_match,
    match_notes,
    match_record,
)
from solver.laboratory.player import Rules
from solver.laboratory.techniques import Settings, parse_variant


def result(
    first: str = "check-extension=all",
    pairs: tuple[tuple[float, float], ...] = ((1, 1), (1, 0), (0.5, 1), (0, 0.5)),
    requested: int = 4,
    hypotheses: Hypotheses | None = None,
) -> MatchResult:
    one, other = (parse_variant(text, Settings()) for text in (first, "off"))
    score = MatchScore()
    for pair in pairs:
        score.add_pair(*pair)
    return MatchResult(
        Match(one, other, Rules(nodes=20_000), 7), score, requested, hypotheses
    )


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
        "check-extension=all: 4 wins, 2 losses, 2 draws, 62.5%, Elo 88.7, error 243.2 "
        "Prophet4: 331 wins, 183 losses, 402 draws, 58.1%, Elo 56.6, error 16.8"
    )


@pytest.mark.parametrize(
    "first", ["mdp=cpw", "check-extension=all,mdp=cpw", "check-extension=promotions"]
)
def test_prophet4_is_shown_only_for_its_own_experiments(first: str) -> None:
    assert "Prophet4" not in text(result(first))
    assert "Prophet4" not in "".join(match_notes(result(first)))


def test_a_match_without_games_has_no_figures() -> None:
    assert text(result("mdp=cpw", ())).splitlines()[1].split() == [
        "mdp=cpw",
        "0",
        "0",
        "0",
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


@pytest.mark.parametrize(
    ("pairs", "accepted", "verdict"),
    [
        (((1, 1), (1, 0.5)) * 40, 50.0, "50 Elo accepted"),
        (((0, 0), (0, 0.5)) * 40, -50.0, "-50 Elo accepted"),
        (((1, 0), (0.5, 0.5)) * 3, None, "undecided"),
    ],
)
def test_the_test_accepts_the_difference_that_the_games_show(
    pairs: tuple[tuple[float, float], ...], accepted: float | None, verdict: str
) -> None:
    shown = result(pairs=pairs, requested=500, hypotheses=Hypotheses(-50, 50))
    assert shown.decision == accepted
    assert shown.is_complete is (accepted is not None)
    assert f"Test of -50 against 50 Elo: {verdict}" in "".join(match_notes(shown))
    sprt = match_record(shown)["sprt"]
    assert isinstance(sprt, dict)
    assert (sprt["lower"], sprt["upper"], sprt["accepted"]) == (-50, 50, accepted)
    assert sprt["llr"] == pytest.approx(shown.score.llr(Hypotheses(-50, 50)))


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
        "sprt": None,
        "solver": __version__,
    }
