"""The door to the endings: how far the mate is, if this is one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess

from solver.endings.answer import EndingAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

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
    from solver.endgames.probe import open_tables
    from solver.endings.men import read_placement
    from solver.endings.play import answer

    tables = open_tables(read_placement(board, attacker).men, is_stopped)
    return (
        None if tables is None else answer(tables, board, attacker, with_line=with_line)
    )
