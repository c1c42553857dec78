"""A lane: a restriction of the attacker, which makes a question narrow."""

from __future__ import annotations

from dataclasses import dataclass

from solver import arguments

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
