"""Whoever tells the builder what mates and what does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import chess

from solver.board import unpack_men
from solver.certificate.moves import Moves, name_of
from solver.endgames import find_ending, is_ending
from solver.errors import MatesolveError
from solver.kernel.interface import Verdict
from solver.kernel.memory import Position

if TYPE_CHECKING:
    from solver.certificate.limits import Budget
    from solver.search.workspace import Workspace


NEAR_MOVES = 4
"""So near, all attacks are compared, for a small proof."""

FIRST_SLICE_NODES = 1 << 16
SLICE_NODES = 1 << 23
"""Between two looks at the clock: some two seconds at most."""


class BuildingStoppedError(MatesolveError):
    """The prover was told to stop."""


class Prover(Protocol):
    """Answers that are proved, about packed positions: the bytes of a `Position`.

    Each method raises `BuildingStoppedError` when the prover was told to stop, and lets
    `budget` raise when it thinks for long, or itself `TooLargeError` to give up.
    """

    def attack(self, packed: bytes, moves: int, budget: Budget) -> tuple[int, int]:
        """Give a move that mates, and within how many moves: at most `moves`.

        The attacker is to move. It is asked only where that was said to be possible:
        of the position that is certified, and of what follows from earlier answers.
        """

    def mates(self, packed: bytes, moves: int, budget: Budget) -> bool:
        """Tell whether the attacker, which is to move, mates within so many moves."""


class WorkspaceProver:
    """Asks the workspace of the search, whose table knows most answers already.

    Parameters
    ----------
    workspace : Workspace
        Its search has ended, and `Workspace.resume` was called.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._moves = Moves()

    def attack(self, packed: bytes, moves: int, budget: Budget) -> tuple[int, int]:
        """Give a move that mates: near mate the fastest, of several with few replies.

        Farther from mate it is what the search has proved, by way of the table.
        """
        if moves > NEAR_MOVES or self._workspace.has_lane:
            return self._look_up(packed, budget) or self._remembered(
                packed, moves, budget
            )
        lengths = range(1, moves + 1)
        shortest = next(
            (length for length in lengths if self.mates(packed, length, budget)), None
        )
        assert shortest is not None  # asked only where there is a mate
        ranked = sorted(
            (len(self._moves.legal(after)), attack, after)
            for attack, after in self._moves.after_each(packed)
        )
        found = next(
            attack
            for _, attack, after in ranked
            if self._decide(after, shortest - 1, budget, attacking=False)
        )
        return found, shortest

    def mates(self, packed: bytes, moves: int, budget: Budget) -> bool:
        """Tell whether the attacker, which is to move, mates within so many moves."""
        return self._decide(packed, moves, budget, attacking=True)

    def _look_up(self, packed: bytes, budget: Budget) -> tuple[int, int] | None:
        """Read the attack off a small ending; None: it is none, or has no mate."""
        position = Position.from_buffer_copy(packed)
        board = unpack_men(position)
        if self._workspace.has_lane or position.rights or not is_ending(board):
            return None
        budget.check_time()
        search = self._workspace.search
        found = find_ending(
            board,
            chess.WHITE,
            is_stopped=lambda: bool(search.stop),
            with_line=False,
        )
        if found is None or found.moves is None:
            return None
        attack = next(
            move
            for move in self._moves.legal(packed)
            if name_of(packed, move, chess.WHITE) == found.keys[0]
        )
        return attack, found.moves

    def _remembered(self, packed: bytes, moves: int, budget: Budget) -> tuple[int, int]:
        workspace, position = self._workspace, Position.from_buffer_copy(packed)
        if mate := workspace.mate_in_one(position):
            return mate, 1
        bounds = workspace.bounds(position, attacking=True)
        while bounds.mate is None or bounds.mate > moves:
            self._decide(packed, moves, budget, attacking=True)
            bounds = workspace.bounds(position, attacking=True)
        return bounds.move, bounds.mate

    def _decide(
        self, packed: bytes, moves: int, budget: Budget, *, attacking: bool
    ) -> bool:
        """Ask the prover and the finder in turn, for what is cut short is kept."""
        workspace, position = self._workspace, Position.from_buffer_copy(packed)
        slice_nodes = FIRST_SLICE_NODES
        engines = (workspace.decide, workspace.find)[workspace.has_lane :]
        while True:
            for engine in engines:
                if workspace.is_exhausted:
                    raise BuildingStoppedError
                budget.check_time()
                with workspace.budget(slice_nodes):
                    verdict = engine(position, moves, attacking=attacking)
                if verdict is not Verdict.STOPPED:
                    return verdict is Verdict.MATE
            slice_nodes = min(2 * slice_nodes, SLICE_NODES)
