"""What an audit found against a claim, in a few lines for people."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

import chess

from solver.audit.verdict import DUAL, KEYS
from solver.reports.analysis_link import analysis_link
from solver.reports.line import first_moves, numbered_line
from solver.soundness import Soundness, is_dual, is_slow

if TYPE_CHECKING:
    from solver.audit.result import Finding
    from solver.soundness import Ply


def disagreement(finding: Finding) -> str | None:
    """Tell where a finding disagrees with its claim.

    Parameters
    ----------
    finding : Finding
        What the audit tells.

    Returns
    -------
    str or None
        `file:line: name: claimed ..., found ...` with the line that was found; below
        it the claimed line, if there is one, and a link to lichess's analysis. None
        when nothing speaks against the claim.
    """
    if finding.fen is None or not finding.disagreements:
        return None
    told = [f"{_place(finding)}: claimed {_claimed(finding)}, {_objection(finding)}"]
    if finding.claimed_line:
        line = numbered_line(finding.fen, finding.claimed_line.split())
        told.append(f"  claimed: {' '.join(line)}")
    told.append(f"  {analysis_link(finding.fen)}")
    return "\n".join(told)


def _objection(finding: Finding) -> str:
    """Say the gravest of what speaks against the claim."""
    words = finding.disagreements
    if finding.word in words:
        return f"found {_found(finding)}"
    if KEYS in words or Soundness.MISSING_SOLUTION in words:
        return f"found {', '.join(_sans(finding, finding.keys))}"
    if Soundness.NOT_SHORTEST_LINE in words:
        return _slow_line(finding)
    if Soundness.COOKED in words:
        keys = _sans(finding, finding.keys)
        return f"found {len(keys)} keys: {', '.join(keys)}"
    if DUAL in words:
        return _dual(finding)
    return f"found {', '.join(words)}"


def _claimed(finding: Finding) -> str:
    if finding.claim is None:
        return f"none in {finding.nomate}"
    claimed = _mate(finding.claim)
    keys = finding.wrong_keys or (
        finding.claimed_keys if finding.soundness == Soundness.COOKED else ""
    )
    return f"{claimed} by {', '.join(_sans(finding, keys))}" if keys else claimed


def _slow_line(finding: Finding) -> str:
    """Name the first of the solver's moves that is slow, else the line as a whole."""
    for number, ply in enumerate(finding.claimed_plies()):
        if is_slow(ply):
            return _line_objection(finding, number, ply, "is no")
    return "but the line takes longer"


def _dual(finding: Finding) -> str:
    """Name the first of the solver's moves behind the key that has a rival."""
    plies = finding.claimed_plies()
    number = next(n for n in range(1, len(plies)) if is_dual(plies[n]))
    return _line_objection(finding, number, plies[number], "is not the only")


def _line_objection(finding: Finding, number: int, ply: Ply, objection: str) -> str:
    """Say what is wrong with a move of the line, and which moves are better."""
    board = chess.Board(finding.fen or chess.STARTING_FEN)
    for move in finding.claimed_line.split()[: 2 * number]:
        board.push_uci(move)
    position = board.fen()
    (san,) = first_moves(position, [ply.move])
    others = [move for move in ply.keys if move != ply.move]
    better = ", ".join(first_moves(position, others))
    return f"but move {number + 1}, {san}, {objection} mate in {ply.mate}: {better}"


def _sans(finding: Finding, moves: str) -> list[str]:
    return first_moves(finding.fen or "", moves.split())


def _place(finding: Finding) -> str:
    unnamed = finding.id == PurePath(finding.source).name
    return finding.source if unnamed else f"{finding.source}: {finding.id}"


def _found(finding: Finding) -> str:
    if finding.mate is None:
        return f"none in {(finding.lower_bound or 1) - 1}"
    mate = _mate(finding.mate)
    if finding.tablebase:
        mate += " (Gaviota)"
    line = " ".join(numbered_line(finding.fen or "", finding.pv.split()))
    return f"{mate}: {line}" if line else mate


def _mate(moves: int) -> str:
    """Say who is mated; 0 is a side to move that is mated already."""
    if moves == 0:
        return "checkmate on the board"
    return f"mate in {moves}" if moves > 0 else f"mated in {-moves}"
