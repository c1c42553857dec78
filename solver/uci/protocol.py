"""The text of the Universal Chess Interface: options, `go`, `position` and `info`.

This module parses what the client sends and formats what the engine answers.
"""

from __future__ import annotations

import os
import re
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import chess

from solver.errors import InputError, quote, refuse
from solver.kernel.border.interface import NO_LIMIT
from solver.problem import DEFAULT_HASH_MIB, MAX_HASH_MIB, MAX_MOVES, MAX_THREADS

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.endgames.tablebases import Tablebases

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
"""The words of `go` that are followed by a whole number."""

MOVES_TO_GO = 40
"""The number of moves still expected in a game if the clock has no `movestogo`."""

OVERHEAD_MS = 20
"""Time reserved for communication with the client."""

LONGEST_S = threading.TIMEOUT_MAX / 2
"""The longest time for a move: what the system's timers accept, with a margin."""

HASH = "Hash"
THREADS = "Threads"
MULTI_PV = "MultiPV"
CLEAR_HASH = "Clear Hash"
KEEP_BOUNDS = "Keep Bounds"
SYZYGY_PATH = "SyzygyPath"

MAX_SHOWN = 200
"""How much of a path a message shows, in characters."""

EMPTY = "<empty>"
"""The protocol's word for an empty string."""

_VALUE = re.compile(r"\svalue(?!\S)", re.IGNORECASE)

_NUMBER = re.compile(r"([+-]?)0*([0-9]+)")
_MAX_DIGITS = 20
"""A number with more digits is beyond all limits; Python refuses to read very many."""


@dataclass(frozen=True, slots=True)
class Go:
    """A `go` command: what to search, and what it may cost.

    Attributes
    ----------
    numbers : dict of str to int
        By the words of `NUMBERS`; times in milliseconds.
    searchmoves : tuple of str
        The first moves to search, in UCI notation; empty: all.
    infinite, ponder : bool
        Whether the answer waits for `stop` or `ponderhit`.
    unknown : tuple of str
        Words that are not part of the command.
    """

    numbers: dict[str, int] = field(default_factory=dict)
    searchmoves: tuple[str, ...] = ()
    infinite: bool = False
    ponder: bool = False
    unknown: tuple[str, ...] = ()

    @property
    def within(self) -> int | None:
        """Moves of the requested mate; negative: the side to move is mated."""
        mate = self.numbers.get("mate")
        return max(-MAX_MOVES, min(mate, MAX_MOVES)) if mate else None

    @property
    def max_moves(self) -> int | None:
        """The longest mate that fits in `depth` plies."""
        depth = self.numbers.get("depth")
        return min((depth + 1) // 2, MAX_MOVES) if depth else None

    @property
    def nodes(self) -> int:
        """The node limit."""
        return min(self.numbers.get("nodes") or NO_LIMIT, NO_LIMIT)

    def limited(self, turn: chess.Color) -> bool:
        """Return whether a limit is set that ends a search for the side to move."""
        limits = (self.numbers.get(name) for name in ("mate", "depth", "nodes"))
        return any(limits) or self.time_s(turn) is not None

    def time_s(self, turn: chess.Color) -> float | None:
        """Return the time limit in seconds, for the side to move; None: no limit."""
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
    """Return seconds for one move, at most what is left on the clock."""
    share_ms = left_ms / min(moves_to_go, MOVES_TO_GO) + increment_ms * 3 / 4
    share_ms = min(share_ms, left_ms * 4 / 5) - OVERHEAD_MS
    return min(max(share_ms, 1) / 1000, LONGEST_S)


def parse_go(text: str) -> Go:
    """Parse the text after `go`.

    A limit of 0 means no limit. Unknown words are collected in `Go.unknown`.

    Raises
    ------
    InputError
        A number is missing or malformed, or is negative where it must not be.
    """
    numbers: dict[str, int] = {}
    flags: set[str] = set()
    moves: list[str] = []
    unknown: list[str] = []
    others = unknown  # where words that are no keyword go; `searchmoves` takes moves
    words = iter(text.split())
    for word in words:
        if word in NUMBERS:
            numbers[word] = _whole(word, next(words, ""))
        elif word in {"infinite", "ponder"}:
            flags.add(word)
        elif word == "searchmoves":
            others = moves
            continue
        else:
            others.append(word)
            continue
        others = unknown
    return Go(
        numbers,
        tuple(dict.fromkeys(move.lower() for move in moves)),
        infinite="infinite" in flags,
        ponder="ponder" in flags,
        unknown=tuple(unknown),
    )


def _whole(name: str, digits: str) -> int:
    may_be_negative = name in {"mate", "wtime", "btime"}
    number = _NUMBER.fullmatch(digits)
    if number is None or (number[1] == "-" and not may_be_negative):
        refuse(f"go {name}: expected a whole number", quote(digits or "nothing"))
    sign, shown = number[1], number[2][:_MAX_DIGITS]
    return max(-NO_LIMIT, min(int(sign + shown), NO_LIMIT))


def parse_move(board: chess.Board, word: str) -> chess.Move:
    """Parse a legal move in UCI notation.

    Raises
    ------
    InputError
        The word is not a move, or the move is not legal.
    """
    try:
        move = chess.Move.from_uci(word.lower())
    except chess.InvalidMoveError:
        move = chess.Move.null()
    if move not in board.legal_moves:
        refuse(f"expected a legal move of {board.fen()}", quote(word))
    return move


@dataclass(frozen=True, slots=True)
class Line:
    """A first move, with the forced mate after it if one is known.

    Attributes
    ----------
    mate : int or None
        Moves to the forced mate; negative: the side to move is mated.
    pv : tuple of str
        In UCI notation: the whole line to the mate, or the first move alone.
    lower_bound : int
        No mate takes fewer moves than this, as proved.
    """

    mate: int | None
    pv: tuple[str, ...]
    lower_bound: int

    @property
    def rank(self) -> tuple[int, int]:
        """The sort key, best first: fast mates, unknown moves, late losses."""
        if self.mate is None:
            return 1, 0
        return (0, self.mate) if self.mate > 0 else (2, self.mate)

    @property
    def wins(self) -> bool:
        """Whether the first move mates."""
        return self.mate is not None and self.mate > 0

    @property
    def length(self) -> int:
        """Moves to mate, whoever mates; 0 if no mate is known."""
        return abs(self.mate or 0)

    @property
    def shortest(self) -> bool:
        """Whether the mate is proved to be the shortest."""
        return self.mate is not None and self.lower_bound >= self.length

    @property
    def depth(self) -> int:
        """Plies searched completely."""
        return len(self.pv) if self.shortest else depth_below(self.lower_bound)


def format_notice(message: object) -> str:
    """Return the `info string` line with a message, on one line and printable."""
    text = " ".join(str(message).splitlines())
    return "info string " + "".join(c if c.isprintable() else "\ufffd" for c in text)


def format_effort(nodes: int, time_s: float, hashfull: int) -> str:
    """Return the part of an `info` line that reports what a search has cost.

    Parameters
    ----------
    nodes : int
        Positions entered.
    time_s : float
        Seconds.
    hashfull : int
        Used part of the transposition table, per mille.
    """
    nps = int(nodes / max(time_s, 0.001))
    return f"nodes {nodes} nps {nps} hashfull {hashfull} time {int(time_s * 1000)}"


def depth_below(lower_bound: int) -> int:
    """Return the plies that a proof of this lower bound has searched completely."""
    return max(1, 2 * lower_bound - 3)


def format_info(number: int, line: Line, effort: str) -> str:
    """Return the `info` line for the line ranked `number`, from 1.

    `effort` is made by `format_effort`.
    """
    score = "cp 0" if line.mate is None else f"mate {line.mate}"
    return (
        f"info depth {line.depth} seldepth {max(line.depth, len(line.pv))} "
        f"multipv {number} score {score} {effort} pv {' '.join(line.pv)}"
    )


def format_best_move(lines: tuple[Line, ...]) -> str:
    """Return the `bestmove` line: the move to play, and the reply to ponder on."""
    if not lines:
        return "bestmove (none)"
    best, *replies = lines[0].pv
    return f"bestmove {best} ponder {replies[0]}" if replies else f"bestmove {best}"


class Option(NamedTuple):
    """An option of the engine.

    Attributes
    ----------
    declaration : str
        The text after the name in the line that declares it.
    read : callable
        Parses the value that the client sets; raises InputError.
    default : object
        Its value until the client sets one.
    """

    declaration: str
    read: Callable[[str], Any]
    default: Any = None


def _spin(default: int, least: int, most: int) -> Option:
    """Return an option whose value is a whole number."""

    def read(value: str) -> int:
        number = int(value) if re.fullmatch(r"[+-]?[0-9]{1,18}", value) else None
        if number is None or not least <= number <= most:
            refuse(f"expected a whole number from {least} to {most}", quote(value))
        return number

    return Option(f"type spin default {default} min {least} max {most}", read, default)


def _read_check(value: str) -> bool:
    if value.lower() not in {"true", "false"}:
        refuse("expected true or false", quote(value))
    return value.lower() == "true"


def _read_button(value: str) -> None:
    if value:
        refuse("expected no value", quote(value))


def _open_tablebases(value: str) -> Tablebases | None:
    """Open the tablebases of directories that are separated as in `PATH`."""
    from solver.endgames.tablebases import Tablebases

    if value.lower() == EMPTY:
        return None
    names = [name for name in value.split(os.pathsep) if name]
    try:
        return Tablebases(names) if names else None
    except OSError as error:
        found, reason = error.filename or value, error.strerror or str(error)
    except ValueError as error:  # no path at all, such as one with a null character
        found, reason = value, str(error)
    return refuse("expected directories", f"{str(found)[:MAX_SHOWN]!a}: {reason}")


_CHECK = Option("type check default false", _read_check, default=False)
OPTIONS: dict[str, Option] = {
    HASH: _spin(DEFAULT_HASH_MIB, 1, MAX_HASH_MIB),
    THREADS: _spin(1, 1, MAX_THREADS),
    MULTI_PV: _spin(1, 1, 218),
    CLEAR_HASH: Option("type button", _read_button),
    KEEP_BOUNDS: _CHECK,
    SYZYGY_PATH: Option(f"type string default {EMPTY}", _open_tablebases),
    # Clients expect to set these, but they have no effect: analysis and play are the
    # same search, and pondering is requested with `go ponder`.
    "UCI_AnalyseMode": _CHECK,
    "Ponder": _CHECK,
}


def parse_option(text: str) -> tuple[str, Any]:
    """Parse the text after `setoption`: the name of an option, and its value.

    Raises
    ------
    InputError
        There is no such option, or the value is invalid.
    """
    named, *values = _VALUE.split(text, maxsplit=1)
    word, _, given = " ".join(named.split()).partition(" ")
    if word.lower() != "name" or not given:
        refuse("setoption: expected name NAME value VALUE", quote(text))
    for name, option in OPTIONS.items():
        if name.lower() == given.lower():
            try:
                return name, option.read("".join(values).strip())
            except InputError as error:
                msg = f"option {name}: {error}"
                raise InputError(msg) from None
    return refuse(f"expected one of the options {', '.join(OPTIONS)}", quote(given))
