"""The position that a record gives, and the moves that it gives there.

Compiled code reads them where it is loaded, in a tenth of the time. What it refuses is
read with python-chess, which accepts the same and finds the fault.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

import chess

from solver.board import parse_fen, read_plainly
from solver.errors import InputError, quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_UCI = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")


class GivenPosition:
    """The position of a record.

    Parameters
    ----------
    text : str
        A FEN of one, two, four or six fields.
    side : chess.Color
        The side to move if the FEN does not say.

    Attributes
    ----------
    fen : str
        The position's FEN, with six fields.
    names_side : bool
        Whether the text says who is to move.

    Raises
    ------
    FenError
        It is not a legal position of orthodox chess.
    """

    def __init__(self, text: str, side: chess.Color = chess.WHITE) -> None:
        self._text = text
        self._side = side
        self.names_side = len(text.split()) > 1
        plain = read_plainly(text, black=not side)
        self.fen = plain[0] if plain else self.board.fen(en_passant="fen")

    @cached_property
    def board(self) -> chess.Board:
        """The position on a board."""
        return parse_fen(self._text, self._side)

    def keys(self, name: str, words: Sequence[str]) -> tuple[str, ...]:
        """Read first moves; see `parse_keys`."""
        keys = [move for word in words for move in self._line([word]) or ()]
        if len(keys) == len(words):
            return tuple(dict.fromkeys(keys))
        return parse_keys(self.board, name, words)

    def line(self, name: str, words: Sequence[str]) -> tuple[str, ...]:
        """Read a line of moves; see `parse_line`."""
        line = self._line(words)
        return parse_line(self.board, name, words) if line is None else line

    def _line(self, words: Sequence[str]) -> tuple[str, ...] | None:
        """Read a line in compiled code; None if that is not possible."""
        plain = read_plainly(self.fen, " ".join(words))
        line = tuple(plain[1].split()) if plain else ()
        return line if len(line) == len(words) else None


def parse_move(board: chess.Board, name: str, text: str) -> chess.Move:
    """Parse a move in SAN or UCI, with or without marks such as ! after it.

    Raises
    ------
    InputError
        If it is illegal or ambiguous.
    """
    bare = text.rstrip("+#!?")
    try:
        move = board.parse_uci(bare) if _UCI.fullmatch(bare) else board.parse_san(bare)
    except ValueError:
        move = chess.Move.null()
    if not move:  # python-chess reads -- and Z0 as null moves
        msg = (
            f"{name}: expected a legal, unambiguous move in SAN or UCI, "
            f"found {quote(text)}"
        )
        raise InputError(msg)
    return move


def parse_keys(board: chess.Board, name: str, words: Iterable[str]) -> tuple[str, ...]:
    """Parse first moves and return them in UCI notation, without duplicates.

    Raises
    ------
    InputError
        If one is illegal or ambiguous.
    """
    keys = (parse_move(board, name, word).uci() for word in words)
    return tuple(dict.fromkeys(keys))


def parse_line(board: chess.Board, name: str, words: Iterable[str]) -> tuple[str, ...]:
    """Parse a line of moves and return them in UCI notation.

    Raises
    ------
    InputError
        If one is illegal in its position, or ambiguous.
    """
    board = board.copy(stack=False)
    line = []
    for word in words:
        move = parse_move(board, name, word)
        line.append(move.uci())
        board.push(move)
    return tuple(line)
