"""What each kind of stipulation does: its words, claims, play and search.

`kind_of` returns the object for a stipulation; other packages need not know its kind.
`solver.stipulation` has the value: text and numbers.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from solver.stipulation import MATE, Goal, Play
from solver.stipulations.battle import Battle
from solver.stipulations.help import Help
from solver.stipulations.mate import Mate

if TYPE_CHECKING:
    from solver.stipulation import Stipulation
    from solver.stipulations.kind import Kind

_KINDS: dict[tuple[Play, Goal], type[Kind]] = {
    (Play.HELP, Goal.MATE): Help,
    (Play.HELP, Goal.STALEMATE): Help,
}


def kind_of(stipulation: Stipulation) -> Kind:
    """Return the object for a stipulation."""
    return _MATE if stipulation is MATE else _made(stipulation)


@lru_cache
def _made(stipulation: Stipulation) -> Kind:
    if stipulation.is_direct_mate:
        return Mate(stipulation)
    return _KINDS.get((stipulation.play, stipulation.goal), Battle)(stipulation)


_MATE = _made(MATE)
"""The kind of most rows, which each need it several times; hashing would take
longer."""
