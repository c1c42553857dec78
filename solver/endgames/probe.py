"""Whether a position is a small ending, and how far the mate is: loads no numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import chess

if TYPE_CHECKING:
    from collections.abc import Callable


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


class EndingHistory:
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
    from solver.endgames.answer import answer, open_tables
    from solver.endgames.table import read_placement

    tables = open_tables(read_placement(board, attacker).men, is_stopped)
    return (
        None if tables is None else answer(tables, board, attacker, with_line=with_line)
    )
