"""Build the play of a problem from proved answers, part by part."""

from __future__ import annotations

from contextlib import closing, nullcontext, suppress
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.board import MoveRow, MoveWriter, Place
from solver.certificate import build
from solver.endgames import ending
from solver.errors import BuildingStoppedError, TooLargeError
from solver.kernel.border import search_struct
from solver.kernel.border.interface import NULL_MOVE
from solver.kernel.border.query_struct import LevelRole
from solver.play.record import (
    PlayOptions,
    Record,
    Variations,
    attack_record,
    mark_key,
    move_record,
)
from solver.problem import (
    MAX_MOVES,
    Goal,
    Limits,
    require_bool,
    require_instance,
    require_int,
)
from solver.search import queries
from solver.search.threads import (
    WATCHDOG,
    Budget,
    Control,
    require_control,
    run_stoppable,
)
from solver.solution import Solution, Status
from solver.solving import Solver
from solver.stipulations import genre_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from solver.problem import Problem
    from solver.search.workspaces import Workspace


SHORT_MOVES = 5
"""Up to this many moves, the builder finds the keys faster than the solver."""

ENDING_MOVES = 9
"""Longer play of a small endgame is followed in its table. The exact play of bishop and
knight takes half a second for a mate in 9, 5 s in 11, and minutes in 13."""

ENDS = (TooLargeError, BuildingStoppedError)
"""A limit or a stop ended the building."""

ATTACK, THREAT, DEFENCE, ENDING, ZUGZWANG = LevelRole


class DefenderNode(NamedTuple):
    """A position with the defender to move, whose play is still to be added."""

    place: Place

    attack: Record
    """The move that led there; without a name if the defender begins."""

    line: tuple[str, ...] = ()
    """The main line from here on; empty elsewhere."""

    is_set_play: bool = False
    """Whether threats are of no interest."""


# --------------------------------------------------------------------------------------
# The parts: keys, set play and tries; and what follows each first move. The kernel says
# which moves of the attacker solve in time, which replies refute, and what follows a
# move. The rest is bookkeeping, so a node costs a few calls.


class _PlayBuilder:
    """Builds the play of one answer, within one budget.

    Parameters
    ----------
    solution : Solution
        The answer.
    workspace : Workspace
        The memory of its search.
    options : PlayOptions
        What is wanted, and what all of it may cost.
    moves : int
        The moves of the play; negative if the defender begins.
    describe : callable
        Is called with what is being built.
    """

    def __init__(
        self,
        solution: Solution,
        workspace: Workspace,
        options: PlayOptions,
        moves: int,
        describe: Callable[[str], None],
    ) -> None:
        self._solution = solution
        self._workspace = workspace
        self._options = options
        self._describe = describe
        self._attacking = moves > 0
        self._moves = abs(moves)
        self._stipulation = solution.problem.stipulation.numbered(self._moves)
        self._genre = genre_of(self._stipulation)
        self._budget = Budget(options.most_moves, "moves", options.time_s)
        self._replies = self._genre.replies(workspace, self._budget)
        self._writer = MoveWriter(workspace.search)
        self._place = Place.of(chess.Board(solution.problem.fen), self._writer)
        self._prover: build.WorkspaceProver | None = None
        # Such an answer can only be followed: the kernel proves no other play.
        self._is_bounded = workspace.is_restricted or bool(solution.tablebase)
        self._move = partial(move_record, popeye=options.popeye)
        self._attack = partial(attack_record, popeye=options.popeye)

    def build(self) -> Variations:
        """Build the tree."""
        self._describe("play of the key")
        keys, keys_complete = self._find_keys()
        first: Record = {"moves_left": self._moves}
        passed: Record = {"moves_left": self._moves - 1}
        key_moves = self._add(keys) if self._attacking else self._add_defences(first)
        for key in keys:
            if features := mark_key(self._place, key.attack["uci"]):
                key.attack["features"] = features
        set_play_moves = self._add_set_play(passed)
        tries, tries_complete, try_moves = self._add_tries(
            keys, keys_complete=keys_complete
        )
        return Variations(
            self._stipulation,
            self._solution.problem.fen,
            set_play=passed.get("defences", []),
            tries=tries,
            tries_complete=tries_complete,
            keys=[node.attack for node in keys],
            keys_complete=keys_complete,
            defences=first.get("defences", []),
            refutations=first.get("refutations", []),
            threats=first.get("threats", []),
            zugzwang=first.get("zugzwang", False),
            key_moves=key_moves,
            set_play_moves=set_play_moves,
            try_moves=try_moves,
            forced=self._forced(self._place) if self._attacking else [],
        )

    def _add_defences(self, first: Record) -> int | None:
        """Add play that the defender begins; see `_add`."""
        if self._solution.mate is None:  # the claim does not hold
            if self._is_bounded:
                return 0
            most = search_struct.MAX_LEGAL_MOVES
            try:
                words = self._replies.refutations(
                    self._place.position, self._moves, most
                )
            except ENDS:
                return 0
            first["refutations"] = self._refutations(self._place, words)
        return self._add([DefenderNode(self._place, first, self._solution.pv)])

    def _add_set_play(self, passed: Record) -> int | None:
        """Add the set play; see `_add`."""
        if not self._options.set_play or not self._attacking or self._place.is_check:
            return None
        if self._is_bounded:
            return 0
        self._describe("set play")
        after = self._place.after(NULL_MOVE)
        return self._add([DefenderNode(after, passed, is_set_play=True)])

    # First moves

    def _find_keys(self) -> tuple[list[DefenderNode], bool]:
        """Return the keys, and whether these are all."""
        if not self._attacking:
            return [], True
        solution, pv = self._solution, self._solution.pv
        mate, complete = solution.mate or self._moves, solution.keys_complete
        lengths = dict.fromkeys(solution.keys or pv[:1], mate)
        if not self._is_bounded and not (complete and mate == self._moves):
            with suppress(*ENDS):
                lengths = self._key_lengths()
                complete = True
        nodes = []
        for key in sorted(
            lengths, key=lambda key: (key not in pv[:1], lengths[key], key)
        ):
            row = self._place.moves[key]
            attack = self._attack(row, lengths[key] - 1)
            after = self._place.after(row.word)
            nodes.append(DefenderNode(after, attack, _after(row, pv)))
        return nodes, complete

    def _key_lengths(self) -> dict[str, int]:
        """Return how many moves each key takes, itself included."""
        lengths: dict[str, int] = {}
        for moves in range(self._solution.lower_bound, self._moves + 1):
            for word in self._replies.solving_moves(self._place.position, moves):
                lengths.setdefault(self._place.name(word).uci, moves)
        return lengths

    def _add_tries(
        self, keys: Iterable[DefenderNode], *, keys_complete: bool
    ) -> tuple[list[Record], bool, int | None]:
        """Find the first moves that few replies refute, and add their play.

        Returns
        -------
        tries : list of dict
            In the order of their names.
        is_complete : bool
            Whether these are all.
        complete_moves : int or None
            The depth to which their play is complete.
        """
        most_asked = self._options.tries
        if not (most_asked and keys_complete and self._attacking) or self._is_bounded:
            return [], False, None
        if not self._replies.has_tries(self._place.position, self._moves):
            return [], True, None
        known = {key.attack["uci"] for key in keys}
        rows = [
            row for uci, row in sorted(self._place.moves.items()) if uci not in known
        ]
        tries: list[Record] = []
        depths: list[int] = []
        is_complete = True
        for most in range(1, most_asked + 1):
            found: list[DefenderNode] = []
            try:
                rows = self._find_tries(rows, most, found)
            except ENDS:
                is_complete = False
            tries += (node.attack for node in found)
            self._describe("play of the tries")
            depth = self._add(found)
            if depth is not None:
                depths.append(depth)
            if not (rows and is_complete):
                break
        tries.sort(key=itemgetter("uci"))
        return tries, is_complete, min(depths, default=None)

    def _find_tries(
        self, rows: Sequence[MoveRow], most: int, found: list[DefenderNode]
    ) -> list[MoveRow]:
        """Append the first moves that at most `most` replies refute; return the rest.

        A move that no reply refutes stalemates, since it is not a key.
        """
        rest = []
        for number, row in enumerate(rows, 1):
            self._describe(f"tries: move {number} of {len(rows)}")
            after = self._place.after(row.word)
            left = self._moves - 1
            words = self._replies.refutations(after.position, left, most + 1)
            if len(words) > most:
                rest.append(row)
            elif words:
                attack = self._attack(row, left)
                attack["refutations"] = self._refutations(after, words)
                found.append(DefenderNode(after, attack))
        return rest

    def _refutations(self, place: Place, words: Iterable[int]) -> list[Record]:
        """Return the records of replies that refute, sorted by their names."""
        records = []
        for row in sorted(map(place.name, words), key=lambda row: row.uci):
            records.append(self._move(row))
            if forced := self._forced(place.after(row.word)):
                records[-1]["forced"] = forced
        return records

    def _forced(self, place: Place) -> list[Record]:
        """Return the moves with which the attacker must end reflex play.

        Only Popeye's text has them.
        """
        if not (self._options.popeye and self._genre.attacker_must_end):
            return []
        if self._stipulation.goal is Goal.MATE:
            ends = [uci for uci, row in place.moves.items() if row.san[-1] == "#"]
        else:
            ends = [
                uci
                for uci, row in place.moves.items()
                if place.after(row.word).is_stalemate
            ]
        return [self._move(place.moves[uci]) for uci in sorted(ends)]

    # The play below first moves, level by level: a defence and its continuations

    def _add(self, nodes: Iterable[DefenderNode]) -> int | None:
        """Add the play after moves that were just found.

        Parameters
        ----------
        nodes : iterable of DefenderNode
            The positions after them.

        Returns
        -------
        int or None
            How many levels are complete; None: all.
        """
        complete, depth = 0, self._options.depth
        nodes = [node for node in nodes if self._is_open(node.attack)]
        is_proved = self._solution.tablebase is None
        while nodes and is_proved and (depth is None or complete < depth - 1):
            spent = self._budget.count
            try:
                nodes = self._add_level(nodes)
            except ENDS:
                self._budget.count = spent
                break
            complete += 1
        for node in nodes:
            self._chain(node)
            node.attack["cut"] = True
        return complete if nodes else None

    def _add_level(self, nodes: Iterable[DefenderNode]) -> list[DefenderNode]:
        """Add the play after all nodes or after none; return the nodes below."""
        following: list[DefenderNode] = []
        grown = [self._grow(node, following) for node in nodes]
        for node, level in zip(nodes, grown, strict=True):
            node.attack.update(level)
        return following

    def _grow(self, node: DefenderNode, following: list[DefenderNode]) -> Record:
        """Return what follows a move: threats or zugzwang, and defences."""
        level: Record = {}
        defence: Record = {}
        before, rest, count = node.place, node.line, 0
        is_followed = self._is_followed(node)
        for row in self._followed(node) if is_followed else self._rows(node):
            role, left = row.head[0], int(row.head[1:] or 0)
            if role == ZUGZWANG:
                level["zugzwang"] = True
                continue
            count += 1
            if role in (DEFENCE, ENDING):
                before, rest = node.place.after(row.word), _after(row, node.line)
                defence = self._attack(row) if role == ENDING else self._move(row)
                level.setdefault("defences", []).append(defence)
                continue
            if role == THREAT and "threats" not in level:
                before, rest = node.place.after(NULL_MOVE), ()
            attack = self._attack(row, left)
            if role == THREAT:
                level.setdefault("threats", []).append(attack)
            else:
                defence.setdefault("continuations", []).append(attack)
                if is_followed:
                    defence["incomplete"] = True
            if self._is_open(attack):
                after = before.after(row.word)
                following.append(DefenderNode(after, attack, _after(row, rest)))
        self._budget.spend(count - 2 * bool(node.line))
        if len(node.line) > 1:  # a last defence is in its order
            _bring_first(level.get("defences", []), *node.line)
        return level

    def _rows(self, node: DefenderNode) -> list[MoveRow]:
        """Return the rows of a level, which are proved exactly."""
        place, left = node.place, node.attack.get("moves_left", 0)
        threats = self._options.threats and not node.is_set_play
        return self._writer.level(
            place.position,
            self._replies.list_after(place.position, left, threats=threats),
            black=place.black,
            all_defences=self._options.all_defences,
        )

    def _is_followed(self, node: DefenderNode) -> bool:
        """Return whether one continuation of a proof stands for all others."""
        left = node.attack.get("moves_left", 0)
        is_long = left > ENDING_MOVES and ending.is_ending(node.place.position)
        return self._is_bounded or (is_long and not node.is_set_play)

    def _followed(self, node: DefenderNode) -> Iterator[MoveRow]:
        """Yield each reply and the continuation of the answer's proof."""
        place, left = node.place, node.attack["moves_left"]
        self._prover = self._prover or build.WorkspaceProver(self._workspace)
        refuting = {move["uci"] for move in node.attack.get("refutations", ())}
        answered = []
        for uci, reply in sorted(place.moves.items()):
            if uci in refuting:  # a proof of it would never come
                continue
            after = place.after(reply.word)
            packed = bytes(after.position)
            word, length = self._prover.attack(packed, left, self._budget)
            attack = after.name(word)._replace(head=f"{ATTACK}{length - 1}")
            answered.append((-length, reply._replace(head=DEFENCE), attack))
        for _, reply, attack in sorted(answered, key=itemgetter(0)):
            yield from (reply, attack)

    def _chain(self, node: DefenderNode) -> None:
        """Add the rest of the main line, from a defence on, where the play is cut.

        In self- and reflex play the line ends with a defence.
        """
        place, attack, line, _ = node
        left = attack.get("moves_left", 0)
        for reply, move in zip_longest(line[::2], line[1::2]):
            row = place.moves[reply]
            place = place.after(row.word)
            defence = self._move(row) if move else self._attack(row)
            attack["defences"] = [defence]
            if move:
                left -= 1
                row = place.moves[move]
                place = place.after(row.word)
                attack = self._attack(row, left)
                defence["continuations"] = [attack]
                if left or len(line) % 2:
                    attack["cut"] = True
            defence["incomplete"] = True

    def _is_open(self, attack: Record) -> bool:
        """Whether there is play after a move of the attacker."""
        return bool(attack.get("moves_left")) or self._genre.defender_ends


def _after(row: MoveRow, line: tuple[str, ...]) -> tuple[str, ...]:
    """Return the rest of the main line after a move; empty elsewhere."""
    return line[1:] if row.uci in line[:1] else ()


def _bring_first(defences: list[Record], reply: str, attack: str, *_: str) -> None:
    """Bring the moves of the main line to the front."""
    defences.sort(key=lambda defence: defence["uci"] != reply)
    for defence in defences[:1]:
        if defence["uci"] == reply:
            defence["continuations"].sort(key=lambda each: each["uci"] != attack)


# --------------------------------------------------------------------------------------
# From an answer to its play.


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
    >>> [(key["san"], key["moves_left"]) for key in play.keys]
    [('Qg8+', 1)]
    >>> for defence in play.keys[0]["defences"]:
    ...     print(defence["san"], [move["san"] for move in defence["continuations"]])
    Rxg8 ['Nf7#']
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
        is_long = most > SHORT_MOVES
        limits = replace(question.limits, max_moves=most)
        question = replace(question, limits=limits, all_keys=is_long)
    batch = queries.Questions(solver.workspace, [question])
    with closing(solver.answers(batch, lambda: nullcontext(control))) as answers:
        (solution,) = batch.solutions(next(answers))
        return variations_after(
            solution, solver.workspace, question.limits, options, control
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
