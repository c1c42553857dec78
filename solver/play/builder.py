"""Build the play of a problem from proved answers, level by level.

A level is a defence and its continuations. The kernel answers two questions: which
moves of the attacker solve in time, and which replies refute. All else is bookkeeping,
so a node costs a few calls.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import chess

from solver.board import pack
from solver.certificate.prover import (
    FIRST_SLICE_NODES,
    SLICE_NODES,
    Budget,
    BuildingStoppedError,
    TooLargeError,
    WorkspaceProver,
    name_of,
)
from solver.kernel.interface import NULL_MOVE
from solver.play.tree import Attack, Defence, Variations
from solver.solution import Status
from solver.stipulation import Goal, Play, Stipulation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from solver.kernel.memory import Position, Search
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


class Solving(Protocol):
    """The questions that the play is built from; the kernel of each play answers them.

    Each answer is None if the search was stopped or hit its limit.
    """

    def solving_moves(
        self, position: Position, search: Search, moves: int
    ) -> list[int] | None:
        """Return the attacker's moves that reach the goal within `moves`."""

    def refutations(
        self, position: Position, search: Search, moves: int, most: int
    ) -> list[int] | None:
        """Return at most `most` replies after which the attacker fails in `moves`."""


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
        is_open = solution.status is Status.UNDECIDED
        fen = solution.problem.fen
        return Variations(fen=fen, complete_moves=0 if is_open else None)
    return _Builder(solution, workspace, options, moves).build()


def _wanted_moves(solution: Solution) -> int:
    """Return the attacker's moves that the play may take; negative: mated in them."""
    problem = solution.problem
    if solution.mate == 0:
        return 0
    if problem.claim and solution.tablebase is None:
        claimed = problem.claim.mate
        if solution.mate is None:
            return claimed if solution.lower_bound > abs(claimed) else 0
        if (solution.mate > 0) == (claimed > 0) and abs(solution.mate) <= abs(claimed):
            return claimed
    return solution.mate or 0


def is_relevant(
    length: int, continuations: Iterable[int], threat_length: int, threats: set[int]
) -> bool:
    """Return whether a defence matters, given the threats.

    Without a threat every defence does. Else the attacker must need longer than the
    threat, or as long while one of the threats no longer works.

    Parameters
    ----------
    length : int
        The attacker's moves that are needed after the defence.
    continuations : iterable of int
        The shortest continuations.
    threat_length : int
        The attacker's moves that the threats take.
    threats : set of int
        The threats; empty: none.
    """
    if not threats or length > threat_length:
        return True
    return length == threat_length and not threats.issubset(continuations)


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


class _Shortest(NamedTuple):
    """The attacker's shortest continuations."""

    moves: int
    """The attacker's moves that they take; 0: there is none."""

    words: list[int]

    is_complete: bool = True
    """Whether these are all, and proved to be the shortest."""


NO_CONTINUATION = _Shortest(0, [])


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
        self._solving: Solving = workspace.kernel
        self._search = workspace.search
        self._position = pack(board)
        self._attacking = moves > 0
        self._attacker = board.turn if self._attacking else not board.turn
        self._moves = abs(moves)
        self._stipulation = solution.problem.stipulation or Stipulation(
            Play.DIRECT, Goal.MATE, self._moves
        )
        self._is_exact = (
            solution.problem.stipulation is not None or self._moves <= EXACT_MOVES
        )
        self._node_limit: int = self._search.node_limit
        self._budget = Budget(options.most_moves, "moves", options.time_s)
        self._prover = WorkspaceProver(workspace)

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
        complete = self._add_levels([node for node in nodes if node.attack.moves_left])
        return Variations(
            self._stipulation,
            self._solution.problem.fen,
            set_play=tuple(set_play.defences),
            tries=tuple(node.attack for node in tries),
            keys=tuple(node.attack for node in keys),
            defences=tuple(first.defences),
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
        names = self._names()
        words = {name: word for word, name in names.items()}
        keys: Iterable[str] = solution.keys or pv[:1]
        complete = solution.keys_complete
        if not self._is_bounded and not (complete and solution.mate == self._moves):
            with suppress(*ENDS):
                found = self._solve(self._position, self._moves)
                keys, complete = (names[word] for word in found), True
        nodes = []
        for key in sorted(keys, key=lambda key: (key not in pv[:1], key)):
            after = self._made(self._position, words[key])
            line = pv[1:] if pv[:1] == (key,) else ()
            nodes.append(_Node(after, Attack(key, self._moves - 1), line))
        return nodes, complete

    def _find_tries(
        self, keys: Iterable[_Node], *, keys_complete: bool
    ) -> tuple[list[_Node], bool]:
        """Return the first moves that few replies refute, and whether these are all."""
        tries: list[_Node] = []
        most, left = self._options.tries, self._moves - 1
        is_wanted = most and left and keys_complete and self._attacking
        if not is_wanted or self._is_bounded:
            return tries, False
        known = {key.attack.move for key in keys}
        names = self._names()
        for word in sorted(names, key=names.__getitem__):
            if names[word] in known:
                continue
            after = self._made(self._position, word)
            try:
                refuting = self._ask(self._solving.refutations, after, left, most + 1)
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
        grown = []
        for node in nodes:
            threats, words, length = self._threats(node, following)
            defences = self._defences(node, length, set(words), following)
            grown.append((node.attack, threats, defences))
            self._budget.spend(len(defences) - bool(node.line))
        for attack, threats, defences in grown:
            attack.threats, attack.defences = threats, defences
        return following

    def _threats(
        self, node: _Node, following: list[_Node]
    ) -> tuple[list[Attack], list[int], int]:
        """Return the threats of an attack, as moves too, and their length."""
        position, attack = node.position, node.attack
        is_wanted = attack.move and self._options.threats
        if not is_wanted or self._is_far(node) or self._is_check(position):
            return [], [], 0
        passed = self._made(position, NULL_MOVE)
        shortest = self._shortest(passed, attack.moves_left)
        attack.is_zugzwang = not shortest.words
        threats = self._attacks(passed, shortest, (), following)
        return threats, shortest.words, shortest.moves

    def _defences(
        self,
        node: _Node,
        threat_length: int,
        threats: set[int],
        following: list[_Node],
    ) -> list[Defence]:
        """Return the defences that are wanted, with their continuations."""
        position, line = node.position, node.line
        ranked = []
        for reply in self._legal(position):
            if reply in node.refuting:
                continue
            after = self._made(position, reply)
            shortest = self._answers(node, after)
            if not shortest.words or not (
                self._options.all_defences
                or is_relevant(shortest.moves, shortest.words, threat_length, threats)
            ):
                continue
            name = self._reply_name(position, reply)
            rest = line[1:] if line[:1] == (name,) else ()
            attacks = self._attacks(after, shortest, rest, following)
            defence = Defence(name, attacks, shortest.is_complete)
            ranked.append((not rest, -shortest.moves, name, defence))
        ranked.sort(key=lambda entry: entry[:3])
        return [defence for *_, defence in ranked]

    def _attacks(
        self,
        position: Position,
        shortest: _Shortest,
        line: tuple[str, ...],
        following: list[_Node],
    ) -> list[Attack]:
        """Return the attacker's moves in a position; what is below comes later."""
        left = shortest.moves - 1
        self._budget.spend(len(shortest.words) - bool(line))
        moves = [(self._attack_name(position, word), word) for word in shortest.words]
        moves.sort(key=lambda move: ((move[0],) != line[:1], move[0]))
        attacks = []
        for name, word in moves:
            attack = Attack(name, left)
            attacks.append(attack)
            if left:
                rest = line[1:] if line[:1] == (name,) else ()
                following.append(_Node(self._made(position, word), attack, rest))
        return attacks

    # Answers of the kernel

    def _answers(self, node: _Node, position: Position) -> _Shortest:
        """Return the shortest continuations after a defence, or one for all."""
        left = node.attack.moves_left
        if not self._is_far(node):
            return self._shortest(position, left)
        word, length = self._prover.attack(bytes(position), left, self._budget)
        return _Shortest(length, [word], is_complete=False)

    def _is_far(self, node: _Node) -> bool:
        """Whether the play after a node follows the proof of the answer only."""
        return self._is_bounded or (
            not self._is_exact
            and not node.is_set_play
            and node.attack.moves_left > NEAR_MOVES
        )

    def _shortest(self, position: Position, left: int) -> _Shortest:
        """Return the attacker's shortest continuations of at most `left` moves."""
        for length in range(1, left + 1):
            if words := self._solve(position, length):
                return _Shortest(length, words)
        return NO_CONTINUATION

    def _solve(self, position: Position, moves: int) -> list[int]:
        """Return the attacker's moves that solve within `moves`."""
        return self._ask(self._solving.solving_moves, position, moves)

    def _ask(
        self,
        question: Callable[..., list[int] | None],
        position: Position,
        *numbers: int,
    ) -> list[int]:
        """Ask in slices, so that the clock is looked at, until there is an answer."""
        search, nodes = self._search, FIRST_SLICE_NODES
        while True:
            search.node_limit = min(search.nodes + nodes, self._node_limit)
            answer = question(position, search, *numbers)
            search.node_limit = self._node_limit
            if answer is not None:
                return answer
            if self._workspace.is_exhausted:
                raise BuildingStoppedError
            self._workspace.use_whole_table()
            self._budget.check_time()
            nodes = min(2 * nodes, SLICE_NODES)

    @property
    def _is_bounded(self) -> bool:
        """Whether the answer can only be followed: the kernel proves no other play."""
        return self._workspace.is_restricted or bool(self._solution.tablebase)

    # Moves

    def _legal(self, position: Position) -> list[int]:
        return self._kernel.moves(position, self._search)

    def _made(self, position: Position, word: int) -> Position:
        return self._kernel.made(position, self._search, word)

    def _is_check(self, position: Position) -> bool:
        """Return whether the side to move is in check."""
        return self._kernel.is_check(position, self._search)

    def _attack_name(self, position: Position, word: int) -> str:
        return name_of(position, word, self._attacker)

    def _reply_name(self, position: Position, word: int) -> str:
        return name_of(position, word, not self._attacker)

    def _names(self) -> dict[int, str]:
        """Return the names of the attacker's first moves."""
        position = self._position
        return {w: self._attack_name(position, w) for w in self._legal(position)}


def _chain(attack: Attack, line: Sequence[str]) -> None:
    """Add the rest of the main line, from a defence on, to a move that is cut."""
    left = attack.moves_left
    for reply, move in zip(line[::2], line[1::2], strict=True):
        left -= 1
        following = Attack(move, left, is_cut=left > 0)
        attack.defences = [Defence(reply, [following], continuations_complete=False)]
        attack = following
