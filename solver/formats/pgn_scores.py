"""Read the mates that engines claim in the comments of games, one for each score.

- `[%eval #3]`, as lichess writes it: White mates in 3 in the position after the move,
  or after the `FEN` tag; `#-3`: Black mates.
- `+M5/20 0.1s`, as cutechess-cli and fastchess write it: the player mates in the
  position before the move, by this move, within 5 plies; `-M6`: the player is mated.
- `+#3/20`: the same in moves.

A mate takes an odd number of plies, and being mated an even one. If an `M` in a game
contradicts this, all of them count moves, as fastchess wrote them before its version 1.
Other scores, other comments and variations are skipped. A number that is too large is
an error, and the other scores of the game are kept.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from solver.errors import FormatError, InputError
from solver.formats.claims import parse_distance
from solver.formats.pgn_games import PgnGame, split_games
from solver.formats.streams import Lines, Records, read_each
from solver.problem import Claim, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    import chess

    from solver.formats.summary import FileSummary

_EVAL = re.compile(r"\[%eval\s+#([+-]?[0-9]{1,9})\b")
_PLAYER = re.compile(r"\s*([+-]?)([M#])([+-]?[0-9]{1,9})/[0-9]")


class _Score(NamedTuple):
    """A mate score: the position, its name in the game, the move played, the number."""

    fen: str
    name: str
    line: tuple[str, ...]
    number: int
    unit: str = "#"

    def counts_plies(self) -> bool:
        """Whether an `M` can be a number of plies; true of every `#`."""
        return self.unit == "#" or self.number % 2 == (self.number > 0)


def read_scores(lines: Lines, summary: FileSummary) -> Records:
    """Read the claims of all games; a game that cannot be read is one error."""
    summary.read("claim", "comment")
    parse = partial(_parse_game, count(1))
    for claims in read_each(split_games(lines), summary.name, parse):
        yield from [claims] if isinstance(claims, FormatError) else claims


def _find_scores(game: PgnGame) -> Iterator[_Score]:
    """Yield the scores of the main line, mates in 0 too."""
    board = game.board
    for comment in game.play():
        if comment is None:
            continue
        played = bool(board.move_stack)
        if found := _EVAL.search(comment):
            name = f"after {_last_move(board)[1]}" if played else "start"
            mate = int(found[1]) * (1 if board.turn else -1)
            yield _Score(_fen(board), name, (), mate)
        if played and (found := _PLAYER.match(comment)):
            before, name, move = _last_move(board)
            number = int(f"{found[1]}1") * int(found[3])
            yield _Score(_fen(before), name, (move,), number, found[2])


def _fen(board: chess.Board) -> str:
    return board.fen(en_passant="fen")


def _last_move(board: chess.Board) -> tuple[chess.Board, str, str]:
    """Return the position before the last move, and the move in words and in UCI."""
    before = board.copy(stack=1)
    move = before.pop()
    return before, before.variation_san([move]), move.uci()


def _parse_game(
    games: count[int], text: bytes, source: str
) -> list[Problem | FormatError]:
    game = f"game {next(games)}"
    scores = [score for score in _find_scores(PgnGame(text)) if score.number]
    in_plies = all(score.counts_plies() for score in scores)
    problems: list[Problem | FormatError] = []
    for score in scores:
        number = score.number
        if in_plies and score.unit == "M":
            number = (number + (number > 0)) // 2
        name = f"{game}, {score.name}"
        try:
            claim = Claim(parse_distance(name, str(number)), (), score.line)
            problems.append(Problem(score.fen, name, claim, source))
        except InputError as error:
            problems.append(FormatError(source, str(error)))
    return problems
