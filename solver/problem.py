"""The question of a problem: its position, stipulation, claim and limits."""

from __future__ import annotations

import math
import operator
import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypeVar

from solver.errors import InputError, quote, refusal

# --------------------------------------------------------------------------------------
# Checks of the public functions' arguments. Their errors name the argument, what was
# expected and what was found.

Value = TypeVar("Value")


def require_int(name: str, value: object, least: int, most: int) -> int:
    """Return an integer, which may be one of numpy's, as an int.

    Raises
    ------
    InputError
        The value is not an integer from `least` to `most`; a bool is not one.
    """
    number = value if type(value) is int else _index(value)
    if number is None:
        raise refusal(name, f"a whole number from {least} to {most}", value)
    if not least <= number <= most:
        raise refusal(name, f"{least} to {most}", value)
    return number


def require_seconds(name: str, value: object, most: float) -> float:
    """Return a number of seconds, which may be one of numpy's, as a float.

    Raises
    ------
    InputError
        The value is not a number from 0 to `most`.
    """
    from numbers import Real

    if isinstance(value, bool) or not isinstance(value, Real):
        raise refusal(name, "a number of seconds", value)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not 0 <= number <= most:  # also refuses NaN
        raise refusal(name, f"0 to {math.floor(most)} seconds", value)
    return number


def require_instance(
    name: str, value: object, kind: type[Value], expected: str
) -> Value:
    """Return the value if it is an instance of `kind`; otherwise raise InputError."""
    if not isinstance(value, kind):
        raise refusal(name, expected, value)
    return value


def require_bool(name: str, value: object) -> bool:
    """Return True or False; anything else raises InputError."""
    return require_instance(name, value, bool, "True or False")


def require_strings(name: str, value: object, expected: str) -> tuple[str, ...]:
    """Return several strings as a tuple.

    Raises
    ------
    InputError
        The value is a single string, or is not an iterable of strings.
    """
    items = require_items(name, value, expected)
    for item in items:
        if not isinstance(item, str):
            raise refusal(name, expected, item)
    return items


def require_items(name: str, value: object, expected: str) -> tuple[Any, ...]:
    """Return the items of an iterable; anything else, or a str, raises InputError."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise refusal(name, expected, value)
    return tuple(value)


def require_moves(name: str, value: object) -> str:
    """Return moves, in one string or in several, as one text; see `movetext`.

    Raises
    ------
    InputError
        The value is neither.
    """
    if isinstance(value, str):
        return value
    return " ".join(require_strings(name, value, "moves in one string or in several"))


def _index(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


_set = object.__setattr__
"""Sets a field of a frozen dataclass while it is being created."""


def draft_of(kind: type) -> Callable[[], Any]:
    """Return a class with the slots of a frozen dataclass; they can be set.

    Setting the `__class__` of an instance makes it one of `kind`. Readers of millions
    of records, who have checked what they read, make problems in a fifth of the time.
    """
    return type(f"Draft{kind.__name__}", (), {"__slots__": vars(kind)["__slots__"]})


def length(name: str, value: object) -> int:
    """Return a number of moves, 1 to `MAX_MOVES`; anything else raises InputError."""
    return require_int(name, value, 1, MAX_MOVES)


def signed_length(name: str, value: object) -> int:
    """Return a number of moves, negative if the side to move is mated.

    Raises
    ------
    InputError
        The value is not an integer, is 0, or is not within `MAX_MOVES` of 0.
    """
    moves = require_int(name, value, -MAX_MOVES, MAX_MOVES)
    if not moves:
        raise refusal(name, "another number of moves than 0", value)
    return moves


def hash_size(value: object) -> int:
    """Return a table size, 1 to `MAX_HASH_MIB`; anything else raises InputError."""
    return require_int("hash_mib", value, 1, MAX_HASH_MIB)


def thread_count(value: object) -> int:
    """Return a thread count, 1 to `MAX_THREADS`; anything else raises InputError."""
    return require_int("threads", value, 1, MAX_THREADS)


# --------------------------------------------------------------------------------------
# What a composition demands: `#3`, `s#2`, `h#2.5` and their like.
#
# docs/reference/stipulations.md defines each. In direct, self- and reflex play, the
# attacker is the side that begins; in help play it is the side that ends the play with
# mate or stalemate.

MAX_MOVES = 200
"""The most moves of a stipulation, or of a mate to search for."""

MAX_SOLUTIONS = 1000
"""The most solutions of help play that a record may claim."""


class Goal(StrEnum):
    """What the play ends with."""

    MATE = "#"
    STALEMATE = "="


class Play(StrEnum):
    """How the two sides play."""

    DIRECT = ""
    """The attacker reaches the goal against every defence."""

    SELF = "s"
    """The attacker forces the defender to reach the goal against the attacker."""

    REFLEX = "r"
    """Like self-play, but each side must reach the goal when it can in one move."""

    SEMI_REFLEX = "semi-r"
    """Like reflex play, but only the defender must."""

    HELP = "h"
    """Both sides help each other to reach the goal against the side that begins, or,
    with half a move more, against the other side."""


_TEXT = (
    r"(?i)(?P<exact>exact-)?(?P<play>|s|r|semi-r|h)(?P<goal>[#=])\s*"
    r"(?P<number>[0-9]{1,9})(?P<half>\.5)?"
)
"""Compiled when the first text is read, because most questions have none."""

_EXACT = ("#", "h#", "h=")
"""What may begin with `exact-`."""

EXPECTED = (
    "#n, =n, s#n, s=n, r#n, r=n, semi-r#n, semi-r=n, h#n, h#n.5, h=n, "
    "exact-#n or exact-h#n"
)
"""The stipulations that are solved, for messages."""


@dataclass(frozen=True, slots=True)
class Stipulation:
    """A stipulation.

    Attributes
    ----------
    play : Play
    goal : Goal
    length : int
        The number that is written: 2 for `#2`, `h#2` and `h#2.5`. 1 to `MAX_MOVES`;
        with `half` also 0. 0 in `MATE`, whose number is unknown.
    half : bool
        Help play only: half a move more, so that the attacker begins.
    exact : bool
        Help play and direct mates only: shorter solutions do not count.
    """

    play: Play
    goal: Goal
    length: int
    half: bool = False
    exact: bool = False

    def __post_init__(self) -> None:
        for name, kind in (("play", Play), ("goal", Goal)):
            value, expected = getattr(self, name), f"a {kind.__name__}"
            require_instance(name, value, kind, expected)
        _set(self, "length", require_int("length", self.length, 0, MAX_MOVES))
        require_bool("half", self.half)
        require_bool("exact", self.exact)

    @classmethod
    def parse(cls, text: str) -> Stipulation:
        """Read a stipulation such as `s#3`, in lower or upper case.

        Raises
        ------
        InputError
            It is not one of `EXPECTED`, or has too many moves.
        """
        given: object = text
        if not isinstance(given, str):
            name = "stipulation"
            raise refusal(name, EXPECTED, given)
        found = re.fullmatch(_TEXT, text.strip())
        play = Play(found["play"].lower()) if found else None
        if (
            not found
            or play is None
            or (found["half"] and play is not Play.HELP)
            or (found["exact"] and f"{play}{found['goal']}" not in _EXACT)
        ):
            msg = f"stipulation: expected {EXPECTED}, found {quote(text)}"
            raise InputError(msg)
        number, half = int(found["number"]), bool(found["half"])
        if not (not half) <= number <= MAX_MOVES - half:
            msg = f"stipulation: expected 1 to {MAX_MOVES} moves, found {quote(text)}"
            raise InputError(msg)
        return cls(play, Goal(found["goal"]), number, half, bool(found["exact"]))

    @classmethod
    def from_record(cls, text: str | None) -> Stipulation:
        """Read the `text` of a stipulation; an empty one means `MATE`."""
        return cls.parse(text) if text else MATE

    @property
    def text(self) -> str:
        """Its name in records; empty for `MATE`, which they omit."""
        return str(self) if self.has_number else ""

    @property
    def has_number(self) -> bool:
        """Whether it demands a number of moves, as all except `MATE` do."""
        return self.attacker_moves > 0

    @property
    def white_begins(self) -> bool:
        """Whether White begins by the composers' convention.

        Black begins in help play of whole moves, such as `h#2`.
        """
        return self.half or not self.is_help

    @property
    def is_direct_mate(self) -> bool:
        """Whether it is `MATE` or `#n`, the questions that the mate search answers."""
        direct = self.play is Play.DIRECT and self.goal is Goal.MATE
        return direct and not self.exact

    @property
    def is_help(self) -> bool:
        """Whether both sides help each other; otherwise they are opponents."""
        return self.play is Play.HELP

    @property
    def attacker_moves(self) -> int:
        """The attacker's own moves: what `Solution.mate` and bounds count.

        0 in `MATE`.
        """
        return self.length + self.half

    @property
    def plies(self) -> int:
        """Half-moves from the position to the goal."""
        if self.play is Play.DIRECT:
            return 2 * self.length - 1
        return 2 * self.length + self.half

    @property
    def unused_arguments(self) -> tuple[str, ...]:
        """Arguments of `solver.solve` that cannot be combined with it."""
        if self.is_direct_mate:
            return ("within",) if self.has_number else ()
        if self.is_help:
            return ("within", "restriction", "root_moves")
        return ("within", "restriction")

    @property
    def beside_claim(self) -> Stipulation:
        """The rest of it next to a claim of its moves: `MATE` of `#n`."""
        return MATE if self.is_direct_mate else self

    def allows(self, attacker_moves: int) -> bool:
        """Return whether it demands a solution in this many moves of the attacker."""
        return not self.has_number or attacker_moves == self.attacker_moves

    def numbered(self, length: int) -> Stipulation:
        """Return this stipulation; for `MATE`, mate in this number of moves."""
        return self if self.has_number else self.with_length(length)

    def with_length(self, length: int) -> Stipulation:
        """Return the same stipulation in another number of moves as written."""
        return replace(self, length=length)

    def without_first_move(self) -> Stipulation | None:
        """Return the stipulation of help play's set play; None if no ply is left."""
        if not self.half:
            return replace(self, length=self.length - 1, half=True)
        if not self.length:
            return None
        return replace(self, half=False)

    def with_attacker_moves(self, attacker_moves: int) -> Stipulation:
        """Return the same stipulation in another number of the attacker's moves."""
        return self.with_length(attacker_moves - self.half)

    def __str__(self) -> str:
        number = self.length if self.has_number else ""
        play = f"{'exact-' if self.exact else ''}{self.play}"
        return f"{play}{self.goal}{number}{'.5' if self.half else ''}"


MATE = Stipulation(Play.DIRECT, Goal.MATE, 0)
"""The plain mate: the shortest one is wanted, and its length is unknown."""


# --------------------------------------------------------------------------------------
# The question: a problem, its source's claim, limits, and restricted attackers.

DEFAULT_HASH_MIB = 128
"""Largest size of the transposition table in MiB by default."""

MAX_HASH_MIB = 1 << 20
"""The largest size that may be given: one tebibyte."""

MEGABYTE = 1_000_000

DEFAULT_CHECKPOINT_MB = 50
"""What a checkpoint may take; beyond it, bounds of the least effort are left out."""

MAX_NODES = 2**63 - 1
"""Largest node limit: the search counts in a signed 64-bit word."""

MAX_THREADS = 256
"""Largest number of cores for one position."""

MOST_CORES = 16
"""Without a number from the user, no more cores are used: more were not measured."""

RANGES = {"king_flights": (0, 8), "replies": (0, 255), "threat": (1, 20)}
"""The range of each number in a `Restriction`."""

_MOVES = "moves in UCI notation"

_NUMBERS = 1 << 10
"""Larger than any number in a restriction."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a collection claims about one of its positions.

    Attributes
    ----------
    mate : int
        Moves to mate, 1 to `MAX_MOVES`; negative when the side to move is mated.
    keys : tuple of str
        Keys that the source names, in UCI notation.
    line : tuple of str
        The line that the source gives, in UCI notation.
    any_last_move : bool
        The source accepts every mate in one, as lichess does, so further keys of a
        mate in one are not cooks.
    solutions : int or None
        Help play only: how many solutions the source claims; None: one.
    by_line : bool
        Nothing but the line, which ends in mate, claims the mate.
    variations : tuple of tuple of str
        Other lines of the source's solution, each from the position on.
    partly_read : bool
        A part of the source's solution, such as its variations, was not read.

    Raises
    ------
    InputError
        A field has the wrong type or is out of range.
    """

    mate: int
    keys: tuple[str, ...] = ()
    line: tuple[str, ...] = ()
    any_last_move: bool = False
    solutions: int | None = None
    by_line: bool = field(default=False, compare=False, repr=False)
    variations: tuple[tuple[str, ...], ...] = field(
        default=(), compare=False, repr=False
    )
    partly_read: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        _set(self, "mate", signed_length("mate", self.mate))
        _set(self, "keys", require_strings("keys", self.keys, _MOVES))
        _set(self, "line", require_strings("line", self.line, _MOVES))
        name = "variations"
        lines = require_items(name, self.variations, "lines of moves")
        _set(self, name, tuple(require_strings(name, line, _MOVES) for line in lines))
        for name in ("any_last_move", "by_line", "partly_read"):
            require_bool(name, getattr(self, name))
        if self.solutions is not None:
            _set(
                self, "solutions", require_int("solutions", self.solutions, 0, _NUMBERS)
            )


def printable(name: str) -> str:
    """Make the name of a problem safe to print on a terminal.

    Parameters
    ----------
    name : str
        Any text.

    Returns
    -------
    str
        One line with single spaces, and U+FFFD for unprintable characters.
    """
    words = name if name.isalnum() else " ".join(name.split())
    if words.isprintable():
        return words
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in words)


def escape_controls(text: str) -> str:
    r"""Escape line breaks and other control characters; every printed name is escaped.

    The name of a file may hold any character, and so forge a line of its own or control
    the terminal.

    Parameters
    ----------
    text : str
        A name, or a message that may contain one.

    Returns
    -------
    str
        One line: what no terminal prints becomes an escape sequence of Python, such as
        `\n`. Other text is returned as it is.
    """
    if text.isprintable():
        return text
    from unicodedata import category

    return "".join(
        character
        if character.isprintable() or category(character) == _SPACE
        else ascii(character)[1:-1]
        for character in text
    )


_SPACE = "Zs"
"""The category of spaces, of which `str.isprintable` knows only one."""


def claim_of(stipulation: Stipulation) -> Claim | None:
    """Return what a stipulation claims: a solution in its moves; None for `MATE`."""
    moves = stipulation.attacker_moves
    return Claim(moves) if moves else None


@dataclass(frozen=True, slots=True, repr=False)
class Problem:
    """A position to solve.

    Attributes
    ----------
    fen : str
        Six-field FEN of a legal position of orthodox chess. Solving checks that it is
        one; creating a `Problem` does not.
    id : str
        The source's name for the problem, or `file:line`; empty without a name.
    claim : Claim or None
        What the source claims about it.
    source : str
        `file:line`, or empty.
    no_mate : int or None
        The source claims that there is no mate in this many moves or fewer, 1 to
        `MAX_MOVES`.
    stipulation : Stipulation
        What the composition demands; a string such as `"s#3"` is parsed. It claims
        that there is such a solution, so `claim` is filled in where it is missing.
        Without one, or with None, it is `MATE`: the shortest mate is wanted.
    names_side : bool
        Whether the source says who is to move. If not, that is in `fen` the side that
        begins by convention: Black in help play of whole moves, else White.
    warnings : tuple of str
        What its record says that could not be read, and so is not part of it.
    line : tuple of str
        The moves that the source gives where it claims no mate, as a study does, in
        UCI notation.
    before : tuple of str
        The FEN and the move of the opponent that lead to the position, where the source
        begins with them, as lichess's puzzles do; else empty.

    Raises
    ------
    InputError
        A field has the wrong type or is out of range, or the claim is of another
        length than the stipulation.
    """

    fen: str
    id: str
    claim: Claim | None
    source: str
    no_mate: int | None
    stipulation: Stipulation
    names_side: bool = field(compare=False)
    warnings: tuple[str, ...] = field(compare=False)
    line: tuple[str, ...] = field(compare=False)
    before: tuple[str, ...] = field(compare=False)

    # An argument may be of more types than its field.
    def __init__(  # noqa: PLR0913, PLR0917 -- each is one field
        self,
        fen: str,
        id: str = "",  # noqa: A002
        claim: Claim | None = None,
        source: str = "",
        no_mate: int | None = None,
        stipulation: Stipulation | str | None = MATE,
        names_side: bool = True,  # noqa: FBT001, FBT002
        warnings: tuple[str, ...] = (),
        line: tuple[str, ...] = (),
        before: tuple[str, ...] = (),
    ) -> None:
        for name, text in (("fen", fen), ("id", id), ("source", source)):
            _set(self, name, require_instance(name, text, str, "text"))
        if claim is not None:
            require_instance("claim", claim, Claim, "a Claim or None")
        if no_mate is not None:
            no_mate = length("no_mate", no_mate)
        if stipulation is not MATE:
            stipulation = _stipulation(stipulation)
            claim = claim or claim_of(stipulation)
            if claim and not stipulation.allows(claim.mate):
                expected = f"{stipulation.attacker_moves} moves for {stipulation}"
                name = "claim"
                raise refusal(name, expected, claim.mate)
        _set(self, "claim", claim)
        _set(self, "no_mate", no_mate)
        _set(self, "stipulation", stipulation)
        _set(self, "names_side", require_bool("names_side", names_side))
        _set(self, "warnings", require_strings("warnings", warnings, "texts"))
        _set(self, "line", require_strings("line", line, _MOVES))
        _set(self, "before", require_strings("before", before, "a FEN and a move"))

    def __repr__(self) -> str:
        """Show what it is; its moves are attributes."""
        shown = {
            "fen": self.fen,
            "id": self.id,
            "stipulation": self.stipulation.text,
            "claim": self.claim and self.claim.mate,
            "no_mate": self.no_mate,
            "source": self.source,
        }
        given = (f"{name}={value!r}" for name, value in shown.items() if value)
        return f"<Problem {', '.join(given)}>"

    @property
    def position(self) -> str:
        """The FEN without its two counters, which do not affect the search."""
        return " ".join(self.fen.split()[:4])


@dataclass(frozen=True, slots=True)
class Limits:
    """What a search may cost; `None` means no limit.

    Attributes
    ----------
    max_moves : int or None
        The longest mate to look for, in attacker's moves, 1 to `MAX_MOVES`.
    time_s : float or None
        Seconds of searching, without compilation: 0 up to what the system's timers
        take.
    nodes : int or None
        Positions entered by the search, mate-in-one tests included, 1 to `MAX_NODES`.
    hash_mib : int
        Largest size of the transposition table in MiB, 1 to `MAX_HASH_MIB`.
    threads : int
        Number of cores for one position, 1 to `MAX_THREADS`, once its search has taken
        a million nodes. With more than 1, node counts then vary.
    max_solutions : int or None
        Help play only: stop after this many solutions, 1 to `MAX_NODES`.

    Raises
    ------
    InputError
        A limit has the wrong type or is out of range.
    """

    max_moves: int | None = None
    time_s: float | None = None
    nodes: int | None = None
    hash_mib: int = DEFAULT_HASH_MIB
    threads: int = 1
    max_solutions: int | None = None

    def __post_init__(self) -> None:
        if self.max_moves is not None:
            _set(self, "max_moves", length("max_moves", self.max_moves))
        if self.time_s is not None:
            longest = threading.TIMEOUT_MAX
            _set(self, "time_s", require_seconds("time_s", self.time_s, longest))
        if self.nodes is not None:
            _set(self, "nodes", require_int("nodes", self.nodes, 1, MAX_NODES))
        _set(self, "hash_mib", hash_size(self.hash_mib))
        _set(self, "threads", thread_count(self.threads))
        if self.max_solutions is not None:
            number = require_int("max_solutions", self.max_solutions, 1, MAX_NODES)
            _set(self, "max_solutions", number)

    @lru_cache  # the limits of many problems differ in lengths  # noqa: B019
    def with_lengths(
        self, max_moves: int | None = None, max_solutions: int | None = None
    ) -> Limits:
        """Return these limits of time, nodes and memory with other limits of length."""
        return replace(self, max_moves=max_moves, max_solutions=max_solutions)

    def after(self, nodes: int, time_s: float) -> Limits:
        """Return what is left after a search, at least one node; 0 means no limit."""
        return replace(
            self,
            nodes=None if self.nodes is None else max(1, self.nodes - nodes),
            time_s=None if self.time_s is None else max(0.0, self.time_s - time_s),
        )


@dataclass(frozen=True, slots=True)
class Restriction:
    """Which moves the attacker may play; all given conditions apply together.

    A mate under a restriction is a mate. The absence of a mate under a restriction says
    nothing about other moves.

    Attributes
    ----------
    checks_only : bool
        Only moves that give check.
    king_flights : int or None
        Only moves after which the defender's king has at most this many squares to go
        to, 0 to 8.
    replies : int or None
        Only moves that leave the defender at most this many replies, 0 to 255.
    threat : int or None
        Only moves that give check or threaten mate in at most this many moves, 1 to 20.

    Raises
    ------
    InputError
        A field has the wrong type or is out of range.
    """

    checks_only: bool = False
    king_flights: int | None = None
    replies: int | None = None
    threat: int | None = None

    def __post_init__(self) -> None:
        require_bool("checks_only", self.checks_only)
        for name, (least, most) in RANGES.items():
            value = getattr(self, name)
            if value is not None:
                _set(self, name, require_int(name, value, least, most))

    @property
    def is_open(self) -> bool:
        """Whether every move is allowed."""
        return self == Restriction()

    @property
    def number(self) -> int:
        """A number that no other restriction has."""
        number = int(self.checks_only)
        for most in (self.king_flights, self.replies, self.threat):
            number = number * _NUMBERS + (0 if most is None else most + 1)
        return number

    def words(self) -> str:
        """Describe the restriction in a few words."""
        conditions = []
        if self.checks_only:
            conditions.append("checks only")
        if self.king_flights is not None:
            flights = _counted(self.king_flights, "king flight", "king flights")
            conditions.append(f"at most {flights}")
        if self.replies is not None:
            conditions.append(f"at most {_counted(self.replies, 'reply', 'replies')}")
        if self.threat is not None:
            conditions.append(f"threats of mate in {self.threat}")
        return ", ".join(conditions)


def _stipulation(given: Stipulation | str | None) -> Stipulation:
    if given is None:
        return MATE
    if isinstance(given, str):
        return Stipulation.parse(given)
    expected = "a Stipulation, its text or None"
    return require_instance("stipulation", given, Stipulation, expected)


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def at_most(moves: int) -> str:
    """Write "1 move" or "n or fewer moves"."""
    return "1 move" if moves == 1 else f"{moves} or fewer moves"
