"""Placements: where the pieces of a small endgame stand, and the moves from there.

This module does not load numpy: a position is recognised and its pieces are listed
before any table is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import chess

if TYPE_CHECKING:
    from collections.abc import Iterator


class Piece(NamedTuple):
    """A piece of an endgame.

    Attributes
    ----------
    attacks : bool
        Whether it is the attacker's.
    kind : chess.PieceType
        Queen, rook, bishop, knight or, outside `Pieces`, king.
    """

    attacks: bool
    kind: chess.PieceType


Pieces: TypeAlias = tuple[Piece, ...]
"""The pieces besides the kings; the attacker's first, and the strongest of a side."""


class Placement(NamedTuple):
    """A position without the side to move.

    Attributes
    ----------
    pieces : Pieces
        The pieces besides the kings.
    king : chess.Square
        The attacker's king.
    squares : tuple of chess.Square
        The squares of the pieces, in the same order.
    target : chess.Square
        The defender's king, which is to be mated.
    """

    pieces: Pieces
    king: chess.Square
    squares: tuple[chess.Square, ...]
    target: chess.Square


def read_placement(board: chess.Board, attacker: chess.Color) -> Placement:
    """Return the placement of the pieces on a board without pawns."""
    (king,) = board.pieces(chess.KING, attacker)
    (target,) = board.pieces(chess.KING, not attacker)
    found = [
        (Piece(attacks, kind), square)
        for attacks in (True, False)
        for kind in (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
        for square in board.pieces(kind, attacker == attacks)
    ]
    pieces = tuple(piece for piece, _ in found)
    return Placement(pieces, king, tuple(square for _, square in found), target)


_ATTACKING_KING = Piece(attacks=True, kind=chess.KING)
_DEFENDING_KING = Piece(attacks=False, kind=chess.KING)


def list_moves(
    placement: Placement, *, attacking: bool
) -> Iterator[tuple[str, Placement]]:
    """Yield the moves of one side in UCI notation, with what they lead to.

    The highest squares come first, as in python-chess. Moves that leave the own king
    in check are included: the table has no length for the position they lead to.
    """
    pieces = (_ATTACKING_KING, *placement.pieces, _DEFENDING_KING)
    squares = (placement.king, *placement.squares, placement.target)
    occupied = own = chess.BB_EMPTY
    movers = []
    for index, (piece, square) in enumerate(zip(pieces, squares, strict=True)):
        occupied |= chess.BB_SQUARES[square]
        if piece.attacks == attacking:
            own |= chess.BB_SQUARES[square]
            movers.append((square, index))
    for square, index in sorted(movers, reverse=True):
        attacks = _attacks(pieces[index].kind, square, occupied)
        for to in chess.scan_reversed(attacks & ~own):
            left = placement.pieces
            after = (*squares[:index], to, *squares[index + 1 :])
            if to in squares:
                captured = squares.index(to)
                left = left[: captured - 1] + left[captured:]
                after = after[:captured] + after[captured + 1 :]
            name = chess.SQUARE_NAMES[square] + chess.SQUARE_NAMES[to]
            yield name, Placement(left, after[0], after[1:-1], after[-1])


def _attacks(
    kind: chess.PieceType, square: chess.Square, occupied: chess.Bitboard
) -> chess.Bitboard:
    """Return the squares that a piece other than a pawn attacks."""
    if kind == chess.KING:
        return chess.BB_KING_ATTACKS[square]
    if kind == chess.KNIGHT:
        return chess.BB_KNIGHT_ATTACKS[square]
    attacks = chess.BB_EMPTY
    if kind != chess.ROOK:
        attacks |= chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]
    if kind != chess.BISHOP:
        attacks |= chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        attacks |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
    return attacks
