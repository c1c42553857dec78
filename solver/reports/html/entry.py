"""One record as the page lists it: short, its lines written out in SAN."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess

from solver.formats.fen import parse_fen
from solver.reports.html.tally import claim_name
from solver.reports.line import numbered_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.output.audit_page.rows import CheckedRecord

FIELDS = (
    "agrees",
    "word",
    "claim",
    "id",
    "source",
    "fen",
    "status",
    "mate",
    "lowerBound",
    "nodes",
    "timeS",
    "keys",
    "keysComplete",
    "foundLine",
    "foundMove",
    "claimedLine",
    "claimedKeys",
    "claimedMove",
    "wrongKeys",
    "duals",
    "soundness",
    "disagreements",
    "stoppedBy",
    "tablebase",
    "error",
)
"""What the places of an entry mean, in their order; the rare ones come last."""


def make_entry(finding: CheckedRecord) -> list[object]:
    """Make the entry of one record.

    Parameters
    ----------
    finding : CheckedRecord
        The record.

    Returns
    -------
    list
        What `json.dumps` takes: a value for each of `FIELDS`, those left out at the
        end being empty. Moves and lines are in SAN; `foundMove` and `claimedMove` are
        first moves in UCI notation, for arrows.

    Raises
    ------
    FenError
        If the position is none.
    """
    fen = finding.fen
    if fen:
        parse_fen(fen)
    line, claimed_line = finding.pv, finding.claimed_line
    claimed = finding.wrong_keys or finding.claimed_keys or claimed_line
    entry: list[object] = [
        int(finding.agrees),
        finding.word,
        claim_name(finding),
        finding.id,
        "" if finding.source == finding.id else finding.source,
        fen,
        finding.status,
        finding.mate,
        finding.lower_bound,
        finding.nodes,
        finding.time_s,
        " ".join(finding.keys),
        int(finding.keys_complete),
        written_line(fen, line),
        _arrow(line),
        written_line(fen, claimed_line),
        written_moves(fen, finding.claimed_keys),
        _arrow(claimed),
        written_moves(fen, finding.wrong_keys),
        _duals(finding),
        finding.soundness,
        list(finding.disagreements),
        finding.stopped_by,
        finding.tablebase,
        finding.error,
    ]
    while entry[-1] in ("", []):
        entry.pop()
    return entry


def written_line(fen: str, moves: Sequence[str]) -> str:
    """Write a line in SAN with move numbers, as far as its moves are legal.

    Returns
    -------
    str
        `1. Qe3 Kh4 2. Qg5#`; from an illegal move on, the moves as they were given.
    """
    legal = _legal_moves(fen, moves)
    words = numbered_line(fen, moves[:legal]) if legal else []
    if rest := moves[legal:]:
        words += [*rest, "(illegal)"]
    return " ".join(words)


def written_moves(fen: str, moves: Sequence[str]) -> str:
    """Write alternative moves in SAN, and those that are illegal as they were given."""
    return " ".join(_san(chess.Board(fen), move) for move in moves)


def _arrow(moves: Sequence[str]) -> str:
    """Give the first of some moves; nothing where it does not join two squares."""
    try:
        move = chess.Move.from_uci(moves[0]) if moves else chess.Move.null()
    except ValueError:  # python-chess's word for what is no move
        return ""
    return moves[0] if move.from_square != move.to_square else ""


def _duals(finding: CheckedRecord) -> list[str]:
    """Name the moves that are not the only ones: `move 2: Qg5 (also Qh6)`."""
    if not finding.plies:
        return []
    told: list[str] = []
    board = chess.Board(finding.fen)
    moves = finding.claimed_line[: _legal_moves(finding.fen, finding.claimed_line)]
    for number, ply in enumerate(finding.plies[: len(moves) // 2 + 1], 1):
        if ply.only is False:
            others = [_san(board, key) for key in ply.keys if key != ply.move]
            word = "also" if ply.move in ply.keys else "rather"
            note = f" ({word} {' '.join(others)})" if others else ""
            told.append(f"move {number}: {_san(board, ply.move)}{note}")
        for move in moves[2 * number - 2 : 2 * number]:
            board.push_uci(move)
    return told


def _legal_moves(fen: str, moves: Sequence[str]) -> int:
    """Count the moves of a line up to the first that is illegal."""
    if not moves:
        return 0
    board = chess.Board(fen)
    for number, move in enumerate(moves):
        try:
            board.push_uci(move)
        except ValueError:  # python-chess's word for a move that cannot be made
            return number
    return len(moves)


def _san(board: chess.Board, move: str) -> str:
    try:
        return board.san(board.parse_uci(move))
    except ValueError:
        return move
