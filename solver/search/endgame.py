"""Endgame tables in a search: ours prove mates, the user's tablebases only find them.

Positions of at most four pieces without pawns are solved backwards (`solver.endgames`;
docs/explanation/endgames.md). Building such a table takes time, so a search comes
first, and the table answers what the search leaves open. Gaviota's and Syzygy's tables
are not proved here, so they never replace a proof.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from solver.endgames.ending import is_ending, piece_count
from solver.errors import TablebaseError
from solver.kernel.border.interface import NO_LIMIT
from solver.position_text import uci_move
from solver.solution import Solution, Status, TableFormat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.endgames.ending import EndingHistory
    from solver.endgames.probe import EndingAnswer
    from solver.endgames.tablebases import Tablebases
    from solver.search.queries import Question
    from solver.search.threads import Control
    from solver.search.workspaces import Workspace

BEFORE_TABLE = 2_000_000
"""Nodes to search for the first position of a small endgame before its table is built,
which takes as long. With a node limit up to this, tables are never used, so the limit
means the same whatever came before."""

BEFORE_FURTHER_TABLE = 10_000
"""The same for further positions with the same pieces. A mate in three takes this many,
so easy problems build no table."""

BUILDING_S = {3: 0.1, 4: 1.0}
"""With less time than this, by the number of pieces, a table is not built earlier,
because it might take all the time. Building takes less than half as long."""


class EndgameProbe:
    """Decides when the table of a small endgame answers a question, and probes it.

    1. A table that this solver has probed before answers at once.
    2. The first position with its pieces is searched; the table is probed only after
       `BEFORE_TABLE` nodes.
    3. Further positions with the same pieces get a short search, which answers easy
       problems. The table answers the others.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs, within its node limit.
    question : Question
        The question.
    control : Control
        Receives the mate that a table holds.
    history : EndingHistory
        The small endgames that the solver has met before; updated.
    """

    def __init__(
        self,
        workspace: Workspace,
        question: Question,
        control: Control,
        history: EndingHistory,
    ) -> None:
        self._workspace = workspace
        self._question = question
        self._control = control
        self._history = history
        self._has_begun = self._is_short = False
        self._may_probe = (
            question.restriction is None
            and question.root_moves is None
            and is_ending(question.position)
        )

    def answer(self) -> Solution | None:
        """Return the answer of a table where it is time to probe one.

        Call it before the search and at each pause.
        """
        search = self._workspace.search
        if not self._has_begun:
            self._has_begun = True
            if self._may_probe and search.node_limit > BEFORE_TABLE:
                return self._answer_at_once()
        elif self._may_probe and search.nodes > BEFORE_TABLE:
            self._may_probe = False
            return self._probe()
        return None

    def complete(self, searched: Solution) -> Solution:
        """Return the answer of the search, or of the table if the search has none."""
        solution = self.answer() if searched.stopped_by else None
        # A search that used up its nodes may have left out the other side's mate.
        if self._is_short and self._workspace.is_exhausted:
            # A later position may need the table in which the other side attacks. Both
            # are built before the answer is read, so that no stop is overlooked.
            for attacking in (True, False):
                self._find_ending(attacking=attacking, with_line=False)
            solution = self._probe()
        return solution or searched

    def _answer_at_once(self) -> Solution | None:
        """Answer from a table that this solver has probed before, if there is one.

        Otherwise the search gets few nodes if an earlier position had the same pieces,
        because the table is then worth building.
        """
        question = self._question
        is_further = self._history.is_further(question.position, black=question.black)
        known = self._probe(only_again=True)
        if known is None and is_further and self._has_time_to_build():
            self._is_short = True
            self._workspace.search.node_limit = BEFORE_FURTHER_TABLE
        return known

    def _has_time_to_build(self) -> bool:
        if self._workspace.search.node_limit != NO_LIMIT:
            return False
        limits = self._question.limits
        time_s = math.inf if limits.time_s is None else limits.time_s
        return time_s >= BUILDING_S[piece_count(self._question.position)]

    def _probe(self, *, only_again: bool = False) -> Solution | None:
        """Answer the question from tables, which are built if necessary.

        Parameters
        ----------
        only_again : bool
            Probe no table that this solver has not probed before.

        Returns
        -------
        Solution or None
            None: the search was stopped, or a table was not probed before.
        """
        question = self._question
        sides = [question.attacking, not question.attacking]
        for attacking in sides[: 1 + question.both_sides]:
            if only_again and not self._history.was_probed(
                question.position, attacking=attacking
            ):
                return None
            ending = self._find_ending(attacking=attacking)
            if ending is None:
                return None
            if ending.moves is not None and ending.moves <= question.most_moves:
                mate = ending.moves if attacking else -ending.moves
                self._control.lower_bound = ending.moves
                self._control.best = mate, ending.line
                one_key = bool(ending.keys) and not question.all_keys
                return Solution(
                    question.problem,
                    Status.PROVED,
                    mate,
                    ending.moves,
                    pv=ending.line,
                    keys=ending.line[:1] if one_key else self._sorted(ending.keys),
                    keys_complete=not one_key,
                )
        return Solution(
            question.problem, Status.DISPROVED, None, question.most_moves + 1
        )

    def _find_ending(
        self, *, attacking: bool, with_line: bool = True
    ) -> EndingAnswer | None:
        """Probe a table, which is built first if necessary; None after a stop."""
        from solver.endgames.probe import find_ending

        question, search = self._question, self._workspace.search
        if search.stop:
            return None
        ending = find_ending(
            question.board,
            question.black ^ attacking,
            is_stopped=lambda: bool(search.stop),
            with_line=with_line,
        )
        if ending is not None:
            self._history.note_probe(question.position, attacking=attacking)
        return ending

    def _sorted(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Sort keys in the order in which the search finds them."""
        if not keys:
            return ()
        position, black = self._question.position, self._question.black
        words = self._workspace.kernel.moves(position, self._workspace.search)
        moves = (uci_move(position, word, black=black) for word in words)
        return tuple(move for move in moves if move in keys)


def consult_tablebases(tables: Tablebases, question: Question) -> Solution | None:
    """Answer a question from the user's tablebases, which prove nothing.

    Returns
    -------
    Solution or None
        A mate that Gaviota's tables hold (FOUND), or UNDECIDED with the tables that
        rule a mate out; None: the tables do not hold the position.

    Raises
    ------
    TablebaseError
        A table is damaged.
    """
    problem, board = question.problem, question.board
    sides = {question.attacking, question.attacking ^ question.both_sides}
    # A mate may need moves that the question leaves out; no mate covers them all.
    has_all_moves = question.restriction is None and question.root_moves is None
    mate = tables.mate(board) if has_all_moves else None
    if mate and abs(mate.moves) <= question.most_moves and (mate.moves > 0) in sides:
        return Solution(
            problem,
            Status.FOUND,
            mate.moves,
            1,
            pv=mate.line,
            keys=mate.keys,
            keys_complete=True,
            tablebase=TableFormat.GAVIOTA,
        )
    denials = [
        tables.denied_by(
            board, board.turn if attacking else not board.turn, question.most_moves
        )
        for attacking in sides
    ]
    if None in denials:
        return None
    # Gaviota's word is the weaker one, where different tables deny the two sides.
    by = max(denials, key=lambda table: table is TableFormat.GAVIOTA)
    return Solution(problem, Status.UNDECIDED, None, 1, tablebase=by)


def prefer_proof(searched: Solution, from_tables: Solution) -> Solution:
    """Return the tablebases' answer, unless the search has proved one.

    Raises
    ------
    TablebaseError
        The search has proved a table wrong.
    """
    mate = from_tables.mate
    if mate is not None and searched.lower_bound > abs(mate):
        msg = (
            f"Gaviota: expected no mate in fewer than {searched.lower_bound} moves, as "
            f"proved, found mate in {abs(mate)}; a table is damaged"
        )
        raise TablebaseError(msg)
    if searched.stopped_by is None or searched.status is Status.PROVED:
        return searched
    return replace(
        from_tables,
        lower_bound=searched.lower_bound,
        stopped_by=searched.stopped_by,
    )
