"""Solve a column of positions: FENs in, columns of answers out."""

from __future__ import annotations

import sys
from collections import deque
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import numpy as np

from solver.columns.mate_table import STATUSES, UNREADABLE, MateTable
from solver.columns.texts import TextColumn, read_column
from solver.errors import FenError, InputError
from solver.kernel.border.query import Answer, Query, QueryState
from solver.problem import (
    Limits,
    Problem,
    length,
    require_bool,
    require_instance,
    require_int,
)
from solver.search.queries import STATUSES as STATUS_OF
from solver.search.queries import Batch, address_of, ask
from solver.search.question import Question
from solver.search.threads import WAIT_S, GroupControl
from solver.solving import Solver

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Future

    import chess

    from solver.columns.texts import Slice
    from solver.search.workspace import Workspace
    from solver.solution import Solution

SLICE = 4096
"""How many rows are read and solved together."""

MAX_JOBS = 1024

QUERY = np.dtype(Query)
ASKED = (
    *("attacking", "most_moves", "any_length", "expected", "all_keys", "root_moves"),
    *("node_limit", "first_budget", "alone_from"),
)
"""The fields of a question that are the same in all rows."""

ANSWERS = {status: answer for answer, status in STATUS_OF.items()}

CODES = np.array([STATUSES.index(STATUS_OF[answer]) for answer in Answer], np.uint8)
"""The code of each answer of the kernel in a `MateTable`."""


def solve_many(
    fens: Iterable[str | bytes | chess.Board | Problem],
    *,
    max_moves: int,
    keys: bool = True,
    limits: Limits | None = None,
    jobs: int = 1,
) -> MateTable:
    """Find the shortest mate by the side to move in each of many positions.

    The positions are read, searched and answered in compiled code, thousands in a call.
    The answers are those of `solve`, except that the side to move is always taken to be
    the attacker.

    Parameters
    ----------
    fens : iterable of str, chess.Board or Problem
        Positions as `solve` takes them, FENs of 1, 2, 4 or 6 fields: a list, an array
        of numpy, a column of pyarrow, polars or pandas, or an iterator. Bytes are texts
        in UTF-8. Of a `Problem` only the position counts.
    max_moves : int
        The longest mate to search for, 1 to 200.
    keys : bool
        Whether to find every first move that mates as fast.
    limits : Limits, optional
        What each position may cost, and the size of the table of each thread. Its
        `max_moves` and `threads` are left as they are by default.
    jobs : int
        The number of threads; they run compiled code in parallel.

    Returns
    -------
    MateTable
        A row for each position, in their order. One that cannot be read has the status
        `unreadable` and costs no other row. The same holds for a `Problem` with another
        stipulation than a mate, or with the claim that the side to move is mated.

    Raises
    ------
    InputError
        An argument has the wrong type or is out of range, or every row of the column
        has the wrong type.
    AllocationError, CacheError, KernelError
        As for `solve`.

    Examples
    --------
    >>> from solver import solve_many
    >>> table = solve_many(
    ...     ["5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -", "8/8/8 w - -"], max_moves=2
    ... )
    >>> table.status.tolist(), table.mate.tolist()
    (['proved', 'unreadable'], [2, 0])
    >>> list(table.pv), list(table.keys)
    (['c4g8 f8g8 h6f7', ''], ['c4g8', ''])
    >>> table.error[1]
    "board: expected 8 ranks with / between them, found 3 in '8/8/8'"
    """
    max_moves = length("max_moves", max_moves)
    require_bool("keys", keys)
    limits = require_instance("limits", limits or Limits(), Limits, "Limits or None")
    if limits.max_moves is not None or limits.threads != 1:
        msg = f"limits: expected one without max_moves and threads, found {limits}"
        raise InputError(msg)
    jobs = require_int("jobs", jobs, 1, MAX_JOBS)
    slices = read_column("fens", fens, SLICE)
    group = GroupControl()
    limits = replace(limits, max_moves=max_moves)
    idle: SimpleQueue[_Worker] = SimpleQueue()
    for _ in range(jobs):
        idle.put(_Worker(limits, group, keys=keys))

    def solve(rows: Slice) -> MateTable:
        worker = idle.get()
        try:
            return worker.solve(rows)
        finally:
            idle.put(worker)

    # The caller's thread only waits, so that Ctrl-C reaches it.
    with ThreadPoolExecutor(jobs) as pool:
        running: deque[Future[MateTable]] = deque()
        tables = [_EMPTY]
        try:
            for rows in slices:
                running.append(pool.submit(solve, rows))
                if len(running) > 2 * jobs:
                    tables.append(_result(running.popleft()))
            tables += map(_result, running)
        except BaseException:  # also an interrupt: no slice may run on
            group.stop()
            pool.shutdown(cancel_futures=True)
            raise
    return MateTable.join(tables, _index(fens))


def _index(column: object) -> Any:
    """Return the index of a pandas.Series; None for any other column."""
    pandas = sys.modules.get("pandas")  # not loaded: nobody has made a Series
    return column.index if pandas and isinstance(column, pandas.Series) else None


def _result(future: Future[MateTable]) -> MateTable:
    """Wait for a slice; not every system wakes a waiting thread for a signal."""
    while not future.done():
        wait([future], timeout=WAIT_S)
    return future.result()


class _Worker:
    """Solves one slice after the other in its own memory."""

    def __init__(self, limits: Limits, group: GroupControl, *, keys: bool) -> None:
        self._limits = limits
        self._group = group
        self._keys = keys
        self._solver = Solver(limits.hash_mib)

    def solve(self, given: Slice) -> MateTable:
        """Solve the rows of a slice."""
        rows = _Rows(self._solver.workspace, given, self._limits, all_keys=self._keys)
        for end in self._solver.answers(rows, self._group.search):
            if self._group.is_stopped():
                return rows.table(end)
        return rows.table(len(given.texts))


class _Rows(Batch[int]):
    """The rows of a slice; their answers are collected, and become columns at once."""

    def __init__(
        self, workspace: Workspace, given: Slice, limits: Limits, *, all_keys: bool
    ) -> None:
        super().__init__(workspace, len(given.texts))
        self._given = given
        self._limits = limits
        self._all_keys = all_keys
        memory: Any = self.rows
        self._columns: Any = np.frombuffer(memory, QUERY)
        self._written = bytearray()
        self._time_s = np.zeros(len(given.texts))
        self._errors: dict[int, str] = {}

    def question(self, index: int) -> Question:
        """Return the question of a row: the side to move attacks."""
        problem = Problem(self._given.texts[index], no_mate=self._limits.max_moves)
        return Question(problem, self._limits, all_keys=self._all_keys)

    def read(self) -> None:
        """Read the texts; the rows that cannot be read are REFUSED."""
        # 1. The texts and the questions.
        texts, columns = self._given.texts, self._columns
        columns["fen"] = texts.data.ctypes.data + texts.offsets[:-1]
        columns["fen_size"] = np.diff(texts.offsets)
        template = Query()
        ask(template, self.question(0))
        for name in ASKED:
            columns[name] = getattr(template, name)
        self.read_texts(0, len(texts))

        # 2. The strict reader reads unusual FENs, and says why it refuses the others.
        for index in np.flatnonzero(columns["state"] == QueryState.REFUSED).tolist():
            row = self.rows[index]
            row.mate = -1
            try:
                fen = self.question(index).read().problem.fen.encode()
            except FenError as error:
                self._errors[index] = self._given.faults.get(index) or str(error)
            else:
                row.fen, row.fen_size = address_of(fen), len(fen)
                self.read_texts(index, index + 1)

    def answers(self, first: int, end: int, node_s: float) -> Iterator[int]:
        """Collect the answers to rows that were searched in one call."""
        columns = self._columns[first:end]
        for name in ("pv_at", "keys_at"):
            columns[name] += len(self._written)
        self._written += self.text()
        self._time_s[first:end] = columns["nodes"] * node_s
        yield end

    def answer(self, index: int, solution: Solution) -> int:
        """Collect the answer to a row that was searched alone."""
        row = self.rows[index]
        row.status = ANSWERS[solution.status]
        row.mate = -1 if solution.mate is None else solution.mate
        row.lower_bound, row.nodes = solution.lower_bound, solution.stats.nodes
        row.pv_at, row.pv_written = self._write(solution.pv)
        row.keys_at, row.keys_written = self._write(solution.keys)
        row.keys_complete = solution.keys_complete
        self._time_s[index] = solution.stats.time_s
        return index + 1

    def _write(self, moves: Sequence[str]) -> tuple[int, int]:
        """Write moves as the kernel does; return where they begin, and their size."""
        begin = len(self._written)
        self._written += "".join(f"{move} " for move in moves).encode("ascii")
        return begin, len(self._written) - begin

    def table(self, end: int) -> MateTable:
        """Return the answers to the rows before `end`."""
        rows, text = self._columns[:end], np.frombuffer(self._written, np.uint8)
        has_mate = rows["mate"] >= 0
        keys_at, keys_written = rows["keys_at"], rows["keys_written"]
        # Without all keys, the first move of the line is one.
        is_first = has_mate & (keys_written == 0) & (rows["pv_written"] > 0)
        pv = TextColumn.cut(text, rows["pv_at"], _less_a_space(rows["pv_written"]))
        keys = TextColumn.cut(
            text,
            np.where(is_first, rows["pv_at"], keys_at),
            np.where(
                is_first, _first_word(text, rows["pv_at"]), _less_a_space(keys_written)
            ),
        )
        is_refused = rows["state"] == QueryState.REFUSED
        errors = TextColumn.blank(end)
        if self._errors:
            errors = TextColumn.of([self._errors.get(row, "") for row in range(end)])
        return MateTable(
            np.where(is_refused, np.uint8(UNREADABLE), CODES[rows["status"]]),
            np.where(has_mate, rows["mate"], 0).astype(np.int16),
            has_mate,
            rows["lower_bound"].astype(np.int16),
            keys,
            rows["keys_complete"] != 0,
            pv,
            rows["nodes"].copy(),
            self._time_s[:end],
            errors,
        )


def _less_a_space(sizes: Any) -> Any:
    """Return the sizes of texts without the space after each."""
    return np.maximum(sizes - 1, 0)


def _first_word(text: Any, starts: Any) -> Any:
    """Return the size of the first move of each line: 4, or 5 if it promotes."""
    fifth = text[np.minimum(starts + 4, max(0, len(text) - 1))] if len(text) else 0
    return np.where(fifth == ord(" "), 4, 5)


_EMPTY = MateTable(
    np.empty(0, np.uint8),
    np.empty(0, np.int16),
    np.empty(0, np.bool_),
    np.empty(0, np.int16),
    TextColumn.blank(0),
    np.empty(0, np.bool_),
    TextColumn.blank(0),
    np.empty(0, np.int64),
    np.empty(0, np.float64),
    TextColumn.blank(0),
)
