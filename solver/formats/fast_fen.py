"""FENs without anything unusual, read and written quickly.

Reading is for the many: what it does not understand at once, be it wrong or only rare,
it leaves to the strict reader, which checks one thing after the other.
"""

from __future__ import annotations

from itertools import chain, combinations, permutations

import chess

from solver.formats.placement import Men, read_placement, write_placement

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
"""What may stand for the rights to castle, in whatever order."""

_WRITTEN = {
    sum(_CORNERS[letter] for letter in letters): "".join(letters) or "-"
    for letters in chain.from_iterable(combinations(_CORNERS, n) for n in range(5))
}

_SIDES = {"w": chess.WHITE, "b": chess.BLACK}


def set_up_plain(
    placement: str, side: str, castling: str, en_passant: str, clock: str, number: str
) -> chess.Board | None:
    """Set up the position of the six fields of a FEN.

    Returns
    -------
    chess.Board or None
        None where the fields are no legal position of orthodox chess, and where pawns
        may be taken in passing or there is more than one check.
    """
    men = read_placement(placement)
    turn = _SIDES.get(side)
    rights = _RIGHTS.get(castling)
    if men is None or turn is None or rights is None or en_passant != "-":
        return None
    if not (clock.isdecimal() and number.isdecimal()):
        return None
    if not (_can_stand(men) and _can_castle(men, rights)):
        return None
    board = chess.Board(None)
    board.pawns, board.knights, board.bishops, board.rooks = men[:4]
    board.queens, board.kings = men.queens, men.kings
    board.occupied_co[chess.WHITE] = men.white
    board.occupied_co[chess.BLACK] = men.black
    board.occupied = men.white | men.black
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
        Orthodox, and with no more rights to castle than kings and rooks have.

    Returns
    -------
    str
        Six fields.
    """
    passed = board.ep_square
    return (
        f"{write_placement(board)} {'w' if board.turn else 'b'} "
        f"{_WRITTEN[board.castling_rights]} "
        f"{'-' if passed is None else chess.SQUARE_NAMES[passed]} "
        f"{board.halfmove_clock} {board.fullmove_number}"
    )


def _can_stand(men: Men) -> bool:
    return not men.pawns & chess.BB_BACKRANKS and all(
        (men.kings & side).bit_count() == 1
        and (men.pawns & side).bit_count() <= 8
        and side.bit_count() <= 16
        for side in (men.white, men.black)
    )


def _can_castle(men: Men, rights: int) -> bool:
    return not rights or all(
        not rights & rank
        or (
            rights & rank == rights & rank & men.rooks & side
            and bool(men.kings & side & home)
        )
        for side, rank, home in (
            (men.white, chess.BB_RANK_1, chess.BB_E1),
            (men.black, chess.BB_RANK_8, chess.BB_E8),
        )
    )
