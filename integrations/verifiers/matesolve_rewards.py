"""Proved rewards for answers to mate problems; no library for training is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver import grade_many

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MARKER = "FINAL ANSWER:"
"""What a model writes before its line."""

NODES = 1_000_000
"""The most positions that are entered for an answer."""


def rewards(
    fens: Iterable[str],
    within: int | Sequence[int],
    answers: Iterable[str],
    nodes: int = NODES,
) -> list[float | None]:
    """Grade many answers in one call.

    Parameters
    ----------
    fens : iterable of str
        The positions.
    within : int or sequence of int
        In how many moves the side to move has to mate, the same for all rows or one
        for each.
    answers : iterable of str
        What a model wrote: the line after the last `MARKER`, or nothing but a line.
    nodes : int
        The most positions to enter for an answer.

    Returns
    -------
    list of float or None
        1.0 for a line that ends in mate and mates by force in time, 0.0 for anything
        else, and None where the limit of nodes left that open: leave it out.
    """
    lines = [answer.rpartition(MARKER)[2].strip("*` \n") for answer in answers]
    grades = grade_many(fens, lines, within, nodes=nodes)
    solved = (grades.is_right & grades.ends_in_mate).astype(float)
    return [
        None if status == "undecided" else reward
        for status, reward in zip(grades.status.tolist(), solved.tolist(), strict=True)
    ]
