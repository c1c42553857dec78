"""Tables of small endgames, solved backwards from the checkmates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import chess
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt

    from solver.endgames.ending import Pieces, Placement


# --------------------------------------------------------------------------------------
# The table of a small endgame, and the sets of positions that it is built from.
#
# A set of positions is an array of 64-bit words. Its first axis is the square of the
# attacker's king; one more axis follows for each other piece; the bits of a word are
# the squares of the defender's king. Without pawns the board has eight symmetries, so
# the attacker's king is kept on the ten squares of the triangle a1-d1-d4, and the other
# pieces are reflected with it. See docs/explanation/endgames.md.

if TYPE_CHECKING:
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
        return pack_flags((nodes != ILLEGAL) & (nodes <= moves))

    def not_mating_within(self, moves: int) -> Words:
        """Return the set of attacker nodes with no mate within `moves`."""
        return pack_flags(self.attacker_nodes > moves)


def new_values(legal: Words) -> Moves:
    """Return the initial values of one side's nodes, before any mate is known."""
    return np.where(unpack(legal), np.int8(NO_MATE), np.int8(ILLEGAL))


def pack_flags(flags: Flags) -> Words:
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


# --------------------------------------------------------------------------------------
# Solve a small endgame backwards: from the checkmates to the longest mates.
#
# This is retrograde analysis as in Thompson, "Retrograde Analysis of Certain Endgames",
# ICCA Journal 9(3), 1986, but on whole sets of positions: each step takes back all
# moves of one piece in all positions of a set with a few numpy operations.

_KINGS = np.array(TRIANGLE)
_OTHERS = ~SQUARES
_NOT_FILE_A = np.uint64(~chess.BB_FILE_A & chess.BB_ALL)
_NOT_FILE_H = np.uint64(~chess.BB_FILE_H & chess.BB_ALL)
_ONE = np.uint64(1)
_RANK = np.uint64(8)


def build_table(
    pieces: Pieces, smaller: Mapping[int, Table], is_stopped: Callable[[], bool]
) -> Table | None:
    """Solve an endgame; the endgames that captures lead to are solved already.

    Parameters
    ----------
    pieces : Pieces
        The pieces besides the kings; at most two.
    smaller : mapping of int to Table
        The table without each of the pieces, by its index in `pieces`.
    is_stopped : callable
        Called after each number of moves, every few milliseconds.

    Returns
    -------
    Table or None
        None: `is_stopped` returned True.
    """
    return _TableBuilder(pieces, smaller).build(is_stopped)


class _TableBuilder:
    """Solves one endgame.

    Two sets of positions grow: attacker nodes from which some move leads to a lost
    defender node, and defender nodes from which every move leads to a won attacker
    node.
    """

    def __init__(self, pieces: Pieces, smaller: Mapping[int, Table]) -> None:
        self._pieces = pieces
        self._smaller = smaller
        self._positions = list_positions(pieces)

    def build(self, is_stopped: Callable[[], bool]) -> Table | None:
        """Solve for 0, 1, 2, ... moves, until nothing changes any more."""
        positions = self._positions
        table = Table(
            new_values(positions.attacker_nodes), new_values(positions.defender_nodes)
        )
        # In a stalemate every move loses too, for there are none; but it is no mate.
        can_lose = positions.defender_nodes & (
            positions.checks
            | self._before(positions.attacker_nodes, 0, attacking=False)
        )
        farthest = max((table.longest for table in self._smaller.values()), default=0)
        mating = np.zeros_like(positions.empty)
        mated = np.zeros_like(positions.empty)
        moves = 0
        while not is_stopped():
            # 1. The defender is lost where no move leads to a node that is not won.
            unclear = positions.attacker_nodes & ~mating
            lost = can_lose & ~self._before(unclear, moves, attacking=False)
            lost_now = lost & ~mated
            _write(table.defender_nodes, lost_now, moves)
            mated = lost
            # 2. The attacker wins, one move later, where a move leads to a lost node.
            before = self._before(lost_now, moves, attacking=True)
            won_now = positions.attacker_nodes & before & ~mating
            moves += 1
            _write(table.attacker_nodes, won_now, moves)
            mating |= won_now
            # 3. A smaller endgame may still have longer mates to lead into.
            if not won_now.any() and moves > farthest:
                return table
        return None

    def _before(self, nodes: Words, moves: int, *, attacking: bool) -> Words:
        """Return where a side can move to these nodes, or reach its aim by a capture.

        The attacker then wins within `moves`, the defender escapes.
        """
        before = unmove_king(nodes) if attacking else unmove_target(nodes)
        movers = [
            (axis, piece.kind)
            for axis, piece in enumerate(self._pieces, 1)
            if piece.attacks == attacking
        ]
        for axis, kind in movers:
            before |= unmove_piece(nodes, self._positions.empty, axis, kind)
        for index, table in self._smaller.items():
            if self._pieces[index].attacks == attacking:
                continue
            victim = index + 1
            if attacking:
                after = table.mated_within(moves)
                before |= uncapture_by_king(after, victim)
            else:
                after = table.not_mating_within(moves)
                before |= uncapture_by_target(after, victim)
            for axis, _ in movers:
                before |= uncapture_by_piece(after, victim, axis, self._pieces)
        return before


def _write(values: Moves, words: Words, moves: int) -> None:
    np.copyto(values, np.int8(moves), where=unpack(words))


class Positions(NamedTuple):
    """The positions of an endgame, as sets.

    Attributes
    ----------
    empty : ndarray of uint64
        No two pieces stand on the same square.
    attacker_nodes, defender_nodes : ndarray of uint64
        Legal positions with the attacker and with the defender to move.
    checks : ndarray of uint64
        The defender's king is attacked; illegal positions may be missing.
    """

    empty: Words
    attacker_nodes: Words
    defender_nodes: Words
    checks: Words


def list_positions(pieces: Pieces) -> Positions:
    """Return the positions of an endgame."""
    empty = _empty(len(pieces))
    apart = empty & align(~KING_STEPS[_KINGS], [0], empty.ndim)
    checks = np.zeros_like(empty)
    replied = np.zeros_like(empty)
    for axis, piece in enumerate(pieces, 1):
        if piece.attacks:
            checks |= _attacked(pieces, axis)
        else:
            replied |= _king_attacked(pieces, axis)
    return Positions(empty, apart & ~checks, apart & ~replied, checks)


def _empty(pieces: int) -> Words:
    dimensions = pieces + 1
    empty = np.full((len(TRIANGLE), *[64] * pieces), ~np.uint64(0))
    empty &= align(_OTHERS[_KINGS], [0], dimensions)
    unlike = np.where(np.eye(64, dtype=bool), np.uint64(0), ~np.uint64(0))
    for axis in range(1, dimensions):
        empty &= align(_OTHERS, [axis], dimensions)
        empty &= align(unlike[_KINGS], [0, axis], dimensions)
        for other in range(1, axis):
            empty &= align(unlike, [other, axis], dimensions)
    return empty


def _attacked(pieces: Pieces, axis: int) -> Words:
    """Return the positions in which a piece attacks the defender's king."""
    dimensions = len(pieces) + 1
    attacks = blocked_attacks(pieces[axis - 1].kind)
    words = align(attacks[:, _KINGS], [axis, 0], dimensions)
    for other in range(1, dimensions):
        if other != axis:
            words = words & align(attacks, [axis, other], dimensions)
    return words


def _king_attacked(pieces: Pieces, axis: int) -> Words:
    """Return the positions in which a piece attacks the attacker's king."""
    dimensions = len(pieces) + 1
    attacks = blocked_attacks(pieces[axis - 1].kind)
    aimed = has_square(attacks.diagonal()[:, None], _KINGS)
    words = align(aimed & ~BETWEEN[:, _KINGS], [axis, 0], dimensions)
    for other in range(1, dimensions):
        if other != axis:
            clear = has_square(attacks[:, :, None], _KINGS)
            words = words & align(clear, [axis, other, 0], dimensions)
    return words


def unmove_target(words: Words) -> Words:
    """Take back quiet moves of the defender's king.

    Like the other functions of this name, return all positions from which a move leads
    into the set; some of them may be illegal.
    """
    left = words >> _ONE & _NOT_FILE_H
    right = words << _ONE & _NOT_FILE_A
    row = words | left | right
    before: Words = left | right | row << _RANK | row >> _RANK
    return before


def unmove_king(words: Words) -> Words:
    """Take back quiet moves of the attacker's king."""
    before = np.zeros_like(words)
    unfolded: dict[chess.Square, Words] = {}
    for place, origin in enumerate(TRIANGLE):
        for square in chess.SquareSet(chess.BB_KING_ATTACKS[origin]):
            if square not in unfolded:
                unfolded[square] = REFLECTIONS[square].unfold(words)
            before[place] |= unfolded[square]
    return before


def unmove_piece(words: Words, empty: Words, axis: int, kind: chess.PieceType) -> Words:
    """Take back quiet moves of a piece.

    Parameters
    ----------
    words : ndarray of uint64, shape (10, 64, ...)
        The positions that the moves lead to.
    empty : ndarray of uint64, same shape
        The positions in which no two pieces stand on the same square.
    axis : int
        The piece's axis.
    kind : chess.PieceType
        Its kind.
    """
    before = np.zeros(words.shape, np.uint64)
    source, free, out = (_by_rank_and_file(w, axis) for w in (words, empty, before))
    if kind == chess.KNIGHT:
        for ranks, files in LEAPS:
            out[_kept(-ranks), _kept(-files)] |= source[_kept(ranks), _kept(files)]
        return before
    for ranks, files in SLIDES[kind]:
        if ranks:
            _slide(source, free, out, rank_step=ranks, file_step=files)
        else:
            turned = (w.swapaxes(0, 1) for w in (source, free, out))
            _slide(*turned, rank_step=files, file_step=ranks)
    return before


def _by_rank_and_file(words: Words, axis: int) -> Words:
    """Return a view of a set with rank and file of a piece as its first two axes."""
    shape = words.shape
    view = words.reshape(*shape[:axis], 8, 8, *shape[axis + 1 :])
    return np.moveaxis(view, (axis, axis + 1), (0, 1))


def _slide(
    source: Words, free: Words, out: Words, *, rank_step: int, file_step: int
) -> None:
    """Slide a piece back from the positions in `source`; add the results to `out`."""
    run = np.zeros_like(source[0])
    onto, off = _kept(-file_step), _kept(file_step)
    ranks = range(7) if rank_step > 0 else range(7, 0, -1)
    for rank in ranks:
        front = source[rank] | run
        run = np.zeros_like(front)
        run[onto] = front[off] & free[rank + rank_step][onto]
        out[rank + rank_step] |= run


def _kept(step: int) -> slice:
    """Return the ranks or files from which a step does not leave the board."""
    return slice(max(0, -step), 8 - max(0, step))


def uncapture_by_target(smaller: Words, victim: int) -> Words:
    """Take back captures by the defender's king.

    Parameters
    ----------
    smaller : ndarray of uint64
        The positions that the captures lead to, without the captured piece.
    victim : int
        The axis of the captured piece in the larger endgame.

    Returns
    -------
    ndarray of uint64
        A set of the larger endgame; some of its positions may be illegal.
    """
    dimensions = smaller.ndim + 1
    squares = align(np.arange(64, dtype=np.uint64), [victim], dimensions)
    taken = has_square(np.expand_dims(smaller, victim), squares)
    return taken & align(KING_STEPS, [victim], dimensions)


def uncapture_by_king(smaller: Words, victim: int) -> Words:
    """Take back captures by the attacker's king; see `uncapture_by_target`."""
    shape = list(smaller.shape)
    shape.insert(victim, 64)
    before = np.zeros(shape, np.uint64)
    by_square = np.moveaxis(before, victim, 1)
    for place, origin in enumerate(TRIANGLE):
        for square in chess.SquareSet(chess.BB_KING_ATTACKS[origin]):
            by_square[place, square] = REFLECTIONS[square].unfold(smaller)
    return before


def uncapture_by_piece(smaller: Words, victim: int, axis: int, pieces: Pieces) -> Words:
    """Take back captures by a piece; see `uncapture_by_target`.

    Parameters
    ----------
    smaller, victim
        As there; only the capturing piece is left.
    axis : int
        The axis of the capturing piece in the larger endgame.
    pieces : Pieces
        The two pieces of the larger endgame.
    """
    attacks = blocked_attacks(pieces[axis - 1].kind)
    reach = has_square(attacks[:, _KINGS, None], np.arange(64, dtype=np.uint64))
    return (
        align(reach, [axis, 0, victim], 3)
        & align(~BETWEEN, [axis, victim], 3)
        & align(smaller, [0, victim], 3)
    )
