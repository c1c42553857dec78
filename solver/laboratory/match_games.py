"""Matches between two settings of the laboratory's search, and the file of their games.

Each opening is random moves that leave both sides about equal, and is played twice with
colours changed. Pair k of a seed is always the same, so a match can be continued: a
later run resumes from the PGN file of its games.
"""

from __future__ import annotations

import io
import random
import re
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import chess
import chess.pgn

from solver import __version__
from solver.errors import InputError, quote
from solver.files import lock, open_named
from solver.formats.pgn import RESULTS, UNFINISHED
from solver.kernel.border.experiment import Horizon
from solver.laboratory.game_pool import play_games
from solver.laboratory.match_score import MatchScore
from solver.laboratory.player import (
    DRAW,
    MOST_PLIES,
    OPENING_PLIES,
    Player,
    Rules,
    open_game,
    play_out,
    write_game,
)
from solver.laboratory.techniques import Techniques

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.laboratory.techniques import Variant
    from solver.search.threads import GroupControl

TABLE_ENTRIES = 1 << 16

BALANCE_CP = 100
BALANCE_DEPTH = 4
"""The sides are about equal if plain search to this depth scores within this."""

_NEXT_GAME = re.compile(r"(?<=\n\n)(?=\[Event )")

MAX_SHOWN = 200
"""How much of a foreign file a message shows, in characters."""


@dataclass(frozen=True, slots=True)
class Match:
    """Pairs of games by number, as `solver.laboratory.game_pool` plays them.

    Attributes
    ----------
    first, second : Variant
        The two settings.
    rules : Rules
    seed : int
    horizon : Horizon
        What both search where no depth is left. Prophet4 has a quiescence search.
    """

    first: Variant
    second: Variant
    rules: Rules
    seed: int
    horizon: Horizon = Horizon.QUIESCENCE

    @property
    def event(self) -> str:
        """The `Event` tag of the games: everything that they depend on."""
        return (
            f"{self.first.name} against {self.second.name}, {self.rules}, "
            f"{self.horizon.name.lower()} horizon, "
            f"{OPENING_PLIES} random plies, seed {self.seed}, "
            f"matesolve {__version__}"
        )

    def begin(self) -> Callable[[int], str]:
        """Return the function that plays a pair and writes it as PGN."""
        first, second = (
            Player(
                replace(variant.techniques, horizon=self.horizon),
                self.rules,
                TABLE_ENTRIES,
            )
            for variant in (self.first, self.second)
        )
        equal = Player(Techniques(), Rules(BALANCE_DEPTH))

        def play(number: int) -> str:
            opening = self._open(number, equal)
            games = ""
            names = self.first.name, self.second.name
            for half, players in enumerate(((first, second), (second, first)), 1):
                board = opening.copy()
                result, comment = play_out(board, players, proves_mates=True)
                if result == UNFINISHED:
                    result, comment = DRAW, f"drawn after {MOST_PLIES} plies"
                headers = {
                    "Event": self.event,
                    "Round": f"{number}.{half}",
                    "White": names[half - 1],
                    "Black": names[2 - half],
                    "Result": result,
                    "Termination": "adjudication" if comment else "normal",
                }
                games += write_game(board, headers, comment) + "\n"
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
                    found = quote(headers.get(tag, ""))
                    msg = f"{tag}: expected {value!r}, found {found}"
                    raise InputError(msg)
            white = RESULTS[result]
            points.append(white if half == 1 else 1 - white)
        return points[0], points[1]

    def _open(self, number: int, player: Player) -> chess.Board:
        """Return the opening of a pair."""
        chance = random.Random(f"{self.seed}/{number}")  # noqa: S311 - repeatable
        while True:
            board = open_game(chance)
            last = player.search(board, BALANCE_DEPTH, None)
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
    with open_named(Path(path), "a+b", path) as file:
        lock(file, path)
        file.seek(0)
        content = file.read()
        try:
            pairs, end = _read_games(content, match)
        except InputError as error:
            msg = f"{path}: {error}"
            raise InputError(msg) from None
        if end < len(content):
            file.truncate(end)
        yield GamesFile(file, pairs)


def _read_games(content: bytes, match: Match) -> tuple[list[tuple[float, float]], int]:
    """Return the points of complete pairs, and where the last of them ends."""
    start = f'[Event "{match.event}"]'
    first = content.partition(b"\n")[0].decode("utf-8", "replace")
    if not start.startswith(first):  # an interrupted run may have cut it short
        msg = f"expected the games of this match, {start}, found {first[:MAX_SHOWN]!a}"
        raise InputError(msg)
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
    for games in play_games(match, range(played + 1, pairs + 1), jobs, control):
        if file:
            file.add(games)
        pair = match.read_pair(score.pairs.total() + 1, games)
        assert pair, "a game that was played is whole"
        score.add_pair(*pair)
        yield score
