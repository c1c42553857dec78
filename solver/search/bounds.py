"""One problem on its way through the search: who mates, how soon, by which line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import chess

from solver.board import pack, unpack_move
from solver.endgames import SeenEndings, find_ending, is_ending
from solver.kernel.interface import Verdict
from solver.problem import Lane
from solver.search.root import Root
from solver.solution import Status, TableFormat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from solver.endgames import EndingAnswer
    from solver.search.question import Question
    from solver.search.threads import Control
    from solver.search.workspace import Workspace


# The conductor: closes the bounds on the shortest mate from both sides.
#
# The prover asks for a mate in 1, 2, 3, ... and lifts the lower bound; the finder
# goes for any mate below the upper bound and pulls that down. They take turns, with
# budgets that double, until the bounds meet or a limit comes. Both share what is
# proved of each position, so the work of one is never lost on the other.

FIRST_BUDGET = 20_000
"""Nodes that the finder may spend on one question in the first round."""

PROVER_SHARE = 2.0
"""The prover may spend so many times that on each lower bound."""

PROVER_SHARE_OF_ANY = 0.1
"""The same, where a mate of any length will do."""

REACH = 3
"""How far above the lower bound the finder asks in the first round, and how much
farther in each round after."""

LANE = Lane(king_flights=1)
LANE_SHARE = 0.25
LANE_FROM = 8
"""What the finder leaves open is asked again in a lane, for a share of the cost, from
so many moves on: in a lane some long mates are near."""


class Conductor:
    """Asks prover and finder in turn.

    Parameters
    ----------
    root : Root
        What is asked about.
    question : Question
        What is asked.
    control : Control
        Told each new bound.

    Attributes
    ----------
    lower : int
        No mate takes fewer moves: proved.
    upper : int or None
        A mate within so many is proved.
    line : tuple of str
        Its line, in UCI notation; empty when it was interrupted.
    """

    def __init__(self, root: Root, question: Question, control: Control) -> None:
        self.root = root
        self._workspace = root.workspace
        self._question = question
        self._control = control
        self.lower = 1
        self.upper: int | None = None
        self.line: tuple[str, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to ask."""
        if self.upper is not None and (
            self._question.any_length or self.lower >= self.upper
        ):
            return True
        return self.lower > self._question.most_moves

    def turns(self) -> Iterator[None]:
        """Take turns until all is answered; the caller stops when a limit comes."""
        budget, reach = FIRST_BUDGET, REACH
        while not self.is_done:
            share = PROVER_SHARE_OF_ANY if self._question.any_length else PROVER_SHARE
            self._lift(int(share * budget))
            yield
            self._pull(budget, reach)
            yield
            budget *= 2
            reach += REACH

    def _lift(self, nodes: int) -> None:
        """Let the prover lift the lower bound, at most `nodes` a step."""
        verdict = Verdict.NO_MATE
        while verdict is Verdict.NO_MATE and not self.is_done:
            with self._workspace.budget(nodes):
                verdict = self.root.decide(self.lower)
            if verdict is Verdict.NO_MATE:
                self._raise_lower(self.lower + 1)
            elif verdict is Verdict.MATE:
                self._lower_upper(self.lower)

    def _pull(self, nodes: int, reach: int) -> None:
        """Let the finder look below the upper bound, at most `nodes` a question."""
        question = self._question
        if question.any_length:
            self._ask(question.most_moves, nodes)
            return
        if question.expected and self.upper is None:
            self._ask(question.expected, nodes)
        moves, asked = self.lower, 0
        while not self.is_done and moves <= self._farthest(reach):
            self._ask(moves, nodes)
            asked += 1
            # A bound that is too high costs little, so far questions lie wide apart.
            moves += 1 if self.upper else max(1, asked // 2)

    def _ask(self, moves: int, nodes: int) -> None:
        verdict = self._find(moves, nodes)
        if verdict is Verdict.MATE:
            self._lower_upper(moves)
        elif verdict is Verdict.NO_MATE:
            self._raise_lower(moves + 1)

    def _find(self, moves: int, nodes: int) -> Verdict:
        """Ask the finder, and once more in a lane if it does not know."""
        workspace = self._workspace
        with workspace.budget(nodes):
            verdict = self.root.find(moves)
        if verdict is not Verdict.STOPPED or workspace.has_lane or moves < LANE_FROM:
            return verdict
        with workspace.budget(int(LANE_SHARE * nodes)), workspace.looking_in(LANE):
            found = self.root.find(moves)
        return found if found is Verdict.MATE else verdict

    def _farthest(self, reach: int) -> int:
        if self.upper is not None:
            return self.upper - 1
        return min(self._question.most_moves, self.lower + reach - 1)

    def _raise_lower(self, moves: int) -> None:
        if moves > self.lower:
            self.lower = moves
            if self.root.attacking == self._question.attacking:
                self._control.lower_bound = moves

    def _lower_upper(self, moves: int) -> None:
        """Take a mate that was just proved within `moves`, with its line."""
        with self._control.finishing():
            line = self.root.line(moves, shortest=moves == self.lower)
        if line or self.upper is None:
            self.upper = (len(line) + 1) // 2 if line else moves
            self.line = line
        if line:
            mate = self.upper if self.root.attacking else -self.upper
            self._control.best = mate, line


OTHER_SIDE_SHARE = 8
OTHER_SIDE_NODES = 10_000
"""Where nobody said who attacks, the mate of the other side is looked for with an
eighth of the nodes, and so many at least."""

OTHER_SIDE_REST = 2_000_000
"""And with so many once it is proved that the side to move has no mate."""

BEFORE_ENDINGS = 2_000_000
"""The first position of a small ending is searched with so many nodes before the table
of the ending is built, which takes as long. With a limit of no more nodes no position
is answered from a table sooner, so that such a limit means the same after any problems.
"""

BEFORE_FURTHER_ENDINGS = 20_000
"""The same for further positions of the same pieces: what a mate in three takes, so
that easy problems build no table."""

BUILDING_S = {3: 0.1, 4: 1.0}
"""With less time than this, by the number of pieces, the table is not built any sooner:
that might take all of the time. It takes less than half as long."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The fields of a `Solution` that the search decides; `complete`: no limit hit."""

    status: Status
    mate: int | None
    lower_bound: int
    pv: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    keys_complete: bool = False
    complete: bool = True
    tablebase: TableFormat | None = None


class Attempt:
    """Answers one question in a workspace.

    Parameters
    ----------
    workspace : Workspace
        Where the search works; the limits are set.
    board : chess.Board
        The position.
    control : Control
        Told how far the search is.
    question : Question
        What is asked.
    root_moves : sequence of str or None
        The first moves to look at, in UCI notation; None: all.
    seen : SeenEndings or None
        The small endings that came before; changed. None: there were none.
    building_s : float
        How much time there is to build the table of an ending that was seen before, in
        seconds; 0: none.
    on_turn : callable
        Called after each turn of prover or finder that has not brought the answer.
    """

    def __init__(
        self,
        workspace: Workspace,
        board: chess.Board,
        control: Control,
        question: Question,
        root_moves: Sequence[str] | None = None,
        *,
        seen: SeenEndings | None = None,
        building_s: float = 0.0,
        on_turn: Callable[[], None] = lambda: None,
    ) -> None:
        self._workspace = workspace
        self._board = board
        self._control = control
        self._question = question
        self._root_moves = root_moves
        self._seen = seen or SeenEndings()
        self._building_s = building_s
        self._on_turn = on_turn
        self._ending: Answer | None = None
        self._may_be_ending = (
            not workspace.has_lane and root_moves is None and is_ending(board)
        )

    def answer(self, *, all_keys: bool) -> Answer:
        """Close the bounds as far as the limits let."""
        question = self._question
        if self._board.is_checkmate():
            return Answer(Status.PROVED, 0, 0, keys_complete=True)
        if question.hopeless:
            return Answer(Status.DISPROVED, None, question.most_moves + 1)
        answer = self._answer_as_ending(all_keys=all_keys)
        if answer is None:
            answer = self._search_answer(all_keys=all_keys)
        if self._ending is None:
            return answer
        if all_keys or not self._ending.keys:
            return self._ending
        return replace(self._ending, keys=self._ending.pv[:1], keys_complete=False)

    def _answer_as_ending(self, *, all_keys: bool) -> Answer | None:
        """Answer a small ending before the search proper; None: that has to answer it.

        1. A table that this solver has probed before is probed first.
        2. Else, where another position of the same pieces came before, a short search
           answers what is easy.
        3. What it leaves open, the table answers. It is built now, as is the one where
           the other side attacks: a later position may need it.
        """
        workspace = self._workspace
        if not self._may_be_ending or workspace.search.node_limit <= BEFORE_ENDINGS:
            return None
        is_further = self._seen.is_further(self._board)
        self._ending = self._probe(only_again=True)
        if self._ending or not is_further:
            return self._ending
        if self._building_s < BUILDING_S[chess.popcount(self._board.occupied)]:
            return None
        with workspace.budget(BEFORE_FURTHER_ENDINGS):
            answer = self._search_answer(all_keys=all_keys)
            # An answer that used up the budget may have left the other side's mate out.
            if not workspace.is_exhausted:
                return answer
        # All is built before the answer is read, so that no request to stop is lost.
        for attacker in chess.COLORS:
            self._find_ending(attacker, with_line=False)
        self._ending = self._probe()
        return self._ending or answer

    def _search_answer(self, *, all_keys: bool) -> Answer:
        conductor = self.search()
        root, lower, upper = conductor.root, conductor.lower, conductor.upper
        if upper is None:
            if conductor.is_done:
                return Answer(Status.DISPROVED, None, lower)
            return Answer(Status.UNDECIDED, None, lower, complete=False)
        proved = lower >= upper
        keys, all_found = conductor.line[: root.attacking], not root.attacking
        if proved and all_keys and root.attacking:
            found, all_found = root.keys(upper)
            keys = found or keys
        return Answer(
            Status.PROVED if proved else Status.FOUND,
            upper if root.attacking else -upper,
            lower,
            pv=conductor.line,
            keys=keys,
            keys_complete=all_found,
            complete=bool(conductor.line)
            and conductor.is_done
            and (all_found or not (proved and all_keys)),
        )

    @property
    def _is_over(self) -> bool:
        """Whether a limit has come, or an ending answers what the search did not."""
        nodes = self._workspace.search.nodes
        if self._may_be_ending and nodes > BEFORE_ENDINGS:
            self._may_be_ending = False
            self._ending = self._probe()
        return self._ending is not None or self._workspace.is_exhausted

    def _probe(self, *, only_again: bool = False) -> Answer | None:
        """Probe the table of a small ending.

        Parameters
        ----------
        only_again : bool
            Probe no table that this solver has not probed before.

        Returns
        -------
        Answer or None
            None: it was stopped, or a table is needed that was not probed before.
        """
        question = self._question
        sides = [question.attacking, not question.attacking]
        for attacking in sides[: 1 + question.both_sides]:
            attacker = self._board.turn if attacking else not self._board.turn
            if only_again and not self._seen.was_probed(self._board, attacker):
                return None
            found = self._find_ending(attacker)
            if found is None:
                return None
            if found.moves is not None and found.moves <= question.most_moves:
                mate = found.moves if attacking else -found.moves
                self._control.lower_bound = found.moves
                self._control.best = mate, found.line
                return Answer(
                    Status.PROVED,
                    mate,
                    found.moves,
                    pv=found.line,
                    keys=self._in_order(found.keys),
                    keys_complete=True,
                )
        return Answer(Status.DISPROVED, None, question.most_moves + 1)

    def _find_ending(
        self, attacker: chess.Color, *, with_line: bool = True
    ) -> EndingAnswer | None:
        """Probe one table, which is built first if it has to be; None: stopped."""
        search = self._workspace.search
        if search.stop:
            return None
        found = find_ending(
            self._board,
            attacker,
            is_stopped=lambda: bool(search.stop),
            with_line=with_line,
        )
        if found is not None:
            self._seen.note_probe(self._board, attacker)
        return found

    def _in_order(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Give keys in the order in which the search looks for them."""
        words = self._workspace.moves(pack(self._board)) if keys else ()
        moves = (unpack_move(self._board, word).uci() for word in words)
        return tuple(move for move in moves if move in keys)

    def search(self) -> Conductor:
        """Close the bounds until they meet or a limit comes; give the side that mates.

        While no mate is found, the other side's is looked for too, at a share of the
        cost: never both sides mate.
        """
        workspace, question = self._workspace, self._question
        ours = self._conductor(attacking=question.attacking)
        if not question.both_sides:
            self._finish(ours.turns())
            return ours
        theirs = self._conductor(attacking=False)
        their_turns = theirs.turns()
        spent = 0
        for _ in ours.turns():
            if ours.upper is None:
                nodes = workspace.search.nodes
                share = max(nodes // OTHER_SIDE_SHARE, OTHER_SIDE_NODES) - spent
                if share > 0:
                    with workspace.budget(share):
                        next(their_turns, None)
                spent += workspace.search.nodes - nodes
            if theirs.upper is not None or self._is_over:
                break
            self._on_turn()
        if ours.upper is None and ours.is_done and theirs.upper is None:
            with workspace.budget(OTHER_SIDE_REST):
                self._finish(their_turns)
        if theirs.upper is None:
            return ours
        self._finish(their_turns)
        return theirs

    def _finish(self, turns: Iterator[None]) -> None:
        """Take turns until there is an answer or a limit comes."""
        for _ in turns:
            if self._is_over:
                break
            self._on_turn()

    def _conductor(self, *, attacking: bool) -> Conductor:
        moves = self._root_moves if attacking else None
        root = Root(self._workspace, self._board, attacking=attacking, moves=moves)
        return Conductor(root, self._question, self._control)
