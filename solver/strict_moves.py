"""Read and write moves with python-chess, and explain what is wrong with them.

`solver.position_text` does the same in compiled code, without explanations.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from solver.errors import InputError, quote
from solver.movetext import ILLEGAL, UNREADABLE, Kind, Part, read_moves

if TYPE_CHECKING:
    from collections.abc import Sequence

    import chess

_UCI = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")


def parse_move(board: chess.Board, name: str, text: str) -> chess.Move:
    """Parse a written move; see `solver.movetext`.

    Raises
    ------
    InputError
        If it is unreadable, illegal or ambiguous, or not one move.
    """
    parts = read_moves(text)
    part = parts[0] if len(parts) == 1 else Part(Kind.UNREADABLE, text)
    return find_move(board, name, part)


def find_move(board: chess.Board, name: str, part: Part) -> chess.Move:
    """Return the legal move that a part of a line names.

    Raises
    ------
    InputError
        If it is unreadable, illegal or ambiguous.
    """
    plain = part.move
    try:
        read = board.parse_uci if _UCI.fullmatch(plain) else board.parse_san
        return read(plain)
    except ValueError:
        expected = ILLEGAL if plain else UNREADABLE
        msg = f"{name}: expected {expected}, found {quote(part.text)}"
        raise InputError(msg) from None


def parse_keys(board: chess.Board, name: str, moves: str) -> tuple[str, ...]:
    """Parse first moves and return them in UCI notation, without duplicates.

    Raises
    ------
    InputError
        If one is unreadable, illegal or ambiguous.
    """
    keys = (find_move(board, name, part).uci() for part in read_moves(moves))
    return tuple(dict.fromkeys(keys))


def parse_line(board: chess.Board, name: str, moves: str) -> tuple[str, ...]:
    """Parse a line of moves and return them in UCI notation.

    Raises
    ------
    InputError
        If one is unreadable, or illegal in its position, or ambiguous.
    """
    board = board.copy(stack=False)
    line = []
    for part in read_moves(moves):
        move = find_move(board, name, part)
        line.append(move.uci())
        board.push(move)
    return tuple(line)


def write_line(
    board: chess.Board, line: Sequence[str], *, with_end: bool = False
) -> list[str]:
    """Write a line in SAN; moves from the first illegal one on stay as given.

    Parameters
    ----------
    board : chess.Board
        Where the line begins; not changed.
    line : sequence of str
        Moves in UCI or SAN.
    with_end : bool
        Whether to add one word: the FEN of the position after the legal moves.
    """
    board = board.copy(stack=False)
    words: list[str] = []
    try:
        words.extend(
            board.san_and_push(parse_move(board, "move", move)) for move in line
        )
    except InputError:
        words += line[len(words) :]
    if with_end:
        words.append(board.fen())
    return words
