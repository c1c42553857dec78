"""Solve a problem: `solve` answers one problem, `Solver` many in the same memory."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from solver.errors import FenError
from solver.kernel.border.query import QueryState
from solver.kernel.build.loader import load_part
from solver.problem import (
    DEFAULT_HASH_MIB,
    Limits,
    hash_size,
    require_instance,
    thread_count,
)
from solver.search.endgame import prefer_proof
from solver.search.queries import Queries, QuerySearch, solution_of
from solver.search.question import read_question
from solver.search.threads import (
    WATCHDOG,
    Control,
    Exclusive,
    HelperThreads,
    run_stoppable,
)
from solver.search.workspace import Workspace
from solver.solution import Solution, Stats, StoppedBy
from solver.stipulations import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    import chess

    from solver.endgames.tablebases import Tablebases
    from solver.problem import Problem, Restriction
    from solver.search.queries import Begun
    from solver.search.question import Question

TABLEBASE_NODES = 10_000_000
"""Without limits, the search spends at most this many nodes to prove an answer of the
user's tablebases."""

__all__ = ["Control", "Solver", "solve"]


class Answered(NamedTuple):
    """The queries of a batch that were answered in one call.

    Attributes
    ----------
    first, end : int
        Those from `first` on, before `end`.
    text : str
        The texts of their answers, in ASCII.
    node_s : float
        Seconds of searching for each of their nodes.
    """

    first: int
    end: int
    text: str
    node_s: float


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

    The search runs in a separate thread, so that Ctrl-C reaches the waiting caller.

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

    It remembers nothing about a problem except which small endgames it has met: further
    positions with these pieces are answered from endgame tables
    (docs/explanation/endgames.md).

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
        self._query_search = QuerySearch(self._workspace, self._helper_threads)
        self._batch: Queries | None = None

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

        The solver's table and number of threads are used, whatever `limits` says.
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
        """Answer a question; solver and control are in use until the block ends."""
        with self._exclusive.use(), control.exclusive.use():
            yield self._answer(question, control)

    def answer_rows(
        self,
        questions: Sequence[Question],
        *,
        batch_s: float = math.inf,
        searching: Callable[[], AbstractContextManager[Control]],
    ) -> Iterator[Solution]:
        """Answer many questions in the calling thread, the easy ones in one call.

        Parameters
        ----------
        questions : sequence of Question
            Without restrictions and root moves; their limits differ in nothing but
            lengths.
        batch_s : float
            The longest that a call for many of them may take, in seconds.
        searching : callable
            Returns a context manager that provides the control of each new search.

        Yields
        ------
        Solution
            The same as `answer` returns, in the order of the questions. The time of a
            call is shared out by nodes.
        """
        if self._batch is None or len(questions) > len(self._batch.rows):
            self._batch = Queries(self._workspace, len(questions))
        batch, problems = self._batch, []
        for answered in self.answer_batch(
            batch,
            len(questions),
            questions.__getitem__,
            read=lambda: problems.extend(batch.read_questions(questions)),
            batch_s=batch_s,
            searching=searching,
        ):
            if isinstance(answered, FenError):
                raise answered
            if isinstance(answered, Solution):
                yield answered
                continue
            first, end, text, node_s = answered
            for query, problem in zip(
                batch.rows[first:end], problems[first:end], strict=True
            ):
                yield solution_of(problem, query, text, node_s * query.nodes)

    def answer_batch(
        self,
        batch: Queries,
        size: int,
        question: Callable[[int], Question],
        *,
        read: Callable[[], object],
        batch_s: float = math.inf,
        searching: Callable[[], AbstractContextManager[Control]],
    ) -> Iterator[Answered | Solution | FenError]:
        """Answer the queries of a batch; see `answer_rows`.

        Parameters
        ----------
        batch : Queries
            With their questions.
        size : int
            The number of queries.
        question : callable
            Returns the question of a query that is not answered in the batch.
        read : callable
            Reads the positions.
        batch_s, searching
            See `answer_rows`.

        Yields
        ------
        Answered, Solution or FenError
            The next queries that were answered together, valid until the following
            call; or the answer of the next one, which was searched alone or cannot be
            read.
        """
        index = 0
        limits = question(0).limits if size else Limits()
        own_s = math.inf if limits.time_s is None else limits.time_s
        is_together = self._tablebases is None and not self._helper_threads.size
        with self._exclusive.use():
            read()
            self._workspace.limit(limits.nodes)
            while index < size:
                # 1. Query after query, in one call.
                node_s = 0.0
                if is_together:
                    with searching() as control, control.exclusive.use():
                        most_s = min(batch_s, own_s)
                        answered = self._call(batch, index, size, control, most_s)
                    node_s = answered.node_s
                    if index < answered.end:
                        yield answered
                        index = answered.end
                        if index == size or batch.rows[index].state == QueryState.READ:
                            continue
                # 2. The rest of the search for one that the call left open; all of it
                #    for one that cannot be answered so, or that was interrupted.
                query = batch.rows[index]
                with searching() as control, control.exclusive.use():
                    begun, spent_s = None, 0.0
                    if query.state == QueryState.OPEN:
                        begun, spent_s = (batch, index), node_s * query.nodes
                    alone = self._answer_row(question(index), control, begun, spent_s)
                yield alone
                index += 1

    def _call(
        self, batch: Queries, first: int, size: int, control: Control, most_s: float
    ) -> Answered:
        """Answer as many queries as possible in one call of the kernel."""
        started = time.perf_counter()
        with WATCHDOG.limit(control, most_s):
            control.attach(self._workspace.search)
            end, text = batch.solve(first, size)
        spent_s = time.perf_counter() - started
        nodes = sum(query.nodes for query in batch.rows[first : end + 1])
        # Only an interrupt cuts an answer short, and no query begins after it.
        is_interrupted = control.reason is StoppedBy.INTERRUPT
        if first < end and is_interrupted and batch.rows[end - 1].is_cut:
            end -= 1
        return Answered(first, end, text, spent_s / max(1, nodes))

    def _answer_row(
        self, question: Question, control: Control, begun: Begun | None, spent_s: float
    ) -> Solution | FenError:
        try:
            read = question.read()
        except FenError as error:
            return error
        return self._answer(read, control, begun, spent_s)

    def _answer(
        self,
        question: Question,
        control: Control,
        begun: Begun | None = None,
        spent_s: float = 0.0,
    ) -> Solution:
        """Answer a question; its search may have begun in a batch."""
        kind = kind_of(question.problem.stipulation)
        load_part(kind.part())  # before the clock starts
        started = time.perf_counter() - spent_s
        workspace, limits = self._workspace, question.limits
        # 1. The user's tablebases know many answers; the search then tries to prove
        #    them, which without limits would take too long.
        from_tables = None
        if self._tablebases is not None:
            from_tables = kind.consult(self._tablebases, question)
        by_nodes = StoppedBy.NODES
        if from_tables and limits.nodes is None and limits.time_s is None:
            limits = replace(limits, nodes=TABLEBASE_NODES)
            question = replace(question, limits=limits)
            by_nodes = StoppedBy.TABLEBASE
        # 2. Search with the limits set.
        if begun is None:
            workspace.limit(limits.nodes, question.restriction)
        control.attach(workspace.search)
        try:
            with WATCHDOG.limit(control, limits.time_s, spent_s):
                solution = kind.search(self._query_search, question, control, begun)
        finally:
            self._helper_threads.stop()
        # 3. What the tablebases know completes what the search left open.
        if from_tables:
            solution = prefer_proof(solution, from_tables)
        stopped_by = solution.stopped_by
        if stopped_by is StoppedBy.NODES:  # which stands for any limit of effort
            stopped_by = control.reason or by_nodes
        return replace(
            solution,
            stopped_by=stopped_by,
            stats=Stats(
                workspace.search.nodes + self._helper_threads.nodes,
                time.perf_counter() - started,
            ),
            restriction=question.restriction,
        )


def _require_control(control: Control | None) -> Control:
    if control is None:
        return Control()
    return require_instance("control", control, Control, "a Control or None")
