"""What a client asks: the texts of `go` and `position`, read."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import chess

from solver.errors import InputError
from solver.formats.fen import parse_fen
from solver.formats.wording import quote
from solver.kernel.interface import NO_LIMIT
from solver.problem import MAX_MOVES

NUMBERS = (
    "mate",
    "depth",
    "nodes",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
)
"""The words of `go` that a whole number follows."""

MOVES_TO_GO = 40
"""So many more moves are expected where the clock covers the whole game."""

OVERHEAD_MS = 20
"""Left on the clock for the way to the client and back."""

LONGEST_S = threading.TIMEOUT_MAX / 2
"""As long as the system's timers can wait, with room to spare."""


@dataclass(frozen=True, slots=True)
class Go:
    """What a search is asked for, and what it may take.

    Attributes
    ----------
    numbers : dict of str to int
        By the words of `NUMBERS`; times in milliseconds.
    searchmoves : tuple of str
        The first moves to look at, in UCI notation; none: all of them.
    infinite, ponder : bool
        The answer is held back until the client asks for it.
    unknown : tuple of str
        Words that mean nothing here.
    """

    numbers: dict[str, int] = field(default_factory=dict)
    searchmoves: tuple[str, ...] = ()
    infinite: bool = False
    ponder: bool = False
    unknown: tuple[str, ...] = ()

    @property
    def within(self) -> int | None:
        """Moves of the mate asked for; negative: the side to move is mated."""
        mate = self.numbers.get("mate")
        return max(-MAX_MOVES, min(mate, MAX_MOVES)) if mate else None

    @property
    def max_moves(self) -> int | None:
        """The longest mate that `depth` plies have room for."""
        depth = self.numbers.get("depth")
        return min((depth + 1) // 2, MAX_MOVES) if depth else None

    @property
    def nodes(self) -> int:
        """Nodes that the search may take."""
        return min(self.numbers.get("nodes") or NO_LIMIT, NO_LIMIT)

    @property
    def unlimited(self) -> bool:
        """Nothing would ever end this search but an answer."""
        limits = ("mate", "depth", "nodes", "movetime", "wtime", "btime")
        return not any(self.numbers.get(name) for name in limits)

    def time_s(self, turn: chess.Color) -> float | None:
        """Seconds that the search may take; None: no limit."""
        if movetime := self.numbers.get("movetime"):
            return min(movetime / 1000, LONGEST_S)
        clock, increment = ("wtime", "winc") if turn else ("btime", "binc")
        if clock not in self.numbers:
            return None
        return share_of_clock_s(
            self.numbers[clock],
            self.numbers.get(increment, 0),
            self.numbers.get("movestogo") or MOVES_TO_GO,
        )


def share_of_clock_s(left_ms: int, increment_ms: int, moves_to_go: int) -> float:
    """Give seconds for one move, at most what the clock has left."""
    share_ms = left_ms / min(moves_to_go, MOVES_TO_GO) + increment_ms * 3 / 4
    share_ms = min(share_ms, left_ms * 4 / 5) - OVERHEAD_MS
    return min(max(share_ms, 1) / 1000, LONGEST_S)


def parse_go(text: str) -> Go:
    """Read what stands behind `go`.

    A limit of 0 is no limit; words that mean nothing are set aside.

    Raises
    ------
    InputError
        A number is none, or is negative where that means nothing.
    """
    numbers: dict[str, int] = {}
    flags: set[str] = set()
    moves: list[str] = []
    unknown: list[str] = []
    strangers = unknown  # words between keywords: moves behind `searchmoves`
    words = iter(text.split())
    for word in words:
        if word in NUMBERS:
            numbers[word] = _whole(word, next(words, ""))
        elif word in {"infinite", "ponder"}:
            flags.add(word)
        elif word == "searchmoves":
            strangers = moves
            continue
        else:
            strangers.append(word)
            continue
        strangers = unknown
    return Go(
        numbers,
        tuple(dict.fromkeys(move.lower() for move in moves)),
        infinite="infinite" in flags,
        ponder="ponder" in flags,
        unknown=tuple(unknown),
    )


def _whole(name: str, digits: str) -> int:
    may_be_negative = name in {"mate", "wtime", "btime"}
    try:
        number = int(digits)
    except ValueError:
        number = None
    if number is None or (number < 0 and not may_be_negative):
        msg = f"go {name}: expected a whole number, found {quote(digits or 'nothing')}"
        raise InputError(msg)
    return number


def parse_position(text: str) -> chess.Board:
    """Read what stands behind `position`; the board comes without its history.

    Raises
    ------
    InputError
        No legal position of orthodox chess, or a move that is not legal.
    """
    place, _, moves = f"{text} ".partition(" moves ")
    kind, _, fen = place.strip().partition(" ")
    if kind == "startpos":
        board = chess.Board()
    elif kind == "fen":
        board = parse_fen(fen)
    else:
        msg = f"position: expected startpos or fen, found {quote(kind or 'nothing')}"
        raise InputError(msg)
    for word in moves.split():
        board.push(parse_move(board, word))
    return board.copy(stack=False)


def parse_move(board: chess.Board, word: str) -> chess.Move:
    """Read a legal move in UCI notation.

    Raises
    ------
    InputError
        It is no move, or not legal on this board.
    """
    try:
        move = chess.Move.from_uci(word.lower())
    except chess.InvalidMoveError:
        move = chess.Move.null()
    if move not in board.legal_moves:
        msg = f"expected a legal move of {board.fen()}, found {quote(word)}"
        raise InputError(msg)
    return move
