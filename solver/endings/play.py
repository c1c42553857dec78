"""The line and the keys of a mate, read off the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess

from solver.endings.answer import EndingAnswer
from solver.endings.men import Man, Placement, read_placement
from solver.endings.table import NEVER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.endgames.probe import Tables

_ATTACKING_KING = Man(attacks=True, kind=chess.KING)
_DEFENDING_KING = Man(attacks=False, kind=chess.KING)


def answer(
    tables: Tables, board: chess.Board, attacker: chess.Color, *, with_line: bool
) -> EndingAnswer:
    """Tell all of a position; the tables are those of its ending."""
    placement = read_placement(board, attacker)
    attacking = board.turn == attacker
    moves = _look_up(tables, placement, attacking=attacking)
    if moves == NEVER:
        return EndingAnswer(None)
    keys: list[str] = []
    if attacking:
        best = _best_moves(tables, placement, moves, attacking=True)
        keys = [move for move, _ in best]
    line: list[str] = []
    left = moves
    while with_line and left:
        best = _best_moves(tables, placement, left, attacking=attacking)
        move, placement = next(best)
        line.append(move)
        left -= attacking
        attacking = not attacking
    return EndingAnswer(moves, tuple(line), tuple(keys))


def _best_moves(
    tables: Tables, placement: Placement, moves: int, *, attacking: bool
) -> Iterator[tuple[str, Placement]]:
    """Yield the moves that mate soonest, or are mated last, and what they lead to.

    Such a move leads to a node with one move less to mate when the attacker makes it,
    with as many when the defender does.
    """
    for move, after in _moves(placement, attacking=attacking):
        if _look_up(tables, after, attacking=not attacking) == moves - attacking:
            yield move, after


def _moves(placement: Placement, *, attacking: bool) -> Iterator[tuple[str, Placement]]:
    """Yield the moves of one side in UCI notation, and what they lead to.

    Highest squares come first, as in python-chess. Moves that leave the own king in
    check are among them: a table has no number for the node that they lead to.
    """
    men = (_ATTACKING_KING, *placement.men, _DEFENDING_KING)
    squares = (placement.king, *placement.squares, placement.target)
    occupied = own = chess.BB_EMPTY
    movers = []
    for index, (man, square) in enumerate(zip(men, squares, strict=True)):
        occupied |= chess.BB_SQUARES[square]
        if man.attacks == attacking:
            own |= chess.BB_SQUARES[square]
            movers.append((square, index))
    for square, index in sorted(movers, reverse=True):
        seen = _sight(men[index].kind, square, occupied)
        for to in chess.scan_reversed(seen & ~own):
            left, after = placement.men, (*squares[:index], to, *squares[index + 1 :])
            if to in squares:
                taken = squares.index(to)
                left = left[: taken - 1] + left[taken:]
                after = after[:taken] + after[taken + 1 :]
            name = chess.SQUARE_NAMES[square] + chess.SQUARE_NAMES[to]
            yield name, Placement(left, after[0], after[1:-1], after[-1])


def _sight(
    kind: chess.PieceType, square: chess.Square, occupied: chess.Bitboard
) -> chess.Bitboard:
    """Give the squares that a piece other than a pawn attacks."""
    if kind == chess.KING:
        return chess.BB_KING_ATTACKS[square]
    if kind == chess.KNIGHT:
        return chess.BB_KNIGHT_ATTACKS[square]
    seen = chess.BB_EMPTY
    if kind != chess.ROOK:
        seen |= chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]
    if kind != chess.BISHOP:
        seen |= chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        seen |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
    return seen


def _look_up(tables: Tables, placement: Placement, *, attacking: bool) -> int:
    return tables[placement.men].moves(placement, attacking=attacking)
