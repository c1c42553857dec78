"""The mates that engines claim in the comments of PGN games, one for each score.

- `[%eval #3]`, as lichess and python-chess write it, or `[%eval M3]`, as En Croissant
  did (niklasf/chessops, issue 163): White mates in 3 in the position after the move,
  or after the `FEN` tag; `#-3`, `-M3`: Black mates.
- `+M5/20 0.1s`, as cutechess-cli (`MoveEvaluation::scoreText`) and fastchess (since
  its pull request 696) write it: the player mates in the position before the move, by
  this move, within 5 plies; `-M6`: the player is mated.
- `+#3/20`: the same in moves.
- `+M3` or, as in UCI, `mate 3`, without a depth: the same in moves.

A mate takes an odd number of plies, and being mated an even one. If an `M` in a game
contradicts this, all of them count moves, as fastchess wrote them before its version 1.
The point of view may be another one in an `[%eval]`, where some programs write the
player's, and without a depth. In the wrong one the winner seems to change with each
move; then the other is taken (`_flips`).

Other scores and variations are skipped. A number that is too large is an error, and the
other scores of the game are kept. Any other comment that looks like a mate score is
counted: `mate in 3` or `#3` do not say who mates.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from solver.errors import FormatError, InputError, quote
from solver.formats.claims import parse_distance
from solver.formats.pgn import PgnGame, split_games
from solver.formats.streams import Lines, Records, read_each
from solver.problem import Claim, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    import chess

    from solver.formats.claims import FileSummary


class _View(NamedTuple):
    """Which position a score is about, and who mates if its number is positive."""

    words: str
    is_before: bool
    is_whites: bool


_OF_WHITE = _View("White's view", is_before=False, is_whites=True)
_OF_PLAYER = _View("player's view", is_before=True, is_whites=False)
_VIEWS = {
    "[%eval]": (_OF_WHITE, _OF_PLAYER._replace(is_before=False)),
    "score/depth": (_OF_PLAYER,),
    "score": (_OF_PLAYER, _OF_WHITE),
}
"""The views of each form of a score; the first is the usual one."""

_SCORE = r"([+-]?)(M|#|(?i:mate)\s+)([+-]?[0-9]{1,9})"
_find_eval = re.compile(rf"\[%eval\s+{_SCORE}\b").search
_match_player = re.compile(rf"\s*{_SCORE}/[0-9]").match
_match_bare = re.compile(
    rf"\s*{_SCORE.replace('|#', '')}(?=\s*(?:[,;0-9]|\Z))(?!\w)"
).match
_FORMS = dict(zip(_VIEWS, (_find_eval, _match_player, _match_bare), strict=True))

_find_unread = re.compile(
    r"\[%eval[^\]]*[#M][^\]]*\]?|(?<!\w)[+-]?M[+-]?[0-9]+(?!\w)"
    r"|(?<!\w)(?<!\w )[+-]?#[+-]?[0-9]+|(?i:\bmated?\s+(?:in\s+)?[+-]?[0-9]+)"
).search
_ADVICE = re.compile(r"\([^()]*\u2192[^()]*\)")
"""lichess's words beside its score, such as `(Mate in 3 -> 4.50)` with an arrow."""


class _GameScore(NamedTuple):
    """A mate score: its form, unit and number, and the board after the last move."""

    form: str
    unit: str
    number: int
    ply: int
    board: chess.Board

    @property
    def may_count_plies(self) -> bool:
        """Whether it can be a number of plies; true of all that count moves."""
        return self.unit == "#" or self.number % 2 == (self.number > 0)

    def mate(self, view: _View) -> int:
        """Return its number, negative if the side to move in its position is mated."""
        turn = self.board.turn != view.is_before
        player = self.board.turn != bool(self.ply)
        return self.number if (view.is_whites or player) == turn else -self.number


def read_scores(lines: Lines, summary: FileSummary) -> Records:
    """Read the claims of all games; a game that cannot be read is one error."""
    parse = partial(_parse_scores, count(1), summary)
    for claims in read_each(split_games(lines), summary.name, parse):
        yield from [claims] if isinstance(claims, FormatError) else claims


def _find_scores(game: PgnGame) -> Iterator[_GameScore | tuple[str, str]]:
    """Yield the scores of the main line, mates in 0 too.

    For a comment that looks like a score and is not read: what it has, and where.
    """
    board = game.board
    for comment in game.play():
        if comment is None:
            continue
        ply, is_read = len(board.move_stack), False
        for form, match in _FORMS.items():
            found = match(comment)
            if not found or (form == "score" and is_read):
                continue
            if ply or form == "[%eval]":
                number = int(f"{found[1]}1") * int(found[3])
                unit = "M" if form == "score/depth" and found[2] == "M" else "#"
                yield _GameScore(form, unit, number, ply, board.copy(stack=1))
                is_read = True
        if not is_read and (unread := _find_unread(_ADVICE.sub("", comment))):
            yield unread[0], f"after {_last_move(board)[1]}" if ply else "start"


def _last_move(board: chess.Board) -> tuple[chess.Board, str, str]:
    """Return the position before the last move, and the move in words and in UCI."""
    before = board.copy(stack=1)
    move = before.pop()
    return before, before.variation_san([move]), move.uci()


def _flips(scores: list[_GameScore], view: _View) -> int:
    """Count what speaks against a view: after a move, the other side mates.

    Twice if the mated side moved, which cannot turn a mate; and twice for a mate in 1
    by a move that does not mate.
    """
    mates = {score.ply: score.mate(view) for score in scores}
    before = [
        mate for ply, mate in mates.items() if mate * mates.get(ply + 1, -mate) > 0
    ]
    wrong = [
        score
        for score in scores
        if view.is_before and score.number == 1 and not score.board.is_checkmate()
    ]
    return sum(2 if mate < 0 else 1 for mate in before) + 2 * len(wrong)


def _choose_view(scores: list[_GameScore], usual: _View, *others: _View) -> _View:
    """Return the usual view unless the game speaks for another one."""
    flips = _flips(scores, usual)
    better = [view for view in others if flips > 1 and _flips(scores, view) < flips]
    return better[0] if better else usual


def _parse_scores(
    games: count[int], summary: FileSummary, text: bytes, source: str
) -> list[Problem | FormatError]:
    game = f"game {next(games)}"
    scores = []
    for score in _find_scores(PgnGame(text)):
        if not isinstance(score, _GameScore):
            summary.skip_score(f"{quote(score[0])} ({source}, {game}, {score[1]})")
        elif score.number:
            scores.append(score)
    views = {
        form: _choose_view([score for score in scores if score.form == form], *views)
        for form, views in _VIEWS.items()
    }
    in_plies = all(score.may_count_plies for score in scores)
    problems: list[Problem | FormatError] = []
    for score in scores:
        view = views[score.form]
        mate, unit, board = score.mate(view), "moves", score.board
        if in_plies and score.unit == "M":
            mate, unit = (mate + (mate > 0)) // 2, "plies"
        summary.read("claim", f"{score.form} ({view.words}, in {unit})")
        name, line = f"{game}, start", tuple[str, ...]()
        if score.ply:
            before, move, uci = _last_move(board)
            name = f"{game}, {'' if view.is_before else 'after '}{move}"
            if view.is_before:
                board, line = before, (uci,)
        try:
            claim = Claim(parse_distance(name, str(mate)), (), line)
            fen = board.fen(en_passant="fen")
            problems.append(Problem(fen, name, claim, source))
        except InputError as error:
            problems.append(FormatError(source, str(error)))
    return problems
