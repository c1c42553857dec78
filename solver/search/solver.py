"""Solve a problem: `solve` for one, `Solver` for many in the same memory."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from solver.endgames.probe import EndingHistory
from solver.errors import FenError
from solver.kernel.border.memory import RowState
from solver.kernel.border.parts import BATTLE
from solver.kernel.build.loader import load_part
from solver.problem import (
    DEFAULT_HASH_MIB,
    Limits,
    hash_size,
    require_instance,
    thread_count,
)
from solver.search.batch import Batch, Segment, row_solution
from solver.search.battle import search_battle
from solver.search.bounds import close_bounds
from solver.search.endgame import EndgameProbe, consult_tablebases, prefer_proof
from solver.search.question import read_question
from solver.search.solutions import answer_help_play
from solver.search.threads import (
    WATCHDOG,
    Control,
    Exclusive,
    HelperThreads,
    run_stoppable,
)
from solver.search.workspace import Workspace
from solver.solution import Solution, Stats, Status, StoppedBy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    import chess

    from solver.endgames.tablebases import Tablebases
    from solver.kernel.border.memory import Row
    from solver.problem import Problem, Restriction
    from solver.search.question import Asked, Question

TABLEBASE_NODES = 10_000_000
"""Without limits, the search tries to prove an answer of the user's tablebases with no
more nodes than this."""

__all__ = ["Control", "Solver", "solve"]


def solve(
    problem: Problem | str | chess.Board,
    limits: Limits | None = None,
    *,
    within: int | None = None,
    all_keys: bool = True,
    control: Control | None = None,
    restriction: Restriction | None = None,
    root_moves: Sequence[str] | None = None,
    solver: Solver | None = None,
) -> Solution:
    """Find the shortest forced mate, and prove it.

    The search runs in a thread of its own, so that Ctrl-C reaches the waiting caller.

    Parameters
    ----------
    problem : Problem, str or chess.Board
        A position of orthodox chess; a string is a FEN of 1, 2, 4 or 6 fields. The side
        to move is the attacker, unless the problem's claim says that it is mated or it
        has only its king. Without a claim, part of the effort checks whether the side
        to move is being mated.
    limits : Limits, optional
        What the search may cost. Without limits it runs until it has an answer.
    within : int, optional
        Look for any mate within this many moves, 1 to 200; negative: the side to move
        is mated.
    all_keys : bool
        Once the mate is proved, find every first move that mates as fast.
    control : Control, optional
        Stops the search, or shows its progress, from another thread.
    restriction : Restriction, optional
        Restricts the attacker's moves; the answer then holds under the restriction,
        except that a mate found is always a mate.
    root_moves : sequence of str, optional
        The attacker's first moves to search, legal and in UCI notation; the answer then
        covers only these. They have no effect where the side to move is mated.
    solver : Solver, optional
        Memory to reuse for many problems, and tablebases if it has any.

    Returns
    -------
    Solution
        The answer; hitting a limit never means "no mate".

    Raises
    ------
    FenError
        The position is not legal.
    InputError
        The position is one of another variant, an argument has the wrong type or is
        out of range, or a root move is not legal.
    AllocationError
        The system does not have the memory that `limits.hash_mib` asks for.
    CacheError, KernelError
        The compiled kernel cannot be loaded; see `solver.kernel.build.loader`.
    TablebaseError
        One of the solver's tablebases is damaged.
    InUseError
        The solver or the control is in use.
    """
    question = read_question(
        problem,
        limits,
        within=within,
        all_keys=all_keys,
        restriction=restriction,
        root_moves=root_moves,
    )
    control = _require_control(control)
    if solver is not None:
        require_instance("solver", solver, Solver, "a Solver or None")

    def answer() -> Solution:
        hash_mib, threads = question.limits.hash_mib, question.limits.threads
        return (solver or Solver(hash_mib, threads=threads)).answer(question, control)

    return run_stoppable(answer, control)


class Solver:
    """Solves one problem after the other in the same memory; use one for each thread.

    It remembers nothing of a problem except which small endgames it has met: further
    positions of these are answered from endgame tables (docs/explanation/endgames.md).

    Parameters
    ----------
    hash_mib : int
        Size of the transposition table in MiB, rounded down to a power of two.
    tablebases : Tablebases or None
        Gaviota and Syzygy tables to consult; several solvers may share them.
    threads : int
        How many cores to use on one position.

    Raises
    ------
    InputError
        An argument has the wrong type or is out of range.
    AllocationError
        The system does not have that much memory.
    CacheError, KernelError
        The compiled kernel cannot be loaded; see `solver.kernel.build.loader`.
    """

    def __init__(
        self,
        hash_mib: int = DEFAULT_HASH_MIB,
        tablebases: Tablebases | None = None,
        *,
        threads: int = 1,
    ) -> None:
        hash_mib, threads = hash_size(hash_mib), thread_count(threads)
        if tablebases is not None:
            from solver.endgames.tablebases import Tablebases

            require_instance("tablebases", tablebases, Tablebases, "Tablebases or None")
        remedy = "use one for each thread, for one search at a time"
        self._exclusive = Exclusive("solver", remedy)
        self._workspace = Workspace(hash_mib)
        self._tablebases = tablebases
        self._helper_threads = HelperThreads(self._workspace, threads - 1)
        self._history = EndingHistory()
        self._single = Batch(self._workspace, 1)
        self._batch: Batch | None = None

    @property
    def workspace(self) -> Workspace:
        """The memory of the last search, with what it proved."""
        return self._workspace

    def hashfull(self) -> int:
        """Estimate how full the table is, per mille."""
        return self._workspace.hashfull()

    def solve(
        self,
        problem: Problem | str | chess.Board,
        limits: Limits | None = None,
        *,
        within: int | None = None,
        all_keys: bool = True,
        control: Control | None = None,
        restriction: Restriction | None = None,
        root_moves: Sequence[str] | None = None,
    ) -> Solution:
        """Solve in the calling thread; see `solve` for parameters and errors.

        The table and the number of threads are those of the solver, whatever `limits`
        says.
        """
        question = read_question(
            problem,
            limits,
            within=within,
            all_keys=all_keys,
            restriction=restriction,
            root_moves=root_moves,
        )
        return self.answer(question, _require_control(control))

    def answer(self, question: Question, control: Control) -> Solution:
        """Answer a question that has been read, in the calling thread.

        Parameters
        ----------
        question : Question
            See `solver.search.question.read_question`.
        control : Control
            Stops the search, and receives its progress.
        """
        with self.answered(question, control) as solution:
            return solution

    @contextmanager
    def answered(self, question: Question, control: Control) -> Iterator[Solution]:
        """Answer a question; solver and control stay in use until the block ends."""
        with self._exclusive.use(), control.exclusive.use():
            yield self._answer(question, control)

    def solve_each(
        self,
        asked: Sequence[Asked],
        *,
        all_keys: bool = True,
        batch_s: float = math.inf,
        searching: Callable[[], AbstractContextManager[Control]],
    ) -> Iterator[Solution]:
        """Solve many problems in the calling thread, the easy ones in one call.

        Parameters
        ----------
        asked : sequence of Asked
            The problems, whose limits differ in nothing but lengths.
        all_keys : bool
            See `solve`.
        batch_s : float
            The longest that a call for many of them may take, in seconds.
        searching : callable
            Returns a context manager that provides the control of each new search.

        Yields
        ------
        Solution
            The same as `solve` returns, in the order of the problems. The time of a
            call is shared out by nodes.
        """
        batch = self._batch_of(len(asked))
        for segment in self.solve_rows(
            batch,
            len(asked),
            asked.__getitem__,
            read=lambda: batch.read_problems(asked, all_keys=all_keys),
            all_keys=all_keys,
            batch_s=batch_s,
            searching=searching,
        ):
            first, end, text, node_s, rest = segment
            for index in range(first, end):
                row = batch.rows[index]
                time_s = node_s * row.nodes
                yield row_solution(asked[index].problem, row, text, time_s)
            if isinstance(rest, FenError):
                raise rest
            if rest:
                yield rest

    def solve_rows(
        self,
        batch: Batch,
        size: int,
        asked: Callable[[int], Asked],
        *,
        read: Callable[[], object],
        all_keys: bool,
        batch_s: float = math.inf,
        searching: Callable[[], AbstractContextManager[Control]],
    ) -> Iterator[Segment]:
        """Solve the rows of a batch; see `solve_each`.

        Parameters
        ----------
        batch : Batch
            The rows, with their questions.
        size : int
            The number of rows.
        asked : callable
            Returns what the row with an index asks, for a row that is not answered in
            the batch.
        read : callable
            Reads the rows.
        all_keys, batch_s, searching
            See `solve_each`.

        Yields
        ------
        Segment
            The next rows, valid until the following one.
        """
        index = 0
        limits = asked(0).limits if size else Limits()
        own_s = math.inf if limits.time_s is None else limits.time_s
        with self._exclusive.use():
            read()
            while index < size:
                # 1. The first turn, for row after row.
                first = index
                self._workspace.limit(limits.nodes)
                started = time.perf_counter()
                with (
                    searching() as control,
                    control.exclusive.use(),
                    WATCHDOG.limit(control, min(batch_s, own_s)),
                ):
                    control.attach(self._workspace.search)
                    index, text = batch.solve(first, size)
                spent_s = time.perf_counter() - started
                # No row begins after a stop. So if the next one has begun, the stop did
                # not cut the last answer short: its node limit did.
                next_has_begun = index < size and batch.rows[index].is_open
                is_last_cut = index > first and batch.rows[index - 1].is_cut_short
                if control.reason and is_last_cut and not next_has_begun:
                    index -= 1
                rows = batch.rows[first : index + 1]
                node_s = spent_s / max(1, sum(row.nodes for row in rows))
                # 2. The rest of the search for a row that the first turn left open; all
                #    of it for one that no batch can answer, or that was stopped.
                end, rest = index, None
                has_begun = index > first and rows[-1].state == RowState.READ
                if index < size and not has_begun:
                    is_begun = rows[-1].is_open and not control.reason
                    begun = rows[-1] if is_begun else None
                    with searching() as control, control.exclusive.use():
                        rest = self._answer_asked(
                            asked(index), control, begun, node_s, all_keys=all_keys
                        )
                    index += 1
                yield Segment(first, end, text, node_s, rest)

    def _answer_asked(
        self,
        asked: Asked,
        control: Control,
        begun: Row | None,
        node_s: float,
        *,
        all_keys: bool,
    ) -> Solution | FenError:
        problem, limits, within = asked
        try:
            question = read_question(problem, limits, within=within, all_keys=all_keys)
        except FenError as error:
            return error
        spent_s = node_s * begun.nodes if begun else 0.0
        return self._answer(question, control, begun, spent_s)

    def _answer(
        self,
        question: Question,
        control: Control,
        begun: Row | None = None,
        spent_s: float = 0.0,
    ) -> Solution:
        """Answer a question; `begun` is its row if the first turn has been taken."""
        if question.problem.stipulation.is_help:
            return answer_help_play(self._workspace, question, control)
        if question.is_battle:
            load_part(BATTLE)  # before the clock starts
        started = time.perf_counter() - spent_s
        workspace, limits = self._workspace, question.limits
        # 1. The user's tablebases know many answers; the search then tries to prove
        #    them, which without limits would take too long.
        from_tables = None
        if self._tablebases is not None and not question.is_battle:
            from_tables = consult_tablebases(self._tablebases, question)
        nodes = limits.nodes
        by_nodes = StoppedBy.NODES
        if from_tables and nodes is None and limits.time_s is None:
            nodes, by_nodes = TABLEBASE_NODES, StoppedBy.TABLEBASE
        # 2. Search with the limits set.
        if begun is None:
            workspace.limit(nodes, question.restriction)
        control.attach(workspace.search)
        self._helper_threads.begin()
        try:
            with WATCHDOG.limit(control, limits.time_s, spent_s):
                solution = self._search(question, control, begun)
        finally:
            self._helper_threads.stop()
        # 3. What the tablebases know completes what the search left open.
        if from_tables:
            solution = prefer_proof(solution, from_tables)
        return replace(
            solution,
            stopped_by=solution.stopped_by and (control.reason or by_nodes),
            stats=Stats(
                workspace.search.nodes + self._helper_threads.nodes,
                time.perf_counter() - started,
            ),
            restriction=question.restriction,
        )

    def _search(
        self, question: Question, control: Control, begun: Solution | Row | None
    ) -> Solution:
        """Answer a question within the limits that are set; no tablebases."""
        workspace = self._workspace
        if question.is_battle:
            workspace.forget()
            return self._search_battle(question, control)

        # 1. Trivial cases, and the prover's first turn.
        begun = begun or self._begin(question)
        if isinstance(begun, Solution):
            return begun

        # 2. A small endgame whose table was probed before.
        endgame = EndgameProbe(workspace, question, control, self._history)
        if known := endgame.answer_at_once():
            return known

        def is_over() -> bool:
            if endgame.is_answered() or workspace.is_exhausted:
                return True
            self._helper_threads.start(help_search, question.restriction)
            return False

        def help_search(helper: Workspace, progress: Control) -> None:
            probe = EndgameProbe(helper, question, progress, EndingHistory())
            close_bounds(
                helper,
                question,
                progress,
                lambda: probe.is_answered() or helper.is_exhausted,
            )

        with workspace.budget(endgame.search_budget):
            # 3. The bounds on the shortest mate, closed until they meet.
            bounds = close_bounds(workspace, question, control, is_over, begun)
            # 4. The keys, if the mate is proved to be the shortest; and the solution,
            #    from the table of a small endgame if still open.
            return endgame.complete(bounds.solution())

    def _begin(self, question: Question) -> Solution | Row | None:
        """Take the prover's first turn; it knows no restrictions and no root moves.

        Returns
        -------
        Solution, Row or None
            The answer, or the row that stays open. None: the turn was not taken.
        """
        if question.restriction is None and question.root_moves is None:
            row, text = self._single.first_turn(question)
            if row.state == RowState.ANSWERED:
                return row_solution(question.problem, row, text)
            return row if row.nodes else None  # None: a small endgame
        self._workspace.forget()
        if question.board.is_checkmate():
            return Solution(question.problem, Status.PROVED, 0, 0, keys_complete=True)
        if question.is_hopeless:
            least = question.most_moves + 1
            return Solution(question.problem, Status.DISPROVED, None, least)
        return None

    def _batch_of(self, size: int) -> Batch:
        """Return a batch with at least this many rows."""
        if self._batch is None or size > len(self._batch.rows):
            self._batch = Batch(self._workspace, size)
        return self._batch

    def _search_battle(self, question: Question, control: Control) -> Solution:
        def help_search(helper: Workspace, progress: Control) -> None:
            search_battle(helper, question, progress, lambda: None)

        def start_helpers() -> None:
            self._helper_threads.start(help_search, None)

        return search_battle(self._workspace, question, control, start_helpers)


def _require_control(control: Control | None) -> Control:
    if control is None:
        return Control()
    return require_instance("control", control, Control, "a Control or None")
