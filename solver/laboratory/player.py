"""Games of the laboratory's search: openings, moves, results, and self-play.

The search ignores repetitions and the fifty-move rule, so the player avoids a
repetition if another move also wins. A game depends on its opening and the players'
settings alone, not on the process that plays it, so any number of jobs gives the same
games.

The shipped material-imbalance table is built from games of one setting against itself.
Game k of a seed is always the same, so a run can be repeated, continued or split.
"""

from __future__ import annotations

import multiprocessing
import random
from collections import deque
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

import chess
import chess.pgn

from solver.audit import workers
from solver.errors import MatesolveError
from solver.formats.pgn import UNFINISHED
from solver.kernel.border.scored_struct import Extension, Mdp
from solver.laboratory.iterative_deepening import Laboratory, prove_mate
from solver.laboratory.techniques import MAX_DEPTH, Iteration, Techniques, mate_distance
from solver.search.threads import WAIT_S, GroupControl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection

    from solver.solution import StoppedBy


# One game

TABLE_ENTRIES = 1 << 14

WHITE_WINS, BLACK_WINS, DRAW = "1-0", "0-1", "1/2-1/2"
FIFTY_MOVES_PLIES = 100

OPENING_PLIES = 8
"""Random moves at the start of each game."""

MOST_PLIES = 400
"""A longer game is stopped with the result `*`."""

PROOF_NODES = 100_000
"""What the prover may spend on a mate that a player has found."""

SELF_PLAY = Techniques(mdp=Mdp.TIGHT, extension=Extension.CHECKS)
"""What `SelfPlay` searches with."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a player may spend on a move.

    Attributes
    ----------
    depth : int or None
        Plies searched for each move; None: as many as `nodes` allows.
    nodes : int or None
        Stops the search for a move after so many nodes; the last complete iteration
        counts. None: no limit.
    """

    depth: int | None = None
    nodes: int | None = None

    def __str__(self) -> str:
        if self.nodes is None:
            return f"depth {self.depth}"
        return f"{self.nodes} nodes a move"


def result_of(board: chess.Board) -> str:
    """Return the result; a draw by repetition or by fifty moves needs no claim."""
    if not any(board.generate_legal_moves()):
        if not board.is_check():
            return DRAW
        return BLACK_WINS if board.turn else WHITE_WINS
    if (
        board.is_repetition()
        or board.halfmove_clock >= FIFTY_MOVES_PLIES
        or board.is_insufficient_material()
    ):
        return DRAW
    return UNFINISHED


def repeats_position(board: chess.Board, move: chess.Move) -> bool:
    """Return whether a move leads to a position that has occurred."""
    board.push(move)
    try:
        return board.is_repetition(2)
    finally:
        board.pop()


class Player:
    """Plays one side with one setting of the search.

    Parameters
    ----------
    techniques : Techniques
    rules : Rules
    table_entries : int
        Size of the transposition table, which is empty at each move.

    Attributes
    ----------
    mate : int or None
        The mate in so many moves that the last search saw, for either side.
    """

    def __init__(
        self,
        techniques: Techniques,
        rules: Rules,
        table_entries: int = TABLE_ENTRIES,
    ) -> None:
        self._laboratory = Laboratory(table_entries)
        self._techniques = techniques
        self._depth = MAX_DEPTH if rules.depth is None else rules.depth
        self._nodes = rules.nodes
        self.mate: int | None = None

    def choose(self, board: chess.Board) -> chess.Move:
        """Return the best move, but avoid a repetition if another move also wins."""
        best = self.search(board, self._depth, self._nodes)
        self.mate = mate_distance(best.score) if best else None
        if best is None:  # too few nodes for a single iteration
            return min(board.legal_moves, key=chess.Move.uci)
        move = chess.Move.from_uci(best.move)
        if best.score <= 0 or not repeats_position(board, move):
            return move
        others = [
            other for other in board.legal_moves if not repeats_position(board, other)
        ]
        share = self._nodes and max(1, self._nodes // max(1, len(others)))
        scored = []
        for other in others:
            board.push(other)
            reply = self.search(board, max(self._depth - 1, 1), share)
            board.pop()
            if reply:
                scored.append((-reply.score, other.uci()))
        score, uci = max(scored, default=(0, ""))
        return chess.Move.from_uci(uci) if score > 0 else move

    def search(
        self, board: chess.Board, depth: int, nodes: int | None
    ) -> Iteration | None:
        """Return the last iteration, None without one.

        An iteration that finds the shortest mate is the last.
        """
        last = None
        for last in self._laboratory.deepen(
            board, self._techniques, depth, nodes=nodes, confirm=False
        ):
            if last.settled:
                break
        return last

    def proves_mate(self, board: chess.Board) -> bool:
        """Return whether the prover confirms the mate that the last search found."""
        return (
            self.mate is not None
            and self.mate > 0
            and prove_mate(board, self.mate, PROOF_NODES) is not None
        )


def open_game(chance: random.Random) -> chess.Board:
    """Play random moves that do not end the game."""
    while True:
        board = chess.Board()
        for _ in range(OPENING_PLIES):
            board.push(chance.choice(list(board.legal_moves)))
            if board.is_game_over():
                break
        else:
            return board


def play_out(
    board: chess.Board,
    players: tuple[Player, Player],
    *,
    proves_mates: bool = False,
) -> tuple[str, str]:
    """Play a game from its opening.

    Parameters
    ----------
    board : chess.Board
        Receives all moves.
    players : tuple of two Player
        White and Black.
    proves_mates : bool
        End the game when the prover confirms a mate that the side to move has seen.

    Returns
    -------
    tuple of two str
        The result, and a comment if the rules of chess did not end the game.
    """
    while (result := result_of(board)) == UNFINISHED:
        if board.ply() >= MOST_PLIES:
            break
        player = players[not board.turn]
        move = player.choose(board)
        if proves_mates and player.proves_mate(board):
            wins = WHITE_WINS if board.turn else BLACK_WINS
            return wins, f"mate in {player.mate} proved"
        board.push(move)
    return result, ""


def write_game(board: chess.Board, headers: dict[str, str], comment: str = "") -> str:
    """Write a game as PGN, with a line feed at the end.

    Parameters
    ----------
    board : chess.Board
        Its last position, with all moves.
    headers : dict
        Tags to add, or to replace.
    comment : str
        A comment on the last move.
    """
    game = chess.pgn.Game.from_board(board)
    game.headers["Site"] = "matesolve"
    game.headers["Date"] = "????.??.??"
    game.headers.update(headers)
    game.end().comment = comment
    return f"{game}\n"


@dataclass(frozen=True, slots=True)
class SelfPlay:
    """Games by number, as `solver.laboratory.player` plays them.

    Attributes
    ----------
    seed : int
    rules : Rules
    """

    seed: int
    rules: Rules

    def begin(self) -> Callable[[int], str]:
        """Return the function that plays a game and writes it as PGN."""
        player = Player(SELF_PLAY, self.rules)

        def play(number: int) -> str:
            chance = random.Random(f"{self.seed}/{number}")  # noqa: S311 - repeatable
            board = open_game(chance)
            result, _ = play_out(board, (player, player))
            event = f"Self-play, {self.rules.depth} plies a move, seed {self.seed}"
            headers = {"Event": event, "Round": str(number), "Result": result}
            return write_game(
                board, headers | dict.fromkeys(("White", "Black"), "matesolve")
            )

        return play


# Many games at once

AHEAD = 4
"""How many games a process may be ahead of the last one yielded."""

Result_co = TypeVar("Result_co", covariant=True)


class Games(Protocol[Result_co]):
    """Games by number. Each process receives a copy."""

    def begin(self) -> Callable[[int], Result_co]:
        """Return the function that plays a game."""


def play_games(
    games: Games[Result_co], numbers: Iterable[int], jobs: int, control: GroupControl
) -> Iterator[Result_co]:
    """Play games, several at once.

    Parameters
    ----------
    games : Games
    numbers : iterable of int
        Which games.
    jobs : int
        How many at once, each in its process.
    control : GroupControl
        Stops play; games that are not finished then are lost.

    Yields
    ------
    object
        What each game returned, in the order of the numbers.

    Raises
    ------
    MatesolveError
        A process died.
    """
    with _start_processes(games, jobs, control) as submit:
        waiting = iter(numbers)
        try:
            running = deque(map(submit, islice(waiting, jobs * AHEAD)))
            while running:
                game = running.popleft()
                while not game.done():
                    wait_for([game], WAIT_S)
                yield game.result()
                running.extend(map(submit, islice(waiting, 1)))
        except BrokenExecutor:
            if control.is_stopped():
                return
            msg = "a process that played games died"
            raise MatesolveError(msg) from None


@contextmanager
def _start_processes(
    games: Games[Result_co], jobs: int, control: GroupControl
) -> Iterator[Callable[[int], Future[Result_co]]]:
    """Provide the function that gives a game to the next free process."""
    context = multiprocessing.get_context("spawn")
    far, near = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_begin, initargs=(games, far)
    )

    def submit(number: int) -> Future[Result_co]:
        with workers.interrupts_blocked():  # this may start a process
            return cast("Future[Result_co]", executor.submit(_play, number))

    def stop(_reason: StoppedBy) -> None:
        near.close()  # takes no lock, and every process notices it

    try:
        with control.stopping(stop):
            yield submit
    finally:
        near.close()
        executor.shutdown(cancel_futures=True)
        far.close()


_play_number: Callable[[int], object]
"""Plays a game, in a process of the pool."""


def _begin(games: Games[object], stopped: Connection) -> None:
    """Prepare a process, which exits when play is stopped."""
    workers.begin_process(stopped)
    global _play_number  # noqa: PLW0603 -- an initializer returns nothing
    _play_number = games.begin()


def _play(number: int) -> object:
    return _play_number(number)
