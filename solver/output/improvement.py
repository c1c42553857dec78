"""Decide what an audit improves in the rows of a file, and describe it.

A row becomes better by a shorter mate, by the mate of the other side if its own is
disproved, and by a line that leads to the mate. Everything that is written is proved,
and python-chess has checked the line.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.formats.matetrack import MISSING, find_fault
from solver.output.audit_text import name_record
from solver.position_text import first_moves, write_lines
from solver.solution import Status
from solver.stipulations.kind import Verdict, name_mate, name_no_mate, numbered_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.audit.result import AuditResult
    from solver.formats.matetrack import Row
    from solver.problem import Problem


class Kind(StrEnum):
    """How a row became better."""

    SHORTER = "shorter mates"
    SIDE = "sides corrected"
    LINE = "lines completed"


class LineStatus(StrEnum):
    """The result of following a row's line."""

    PROOF = "a proof"
    """Each of the attacker's moves is proved to mate within the moves that the claim
    leaves, and the line ends in mate."""

    BEGINNING = "a forced beginning"
    """The same for a line that stops before the mate."""

    ENDING = "a forced ending"
    """The same, but only from a later move on; a limit was hit before it."""

    WRONG = "wrong"
    """A move is illegal, too late, or proved not to mate in time."""

    OPEN = "open"
    """A limit was hit before any move was proved."""


class Change(NamedTuple):
    """The mate and the line that replace those of a row.

    Attributes
    ----------
    kind : Kind
    mate : int
        In moves, negative when the side to move is mated.
    line : tuple of str
        The moves to the mate, in UCI notation.
    """

    kind: Kind
    mate: int
    line: tuple[str, ...]


def find_change(row: Row, result: AuditResult) -> Change | None:
    """Return how a result improves a row; None if it does not.

    The keys of a row stay, so only a line that begins with one of them is a change.

    Parameters
    ----------
    row : Row
        The row as it was read.
    result : AuditResult
        The result of its claim; or, if that is disproved, of the same claim for the
        other side.
    """
    change = _find_change(row, result)
    return None if change is None or _contradicts_keys(row, change) else change


def find_obstacle(row: Row, result: AuditResult) -> Change | None:
    """Return the change that is not made, because the row's keys contradict it."""
    change = _find_change(row, result)
    return change if change and _contradicts_keys(row, change) else None


def _contradicts_keys(row: Row, change: Change) -> bool:
    """Return whether a row names keys of another mate, or without the line's key."""
    is_line = change.kind is Kind.LINE
    return bool(row.claim.keys) and not (is_line and change.line[0] in row.claim.keys)


def _find_change(row: Row, result: AuditResult) -> Change | None:
    mate, line = result.mate, tuple(result.pv.split())
    if not mate or result.tablebase or find_fault(row.problem.fen, mate, line):
        return None
    if (mate > 0) != (row.claim.mate > 0):
        return Change(Kind.SIDE, mate, line)
    if abs(mate) < abs(row.claim.mate):
        return Change(Kind.SHORTER, mate, line)
    if mate == row.claim.mate and (row.fault or False in _holds(result)):
        return Change(Kind.LINE, mate, line)
    return None


def _holds(result: AuditResult) -> list[bool | None]:
    return [ply.holds for ply in result.claimed_plies()]


def find_line_status(row: Row, result: AuditResult) -> LineStatus | None:
    """Return the result of following a row's line; None if it has no line."""
    if row.fault == MISSING:
        return None
    holds = _holds(result)
    if not holds or False in holds:
        return LineStatus.WRONG
    if all(holds):
        return LineStatus.BEGINNING if row.fault else LineStatus.PROOF
    return LineStatus.ENDING if any(holds) else LineStatus.OPEN


def describe_line(row: Row, result: AuditResult) -> str:
    """Describe the result of following a row's line; empty without a line."""
    status = find_line_status(row, result)
    if status is None:
        return ""
    detail, holds = "", _holds(result)
    if not holds:
        detail = f" ({row.fault})"
    elif status is LineStatus.WRONG:
        number = holds.index(False)
        detail = f": move {number + 1}, {_attackers_move(row, number)}, "
        detail += f"does not mate in {abs(row.claim.mate) - number}"
    elif status is LineStatus.ENDING:
        number = holds.index(True)
        detail = f" from move {number + 1}, {_attackers_move(row, number)}"
    return f"{_place(row)}: {name_mate(row.claim.mate)}, its line is {status}{detail}"


def _attackers_move(row: Row, number: int) -> str:
    """Return one of the attacker's moves of a row's line in SAN."""
    ply = 2 * number + (row.claim.mate < 0)
    return write_lines(row.problem.fen, [row.claim.line])[0][ply]


def is_disproved(result: AuditResult) -> bool:
    """Return whether a claim is disproved, or the mate is on the board already."""
    return result.verdict == Verdict.REFUTED or result.mate == 0


def mates_other_side(row: Row) -> bool:
    """Return whether a row's line ends in mate of the side that it claims to mate."""
    board = chess.Board(row.problem.fen)
    for move in row.claim.line:
        board.push_uci(move)
    is_attackers = len(row.claim.line) % 2 == int(row.claim.mate > 0)
    return board.is_checkmate() and not is_attackers


def own_side(row: Row) -> Problem:
    """Return what a row claims, without a line that mates the other side."""
    line = () if mates_other_side(row) else row.claim.line
    return _claiming(row, row.claim.mate, line)


def turned(row: Row) -> Row:
    """Return a row that claims that the other side mates in as many moves.

    It has the line if that ends in this mate.
    """
    line = row.claim.line if mates_other_side(row) else ()
    fault = find_fault(row.problem.fen, -row.claim.mate, line) if line else MISSING
    return replace(row, problem=_claiming(row, -row.claim.mate, line), fault=fault)


def other_side(row: Row) -> Problem:
    """Return what the turned row claims, of another source: a store keeps both."""
    problem = turned(row).problem
    file, _, line = problem.source.rpartition(":")
    return replace(problem, source=f"{file} (other side):{line}")


def _claiming(row: Row, mate: int, line: tuple[str, ...]) -> Problem:
    claim = row.problem.claim
    assert claim
    return replace(row.problem, claim=replace(claim, mate=mate, line=line))


def describe_change(row: Row, change: Change, result: AuditResult) -> str:
    """Describe a change in a line: where, old, new, how it is known."""
    line = _in_words(row, change.line)
    claimed = name_mate(row.claim.mate)
    if change.kind is Kind.LINE:
        if row.fault == MISSING:
            return f"{_place(row)}: {claimed}, line added: {line}"
        fault = row.fault or "proved wrong"
        return f"{_place(row)}: {claimed}, line replaced ({fault}): {line}"
    found = f"{name_mate(change.mate)} ({_known(result)})"
    return f"{_place(row)}: {claimed} is now {found}: {line}"


def _known(result: AuditResult) -> str:
    is_shortest = result.status == Status.PROVED
    return "proved shortest" if is_shortest else "a shorter one is not excluded"


def describe_kept(row: Row, result: AuditResult) -> str:
    """Describe in one line what is wrong with an unchanged row; empty if nothing is."""
    claimed = f"{_place(row)}: {name_mate(row.claim.mate)}, kept"
    if result.mate == 0:
        return f"{claimed}, but disproved: checkmate on the board"
    if is_disproved(result):
        found = name_no_mate((result.lower_bound or 1) - 1, result.claim)
        if result.mate is not None:
            found += f", but {name_mate(result.mate)}"
            if line := _in_words(row, result.pv.split()):
                found += f": {line}"
        return f"{claimed}, but disproved: {found}"
    if obstacle := find_obstacle(row, result):
        keys = " ".join(first_moves(row.problem.fen, row.claim.keys))
        found = name_mate(obstacle.mate)
        if obstacle.kind is not Kind.LINE:
            found += f" ({_known(result)})"
        return f"{claimed} with its keys ({keys}), but {found}: " + _in_words(
            row, obstacle.line
        )
    if row.fault and row.fault != MISSING:
        return (
            f"{claimed} with its broken line ({row.fault}), because no mate was found"
        )
    return ""


def _place(row: Row) -> str:
    return name_record(row.problem.source, row.problem.id)


def _in_words(row: Row, line: Sequence[str]) -> str:
    return " ".join(numbered_line(row.problem.fen, line))
