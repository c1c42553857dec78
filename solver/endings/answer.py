"""What is told of a position whose ending is solved."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EndingAnswer:
    """What is proved of a position.

    Attributes
    ----------
    moves : int or None
        The attacker's moves to mate, none is shorter; None: there is no mate in any
        number of moves.
    line : tuple of str
        The line in UCI notation, to the mate: 2n-1 plies when the attacker is to move,
        2n when the defender is, who lasts as long as possible.
    keys : tuple of str
        All first moves that mate as fast, when the attacker is to move.
    """

    moves: int | None
    line: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
