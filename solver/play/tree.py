"""The play of a mate as a tree: every key and defence, and the attacker's answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from solver.certificate.prover import Budget, ProofContext, TooLargeError, name_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.certificate.prover import Prover
    from solver.solution import Solution


@dataclass(slots=True, eq=False)
class Variation:
    """A move, and the moves that may follow it.

    Attributes
    ----------
    move : str
        In UCI notation.
    moves_left : int
        The attacker's moves from here to mate, as many as are proved to suffice; 0 if
        this move mates.
    next : list of Variation
        All replies to a move of the attacker, or the one answer to a defence. The
        principal variation comes first, then the longest resistance. Where the play is
        cut off, only the principal variation, or nothing.
    """

    move: str
    moves_left: int
    next: list[Variation] = field(default_factory=list)

    @property
    def is_cut(self) -> bool:
        """Whether the play up to the mate is missing."""
        return self.moves_left > 0 and not self.next


@dataclass(frozen=True, slots=True)
class Variations:
    """The play from a position.

    Attributes
    ----------
    first : tuple of Variation
        The keys, or all replies if the side to move is mated; the principal variation
        first. Empty if no mate is known.
    complete_moves : int or None
        The depth, in defences, to which all defences are included; beyond it, only the
        principal variation is. None if nothing is cut off.
    """

    first: tuple[Variation, ...] = ()
    complete_moves: int | None = None

    def words(self) -> str:
        """Describe in a sentence what is cut off; empty if nothing is."""
        match self.complete_moves:
            case None:
                return ""
            case 0:
                return "Only the defences of the main line are shown."
            case 1:
                return "All first defences are shown; after them only the main line."
        return (
            f"All defences of the first {self.complete_moves} moves are shown; "
            "after them only the main line."
        )


MOST_MOVES = 5_000
"""Usually enough for the complete play of a mate in three."""

TIME_S = 60.0


def build_variations(
    solution: Solution,
    prover: Prover,
    *,
    most_moves: int = MOST_MOVES,
    time_s: float = TIME_S,
) -> Variations:
    """Build the play from the position of an answer.

    1. The main line is the answer's principal variation, and always complete.
    2. Defences are added one move deeper at a time, each with the prover's answer: near
       mate the fastest, farther from mate one within the proved bound.
    3. A step that would exceed a limit is left out entirely, and so are all deeper
       ones. A mate that only an endgame table reports has no proof, and so no such
       steps.

    Parameters
    ----------
    solution : Solution
        The answer. Without a mate there is no play.
    prover : Prover
        Gives the attacker's moves.
    most_moves : int
        The greatest number of moves, not counting the main line and the keys.
    time_s : float
        Seconds to build the tree.

    Raises
    ------
    BuildingStoppedError
        The prover was stopped.
    """
    if not solution.mate:
        return Variations()
    builder = _Builder(ProofContext.of(solution, prover), most_moves, time_s)
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


class _Defence(NamedTuple):
    """A position with the defender to move."""

    packed: bytes

    moves_left: int
    """The defender is mated within this many moves of the attacker."""

    replies: list[Variation]
    """The list to fill; it starts with the reply of the main line, if any."""


class _Builder:
    def __init__(self, context: ProofContext, most_moves: int, time_s: float) -> None:
        self._context = context
        self._budget = Budget(most_moves, "moves", time_s)

    def begin(self, solution: Solution) -> tuple[list[Variation], list[_Defence]]:
        """Return the keys with the main line, and the defences to expand."""
        context = self._context
        assert solution.mate
        first = [_chain(solution.pv, solution.mate)] if solution.pv else []
        if not context.attacking:
            return first, [_Defence(context.packed, -solution.mate, first)]
        others = [key for key in solution.keys if key not in solution.pv[:1]]
        first += [Variation(key, solution.mate - 1) for key in others]
        return first, self._open(context.packed, first)

    def add_defences(self, defences: Sequence[_Defence]) -> list[_Defence]:
        """Add all replies and their answers to the defences, or none of them.

        Returns
        -------
        list of _Defence
            The defences that the answers lead to.
        """
        moves = self._context.moves
        self._budget.spend(
            2 * sum(len(moves.legal(d.packed)) - len(d.replies) for d in defences)
        )
        grown = []
        for defence in defences:
            known = {reply.move: reply for reply in defence.replies}
            replies, following = [], []
            for word, packed in moves.after_each(defence.packed):
                name = name_of(defence.packed, word, not self._context.attacker)
                reply = known.get(name) or self._answer(name, packed, defence)
                replies.append(reply)
                following += self._open(packed, reply.next)
            replies.sort(key=lambda reply: (reply.move not in known, -reply.moves_left))
            grown.append((defence, replies, following))
        for defence, replies, _ in grown:
            defence.replies[:] = replies
        return [after for _, _, following in grown for after in following]

    def _answer(self, name: str, packed: bytes, defence: _Defence) -> Variation:
        """Return a reply with the attack that answers it."""
        context = self._context
        attack, left = context.prover.attack(packed, defence.moves_left, self._budget)
        answer = Variation(name_of(packed, attack, context.attacker), left - 1)
        return Variation(name, left, [answer])

    def _open(self, packed: bytes, attacks: Sequence[Variation]) -> list[_Defence]:
        """Return the defences that the attacks of a position lead to, except mates."""
        moves = self._context.moves
        wanted = {attack.move: attack for attack in attacks if attack.moves_left}
        return [
            _Defence(moves.play(packed, word), attack.moves_left, attack.next)
            for word in (moves.legal(packed) if wanted else ())
            if (attack := wanted.get(name_of(packed, word, self._context.attacker)))
        ]


def _chain(line: Sequence[str], mate: int) -> Variation:
    """Chain the moves of a line that ends in mate."""
    following: list[Variation] = []
    for plies_left, move in enumerate(reversed(line)):
        following = [Variation(move, (plies_left + 1) // 2, following)]
    first = following[0]
    assert first.moves_left == abs(mate) - (mate > 0)
    return first
