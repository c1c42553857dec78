"""The table of a small endgame, and the sets of positions that it is built from.

A set of positions is an array of 64-bit words. Its first axis is the square of the
attacker's king; one more axis follows for each other piece; the bits of a word are the
squares of the defender's king. Without pawns the board has eight symmetries, so the
attacker's king is kept on the ten squares of the triangle a1-d1-d4, and the other
pieces are reflected with it. See docs/explanation/endgames.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import chess
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from solver.endgames.probe import Placement

    Words: TypeAlias = npt.NDArray[np.uint64]
    """A set of positions: an axis for each piece, a bit for each target square."""

    Moves: TypeAlias = npt.NDArray[np.int8]
    """A number for each position: the attacker's king, the pieces, the target."""

    Flags: TypeAlias = npt.NDArray[np.bool_]

NO_MATE = 127
"""A table's value for a position from which the attacker never mates."""

ILLEGAL = -1
"""A table's value for a position in which the side not to move is in check."""

TRIANGLE = tuple(chess.SquareSet(0x080C0E0F))
"""The squares of the attacker's king: a1 to d1, b2 to d2, c3, d3, d4."""

_WORD = np.dtype("<u8")


@dataclass(frozen=True, slots=True)
class Table:
    """The shortest mates of an endgame.

    Attributes
    ----------
    attacker_nodes, defender_nodes : ndarray of int8, shape (10, 64, ..., 64)
        The attacker's moves to mate, `NO_MATE` or `ILLEGAL`, with the attacker and with
        the defender to move. The axes are the place of the attacker's king in the
        triangle, the squares of the pieces, the square of the defender's king.
    """

    attacker_nodes: Moves
    defender_nodes: Moves

    @property
    def longest(self) -> int:
        """The longest mate, in attacker's moves; 0 if there is none."""
        mates = self.attacker_nodes[self.attacker_nodes != NO_MATE]
        return max(0, int(mates.max()))

    def moves(self, placement: Placement, *, attacking: bool) -> int:
        """Return the value of a position: moves to mate, `NO_MATE` or `ILLEGAL`."""
        reflection = REFLECTIONS[placement.king]
        image = reflection.image_of
        images = [image[square] for square in placement.squares]
        nodes = self.attacker_nodes if attacking else self.defender_nodes
        # `item` is several times as fast as indexing with arrays or numbers.
        return nodes.item(reflection.place, *images, image[placement.target])

    def mated_within(self, moves: int) -> Words:
        """Return the set of defender nodes that are mated within `moves`."""
        nodes = self.defender_nodes
        return pack((nodes != ILLEGAL) & (nodes <= moves))

    def not_mating_within(self, moves: int) -> Words:
        """Return the set of attacker nodes with no mate within `moves`."""
        return pack(self.attacker_nodes > moves)


def new_values(legal: Words) -> Moves:
    """Return the initial values of one side's nodes, before any mate is known."""
    return np.where(unpack(legal), np.int8(NO_MATE), np.int8(ILLEGAL))


def pack(flags: Flags) -> Words:
    """Return the set of the flagged positions; the target is the flags' last axis."""
    packed = np.packbits(flags, axis=-1, bitorder="little")
    return packed.view(_WORD)[..., 0].astype(np.uint64, copy=False)


def unpack(words: Words) -> Flags:
    """Flag the positions of a set; the target is the flags' last axis."""
    octets = np.ascontiguousarray(words, _WORD)[..., None].view(np.uint8)
    return np.unpackbits(octets, axis=-1, bitorder="little").view(np.bool_)


def align(array: Words, axes: Sequence[int], dimensions: int) -> Words:
    """Return a view of a small array with the axes of a set.

    Parameters
    ----------
    array : ndarray of uint64
        With one axis for each of `axes`.
    axes : sequence of int
        The axis of the set that each of them belongs to; 0 is the attacker's king.
    dimensions : int
        The number of axes of the set.
    """
    order = sorted(range(len(axes)), key=axes.__getitem__)
    shape = [1] * dimensions
    for axis, size in zip(axes, array.shape, strict=True):
        shape[axis] = size
    return array.transpose(order).reshape(shape)


class Reflection:
    """The symmetry of the board that brings a square into the triangle.

    Parameters
    ----------
    square : chess.Square
        The square.

    Attributes
    ----------
    place : int
        The index in `TRIANGLE` of the square's image.
    images : ndarray of int, shape (64,)
        The image of each square.
    image_of : tuple of int
        The same, which is faster for single squares.
    """

    def __init__(self, square: chess.Square) -> None:
        self._files = chess.square_file(square) > 3
        self._ranks = chess.square_rank(square) > 3
        folded = square ^ 7 * self._files ^ 56 * self._ranks
        self._diagonal = chess.square_rank(folded) > chess.square_file(folded)
        images = np.arange(64) ^ 7 * self._files ^ 56 * self._ranks
        if self._diagonal:
            images = images >> 3 | (images & 7) << 3
        self.images = images
        self.image_of: tuple[int, ...] = tuple(images.tolist())
        self.place = TRIANGLE.index(int(images[square]))

    def unfold(self, words: Words) -> Words:
        """Return the positions of a set that have the attacker's king on the square.

        Parameters
        ----------
        words : ndarray of uint64, shape (10, 64, ...)
            A set.

        Returns
        -------
        ndarray of uint64, shape (64, ...)
            Indexed by the true squares of the pieces; bits are true squares too.
        """
        words = words[self.place]
        for axis in range(words.ndim):
            words = words.take(self.images, axis)
        # Bits are reflected by swaps of growing blocks; see "Flipping Mirroring and
        # Rotating" in the Chess Programming Wiki.
        if self._diagonal:
            words = _exchange(words, 0x00AA00AA00AA00AA, 7)
            words = _exchange(words, 0x0000CCCC0000CCCC, 14)
            words = _exchange(words, 0x00000000F0F0F0F0, 28)
        if self._files:
            words = _exchange(words, 0x5555555555555555, 1)
            words = _exchange(words, 0x3333333333333333, 2)
            words = _exchange(words, 0x0F0F0F0F0F0F0F0F, 4)
        return words.byteswap() if self._ranks else words


def _exchange(words: Words, mask: int, shift: int) -> Words:
    """Exchange the bits of a mask with those `shift` places higher (a delta swap)."""
    distance = np.uint64(shift)
    changed = (words ^ words >> distance) & np.uint64(mask)
    exchanged: Words = words ^ changed ^ changed << distance
    return exchanged


REFLECTIONS = tuple(Reflection(square) for square in chess.SQUARES)
"""The reflection of each square."""

STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
SLIDES = {
    chess.BISHOP: DIAGONAL,
    chess.ROOK: STRAIGHT,
    chess.QUEEN: STRAIGHT + DIAGONAL,
}
"""Steps of a slider, in ranks and files."""

LEAPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
"""Leaps of a knight, in ranks and files."""

SQUARES: Words = np.uint64(1) << np.arange(64, dtype=np.uint64)
"""The word of each square."""

KING_STEPS: Words = np.array(chess.BB_KING_ATTACKS, np.uint64)
"""The squares that a king attacks from each square."""

BETWEEN: Words = np.array(
    [[chess.between(a, b) for b in chess.SQUARES] for a in chess.SQUARES], np.uint64
)
"""The squares strictly between two squares of one line."""


@cache
def blocked_attacks(kind: chess.PieceType) -> Words:
    """Return the squares that a piece attacks with one blocker on the board.

    With several blockers, it attacks the squares that it attacks with each of them.

    Returns
    -------
    ndarray of uint64, shape (64, 64)
        Indexed by the squares of piece and blocker; the blocker's own square is
        attacked too. If both squares are the same, nothing blocks.
    """
    attacks = np.empty((64, 64), np.uint64)
    for square in chess.SQUARES:
        for blocker in chess.SQUARES:
            board = chess.BaseBoard(None)
            board.set_piece_at(blocker, chess.Piece(chess.PAWN, chess.WHITE))
            board.set_piece_at(square, chess.Piece(kind, chess.WHITE))
            attacks[square, blocker] = board.attacks_mask(square)
    return attacks


def has_square(words: Words, square: int | Words) -> Words:
    """For each word, return all bits if it has the bit of a square, else none."""
    bit = (words >> np.asarray(square, np.uint64)) & np.uint64(1)
    return np.uint64(0) - bit
