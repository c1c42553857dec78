"""What completed searches exclude, and whether their answers can all be right.

A mate in n moves takes 2n - 1 plies, and being mated in n takes 2n. The scored search
sees a mate where it looks for a move and finds none, which it does above its horizon:
the former from depth 2n on, the latter from 2n + 1.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Telling(NamedTuple):
    """What is known of a position's mates.

    Attributes
    ----------
    mate : int or None
        Moves to a mate that is there; negative, or 0, when the side to move is mated.
    none_given, none_suffered : float
        The side to move does not mate, and is not mated, in so many moves or fewer;
        infinite: never.
    """

    mate: int | None
    none_given: float
    none_suffered: float


def tell(mate: int | None, depth: int) -> Telling:
    """Give what a sound search that was completed to a depth has shown.

    Parameters
    ----------
    mate : int or None
        The mate that it told.
    depth : int
        Plies searched in full; 0: the mate is known and nothing else.
    """
    given, suffered = depth // 2, (depth - 1) // 2
    if mate is None:
        return Telling(None, given, suffered)
    if mate > 0:
        return Telling(mate, min(given, mate - 1), math.inf)
    return Telling(mate, math.inf, min(suffered, -mate - 1))


def tell_shortest(mate: int) -> Telling:
    """Give what is known where a mate is the shortest."""
    return tell(mate, depth_to_see(mate))


def depth_to_see(mate: int) -> int:
    """Give the depth from which on a mate is seen without extensions."""
    return 2 * mate if mate > 0 else 1 - 2 * mate


def contradict(tellings: Iterable[Telling]) -> bool:
    """Whether one telling has a mate that another one excludes."""
    tellings = list(tellings)
    none_given = max((telling.none_given for telling in tellings), default=0)
    none_suffered = max((telling.none_suffered for telling in tellings), default=-1)
    return any(
        mate <= none_given if mate > 0 else -mate <= none_suffered
        for telling in tellings
        if (mate := telling.mate) is not None
    )
