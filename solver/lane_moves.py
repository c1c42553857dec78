"""Which first moves lie in a lane, told by python-chess's rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess

from solver.board import pack
from solver.kernel.interface import Verdict

if TYPE_CHECKING:
    from solver.search.workspace import Workspace


def is_admitted(workspace: Workspace, board: chess.Board, move: chess.Move) -> bool:
    """Whether the workspace's lane admits a legal move of the attacker.

    A threat is searched for; once the search is stopped, the answer is no.
    """
    lane = workspace.lane
    if lane is None:
        return True
    after = board.copy(stack=False)
    after.push(move)
    checks = after.is_check()
    if lane.checks_only and not checks:
        return False
    if lane.king_flights is not None and _flights(after) > lane.king_flights:
        return False
    if lane.replies is not None and after.legal_moves.count() > lane.replies:
        return False
    if lane.threat is None or checks:
        return True
    after.push(chess.Move.null())
    verdict = workspace.decide(pack(after), lane.threat, attacking=True)
    return verdict is Verdict.MATE


def _flights(board: chess.Board) -> int:
    """How many squares the king of the side to move can go to, castling aside."""
    king = board.kings & board.occupied_co[board.turn]
    moves = board.generate_legal_moves(from_mask=king)
    return sum(not board.is_castling(move) for move in moves)
