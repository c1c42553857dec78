"""Sets of positions: how they are laid out, folded, packed and unpacked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import chess
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator


# Which men an ending has beside the two kings, and where they stand on a board.


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


if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Words: TypeAlias = npt.NDArray[np.uint64]
    """A set of positions: the attacker's king, the men, and in bits the target."""

    Moves: TypeAlias = npt.NDArray[np.int8]
    """A number for each position: the attacker's king, the men, the target."""

    Flags: TypeAlias = npt.NDArray[np.bool_]

TRIANGLE = tuple(chess.SquareSet(0x080C0E0F))
"""Where the attacker's king stands: a1 to d1, b2 to d2, c3, d3, d4."""

_WORD = np.dtype("<u8")


class Reflection:
    """The symmetry of the board that brings a square into the triangle.

    Parameters
    ----------
    square : chess.Square
        The square to bring there.

    Attributes
    ----------
    place : int
        Which square of the triangle it comes to.
    images : ndarray of int, shape (64,)
        Where each square comes to.
    image_of : tuple of int
        The same, for one square at a time.
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
        """Give the positions of a set that have the attacker's king on the square.

        Parameters
        ----------
        words : ndarray of uint64, shape (10, 64, ...)
            A set.

        Returns
        -------
        ndarray of uint64, shape (64, ...)
            By the true squares of the men; the bits are true squares as well.
        """
        words = words[self.place]
        for axis in range(words.ndim):
            words = words.take(self.images, axis)
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
    """Exchange the bits of a mask with those so many places higher."""
    distance = np.uint64(shift)
    changed = (words ^ words >> distance) & np.uint64(mask)
    exchanged: Words = words ^ changed ^ changed << distance
    return exchanged


REFLECTIONS = tuple(Reflection(square) for square in chess.SQUARES)
"""The reflection of each square."""


def lay(table: Words, axes: Sequence[int], dimensions: int) -> Words:
    """Turn a small table so that it meets the right axes of a set.

    Parameters
    ----------
    table : ndarray of uint64
        With one axis for each of `axes`.
    axes : sequence of int
        Which axis of the set each of them belongs to; 0 is the attacker's king.
    dimensions : int
        How many axes the set has.
    """
    order = sorted(range(len(axes)), key=axes.__getitem__)
    shape = [1] * dimensions
    for axis, size in zip(axes, table.shape, strict=True):
        shape[axis] = size
    return table.transpose(order).reshape(shape)


def pack(flags: Flags) -> Words:
    """Give the set of the positions that are flagged, the target's axis last."""
    packed = np.packbits(flags, axis=-1, bitorder="little")
    return packed.view(_WORD)[..., 0].astype(np.uint64, copy=False)


def unpack(words: Words) -> Flags:
    """Flag the positions of a set, the target's axis last."""
    octets = np.ascontiguousarray(words, _WORD)[..., None].view(np.uint8)
    return np.unpackbits(octets, axis=-1, bitorder="little").view(np.bool_)


# What men see on an empty board, or on one with a single blocker, as arrays.

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
"""The squares that a king reaches from each square."""

BETWEEN: Words = np.array(
    [[chess.between(a, b) for b in chess.SQUARES] for a in chess.SQUARES], np.uint64
)
"""The squares strictly between two squares of one line."""


@cache
def sight(kind: chess.PieceType) -> Words:
    """Give what a man sees with one blocker on the board.

    Several blockers leave it what it sees with each of them.

    Returns
    -------
    ndarray of uint64, shape (64, 64)
        By the squares of man and blocker, the blocker's own square seen too. Where
        both are the same, nothing blocks.
    """
    seen = np.empty((64, 64), np.uint64)
    for square in chess.SQUARES:
        for blocker in chess.SQUARES:
            board = chess.BaseBoard(None)
            board.set_piece_at(blocker, chess.Piece(chess.PAWN, chess.WHITE))
            board.set_piece_at(square, chess.Piece(kind, chess.WHITE))
            seen[square, blocker] = board.attacks_mask(square)
    return seen


def has_square(words: Words, square: int | Words) -> Words:
    """Tell which of the words have the bit of a square: all bits set, or none."""
    bit = (words >> np.asarray(square, np.uint64)) & np.uint64(1)
    return np.uint64(0) - bit


# The table of an ending: how far the mate is, of every position.

NEVER = 127
"""In place of a number of moves: the attacker does not mate."""

ILLEGAL = -1
"""In place of a number of moves: the side that has moved is in check."""


@dataclass(frozen=True, slots=True)
class Table:
    """The shortest mates of an ending.

    Attributes
    ----------
    attacker_nodes, defender_nodes : ndarray of int8, shape (10, 64, ..., 64)
        The attacker's moves to mate, `NEVER` or `ILLEGAL`, by the place of its king in
        the triangle, the squares of the men, the square of the defender's king; with
        the attacker, with the defender to move.
    """

    attacker_nodes: Moves
    defender_nodes: Moves

    @property
    def longest(self) -> int:
        """The longest mate, in the attacker's moves; 0 where there is none."""
        mates = self.attacker_nodes[self.attacker_nodes != NEVER]
        return max(0, int(mates.max()))

    def won(self, moves: int) -> Words:
        """Give the defender nodes that are mate within so many moves."""
        nodes = self.defender_nodes
        return pack((nodes != ILLEGAL) & (nodes <= moves))

    def open(self, moves: int) -> Words:
        """Give the attacker nodes that are no mate within so many moves."""
        return pack(self.attacker_nodes > moves)

    def moves(self, placement: Placement, *, attacking: bool) -> int:
        """Give the number of a position: moves to mate, `NEVER` or `ILLEGAL`."""
        reflection = REFLECTIONS[placement.king]
        image = reflection.image_of
        images = [image[square] for square in placement.squares]
        nodes = self.attacker_nodes if attacking else self.defender_nodes
        # Several times as fast as indexing an array with arrays or numbers.
        return nodes.item(reflection.place, *images, image[placement.target])


def blank(legal: Words) -> Moves:
    """Begin a table: no mate is known of any legal position."""
    return np.where(unpack(legal), np.int8(NEVER), np.int8(ILLEGAL))
