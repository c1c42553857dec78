"""What an audit found against a claim, in one line for people."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from solver.errors import FormatError
from solver.reports.line import first_moves, numbered_line
from solver.verdict import Verdict

if TYPE_CHECKING:
    from solver.problem import Problem
    from solver.solution import Solution
    from solver.verdict import Result


def disagreement(result: Result) -> str | None:
    """Tell where a result disagrees with its claim.

    Parameters
    ----------
    result : Result
        What the audit tells.

    Returns
    -------
    str or None
        `file:line: name: claimed ..., found ...` with the line of the mate that was
        found; None when the claim was not contradicted.
    """
    answer = result.answer
    if isinstance(answer, FormatError) or result.verdict is None:
        return None
    place, claimed = _place(answer.problem), _claimed(answer.problem)
    if result.verdict in {Verdict.SHORTER, Verdict.REFUTED}:
        return f"{place}: claimed {claimed}, found {_found(answer)}"
    if result.wrong_keys:
        fen = answer.problem.fen
        wrong = ", ".join(first_moves(fen, result.wrong_keys))
        right = ", ".join(first_moves(fen, answer.keys))
        return f"{place}: claimed {claimed} by {wrong}, found {right}"
    return None


def _claimed(problem: Problem) -> str:
    return _mate(problem.claim.mate) if problem.claim else f"none in {problem.no_mate}"


def _place(problem: Problem) -> str:
    unnamed = problem.id == PurePath(problem.source).name
    return problem.source if unnamed else f"{problem.source}: {problem.id}"


def _found(answer: Solution) -> str:
    if answer.mate is None:
        return f"none in {answer.lower_bound - 1}"
    mate = _mate(answer.mate)
    if answer.tablebase:
        mate += " (Gaviota)"
    line = " ".join(numbered_line(answer.problem.fen, answer.pv))
    return f"{mate}: {line}" if line else mate


def _mate(moves: int) -> str:
    """Say who is mated; 0 is a side to move that is mated already."""
    if moves == 0:
        return "checkmate on the board"
    return f"mate in {moves}" if moves > 0 else f"mated in {-moves}"
