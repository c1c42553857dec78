"""The first turn of the search, for one problem or for thousands in one call.

The kernel reads, sets up, searches and answers the rows of a batch without a Python
object for each; see `solver.kernel.mate.batch`. It returns at the first row that needs
more than the prover's first turn. `solver.search.solver` goes on there.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, NamedTuple

from solver.kernel.border.interface import MOST_TEXT
from solver.kernel.border.memory import Position, Row, RowState
from solver.search.bounds import first_step
from solver.solution import Solution, Stats, Status, StoppedBy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.errors import FenError
    from solver.problem import Problem
    from solver.search.question import Asked, Question
    from solver.search.workspace import Workspace

POSITION_BYTES = ctypes.sizeof(Position)

ROW_TEXT = 256
"""Bytes of text for each row, on average; FEN, line and keys of a mate in two take half
of it. A batch that needs more is answered in several calls."""


class Segment(NamedTuple):
    """Rows of a batch that have been solved.

    Attributes
    ----------
    first, end : int
        The rows from `first` on, before `end`, were answered in the batch.
    text : str
        Their texts, in ASCII.
    node_s : float
        Seconds of searching for each of their nodes.
    rest : Solution, FenError or None
        What came of row `end`, which was not; None: nothing yet.
    """

    first: int
    end: int
    text: str
    node_s: float
    rest: Solution | FenError | None


class Batch:
    """Rows that are read and searched together, and the memory for their texts.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs.
    size : int
        The most rows.

    Attributes
    ----------
    rows : array of Row
        The rows, filled from the first on.
    """

    def __init__(self, workspace: Workspace, size: int) -> None:
        self.rows = (Row * size)()
        self._workspace = workspace
        self._text = ctypes.create_string_buffer(size * ROW_TEXT + MOST_TEXT)

    def read(self, size: int) -> memoryview:
        """Set up the positions of rows that have their texts.

        Returns
        -------
        memoryview
            The texts that were read; the next call overwrites them.
        """
        text = self._use_text()
        workspace = self._workspace
        workspace.kernel.read_rows(self.rows, workspace.search, 0, size)
        return text

    def read_problems(self, asked: Sequence[Asked], *, all_keys: bool) -> None:
        """Set up problems and their questions, each in its row.

        Rows that a batch cannot answer are REFUSED: other stipulations than mate, and
        FENs that are wrong or have not six fields in the usual form.
        """
        fens = [each.problem.fen.encode(errors="replace") for each in asked]
        given = b"".join(fens)  # the rows refer to it while they are read
        address = address_of(given)
        for row, fen, each in zip(self.rows, fens, asked, strict=False):
            row.fen, row.fen_size = address, len(fen)
            address += len(fen)
            row.black = row.line_size = row.played = row.nodes = 0
            row.attacking, row.most_moves = each.attacking, each.most_moves
            row.expected = each.expected
            row.step_nodes = first_step(any_length=each.within is not None)
            row.all_keys = all_keys
        text = self.read(len(fens))
        for row, fen, each in zip(self.rows, fens, asked, strict=False):
            if (
                each.problem.stipulation.has_number
                or text[row.fen_at : row.fen_at + row.fen_written] != fen
            ):
                row.state = RowState.REFUSED

    def solve(self, first: int, end: int) -> tuple[int, str]:
        """Answer rows from `first` on, before `end`, until one stays open.

        The workspace has the limits of each row.

        Returns
        -------
        answered : int
            The first row that is not answered; see `Kernel.solve_rows`.
        text : str
            The texts of the answers.
        """
        workspace = self._workspace
        workspace.reserve_generations(end - first)
        text = self._use_text()
        search = workspace.search
        answered = workspace.kernel.solve_rows(self.rows, search, first, end)
        return answered, str(text[: search.text_written], "ascii")

    def first_turn(self, question: Question) -> tuple[Row, str]:
        """Take the first turn for a question that has been read.

        Returns
        -------
        row : Row
            ANSWERED or OPEN; the next call overwrites it.
        text : str
            The texts of the answer.
        """
        row = self.rows[0]
        ctypes.memmove(row.position, ctypes.byref(question.position), POSITION_BYTES)
        row.state, row.black = RowState.READ, not question.board.turn
        row.attacking = -1 if question.both_sides else question.attacking
        row.most_moves, row.expected = question.most_moves, question.expected or 0
        row.step_nodes = first_step(any_length=question.any_length)
        row.all_keys = question.all_keys
        _, text = self.solve(0, 1)
        return row, text

    def _use_text(self) -> memoryview:
        search = self._workspace.search
        search.text = ctypes.addressof(self._text)
        search.text_size = len(self._text)
        search.text_written = 0
        return memoryview(self._text).cast("B")


def address_of(text: bytes) -> int:
    """Return the address of bytes, valid as long as they are referred to."""
    return ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p).value or 0


def row_solution(
    problem: Problem, row: Row, text: str, time_s: float = 0.0
) -> Solution:
    """Return the answer that a row has.

    Parameters
    ----------
    problem : Problem
        The row's problem, with a FEN of six fields.
    row : Row
        ANSWERED.
    text : str
        The texts of the answers.
    time_s : float
        Seconds of searching.
    """
    mate: int = row.mate
    stats = Stats(row.nodes, time_s)
    if mate < 0:
        status = Status.DISPROVED
        return Solution(problem, status, None, row.lower_bound, stats=stats)
    pv = tuple(text[row.pv_at : row.pv_at + row.pv_written].split())
    keys = tuple(text[row.keys_at : row.keys_at + row.keys_written].split())
    return Solution(
        problem,
        Status.PROVED,
        mate if row.attacking else -mate,
        row.lower_bound,
        pv=pv,
        keys=keys or pv[: row.attacking],
        keys_complete=bool(row.keys_complete),
        stopped_by=StoppedBy.NODES if row.is_cut_short else None,
        stats=stats,
    )
