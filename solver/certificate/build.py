"""Build the certificate of an answer, and write it to a file.

It has two proofs:

- `build_mate` proves a mate: each node has one move of the attacker and every reply.
- `build_refutation` proves that there is no mate: each node has every move of the
  attacker, each with one reply.

See docs/reference/certificate-format.md for the format.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import chess

from solver.certificate.proving import (
    Budget,
    ProofContext,
    TooLargeError,
    WorkspaceProver,
    has_king_alone,
    name_of,
)
from solver.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from solver.certificate.proving import Prover
    from solver.search.threads import Control
    from solver.search.workspace import Workspace
    from solver.solution import Solution

VERSION = 1

GZIP_LEVEL = 6

MATE_NODES = 500_000
"""The most nodes in the proof of a mate."""

REFUTATION_MOVES = 1_000_000
"""The most moves listed in a refutation, in all nodes together."""

BUILDING_S = 60.0
"""Seconds to build one part."""


@dataclass(frozen=True, slots=True)
class Certification:
    """The result of building a certificate.

    Attributes
    ----------
    certificate : Certificate or None
        None if nothing is proved, or every part is left out.
    left_out : tuple of str
        A line for each part that was left out because it exceeded a limit.
    """

    certificate: Certificate | None
    left_out: tuple[str, ...]


def certify_last(
    solution: Solution, workspace: Workspace, control: Control
) -> Certification:
    """Build the certificate of the last answer found in a workspace.

    Raises
    ------
    BuildingStoppedError
        `control` stopped it.
    """
    workspace.resume()
    control.attach(workspace.search)
    return certify(solution, WorkspaceProver(workspace))


def certify(solution: Solution, prover: Prover) -> Certification:
    """Build the certificate of an answer.

    Parameters
    ----------
    solution : Solution
        The bounds to prove: the mate, and that none takes fewer moves than
        `lower_bound`.
    prover : Prover
        Proves them again, node by node.

    Raises
    ------
    BuildingStoppedError
        The prover was stopped.
    """
    context = ProofContext.of(solution, prover)
    left_out: list[str] = []
    mate = refutation = None
    if solution.mate is not None:
        budget = Budget(MATE_NODES, "nodes", BUILDING_S)
        mate = _build_part(build_mate, context, abs(solution.mate), budget, left_out)
    # With a restriction, the lower bound holds for the restricted attacker only.
    excluded = 0 if solution.restriction else solution.lower_bound - 1
    if excluded > 0:
        budget = Budget(REFUTATION_MOVES, "moves", BUILDING_S)
        refutation = _build_part(build_refutation, context, excluded, budget, left_out)
    certificate = None
    if mate or refutation:
        fen = solution.problem.fen
        certificate = Certificate(fen, context.attacker, mate, refutation)
    return Certification(certificate, tuple(left_out))


def _build_part(
    build: Callable[[ProofContext, int, Budget], dict[str, Any]],
    context: ProofContext,
    moves: int,
    budget: Budget,
    left_out: list[str],
) -> dict[str, Any] | None:
    """Build a part, or record why it is left out."""
    try:
        return build(context, moves, budget)
    except TooLargeError as limit:
        what = "no mate" if build is build_refutation else "mate"
        left_out.append(f"the proof of {what} in {moves} is left out: {limit}")
        return None


@dataclass(frozen=True, slots=True)
class Certificate:
    """The proofs about a position.

    Attributes
    ----------
    fen : str
        The position.
    attacker : bool
        The side that mates, or does not; `chess.WHITE` or `chess.BLACK`.
    mate, refutation : mapping or None
        The two parts as JSON objects, at least one of them.
    """

    fen: str
    attacker: chess.Color
    mate: Mapping[str, Any] | None = None
    refutation: Mapping[str, Any] | None = None

    def document(self) -> dict[str, Any]:
        """Return the JSON object."""
        parts = {"mate": self.mate, "refutation": self.refutation}
        return {
            "certificate": VERSION,
            "fen": self.fen,
            "attacker": chess.COLOR_NAMES[self.attacker],
            **{name: part for name, part in parts.items() if part is not None},
        }

    def encode(self) -> bytes:
        """Return the document as JSON, with one node per line."""
        fields = (
            f"{json.dumps(name)}:{_encode_part(value)}"
            for name, value in self.document().items()
        )
        return ("{" + ",\n".join(fields) + "}\n").encode()


def _encode_part(value: object) -> str:
    if not isinstance(value, dict):
        return json.dumps(value)
    fields = []
    for name, content in value.items():
        if name == "nodes":
            lines = ",\n".join(
                json.dumps(node, separators=(",", ":")) for node in content
            )
            text = f"[\n{lines}\n]" if content else "[]"
        else:
            text = json.dumps(content, separators=(",", ":"))
        fields.append(f"{json.dumps(name)}:{text}")
    return "{" + ",".join(fields) + "}"


def write(data: bytes, path: Path) -> None:
    """Write a file atomically, compressed if its name ends in .gz.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    if path.suffix == ".gz":
        data = gzip.compress(data, GZIP_LEVEL, mtime=0)
    write_whole(path, data)


# The two proofs, as trees whose positions are shared


def build_mate(context: ProofContext, moves: int, budget: Budget) -> dict[str, object]:
    """Build the proof of a known mate.

    1. Each node mates within a bound that decreases with each of the attacker's moves,
       so no line repeats a position. A node needed with a smaller bound is built again.
    2. Nodes that are no longer reachable are dropped. The others are numbered by
       decreasing bound, so that replies lead to higher numbers.

    Parameters
    ----------
    context : ProofContext
    moves : int
        A known mate is in at most this many moves.
    budget : Budget
        Charged for each node, including those that are built again.

    Returns
    -------
    dict
        The `mate` part of a certificate. It may prove a shorter mate than was known.

    Raises
    ------
    BuildingStoppedError, TooLargeError
        The prover was stopped; a limit came first.
    """
    replies = (
        {} if context.attacking else dict(context.moves.after_each(context.packed))
    )
    starts = [context.packed] if context.attacking else list(replies.values())

    # 1. Nodes.
    nodes: _Nodes = {}
    wanted = [(start, moves) for start in starts]
    while wanted:
        position, bound = wanted.pop()
        known = nodes.get(position)
        if known and known.bound <= bound:
            continue
        budget.spend(1)
        attack, needed = context.prover.attack(position, bound, budget)
        assert 1 <= needed <= bound
        after = context.moves.play(position, attack)
        node = _Node(needed, attack, after, dict(context.moves.after_each(after)))
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
    if not context.attacking:
        part["replies"] = _named(context.packed, replies, numbers, not context.attacker)
    part["nodes"] = [
        [
            name_of(position, node.attack, context.attacker),
            _named(node.after, node.replies, numbers, not context.attacker),
        ]
        for position, node in ((position, nodes[position]) for position in order)
    ]
    return part


def _reachable(nodes: _Nodes, starts: list[bytes]) -> list[bytes]:
    """Return the positions that the replies lead to, without duplicates."""
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


class _Node(NamedTuple):
    """A position with the attacker to move."""

    bound: int
    """The attacker mates within this many moves."""

    attack: int
    after: bytes
    replies: dict[int, bytes]


_Nodes: TypeAlias = dict[bytes, _Node]


def build_refutation(
    context: ProofContext, moves: int, budget: Budget
) -> dict[str, object]:
    """Build the proof of a known lower bound: that there is no mate within `moves`.

    Nodes are built level by level. Each position is thus first reached with the most
    moves left, and is built only once.

    Parameters
    ----------
    context : ProofContext
    moves : int
        There is no mate within this many moves; at least 1.
    budget : Budget
        Charged for each attack that is answered.

    Returns
    -------
    dict
        The `refutation` part of a certificate.

    Raises
    ------
    BuildingStoppedError, TooLargeError
        The prover was stopped; a limit came first.
    """
    return _Builder(context, budget).build(moves)


class _Builder:
    def __init__(self, context: ProofContext, budget: Budget) -> None:
        self._context = context
        self._moves = context.moves
        self._budget = budget
        self._numbers: dict[bytes, int] = {}
        self._nodes: list[dict[str, Answer]] = []
        self._killer = 0
        """The reply that last refuted an attack one move above a leaf."""

    def build(self, moves: int) -> dict[str, object]:
        part: dict[str, object] = {"moves": moves}
        level: list[bytes] = []
        if self._context.attacking:
            self._number(self._context.packed, moves, level)
        else:
            part["reply"] = self._answer(self._context.packed, moves, level)
        while level:
            moves -= 1
            following: list[bytes] = []
            for position in level:
                self._nodes.append(self._expand(position, moves, following))
            level = following
        part["nodes"] = self._nodes
        return part

    def _number(self, position: bytes, moves: int, level: list[bytes]) -> int | None:
        """Return the number of a position's node, or None if it needs none."""
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
        """Answer every attack; the attacker has `moves` left after it."""
        node: dict[str, Answer] = {}
        for attack, after in self._moves.after_each(position):
            name = name_of(position, attack, self._context.attacker)
            node[name] = self._answer(after, moves, following)
        self._budget.spend(len(node))
        return node

    def _answer(self, after: bytes, moves: int, following: list[bytes]) -> Answer:
        """Return the answer to an attack; None if it stalemates."""
        found = self._refute(after, moves)
        if found is None:
            return None
        name = name_of(after, found.reply, not self._context.attacker)
        number = self._number(found.position, moves, following)
        return name if number is None else [name, number]

    def _refute(self, after: bytes, moves: int) -> _Answer | None:
        ranked = self._rank_at_leaf if moves == 1 else self._rank
        replies = 0
        for answer in ranked(after):
            replies += 1
            if (
                answer.position in self._numbers
                or has_king_alone(answer.position)
                or not self._context.prover.mates(answer.position, moves, self._budget)
            ):
                self._killer = answer.reply
                return answer
        assert not replies  # the attack does not mate, so this is stalemate
        return None

    def _rank(self, after: bytes) -> list[_Answer]:
        """Order replies: first to known nodes, then by the number of attacks left."""
        answers = [_Answer(*pair) for pair in self._moves.after_each(after)]
        return sorted(
            answers,
            key=lambda answer: (
                answer.position not in self._numbers,
                len(self._moves.legal(answer.position)),
            ),
        )

    def _rank_at_leaf(self, after: bytes) -> Iterator[_Answer]:
        """Yield replies: first checks, which leave few attacks to try, then others."""
        checks = self._moves.checks(after)
        for reply in checks:
            yield _Answer(reply, self._moves.play(after, reply))
        quiet = [reply for reply in self._moves.legal(after) if reply not in checks]
        quiet.sort(key=lambda reply: reply != self._killer)
        for reply in quiet:
            yield _Answer(reply, self._moves.play(after, reply))


class _Answer(NamedTuple):
    """A reply that refutes an attack, and the position after it."""

    reply: int
    position: bytes


Answer: TypeAlias = "str | list[object] | None"
"""As certificates write it: a reply, a reply with a node, or None for stalemate."""
