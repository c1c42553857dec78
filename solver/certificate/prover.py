"""Whoever tells the builder what mates and what does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from solver.certificate.moves import Moves
from solver.errors import MatesolveError
from solver.kernel.calls import Verdict
from solver.kernel.memory import Position

if TYPE_CHECKING:
    from solver.certificate.limits import Budget
    from solver.workspace import Workspace


SLICE_NODES = 1 << 24
"""Between two looks at the clock: some two seconds."""


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
    """Asks the exact search for everything; the shortest mate is what it gives.

    Parameters
    ----------
    workspace : Workspace
        Its table may know the answers already. `Workspace.begin` was called.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._moves = Moves()

    def attack(self, packed: bytes, moves: int, budget: Budget) -> tuple[int, int]:
        """Give the move of a shortest mate; of several, one with few replies."""
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

    def _decide(
        self, packed: bytes, moves: int, budget: Budget, *, attacking: bool
    ) -> bool:
        workspace, position = self._workspace, Position.from_buffer_copy(packed)
        search = workspace.search
        verdict = Verdict.STOPPED
        while verdict is Verdict.STOPPED:
            if search.stop or search.nodes >= search.node_limit:
                raise BuildingStoppedError
            budget.check_time()
            # What is cut short is in the table, so the next slice gets further.
            with workspace.budget(SLICE_NODES):
                verdict = workspace.decide(position, moves, attacking=attacking)
        return verdict is Verdict.MATE
