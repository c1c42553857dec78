"""Sentences and lines of moves that several kinds of stipulation share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess

from solver.solution import Status, TableFormat
from solver.stipulation import Goal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solver.solution import Solution

GOALS = {Goal.MATE: "mate", Goal.STALEMATE: "stalemate"}

_NO_MATE = {
    TableFormat.GAVIOTA: "Gaviota: no mate in the given number of moves.",
    TableFormat.SYZYGY: "Syzygy: no mate in any number of moves.",
}


def mover(fen: str) -> str:
    """Return "White" or "Black", whoever is to move."""
    return "White" if fen.split()[1] == "w" else "Black"


def at_most(moves: int) -> str:
    """Write "1 move" or "n or fewer moves"."""
    return "1 move" if moves == 1 else f"{moves} or fewer moves"


def name_mate(moves: int) -> str:
    """Write a mate; 0 means that the side to move is checkmated."""
    if moves == 0:
        return "checkmate on the board"
    return f"mate in {moves}" if moves > 0 else f"mated in {-moves}"


def headline(solution: Solution, goal: str) -> str:
    """Return the sentence with the answer of play by force."""
    name = mover(solution.problem.fen)
    match solution.mate:
        case 0:
            return f"{name} is checkmated."
        case int(moves) if moves < 0:
            return f"{name} is mated in {-moves}."
        case int(moves) if goal in GOALS.values():
            return f"{name} {goal}s in {moves}."
        case int(moves):
            return f"{name} forces {goal} in {moves}."
    return _no_goal(solution, goal)


def _no_goal(solution: Solution, goal: str) -> str:
    if _is_stalemate(solution):
        return f"{mover(solution.problem.fen)} is stalemated."
    if solution.status is Status.DISPROVED:
        excluded = at_most(solution.lower_bound - 1)
        return f"No {goal} in {excluded}{_under_restriction(solution)}."
    if solution.tablebase:
        return _NO_MATE[solution.tablebase]
    return f"Undecided: no {goal} found so far."


def proof(solution: Solution, goal: str) -> str:
    """Return the sentences on what is proved of play by force."""
    if solution.mate == 0 or _is_stalemate(solution):
        return ""
    if solution.status is Status.DISPROVED:
        unsearched = "Other moves and longer" if solution.restriction else "Longer"
        return f"Proved. {unsearched} {goal}s were not searched."
    restriction = _under_restriction(solution)
    excluded = solution.lower_bound - 1
    reach = f"in {at_most(excluded)}{restriction}" if excluded else ""
    if solution.mate is None:
        return f"Proved: no {goal} {reach}." if reach else "Proved: nothing yet."
    length = abs(solution.mate)
    if solution.tablebase:
        proved = f" Proved: no {goal} {reach}." if reach else ""
        return f"Gaviota: {goal} in {length} is forced, and none is shorter.{proved}"
    forced = f"Proved: {goal} in {length} is forced"
    if solution.status is Status.PROVED:
        return f"{forced}, and none is shorter{restriction}."
    shorter = f", and there is none {reach}" if reach else ""
    left = _range(excluded + 1, length - 1)
    return f"{forced}{shorter}. Undecided: {goal} in {left}."


def _under_restriction(solution: Solution) -> str:
    return " under this restriction" if solution.restriction else ""


def _is_stalemate(solution: Solution) -> bool:
    return (
        solution.status is Status.DISPROVED
        and chess.Board(solution.problem.fen).is_stalemate()
    )


def _range(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first} to {last}"


def numbered_line(
    fen: str, moves: Iterable[str], *, half: bool | None = None
) -> list[str]:
    """Write a line in SAN with move numbers, which start at 1 as in problems.

    Parameters
    ----------
    fen : str
        The position at the start of the line.
    moves : iterable of str
        The moves of the line, all legal, in UCI notation.
    half : bool or None
        Whether the first move is the second one of its number. None: if it is Black's.

    Returns
    -------
    list of str
        One string per number: `["1. Qe3 Kh4", "2. Qg5#"]`, or with half a number
        `["1... Qe3", "2. Kh1 Qe1#"]`.
    """
    board = chess.Board(fen)
    half = board.turn == chess.BLACK if half is None else half
    line: list[str] = []
    for ply, uci in enumerate(moves, int(half)):
        move = chess.Move.from_uci(uci)
        san = board.san(move)
        if ply % 2 == 0:
            line.append(f"{ply // 2 + 1}. {san}")
        elif line:
            line[-1] += f" {san}"
        else:
            line.append(f"1... {san}")
        board.push(move)
    return line
