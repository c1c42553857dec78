"""Self-, reflex and stalemate play: two opponents, and another goal than mate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.stipulation import Play
from solver.stipulations.kind import MATE_OPTIONS, Kind

if TYPE_CHECKING:
    from solver.certificate.proving import Budget
    from solver.kernel.border.parts import Part
    from solver.search.mate_search import Begun
    from solver.search.question import Question
    from solver.search.threads import Control
    from solver.search.workspace import Workspace
    from solver.solution import Solution
    from solver.stipulation import Stipulation
    from solver.stipulations.kind import Means
    from solver.stipulations.replies import Replies


class Battle(Kind):
    """The attacker forces its goal."""

    unused_options = ("--max-solutions", *MATE_OPTIONS)

    def __init__(self, stipulation: Stipulation) -> None:
        super().__init__(stipulation)
        self.defender_ends = stipulation.play is not Play.DIRECT
        self.attacker_must_end = stipulation.play is Play.REFLEX

    def part(self) -> Part:
        """Return the compiled part of the kernel that searches it."""
        from solver.kernel.border.parts import BATTLE

        return BATTLE

    def search(
        self, means: Means, question: Question, control: Control, begun: Begun | None
    ) -> Solution:
        """Search for the shortest way to the goal."""
        from solver.stipulations.battle_search import search_battle

        return search_battle(means, question, control)

    def replies(self, workspace: Workspace, budget: Budget) -> Replies:
        """Return what finds the moves of the play in the memory of a search."""
        from solver.stipulations.replies import BattleReplies

        return BattleReplies(workspace, budget, self.stipulation)
