"""Matches between two settings of the laboratory's search: score and games.

A match is played in pairs of games that share an opening. The two games of a pair are
not independent, so the error is computed from pairs (the pentanomial distribution of
their points: 0, 1/2, 1, 3/2 or 2), as in Stockfish's testing framework.

Each opening is random moves that leave both sides about equal, and is played twice with
colours changed. Pair k of a seed is always the same, so a match can be continued: a
later run resumes from the PGN file of its games.

The scores of the chess engine Prophet4, with a check extension against without, are its
author's, and so are the columns of the table.
"""

from __future__ import annotations

import io
import math
import random
import re
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, BinaryIO

import chess
import chess.pgn

from solver import __version__, errors, files, solution
from solver.formats.pgn import RESULTS, UNFINISHED
from solver.kernel.border.scored_struct import Horizon
from solver.laboratory import player, techniques
from solver.output.columns import Column, fit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console, RenderableType

    from solver.search.threads import GroupControl


# The score

PAIR_POINTS = (0.0, 0.5, 1.0, 1.5, 2.0)
"""The possible points of a pair of games."""

CONFIDENCE = 0.95
_DEVIATIONS = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


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
        """The points per game, 0 to 1; None without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else None

    @property
    def elo(self) -> float | None:
        """The difference in Elo; None without games, or if one side won them all."""
        return None if self.mean is None else to_elo(self.mean)

    @property
    def error(self) -> float | None:
        """Half the width of the 95 per cent interval, in Elo.

        It is computed from pairs. None if the interval is not bounded.
        """
        if self.mean is None:
            return None
        margin = _DEVIATIONS * math.sqrt(self._variance_of_mean())
        low, high = to_elo(self.mean - margin), to_elo(self.mean + margin)
        return None if low is None or high is None else (high - low) / 2

    def _variance_of_mean(self) -> float:
        assert self.mean is not None
        squares = (
            count * (points / 2 - self.mean) ** 2
            for points, count in self.pairs.items()
        )
        return sum(squares) / self.pairs.total() ** 2


def to_elo(mean: float) -> float | None:
    """Return the difference in Elo that scores `mean` points a game.

    None if `mean` is not strictly between 0 and 1.
    """
    return 400 * math.log10(mean / (1 - mean)) if 0 < mean < 1 else None


_EVERY_CHECK = (331, 183, 402, 58.1, 56.6, 16.8)

PROPHET_SCORES: dict[str, tuple[float, ...]] = {
    "uncapped": _EVERY_CHECK,
    "all": _EVERY_CHECK,
    "captures": (3206, 3119, 4505, 50.4, 2.8, 5.0),
}
"""Wins, losses, draws, per cent, Elo and error that Prophet4's author published.

By the check extension tried; promotions had no measurable effect.
"""


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
    """

    match: Match
    score: MatchScore
    pairs: int

    @property
    def is_complete(self) -> bool:
        """Whether all games were played."""
        return self.score.games == 2 * self.pairs


def draw_match(result: MatchResult, console: Console) -> RenderableType:
    """Draw the score of a match above Prophet4's in the same experiment."""
    score = result.score
    per_cent = score.mean and 100 * score.mean
    figures = [score.wins, score.losses, score.draws, per_cent, score.elo, score.error]
    rows = [_cells(result.match.first.name, *figures)]
    if published := _published(result.match):
        rows.append(_cells("Prophet4", *published))
    heads = ("", "wins", "losses", "draws", "pct", "Elo", "error")
    columns = [
        Column(head, column, left=not head)
        for head, column in zip(heads, zip(*rows, strict=True), strict=True)
    ]
    return fit(console, columns)


def match_notes(result: MatchResult) -> Iterator[str]:
    """Yield the paragraphs that explain the score."""
    match, score = result.match, result.score
    rules = match.rules
    limit = f"{rules.nodes:,} nodes" if rules.nodes else f"depth {rules.depth}"
    yield (
        f"{score.games:,} games of {match.first.name} against {match.second.name}, "
        f"{limit} a move, {match.horizon.name.lower()} horizon, seed {match.seed}. "
        f"Each opening has {player.OPENING_PLIES} random plies and is played twice, "
        "with colours changed."
    )
    pairs = ", ".join(f"{points:g}: {score.pairs[points]:,}" for points in PAIR_POINTS)
    yield f"Pairs by points: {pairs}."
    yield (
        f"error: half the width of the {CONFIDENCE:.0%} confidence interval, computed "
        f"from pairs of games. A game ends "
        f"when the prover confirms a mate that the side to move has found, and is a "
        f"draw after {player.MOST_PLIES} plies."
    )
    if _published(match):
        yield (
            "Prophet4: published by its author; its evaluation, openings and time for "
            "each move differ."
        )
    if not result.is_complete:
        yield f"Stopped after {score.games:,} of {2 * result.pairs:,} games."


def match_record(result: MatchResult) -> dict[str, object]:
    """Return the record of a match.

    Returns
    -------
    dict
        JSON values. `score` is the first side's, in points a game. `elo` and `error`
        are None where they are not bounded.
    """
    match, score = result.match, result.score
    return {
        "schema": solution.SCHEMA,
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
        "solver": __version__,
    }


def _published(match: Match) -> tuple[float, ...] | None:
    """Return Prophet4's score of the same experiment, None if there is none."""
    extension = match.first.choice.check_extension
    alone = techniques.Choice(check_extension=extension)
    if match.first.choice != alone or match.second.choice != techniques.Choice():
        return None
    return PROPHET_SCORES.get(extension)


def _cells(name: str, *figures: float | None) -> tuple[str, ...]:
    """Write a row: three counts, per cent, Elo and its error."""
    counts, (per_cent, *elo) = figures[:3], figures[3:]
    return (
        name,
        *(f"{number:,}" for number in counts),
        "" if per_cent is None else f"{per_cent:,.1f}%",
        *("" if number is None else f"{number:,.1f}" for number in elo),
    )


# The games

TABLE_ENTRIES = 1 << 16

BALANCE_CP = 100
BALANCE_DEPTH = 4
"""The sides are about equal if plain search to this depth scores within this."""

_NEXT_GAME = re.compile(r"(?<=\n\n)(?=\[Event )")

MAX_SHOWN = 200
"""How much of a foreign file a message shows, in characters."""


@dataclass(frozen=True, slots=True)
class Match:
    """Pairs of games by number, as `solver.laboratory.player` plays them.

    Attributes
    ----------
    first, second : Variant
        The two settings.
    rules : Rules
    seed : int
    horizon : Horizon
        What both search where no depth is left. Prophet4 has a quiescence search.
    """

    first: techniques.Variant
    second: techniques.Variant
    rules: player.Rules
    seed: int
    horizon: Horizon = Horizon.QUIESCENCE

    @property
    def event(self) -> str:
        """The `Event` tag of the games: everything that they depend on."""
        return (
            f"{self.first.name} against {self.second.name}, {self.rules}, "
            f"{self.horizon.name.lower()} horizon, "
            f"{player.OPENING_PLIES} random plies, seed {self.seed}, "
            f"matesolve {__version__}"
        )

    def begin(self) -> Callable[[int], str]:
        """Return the function that plays a pair and writes it as PGN."""
        first, second = (
            player.Player(
                replace(variant.techniques, horizon=self.horizon),
                self.rules,
                TABLE_ENTRIES,
            )
            for variant in (self.first, self.second)
        )
        equal = player.Player(techniques.Techniques(), player.Rules(BALANCE_DEPTH))

        def play(number: int) -> str:
            opening = self._open(number, equal)
            games = ""
            names = self.first.name, self.second.name
            for half, players in enumerate(((first, second), (second, first)), 1):
                board = opening.copy()
                result, comment = player.play_out(board, players, proves_mates=True)
                if result == UNFINISHED:
                    result = player.DRAW
                    comment = f"drawn after {player.MOST_PLIES} plies"
                headers = {
                    "Event": self.event,
                    "Round": f"{number}.{half}",
                    "White": names[half - 1],
                    "Black": names[2 - half],
                    "Result": result,
                    "Termination": "adjudication" if comment else "normal",
                }
                games += player.write_game(board, headers, comment) + "\n"
            return games

        return play

    def read_pair(self, number: int, games: str) -> tuple[float, float] | None:
        """Return the first side's points in both games; None if a game is incomplete.

        Raises
        ------
        InputError
            They are other games.
        """
        points = []
        for half, game in enumerate(_NEXT_GAME.split(games), 1):
            headers = chess.pgn.read_headers(io.StringIO(game))
            result = headers.get("Result", "") if headers else ""
            if headers is None or not game.endswith(f" {result}\n\n"):
                return None
            expected = {"Event": self.event, "Round": f"{number}.{half}"}
            for tag, value in expected.items():
                if headers.get(tag) != value:
                    found = errors.quote(headers.get(tag, ""))
                    errors.refuse(f"{tag}: expected {value!r}", found)
            white = RESULTS[result]
            points.append(white if half == 1 else 1 - white)
        return points[0], points[1]

    def _open(self, number: int, side: player.Player) -> chess.Board:
        """Return the opening of a pair."""
        chance = random.Random(f"{self.seed}/{number}")  # noqa: S311 - repeatable
        while True:
            board = player.open_game(chance)
            last = side.search(board, BALANCE_DEPTH, None)
            if last and abs(last.score) <= BALANCE_CP:
                return board


@dataclass(frozen=True, slots=True)
class GamesFile:
    """The PGN file of a match, to which games are added.

    Attributes
    ----------
    file : BinaryIO
        Open for appending.
    pairs : list of tuple of float
        The first side's points in the games that the file had.
    """

    file: BinaryIO
    pairs: list[tuple[float, float]]

    def add(self, games: str) -> None:
        """Append a pair."""
        self.file.write(games.encode())
        self.file.flush()


@contextmanager
def open_games(path: str, match: Match) -> Iterator[GamesFile]:
    """Open the file of a match, or a new one, and lock it against other matches.

    Anything after its last complete pair is removed.

    Raises
    ------
    InputError
        The file has other games.
    OSError
        It cannot be read or written, or another match writes to it.
    """
    with files.open_named(Path(path), "a+b", path) as file:
        files.lock(file, path)
        file.seek(0)
        content = file.read()
        try:
            pairs, end = _read_games(content, match)
        except errors.InputError as error:
            msg = f"{path}: {error}"
            raise errors.InputError(msg) from None
        if end < len(content):
            file.truncate(end)
        yield GamesFile(file, pairs)


def _read_games(content: bytes, match: Match) -> tuple[list[tuple[float, float]], int]:
    """Return the points of complete pairs, and where the last of them ends."""
    start = f'[Event "{match.event}"]'
    first = content.partition(b"\n")[0].decode("utf-8", "replace")
    if not start.startswith(first):  # an interrupted run may have cut it short
        msg = f"expected the games of this match, {start}, found {first[:MAX_SHOWN]!a}"
        raise errors.InputError(msg)
    games = _NEXT_GAME.split(content.decode("ascii", "replace"))
    pairs: list[tuple[float, float]] = []
    end = 0
    for pair in map("".join, zip(games[::2], games[1::2], strict=False)):
        points = match.read_pair(len(pairs) + 1, pair)
        if points is None:
            break
        pairs.append(points)
        end += len(pair)
    return pairs, end


def play_match(
    match: Match,
    pairs: int,
    *,
    jobs: int,
    control: GroupControl,
    file: GamesFile | None = None,
) -> Iterator[MatchScore]:
    """Play or continue a match.

    Parameters
    ----------
    match : Match
    pairs : int
        How many pairs, including those in the file.
    jobs : int
        How many at once.
    control : GroupControl
        Stops play; pairs that are not finished then are lost.
    file : GamesFile, optional
        The games played so far; receives the others.

    Yields
    ------
    MatchScore
        The score after the pairs in the file, and again after each further pair: the
        same object.
    """
    score = MatchScore()
    for points in (file.pairs if file else [])[:pairs]:
        score.add_pair(*points)
    yield score
    played = score.pairs.total()
    if played == pairs:
        return
    for games in player.play_games(match, range(played + 1, pairs + 1), jobs, control):
        if file:
            file.add(games)
        pair = match.read_pair(score.pairs.total() + 1, games)
        assert pair, "a game that was played is whole"
        score.add_pair(*pair)
        yield score
