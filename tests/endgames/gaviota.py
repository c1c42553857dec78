"""Write a Gaviota file from an endgame solved by retrograde analysis.

Only places in the file and its packing are Gaviota's, and python-chess's; what it says
of a position is the test's own.
"""

from __future__ import annotations

import lzma
import struct
from itertools import product
from typing import TYPE_CHECKING

import chess
import chess.gaviota

from tests.oracles import endgames

if TYPE_CHECKING:
    from pathlib import Path


HEADER_WORDS = 10
TRIANGLE = (0, 1, 2, 3, 9, 10, 11, 18, 19, 27)
"""Symmetry brings every position to one with the black king on these squares."""

DRAW, WHITE_MATES = 0, 1


def write_table(endgame: endgames.Endgame, directory: Path) -> Path:
    """Write the table of king and rook, or queen, against king."""
    name = f"k{chess.piece_symbol(endgame.piece)}k"
    size = chess.gaviota.EGKEY[name].maxindex
    block = chess.gaviota.ENTRIES_PER_BLOCK
    blocks = [
        b"\0\0" + lzma.compress(side[start : start + block], lzma.FORMAT_ALONE)
        for side in pack(endgame, name, size)
        for start in range(0, size, block)
    ]
    place = 4 * (HEADER_WORDS + len(blocks) + 1)
    header = [0] * HEADER_WORDS
    header[8] = place
    places = [place]
    for part in blocks:
        place += len(part)
        places.append(place)
    path = directory / f"{name}.gtb.cp4"
    words = struct.pack(f"<{len(header + places)}I", *header, *places)
    path.write_bytes(words + b"".join(blocks))
    return path


def pack(endgame: endgames.Endgame, name: str, size: int) -> list[bytes]:
    """Return a byte for each index: first with White to move, then with Black."""
    sides = [bytearray(size), bytearray(size)]
    for black_king, white_king, piece in product(TRIANGLE, range(64), range(64)):
        place = place_of(name, white_king, piece, black_king)
        if place < 0:
            continue
        position = white_king + 64 * piece + endgames.BLACK_KING * black_king
        sides[0][place] = byte(endgame.white_to_move[position])
        sides[1][place] = byte(endgame.black_to_move[position])
    return [bytes(side) for side in sides]


def place_of(name: str, white_king: int, piece: int, black_king: int) -> int:
    """Return Gaviota's index of a position; -1 for a position without one."""
    request = chess.gaviota.Request([white_king, piece], [6, 4], [black_king], [6], 0)
    request.white_piece_squares = [white_king, piece]
    request.black_piece_squares = [black_king]
    return chess.gaviota.EGKEY[name].pctoi(request)


def byte(plies: int) -> int:
    """Pack a distance to White's mate, with either side to move."""
    return plies // 2 << 2 | WHITE_MATES if plies >= 0 else DRAW
