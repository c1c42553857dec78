"""The line of a mate that the finder proved: read from the table, proved again if lost.

The finder bounds a mate from above, so on the way some mates turn out to be nearer than
their bound. The line that is given has exactly the length that it proves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from solver.kernel.interface import Verdict

if TYPE_CHECKING:
    from solver.kernel.interface import Bounds
    from solver.kernel.memory import Position
    from solver.search.workspace import Workspace


class _Line(NamedTuple):
    """A line of kernel moves, and how many of them are the attacker's."""

    moves: int
    words: tuple[int, ...]


class _InterruptedError(Exception):
    """The search was stopped while a lost part of the proof was made anew."""


def mating_line(
    workspace: Workspace, position: Position, moves: int, *, attacking: bool
) -> tuple[int, ...] | None:
    """Give a line of a mate proved within `moves`, as kernel moves of both sides.

    The attacker plays what is proved, the defender what lasts longest against that, so
    the line's length is itself a proved bound, at most `moves`.

    Returns
    -------
    tuple of int, or None
        None when the search was interrupted.
    """
    reader = _Reader(workspace)
    read = reader.attack if attacking else reader.defend
    try:
        return read(position, moves).words
    except _InterruptedError:
        return None


class _Reader:
    """Reads lines of proved mates; what was read of a position is kept."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._read: dict[bytes, _Line] = {}

    def attack(self, position: Position, moves: int) -> _Line:
        """Give the line of the attacker to move, with a mate proved within `moves`."""
        key = bytes(position)
        if (line := self._read.get(key)) is None or line.moves > moves:
            if mate := self._workspace.mate_in_one(position):
                line = _Line(1, (mate,))
            else:
                move = self._proved(position, moves).move
                child = self._workspace.made(position, move)
                rest = self.defend(child, moves - 1)
                line = _Line(rest.moves + 1, (move, *rest.words))
            self._read[key] = line
        return line

    def defend(self, position: Position, moves: int) -> _Line:
        """Give the line of the defender to move, mated within `moves` as is proved.

        The reply with the largest bound is followed, until a bound is borne out.
        """
        workspace = self._workspace
        replies = workspace.moves(position)
        children = {reply: workspace.made(position, reply) for reply in replies}
        bounds = {
            reply: 1
            if workspace.mate_in_one(child)
            else self._proved(child, moves).mate or moves
            for reply, child in children.items()
        }
        line = _Line(0, ())
        while bounds:
            reply = max(bounds, key=bounds.__getitem__)
            rest = self.attack(children[reply], bounds[reply])
            line = _Line(rest.moves, (reply, *rest.words))
            if rest.moves == bounds[reply]:
                break
            bounds[reply] = rest.moves
        return line

    def _proved(self, position: Position, moves: int) -> Bounds:
        """Read the bounds of an attacker's position with a mate within `moves`."""
        workspace = self._workspace
        bounds = workspace.bounds(position, attacking=True)
        while bounds.mate is None or bounds.mate > moves:
            if workspace.find(position, moves, attacking=True) is not Verdict.MATE:
                raise _InterruptedError
            bounds = workspace.bounds(position, attacking=True)
        return bounds
