"""Builds the proof of a mate: one attack in each node, every reply behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from solver.certificate.moves import name_of

if TYPE_CHECKING:
    import chess

    from solver.certificate.case import Case
    from solver.certificate.limits import Budget


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
