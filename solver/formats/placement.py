"""The men of a FEN's first field, quickly: no square is looked at twice."""

from __future__ import annotations

import re
from typing import NamedTuple

import chess

_UNREADABLE = re.compile(r"[1-8]{2}|[^1-8/PNBRQKpnbrqk]")
_EMPTY = "."
_GAPS = [(str(squares), _EMPTY * squares) for squares in range(8, 0, -1)]
_RANK_LENGTHS = [8] * 8

_EMPTY_BOARD = "/".join([_EMPTY * 8] * 8)
_PLACES = [(7 - square // 8) * 9 + square % 8 for square in chess.SQUARES]
"""Where in the text of a board each square stands."""


class Men(NamedTuple):
    """The bitboards of a position, as python-chess has them: a1 is bit 0, h8 bit 63."""

    pawns: int
    knights: int
    bishops: int
    rooks: int
    queens: int
    kings: int
    white: int
    black: int


_BINARY = [
    bytes(ord("1" if chr(code) in letters else "0") for code in range(256))
    for letters in ("Pp", "Nn", "Bb", "Rr", "Qq", "Kk", "PNBRQK", "pnbrqk")
]
"""For each field of `Men`, what makes binary digits of men and empty squares."""


def read_placement(placement: str) -> Men | None:
    """Read the first field of a FEN.

    Returns
    -------
    Men or None
        None where it is not written as it must be.
    """
    if _UNREADABLE.search(placement):
        return None
    text = placement
    for digit, gap in _GAPS:
        text = text.replace(digit, gap)
    ranks = text.split("/")
    if [len(rank) for rank in ranks] != _RANK_LENGTHS:
        return None
    from_h8_to_a1 = "".join([rank[::-1] for rank in ranks]).encode()
    return Men._make([int(from_h8_to_a1.translate(digits), 2) for digits in _BINARY])


def write_placement(board: chess.Board) -> str:
    """Write the first field of a FEN."""
    text = list(_EMPTY_BOARD)
    white = board.occupied_co[chess.WHITE]
    for letter, squares in (
        ("p", board.pawns),
        ("n", board.knights),
        ("b", board.bishops),
        ("r", board.rooks),
        ("q", board.queens),
        ("k", board.kings),
    ):
        left = squares
        while left:
            square = left & -left
            left ^= square
            place = _PLACES[square.bit_length() - 1]
            text[place] = letter.upper() if square & white else letter
    placement = "".join(text)
    for digit, gap in _GAPS:
        placement = placement.replace(gap, digit)
    return placement
