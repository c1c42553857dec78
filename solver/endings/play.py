"""The line and the keys of a mate, read off the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.endings.answer import EndingAnswer
from solver.endings.men import read_placement
from solver.endings.table import NEVER

if TYPE_CHECKING:
    import chess

    from solver.endings.library import Tables


def answer(
    tables: Tables, board: chess.Board, attacker: chess.Color, *, with_line: bool
) -> EndingAnswer:
    """Tell all of a position; the tables are those of its ending."""
    moves = _look_up(tables, board, attacker)
    if moves == NEVER:
        return EndingAnswer(None)
    attacking = board.turn == attacker
    keys = _best_moves(tables, board, attacker) if attacking else []
    if not with_line:
        return EndingAnswer(moves, keys=tuple(move.uci() for move in keys))
    line = []
    board = board.copy(stack=False)
    for _ in range(2 * moves - attacking):
        best = _best_moves(tables, board, attacker)[0]
        line.append(best.uci())
        board.push(best)
    return EndingAnswer(moves, tuple(line), tuple(move.uci() for move in keys))


def _best_moves(
    tables: Tables, board: chess.Board, attacker: chess.Color
) -> list[chess.Move]:
    """List the moves that mate soonest, or are mated last."""
    after = {}
    for move in board.legal_moves:
        board.push(move)
        after[move] = _look_up(tables, board, attacker)
        board.pop()
    choose = min if board.turn == attacker else max
    best = choose(after.values())
    return [move for move, moves in after.items() if moves == best]


def _look_up(tables: Tables, board: chess.Board, attacker: chess.Color) -> int:
    placement = read_placement(board, attacker)
    table = tables[placement.men]
    return table.moves(placement, attacking=board.turn == attacker)
