"""Build the play of a problem from proved answers, part by part.

The parts are keys, set play and tries. The kernel answers two questions: which moves of
the attacker solve in time, and which replies refute. The rest is bookkeeping, so a node
costs a few calls.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import chess

from solver.board import pack
from solver.kernel.border.interface import NULL_MOVE
from solver.play.levels import ENDS, Levels, Node
from solver.play.options import PlayOptions
from solver.play.tree import Attack, Variations
from solver.solution import Solution, Status
from solver.stipulations import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from solver.search.question import Question
    from solver.search.workspace import Workspace


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
    return _Builder(solution, workspace, options, moves, describe).build()


def build_after_key(
    question: Question, workspace: Workspace, options: PlayOptions
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
    moves = problem.stipulation.moves - 1
    if not moves and not kind_of(problem.stipulation).defender_ends:
        return Variations(fen=problem.fen)
    workspace.begin(question.limits.nodes)
    after = Solution(problem, Status.UNDECIDED, None, 1)
    return _Builder(after, workspace, options, -moves, lambda _: None).build()


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


class _Builder:
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
        self._position = pack(board)
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
        node = Node(position, first, self._solution.pv, frozenset(refuting))
        return self._levels.add([node])

    def _add_set_play(self, passed: Attack) -> int | None:
        """Add the set play; see `Levels.add`."""
        if not self._options.set_play or not self._attacking or self._board.is_check():
            return None
        if self._levels.is_bounded:
            return 0
        self._describe("set play")
        after = self._levels.made(self._position, NULL_MOVE)
        return self._levels.add([Node(after, passed, is_set_play=True)])

    # First moves

    def _find_keys(self) -> tuple[list[Node], bool]:
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
            nodes.append(Node(after, Attack(key, lengths[key] - 1), line))
        return nodes, complete

    def _key_lengths(self, names: dict[int, str]) -> dict[str, int]:
        """Return how many moves each key takes, itself included."""
        lengths: dict[str, int] = {}
        for moves in range(self._solution.lower_bound, self._moves + 1):
            for word in self._replies.solving_moves(self._position, moves):
                lengths.setdefault(names[word], moves)
        return lengths

    def _add_tries(
        self, keys: Iterable[Node], *, keys_complete: bool
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
            found: list[Node] = []
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
        self, words: Sequence[int], most: int, found: list[Node]
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
                found.append(Node(after, attack, refuting=frozenset(refuting)))
        return rest

    def _names(self) -> dict[int, str]:
        """Return the names of the attacker's first moves."""
        position = self._position
        return {
            w: self._levels.attack_name(position, w)
            for w in self._levels.legal(position)
        }
