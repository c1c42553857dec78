"""Self-, reflex and stalemate play: two opponents, and another goal than mate."""

from __future__ import annotations

from solver.stipulations.kind import MATE_OPTIONS, Kind


class Battle(Kind):
    """The attacker forces its goal."""

    unused_options = ("--max-solutions", *MATE_OPTIONS)
