"""Builds the play that a proof of mate stands for, as people read it: as a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from solver.certificate.case import understand_case
from solver.certificate.limits import Budget, TooLargeError
from solver.certificate.moves import name_of
from solver.variations.tree import Variation, Variations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.certificate.case import Case
    from solver.certificate.prover import Prover
    from solver.solution import Solution

MOST_MOVES = 5_000
"""A problem's mate in three is whole with as many, as a rule."""

TIME_S = 60.0


class _Defence(NamedTuple):
    """The defender to move."""

    packed: bytes

    moves_left: int
    """It is mated within so many moves of the attacker."""

    replies: list[Variation]
    """Where its replies go; the mainline's is there from the start."""


def build_variations(
    solution: Solution,
    prover: Prover,
    *,
    most_moves: int = MOST_MOVES,
    time_s: float = TIME_S,
) -> Variations:
    """Build the play from the position of an answer.

    1. The mainline is the answer's, and always whole.
    2. All defences are added a move at a time, each with the answer that the prover
       gives: near mate the fastest, farther from it within the bound that is proved.
    3. A step that would pass a limit is left out whole, and so is all behind it. Of a
       mate that endgame tables tell nothing is proved: there are no such steps.

    Parameters
    ----------
    solution : Solution
        The answer. Without a mate there is no play.
    prover : Prover
        Tells the attacker's moves.
    most_moves : int
        So many moves there may be, the mainline and the keys aside.
    time_s : float
        Seconds of building.

    Raises
    ------
    BuildingStoppedError
        The prover was told to stop.
    """
    if not solution.mate:
        return Variations()
    builder = _Builder(understand_case(solution, prover), most_moves, time_s)
    first, defences = builder.begin(solution)
    if solution.tablebase:
        return Variations(tuple(first), 0)
    complete = 0
    while defences:
        try:
            defences = builder.add_defences(defences)
        except TooLargeError:
            return Variations(tuple(first), complete)
        complete += 1
    return Variations(tuple(first))


class _Builder:
    def __init__(self, case: Case, most_moves: int, time_s: float) -> None:
        self._case = case
        self._budget = Budget(most_moves, "moves", time_s)

    def begin(self, solution: Solution) -> tuple[list[Variation], list[_Defence]]:
        """Give the keys and the mainline, and the defences that are to be added."""
        case = self._case
        assert solution.mate
        first = [_chain(solution.pv, solution.mate)] if solution.pv else []
        if not case.attacking:
            return first, [_Defence(case.packed, -solution.mate, first)]
        others = [key for key in solution.keys if key not in solution.pv[:1]]
        first += [Variation(key, solution.mate - 1) for key in others]
        return first, self._open(case.packed, first)

    def add_defences(self, defences: Sequence[_Defence]) -> list[_Defence]:
        """Add the replies of some defences with their answers, all of them or none.

        Returns
        -------
        list of _Defence
            Those that the answers lead to.
        """
        moves = self._case.moves
        self._budget.spend(
            2 * sum(len(moves.legal(d.packed)) - len(d.replies) for d in defences)
        )
        grown = []
        for defence in defences:
            known = {reply.move: reply for reply in defence.replies}
            replies, following = [], []
            for word, packed in moves.after_each(defence.packed):
                name = name_of(defence.packed, word, not self._case.attacker)
                reply = known.get(name) or self._answer(name, packed, defence)
                replies.append(reply)
                following += self._open(packed, reply.next)
            replies.sort(key=lambda reply: (reply.move not in known, -reply.moves_left))
            grown.append((defence, replies, following))
        for defence, replies, _ in grown:
            defence.replies[:] = replies
        return [after for _, _, following in grown for after in following]

    def _answer(self, name: str, packed: bytes, defence: _Defence) -> Variation:
        """Give a reply with the attack that the prover answers it by."""
        case = self._case
        attack, left = case.prover.attack(packed, defence.moves_left, self._budget)
        answer = Variation(name_of(packed, attack, case.attacker), left - 1)
        return Variation(name, left, [answer])

    def _open(self, packed: bytes, attacks: Sequence[Variation]) -> list[_Defence]:
        """Give the defences that attacks in a position lead to, mates left out."""
        moves = self._case.moves
        wanted = {attack.move: attack for attack in attacks if attack.moves_left}
        return [
            _Defence(moves.play(packed, word), attack.moves_left, attack.next)
            for word in (moves.legal(packed) if wanted else ())
            if (attack := wanted.get(name_of(packed, word, self._case.attacker)))
        ]


def _chain(line: Sequence[str], mate: int) -> Variation:
    """String the moves of a line together; they end in mate."""
    following: list[Variation] = []
    for plies_left, move in enumerate(reversed(line)):
        following = [Variation(move, (plies_left + 1) // 2, following)]
    first = following[0]
    assert first.moves_left == abs(mate) - (mate > 0)
    return first
