"""Build the play of a problem from proved answers, part by part.

Called by `cli` and `output`; imports `tree` and most rooms.
"""

from __future__ import annotations

from contextlib import closing, nullcontext, suppress
from dataclasses import replace
from itertools import zip_longest
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.board import pack_board
from solver.certificate import build
from solver.kernel.border.interface import NULL_MOVE
from solver.play.tree import Attack, Defence, PlayOptions, Variations
from solver.problem import (
    MAX_MOVES,
    Limits,
    require_bool,
    require_instance,
    require_int,
)
from solver.search import queries
from solver.search.threads import (
    WATCHDOG,
    Control,
    require_control,
    run_stoppable,
)
from solver.solution import Solution, Status
from solver.solving import Solver
from solver.stipulations import genre_of
from solver.stipulations.solving_moves import Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from solver.kernel.border.search_struct import PositionStruct
    from solver.problem import Problem, Stipulation
    from solver.search.workspaces import Workspace


# --------------------------------------------------------------------------------------
# The play below first moves, level by level: a defence and its continuations.

EXACT_MOVES = 5
"""Without a stipulation, the play of longer mates is exact only near the mate."""

NEAR_MOVES = 4
"""Farther from mate than this, one continuation within the proved bound then
represents all others, and threats are not searched for."""

ENDS = (build.TooLargeError, build.BuildingStoppedError)
"""A limit or a stop ended the building."""


class DefenderNode(NamedTuple):
    """A position with the defender to move, whose play is still to be added."""

    position: PositionStruct

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
        self._budget = build.Budget(options.most_moves, "moves", options.time_s)
        self._workspace = workspace
        self._prover: build.WorkspaceProver | None = None
        self._is_proved = solution.tablebase is None
        self._is_exact = (
            stipulation == solution.problem.stipulation
            or stipulation.length <= EXACT_MOVES
        )
        kind = genre_of(stipulation)
        self.replies = kind.replies(workspace, self._budget)
        self.is_bounded = workspace.is_restricted or bool(solution.tablebase)
        self.has_last_replies = kind.defender_ends

    def add(self, nodes: Iterable[DefenderNode]) -> int | None:
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

    def _add_level(self, nodes: Iterable[DefenderNode]) -> list[DefenderNode]:
        """Add the play after all nodes or after none; return the nodes below."""
        following: list[DefenderNode] = []
        grown = [self._grow(node, following) for node in nodes]
        for node, (threats, defences, is_zugzwang) in zip(nodes, grown, strict=True):
            node.attack.threats, node.attack.defences = threats, defences
            node.attack.is_zugzwang = is_zugzwang
        return following

    def _grow(
        self, node: DefenderNode, following: list[DefenderNode]
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
        position: PositionStruct,
        reply: Reply,
        line: tuple[str, ...],
        following: list[DefenderNode],
    ) -> list[Attack]:
        """Return the continuations after a reply; the play below them is added later.

        The position is that before the reply.
        """
        left, words = reply.length - 1, reply.continuations
        has_play = left > 0 or self.has_last_replies
        if has_play or any(build.goes_to_last_rank(word) for word in words):
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
            following.append(DefenderNode(self.made(position, word), attack, rest))
        return attacks

    def _is_open(self, node: DefenderNode) -> bool:
        """Whether there is play after a node."""
        return bool(node.attack.moves_left) or self.has_last_replies

    # Answers of the kernel

    def _answered(self, node: DefenderNode) -> Iterable[Reply]:
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

    def _followed(self, position: PositionStruct, reply: int, left: int) -> Reply:
        """Return the continuation of the answer's proof."""
        self._prover = self._prover or build.WorkspaceProver(self._workspace)
        word, length = self._prover.attack(bytes(position), left, self._budget)
        return Reply(reply, length, [word], is_complete=False)

    def _is_far(self, node: DefenderNode) -> bool:
        """Whether the play after a node follows only the answer's proof."""
        return self.is_bounded or (
            not self._is_exact
            and not node.is_set_play
            and node.attack.moves_left > NEAR_MOVES
        )

    # Moves

    def legal(self, position: PositionStruct) -> list[int]:
        """Return the legal moves."""
        return self._kernel.moves(position, self._search)

    def made(self, position: PositionStruct, word: int) -> PositionStruct:
        """Return the position after a move."""
        return self._kernel.made(position, self._search, word)

    def attack_name(self, position: PositionStruct, word: int) -> str:
        """Return the name of an attacker's move."""
        return build.uci_of(position, word, self._attacker)

    def reply_name(self, position: PositionStruct, word: int) -> str:
        """Return the name of a defender's move."""
        return build.uci_of(position, word, not self._attacker)


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


# --------------------------------------------------------------------------------------
# The parts: keys, set play and tries. The kernel answers two questions: which moves of
# the attacker solve in time, and which replies refute. The rest is bookkeeping, so a
# node costs a few calls.


def build_variations(
    solution: Solution,
    workspace: Workspace,
    options: PlayOptions | None = None,
    describe: Callable[[str], None] = lambda _: None,
) -> Variations:
    """Build the play from the position of an answer.

    1. The answer's principal variation is the main line and is always complete.
    2. The play of the keys comes first, then the set play, then the tries with one
       refutation, with two, and so on: an additional part never shortens an earlier
       one.
    3. In each of these parts, defences with their continuations are added one level
       after the other. A level that would exceed a limit is left out entirely, and so
       are all deeper ones. An answer that only an endgame table gives has no proof and
       thus no such levels.

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
    describe : callable, optional
        Is called with what is being built, for people to read.

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
        return Variations(fen=fen, key_moves=0 if is_open else None)
    return _PlayBuilder(solution, workspace, options, moves, describe).build()


def build_after_key(
    question: queries.Question, workspace: Workspace, options: PlayOptions
) -> Variations:
    """Build the play of a position after a key, without solving it.

    Parameters
    ----------
    question : Question
        The defender is to move; the attacker has one move less than the stipulation.
    workspace : Workspace
        Where the play is proved; forgets its last search.
    options : PlayOptions
        What is wanted.

    Returns
    -------
    Variations
        Its `defences` and `refutations`; nothing if the key has ended the play.
    """
    problem = question.problem
    moves = problem.stipulation.length - 1
    if not moves and not genre_of(problem.stipulation).defender_ends:
        return Variations(fen=problem.fen)
    workspace.begin(question.limits.nodes)
    after = Solution(problem, Status.UNDECIDED, None, 1)
    return _PlayBuilder(after, workspace, options, -moves, lambda _: None).build()


def _wanted_moves(solution: Solution) -> int:
    """Return the most moves of the play; negative if the side to move is mated."""
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


class _PlayBuilder:
    def __init__(
        self,
        solution: Solution,
        workspace: Workspace,
        options: PlayOptions,
        moves: int,
        describe: Callable[[str], None],
    ) -> None:
        board = chess.Board(solution.problem.fen)
        self._board = board
        self._solution = solution
        self._options = options
        self._describe = describe
        self._position = pack_board(board)
        self._attacking = moves > 0
        self._moves = abs(moves)
        self._stipulation = solution.problem.stipulation.numbered(self._moves)
        attacker = board.turn if self._attacking else not board.turn
        self._levels = Levels(solution, workspace, options, self._stipulation, attacker)
        self._replies = self._levels.replies

    def build(self) -> Variations:
        """Build the tree."""
        self._describe("play of the key")
        keys, keys_complete = self._find_keys()
        first, set_play = Attack("", self._moves), Attack("", self._moves - 1)
        key_moves = (
            self._levels.add(keys) if self._attacking else self._add_defences(first)
        )
        set_play_moves = self._add_set_play(set_play)
        tries, tries_complete, try_moves = self._add_tries(
            keys, keys_complete=keys_complete
        )
        return Variations(
            self._stipulation,
            self._solution.problem.fen,
            set_play=tuple(set_play.defences),
            tries=tuple(tries),
            keys=tuple(node.attack for node in keys),
            defences=tuple(first.defences),
            refutations=tuple(first.refutations),
            threats=tuple(first.threats),
            is_zugzwang=first.is_zugzwang,
            key_moves=key_moves,
            set_play_moves=set_play_moves,
            try_moves=try_moves,
            keys_complete=keys_complete,
            tries_complete=tries_complete,
        )

    def _add_defences(self, first: Attack) -> int | None:
        """Add play that the defender begins; see `Levels.add`."""
        position, refuting = self._position, list[int]()
        if self._solution.mate is None:  # the claim does not hold
            if self._levels.is_bounded:
                return 0
            moves = len(self._levels.legal(position))
            try:
                refuting = self._replies.refutations(position, self._moves, moves)
            except ENDS:
                return 0
        first.refutations = sorted(
            self._levels.reply_name(position, w) for w in refuting
        )
        node = DefenderNode(position, first, self._solution.pv, frozenset(refuting))
        return self._levels.add([node])

    def _add_set_play(self, passed: Attack) -> int | None:
        """Add the set play; see `Levels.add`."""
        if not self._options.set_play or not self._attacking or self._board.is_check():
            return None
        if self._levels.is_bounded:
            return 0
        self._describe("set play")
        after = self._levels.made(self._position, NULL_MOVE)
        return self._levels.add([DefenderNode(after, passed, is_set_play=True)])

    # First moves

    def _find_keys(self) -> tuple[list[DefenderNode], bool]:
        """Return the keys, and whether these are all."""
        if not self._attacking:
            return [], True
        solution, pv = self._solution, self._solution.pv
        mate, complete = solution.mate or self._moves, solution.keys_complete
        lengths = dict.fromkeys(solution.keys or pv[:1], mate)
        names = self._names()
        if not self._levels.is_bounded and not (complete and mate == self._moves):
            with suppress(*ENDS):
                lengths = self._key_lengths(names)
                complete = True
        words = {name: word for word, name in names.items()}
        nodes = []
        for key in sorted(
            lengths, key=lambda key: (key not in pv[:1], lengths[key], key)
        ):
            after = self._levels.made(self._position, words[key])
            line = pv[1:] if pv[:1] == (key,) else ()
            nodes.append(DefenderNode(after, Attack(key, lengths[key] - 1), line))
        return nodes, complete

    def _key_lengths(self, names: dict[int, str]) -> dict[str, int]:
        """Return how many moves each key takes, itself included."""
        lengths: dict[str, int] = {}
        for moves in range(self._solution.lower_bound, self._moves + 1):
            for word in self._replies.solving_moves(self._position, moves):
                lengths.setdefault(names[word], moves)
        return lengths

    def _add_tries(
        self, keys: Iterable[DefenderNode], *, keys_complete: bool
    ) -> tuple[list[Attack], bool, int | None]:
        """Find the first moves that few replies refute, and add their play.

        Returns
        -------
        tries : list of Attack
            In the order of their names.
        is_complete : bool
            Whether these are all.
        complete_moves : int or None
            The depth to which their play is complete.
        """
        most_asked = self._options.tries
        if (
            not (most_asked and keys_complete and self._attacking)
            or self._levels.is_bounded
        ):
            return [], False, None
        if not self._replies.has_tries(self._position, self._moves):
            return [], True, None
        known = {key.attack.move for key in keys}
        names = {w: name for w, name in self._names().items() if name not in known}
        words = sorted(names, key=names.__getitem__)
        tries: list[Attack] = []
        depths: list[int] = []
        is_complete = True
        for most in range(1, most_asked + 1):
            found: list[DefenderNode] = []
            try:
                words = self._find_tries(words, most, found)
            except ENDS:
                is_complete = False
            tries += (node.attack for node in found)
            self._describe("play of the tries")
            depth = self._levels.add(found)
            if depth is not None:
                depths.append(depth)
            if not (words and is_complete):
                break
        tries.sort(key=lambda attack: attack.move)
        return tries, is_complete, min(depths, default=None)

    def _find_tries(
        self, words: Sequence[int], most: int, found: list[DefenderNode]
    ) -> list[int]:
        """Append the first moves that at most `most` replies refute; return the rest.

        A move that no reply refutes stalemates, since it is not a key.
        """
        rest = []
        for number, word in enumerate(words, 1):
            self._describe(f"tries: move {number} of {len(words)}")
            after = self._levels.made(self._position, word)
            refuting = self._replies.refutations(after, self._moves - 1, most + 1)
            if len(refuting) > most:
                rest.append(word)
            elif refuting:
                name = self._levels.attack_name(self._position, word)
                refutations = sorted(
                    self._levels.reply_name(after, w) for w in refuting
                )
                attack = Attack(name, self._moves - 1, refutations=refutations)
                found.append(DefenderNode(after, attack, refuting=frozenset(refuting)))
        return rest

    def _names(self) -> dict[int, str]:
        """Return the names of the attacker's first moves."""
        position = self._position
        return {
            w: self._levels.attack_name(position, w)
            for w in self._levels.legal(position)
        }


# --------------------------------------------------------------------------------------
# `variations`: the play of a problem, from the question to the tree.

MOST_REFUTATIONS = 255


def variations(  # noqa: PLR0913 -- each is one switch of the question
    problem: Problem | str | chess.Board,
    limits: Limits | None = None,
    *,
    moves: str | Sequence[str] = "",
    repair: bool = False,
    set_play: bool = False,
    tries: int = 0,
    threats: bool = True,
    all_defences: bool = False,
    depth: int | None = None,
    control: Control | None = None,
    solver: Solver | None = None,
) -> Variations:
    """Find the whole play of a problem: keys, threats, defences and continuations.

    Keys are the first moves that solve within the stipulated moves; without a
    stipulation, within the claimed moves; without a claim, in the shortest mate's
    moves. All other play is the shortest.

    Parameters
    ----------
    problem : Problem, str or chess.Board
        The position, and what is demanded; see `solver.solve`, also for `moves` and
        `repair`.
    limits : Limits, optional
        What solving and building may cost together. Without a time limit, building
        stops after a minute.
    set_play : bool
        Show what would follow if the defender began.
    tries : int
        Show first moves that at most this many defences refute, 0 to 255.
    threats : bool
        Look for threats, and leave out the defences that change nothing about them: the
        attacker needs fewer moves than the threat, or as many and every threat still
        works.
    all_defences : bool
        Show these defences too.
    depth : int, optional
        Show at most this many moves of the attacker, 1 to 200.
    control : Control, optional
        Stops the search and the building, from another thread.
    solver : Solver, optional
        Memory to reuse for many problems, and tablebases if it has any.

    Returns
    -------
    Variations
        The tree. What a limit or a stop left out is cut from the far end:
        `complete_moves` is then a number, and there may be no play at all.

    Raises
    ------
    FenError
        The position is not legal.
    InputError
        An argument has the wrong type or is out of range, or the stipulation is one of
        help play, which has solutions but no variations.
    AllocationError, CacheError, KernelError, TablebaseError
        See `solver.solve`.

    Examples
    --------
    >>> from solver import Problem, variations
    >>> problem = Problem("5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -", stipulation="#2")
    >>> play = variations(problem, set_play=True)
    >>> [(key.move, key.moves_left) for key in play.keys]
    [('c4g8', 1)]
    >>> for defence in play.keys[0].defences:
    ...     print(defence.move, [attack.move for attack in defence.continuations])
    f8g8 ['h6f7']
    """
    options = PlayOptions(
        set_play=require_bool("set_play", set_play),
        tries=require_int("tries", tries, 0, MOST_REFUTATIONS),
        threats=require_bool("threats", threats),
        all_defences=require_bool("all_defences", all_defences),
        depth=None if depth is None else require_int("depth", depth, 1, MAX_MOVES),
    )
    question = queries.read_question(problem, limits, moves=moves, repair=repair)
    genre_of(question.problem.stipulation).require_variations()
    stopper = require_control(control)
    if solver is not None:
        require_instance("solver", solver, Solver, "a Solver or None")

    def find() -> Variations:
        limits = question.limits
        chosen = solver or Solver(limits.hash_mib, threads=limits.threads)
        return find_variations(chosen, question, options, stopper)

    return run_stoppable(find, stopper)


def find_variations(
    solver: Solver, question: queries.Question, options: PlayOptions, control: Control
) -> Variations:
    """Solve a question that has been read, and build its play, in the calling thread.

    Parameters
    ----------
    solver : Solver
        Where the search runs.
    question : Question
        See `solver.search.queries.read_question`.
    options : PlayOptions
        Its `time_s` counts only where the question has no time limit.
    control : Control
        Stops the search and the building.
    """
    claim = question.problem.claim
    if claim:  # a stipulation claims that it is solvable
        most = min(question.most_moves, abs(claim.mate))
        # The builder finds the keys of a short problem faster than the solver.
        is_long = most > EXACT_MOVES
        limits = replace(question.limits, max_moves=most)
        question = replace(question, limits=limits, all_keys=is_long)
    batch = queries.Questions(solver.workspace, [question])
    with closing(solver.answers(batch, lambda: nullcontext(control))) as answers:
        return variations_after(
            next(answers), solver.workspace, question.limits, options, control
        )


def variations_after(
    solution: Solution,
    workspace: Workspace,
    limits: Limits,
    options: PlayOptions,
    control: Control,
) -> Variations:
    """Build the play of the last answer, in the calling thread.

    Parameters
    ----------
    solution : Solution
        The answer.
    workspace : Workspace
        The memory of its search.
    limits : Limits
        What searching and building may cost together.
    options : PlayOptions
        Its `time_s` counts only where `limits` has no time limit.
    control : Control
        Stops the building, and has what is being built.
    """
    left = limits.after(solution.stats.nodes, solution.stats.time_s)
    if left.time_s is not None:
        options = options._replace(time_s=left.time_s)
    workspace.resume(left.nodes)
    control.attach(workspace.search)
    with WATCHDOG.limit(control, left.time_s):
        return build_variations(solution, workspace, options, control.describe)
