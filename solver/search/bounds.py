"""One problem on its way through the search: who mates, how soon, by which line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import chess

from solver.board import pack, unpack_move
from solver.conductor import Conductor
from solver.endgames import SeenEndings, find_ending, is_ending
from solver.search.root import Root
from solver.solution import Status, TableFormat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from solver.endgames import EndingAnswer
    from solver.search.question import Question
    from solver.search.threads import Control
    from solver.search.workspace import Workspace

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
