"""Moves as people write them: SAN, and lines with move numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess

if TYPE_CHECKING:
    from collections.abc import Iterable


def first_moves(fen: str, moves: Iterable[str]) -> list[str]:
    """Write alternative first moves in SAN.

    Parameters
    ----------
    fen : str
        The position that each of them is played in.
    moves : iterable of str
        Legal moves in UCI notation.

    Returns
    -------
    list of str
        The same moves in SAN, in the same order.
    """
    board = chess.Board(fen)
    return [board.san(chess.Move.from_uci(move)) for move in moves]


def numbered_line(fen: str, moves: Iterable[str]) -> list[str]:
    """Write a line in SAN with move numbers, which begin at 1 as problems' do.

    Parameters
    ----------
    fen : str
        The position that the line begins in.
    moves : iterable of str
        Legal moves, each played after the one before, in UCI notation.

    Returns
    -------
    list of str
        One string for each number: `["1. Qe3 Kh4", "2. Qg5#"]`, or with Black to move
        `["1... Qe3", "2. Kh1 Qe1#"]`.
    """
    board = chess.Board(fen)
    line: list[str] = []
    for uci in moves:
        move = chess.Move.from_uci(uci)
        san = board.san(move)
        if board.turn == chess.WHITE:
            line.append(f"{len(line) + 1}. {san}")
        elif line:
            line[-1] += f" {san}"
        else:
            line.append(f"1... {san}")
        board.push(move)
    return line
