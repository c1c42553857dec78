"""What a client asks: the texts of `go` and `position`, read."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from typing import NamedTuple

import chess

from solver.errors import InputError
from solver.formats.claims import quote
from solver.formats.fen import parse_fen
from solver.kernel.interface import NO_LIMIT
from solver.problem import DEFAULT_HASH_MIB, MAX_HASH_MIB, MAX_MOVES, MAX_THREADS

# What a client may set, and what it is set to.

HASH = "Hash"
THREADS = "Threads"
MULTI_PV = "MultiPV"
CLEAR_HASH = "Clear Hash"

_SET = re.compile(r"name\s+(.+?)(?:\s+value(?:\s+(.*))?)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Spin:
    """An option whose value is a whole number."""

    default: int
    least: int
    most: int

    @property
    def declaration(self) -> str:
        """What stands behind the name when the option is declared."""
        return f"type spin default {self.default} min {self.least} max {self.most}"

    def read(self, value: str) -> int:
        """Read what the client sets."""
        number = int(value) if re.fullmatch(r"[+-]?[0-9]{1,18}", value) else None
        if number is None or not self.least <= number <= self.most:
            msg = (
                f"expected a whole number from {self.least} to {self.most}, "
                f"found {quote(value)}"
            )
            raise InputError(msg)
        return number


@dataclass(frozen=True, slots=True)
class Check:
    """An option that is on (1) or off (0)."""

    default: int = 0

    @property
    def declaration(self) -> str:
        """What stands behind the name when the option is declared."""
        return f"type check default {'true' if self.default else 'false'}"

    def read(self, value: str) -> int:
        """Read what the client sets."""
        if value.lower() not in {"true", "false"}:
            msg = f"expected true or false, found {quote(value)}"
            raise InputError(msg)
        return int(value.lower() == "true")


@dataclass(frozen=True, slots=True)
class Button:
    """An option without a value: something to be done."""

    default = 0
    declaration = "type button"

    def read(self, value: str) -> int:
        """Refuse a value."""
        if value:
            msg = f"expected no value, found {quote(value)}"
            raise InputError(msg)
        return self.default


Option = Spin | Check | Button

OPTIONS: dict[str, Option] = {
    HASH: Spin(DEFAULT_HASH_MIB, 1, MAX_HASH_MIB),
    THREADS: Spin(1, 1, MAX_THREADS),
    MULTI_PV: Spin(1, 1, 218),
    CLEAR_HASH: Button(),
    # Analysis and play are one to a solver, and it thinks when it is told to; clients
    # want to set these all the same.
    "UCI_AnalyseMode": Check(),
    "Ponder": Check(),
}


class Options:
    """The options with their values, by the names in `OPTIONS`."""

    def __init__(self) -> None:
        self._values = {name: option.default for name, option in OPTIONS.items()}

    def __getitem__(self, name: str) -> int:
        return self._values[name]

    def set(self, text: str) -> str:
        """Do what stands behind `setoption`; give the name of the option.

        Raises
        ------
        InputError
            There is no such option, or it takes no such value.
        """
        match = _SET.fullmatch(text.strip())
        if match is None:
            msg = f"setoption: expected name NAME value VALUE, found {quote(text)}"
            raise InputError(msg)
        asked, value = match[1], (match[2] or "").strip()
        for name, option in OPTIONS.items():
            if name.lower() == " ".join(asked.lower().split()):
                try:
                    self._values[name] = option.read(value)
                except InputError as error:
                    msg = f"option {name}: {error}"
                    raise InputError(msg) from None
                return name
        msg = f"expected one of the options {', '.join(OPTIONS)}, found {quote(asked)}"
        raise InputError(msg)


def declarations() -> list[str]:
    """List the lines that tell a client which options there are."""
    return [
        f"option name {name} {option.declaration}" for name, option in OPTIONS.items()
    ]


# What is known of a first move, and how a client is told.


@dataclass(frozen=True, slots=True)
class Line:
    """A first move with the mate that it leads to, if one is known.

    Attributes
    ----------
    mate : int or None
        Moves to mate, forced; negative: the side to move is mated.
    pv : tuple of str
        In UCI notation: the whole line to the mate, or the first move alone.
    lower_bound : int
        No mate takes fewer moves than this: proved.
    """

    mate: int | None
    pv: tuple[str, ...]
    lower_bound: int

    @property
    def rank(self) -> tuple[int, int]:
        """Sort by this, best first: mates, what is not known, losses; late ones last.

        The longer it takes to be mated, the better.
        """
        if self.mate is None:
            return 1, 0
        return (0, self.mate) if self.mate > 0 else (2, self.mate)

    @property
    def wins(self) -> bool:
        """The first move mates."""
        return self.mate is not None and self.mate > 0

    @property
    def length(self) -> int:
        """Moves to mate, whoever mates; 0 where none is known."""
        return abs(self.mate or 0)

    @property
    def shortest(self) -> bool:
        """The mate is proved to be as short as any."""
        return self.mate is not None and self.lower_bound >= self.length

    @property
    def depth(self) -> int:
        """Plies that were searched in full."""
        return len(self.pv) if self.shortest else depth_below(self.lower_bound)


class Effort(NamedTuple):
    """What a search has cost so far.

    Attributes
    ----------
    nodes : int
        Positions entered.
    time_s : float
        Seconds.
    hashfull : int
        How full the table is, per mille.
    """

    nodes: int
    time_s: float
    hashfull: int

    @property
    def words(self) -> str:
        """The words of an `info` line that tell the cost."""
        nps = int(self.nodes / max(self.time_s, 0.001))
        return (
            f"nodes {self.nodes} nps {nps} hashfull {self.hashfull} "
            f"time {int(self.time_s * 1000)}"
        )


def depth_below(lower_bound: int) -> int:
    """Give the plies that a search with this lower bound has behind it."""
    return max(1, 2 * lower_bound - 3)


def tell_line(number: int, line: Line, effort: Effort) -> str:
    """Give the `info` line of the line that is number `number` (from 1) of the best."""
    score = "cp 0" if line.mate is None else f"mate {line.mate}"
    return (
        f"info depth {line.depth} seldepth {max(line.depth, len(line.pv))} "
        f"multipv {number} score {score} {effort.words} pv {' '.join(line.pv)}"
    )


def tell_best(lines: tuple[Line, ...]) -> str:
    """Give the `bestmove` line: the move to play and the reply to think about."""
    if not lines:
        return "bestmove (none)"
    best, *replies = lines[0].pv
    return f"bestmove {best} ponder {replies[0]}" if replies else f"bestmove {best}"


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
