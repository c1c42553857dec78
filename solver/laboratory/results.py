"""What a scored search tells: its iterations, and what came of a problem."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from solver.kernel.interface import MATE_SCORE, MATE_ZONE

if TYPE_CHECKING:
    from collections.abc import Iterable


# Scores of the laboratory's search: centipawns, or the distance to a mate.
#
# A score is from the point of view of the side to move. A mate at `ply` is worth
# `MATE - ply` to who gives it, so that the sooner one is worth more.


def is_mate(score: int) -> bool:
    """Whether a score tells a mate."""
    return abs(score) >= MATE_ZONE


def mate_distance(score: int) -> int | None:
    """Moves to mate; negative when the side to move is mated, None without a mate.

    Notes
    -----
    Being mated already is 0.
    """
    if not is_mate(score):
        return None
    plies = MATE_SCORE - abs(score)
    return (plies + 1) // 2 if score > 0 else -(plies // 2)


def score_word(score: int) -> str:
    """Give `M8` for a mate in 8 moves, `-M8` for being mated, else centipawns."""
    moves = mate_distance(score)
    if moves is None:
        return str(score)
    return f"M{moves}" if score > 0 else f"-M{-moves}"


# What completed searches exclude, and whether their answers can all be right.
#
# A mate in n moves takes 2n - 1 plies, and being mated in n takes 2n. The scored
# search sees a mate where it looks for a move and finds none, which it does above its
# horizon: the former from depth 2n on, the latter from 2n + 1.


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


MAX_DEPTH = 100
"""The deepest iteration, in plies."""


@dataclass(frozen=True, slots=True)
class Iteration:
    """One iteration of a search, with counts summed up from the first.

    Attributes
    ----------
    depth : int
        Plies searched in full.
    score : int
        For the side to move; see `solver.laboratory.results`.
    move : str
        The first move of the principal variation, UCI; empty in a finished game.
    nodes : int
        Until the principal variation was found: until the root's move raised alpha.
    nodes_total : int
        Until the end of the iteration; the prover's are left out.
    proved : bool
        The score can be believed: the search was sound, it tells no mate, or the
        prover confirmed the mate.
    settled : bool
        It tells a mate, and a shorter one is excluded: by the depth of a sound search,
        else by the prover.
    """

    depth: int
    score: int
    move: str
    nodes: int
    nodes_total: int
    proved: bool = True
    settled: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one set of techniques made of one problem.

    Attributes
    ----------
    mate : int or None
        Moves to mate; negative when the side to move is mated. None: none was found
        within the depth or the limits.
    settled : bool
        A shorter mate is excluded: by the depth that a sound search reached, else by
        the prover.
    proved : bool
        The mate is there: the search was sound, or the prover confirmed it.
    nodes : int
        Until that mate was found.
    nodes_total : int
        In all, the prover's left out.
    complete : bool
        No limit came first.
    """

    mate: int | None
    settled: bool
    proved: bool
    nodes: int
    nodes_total: int
    complete: bool


def settles(mate: int, depth: int) -> bool:
    """Whether a full search of that depth, which told the mate, excludes shorter ones.

    A mate on ply p is seen p + 1 plies deep, for the horizon has no mate test. Of a
    mate in n the next shorter comes on ply 2n - 3; of being mated in n, on ply 2n - 2.
    """
    return depth >= (2 * mate - 2 if mate > 0 else -2 * mate - 1)
