"""How scores, mates and counts of an experiment are written for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.laboratory.comparison import found, is_answer
from solver.laboratory.score import is_mate, score_word

if TYPE_CHECKING:
    from solver.laboratory.results import Iteration, Outcome

AT_MOST = "<="
UNPROVED = "?"

SMALL_RATIO = 0.01
"""Smaller ones are written with two digits, wherever those stand."""

NO_MATE = "none"
STOPPED = "stopped"


def score_cell(iteration: Iteration | None) -> str:
    """Write a score, with the mark of a mate that is not settled."""
    if iteration is None:
        return ""
    word = score_word(iteration.score)
    if not iteration.proved:
        return word + UNPROVED
    if is_mate(iteration.score) and not iteration.settled:
        return AT_MOST + word
    return word


def mate_word(mate: int | None) -> str:
    """Write a mate as scores are written: `M8`, `-M8`, or `none`."""
    if mate is None:
        return NO_MATE
    return f"M{mate}" if mate > 0 else f"-M{-mate}"


def answer_word(outcome: Outcome) -> str:
    """Write what a variant told of a problem, with the mark of what is open."""
    if outcome.mate is None:
        return NO_MATE if is_answer(outcome) else STOPPED
    word = mate_word(outcome.mate)
    if found(outcome) is None:
        return word + UNPROVED
    return word if outcome.settled else AT_MOST + word


def count(nodes: int) -> str:
    """Write a number of nodes."""
    return f"{nodes:,}"


def ratio_cell(ratio: float | None) -> str:
    """Write a ratio of nodes; nothing where there is none."""
    if ratio is None:
        return ""
    return f"{ratio:.3f}" if ratio >= SMALL_RATIO else f"{ratio:.2g}"


def saved_cell(ratio: float | None) -> str:
    """Write what a ratio of nodes saves; negative where it costs."""
    return "" if ratio is None else f"{100 * (1 - ratio):.1f}%"
