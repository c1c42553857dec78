"""Solving an ending: from the mates on the board back to the longest."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import chess
import numpy as np

from solver.endgames.table import (
    BETWEEN,
    KING_STEPS,
    LEAPS,
    REFLECTIONS,
    SLIDES,
    SQUARES,
    TRIANGLE,
    Table,
    blank,
    has_square,
    lay,
    sight,
    unpack,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from solver.endgames.table import Men, Moves, Words


# Which positions of an ending there are, and which are in check.

_KINGS = np.array(TRIANGLE)
_OTHERS = ~SQUARES


class Ground(NamedTuple):
    """The positions of an ending, as sets.

    Attributes
    ----------
    empty : ndarray of uint64
        All men stand on squares of their own.
    attacker_nodes, defender_nodes : ndarray of uint64
        Legal positions with the attacker, with the defender to move.
    checks : ndarray of uint64
        The defender's king is attacked; those that are not legal may be left out.
    """

    empty: Words
    attacker_nodes: Words
    defender_nodes: Words
    checks: Words


def survey(men: Men) -> Ground:
    """Find out which positions of an ending there are."""
    empty = _empty(len(men))
    apart = empty & lay(~KING_STEPS[_KINGS], [0], empty.ndim)
    checks = np.zeros_like(empty)
    replied = np.zeros_like(empty)
    for axis, man in enumerate(men, 1):
        if man.attacks:
            checks |= _seen(men, axis)
        else:
            replied |= _king_seen(men, axis)
    return Ground(empty, apart & ~checks, apart & ~replied, checks)


def _empty(men: int) -> Words:
    dimensions = men + 1
    empty = np.full((len(TRIANGLE), *[64] * men), ~np.uint64(0))
    empty &= lay(_OTHERS[_KINGS], [0], dimensions)
    unlike = np.where(np.eye(64, dtype=bool), np.uint64(0), ~np.uint64(0))
    for axis in range(1, dimensions):
        empty &= lay(_OTHERS, [axis], dimensions)
        empty &= lay(unlike[_KINGS], [0, axis], dimensions)
        for other in range(1, axis):
            empty &= lay(unlike, [other, axis], dimensions)
    return empty


def _seen(men: Men, axis: int) -> Words:
    """Give the squares that a man attacks, the defender's king left out."""
    dimensions = len(men) + 1
    seen = sight(men[axis - 1].kind)
    words = lay(seen[:, _KINGS], [axis, 0], dimensions)
    for other in range(1, dimensions):
        if other != axis:
            words = words & lay(seen, [axis, other], dimensions)
    return words


def _king_seen(men: Men, axis: int) -> Words:
    """Give the squares of the defender's king where a man attacks the attacker's."""
    dimensions = len(men) + 1
    seen = sight(men[axis - 1].kind)
    aimed = has_square(seen.diagonal()[:, None], _KINGS)
    words = lay(aimed & ~BETWEEN[:, _KINGS], [axis, 0], dimensions)
    for other in range(1, dimensions):
        if other != axis:
            clear = has_square(seen[:, :, None], _KINGS)
            words = words & lay(clear, [axis, other, 0], dimensions)
    return words


# Captures taken back: they lead into the ending without the man that is taken.


def captured_by_target(smaller: Words, victim: int) -> Words:
    """Take back what the defender's king takes.

    Parameters
    ----------
    smaller : ndarray of uint64
        The positions, without the man taken, that the captures lead to.
    victim : int
        The axis of that man in the larger ending.

    Returns
    -------
    ndarray of uint64
        A set of the larger ending; some of its positions may be illegal.
    """
    dimensions = smaller.ndim + 1
    squares = lay(np.arange(64, dtype=np.uint64), [victim], dimensions)
    taken = has_square(np.expand_dims(smaller, victim), squares)
    return taken & lay(KING_STEPS, [victim], dimensions)


def captured_by_king(smaller: Words, victim: int) -> Words:
    """Take back what the attacker's king takes; see `captured_by_target`."""
    shape = list(smaller.shape)
    shape.insert(victim, 64)
    before = np.zeros(shape, np.uint64)
    by_square = np.moveaxis(before, victim, 1)
    for place, origin in enumerate(TRIANGLE):
        for square in chess.SquareSet(chess.BB_KING_ATTACKS[origin]):
            by_square[place, square] = REFLECTIONS[square].unfold(smaller)
    return before


def captured_by_man(smaller: Words, victim: int, axis: int, men: Men) -> Words:
    """Take back what a man takes; see `captured_by_target`.

    Parameters
    ----------
    smaller, victim
        As there; no men are left but the one that takes.
    axis : int
        The axis of that one in the larger ending.
    men : Men
        The two men of the larger ending.
    """
    seen = sight(men[axis - 1].kind)
    reach = has_square(seen[:, _KINGS, None], np.arange(64, dtype=np.uint64))
    return (
        lay(reach, [axis, 0, victim], 3)
        & lay(~BETWEEN, [axis, victim], 3)
        & lay(smaller, [0, victim], 3)
    )


# Quiet moves taken back: all positions from which one leads into a set.

_NOT_FILE_A = np.uint64(~chess.BB_FILE_A & chess.BB_ALL)
_NOT_FILE_H = np.uint64(~chess.BB_FILE_H & chess.BB_ALL)
_ONE = np.uint64(1)
_RANK = np.uint64(8)


def retreat_target(words: Words) -> Words:
    """Take back the moves of the defender's king."""
    left = words >> _ONE & _NOT_FILE_H
    right = words << _ONE & _NOT_FILE_A
    row = words | left | right
    before: Words = left | right | row << _RANK | row >> _RANK
    return before


def retreat_king(words: Words) -> Words:
    """Take back the moves of the attacker's king."""
    before = np.zeros_like(words)
    unfolded: dict[chess.Square, Words] = {}
    for place, origin in enumerate(TRIANGLE):
        for square in chess.SquareSet(chess.BB_KING_ATTACKS[origin]):
            if square not in unfolded:
                unfolded[square] = REFLECTIONS[square].unfold(words)
            before[place] |= unfolded[square]
    return before


def retreat_man(words: Words, empty: Words, axis: int, kind: chess.PieceType) -> Words:
    """Take back the moves of a man.

    Parameters
    ----------
    words : ndarray of uint64, shape (10, 64, ...)
        Where the moves lead to.
    empty : ndarray of uint64, same shape
        The positions in which all men stand on squares of their own.
    axis : int
        The man's axis.
    kind : chess.PieceType
        What it is.
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
    """View a set with the rank and the file of a man as its first two axes."""
    shape = words.shape
    view = words.reshape(*shape[:axis], 8, 8, *shape[axis + 1 :])
    return np.moveaxis(view, (axis, axis + 1), (0, 1))


def _slide(
    source: Words, free: Words, out: Words, *, rank_step: int, file_step: int
) -> None:
    """Add to `out` what slides back from `source`, rank by rank."""
    run = np.zeros_like(source[0])
    onto, off = _kept(-file_step), _kept(file_step)
    ranks = range(7) if rank_step > 0 else range(7, 0, -1)
    for rank in ranks:
        front = source[rank] | run
        run = np.zeros_like(front)
        run[onto] = front[off] & free[rank + rank_step][onto]
        out[rank + rank_step] |= run


def _kept(step: int) -> slice:
    """The ranks or files from which a step stays on the board."""
    return slice(max(0, -step), 8 - max(0, step))


def build_table(
    men: Men, smaller: Mapping[int, Table], is_stopped: Callable[[], bool]
) -> Table | None:
    """Solve an ending whose smaller endings are solved.

    Parameters
    ----------
    men : Men
        The men beside the kings; at most two.
    smaller : mapping of int to Table
        The table without each of the men, by its place in `men`.
    is_stopped : callable
        Asked between two numbers of moves, a few milliseconds.

    Returns
    -------
    Table or None
        None: it was stopped.
    """
    return _Builder(men, smaller).build(is_stopped)


class _Builder:
    """Solves one ending.

    The two sets that grow are those of positions won so far: attacker nodes from which
    some move leads to a won defender node, defender nodes whose every move leads to a
    won attacker node.
    """

    def __init__(self, men: Men, smaller: Mapping[int, Table]) -> None:
        self._men = men
        self._smaller = smaller
        self._ground = survey(men)

    def build(self, is_stopped: Callable[[], bool]) -> Table | None:
        """Solve it for 0, 1, 2, ... moves, until nothing changes any more."""
        ground = self._ground
        table = Table(blank(ground.attacker_nodes), blank(ground.defender_nodes))
        # Stalemate is an escape, though "every move loses" holds of no moves.
        can_lose = ground.defender_nodes & (
            ground.checks | self._before_defender(ground.attacker_nodes, 0)
        )
        farthest = max((table.longest for table in self._smaller.values()), default=0)
        mating = np.zeros_like(ground.empty)
        mated = np.zeros_like(ground.empty)
        moves = 0
        while not is_stopped():
            # 1. The defender is lost where no move leads to a node that is not won.
            unclear = ground.attacker_nodes & ~mating
            lost = can_lose & ~self._before_defender(unclear, moves)
            lost_now = lost & ~mated
            _note(table.defender_nodes, lost_now, moves)
            mated = lost
            # 2. The attacker wins, one move later, where a move leads to a lost node.
            before = self._before_attacker(lost_now, moves)
            won_now = ground.attacker_nodes & before & ~mating
            moves += 1
            _note(table.attacker_nodes, won_now, moves)
            mating |= won_now
            # 3. A smaller ending may still have longer mates to lead into.
            if not won_now.any() and moves > farthest:
                return table
        return None

    def _before_defender(self, nodes: Words, moves: int) -> Words:
        """Give where the defender can move to these, or escapes by a capture."""
        before = retreat_target(nodes)
        for axis, man in enumerate(self._men, 1):
            if not man.attacks:
                before |= retreat_man(nodes, self._ground.empty, axis, man.kind)
        for index, table in self._smaller.items():
            if self._men[index].attacks:
                escapes = table.open(moves)
                before |= captured_by_target(escapes, index + 1)
                before |= self._captured_by_men(escapes, index)
        return before

    def _before_attacker(self, nodes: Words, moves: int) -> Words:
        """Give where the attacker can move to these, or wins by a capture."""
        before = retreat_king(nodes)
        for axis, man in enumerate(self._men, 1):
            if man.attacks:
                before |= retreat_man(nodes, self._ground.empty, axis, man.kind)
        for index, table in self._smaller.items():
            if not self._men[index].attacks:
                won = table.won(moves)
                before |= captured_by_king(won, index + 1)
                before |= self._captured_by_men(won, index)
        return before

    def _captured_by_men(self, smaller: Words, victim: int) -> Words:
        before = np.zeros_like(self._ground.empty)
        for index, man in enumerate(self._men):
            if man.attacks != self._men[victim].attacks:
                before |= captured_by_man(smaller, victim + 1, index + 1, self._men)
        return before


def _note(table: Moves, words: Words, moves: int) -> None:
    np.copyto(table, np.int8(moves), where=unpack(words))
