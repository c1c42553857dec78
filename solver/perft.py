"""Perft on a `chess.Board`: how many positions a number of plies leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.board import pack, unpack_move
from solver.errors import InputError
from solver.kernel.loader import load_kernel
from solver.kernel.memory import MAX_PLIES, Search
from solver.search.threads import Control

if TYPE_CHECKING:
    from collections.abc import Iterator

    import chess


def divide(
    board: chess.Board,
    depth: int,
    *,
    listed: bool = False,
    control: Control | None = None,
) -> Iterator[tuple[chess.Move, int]]:
    """Count the leaves below each legal move.

    Parameters
    ----------
    board : chess.Board
    depth : int
        Plies, the first move included; at least 1.
    listed : bool
        List the moves of the last ply, as a search would, instead of counting them.
    control : Control, optional
        Ends the count early; what is counted by then is not told.

    Yields
    ------
    move : chess.Move
    leaves : int

    Raises
    ------
    InputError
        The depth is out of range.
    """
    if not 1 <= depth < MAX_PLIES:
        msg = f"depth: expected 1 to {MAX_PLIES - 1} plies, found {depth}"
        raise InputError(msg)
    kernel = load_kernel().kernel
    search = Search()
    control = control or Control()
    control.attach(search)
    position = pack(board)
    for word in kernel.moves(position, search):
        child = kernel.made(position, search, word)
        leaves = 1
        if depth > 1:
            leaves = kernel.perft(child, search, depth - 1, listed=listed)
        if control.reason:
            return
        yield unpack_move(board, word), leaves


def perft(board: chess.Board, depth: int) -> int:
    """Count the leaves `depth` plies down; 1 at depth 0."""
    return sum(leaves for _, leaves in divide(board, depth)) if depth else 1
