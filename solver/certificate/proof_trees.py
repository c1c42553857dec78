"""Builds the proof of a mate: one attack in each node, every reply behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from solver.certificate.prover import has_king_alone, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import chess

    from solver.certificate.prover import Budget, Case


# Builds the proof that there is no mate: in each node all attacks, a reply to each.


class _Answer(NamedTuple):
    """The reply that refutes an attack, and the position after it."""

    reply: int
    position: bytes


Answer: TypeAlias = "str | list[object] | None"
"""As a certificate has it: a reply, a reply and a node, or None for stalemate."""


def build_refutation(case: Case, moves: int, budget: Budget) -> dict[str, object]:
    """Build the proof that there is no mate within so many moves, which is known.

    Nodes are made level by level, so each position is first met with the most moves
    left that it will be asked for, and is made once.

    Parameters
    ----------
    case : Case
    moves : int
        There is no mate within so many, at least 1.
    budget : Budget
        Is charged for each attack that is answered.

    Returns
    -------
    dict
        The part `refutation` of a certificate.

    Raises
    ------
    BuildingStoppedError, TooLargeError
        The prover was stopped; a limit came first.
    """
    return _Builder(case, budget).build(moves)


class _Builder:
    def __init__(self, case: Case, budget: Budget) -> None:
        self._case = case
        self._moves = case.moves
        self._budget = budget
        self._numbers: dict[bytes, int] = {}
        self._nodes: list[dict[str, Answer]] = []
        self._killer = 0
        """The reply that refuted last near the leaves."""

    def build(self, moves: int) -> dict[str, object]:
        part: dict[str, object] = {"moves": moves}
        level: list[bytes] = []
        if self._case.attacking:
            self._number(self._case.packed, moves, level)
        else:
            part["reply"] = self._answer(self._case.packed, moves, level)
        while level:
            moves -= 1
            following: list[bytes] = []
            for position in level:
                self._nodes.append(self._expand(position, moves, following))
            level = following
        part["nodes"] = self._nodes
        return part

    def _number(self, position: bytes, moves: int, level: list[bytes]) -> int | None:
        """Give a position its node, unless it speaks for itself."""
        if position in self._numbers:
            return self._numbers[position]
        if moves == 1 or has_king_alone(position):
            return None
        self._numbers[position] = len(self._numbers)
        level.append(position)
        return self._numbers[position]

    def _expand(
        self, position: bytes, moves: int, following: list[bytes]
    ) -> dict[str, Answer]:
        """Answer every attack, after which `moves` are left."""
        node: dict[str, Answer] = {}
        for attack, after in self._moves.after_each(position):
            name = name_of(position, attack, self._case.attacker)
            node[name] = self._answer(after, moves, following)
        self._budget.spend(len(node))
        return node

    def _answer(self, after: bytes, moves: int, following: list[bytes]) -> Answer:
        """Find the reply to an attack; there is none in stalemate."""
        found = self._refute(after, moves)
        if found is None:
            return None
        name = name_of(after, found.reply, not self._case.attacker)
        number = self._number(found.position, moves, following)
        return name if number is None else [name, number]

    def _refute(self, after: bytes, moves: int) -> _Answer | None:
        ranked = self._rank_lastly if moves == 1 else self._rank
        replies = 0
        for answer in ranked(after):
            replies += 1
            if (
                answer.position in self._numbers
                or has_king_alone(answer.position)
                or not self._case.prover.mates(answer.position, moves, self._budget)
            ):
                self._killer = answer.reply
                return answer
        assert not replies  # asked only where the attack does not mate
        return None

    def _rank(self, after: bytes) -> list[_Answer]:
        """List replies: to known nodes, then those that leave few attacks."""
        answers = [_Answer(*pair) for pair in self._moves.after_each(after)]
        return sorted(
            answers,
            key=lambda answer: (
                answer.position not in self._numbers,
                len(self._moves.legal(answer.position)),
            ),
        )

    def _rank_lastly(self, after: bytes) -> Iterator[_Answer]:
        """Give replies one by one: checks, which are cheap to judge, then others."""
        checks = self._moves.checks(after)
        for reply in checks:
            yield _Answer(reply, self._moves.play(after, reply))
        quiet = [reply for reply in self._moves.legal(after) if reply not in checks]
        quiet.sort(key=lambda reply: reply != self._killer)
        for reply in quiet:
            yield _Answer(reply, self._moves.play(after, reply))


class _Node(NamedTuple):
    """The attacker to move."""

    bound: int
    """It mates within so many moves."""

    attack: int
    after: bytes
    replies: dict[int, bytes]


_Nodes: TypeAlias = dict[bytes, _Node]


def build_mate(case: Case, moves: int, budget: Budget) -> dict[str, object]:
    """Build the proof of a mate that is known.

    1. A node mates within a bound that falls with each of the attacker's moves, so no
       line meets a position twice. Where a node is there with a bound that is too
       great, it is made again with the smaller one.
    2. What can no longer be reached after that is left out, and the nodes are numbered
       from the greatest bound to the least: replies lead to higher numbers.

    Parameters
    ----------
    case : Case
    moves : int
        There is a mate within so many moves.
    budget : Budget
        Is charged for each node, also for one that is made again.

    Returns
    -------
    dict
        The part `mate` of a certificate. It may prove a shorter mate than was known.

    Raises
    ------
    BuildingStoppedError, TooLargeError
        The prover was stopped; a limit came first.
    """
    replies = {} if case.attacking else dict(case.moves.after_each(case.packed))
    starts = [case.packed] if case.attacking else list(replies.values())

    # 1. Nodes.
    nodes: _Nodes = {}
    wanted = [(start, moves) for start in starts]
    while wanted:
        position, bound = wanted.pop()
        known = nodes.get(position)
        if known and known.bound <= bound:
            continue
        budget.spend(1)
        attack, needed = case.prover.attack(position, bound, budget)
        assert 1 <= needed <= bound
        after = case.moves.play(position, attack)
        node = _Node(needed, attack, after, dict(case.moves.after_each(after)))
        nodes[position] = node
        wanted += [(child, needed - 1) for child in node.replies.values()]

    # 2. Numbers.
    order = sorted(
        _reachable(nodes, starts), key=lambda position: -nodes[position].bound
    )
    numbers = {position: number for number, position in enumerate(order)}
    depths: dict[bytes, int] = {}
    for position in reversed(order):
        children = nodes[position].replies.values()
        depths[position] = 1 + max((depths[child] for child in children), default=0)
    part: dict[str, object] = {
        "moves": max((depths[start] for start in starts), default=0)
    }
    if not case.attacking:
        part["replies"] = _named(case.packed, replies, numbers, not case.attacker)
    part["nodes"] = [
        [
            name_of(position, node.attack, case.attacker),
            _named(node.after, node.replies, numbers, not case.attacker),
        ]
        for position, node in ((position, nodes[position]) for position in order)
    ]
    return part


def _reachable(nodes: _Nodes, starts: list[bytes]) -> list[bytes]:
    """List the nodes that the replies lead to, each once."""
    seen = dict.fromkeys(starts)
    ahead = list(seen)
    while ahead:
        for child in nodes[ahead.pop()].replies.values():
            if child not in seen:
                seen[child] = None
                ahead.append(child)
    return list(seen)


def _named(
    packed: bytes,
    replies: dict[int, bytes],
    numbers: dict[bytes, int],
    side: chess.Color,
) -> dict[str, int]:
    return {
        name_of(packed, reply, side): numbers[child] for reply, child in replies.items()
    }
