"""Solve a small endgame backwards: from the checkmates to the longest mates.

This is retrograde analysis as in Thompson, "Retrograde Analysis of Certain Endgames",
ICCA Journal 9(3), 1986, but on whole sets of positions: each step takes back all moves
of one piece in all positions of a set with a few numpy operations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import chess
import numpy as np

from solver.endgames.endgame_table import (
    BETWEEN,
    KING_STEPS,
    LEAPS,
    REFLECTIONS,
    SLIDES,
    SQUARES,
    TRIANGLE,
    Table,
    align,
    blocked_attacks,
    has_square,
    new_values,
    unpack,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from solver.endgames.endgame_table import Moves, Words
    from solver.endgames.probe import Pieces


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
    return _Builder(pieces, smaller).build(is_stopped)


class _Builder:
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
