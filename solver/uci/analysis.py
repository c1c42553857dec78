"""One position questioned: which first moves mate, or are mated, and how fast.

Everything known is a fact about one first move: a line that mates by force. Facts only
accumulate, so a search that is stopped has never less to tell than before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from solver.kernel.interface import NO_LIMIT
from solver.problem import Limits, Problem
from solver.search.threads import Control
from solver.uci.facts import Facts
from solver.uci.line import Line

if TYPE_CHECKING:
    from collections.abc import Sequence

    import chess

    from solver.search.solver import Solver
    from solver.solution import Solution, StoppedBy
    from solver.uci.protocol import Go

FIRST_NODES = 1 << 16
GROWTH = 8
"""Where several questions are open each gets so many nodes; the next time round, so
many times as many. What is searched again is a seventh of the whole."""

LOSS_SHARE = 8
"""Of what looking for a mate may cost, being mated is looked for with an eighth."""


class _Asking(NamedTuple):
    """The question that is with the solver: replaced as one, so read at any time."""

    control: Control
    nodes_before: int
    prefix: tuple[str, ...] = ()
    """The move from the root to the position in question, if it is not the root."""
    bounds_mates: bool = False
    """Its lower bound is one on the mates that are not known."""


class Analysis:
    """Answers one `go`, in a thread of its own; the rest is for other threads to read.

    Parameters
    ----------
    board : chess.Board
        The position; it is not changed.
    go : Go
        What is asked; its times are for the caller to watch.
    line_count : int
        How many of the best first moves are wanted.
    """

    def __init__(self, board: chess.Board, go: Go, line_count: int) -> None:
        self._board = board
        self._go = go
        self._line_count = line_count
        legal = [move.uci() for move in board.legal_moves]
        self._moves = [move for move in legal if move in (go.searchmoves or legal)]
        self._all_moves = len(self._moves) == len(legal)
        self._can_mate = board.occupied_co[board.turn].bit_count() > 1
        self._placed: list[str] = []
        self._facts = Facts()
        self._lower_bound = 1
        self._reason: StoppedBy | None = None
        self._asking = _Asking(Control(), 0)

    @property
    def nodes(self) -> int:
        """Positions entered so far."""
        return self._asking.nodes_before + self._asking.control.nodes

    @property
    def lower_bound(self) -> int:
        """Moves without a line mate in no fewer moves than this: proved so far."""
        asking = self._asking
        live = asking.control.lower_bound if asking.bounds_mates else 1
        return max(self._lower_bound, live)

    def lines(self) -> tuple[Line, ...]:
        """List the best first moves, best first; none where there is no legal move."""
        facts = _with_found(self._facts, self._asking)
        return facts.best(self._moves, self.lower_bound, self._line_count)

    def stop(self, reason: StoppedBy) -> None:
        """Ask for the end."""
        self._reason = self._reason or reason
        self._asking.control.stop(reason)

    def run(self, solver: Solver) -> None:
        """Ask until all is answered or a limit comes."""
        within = self._go.within
        questions = []
        if within or not self._all_moves:
            questions.append(self._settle_losses)
        if (within is None or within > 0) and (self._all_moves or self._can_mate):
            questions.append(self._settle_mates)
        nodes = FIRST_NODES
        while self._moves and questions and not self._over:
            if len(questions) == self._line_count == 1:
                nodes = NO_LIMIT
            questions = [ask for ask in questions if not ask(solver, nodes)]
            nodes *= GROWTH

    @property
    def _over(self) -> bool:
        return self._reason is not None or self.nodes >= self._go.nodes

    def _settle_mates(self, solver: Solver, nodes: int) -> bool:
        """Look for the moves that mate, fastest first; tell whether they are settled.

        Each that is found is left out when the next is looked for.
        """
        left = [move for move in self._moves if move not in self._placed]
        settled = True
        while left and len(self._moves) - len(left) < self._line_count:
            if self._over:
                return False
            if self._facts.lost_in:
                return self._settle_defences(solver, nodes)
            solution = self._ask(solver, nodes, self._go.within, root_moves=left)
            settled = settled and solution.stopped_by is None
            if solution.pv and solution.pv[0] in left:
                left.remove(solution.pv[0])
                if settled:
                    self._placed.append(solution.pv[0])
            elif not self._facts.lost_in:
                break
        return settled

    def _settle_losses(self, solver: Solver, nodes: int) -> bool:
        """Look whether the side to move is mated; tell whether that is settled.

        It is asked where the solver does not ask of itself.
        """
        if self._facts.winning:
            return True
        within = self._go.within
        if within is None or within > 0:
            nodes //= LOSS_SHARE
        settled = True
        if within and self._all_moves and not self._facts.lost_in:
            solution = self._ask(solver, nodes, -abs(within))
            settled = solution.stopped_by is None
        if self._facts.lost_in or not self._all_moves:
            settled = self._settle_defences(solver, nodes) and settled
        return settled

    def _settle_defences(self, solver: Solver, nodes: int) -> bool:
        """Look how fast each move is mated; tell whether that is settled."""
        if self._all_moves and self._line_count == 1:
            return True  # the line of the loss begins with a longest defence
        settled = True
        within = self._facts.lost_in or abs(self._go.within or 0) or None
        for move in self._moves:
            if self._over:
                return False
            known = self._facts.lines.get(move)
            if known is None or not known.shortest:
                share = max(1, nodes // len(self._moves))
                solution = self._ask(solver, share, within, prefix=(move,))
                settled = settled and solution.stopped_by is None
        return settled

    def _ask(
        self,
        solver: Solver,
        nodes: int,
        within: int | None,
        *,
        prefix: tuple[str, ...] = (),
        root_moves: Sequence[str] = (),
    ) -> Solution:
        """Put one question to the solver, and note what it finds."""
        board = self._board.copy(stack=False)
        for move in prefix:
            board.push_uci(move)
        restricted = bool(root_moves) and len(root_moves) < board.legal_moves.count()
        used = self.nodes
        asking = _Asking(Control(), used, prefix, bounds_mates=bool(root_moves))
        self._asking = asking
        if self._reason:
            asking.control.stop(self._reason)
        solution = solver.solve(
            Problem(board.fen()),
            Limits(self._go.max_moves, nodes=min(nodes, self._go.nodes - used)),
            within=within,
            all_keys=False,
            control=asking.control,
            root_moves=tuple(root_moves) if restricted else None,
        )
        facts = _with_found(self._facts, asking)
        self._facts = _with_mate(
            facts, prefix, solution.mate, solution.pv, solution.lower_bound
        )
        if root_moves and not self._facts.lost_in:
            self._lower_bound = max(self._lower_bound, solution.lower_bound)
        return solution


def _with_found(facts: Facts, asking: _Asking) -> Facts:
    """Add the best mate that a question has found so far."""
    best = asking.control.best
    if best is None:
        return facts
    return _with_mate(facts, asking.prefix, *best, asking.control.lower_bound)


def _with_mate(
    facts: Facts,
    prefix: tuple[str, ...],
    mate: int | None,
    pv: tuple[str, ...],
    lower_bound: int,
) -> Facts:
    """Add an answer about the root, or about the position after one move.

    A mate whose line was not written down in full is left out.
    """
    if mate is None:
        return facts
    whole = len(pv) == (2 * mate - 1 if mate > 0 else -2 * mate)
    if not whole or not prefix + pv:
        return facts
    if not prefix:
        return facts.add_answer(Line(mate, pv, lower_bound))
    if mate > 0:
        return facts.add(Line(-mate, prefix + pv, lower_bound))
    return facts.add(Line(1 - mate, prefix + pv, 1))
