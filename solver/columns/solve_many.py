"""Many positions at once: a column of FENs in, a table of answers out.

1. `solve_many` reads the column slice by slice, and gives each slice to a thread.
2. `_Rows` reads, searches and answers the rows of a slice in compiled code.
3. `MateTable` has the answers in columns.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from solver import errors, fen_faults, problem, solving
from solver.columns.answer_table import (
    AnswerTable,
    MoveColumn,
    Texts,
    columns_of,
    pandas_index_of,
)
from solver.kernel.border.query_struct import (
    Answer,
    FenFault,
    Query,
    QueryState,
)
from solver.position_text import address_of
from solver.search.queries import STATUSES as STATUS_OF
from solver.search.queries import Answered, Batch, Question, ask, fen_of
from solver.search.threads import WAIT_S, GroupControl
from solver.solution import Status

if TYPE_CHECKING:
    import chess
    from numpy.typing import NDArray

    from solver.search.workspaces import Workspace

# Columns out

STATUSES: tuple[str, ...] = (*(str(status) for status in Status), "unreadable")
"""What `MateTable.status` may contain."""

UNREADABLE = len(STATUSES) - 1


class MateRow(NamedTuple):
    """The answer to one of many positions.

    Attributes
    ----------
    status : str
        `proved`, `found`, `disproved`, `undecided` or `unreadable`.
    mate : int or None
        Moves to mate, proved; None: no mate was found.
    lower_bound : int or None
        No mate takes fewer moves: proved; None for an unreadable row.
    keys : tuple of str
        First moves that mate in `mate` moves, in UCI notation.
    keys_complete : bool
        Whether these are all.
    pv : tuple of str
        The line of the mate, likewise.
    nodes : int
        Positions entered by the search.
    time_s : float
        Seconds of searching.
    error : str
        Why the row cannot be read, in one line; empty if it can.
    """

    status: str
    mate: int | None
    lower_bound: int | None
    keys: tuple[str, ...]
    keys_complete: bool
    pv: tuple[str, ...]
    nodes: int
    time_s: float
    error: str

    def __repr__(self) -> str:
        reason = f": {self.error}" if self.error else f", mate={self.mate}"
        return f"<MateRow {self.status}{reason}>"


@dataclass(frozen=True, eq=False, repr=False)
class MateTable(AnswerTable[MateRow]):
    """The answers to many positions; each column has a row for each, in order.

    `table[0]` is the first row, a `MateRow`, and `table[:5]` a list of the first five.

    Attributes
    ----------
    mate : int16 array
        Moves to mate, proved; 0 without one, and if it is checkmate.
    has_mate : bool array
        Whether a mate was found.
    lower_bound : int16 array
        No mate takes fewer moves: proved; 0 for an unreadable row.
    keys : sequence of tuple of str
        First moves that mate in `mate` moves, in UCI notation.
    keys_complete : bool array
        Whether these are all.
    pv : sequence of tuple of str
        The line of the mate, likewise.
    nodes : int64 array
        Positions entered by the search.
    time_s : float64 array
        Seconds of searching. The time of rows that were searched in one call is shared
        out by their nodes.
    error : list of str
        Why a row cannot be read, in one line; empty if it can.
    fens : Texts
        The positions as they were given.
    """

    statuses = STATUSES

    mate: NDArray[np.int16]
    has_mate: NDArray[np.bool_]
    lower_bound: NDArray[np.int16]
    keys: MoveColumn
    keys_complete: NDArray[np.bool_]
    pv: MoveColumn
    nodes: NDArray[np.int64]
    time_s: NDArray[np.float64]
    error: list[str]
    fens: Texts

    @cached_property
    def keys_san(self) -> MoveColumn:
        """The `keys` in SAN."""
        return self.keys.in_san(self.fens, 0)

    @cached_property
    def pv_san(self) -> MoveColumn:
        """The line `pv` in SAN."""
        return self.pv.in_san(self.fens, self.pv.counts)

    def _row(self, place: int) -> MateRow:
        code = self.codes[place]
        return MateRow(
            STATUSES[code],
            int(self.mate[place]) if self.has_mate[place] else None,
            int(self.lower_bound[place]) if code != UNREADABLE else None,
            self.keys[place],
            bool(self.keys_complete[place]),
            self.pv[place],
            int(self.nodes[place]),
            float(self.time_s[place]),
            self.error[place],
        )

    @property
    def _columns(self) -> dict[str, Any]:
        is_unreadable = self.codes == UNREADABLE
        return {
            "mate": np.ma.masked_array(self.mate, ~self.has_mate),
            "lower_bound": np.ma.masked_array(self.lower_bound, is_unreadable),
            "keys": self.keys,
            "keys_san": self.keys_san,
            "keys_complete": self.keys_complete,
            "pv": self.pv,
            "pv_san": self.pv_san,
            "nodes": self.nodes,
            "time_s": self.time_s,
            "error": self.error,
        }


# Solving

SLICE = 4096
"""How many rows are read and solved together."""

MAX_JOBS = 1024

ANSWERS = {status: answer for answer, status in STATUS_OF.items()}

CODES = np.array([STATUSES.index(STATUS_OF[answer]) for answer in Answer], np.uint8)
"""The code of each answer of the kernel in a `MateTable`."""


def solve_many(
    fens: Iterable[str | bytes | chess.Board | problem.Problem],
    *,
    max_moves: int,
    keys: bool = True,
    limits: problem.Limits | None = None,
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
    ([('c4g8', 'f8g8', 'h6f7'), ()], [('c4g8',), ()])
    >>> table.error[1]
    "board: expected 8 ranks with / between them, found 3 in '8/8/8'"
    """
    max_moves = problem.length("max_moves", max_moves)
    problem.require_bool("keys", keys)
    limits = problem.Limits() if limits is None else limits
    problem.require_instance("limits", limits, problem.Limits, "Limits or None")
    if limits.max_moves is not None or limits.threads != 1:
        errors.refuse("limits: expected one without max_moves and threads", limits)
    jobs = problem.require_int("jobs", jobs, 1, MAX_JOBS)
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
    return MateTable.join(tables, pandas_index_of(fens))


def _result(future: Future[MateTable]) -> MateTable:
    """Wait for a slice; not every system wakes a waiting thread for a signal."""
    while not future.done():
        wait([future], timeout=WAIT_S)
    return future.result()


# Columns in


class Slice(NamedTuple):
    """Some rows of a column.

    Attributes
    ----------
    texts : list of str
        Their FENs; empty for a row that has none.
    faults : dict of int to str
        Why such a row has none, by its place in the slice.
    """

    texts: list[str]
    faults: dict[int, str]


def read_column(name: str, values: Iterable[Any], size: int) -> Iterator[Slice]:
    """Read a column of positions in slices.

    Parameters
    ----------
    name : str
        What a message calls the column.
    values : iterable
        A list, an array of numpy, a column of pyarrow, polars or pandas, or an
        iterator, which is not read farther ahead than a slice. Bytes are texts in
        UTF-8.
    size : int
        The most rows of a slice.

    Raises
    ------
    InputError
        It is no column, see `require_column`; or, after its last row, no row is a
        position.
    """
    require_column(name, values, "a column of FENs")
    first, has_text = "", False
    for cells in _slices(values, size):
        part = _read_part(cells)
        yield part
        has_text = has_text or len(part.faults) < len(part.texts)
        first = first or next(iter(part.faults.values()), "")
    if first and not has_text:
        errors.refuse(f"{name}: expected a column of FENs", f"none in any row; {first}")


def require_column(name: str, values: Any, expected: str) -> Iterable[Any]:
    """Return a column.

    Raises
    ------
    InputError
        It is a single value, or a table, whose rows are not texts and which may yield
        the names of its columns.
    """
    shape = getattr(values, "shape", (0,))
    if len(shape) != 1:
        found = f"{type(values).__name__} of shape {tuple(shape)}"
        errors.refuse(f"{name}: expected {expected}", found)
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise errors.refusal(name, expected, values)
    return values


def text_of(cell: Any) -> Any:
    """Return the text of a cell of bytes, or any other cell unchanged."""
    return cell.decode(errors="replace") if isinstance(cell, bytes) else cell


def _slices(values: Any, size: int) -> Iterator[list[Any]]:
    """Yield the cells of a column, `size` at a time."""
    if hasattr(values, "to_pylist"):  # pyarrow, whose elements are no strings
        for start in range(0, len(values), size):
            part = values.slice(start, size)
            try:
                cells = part.to_pylist()
            except UnicodeDecodeError:  # pyarrow does not check what a file has
                cells = part.cast("large_binary").to_pylist()
            yield cells
        return
    rows = iter(values)
    while cells := list(islice(rows, size)):
        yield cells


def _read_part(part: list[Any]) -> Slice:
    faults = {}
    for place, value in enumerate(part):
        if isinstance(value, str):
            continue
        try:
            part[place] = _fen_of(text_of(value))
        except errors.InputError as error:
            faults[place] = str(error)
            part[place] = ""
    return Slice(part, faults)


def _fen_of(cell: object) -> str:
    """Return the text of a row.

    Raises
    ------
    InputError
        It is no position, or asks another question than that for a mate by the side to
        move.
    """
    if not isinstance(cell, problem.Problem):
        return fen_of("fen", cell)
    if other := cell.stipulation.beside_claim.text:
        errors.refuse("stipulation: expected a mate", other)
    if cell.claim and cell.claim.mate < 0:
        errors.refuse("claim: expected a mate by the side to move", cell.claim.mate)
    return cell.fen


# Compiled code


class _Worker:
    """Solves one slice after the other in its own memory."""

    def __init__(
        self, limits: problem.Limits, group: GroupControl, *, keys: bool
    ) -> None:
        self._limits = limits
        self._group = group
        self._keys = keys
        self._solver = solving.Solver(limits.hash_mib)

    def solve(self, given: Slice) -> MateTable:
        """Solve the rows of a slice."""
        rows = _Rows(self._solver.workspace, given, self._limits, all_keys=self._keys)
        for answered in self._solver.answers(rows, self._group.search):
            rows.collect(answered)
            if self._group.is_stopped():
                return _EMPTY  # nobody waits for it
        return rows.table()


class _Rows(Batch):
    """The rows of a slice; their answers are collected, and become columns at once."""

    def __init__(
        self,
        workspace: Workspace,
        given: Slice,
        limits: problem.Limits,
        *,
        all_keys: bool,
    ) -> None:
        super().__init__(workspace, len(given.texts))
        self._given = given
        self._limits = limits
        self._all_keys = all_keys
        self._columns = columns_of(self.rows)
        self._texts, self._size = list[bytes](), 0
        self._time_s = np.zeros(len(given.texts))
        self._errors = [""] * len(given.texts)

    def question(self, index: int) -> Question:
        """Return the question of a row: the side to move attacks."""
        row = problem.Problem(self._given.texts[index], no_mate=self._limits.max_moves)
        return Question(row, self._limits, all_keys=self._all_keys)

    def read(self) -> None:
        """Read the texts; the rows that cannot be read are REFUSED."""
        # 1. The questions and the texts.
        template = Query()
        ask(template, self.question(0))
        self.fill([bytes(template)] * len(self.rows))
        columns = self._columns
        self._fens = fens = Texts.encode(self._given.texts)  # the rows point to them
        columns["fen_size"] = sizes = fens.sizes
        columns["fen"] = address_of(fens.content) + fens.ends - sizes
        self.read_texts(0, len(fens))

        # 2. Why rows are refused.
        for index in np.flatnonzero(columns["state"] == QueryState.REFUSED).tolist():
            row = self.rows[index]
            row.mate = -1
            self._errors[index] = self._given.faults.get(index) or str(
                fen_faults.explain(self._given.texts[index], FenFault(row.fen_fault))
            )

    def collect(self, answered: Answered) -> None:
        """Collect the answers to rows."""
        first, end, node_s, solution = answered
        columns = self._columns[first:end]
        if solution is None:
            self._place(columns, self.text())
            self._time_s[first:end] = columns["nodes"] * node_s
            return
        row = self.rows[first]
        row.status = ANSWERS[solution.status]
        row.mate = -1 if solution.mate is None else solution.mate
        row.lower_bound, row.nodes = solution.lower_bound, solution.stats.nodes
        row.keys_complete = solution.keys_complete
        pv, keys = (
            "".join(f"{move} " for move in moves).encode()
            for moves in (solution.pv, solution.keys)
        )
        row.pv_at, row.pv_written = 0, len(pv)
        row.keys_at, row.keys_written = len(pv), len(keys)
        self._place(columns, pv + keys)
        self._time_s[first] = solution.stats.time_s

    def _place(self, columns: Any, text: bytes) -> None:
        """Keep the text to which rows point."""
        for name in ("pv_at", "keys_at"):
            columns[name] += self._size
        self._texts.append(text)
        self._size += len(text)

    def table(self) -> MateTable:
        """Return the answers."""
        rows = self._columns
        has_mate = rows["mate"] >= 0
        is_refused = rows["state"] == QueryState.REFUSED
        text = b"".join(self._texts)
        pv = MoveColumn.take(text, rows["pv_at"], rows["pv_written"])
        # Without all keys, the first move of the line is one.
        is_short = rows["keys_written"] == 0
        keys_at = np.where(is_short, rows["pv_at"], rows["keys_at"])
        first = pv.part(0, np.minimum(pv.counts, 1))
        keys_size = np.where(is_short, first.sizes, rows["keys_written"])
        return MateTable(
            np.where(is_refused, np.uint8(UNREADABLE), CODES[rows["status"]]),
            np.where(has_mate, rows["mate"], 0).astype(np.int16),
            has_mate,
            rows["lower_bound"].astype(np.int16),
            MoveColumn.take(text, keys_at, keys_size),
            rows["keys_complete"] != 0,
            pv,
            rows["nodes"].copy(),
            self._time_s,
            self._errors,
            self._fens,
        )


_EMPTY = MateTable(
    np.empty(0, np.uint8),
    np.empty(0, np.int16),
    np.empty(0, np.bool_),
    np.empty(0, np.int16),
    MoveColumn.encode([]),
    np.empty(0, np.bool_),
    MoveColumn.encode([]),
    np.empty(0, np.int64),
    np.empty(0, np.float64),
    [],
    Texts.encode([]),
)
