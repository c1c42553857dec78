"""Self-, reflex and stalemate play and exact mates: what the mate search cannot do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.kernel.border.memory import BattlePlay
from solver.stipulation import Goal, Play
from solver.stipulations.kind import MATE_OPTIONS, Kind

if TYPE_CHECKING:
    from solver.certificate.proving import Budget
    from solver.kernel.border.parts import Part
    from solver.search.workspace import Workspace
    from solver.stipulation import Stipulation
    from solver.stipulations.replies import Replies


PLAYS = {
    (Play.DIRECT, Goal.STALEMATE): BattlePlay.STALEMATE,
    (Play.SELF, Goal.MATE): BattlePlay.SELF_MATE,
    (Play.SELF, Goal.STALEMATE): BattlePlay.SELF_STALEMATE,
    (Play.REFLEX, Goal.MATE): BattlePlay.REFLEX,
    (Play.SEMI_REFLEX, Goal.MATE): BattlePlay.SEMI_REFLEX,
    (Play.REFLEX, Goal.STALEMATE): BattlePlay.REFLEX_STALEMATE,
    (Play.SEMI_REFLEX, Goal.STALEMATE): BattlePlay.SEMI_REFLEX_STALEMATE,
}


class Battle(Kind):
    """The attacker forces its goal."""

    unused_options = ("--max-solutions", *MATE_OPTIONS)

    def __init__(self, stipulation: Stipulation) -> None:
        super().__init__(stipulation)
        self.defender_ends = stipulation.play is not Play.DIRECT
        self.attacker_must_end = stipulation.play is Play.REFLEX
        self.play = (
            BattlePlay.EXACT_MATE
            if stipulation.exact
            else PLAYS[stipulation.play, stipulation.goal]
        )

    def part(self) -> Part:
        """Return the compiled part of the kernel that searches it."""
        from solver.kernel.border.parts import BATTLE

        return BATTLE

    def replies(self, workspace: Workspace, budget: Budget) -> Replies:
        """Return the object that finds the play's moves in a search's memory."""
        from solver.kernel.build.loader import load_part
        from solver.stipulations.replies import Replies

        workspace.search.play = self.play
        return Replies(workspace, budget, load_part(self.part()).kernel)
