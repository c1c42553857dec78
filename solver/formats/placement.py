"""The men of a FEN's first field, quickly: a table knows the ranks that come often.

A rank is a string of one byte for each bitboard, in the order of `Men`.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import NamedTuple

import chess

_LETTERS = "PNBRQK"
_WHITE, _BLACK = 6, 7
_BOARDS = struct.Struct("<8Q")

_KEPT = 1 << 15
"""Ranks kept, of which the most frequent come again and again."""


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


def read_placement(placement: str) -> Men | None:
    """Read the first field of a FEN.

    Returns
    -------
    Men or None
        None where it is not written as it must be.
    """
    rows = placement.split("/")
    if len(rows) != 8:
        return None
    ranks = bytearray(64)
    for place, row in enumerate(rows):
        rank = _read_rank(row)
        if rank is None:
            return None
        ranks[7 - place :: 8] = rank
    return Men._make(_BOARDS.unpack(ranks))


def write_placement(board: chess.Board) -> str:
    """Write the first field of a FEN."""
    boards = _BOARDS.pack(
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        board.occupied_co[chess.BLACK],
    )
    return "/".join([_write_rank(boards[rank::8]) for rank in range(7, -1, -1)])


@lru_cache(_KEPT)
def _read_rank(row: str) -> bytes | None:
    boards = [0] * 8
    file = 0
    after_gap = False
    for letter in row:
        is_gap = letter in "12345678"
        if is_gap:
            if after_gap:
                return None
            file += int(letter)
        elif letter.upper() in _LETTERS and file < 8:
            boards[_LETTERS.index(letter.upper())] |= 1 << file
            boards[_WHITE if letter.isupper() else _BLACK] |= 1 << file
            file += 1
        else:
            return None
        after_gap = is_gap
    return bytes(boards) if file == 8 else None


@lru_cache(_KEPT)
def _write_rank(boards: bytes) -> str:
    row = ""
    gap = 0
    for file in range(8):
        square = 1 << file
        kind = next((kind for kind in range(6) if boards[kind] & square), None)
        if kind is None:
            gap += 1
            continue
        letter = _LETTERS[kind]
        row += str(gap or "") + (letter if boards[_WHITE] & square else letter.lower())
        gap = 0
    return row + str(gap or "")
