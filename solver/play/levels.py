"""The play below first moves, level by level: a defence and its continuations."""

from __future__ import annotations

from itertools import zip_longest
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from solver.certificate.proving import (
    Budget,
    BuildingStoppedError,
    TooLargeError,
    WorkspaceProver,
    goes_to_last_rank,
    name_of,
)
from solver.kernel.border.interface import NULL_MOVE
from solver.play.tree import Attack, Defence
from solver.stipulations import kind_of
from solver.stipulations.solving_moves import Reply

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import chess

    from solver.kernel.border.memory import Position
    from solver.play.options import PlayOptions
    from solver.search.workspace import Workspace
    from solver.solution import Solution
    from solver.stipulation import Stipulation

EXACT_MOVES = 5
"""Without a stipulation, the play of longer mates is exact only near the mate."""

NEAR_MOVES = 4
"""Farther from mate than this, one continuation within the proved bound then
represents all others, and threats are not searched for."""

ENDS = (TooLargeError, BuildingStoppedError)
"""A limit or a stop ended the building."""


class Node(NamedTuple):
    """A position with the defender to move, whose play is still to be added."""

    position: Position

    attack: Attack
    """The move that led there; without a name if the defender begins."""

    line: tuple[str, ...] = ()
    """The main line from here on; empty elsewhere."""

    refuting: frozenset[int] = frozenset()
    """Replies without an answer by the attacker."""

    is_set_play: bool = False
    """Whether other replies may have no answer either."""


class Levels:
    """Adds play to moves of the attacker, one level after the other.

    Parameters
    ----------
    solution : Solution
        The answer that the play belongs to.
    workspace : Workspace
        The memory of its search.
    options : PlayOptions
        What is wanted, and what all levels together may cost.
    stipulation : Stipulation
        What the play shows.
    attacker : bool
        The side that attacks.

    Attributes
    ----------
    replies : Replies
        The proved answers.
    is_bounded : bool
        Whether the answer can only be followed, because the kernel proves no other
        play.
    has_last_replies : bool
        Whether there is play after the attacker's last move.
    """

    def __init__(
        self,
        solution: Solution,
        workspace: Workspace,
        options: PlayOptions,
        stipulation: Stipulation,
        attacker: chess.Color,
    ) -> None:
        self._options = options
        self._attacker = attacker
        self._kernel = workspace.kernel
        self._search = workspace.search
        self._budget = Budget(options.most_moves, "moves", options.time_s)
        self._workspace = workspace
        self._prover: WorkspaceProver | None = None
        self._is_proved = solution.tablebase is None
        self._is_exact = (
            stipulation == solution.problem.stipulation
            or stipulation.moves <= EXACT_MOVES
        )
        kind = kind_of(stipulation)
        self.replies = kind.replies(workspace, self._budget)
        self.is_bounded = workspace.is_restricted or bool(solution.tablebase)
        self.has_last_replies = kind.defender_ends

    def add(self, nodes: Iterable[Node]) -> int | None:
        """Add the play after moves that were just found.

        Parameters
        ----------
        nodes : iterable of Node
            The positions after them.

        Returns
        -------
        int or None
            How many levels are complete; None: all.
        """
        complete, depth = 0, self._options.depth
        nodes = list(filter(self._is_open, nodes))
        while nodes and self._is_proved and (depth is None or complete < depth - 1):
            spent = self._budget.count
            try:
                nodes = self._add_level(nodes)
            except ENDS:
                self._budget.count = spent
                break
            complete += 1
        for node in nodes:
            node.attack.is_cut = True
            if node.line:
                _chain(node.attack, node.line)
        return complete if nodes else None

    def _add_level(self, nodes: Iterable[Node]) -> list[Node]:
        """Add the play after all nodes or after none; return the nodes below."""
        following: list[Node] = []
        grown = [self._grow(node, following) for node in nodes]
        for node, (threats, defences, is_zugzwang) in zip(nodes, grown, strict=True):
            node.attack.threats, node.attack.defences = threats, defences
            node.attack.is_zugzwang = is_zugzwang
        return following

    def _grow(
        self, node: Node, following: list[Node]
    ) -> tuple[list[Attack], list[Defence], bool]:
        """Return the threats and defences after a move, and whether it is zugzwang."""
        position, line = node.position, node.line
        threats: list[Attack] = []
        is_zugzwang = False
        ranked = []
        for reply in self._answered(node):
            word = reply.word
            if word == NULL_MOVE:
                is_zugzwang = not reply.continuations
                threats = self._attacks(position, reply, (), following)
                continue
            if word in node.refuting or not (reply.continuations or reply.ends):
                continue
            if not (self._options.all_defences or reply.is_relevant):
                continue
            name = self.reply_name(position, word)
            rest = line[1:] if line[:1] == (name,) else ()
            attacks = self._attacks(position, reply, rest, following)
            ranked.append((not rest, -reply.length, name, attacks, reply.is_complete))
        moves = sum(1 + len(attacks) for *_, attacks, _ in ranked) + len(threats)
        self._budget.spend(moves - 2 * bool(line))
        ranked.sort(key=itemgetter(0, 1, 2))
        defences = [
            Defence(name, attacks, all_) for _, _, name, attacks, all_ in ranked
        ]
        return threats, defences, is_zugzwang

    def _attacks(
        self,
        position: Position,
        reply: Reply,
        line: tuple[str, ...],
        following: list[Node],
    ) -> list[Attack]:
        """Return the continuations after a reply; the play below them is added later.

        The position is that before the reply.
        """
        left, words = reply.length - 1, reply.continuations
        has_play = left > 0 or self.has_last_replies
        if has_play or any(goes_to_last_rank(word) for word in words):
            position = self.made(position, reply.word)
        moves = [(self.attack_name(position, word), word) for word in words]
        if len(moves) > 1:
            moves.sort(key=lambda move: ((move[0],) != line[:1], move[0]))
        if not has_play:
            return [Attack(name, left) for name, _ in moves]
        attacks = []
        for name, word in moves:
            attack = Attack(name, left)
            attacks.append(attack)
            rest = line[1:] if line[:1] == (name,) else ()
            following.append(Node(self.made(position, word), attack, rest))
        return attacks

    def _is_open(self, node: Node) -> bool:
        """Whether there is play after a node."""
        return bool(node.attack.moves_left) or self.has_last_replies

    # Answers of the kernel

    def _answered(self, node: Node) -> Iterable[Reply]:
        """Return the replies, each with one or all of its shortest continuations."""
        position, attack = node.position, node.attack
        if not self._is_far(node):
            threats = self._options.threats and not node.is_set_play
            return self.replies.after(position, attack.moves_left, threats=threats)
        return [
            self._followed(self.made(position, word), word, attack.moves_left)
            for word in self.legal(position)
            if word not in node.refuting  # a proof of it would never come
        ]

    def _followed(self, position: Position, reply: int, left: int) -> Reply:
        """Return the continuation of the answer's proof."""
        self._prover = self._prover or WorkspaceProver(self._workspace)
        word, length = self._prover.attack(bytes(position), left, self._budget)
        return Reply(reply, length, [word], is_complete=False)

    def _is_far(self, node: Node) -> bool:
        """Whether the play after a node follows only the answer's proof."""
        return self.is_bounded or (
            not self._is_exact
            and not node.is_set_play
            and node.attack.moves_left > NEAR_MOVES
        )

    # Moves

    def legal(self, position: Position) -> list[int]:
        """Return the legal moves."""
        return self._kernel.moves(position, self._search)

    def made(self, position: Position, word: int) -> Position:
        """Return the position after a move."""
        return self._kernel.made(position, self._search, word)

    def attack_name(self, position: Position, word: int) -> str:
        """Return the name of an attacker's move."""
        return name_of(position, word, self._attacker)

    def reply_name(self, position: Position, word: int) -> str:
        """Return the name of a defender's move."""
        return name_of(position, word, not self._attacker)


def _chain(attack: Attack, line: Sequence[str]) -> None:
    """Add the rest of the main line, from a defence on, where the play is cut.

    In self- and reflex play the line ends with a defence.
    """
    left = attack.moves_left
    for reply, move in zip_longest(line[::2], line[1::2]):
        defence = Defence(reply, continuations_complete=False)
        attack.defences = [defence]
        if move is None:
            break
        left -= 1
        attack = Attack(move, left, is_cut=left > 0 or bool(len(line) % 2))
        defence.continuations = [attack]
