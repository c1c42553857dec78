"""The score of a match as a table, as notes and as a record.

The scores of the chess engine Prophet4 are its author's: the engine with a check
extension against the engine without. The columns are his.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from solver import __version__
from solver.laboratory.match_score import (
    CONFIDENCE,
    DECISION,
    PAIR_POINTS,
    MatchScore,
)
from solver.laboratory.techniques import Choice
from solver.output.columns import Column, fit
from solver.solution import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, RenderableType

    from solver.laboratory.match import Match
    from solver.laboratory.match_score import Hypotheses

PROPHET = "dim"
"""The style of Prophet4's row."""


class PublishedScore(NamedTuple):
    """A score that Prophet4's author published, in games, per cent and Elo."""

    wins: int
    losses: int
    draws: int
    per_cent: float
    elo: float
    error: float


_EVERY_CHECK = PublishedScore(331, 183, 402, 58.1, 56.6, 16.8)

PROPHET_SCORES = {
    "uncapped": _EVERY_CHECK,
    "all": _EVERY_CHECK,
    "captures": PublishedScore(3206, 3119, 4505, 50.4, 2.8, 5.0),
}
"""By the check extension that was tried; promotions had no measurable effect."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A match and its score.

    Attributes
    ----------
    match : Match
    score : MatchScore
        The first side's.
    pairs : int
        The pairs requested.
    hypotheses : Hypotheses or None
        Those of the test, if there is one.
    """

    match: Match
    score: MatchScore
    pairs: int
    hypotheses: Hypotheses | None = None

    @property
    def llr(self) -> float | None:
        """The log-likelihood ratio of the test."""
        return self.score.llr(self.hypotheses) if self.hypotheses else None

    @property
    def decision(self) -> float | None:
        """The difference in Elo that the test accepts; None: it is undecided."""
        if self.hypotheses is None or self.llr is None or abs(self.llr) < DECISION:
            return None
        return self.hypotheses.upper if self.llr > 0 else self.hypotheses.lower

    @property
    def is_complete(self) -> bool:
        """Whether the test decided; without a test, whether all games were played."""
        if self.hypotheses:
            return self.decision is not None
        return self.score.games == 2 * self.pairs


def draw_match(result: MatchResult, console: Console) -> RenderableType:
    """Draw the score of a match, above Prophet4's of the same experiment."""
    score = result.score
    rows = [
        (
            result.match.first.name,
            score.wins,
            score.losses,
            score.draws,
            None if score.mean is None else 100 * score.mean,
            score.elo,
            score.error,
        )
    ]
    if published := _published(result.match):
        rows.append(("Prophet4", *published))
    columns = [
        Column("", [row[0] for row in rows], left=True),
        Column("wins", [f"{row[1]:,}" for row in rows]),
        Column("losses", [f"{row[2]:,}" for row in rows]),
        Column("draws", [f"{row[3]:,}" for row in rows]),
        Column("pct", [_decimal(row[4], "%") for row in rows]),
        Column("Elo", [_decimal(row[5]) for row in rows]),
        Column("error", [_decimal(row[6]) for row in rows]),
    ]
    lines = (
        f"{row[0]}: {row[1]:,} wins, {row[2]:,} losses, {row[3]:,} draws, "
        f"{_decimal(row[4], '%')}, Elo {_decimal(row[5]) or 'none'}, "
        f"error {_decimal(row[6]) or 'none'}"
        for row in rows
    )
    return fit(console, columns, lines)


def match_notes(result: MatchResult) -> Iterator[str]:
    """Yield the paragraphs that explain the score."""
    match, score = result.match, result.score
    rules = match.rules
    limit = f"{rules.nodes:,} nodes" if rules.nodes else f"depth {rules.depth}"
    yield (
        f"{score.games:,} games of {match.first.name} against {match.second.name}, "
        f"{limit} a move, {match.horizon.name.lower()} horizon, seed {match.seed}. "
        f"Each opening, {rules.opening_plies} random plies, is played twice with "
        "colours changed."
    )
    pairs = ", ".join(f"{points:g}: {score.pairs[points]:,}" for points in PAIR_POINTS)
    yield f"Pairs by points: {pairs}."
    yield (
        f"error: half of the {CONFIDENCE:.0%} interval, from the pairs. A game ends "
        "when the prover confirms a mate that the side to move has seen, and is a "
        f"draw after {rules.most_plies} plies."
    )
    if result.hypotheses:
        lower, upper = result.hypotheses
        decided = result.decision
        verdict = "undecided" if decided is None else f"{decided:g} Elo accepted"
        yield (
            f"Test of {lower:g} against {upper:g} Elo: {verdict}, log-likelihood ratio "
            f"{result.llr:.2f}, bounds {-DECISION:.2f} and {DECISION:.2f}."
        )
    if _published(match):
        yield (
            "Prophet4: published by its author; an engine with an evaluation, openings "
            "and time for each move of its own."
        )
    if not result.is_complete and score.games < 2 * result.pairs:
        yield f"Stopped after {score.games:,} of {2 * result.pairs:,} games."


def match_record(result: MatchResult) -> dict[str, object]:
    """Return the record of a match.

    Returns
    -------
    dict
        JSON values. `score` is the first side's, in points a game. `elo` and `error`
        are None where they are not bounded. `sprt` is None without a test.
    """
    match, score = result.match, result.score
    sprt: dict[str, object] | None = None
    if result.hypotheses:
        sprt = {
            "lower": result.hypotheses.lower,
            "upper": result.hypotheses.upper,
            "llr": result.llr,
            "accepted": result.decision,
        }
    return {
        "schema": SCHEMA,
        "first": match.first.choice._asdict(),
        "second": match.second.choice._asdict(),
        "depth": match.rules.depth,
        "nodes": match.rules.nodes,
        "horizon": match.horizon.name.lower(),
        "seed": match.seed,
        "complete": result.is_complete,
        "games": score.games,
        "wins": score.wins,
        "losses": score.losses,
        "draws": score.draws,
        "score": score.mean,
        "elo": score.elo,
        "error": score.error,
        "pairs": [score.pairs[points] for points in PAIR_POINTS],
        "sprt": sprt,
        "solver": __version__,
    }


def _published(match: Match) -> PublishedScore | None:
    """Return Prophet4's score of the same experiment, None if there is none."""
    extension = match.first.choice.check_extension
    alone = Choice(check_extension=extension)
    if match.first.choice != alone or match.second.choice != Choice():
        return None
    return PROPHET_SCORES.get(extension)


def _decimal(number: float | None, unit: str = "") -> str:
    return "" if number is None else f"{number:,.1f}{unit}"
