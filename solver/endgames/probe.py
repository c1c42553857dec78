"""The tables that this process has built, shared by all threads."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import chess

from solver.endgames.retrograde import build_table
from solver.endgames.table import NEVER, Man, Placement, read_placement, without_each

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


# What is told of a position whose ending is solved.


@dataclass(frozen=True, slots=True)
class EndingAnswer:
    """What is proved of a position.

    Attributes
    ----------
    moves : int or None
        The attacker's moves to mate, none is shorter; None: there is no mate in any
        number of moves.
    line : tuple of str
        The line in UCI notation, to the mate: 2n-1 plies when the attacker is to move,
        2n when the defender is, who lasts as long as possible.
    keys : tuple of str
        All first moves that mate as fast, when the attacker is to move.
    """

    moves: int | None
    line: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


# Which endings one solver has met, and which endgame tables it has probed.

Pieces: TypeAlias = tuple[int, ...]
"""How many queens, rooks, bishops and knights the attacker has, then the defender."""


class SeenEndings:
    """The endings that one solver has met.

    A solver begins with none, whatever tables others in the same process have built,
    so that what its answers cost depends on its own problems alone.
    """

    def __init__(self) -> None:
        self._first: dict[Pieces, tuple[int, ...]] = {}
        self._probed: set[Pieces] = set()

    def is_further(self, board: chess.Board) -> bool:
        """Note a position; return whether another of the same pieces came first.

        Pieces are the same in either colour.
        """
        pieces = max(_pieces(board, side) for side in chess.COLORS)
        # Without pawns and castling rights, this is all of a position.
        position = (
            *(board.turn, board.occupied_co[chess.WHITE], board.occupied, board.kings),
            *(board.queens, board.rooks, board.bishops),
        )
        return self._first.setdefault(pieces, position) != position

    def note_probe(self, board: chess.Board, attacker: chess.Color) -> None:
        """Note that the table of an ending was probed."""
        self._probed.add(_pieces(board, attacker))

    def was_probed(self, board: chess.Board, attacker: chess.Color) -> bool:
        """Whether the table of an ending was probed, or a bare king needs none."""
        pieces = _pieces(board, attacker)
        return not any(pieces[: len(pieces) // 2]) or pieces in self._probed


def _pieces(board: chess.Board, attacker: chess.Color) -> Pieces:
    kinds = (board.queens, board.rooks, board.bishops, board.knights)
    ours, theirs = board.occupied_co[attacker], board.occupied_co[not attacker]
    return tuple(
        chess.popcount(kind & side) for side in (ours, theirs) for kind in kinds
    )


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from solver.endgames.table import Men, Table

    Tables: TypeAlias = Mapping[Men, Table]

_PATIENCE_S = 0.02
"""How long to wait for another thread's table before asking whether to stop."""

# No table is ever dropped: the attacker has more than its king in 30 endings, which
# take 160 MiB if all of them are built, with the five that captures lead to.
_TABLES: dict[Men, Table] = {}
_BUILDING = threading.Lock()


def open_tables(men: Men, is_stopped: Callable[[], bool]) -> Tables | None:
    """Give the tables of an ending and of all that captures lead to.

    They are built when they are first asked for; None: it was stopped.
    """
    if men in _TABLES:
        return _TABLES
    while not _BUILDING.acquire(timeout=_PATIENCE_S):
        if is_stopped():
            return None
    try:
        return _TABLES if _open(men, is_stopped) else None
    finally:
        _BUILDING.release()


def _open(men: Men, is_stopped: Callable[[], bool]) -> Table | None:
    if men in _TABLES:
        return _TABLES[men]
    smaller = {}
    for index, left in without_each(men):
        table = _open(left, is_stopped)
        if table is None:
            return None
        smaller[index] = table
    table = build_table(men, smaller, is_stopped)
    if table is not None:
        _TABLES[men] = table
    return table


# The line and the keys of a mate, read off the tables.

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


# The door to the endings: how far the mate is, if this is one of them.

MOST_MEN = 4


def is_ending(board: chess.Board) -> bool:
    """Whether a position is one of those that are solved here."""
    return (
        not board.pawns
        and not board.castling_rights
        and chess.popcount(board.occupied) <= MOST_MEN
    )


def find_ending(
    board: chess.Board,
    attacker: chess.Color,
    *,
    is_stopped: Callable[[], bool],
    with_line: bool = True,
) -> EndingAnswer | None:
    """Solve a position of at most four men, none of them a pawn.

    Parameters
    ----------
    board : chess.Board
        A legal position; left as it is. The fifty-move rule and repetition do not
        count.
    attacker : chess.Color
        Who is to mate.
    is_stopped : callable
        Asked every few milliseconds while the ending is solved; afterwards all its
        positions are known to this process.
    with_line : bool
        Give the line too, which takes longer than all the rest.

    Returns
    -------
    EndingAnswer or None
        None: it is no such ending, or it was stopped.
    """
    if not is_ending(board):
        return None
    if chess.popcount(board.occupied_co[attacker]) == 1:
        return EndingAnswer(None)  # a bare king never mates
    # Only now, as numpy takes a tenth of a second to load.
    from solver.endgames.table import read_placement

    tables = open_tables(read_placement(board, attacker).men, is_stopped)
    return (
        None if tables is None else answer(tables, board, attacker, with_line=with_line)
    )
