"""What a scored search tells: its iterations, and what came of a problem."""

from __future__ import annotations

from dataclasses import dataclass

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
        For the side to move; see `solver.laboratory.score`.
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
