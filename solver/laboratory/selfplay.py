"""Games of the laboratory's search against itself, each with its own random seed.

The shipped material-imbalance table is made of such games. Game k of a seed is always
the same, so a run can be repeated, continued or split.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess
import chess.pgn

from solver.kernel.memory import Extension
from solver.laboratory.search import Laboratory
from solver.laboratory.techniques import Mdp, Techniques
from solver.search.threads import Control

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.laboratory.results import Iteration

TABLE_ENTRIES = 1 << 14
TECHNIQUES = Techniques(mdp=Mdp.TIGHT, extension=Extension.CHECKS)
UNFINISHED = "*"


@dataclass(frozen=True, slots=True)
class Rules:
    """How games are played.

    Attributes
    ----------
    depth : int
        Plies searched for each move.
    opening_plies : int
        Random moves at the start of each game.
    most_plies : int
        A longer game is stopped with the result `*`.
    """

    depth: int
    opening_plies: int = 8
    most_plies: int = 400


def play(
    games: int,
    seed: int,
    rules: Rules,
    *,
    first: int = 1,
    control: Control | None = None,
) -> Iterator[chess.pgn.Game]:
    """Play games one after the other.

    Parameters
    ----------
    games : int
        The number of games.
    seed : int
    rules : Rules
    first : int
        The number of the first game.
    control : Control, optional
        Stops play; an unfinished game is not yielded.

    Yields
    ------
    chess.pgn.Game
    """
    player = _Player(rules, control)
    for number in range(first, first + games):
        chance = random.Random(f"{seed}/{number}")  # noqa: S311 - to be repeatable
        board = player.play(chance)
        if board is None:
            return
        game = chess.pgn.Game.from_board(board)
        game.headers["Event"] = f"Self-play, {rules.depth} plies a move, seed {seed}"
        game.headers["Site"] = "matesolve"
        game.headers["Date"] = "????.??.??"
        game.headers["Round"] = str(number)
        game.headers["White"] = game.headers["Black"] = "matesolve"
        game.headers["Result"] = _result(board)
        yield game


class _Player:
    """Chooses moves and avoids repetitions, which the search does not see."""

    def __init__(self, rules: Rules, control: Control | None) -> None:
        self._laboratory = Laboratory(TABLE_ENTRIES)
        self._rules = rules
        self._control = control or Control()

    def play(self, chance: random.Random) -> chess.Board | None:
        """Play a game to its end or to the longest length; None if stopped."""
        board = _open(chance, self._rules.opening_plies)
        while _result(board) == UNFINISHED and board.ply() < self._rules.most_plies:
            move = self._choose(board)
            if move is None:
                return None
            board.push(move)
        return board

    def _choose(self, board: chess.Board) -> chess.Move | None:
        """Return the best move, but avoid a repetition if another move also wins."""
        best = self._search(board, self._rules.depth)
        if best is None:
            return None
        move = chess.Move.from_uci(best.move)
        if best.score <= 0 or not _repeats(board, move):
            return move
        others = []
        for other in board.legal_moves:
            if not _repeats(board, other):
                board.push(other)
                reply = self._search(board, self._rules.depth - 1)
                board.pop()
                if reply is None:
                    return None
                others.append((-reply.score, other.uci()))
        score, uci = max(others, default=(0, ""))
        return chess.Move.from_uci(uci) if score > 0 else move

    def _search(self, board: chess.Board, depth: int) -> Iteration | None:
        """Search a position; None if stopped."""
        iterations = list(
            self._laboratory.deepen(
                board, TECHNIQUES, max(depth, 1), control=self._control
            )
        )
        return None if self._control.reason else iterations[-1]


def _repeats(board: chess.Board, move: chess.Move) -> bool:
    """Whether a move repeats a position of the game."""
    board.push(move)
    repeats = board.is_repetition(2)
    board.pop()
    return repeats


def _open(chance: random.Random, plies: int) -> chess.Board:
    """Play random moves that do not end the game."""
    while True:
        board = chess.Board()
        for _ in range(plies):
            board.push(chance.choice(list(board.legal_moves)))
            if board.is_game_over():
                break
        else:
            return board


def _result(board: chess.Board) -> str:
    """Return the result; a draw by repetition or by fifty moves needs no claim."""
    if board.is_repetition() or board.is_fifty_moves():
        return "1/2-1/2"
    return board.result()
