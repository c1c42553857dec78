"""Solving an ending: from the mates on the board back to the longest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from solver.endgames.table import unpack
from solver.endings.captures import (
    captured_by_king,
    captured_by_man,
    captured_by_target,
)
from solver.endings.ground import survey
from solver.endings.retreats import retreat_king, retreat_man, retreat_target
from solver.endings.table import Table, blank

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from solver.endgames.table import Moves, Words
    from solver.endings.men import Men


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
