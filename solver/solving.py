"""Solve a problem: `solve` answers one problem, `Solver` many in the same memory."""

from __future__ import annotations

import math
import time
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from solver.errors import refusal
from solver.kernel.border import interface, parts, query_struct
from solver.kernel.build.loader import load_part
from solver.problem import (
    DEFAULT_CHECKPOINT_MB,
    DEFAULT_HASH_MIB,
    MAX_HASH_MIB,
    MEGABYTE,
    Limits,
    hash_size,
    require_instance,
    require_int,
    thread_count,
)
from solver.search.queries import Answered, Questions, read_question, solution_of
from solver.search.threads import (
    WATCHDOG,
    Control,
    Exclusive,
    HelperThreads,
    ShortCalls,
    require_control,
)
from solver.search.workspaces import Workspace
from solver.solution import Solution, Stats, StoppedBy
from solver.stipulations import genre_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Generator, Sequence
    from contextlib import AbstractContextManager

    import chess

    from solver.endgames.ending import EndingHistory
    from solver.endgames.tablebases import Tablebases
    from solver.problem import Problem, Restriction
    from solver.search.checkpoints import Checkpoint
    from solver.search.endgame import EndgameProbe
    from solver.search.queries import Batch, Question

TABLEBASE_NODES = 10_000_000
"""Without limits, the search spends at most this many nodes to prove an answer of the
user's tablebases."""

__all__ = ["Control", "Solver", "solve"]


def solve(  # noqa: PLR0913 -- each is one part of the question
    problem: Problem | str | chess.Board,
    limits: Limits | None = None,
    *,
    moves: str | Sequence[str] = "",
    repair: bool = False,
    max_moves: int | None = None,
    within: int | None = None,
    keys: bool = True,
    control: Control | None = None,
    restriction: Restriction | None = None,
    root_moves: str | Sequence[str] | None = None,
    solver: Solver | None = None,
) -> Solution:
    """Find the shortest forced mate, and prove it.

    A search that is not short runs in a separate thread, so that Ctrl-C reaches the
    waiting caller.

    Parameters
    ----------
    problem : Problem, str or chess.Board
        A position of orthodox chess; a string is a FEN of 1, 2, 4 or 6 fields or
        `startpos`, perhaps followed by `moves` and moves, or a game in PGN, whose last
        position is meant. The side to move is the attacker, unless the problem's claim
        says that it is mated or it has only its king. Without a claim, part of the
        effort checks whether the side to move is being mated.
    limits : Limits, optional
        What the search may cost. Without limits it runs until it has an answer.
    moves : str or sequence of str
        Moves to play first, in SAN or UCI notation, perhaps with numbers and marks.
    repair : bool
        Whether to repair a FEN where that leaves no doubt about the position, and to
        find one in the address of a page. The problem's `warnings` then say what was
        wrong.
    max_moves : int, optional
        The longest mate to look for, 1 to 200, as in `limits`.
    within : int, optional
        Look for any mate within this many moves, 1 to 200; negative: the side to move
        is mated.
    keys : bool
        Once the mate is proved, find every first move that mates as fast.
    control : Control, optional
        Stops the search, or shows its progress, from another thread.
    restriction : Restriction, optional
        Restricts the attacker's moves; the answer then holds under the restriction,
        except that a mate found is always a mate.
    root_moves : str or sequence of str, optional
        The attacker's first moves to search, in SAN or UCI notation; the answer then
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
        The position is not legal; the message names the field that is at fault.
    InputError
        The position is one of another variant, an argument has the wrong type or is
        out of range, or a move is unreadable, illegal or ambiguous.
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
        moves=moves,
        repair=repair,
        max_moves=max_moves,
        within=within,
        keys=keys,
        restriction=restriction,
        root_moves=root_moves,
    )
    control = require_control(control)
    if solver is not None:
        require_instance("solver", solver, Solver, "a Solver or None")
    limits = question.limits
    part = genre_of(question.problem.stipulation).part()

    def answer(chosen: Solver, nodes: int | None) -> Solution | None:
        if nodes is not None and part is not parts.SEARCH:
            return None  # a node of another part may take much longer
        if nodes is None or nodes >= (limits.nodes or interface.NO_LIMIT):
            return chosen.answer(question, control)
        short = replace(question, limits=replace(limits, nodes=nodes))
        solution = chosen.answer(short, control)
        return None if solution.stopped_by is StoppedBy.NODES else solution

    return _short_calls.run((limits.hash_mib, limits.threads), answer, control, solver)


@dataclass
class _Search:
    """The last search of a solver, for its checkpoint.

    Attributes
    ----------
    question : Question
    started : float
        When it began, in seconds.
    before, over : int or None
        The generation of the table before it, and once it is over. None: it had begun
        in a call for many questions; it goes on.
    time_s : float
        Its seconds, once it is over.
    """

    question: Question
    started: float
    before: int | None
    over: int | None = None
    time_s: float = 0.0


class Solver:
    """Solves one problem after the other in the same memory; use one for each thread.

    It remembers nothing about a problem except which small endgames it has met: further
    positions with these pieces are answered from endgame tables
    (docs/explanation/endgames.md). What a long search has proved can be saved, and
    loaded to go on (docs/howto/resume.md).

    Parameters
    ----------
    hash_mib : int
        Largest size of the transposition table in MiB, rounded down to a power of two.
        It grows with each search.
    tablebases : Tablebases or None
        Gaviota and Syzygy tables to consult; several solvers may share them.
    threads : int
        How many cores to use on one position. Further threads join when a search has
        taken a million nodes, so a shorter one takes the same nodes with any number.
    cores : callable or None
        Returns how many of these cores are free for a search, itself included; called
        as it goes on. None: all of them.

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
        cores: Callable[[], int] | None = None,
    ) -> None:
        hash_mib, threads = hash_size(hash_mib), thread_count(threads)
        if tablebases is not None:
            from solver.endgames.tablebases import Tablebases

            require_instance("tablebases", tablebases, Tablebases, "Tablebases or None")
        given: object = cores
        if not (given is None or callable(given)):
            name = "cores"
            raise refusal(name, "a function or None", given)
        remedy = "use one for each thread, for one search at a time"
        self._exclusive = Exclusive("solver", remedy)
        self._workspace = Workspace(hash_mib)
        self._tablebases = tablebases
        self._helper_threads = HelperThreads(self._workspace, threads - 1, cores)
        self._loaded: Checkpoint | None = None
        self._last: _Search | None = None

    @property
    def workspace(self) -> Workspace:
        """The memory of the last search, with what it proved."""
        return self._workspace

    def hashfull(self) -> int:
        """Estimate how much of the largest table is full, per mille."""
        return self._workspace.hashfull()

    def load(
        self, path: str | os.PathLike[str], key: str | os.PathLike[str] | None = None
    ) -> Checkpoint:
        """Let later searches begin with the bounds in a file that `save` wrote.

        It may be called for several files about the same stipulation. Searches for
        another one begin without them.

        Parameters
        ----------
        path : str or PathLike
            The file.
        key : str, PathLike or None
            The file with the key that signed it; None: the user's own.

        Returns
        -------
        Checkpoint
            What the file has.

        Raises
        ------
        CheckpointError
            It is damaged, was signed with another key, is about another stipulation
            than what was loaded before, or contradicts it.
        OSError
            A file cannot be read.
        """
        from solver.search import checkpoints

        found = checkpoints.read_checkpoint(path, checkpoints.read_key(key))
        with self._exclusive.use():
            known = found
            if self._loaded is not None:
                found.require_about(self._loaded, path, "stipulation")
                known = self._loaded.merged(found)
            if not self._workspace.merge(known.entries):
                checkpoints.refuse_file(
                    path, "bounds", "some that contradict each other"
                )
            self._loaded, self._last = known, None
        return found

    def save(
        self,
        path: str | os.PathLike[str],
        key: str | os.PathLike[str] | None = None,
        *,
        most_mb: int = DEFAULT_CHECKPOINT_MB,
    ) -> Checkpoint:
        """Write what the last search has proved of positions, with what was loaded.

        Another thread may call this while the search goes on.

        Parameters
        ----------
        path : str or PathLike
            The file, which replaces an older one as a whole.
        key : str, PathLike or None
            The file with the key to sign with; None: the user's own.
        most_mb : int
            The largest size of the file in megabytes.

        Returns
        -------
        Checkpoint
            What was written.

        Raises
        ------
        InputError
            There was no search, or its table has been used for something else.
        CheckpointError
            Other users can read the key.
        OSError
            The file cannot be written.
        """
        from solver.search import checkpoints

        secret = checkpoints.read_key(key)
        saved = self.checkpoint(most_mb)
        checkpoints.write_checkpoint(path, saved, secret)
        return saved

    def keep(self, *, most_mb: int = DEFAULT_CHECKPOINT_MB) -> None:
        """Let later searches begin with what the last one has proved, as `load` does.

        Parameters
        ----------
        most_mb : int
            The largest size of the bounds in megabytes.

        Raises
        ------
        InputError
            There was no search, or its table has been used for something else.
        """
        with self._exclusive.use():
            self._loaded = self.checkpoint(most_mb)

    def unload(self) -> None:
        """Let later searches begin without what was loaded or kept."""
        with self._exclusive.use():
            self._loaded = None

    def checkpoint(self, most_mb: int) -> Checkpoint:
        """Return what `save` writes."""
        from solver.search.checkpoints import (
            ENTRY_BYTES,
            MOST_HEADER_BYTES,
            NUMBERS_SHARE,
            Checkpoint,
        )

        most_mb = require_int("most_mb", most_mb, 1, MAX_HASH_MIB)
        last, search, loaded = self._last, self._workspace.search, self._loaded
        if last is None or last.over not in {None, search.generation}:
            name = "solver"
            raise refusal(name, "a search to save", "none")
        saved = Checkpoint.about(last.question.problem, last.question.restriction)
        if loaded is not None and loaded.fits(last.question.problem):
            saved = saved.merged(loaded)
        # Before its first node, its table may have a part of what was loaded.
        has_begun = search.generation != last.before
        if has_begun and (search.nodes or last.over is not None):
            room = (most_mb * MEGABYTE - MOST_HEADER_BYTES) // ENTRY_BYTES
            numbers = self._workspace.export(room // NUMBERS_SHARE, of_numbers=True)
            room -= len(numbers) // ENTRY_BYTES
            entries = self._workspace.export(room)
            saved = replace(saved, entries=entries, numbers=numbers)
        return replace(
            saved,
            searches=saved.searches + 1,
            nodes=saved.nodes + search.nodes + self._helper_threads.count(),
            time_s=saved.time_s + (last.time_s or time.perf_counter() - last.started),
        )

    def solve(  # noqa: PLR0913 -- as above
        self,
        problem: Problem | str | chess.Board,
        limits: Limits | None = None,
        *,
        moves: str | Sequence[str] = "",
        repair: bool = False,
        max_moves: int | None = None,
        within: int | None = None,
        keys: bool = True,
        control: Control | None = None,
        restriction: Restriction | None = None,
        root_moves: str | Sequence[str] | None = None,
    ) -> Solution:
        """Solve in the calling thread; see `solve` for parameters and errors.

        The solver's table and number of threads are used, whatever `limits` says.
        """
        question = read_question(
            problem,
            limits,
            moves=moves,
            repair=repair,
            max_moves=max_moves,
            within=within,
            keys=keys,
            restriction=restriction,
            root_moves=root_moves,
        )
        return self.answer(question, require_control(control))

    def answer(self, question: Question, control: Control) -> Solution:
        """Answer a question that has been read, in the calling thread.

        Parameters
        ----------
        question : Question
            See `solver.search.queries.read_question`.
        control : Control
            Stops the search, and receives its progress.
        """
        batch = Questions(self._workspace, [question])
        with closing(self.answers(batch, lambda: nullcontext(control))) as answers:
            (solution,) = batch.solutions(next(answers))
        return solution

    def answers(
        self,
        batch: Batch,
        searching: Callable[[], AbstractContextManager[Control]],
        *,
        batch_s: float = math.inf,
    ) -> Generator[Answered, None, None]:
        """Answer the questions of a batch in the calling thread, easy ones together.

        The solver is in use until the last answer, or until the generator is closed.

        Parameters
        ----------
        batch : Batch
            Its questions have the same time limit.
        searching : callable
            Returns a context manager that provides the control of each new search.
        batch_s : float
            The longest that a call for many questions may take, in seconds.

        Yields
        ------
        Answered
            The next answers, in the order of the questions. The time of a call is
            shared out by nodes.

        Raises
        ------
        FenError
            A position is not legal.
        """
        with self._exclusive.use():
            batch.read()
            first, node_s = 0, 0.0
            while first < len(batch.rows):
                row = batch.rows[first]
                is_together = (
                    self._tablebases is None
                    and self._loaded is None
                    and row.alone_from > 0
                )
                with searching() as control, control.exclusive.use():
                    if is_together and row.state != query_struct.QueryState.OPEN:
                        end, node_s = self._call(batch, first, control, batch_s)
                        yield Answered(first, end, node_s)
                        first = end
                    else:
                        spent_s = node_s * row.nodes
                        solution = self._go_on(batch, first, control, spent_s)
                        yield Answered(first, first + 1, node_s, solution)
                        first += 1

    def _call(
        self, batch: Batch, first: int, control: Control, batch_s: float
    ) -> tuple[int, float]:
        """Answer questions in one call of the kernel, until one is left to go on.

        Returns
        -------
        end : int
            The one that is left.
        node_s : float
            Seconds of searching for each node.
        """
        self._last = None
        self._workspace.limit(None)  # each query has its node limit
        started = time.perf_counter()
        own_s = batch.question(first).limits.time_s
        with WATCHDOG.limit(control, batch_s if own_s is None else min(batch_s, own_s)):
            control.attach(self._workspace.search)
            end = batch.solve(first)
        nodes = batch.nodes(first, end + 1)
        return end, (time.perf_counter() - started) / max(1, nodes)

    def _go_on(
        self, batch: Batch, index: int, control: Control, spent_s: float
    ) -> Solution:
        """Answer one question, whose search may have begun in a call for many."""
        row, question = batch.rows[index], batch.question(index)
        kind, limits = genre_of(question.problem.stipulation), question.limits
        workspace = self._workspace
        load_part(kind.part())  # before the clock starts
        started = time.perf_counter() - spent_s
        # 1. The user's tablebases know many answers; the search then tries to prove
        #    them, which without limits would take too long.
        from_tables, by_nodes = None, StoppedBy.NODES
        if self._tablebases is not None:
            from_tables = kind.consult(self._tablebases, question)
        if from_tables and limits.nodes is None and limits.time_s is None:
            row.node_limit, by_nodes = TABLEBASE_NODES, StoppedBy.TABLEBASE
        # 2. Search with the limits set.
        before: int | None = None
        if row.state != query_struct.QueryState.OPEN:
            workspace.limit(None, question.restriction)
            before = workspace.search.generation
        control.attach(workspace.search)
        last = _Search(question, started, before)
        self._last, self._helper_threads.nodes = last, 0
        if self._loaded and self._loaded.fits(question.problem):
            workspace.begin_with(self._loaded.entries, self._loaded.numbers)
        try:
            with WATCHDOG.limit(control, limits.time_s, spent_s):
                solution = self._search(batch, index, control)
        finally:
            self._helper_threads.stop()
            workspace.begin_with(b"", b"")
            last.time_s = time.perf_counter() - started
            last.over = workspace.search.generation
        # 3. What the tablebases know completes what the search left open.
        if from_tables:
            from solver.search.endgame import prefer_proof

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

    def _search(self, batch: Batch, index: int, control: Control) -> Solution:
        """Search for the answer to one question, turn by turn; see `_go_on`."""
        row, question = batch.rows[index], batch.question(index)
        kind = genre_of(question.problem.stipulation)
        if listed := kind.list_solutions(self._workspace, question, control):
            return listed
        kernel, row.play = load_part(kind.part()).kernel, kind.play

        def help_search(helper: Workspace, control: Control) -> None:
            twin = Questions(helper, [question])
            twin.read()
            twin.rows[0].play = kind.play
            for _ in twin.turns(0, kernel, control):
                pass

        endgame: EndgameProbe | None = None
        for _ in batch.turns(index, kernel, control):
            if not row.nodes:  # a small endgame, before its search
                from solver.search.endgame import EndgameProbe

                history = self._history
                endgame = EndgameProbe(self._workspace, question, control, history)
            if endgame and (known := endgame.answer()):
                return known
            self._helper_threads.start(help_search)
        solution = solution_of(question.problem, row, batch.text())
        return endgame.complete(solution) if endgame else solution

    @cached_property
    def _history(self) -> EndingHistory:
        """The small endgames met so far."""
        from solver.endgames.ending import EndingHistory

        return EndingHistory()


_short_calls = ShortCalls(lambda hash_mib, threads: Solver(hash_mib, threads=threads))
