"""Ordinary FENs, read and written quickly.

A FEN that is wrong or merely unusual is left to the strict reader in `fen`, which
checks one field after the other and explains the fault.
"""

from __future__ import annotations

import re
from itertools import chain, combinations, permutations
from typing import NamedTuple

import chess

_CORNERS = {
    "K": chess.BB_H1,
    "Q": chess.BB_A1,
    "k": chess.BB_H8,
    "q": chess.BB_A8,
}
_RIGHTS = {"-": 0} | {
    "".join(letters): sum(_CORNERS[letter] for letter in letters)
    for count in range(1, 5)
    for letters in permutations(_CORNERS, count)
}
"""The bitboard of each spelling of the castling rights, in any order."""

_WRITTEN = {
    sum(_CORNERS[letter] for letter in letters): "".join(letters) or "-"
    for letters in chain.from_iterable(combinations(_CORNERS, n) for n in range(5))
}

_SIDES = {"w": chess.WHITE, "b": chess.BLACK}


def set_up_plain(
    placement: str, side: str, castling: str, en_passant: str, clock: str, number: str
) -> chess.Board | None:
    """Set up the position of a FEN's six fields.

    Returns
    -------
    chess.Board or None
        None if the fields are not a legal position of orthodox chess, and also if they
        have an en passant square or more than one check.
    """
    pieces = read_placement(placement)
    turn = _SIDES.get(side)
    rights = _RIGHTS.get(castling)
    if pieces is None or turn is None or rights is None or en_passant != "-":
        return None
    if not (clock.isdecimal() and number.isdecimal()):
        return None
    if not (_can_stand(pieces) and _can_castle(pieces, rights)):
        return None
    board = chess.Board(None)
    board.pawns, board.knights, board.bishops, board.rooks = pieces[:4]
    board.queens, board.kings = pieces.queens, pieces.kings
    board.occupied_co[chess.WHITE] = pieces.white
    board.occupied_co[chess.BLACK] = pieces.black
    board.occupied = pieces.white | pieces.black
    board.turn = turn
    board.castling_rights = rights
    board.halfmove_clock = int(clock)
    board.fullmove_number = max(int(number), 1)
    if board.was_into_check() or board.checkers_mask().bit_count() > 1:
        return None
    return board


def format_fen(board: chess.Board) -> str:
    """Write a position as `board.fen(en_passant="fen")` does.

    Parameters
    ----------
    board : chess.Board
        A position of orthodox chess, whose castling rights fit its kings and rooks.

    Returns
    -------
    str
        Six fields.
    """
    skipped = board.ep_square
    return (
        f"{write_placement(board)} {'w' if board.turn else 'b'} "
        f"{_WRITTEN[board.castling_rights]} "
        f"{'-' if skipped is None else chess.SQUARE_NAMES[skipped]} "
        f"{board.halfmove_clock} {board.fullmove_number}"
    )


def _can_stand(pieces: Pieces) -> bool:
    return not pieces.pawns & chess.BB_BACKRANKS and all(
        (pieces.kings & side).bit_count() == 1
        and (pieces.pawns & side).bit_count() <= 8
        and side.bit_count() <= 16
        for side in (pieces.white, pieces.black)
    )


def _can_castle(pieces: Pieces, rights: int) -> bool:
    return not rights or all(
        not rights & rank
        or (
            rights & rank == rights & rank & pieces.rooks & side
            and bool(pieces.kings & side & home)
        )
        for side, rank, home in (
            (pieces.white, chess.BB_RANK_1, chess.BB_E1),
            (pieces.black, chess.BB_RANK_8, chess.BB_E8),
        )
    )


_UNREADABLE = re.compile(r"[1-8]{2}|[^1-8/PNBRQKpnbrqk]")
_EMPTY = "."
_GAPS = [(str(squares), _EMPTY * squares) for squares in range(8, 0, -1)]
_RANK_LENGTHS = [8] * 8

_EMPTY_BOARD = "/".join([_EMPTY * 8] * 8)
_PLACES = [(7 - square // 8) * 9 + square % 8 for square in chess.SQUARES]
"""The index of each square in the text of a board."""


class Pieces(NamedTuple):
    """The bitboards of a position, as in python-chess: a1 is bit 0, h8 is bit 63."""

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
"""For each field of `Pieces`, a map from the board's characters to binary digits."""


def read_placement(placement: str) -> Pieces | None:
    """Read the first field of a FEN, without a loop over its squares.

    Returns
    -------
    Pieces or None
        None if the field is malformed.
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
    return Pieces._make([int(from_h8_to_a1.translate(digits), 2) for digits in _BINARY])


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
