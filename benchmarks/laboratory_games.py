"""Tables of games: matches between settings of the search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.laboratory_commands import Work, record, table
from solver.laboratory.match import PROPHET_SCORES

if TYPE_CHECKING:
    from pathlib import Path


MATCH_GAMES = 2000
EXPERIMENTS = {
    "uncapped": "every check, without a cap",
    "all": "every check",
    "captures": "capturing checks",
    "promotions": "promotions",
}
HORIZONS = ("static", "quiescence")

PROPHET = {"uncapped": "every check", "captures": "capturing checks"}
"""The experiments whose scores Prophet4's author published."""


TECHNIQUES = (
    ("mdp=cpw", "off", 20_000),
    *((f"efp={form}", "off", 5_000) for form in ("cut", "all", "none", "on")),
    ("efp=on", "efp=none", 5_000),
    *((f"efp={form}", "off", 20_000) for form in ("cut", "on")),
    *((f"mip={use}", "off", 5_000) for use in ("reduce", "prune", "lazy", "correct")),
)
"""Settings of both sides, and the nodes of a move."""


def games(work: Work) -> str:
    """Play Prophet4's experiments."""
    rows = []
    for extension, name in EXPERIMENTS.items():
        for horizon in HORIZONS:
            path = work.games / f"{extension}-{horizon}.pgn"
            asked = ("--a", f"check-extension={extension}", "--horizon", horizon)
            rows.append((f"{name}, {horizon}", *play(work, path, *asked)))
        if extension in PROPHET:
            published = PROPHET_SCORES[extension]
            rows.append((f"Prophet4: {PROPHET[extension]}", *score_cells(*published)))
    return table(("extended, horizon", *SCORE_HEAD), rows)


def technique_games(work: Work) -> str:
    """Play what the other texts say, or leave open, of playing strength."""
    rows = []
    for first, second, nodes in TECHNIQUES:
        names = (first,) if second == "off" else (first, second)
        path = work.games / f"{'-'.join((*names, str(nodes)))}.pgn"
        asked = ("--a", first, "--b", second, "--nodes", nodes)
        found = play(work, path, *asked)
        rows.append((f"`{first}`", f"`{second}`", f"{nodes:,}", *found))
    return table(("setting", "against", "nodes a move", *SCORE_HEAD), rows)


SCORE_HEAD = ("wins", "losses", "draws", "pct", "Elo", "error")


def play(work: Work, path: Path, *asked: object) -> tuple[str, ...]:
    """Play a match, or go on with it, and write its score."""
    score = record(
        *("match", *asked, "--games", MATCH_GAMES),
        *("--jobs", work.jobs, "--games-file", path),
    )
    counts = [score[field] for field in ("wins", "losses", "draws")]
    return score_cells(*counts, 100 * score["score"], score["elo"], score["error"])


def score_cells(*figures: float) -> tuple[str, ...]:
    """Write a score as Prophet4's author does."""
    *counts, points, elo, error = figures
    return (
        *(f"{count:,}" for count in counts),
        f"{points:.1f}%",
        *(f"{number:.1f}" for number in (elo, error)),
    )
