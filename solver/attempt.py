"""One problem on its way through the search: who mates, how soon, by which line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from solver.conductor import Conductor
from solver.endings import find_ending, is_ending
from solver.root import Root
from solver.solution import Status, TableFormat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import chess

    from solver.control import Control
    from solver.question import Question
    from solver.workspace import Workspace

OTHER_SIDE_SHARE = 8
OTHER_SIDE_NODES = 10_000
"""Where nobody said who attacks, the mate of the other side is looked for with an
eighth of the nodes, and so many at least."""

OTHER_SIDE_REST = 2_000_000
"""And with so many once it is proved that the side to move has no mate."""


BEFORE_ENDINGS = 2_000_000
"""A small ending is searched with so many nodes, before all of it is solved: as long
as that takes."""


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
        on_turn: Callable[[], None] = lambda: None,
    ) -> None:
        self._workspace = workspace
        self._board = board
        self._control = control
        self._question = question
        self._root_moves = root_moves
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
        conductor = self.search()
        if self._ending:
            return self._ending
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
            self._ending = self._look_up()
        return self._ending is not None or self._workspace.is_exhausted

    def _look_up(self) -> Answer | None:
        """Look for the position in its ending, solved backwards; None: stopped."""
        question, search = self._question, self._workspace.search
        sides = [question.attacking, not question.attacking]
        for attacking in sides[: 1 + question.both_sides]:
            attacker = self._board.turn if attacking else not self._board.turn
            found = find_ending(
                self._board, attacker, is_stopped=lambda: bool(search.stop)
            )
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
                    keys=found.keys,
                    keys_complete=True,
                )
        return Answer(Status.DISPROVED, None, question.most_moves + 1)

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
