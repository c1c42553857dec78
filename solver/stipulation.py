"""What a composition demands: `#3`, `s#2`, `h#2.5` and their like.

docs/reference/stipulations.md defines each. In direct, self- and reflex play, the
attacker is the side that begins; in help play it is the side that ends the play with
mate or stalemate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from solver.errors import InputError, quote, refusal

MAX_MOVES = 200
"""The most moves of a stipulation, or of a mate to search for."""


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
    r"(?P<moves>[0-9]{1,9})(?P<half>\.5)?"
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
    moves : int
        The number that is written: 2 for `#2`, `h#2` and `h#2.5`. 1 to `MAX_MOVES`;
        with `half` also 0. 0 in `MATE`, whose number is unknown.
    half : bool
        Help play only: half a move more, so that the attacker begins.
    exact : bool
        Help play and direct mates only: shorter solutions do not count.
    """

    play: Play
    goal: Goal
    moves: int
    half: bool = False
    exact: bool = False

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
        moves, half = int(found["moves"]), bool(found["half"])
        if not (not half) <= moves <= MAX_MOVES - half:
            msg = f"stipulation: expected 1 to {MAX_MOVES} moves, found {quote(text)}"
            raise InputError(msg)
        return cls(play, Goal(found["goal"]), moves, half, bool(found["exact"]))

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
        return self.moves + self.half

    @property
    def plies(self) -> int:
        """Half-moves from the position to the goal."""
        if self.play is Play.DIRECT:
            return 2 * self.moves - 1
        return 2 * self.moves + self.half

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

    def allows(self, moves: int) -> bool:
        """Return whether it demands a solution in this many moves of the attacker."""
        return not self.has_number or moves == self.attacker_moves

    def numbered(self, moves: int) -> Stipulation:
        """Return this stipulation; for `MATE`, mate in this number of moves."""
        return self if self.has_number else self.with_moves(moves)

    def with_moves(self, moves: int) -> Stipulation:
        """Return the same stipulation in another number of moves as written."""
        return replace(self, moves=moves)

    def without_first_move(self) -> Stipulation | None:
        """Return the stipulation of help play's set play; None if no ply is left."""
        if not self.half:
            return replace(self, moves=self.moves - 1, half=True)
        if not self.moves:
            return None
        return replace(self, half=False)

    def with_attacker_moves(self, moves: int) -> Stipulation:
        """Return the same stipulation in another number of the attacker's moves."""
        return self.with_moves(moves - self.half)

    def __str__(self) -> str:
        number = self.moves if self.has_number else ""
        play = f"{'exact-' if self.exact else ''}{self.play}"
        return f"{play}{self.goal}{number}{'.5' if self.half else ''}"


MATE = Stipulation(Play.DIRECT, Goal.MATE, 0)
"""The plain mate: the shortest one is wanted, and its length is unknown."""
