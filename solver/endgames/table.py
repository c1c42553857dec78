"""Sets of positions: how they are laid out, folded, packed and unpacked."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import chess
import numpy as np

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
