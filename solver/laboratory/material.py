"""The material on a board, and its cell in a material-imbalance table.

A table has a cell for each material with at most one queen, two rooks, two bishops, two
knights and eight pawns a side: 2^2 * 3^6 * 9^2 = 236,196 cells. A cell's number is a
mixed-radix number with a digit for each field of `Material`, most significant first.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solver.errors import InputError, quote
from solver.kernel.border.experiment import MATERIAL_CELLS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import chess

CELLS = MATERIAL_CELLS

_LETTERS = "QRBNP"
_VALUES = (9, 5, 3, 3, 1)
_RADICES = (2, 2, 3, 3, 3, 3, 3, 3, 9, 9)
"""The radix of each digit, in the order of `Material`."""

_SWAPPED = (1, 0, 3, 2, 5, 4, 7, 6, 9, 8)
MIRROR = np.arange(CELLS).reshape(_RADICES).transpose(_SWAPPED).ravel()
"""For each cell, the cell of the same material with the colours exchanged."""

_NAME = re.compile(r"K([QRBNP]*)VK([QRBNP]*)")

_KEPT = 1 << 16
"""Size of a cache: the same material occurs in many positions."""


class Material(NamedTuple):
    """The number of pieces of each type and side, without the kings."""

    white_queens: int = 0
    black_queens: int = 0
    white_rooks: int = 0
    black_rooks: int = 0
    white_bishops: int = 0
    black_bishops: int = 0
    white_knights: int = 0
    black_knights: int = 0
    white_pawns: int = 0
    black_pawns: int = 0

    @property
    def white(self) -> tuple[int, ...]:
        """White's queens, rooks, bishops, knights, pawns."""
        return self[0::2]

    @property
    def black(self) -> tuple[int, ...]:
        """Black's queens, rooks, bishops, knights, pawns."""
        return self[1::2]

    def balance(self) -> int:
        """Return White's material minus Black's in pawns (queen 9, rook 5, minor 3)."""
        sides = zip(_VALUES, self.white, self.black, strict=True)
        return sum(value * (white - black) for value, white, black in sides)

    def __str__(self) -> str:
        return f"{_name(self.white)}v{_name(self.black)}"


def count_pieces(board: chess.Board) -> Material:
    """Count the pieces on a board."""
    sides = board.occupied_co[True], board.occupied_co[False]
    kinds = board.queens, board.rooks, board.bishops, board.knights, board.pawns
    return Material(*((kind & side).bit_count() for kind in kinds for side in sides))


def parse_material(text: str) -> Material:
    """Read a name such as `KRPvKR`: White's pieces first, in either case.

    Raises
    ------
    InputError
        If it is no such name.
    """
    name = _NAME.fullmatch(text.strip().upper())
    if name is None:
        msg = f"expected material such as KRPvKR, White's first, found {quote(text)}"
        raise InputError(msg)
    white, black = (
        [side.count(letter) for letter in _LETTERS] for side in name.groups()
    )
    pairs = zip(white, black, strict=True)
    return Material(*(number for pair in pairs for number in pair))


@lru_cache(_KEPT)
def find_cell(material: Material) -> int | None:
    """Return the cell of a material; None if it has more pieces than any cell."""
    cell = 0
    for pieces, radix in zip(material, _RADICES, strict=True):
        if pieces >= radix:
            return None
        cell = cell * radix + pieces
    return cell


def material_of(cell: int) -> Material:
    """Return the material of a cell.

    Raises
    ------
    ValueError
        If `cell` is not within 0 to `CELLS` - 1.
    """
    return Material(*map(int, np.unravel_index(cell, _RADICES)))


def _name(side: Sequence[int]) -> str:
    pieces = zip(_LETTERS, side, strict=True)
    return "K" + "".join(letter * number for letter, number in pieces)
