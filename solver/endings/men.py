"""Which men an ending has beside the two kings, and where they stand on a board."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import chess

if TYPE_CHECKING:
    from collections.abc import Iterator


class Man(NamedTuple):
    """A man that is no king.

    Attributes
    ----------
    attacks : bool
        It is the attacker's.
    kind : chess.PieceType
        Queen, rook, bishop or knight.
    """

    attacks: bool
    kind: chess.PieceType


Men: TypeAlias = tuple[Man, ...]
"""The men of an ending, the attacker's first and the strongest of a side first."""


class Placement(NamedTuple):
    """A position without the side to move.

    Attributes
    ----------
    men : Men
        The men beside the kings.
    king : chess.Square
        The attacker's king.
    squares : tuple of chess.Square
        Where the men stand, in their order.
    target : chess.Square
        The defender's king.
    """

    men: Men
    king: chess.Square
    squares: tuple[chess.Square, ...]
    target: chess.Square


def read_placement(board: chess.Board, attacker: chess.Color) -> Placement:
    """Read the men off a board that has no pawns."""
    (king,) = board.pieces(chess.KING, attacker)
    (target,) = board.pieces(chess.KING, not attacker)
    found = [
        (Man(attacks, kind), square)
        for attacks in (True, False)
        for kind in (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
        for square in board.pieces(kind, attacker == attacks)
    ]
    men = tuple(man for man, _ in found)
    return Placement(men, king, tuple(square for _, square in found), target)


def without_each(men: Men) -> Iterator[tuple[int, Men]]:
    """Take each man away in turn: its place in the order, and the men that are left."""
    for index in range(len(men)):
        yield index, men[:index] + men[index + 1 :]
