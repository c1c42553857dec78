"""Build the tables of small endgames, and read mates off them.

`find_ending` is the entry. This module does not load numpy, which takes a tenth of a
second: `endgame_table` does, and it is imported when the first table is built.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import chess

from solver.board import pack_board
from solver.endgames.ending import Piece, Pieces, Placement, is_ending

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from solver.endgames.endgame_table import Table

    Tables: TypeAlias = Mapping["Pieces", Table]

_WAIT_S = 0.02
"""How long to wait for a table of another thread before checking `is_stopped`."""


@dataclass(frozen=True, slots=True)
class EndingAnswer:
    """What the table of a small endgame proves about a position.

    Attributes
    ----------
    moves : int or None
        The attacker's moves to the shortest mate; None: there is no mate at all.
    line : tuple of str
        The line to the mate in UCI notation: 2n-1 plies if the attacker is to move, 2n
        if the defender is. The defender resists as long as possible.
    keys : tuple of str
        All first moves that mate as fast, if the attacker is to move.
    """

    moves: int | None
    line: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


def find_ending(
    board: chess.Board,
    attacker: chess.Color,
    *,
    is_stopped: Callable[[], bool],
    with_line: bool = True,
) -> EndingAnswer | None:
    """Solve a small endgame with its table.

    Parameters
    ----------
    board : chess.Board
        A legal position; not changed. The fifty-move rule and repetitions do not count.
    attacker : chess.Color
        The side that mates.
    is_stopped : callable
        Called every few milliseconds while the table is built. Once built, it serves
        all threads of the process.
    with_line : bool
        Whether to return the line, which takes longer than all the rest.

    Returns
    -------
    EndingAnswer or None
        None: the position is not a small endgame, or `is_stopped` returned True.
    """
    if not is_ending(pack_board(board)):
        return None
    if chess.popcount(board.occupied_co[attacker]) == 1:
        return EndingAnswer(None)  # a bare king never mates
    placement = read_placement(board, attacker)
    tables = get_tables(placement.pieces, is_stopped)
    if tables is None:
        return None
    attacking = board.turn == attacker
    return _read_answer(tables, placement, attacking=attacking, with_line=with_line)


# No table is ever dropped: the attacker has more than its king in 30 endgames, which
# take 160 MiB if all of them are built, with the five that captures lead to.
_TABLES: dict[Pieces, Table] = {}
_BUILDING = threading.Lock()


def get_tables(pieces: Pieces, is_stopped: Callable[[], bool]) -> Tables | None:
    """Return the tables of an endgame and of all endgames that a capture leads to.

    Missing tables are built, by one thread at a time.

    Returns
    -------
    mapping of Pieces to Table, or None
        None: `is_stopped` returned True.
    """
    if pieces in _TABLES:
        return _TABLES
    while not _BUILDING.acquire(timeout=_WAIT_S):
        if is_stopped():
            return None
    try:
        return _TABLES if _get_table(pieces, is_stopped) else None
    finally:
        _BUILDING.release()


def _get_table(pieces: Pieces, is_stopped: Callable[[], bool]) -> Table | None:
    if pieces in _TABLES:
        return _TABLES[pieces]
    smaller = {}
    for index in range(len(pieces)):
        table = _get_table(pieces[:index] + pieces[index + 1 :], is_stopped)
        if table is None:
            return None
        smaller[index] = table

    from solver.endgames.endgame_table import build_table

    table = build_table(pieces, smaller, is_stopped)
    if table is not None:
        _TABLES[pieces] = table
    return table


def _read_answer(
    tables: Tables, placement: Placement, *, attacking: bool, with_line: bool
) -> EndingAnswer:
    """Read the length, the keys and the line of a mate off the tables."""
    from solver.endgames.endgame_table import NO_MATE

    moves = _probe(tables, placement, attacking=attacking)
    if moves == NO_MATE:
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


def _probe(tables: Tables, placement: Placement, *, attacking: bool) -> int:
    return tables[placement.pieces].moves(placement, attacking=attacking)


def _best_moves(
    tables: Tables, placement: Placement, moves: int, *, attacking: bool
) -> Iterator[tuple[str, Placement]]:
    """Yield the moves that mate soonest or resist longest, and the next positions.

    After the attacker's best move the mate takes one move less; after the defender's
    best move it takes as many as before.
    """
    for move, after in list_moves(placement, attacking=attacking):
        if _probe(tables, after, attacking=not attacking) == moves - attacking:
            yield move, after


# Placements: where the pieces of a small endgame stand, and the moves from there


def read_placement(board: chess.Board, attacker: chess.Color) -> Placement:
    """Return the placement of the pieces on a board without pawns."""
    (king,) = board.pieces(chess.KING, attacker)
    (target,) = board.pieces(chess.KING, not attacker)
    found = [
        (Piece(attacks, kind), square)
        for attacks in (True, False)
        for kind in (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
        for square in board.pieces(kind, attacker == attacks)
    ]
    pieces = tuple(piece for piece, _ in found)
    return Placement(pieces, king, tuple(square for _, square in found), target)


_ATTACKING_KING = Piece(attacks=True, kind=chess.KING)
_DEFENDING_KING = Piece(attacks=False, kind=chess.KING)


def list_moves(
    placement: Placement, *, attacking: bool
) -> Iterator[tuple[str, Placement]]:
    """Yield the moves of one side in UCI notation, each with the position after it.

    The highest squares come first, as in python-chess. Moves that leave the mover's
    king in check are included: the table has no length for the positions after them.
    """
    pieces = (_ATTACKING_KING, *placement.pieces, _DEFENDING_KING)
    squares = (placement.king, *placement.squares, placement.target)
    occupied = own = chess.BB_EMPTY
    movers = []
    for index, (piece, square) in enumerate(zip(pieces, squares, strict=True)):
        occupied |= chess.BB_SQUARES[square]
        if piece.attacks == attacking:
            own |= chess.BB_SQUARES[square]
            movers.append((square, index))
    for square, index in sorted(movers, reverse=True):
        attacks = _attacks(pieces[index].kind, square, occupied)
        for to in chess.scan_reversed(attacks & ~own):
            left = placement.pieces
            after = (*squares[:index], to, *squares[index + 1 :])
            if to in squares:
                captured = squares.index(to)
                left = left[: captured - 1] + left[captured:]
                after = after[:captured] + after[captured + 1 :]
            name = chess.SQUARE_NAMES[square] + chess.SQUARE_NAMES[to]
            yield name, Placement(left, after[0], after[1:-1], after[-1])


def _attacks(
    kind: chess.PieceType, square: chess.Square, occupied: chess.Bitboard
) -> chess.Bitboard:
    """Return the squares that a piece other than a pawn attacks."""
    if kind == chess.KING:
        return chess.BB_KING_ATTACKS[square]
    if kind == chess.KNIGHT:
        return chess.BB_KNIGHT_ATTACKS[square]
    attacks = chess.BB_EMPTY
    if kind != chess.ROOK:
        attacks |= chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]
    if kind != chess.BISHOP:
        attacks |= chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        attacks |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
    return attacks
