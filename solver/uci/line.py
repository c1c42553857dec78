"""What is known of a first move, and how a client is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Line:
    """A first move with the mate that it leads to, if one is known.

    Attributes
    ----------
    mate : int or None
        Moves to mate, forced; negative: the side to move is mated.
    pv : tuple of str
        In UCI notation: the whole line to the mate, or the first move alone.
    lower_bound : int
        No mate takes fewer moves than this: proved.
    """

    mate: int | None
    pv: tuple[str, ...]
    lower_bound: int

    @property
    def rank(self) -> tuple[int, int]:
        """Sort by this, best first: mates, what is not known, losses; late ones last.

        The longer it takes to be mated, the better.
        """
        if self.mate is None:
            return 1, 0
        return (0, self.mate) if self.mate > 0 else (2, self.mate)

    @property
    def wins(self) -> bool:
        """The first move mates."""
        return self.mate is not None and self.mate > 0

    @property
    def length(self) -> int:
        """Moves to mate, whoever mates; 0 where none is known."""
        return abs(self.mate or 0)

    @property
    def shortest(self) -> bool:
        """The mate is proved to be as short as any."""
        return self.mate is not None and self.lower_bound >= self.length

    @property
    def depth(self) -> int:
        """Plies that were searched in full."""
        return len(self.pv) if self.shortest else depth_below(self.lower_bound)


class Effort(NamedTuple):
    """What a search has cost so far.

    Attributes
    ----------
    nodes : int
        Positions entered.
    time_s : float
        Seconds.
    hashfull : int
        How full the table is, per mille.
    """

    nodes: int
    time_s: float
    hashfull: int

    @property
    def words(self) -> str:
        """The words of an `info` line that tell the cost."""
        nps = int(self.nodes / max(self.time_s, 0.001))
        return (
            f"nodes {self.nodes} nps {nps} hashfull {self.hashfull} "
            f"time {int(self.time_s * 1000)}"
        )


def depth_below(lower_bound: int) -> int:
    """Give the plies that a search with this lower bound has behind it."""
    return max(1, 2 * lower_bound - 3)


def tell_line(number: int, line: Line, effort: Effort) -> str:
    """Give the `info` line of the line that is number `number` (from 1) of the best."""
    score = "cp 0" if line.mate is None else f"mate {line.mate}"
    return (
        f"info depth {line.depth} seldepth {max(line.depth, len(line.pv))} "
        f"multipv {number} score {score} {effort.words} pv {' '.join(line.pv)}"
    )


def tell_best(lines: tuple[Line, ...]) -> str:
    """Give the `bestmove` line: the move to play and the reply to think about."""
    if not lines:
        return "bestmove (none)"
    best, *replies = lines[0].pv
    return f"bestmove {best} ponder {replies[0]}" if replies else f"bestmove {best}"
