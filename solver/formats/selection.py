"""Which records of a collection are wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from solver.problem import Problem


@dataclass(frozen=True, slots=True)
class Selection:
    """What a record must be to be given; None asks for nothing.

    Attributes
    ----------
    theme : str or None
        A theme that a row of lichess's must have.
    min_moves, max_moves : int or None
        The least and the most moves claimed, whoever mates; for a claim that there is
        no mate, the moves it speaks of. With either, a record without a claim is out.
    min_rating : int or None
        The least rating of a row of lichess's.
    all_rows : bool
        Take rows of lichess's that claim no mate as well, as problems without a claim.
    """

    theme: str | None = None
    min_moves: int | None = None
    max_moves: int | None = None
    min_rating: int | None = None
    all_rows: bool = False

    @property
    def asks_for_length(self) -> bool:
        """Whether a record must claim something to be given."""
        return self.min_moves is not None or self.max_moves is not None

    def has_length(self, moves: int) -> bool:
        """Tell whether this many moves are neither too few nor too many."""
        return (self.min_moves is None or moves >= self.min_moves) and (
            self.max_moves is None or moves <= self.max_moves
        )

    def wants(self, problem: Problem) -> bool:
        """Tell whether what a problem claims has the length asked for."""
        if not self.asks_for_length:
            return True
        moves = abs(problem.claim.mate) if problem.claim else problem.no_mate
        return moves is not None and self.has_length(moves)


EVERYTHING = Selection()
"""All that claims a mate or may do so."""
