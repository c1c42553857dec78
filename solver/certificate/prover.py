"""Whoever tells the builder what mates and what does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from solver.certificate.moves import Moves
from solver.errors import MatesolveError
from solver.kernel.calls import Verdict
from solver.kernel.memory import Position

if TYPE_CHECKING:
    from solver.workspace import Workspace


class BuildingStoppedError(MatesolveError):
    """The prover was told to stop."""


class Prover(Protocol):
    """Answers that are proved, about packed positions: the bytes of a `Position`.

    Each method raises `BuildingStoppedError` when the prover was told to stop.
    """

    def attack(self, packed: bytes, moves: int) -> tuple[int, int]:
        """Give a move that mates, and within how many moves.

        The attacker is to move, and asked only where a mate within `moves` is known.
        """

    def mates(self, packed: bytes, moves: int) -> bool:
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

    def attack(self, packed: bytes, moves: int) -> tuple[int, int]:
        """Give the move of a shortest mate; of several, one with few replies."""
        shortest = next(
            (count for count in range(1, moves + 1) if self.mates(packed, count)), None
        )
        assert shortest is not None  # asked only where there is a mate
        ranked = sorted(
            (len(self._moves.legal(after)), attack, after)
            for attack, after in self._moves.after_each(packed)
        )
        found = next(
            attack
            for _, attack, after in ranked
            if self._decide(after, shortest - 1, attacking=False)
        )
        return found, shortest

    def mates(self, packed: bytes, moves: int) -> bool:
        """Tell whether the attacker, which is to move, mates within so many moves."""
        return self._decide(packed, moves, attacking=True)

    def _decide(self, packed: bytes, moves: int, *, attacking: bool) -> bool:
        if self._workspace.search.stop:
            raise BuildingStoppedError
        position = Position.from_buffer_copy(packed)
        verdict = self._workspace.decide(position, moves, attacking=attacking)
        if verdict is Verdict.STOPPED:
            raise BuildingStoppedError
        return verdict is Verdict.MATE
