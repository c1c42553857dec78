"""The play from a position: every key and defence, and the attacker's answer to it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class Variation:
    """A move, and what may follow it.

    Attributes
    ----------
    move : str
        In UCI notation.
    moves_left : int
        The attacker's moves from here to mate, as many as are proved to suffice; 0:
        this move mates.
    next : list of Variation
        All replies to an attacker's move, the one answer to a defender's. The mainline
        comes first, then what lasts longest. Where the play is cut it is the
        mainline alone, or nothing.
    """

    move: str
    moves_left: int
    next: list[Variation] = field(default_factory=list)

    @property
    def is_cut(self) -> bool:
        """Whether nothing is told of the mate that follows."""
        return self.moves_left > 0 and not self.next


@dataclass(frozen=True, slots=True)
class Variations:
    """The play from a position.

    Attributes
    ----------
    first : tuple of Variation
        The keys, or all replies where the side to move is mated; the mainline first.
        None where no mate is known.
    complete_moves : int or None
        So many defences deep all of them are there, and farther on the mainline alone;
        None: nothing is cut.
    """

    first: tuple[Variation, ...] = ()
    complete_moves: int | None = None

    def words(self) -> str:
        """Tell what is cut, in a sentence; nothing where nothing is."""
        match self.complete_moves:
            case None:
                return ""
            case 0:
                return "Of the defences only the mainline's are given."
            case 1:
                return "All first defences are given, farther on the mainline alone."
        return (
            f"All defences of the first {self.complete_moves} moves are given, "
            "farther on the mainline alone."
        )
