"""What is known of the first moves of one position; knowledge only grows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from solver.uci.line import Line

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Facts:
    """Lines that mate by force, at most one for each first move. Never changed.

    Attributes
    ----------
    lines : dict of str to Line
        By their first move.
    lost_in : int or None
        Whatever is played, the side to move is mated in so many moves at most.
    """

    lines: dict[str, Line] = field(default_factory=dict)
    lost_in: int | None = None

    @property
    def winning(self) -> bool:
        """Some first move mates."""
        return any(line.wins for line in self.lines.values())

    def add(self, line: Line) -> Facts:
        """Take in what is known of one first move."""
        known = self.lines.get(line.pv[0])
        if known and (known.length, -known.lower_bound) <= (
            line.length,
            -line.lower_bound,
        ):
            return self
        return replace(self, lines={**self.lines, line.pv[0]: line})

    def add_answer(self, line: Line) -> Facts:
        """Take in the answer to the whole position: a loss is one by every move."""
        if line.wins:
            return self.add(line)
        # Lines that hold out longer are not forced, now that a faster loss is known.
        kept = {
            m: known for m, known in self.lines.items() if known.length <= line.length
        }
        return replace(self, lines=kept, lost_in=line.length).add(line)

    def best(
        self, moves: Iterable[str], lower_bound: int, count: int
    ) -> tuple[Line, ...]:
        """List `count` of the first moves `moves`, best first.

        A move of which nothing is known has no score, with `lower_bound` proved. Where
        every move loses, those whose mating line is not known are left out.
        """
        lines = [self.lines[move] for move in moves if move in self.lines]
        if self.lost_in is None:
            lines += [
                Line(None, (move,), lower_bound)
                for move in moves
                if move not in self.lines
            ]
        return tuple(sorted(lines, key=lambda line: line.rank)[:count])
