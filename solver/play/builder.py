"""Build the play of a problem from proved answers, level by level.

A level is a defence and its continuations. The kernel answers two questions: which
moves of the attacker solve in time, and which replies refute. All else is bookkeeping,
so a node costs a few calls.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from itertools import zip_longest
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.board import pack
from solver.certificate.prover import (
    Budget,
    BuildingStoppedError,
    TooLargeError,
    WorkspaceProver,
    name_of,
)
from solver.kernel.interface import NULL_MOVE
from solver.play.replies import Replies, Reply
from solver.play.tree import Attack, Defence, Variations
from solver.solution import Status
from solver.stipulation import Goal, Play, Stipulation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.kernel.memory import Position
    from solver.search.workspace import Workspace
    from solver.solution import Solution

MOST_MOVES = 50_000
"""Moves of both sides in a tree: usually enough for the play of a mate in four."""

TIME_S = 60.0

EXACT_MOVES = 5
"""Without a stipulation, the play of longer mates is exact only near the mate."""

NEAR_MOVES = 4
"""Farther from mate than this, one continuation within the proved bound then stands
for all, and no threats are looked for."""


LAST_RANK_SHIFT = 9
"""The first bit of the rank of a move's target."""

ENDS = (TooLargeError, BuildingStoppedError)
"""What ends the building: a limit or a stop."""


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """Which play is wanted, and what it may cost.

    Attributes
    ----------
    set_play : bool
        Show what would follow if the defender began.
    tries : int
        Show first moves that at most this many defences refute; 0: no tries.
    threats : bool
        Look for threats, and leave out defences that change nothing about them.
    all_defences : bool
        Show these defences too.
    depth : int or None
        Show at most this many moves of the attacker; None: all.
    most_moves : int
        The greatest number of moves of both sides, not counting the main line.
    time_s : float
        Seconds to build the tree.
    """

    set_play: bool = False
    tries: int = 0
    threats: bool = True
    all_defences: bool = False
    depth: int | None = None
    most_moves: int = MOST_MOVES
    time_s: float = TIME_S


def build_variations(
    solution: Solution, workspace: Workspace, options: PlayOptions | None = None
) -> Variations:
    """Build the play from the position of an answer.

    1. The answer's principal variation is the main line, and always complete.
    2. Defences with their continuations are added one level after the other.
    3. A level that would exceed a limit is left out entirely, and so are all deeper
       ones. What only an endgame table says has no proof, and so no such levels.

    Parameters
    ----------
    solution : Solution
        The answer. The play is that of the stipulation, or else of the claim, or else
        of the mate that was found; without any of these there is no play.
    workspace : Workspace
        The memory of the search, whose table has most of the proofs.
        `Workspace.resume` was called.
    options : PlayOptions, optional
        What is wanted.

    Returns
    -------
    Variations
        Cut where a limit or a stop of the search ended the building.
    """
    options = options or PlayOptions()
    moves = _wanted_moves(solution)
    if not moves:
        fen, claim = solution.problem.fen, solution.problem.claim
        is_open = solution.status is Status.UNDECIDED or (
            claim is not None
            and solution.mate is None
            and solution.lower_bound <= abs(claim.mate)
        )
        return Variations(fen=fen, complete_moves=0 if is_open else None)
    return _Builder(solution, workspace, options, moves).build()


def _wanted_moves(solution: Solution) -> int:
    """Return the attacker's moves that the play may take; negative: mated in them."""
    problem = solution.problem
    if solution.mate == 0:
        return 0
    if problem.claim and solution.tablebase is None:
        claimed = problem.claim.mate
        if solution.mate is None:  # there may be tries, or a few refutations
            return claimed if solution.lower_bound > abs(claimed) else 0
        if (solution.mate > 0) == (claimed > 0) and abs(solution.mate) <= abs(claimed):
            return claimed
    return solution.mate or 0


NO_THREAT = Reply(NULL_MOVE, 0, [])


def is_relevant(reply: Reply, threat: Reply) -> bool:
    """Return whether a reply is a defence that matters.

    One that ends the play early is none. Without a threat every other is. Else the
    attacker must need longer than the threat, or as long while one of the threats no
    longer works.

    Parameters
    ----------
    reply : Reply
        The reply and its shortest continuations.
    threat : Reply
        The null move and the threats, which are its shortest continuations.
    """
    threats = threat.continuations
    if reply.ends:
        return False
    if not threats or reply.length > threat.length:
        return True
    if reply.length < threat.length:
        return False
    return not set(threats).issubset(reply.continuations)


class _Node(NamedTuple):
    """A position with the defender to move, whose play is still to be added."""

    position: Position

    attack: Attack
    """The move that led there; without a name where the defender begins."""

    line: tuple[str, ...] = ()
    """The main line from here on; empty elsewhere."""

    refuting: frozenset[int] = frozenset()
    """Replies that the attacker has no answer to."""

    is_set_play: bool = False
    """Whether other replies may have no answer either."""


class _Builder:
    def __init__(
        self,
        solution: Solution,
        workspace: Workspace,
        options: PlayOptions,
        moves: int,
    ) -> None:
        board = chess.Board(solution.problem.fen)
        self._board = board
        self._solution = solution
        self._workspace = workspace
        self._options = options
        self._kernel = workspace.kernel
        self._search = workspace.search
        self._position = pack(board)
        self._attacking = moves > 0
        self._attacker = board.turn if self._attacking else not board.turn
        self._moves = abs(moves)
        self._stipulation = solution.problem.stipulation or Stipulation(
            Play.DIRECT, Goal.MATE, self._moves
        )
        # Whether the answer can only be followed, because the kernel proves no other
        # play.
        self._is_bounded = workspace.is_restricted or bool(solution.tablebase)
        self._has_last_replies = self._stipulation.play is not Play.DIRECT
        self._is_exact = (
            solution.problem.stipulation is not None or self._moves <= EXACT_MOVES
        )
        self._budget = Budget(options.most_moves, "moves", options.time_s)
        self._replies = Replies(workspace, self._stipulation, self._budget)
        self._prover: WorkspaceProver | None = None

    def build(self) -> Variations:
        """Build the tree."""
        keys, keys_complete = self._find_keys()
        tries, tries_complete = self._find_tries(keys, keys_complete=keys_complete)
        nodes = [*keys, *tries]
        first, set_play = Attack("", self._moves), Attack("", self._moves - 1)
        if not self._attacking:
            nodes = [_Node(self._position, first, self._solution.pv)]
        elif self._options.set_play and not self._board.is_check():
            after = self._made(self._position, NULL_MOVE)
            nodes.append(_Node(after, set_play, is_set_play=True))
        complete = self._add_levels(list(filter(self._is_open, nodes)))
        return Variations(
            self._stipulation,
            self._solution.problem.fen,
            set_play=tuple(set_play.defences),
            tries=tuple(node.attack for node in tries),
            keys=tuple(node.attack for node in keys),
            defences=tuple(first.defences),
            refutations=tuple(first.refutations),
            threats=tuple(first.threats),
            is_zugzwang=first.is_zugzwang,
            complete_moves=complete,
            keys_complete=keys_complete,
            tries_complete=tries_complete,
        )

    # First moves

    def _find_keys(self) -> tuple[list[_Node], bool]:
        """Return the keys, and whether these are all."""
        if not self._attacking:
            return [], True
        solution, pv = self._solution, self._solution.pv
        mate, complete = solution.mate or self._moves, solution.keys_complete
        lengths = dict.fromkeys(solution.keys or pv[:1], mate)
        names = self._names()
        if not self._is_bounded and not (complete and mate == self._moves):
            with suppress(*ENDS):
                lengths = self._key_lengths(names)
                complete = True
        words = {name: word for word, name in names.items()}
        nodes = []
        for key in sorted(
            lengths, key=lambda key: (key not in pv[:1], lengths[key], key)
        ):
            after = self._made(self._position, words[key])
            line = pv[1:] if pv[:1] == (key,) else ()
            nodes.append(_Node(after, Attack(key, lengths[key] - 1), line))
        return nodes, complete

    def _key_lengths(self, names: dict[int, str]) -> dict[str, int]:
        """Return how many moves each key takes at least, its own included."""
        lengths: dict[str, int] = {}
        for moves in range(self._solution.lower_bound, self._moves + 1):
            for word in self._replies.solving_moves(self._position, moves):
                lengths.setdefault(names[word], moves)
        return lengths

    def _find_tries(
        self, keys: Iterable[_Node], *, keys_complete: bool
    ) -> tuple[list[_Node], bool]:
        """Return the first moves that few replies refute, and whether these are all."""
        tries: list[_Node] = []
        most, left = self._options.tries, self._moves - 1
        has_play = bool(left) or self._has_last_replies
        is_wanted = most and has_play and keys_complete and self._attacking
        if not is_wanted or self._is_bounded:
            return tries, False
        if not self._replies.may_be_refuted(self._position, self._moves):
            return tries, True
        known = {key.attack.move for key in keys}
        names = self._names()
        for word in sorted(names, key=names.__getitem__):
            if names[word] in known:
                continue
            after = self._made(self._position, word)
            try:
                refuting = self._replies.refutations(after, left, most + 1)
            except ENDS:
                return tries, False
            # Without refutations it is stalemate, since it is no key.
            if 0 < len(refuting) <= most:
                refutations = sorted(self._reply_name(after, w) for w in refuting)
                attack = Attack(names[word], left, refutations=refutations)
                tries.append(_Node(after, attack, refuting=frozenset(refuting)))
        return tries, True

    # Levels

    def _add_levels(self, nodes: list[_Node]) -> int | None:
        """Add a level after the other; return how many are complete, None: all."""
        complete, depth = 0, self._options.depth
        is_proved = self._solution.tablebase is None
        while nodes and is_proved and (depth is None or complete < depth - 1):
            try:
                nodes = self._add_level(nodes)
            except ENDS:
                break
            complete += 1
        for node in nodes:
            node.attack.is_cut = True
            if node.line:
                _chain(node.attack, node.line)
        return complete if nodes else None

    def _add_level(self, nodes: Iterable[_Node]) -> list[_Node]:
        """Add the play after each node, or after none; return the nodes below."""
        following: list[_Node] = []
        grown = [self._grow(node, following) for node in nodes]
        for node, (threats, defences, is_zugzwang) in zip(nodes, grown, strict=True):
            node.attack.threats, node.attack.defences = threats, defences
            node.attack.is_zugzwang = is_zugzwang
        return following

    def _grow(
        self, node: _Node, following: list[_Node]
    ) -> tuple[list[Attack], list[Defence], bool]:
        """Return the threats and defences after a move, and whether it is zugzwang."""
        position, attack, line = node.position, node.attack, node.line
        replies = list(self._answered(node))
        # Set play may end at once, with moves left.
        is_over = not attack.moves_left or all(reply.ends for reply in replies)
        shows_all = self._options.all_defences or is_over
        threats: list[Attack] = []
        threat = NO_THREAT
        is_zugzwang = False
        ranked = []
        for reply in replies:
            word, length, words, ends, is_complete = reply
            if word == NULL_MOVE:
                is_zugzwang = not words
                threat = reply
                threats = self._attacks(position, reply, (), following)
                continue
            if word in node.refuting:
                continue
            if not (words or ends):
                if not attack.move and not node.is_set_play:  # the defender begins
                    attack.refutations.append(self._reply_name(position, word))
                continue
            if not (shows_all or is_relevant(reply, threat)):
                continue
            name = self._reply_name(position, word)
            rest = line[1:] if line[:1] == (name,) else ()
            attacks = self._attacks(position, reply, rest, following)
            ranked.append((not rest, -length, name, attacks, is_complete))
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
        following: list[_Node],
    ) -> list[Attack]:
        """Return the continuations after a reply; what is below comes later.

        The position is that before the reply.
        """
        left, words = reply.length - 1, reply.continuations
        has_play = left > 0 or self._has_last_replies
        if has_play or any(_goes_to_last_rank(word) for word in words):
            position = self._made(position, reply.word)
        moves = [(self._attack_name(position, word), word) for word in words]
        if len(moves) > 1:
            moves.sort(key=lambda move: ((move[0],) != line[:1], move[0]))
        if not has_play:
            return [Attack(name, left) for name, _ in moves]
        attacks = []
        for name, word in moves:
            attack = Attack(name, left)
            attacks.append(attack)
            rest = line[1:] if line[:1] == (name,) else ()
            following.append(_Node(self._made(position, word), attack, rest))
        return attacks

    def _is_open(self, node: _Node) -> bool:
        """Whether there is play after a node."""
        return bool(node.attack.moves_left) or self._has_last_replies

    # Answers of the kernel

    def _answered(self, node: _Node) -> Iterable[Reply]:
        """Return the replies, with all shortest continuations or with one for all."""
        position, attack = node.position, node.attack
        if not self._is_far(node):
            threats = self._options.threats and not node.is_set_play
            return self._replies.after(position, attack.moves_left, threats=threats)
        return [
            self._followed(self._made(position, word), word, attack.moves_left)
            for word in self._legal(position)
        ]

    def _followed(self, position: Position, reply: int, left: int) -> Reply:
        """Return the continuation of the answer's proof."""
        self._prover = self._prover or WorkspaceProver(self._workspace)
        word, length = self._prover.attack(bytes(position), left, self._budget)
        return Reply(reply, length, [word], is_complete=False)

    def _is_far(self, node: _Node) -> bool:
        """Whether the play after a node follows the proof of the answer only."""
        return self._is_bounded or (
            not self._is_exact
            and not node.is_set_play
            and node.attack.moves_left > NEAR_MOVES
        )

    # Moves

    def _legal(self, position: Position) -> list[int]:
        return self._kernel.moves(position, self._search)

    def _made(self, position: Position, word: int) -> Position:
        return self._kernel.made(position, self._search, word)

    def _attack_name(self, position: Position, word: int) -> str:
        return name_of(position, word, self._attacker)

    def _reply_name(self, position: Position, word: int) -> str:
        return name_of(position, word, not self._attacker)

    def _names(self) -> dict[int, str]:
        """Return the names of the attacker's first moves."""
        position = self._position
        return {w: self._attack_name(position, w) for w in self._legal(position)}


def _goes_to_last_rank(word: int) -> bool:
    """Whether a move may promote, so that its name depends on the position."""
    return word >> LAST_RANK_SHIFT & 7 == 7


def _chain(attack: Attack, line: Sequence[str]) -> None:
    """Add the rest of the main line, from a defence on, to a move that is cut.

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
