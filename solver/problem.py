"""What is asked: a position, what its source claims of it, and what it may cost."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from solver import arguments

# A lane: a restriction of the attacker, which makes a question narrow.

RANGES = {"king_flights": (0, 8), "replies": (0, 255), "threat": (1, 20)}
"""The numbers that each restriction takes."""

_NUMBERS = 1 << 10
"""More than any restriction says."""


@dataclass(frozen=True, slots=True)
class Lane:
    """Which moves the attacker may play; what is set restricts together.

    A mate in a lane is a mate. That there is none in a lane says nothing beyond it.

    Attributes
    ----------
    checks_only : bool
        Only moves that check.
    king_flights : int or None
        Only moves after which the defender's king has at most so many squares to go to.
    replies : int or None
        Only moves that leave the defender at most so many replies.
    threat : int or None
        Only moves that check or threaten mate in at most so many moves.

    Raises
    ------
    InputError
        A number is out of its range in `RANGES`, or a field of another type.
    """

    checks_only: bool = False
    king_flights: int | None = None
    replies: int | None = None
    threat: int | None = None

    def __post_init__(self) -> None:
        arguments.flag("checks_only", self.checks_only)
        for name, (least, most) in RANGES.items():
            value = getattr(self, name)
            if value is not None:
                number = arguments.whole(name, value, least, most)
                object.__setattr__(self, name, number)

    @property
    def is_open(self) -> bool:
        """Whether nothing is restricted."""
        return self == Lane()

    @property
    def number(self) -> int:
        """A number of its own for each lane."""
        number = int(self.checks_only)
        for most in (self.king_flights, self.replies, self.threat):
            number = number * _NUMBERS + (0 if most is None else most + 1)
        return number

    def words(self) -> str:
        """Tell what the attacker keeps to."""
        told = []
        if self.checks_only:
            told.append("checks only")
        if self.king_flights is not None:
            told.append(f"at most {_counted(self.king_flights, 'king flight')}")
        if self.replies is not None:
            told.append(f"at most {_counted(self.replies, 'reply', 'replies')}")
        if self.threat is not None:
            told.append(f"threats of mate in {self.threat}")
        return ", ".join(told)


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


MAX_MOVES = 200
"""The longest mate that a search looks for, in attacker's moves."""

DEFAULT_HASH_MIB = 128
"""Size of the transposition table when nothing is said, in MiB."""

MAX_HASH_MIB = 1 << 20
"""The largest table that can be asked for: one tebibyte."""

MAX_NODES = 2**63 - 1
"""The search counts in a signed 64-bit word."""

MAX_THREADS = 256
"""The most cores that can be asked for."""

_MOVES = "moves in UCI notation"


@dataclass(frozen=True, slots=True)
class Claim:
    """What a collection says of one of its positions.

    Attributes
    ----------
    mate : int
        Moves to mate, 1 to `MAX_MOVES`; negative when the side to move is mated.
    keys : tuple of str
        First moves that the source names, in UCI notation.
    line : tuple of str
        The line that the source gives, in UCI notation.
    any_last_move : bool
        The source counts every mate in one alike, as lichess does: there, further keys
        are no cooks.

    Raises
    ------
    InputError
        A field is of another type, or out of its range.
    """

    mate: int
    keys: tuple[str, ...] = ()
    line: tuple[str, ...] = ()
    any_last_move: bool = False

    def __post_init__(self) -> None:
        _set(self, "mate", signed_length("mate", self.mate))
        _set(self, "keys", arguments.texts("keys", self.keys, _MOVES))
        _set(self, "line", arguments.texts("line", self.line, _MOVES))
        arguments.flag("any_last_move", self.any_last_move)


@dataclass(frozen=True, slots=True)
class Problem:
    """A position to be solved.

    Attributes
    ----------
    fen : str
        Six-field FEN of a legal position of orthodox chess. Whether it is one is
        checked when it is solved.
    id : str
        What the source calls it, else `file:line`; empty when it has no name.
    claim : Claim or None
        What the source says of it.
    source : str
        `file:line`, or empty.
    no_mate : int or None
        The source claims the opposite: no mate in so many moves or fewer, 1 to
        `MAX_MOVES`.

    Raises
    ------
    InputError
        A field is of another type, or out of its range.
    """

    fen: str
    id: str = ""
    claim: Claim | None = None
    source: str = ""
    no_mate: int | None = None

    def __post_init__(self) -> None:
        for name in ("fen", "id", "source"):
            arguments.instance(name, getattr(self, name), str, "text")
        if self.claim is not None:
            arguments.instance("claim", self.claim, Claim, "a Claim or None")
        if self.no_mate is not None:
            _set(self, "no_mate", length("no_mate", self.no_mate))

    @property
    def position(self) -> str:
        """The FEN without its clocks, which no search minds."""
        return " ".join(self.fen.split()[:4])


@dataclass(frozen=True, slots=True)
class Limits:
    """What a search may cost. `None` is no limit.

    Attributes
    ----------
    max_moves : int or None
        The longest mate to look for, in attacker's moves.
    time_s : float or None
        Seconds of searching, compilation left out.
    nodes : int or None
        Positions entered by the search, mate-in-one tests included.
    hash_mib : int
        Size of the transposition table in MiB.
    threads : int
        How many cores to use on one position.

    Raises
    ------
    InputError
        A limit is of another type or out of its range: 1 to `MAX_MOVES` moves, 0
        seconds up to what the system's timers take, 1 to `MAX_NODES` nodes, 1 to
        `MAX_HASH_MIB` MiB, 1 to `MAX_THREADS` threads.
    """

    max_moves: int | None = None
    time_s: float | None = None
    nodes: int | None = None
    hash_mib: int = DEFAULT_HASH_MIB
    threads: int = 1

    def __post_init__(self) -> None:
        if self.max_moves is not None:
            _set(self, "max_moves", length("max_moves", self.max_moves))
        if self.time_s is not None:
            longest = threading.TIMEOUT_MAX
            _set(self, "time_s", arguments.seconds("time_s", self.time_s, longest))
        if self.nodes is not None:
            nodes = arguments.whole("nodes", self.nodes, 1, MAX_NODES)
            _set(self, "nodes", nodes)
        _set(self, "hash_mib", hash_size(self.hash_mib))
        _set(self, "threads", thread_count(self.threads))


def length(name: str, value: object) -> int:
    """Give a number of moves that a search can look for; others raise InputError."""
    return arguments.whole(name, value, 1, MAX_MOVES)


def signed_length(name: str, value: object) -> int:
    """Give a number of moves, negative where the side to move is mated.

    Raises
    ------
    InputError
        It is none, is 0, or is more than a search can look for.
    """
    moves = arguments.whole(name, value, -MAX_MOVES, MAX_MOVES)
    if not moves:
        raise arguments.refusal(name, "another number of moves than 0", value)
    return moves


def hash_size(value: object) -> int:
    """Give a size of the transposition table in MiB; others raise InputError."""
    return arguments.whole("hash_mib", value, 1, MAX_HASH_MIB)


def thread_count(value: object) -> int:
    """Give a number of threads; others raise InputError."""
    return arguments.whole("threads", value, 1, MAX_THREADS)


def _set(record: object, name: str, value: object) -> None:
    """Set a field of a frozen record that is being made."""
    object.__setattr__(record, name, value)
