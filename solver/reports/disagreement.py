"""What an audit found against a claim, in a few lines for people."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import TYPE_CHECKING

import chess

from solver.reports.analysis_link import analysis_link
from solver.reports.line import first_moves, numbered_line
from solver.soundness import Ply, Soundness, is_slow
from solver.verdict import Verdict

if TYPE_CHECKING:
    from solver.finding import Finding


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
    if finding.fen is None or finding.verdict is None:
        return None
    if (objection := _objection(finding)) is None:
        return None
    told = [f"{_place(finding)}: claimed {_claimed(finding)}, {objection}"]
    if finding.claimed_line:
        line = numbered_line(finding.fen, finding.claimed_line.split())
        told.append(f"  claimed: {' '.join(line)}")
    told.append(f"  {analysis_link(finding.fen)}")
    return "\n".join(told)


def _objection(finding: Finding) -> str | None:
    if finding.verdict in {Verdict.SHORTER, Verdict.REFUTED}:
        return f"found {_found(finding)}"
    if finding.wrong_keys:
        return f"found {', '.join(_sans(finding, finding.keys))}"
    if finding.soundness == Soundness.NOT_SHORTEST_LINE:
        return _line_objection(finding)
    if finding.soundness == Soundness.COOKED:
        keys = _sans(finding, finding.keys)
        return f"found {len(keys)} keys: {', '.join(keys)}"
    if finding.only_moves == 0:
        return _line_objection(finding)
    return None


def _claimed(finding: Finding) -> str:
    if finding.claim is None:
        return f"none in {finding.nomate}"
    claimed = _mate(finding.claim)
    keys = finding.wrong_keys or (
        finding.claimed_keys if finding.soundness == Soundness.COOKED else ""
    )
    return f"{claimed} by {', '.join(_sans(finding, keys))}" if keys else claimed


def _line_objection(finding: Finding) -> str:
    """Tell the first of the solver's moves that is slow, or not the only one."""
    plies = [Ply(**ply) for ply in json.loads(finding.plies or "[]")]
    board = chess.Board(finding.fen or chess.STARTING_FEN)
    wants_slow = finding.soundness == Soundness.NOT_SHORTEST_LINE
    for number, ply in enumerate(plies):
        others = [move for move in ply.keys if move != ply.move]
        if is_slow(ply) if wants_slow else others:
            position = board.fen()
            (san,) = first_moves(position, [ply.move])
            better = ", ".join(first_moves(position, others))
            mate = f"mate in {ply.mate}"
            if wants_slow:
                return f"but move {number + 1}, {san}, is no {mate}: {better}"
            return f"but move {number + 1}, {san}, is not the only {mate}: {better}"
        for move in finding.claimed_line.split()[2 * number : 2 * number + 2]:
            board.push_uci(move)
    return "but the line takes longer"


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
