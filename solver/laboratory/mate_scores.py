"""What the laboratory's search returns, and what that proves about mates.

A score is from the point of view of the side to move: centipawns, or a mate. A mate on
ply `p` is worth `MATE_SCORE - p` to the side that gives it, so the sooner one is worth
more.

A mate in n moves takes 2n - 1 plies, and being mated in n moves takes 2n. The search
finds a mate at a node without a legal move above its horizon: the former from depth 2n
on, the latter from depth 2n + 1. With a mate test at the horizon it finds both one ply
earlier (`Techniques.plies_seen`). So a completed depth also shows which mates do not
exist (`MateBounds`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from solver.kernel.border.experiment import MATE_SCORE, MATE_ZONE

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_DEPTH = 100
"""The deepest iteration, in plies."""

DEEPEST = 20
"""Without a depth, the last iteration unless a mate is found before."""

PLIES_AFTER = 4
"""Without a depth, a comparison goes this much deeper than the mate."""


@dataclass(frozen=True, slots=True)
class Iteration:
    """One iteration of a search; node counts are sums from the first iteration.

    Attributes
    ----------
    depth : int
        Plies searched in full.
    score : int
        For the side to move, in centipawns or as a mate score.
    move : str
        The first move of the principal variation in UCI notation; empty if the game is
        over.
    nodes : int
        Nodes until the principal variation was found: until the root's move raised
        alpha.
    nodes_total : int
        Nodes until the end of the iteration, without the prover's.
    proved : bool
        The score is reliable: the search is sound, the score is no mate, or the prover
        confirmed the mate.
    settled : bool
        The score is a mate and no shorter one exists, by the depth of a sound search or
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
    """The result of one variant on one problem.

    Attributes
    ----------
    mate : int or None
        Moves to mate; negative when the side to move is mated. None: no mate was found
        within the depth or the limits.
    settled : bool
        No shorter mate exists, by the depth of a sound search or else by the prover.
    proved : bool
        The mate exists: the search is sound, or the prover confirmed it.
    nodes : int
        Nodes until that mate was found.
    nodes_total : int
        All nodes, without the prover's.
    complete : bool
        No limit stopped the search.
    """

    mate: int | None
    settled: bool
    proved: bool
    nodes: int
    nodes_total: int
    complete: bool


def is_mate(score: int) -> bool:
    """Whether a score is a mate."""
    return abs(score) >= MATE_ZONE


def mate_distance(score: int) -> int | None:
    """Return the moves to mate: negative if the side to move is mated, None if no mate.

    Notes
    -----
    Being mated already is 0.
    """
    if not is_mate(score):
        return None
    plies = MATE_SCORE - abs(score)
    return (plies + 1) // 2 if score > 0 else -(plies // 2)


def format_mate(mate: int) -> str:
    """Write `M8` for a mate in 8 moves, `-M8` for being mated."""
    return f"M{mate}" if mate > 0 else f"-M{-mate}"


def format_score(score: int) -> str:
    """Write a mate, else centipawns."""
    mate = mate_distance(score)
    return f"{score:,}" if mate is None else format_mate(mate)


def score_value(score: int) -> int | str:
    """Return a score for a record: centipawns, or a mate such as `M8`."""
    return format_score(score) if is_mate(score) else score


def plies_of(mate: int) -> int:
    """Return the plies to a mate in moves; at most 0 if the side to move is mated."""
    return 2 * mate - 1 if mate > 0 else -2 * mate


def excludes_shorter(mate: int, plies_seen: int) -> bool:
    """Whether a full search that finds mates within these plies excludes shorter ones.

    Mates of one side are two plies apart.
    """
    return plies_seen >= plies_of(mate) - 2


class MateBounds(NamedTuple):
    """What is known about a position's mates.

    Attributes
    ----------
    mate : int or None
        Moves to a mate that exists; negative, or 0, when the side to move is mated.
    no_mate_within, not_mated_within : float
        The side to move does not mate, and is not mated, within so many moves;
        infinite: never.
    """

    mate: int | None
    no_mate_within: float
    not_mated_within: float


def bounds_when_seen(mate: int | None, plies_seen: int) -> MateBounds:
    """Return what a sound search proves once it has completed a depth.

    Parameters
    ----------
    mate : int or None
        The mate that it found.
    plies_seen : int
        The plies on which that depth sees mates; -1: only the mate is known.
    """
    given, suffered = (plies_seen + 1) // 2, plies_seen // 2
    if mate is None:
        return MateBounds(None, given, suffered)
    if mate > 0:
        return MateBounds(mate, min(given, mate - 1), math.inf)
    return MateBounds(mate, math.inf, min(suffered, -mate - 1))


def bounds_of_shortest(mate: int) -> MateBounds:
    """Return what is known if a mate is the shortest."""
    return bounds_when_seen(mate, plies_of(mate))


def contradict(results: Iterable[MateBounds]) -> bool:
    """Whether a mate of one result is excluded by another."""
    results = list(results)
    no_mate_within = max((result.no_mate_within for result in results), default=0)
    not_mated_within = max((result.not_mated_within for result in results), default=-1)
    return any(
        mate <= no_mate_within if mate > 0 else -mate <= not_mated_within
        for result in results
        if (mate := result.mate) is not None
    )
