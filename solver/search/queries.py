"""From a `Question` to the `Query` that the kernel searches, and back to a `Solution`.

The kernel advances a query turn by turn; see `solver.kernel.mate.turns`. One call
reads, sets up, searches and answers thousands of queries, without a Python object for
each.
"""

from __future__ import annotations

import ctypes
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from solver.board import unpack_line, unpack_move
from solver.kernel.border.interface import NO_LIMIT
from solver.kernel.border.memory import Position
from solver.kernel.border.query import MOST_TEXT, Answer, Query, QueryState, Turn
from solver.solution import Solution, Stats, Status, StoppedBy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from solver.endgames.probe import EndingHistory
    from solver.kernel.border.interface import Kernel
    from solver.problem import Problem
    from solver.search.question import Question
    from solver.search.threads import Control, HelperThreads
    from solver.search.workspace import Workspace

POSITION_BYTES = ctypes.sizeof(Position)

QUERY_TEXT = 256
"""Average bytes of text for a query; FEN, line and keys of a mate in two take half of
it. Queries that need more are answered in several calls."""

ALONE_FROM = 100_000
"""Nodes after which a call for many queries returns one to its caller, which can limit
its time and start helper threads."""

STATUSES = {
    Answer.PROVED: Status.PROVED,
    Answer.FOUND: Status.FOUND,
    Answer.DISPROVED: Status.DISPROVED,
    Answer.UNDECIDED: Status.UNDECIDED,
}


class Queries:
    """Queries that are read and searched together, and the memory for their texts.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs.
    size : int
        The most queries.

    Attributes
    ----------
    rows : array of Query
        The queries, filled from the first on.
    kernel : Kernel
        The part that takes their turns: the search for mates, or battle play.
    """

    def __init__(self, workspace: Workspace, size: int) -> None:
        self.rows = (Query * size)()
        self.kernel = workspace.kernel
        self._workspace = workspace
        self._text = ctypes.create_string_buffer(size * QUERY_TEXT + MOST_TEXT)
        self._root_moves = (ctypes.c_uint64 * 0)()

    def fill(
        self,
        index: int,
        question: Question,
        kernel: Kernel | None = None,
        play: int = 0,
    ) -> Query:
        """Set up a question whose position has been read.

        Root moves are valid until the next question with root moves.

        Parameters
        ----------
        index : int
            Which query to set up.
        question : Question
        kernel : Kernel or None
            The part that takes the turns; None: the search for mates.
        play : int
            A `BattlePlay`, for the part of battle play.
        """
        self.kernel = kernel or self._workspace.kernel
        query = self.rows[index]
        ctypes.memmove(query.position, ctypes.byref(question.position), POSITION_BYTES)
        query.state, query.black = QueryState.READ, not question.board.turn
        ask(query, question)
        query.play = play
        if question.root_moves is not None:
            workspace, board = self._workspace, question.board
            words = workspace.kernel.moves(question.position, workspace.search)
            chosen = [
                word
                for word in words
                if unpack_move(board, word).uci() in question.root_moves
            ]
            self._root_moves = (ctypes.c_uint64 * len(chosen))(*chosen)
            query.root_moves = ctypes.addressof(self._root_moves)
            query.root_count = len(chosen)
        return query

    def read(self, size: int) -> memoryview:
        """Set up the positions of queries from their texts.

        Returns
        -------
        memoryview
            The texts that were read; the next call overwrites them.
        """
        text = self.use_text()
        workspace = self._workspace
        workspace.kernel.read_rows(self.rows, workspace.search, 0, size)
        return text

    def read_questions(self, questions: Sequence[Question]) -> list[Problem]:
        """Read the FENs of questions, and set them up.

        Queries that cannot be answered together are REFUSED: stipulations other than
        mate, and FENs that are not plainly correct.

        Returns
        -------
        list of Problem
            The problems, with FENs of six fields where they were read.
        """
        problems = [question.problem for question in questions]
        fens = [problem.fen.encode(errors="replace") for problem in problems]
        given = b"".join(fens)  # the queries refer to it while they are read
        address = address_of(given)
        for query, fen, question in zip(self.rows, fens, questions, strict=False):
            query.fen, query.fen_size = address, len(fen)
            address += len(fen)
            query.black = query.line_size = query.played = 0
            ask(query, question)
        text = self.read(len(fens))
        for index, (query, fen) in enumerate(zip(self.rows, fens, strict=False)):
            written = text[query.fen_at : query.fen_at + query.fen_written]
            if not problems[index].stipulation.is_direct_mate:
                query.state = QueryState.REFUSED
            elif query.state == QueryState.READ and written != fen:
                problems[index] = replace(problems[index], fen=str(written, "ascii"))
        return problems

    def solve(self, first: int, end: int) -> tuple[int, str]:
        """Answer queries from `first` on, before `end`, until one is left open.

        Returns
        -------
        answered : int
            The first query that is not answered; see `Kernel.solve_queries`.
        text : str
            The texts of the answers.
        """
        workspace = self._workspace
        workspace.reserve_generations(end - first)
        text = self.use_text()
        search = workspace.search
        answered = workspace.kernel.solve_queries(self.rows, search, first, end)
        return answered, str(text[: search.text_written], "ascii")

    def finish(
        self,
        index: int,
        question: Question,
        control: Control,
        is_over: Callable[[], bool],
    ) -> Solution | None:
        """Take turns until a query is answered.

        Parameters
        ----------
        index : int
            The query: OPEN, and not answered by its first turn.
        question : Question
            What it was filled from.
        control : Control
            Receives the bounds.
        is_over : callable
            Called where the turn of a side is over; True ends the search.

        Returns
        -------
        Solution or None
            The answer, without its time; None if `is_over` has ended the search.
        """
        text = self.use_text()
        query, search = self.rows[index], self._workspace.search
        lines_read = query.lines_read
        turn = Turn.GOES_ON
        while turn is not Turn.ENDS:
            turn = self.kernel.take_turn(query, search)
            control.lower_bound = query.lower[0]
            if query.lines_read != lines_read:
                lines_read = query.lines_read
                control.best = best_line(query, search.lines, question)
            if turn is Turn.PAUSES and is_over():
                return None
        written = str(text[: search.text_written], "ascii")
        return solution_of(question.problem, query, written)

    def use_text(self) -> memoryview:
        """Let the kernel write texts from here on; return their memory."""
        search = self._workspace.search
        search.text = ctypes.addressof(self._text)
        search.text_size = len(self._text)
        search.text_written = 0
        return memoryview(self._text).cast("B")


Begun: TypeAlias = tuple[Queries, int]
"""An open query: its batch, and its place there."""


class QuerySearch:
    """Answers one question after another, of mates and of battle play.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs; its limits are set.
    helper_threads : HelperThreads
        Threads that join a search that is not short.

    Attributes
    ----------
    workspace : Workspace
    """

    def __init__(self, workspace: Workspace, helper_threads: HelperThreads) -> None:
        self.workspace = workspace
        self._helper_threads = helper_threads
        self._queries = Queries(workspace, 1)

    @cached_property
    def _history(self) -> EndingHistory:
        """The small endgames met so far."""
        from solver.endgames.probe import EndingHistory

        return EndingHistory()

    def solve(
        self,
        question: Question,
        control: Control,
        begun: Begun | None = None,
        *,
        kernel: Kernel | None = None,
        play: int = 0,
    ) -> Solution:
        """Answer a question within the limits that are set; its time is left out.

        Parameters
        ----------
        question : Question
        control : Control
            Receives the bounds.
        begun : Begun or None
            The question's query if its search has begun.
        kernel : Kernel or None
            The part that takes the turns; None: the search for mates.
        play : int
            A `BattlePlay`, for the part of battle play.
        """
        # 1. The first turn answers trivial cases, and pauses at a small endgame.
        workspace = self.workspace
        queries, index = begun or (self._queries, 0)
        query = queries.rows[index]
        is_ending = not query.nodes
        if begun is None:
            queries.fill(index, question, kernel, play)
            workspace.reserve_generations(1)
            turn = queries.kernel.take_turn(query, workspace.search)
            if turn is Turn.ENDS:
                return solution_of(question.problem, query, "")
            is_ending = turn is Turn.PAUSES
        if is_ending:
            return self._solve_ending(queries, index, question, control)

        # 2. The bounds, closed until they meet; then the keys.
        def is_over() -> bool:
            self._start_helpers(queries, question)
            return False

        solution = queries.finish(index, question, control, is_over)
        assert solution
        return solution

    def _solve_ending(
        self, queries: Queries, index: int, question: Question, control: Control
    ) -> Solution:
        """Search a small endgame, or probe its table."""
        from solver.search.endgame import EndgameProbe

        workspace = self.workspace
        endgame = EndgameProbe(workspace, question, control, self._history)
        if known := endgame.answer_at_once():
            return known

        def is_over() -> bool:
            if endgame.is_answered():
                return True
            self._start_helpers(queries, question)
            return False

        with workspace.budget(endgame.search_budget):
            solution = queries.finish(index, question, control, is_over)
            return endgame.complete(solution)

    def _start_helpers(self, queries: Queries, question: Question) -> None:
        """Let the helper threads search the same question, unless they already do."""

        def help_search(helper: Workspace, control: Control) -> None:
            twin = Queries(helper, 1)
            query = twin.fill(0, question, queries.kernel, queries.rows[0].play)
            twin.kernel.take_turn(query, helper.search)
            twin.finish(0, question, control, lambda: False)

        self._helper_threads.start(help_search)


def ask(query: Query, question: Question) -> None:
    """Write a question into its query, without its root moves."""
    nodes = question.limits.nodes
    query.attacking = question.named_attacker
    query.most_moves = question.most_moves
    query.any_length = question.any_length
    query.expected = question.expected or 0
    query.all_keys = question.all_keys
    query.root_moves = query.nodes = query.first_budget = 0
    query.node_limit = NO_LIMIT if nodes is None else nodes
    query.alone_from = ALONE_FROM


def best_line(
    query: Query, lines: Sequence[Sequence[int]], question: Question
) -> tuple[int, tuple[str, ...]] | None:
    """Return the shortest mate of an open query, and its line in UCI notation.

    The mate is negative when the side to move is mated.
    """
    for side, plies in enumerate(query.line_plies):
        if plies:
            line = unpack_line(question.board, lines[side][:plies])
            is_attackers = query.attacking and not side
            return query.upper[side] * (1 if is_attackers else -1), line
    return None


def address_of(text: bytes) -> int:
    """Return the address of bytes; it is valid as long as the bytes object lives."""
    return ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p).value or 0


def solution_of(
    problem: Problem, query: Query, text: str, time_s: float = 0.0
) -> Solution:
    """Return the answer of a query; NODES means that some limit was hit.

    Parameters
    ----------
    problem : Problem
        The query's problem, with a FEN of six fields.
    query : Query
        ANSWERED.
    text : str
        The texts of the answers.
    time_s : float
        Seconds of searching.
    """
    pv = tuple(text[query.pv_at : query.pv_at + query.pv_written].split())
    keys = tuple(text[query.keys_at : query.keys_at + query.keys_written].split())
    mate: int | None = query.mate
    if query.mate < 0:
        mate = None
    elif not query.attacking:
        mate = -query.mate
    return Solution(
        problem,
        STATUSES[query.status],
        mate,
        query.lower_bound,
        pv=pv,
        keys=keys or pv[: query.attacking],
        keys_complete=bool(query.keys_complete),
        stopped_by=StoppedBy.NODES if query.is_cut else None,
        stats=Stats(query.nodes, time_s),
    )
