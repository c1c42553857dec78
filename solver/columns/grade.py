"""Grade lines of moves, by whether they mate by force within n moves.

It is meant for puzzle sites, where any move that mates in time is right, and for
grading the answers of language models. An answer is a proof or says that a limit was
hit; it depends only on the position, the line and n.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from solver import movetext, position_text, problem, solution, solving
from solver.columns.answer_table import columns_of, pandas_index_of
from solver.columns.grade_table import (
    NOTHING,
    PLACES,
    GivenLine,
    Grade,
    GradedBatch,
    GradeStatus,
    GradeTable,
    join_grades,
    read_grade,
)
from solver.columns.solve_many import require_column, text_of
from solver.errors import InputError, refusal
from solver.kernel.border import interface, query_struct, search_struct
from solver.search import workspaces
from solver.search.threads import Control, ShortCalls, require_control

BATCH = 1024
"""Rows in one call of the kernel: few enough that an interrupt is noticed soon."""

ROW_TEXT = 64
"""Average bytes of text for a row. A batch that needs more takes several calls."""


def grade(
    fen: str,
    line: str | Sequence[str],
    within: int,
    *,
    moves: str | Sequence[str] = "",
    repair: bool = False,
    max_moves: int | None = None,
    nodes: int | None = None,
    control: Control | None = None,
) -> Grade:
    """Grade a line by whether it mates by force within some moves of the side to move.

    The line is right if after each of the attacker's moves there is a forced mate
    within the moves left. It may stop before the mate, even after its first move. The
    defender's moves may be any legal replies, even ones that shorten the mate.

    Parameters
    ----------
    fen : str
        A legal position of orthodox chess, as `solve` takes it. The side to move is the
        attacker.
    line : str or sequence of str
        The attacker's move, or a line that begins with it, as it is written: in SAN,
        long algebraic or UCI notation, with or without move numbers, marks and
        comments. The strings of a sequence are read as one text, with spaces between
        them.
    within : int
        The attacker's moves to mate, 1 to 200.
    moves : str or sequence of str
        Moves that are played before the line; see `solve`.
    repair : bool
        Whether to repair a faulty position, as `solve` does.
    max_moves : int, optional
        After a wrong move, look for a longer mate within so many moves; more than
        `within`, at most 200.
    nodes : int, optional
        Stop after this many positions; the search for a longer mate may take as many
        again. Without it a search ends with an answer, however long that takes.
    control : Control, optional
        Stops the search from another thread; the answer is then UNDECIDED.

    Returns
    -------
    Grade
        RIGHT, WRONG or UNDECIDED; UNREADABLE if a word of the line is no move. It has
        the defender's reply, or the refutation.

    Raises
    ------
    FenError
        The position is not legal.
    InputError
        Another argument has the wrong type or is out of range.
    AllocationError, CacheError, KernelError
        As for `solve`.

    Examples
    --------
    >>> from solver import grade
    >>> fen = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -"
    >>> answer = grade(fen, "1. Qg8+!", 2)
    >>> answer.is_right, answer.reply_san, answer.fen
    (True, 'Rxg8', '6rk/6pp/7N/8/8/8/8/6K1 w - - 0 2')
    >>> answer = grade(fen, "Nf7+", 2, max_moves=5)
    >>> answer.ply, answer.right_moves_san, answer.refutation_san, answer.longer_mate
    (0, ('Qg8+',), ('Kg8', 'Nd8+', 'Kh8', 'Qg8+', 'Rxg8', 'Nf7#'), 4)
    >>> answer.reason
    "expected a move that mates within 2 moves, found 'Nf7+'"
    """
    fen = problem.require_instance("fen", fen, str, "text")
    problem.require_bool("repair", repair)
    warnings: tuple[str, ...] = ()
    words = problem.require_moves("line", line)
    within = problem.length("within", within)
    if moves or position_text.read_query(fen) is None:
        moves = problem.require_moves("moves", moves)
        position = position_text.read_position(fen, moves, repair=repair)
        fen, warnings = position.fen, position.warnings
    given = GivenLine(fen, words, within)
    nodes = _node_limit(nodes)
    if max_moves is not None:
        least = given.within + 1
        max_moves = problem.require_int(
            "max_moves", max_moves, least, problem.MAX_MOVES
        )
    control = require_control(control)
    ((rows, text),) = _grade_all([given], nodes, control, replies=True)
    answer = read_grade(rows[0], given, text)
    if isinstance(answer, InputError):
        raise answer
    if warnings:
        answer = replace(answer, warnings=warnings)
    if answer.status is GradeStatus.UNDECIDED and control.reason:
        return replace(answer, reason=f"the search was stopped: {control.reason}")
    if max_moves and answer.wrong_move:
        return _with_longer_mate(answer, max_moves, nodes, control)
    return answer


def _with_longer_mate(
    answer: Grade, max_moves: int, nodes: int | None, control: Control
) -> Grade:
    """Search for the shortest mate that a wrong move leaves."""
    assert answer.wrong_move is not None  # nothing else is searched for
    played = len(answer.line)
    place = position_text.read_compiled(
        answer.start, " ".join(answer.line), played=played
    )
    assert place is not None  # it has just been read
    most = max_moves - played // 2
    found = solving.solve(
        problem.Problem(place[0], no_mate=most),  # the side to move attacks
        problem.Limits(max_moves=most, nodes=nodes),
        keys=False,
        control=control,
        root_moves=[answer.wrong_move],
    )
    answer = replace(
        answer,
        longer_status=found.status,
        longer_mate=found.mate and found.mate + played // 2,
    )
    if found.status is not solution.Status.PROVED:
        return answer
    # In the line of the shortest mate, the defender's reply lasts longest.
    moves = " ".join(found.pv[:2])
    after = position_text.read_compiled(place[0], moves, played=2)
    assert after is not None
    return replace(answer, refutation=found.pv[1:], fen=after[0])


def grade_many(
    fens: Iterable[str | bytes],
    lines: Iterable[str | bytes | Sequence[str]],
    within: int | Iterable[int],
    *,
    replies: bool = False,
    nodes: int | None = None,
) -> GradeTable:
    """Grade many lines, each as `grade` does.

    Parameters
    ----------
    fens : iterable of str
        The positions: a list, an array of numpy, or a column of pyarrow, polars or
        pandas. Bytes are texts in UTF-8.
    lines : iterable of str or of sequences of str
        A line for each position.
    within : int or iterable of int
        The attacker's moves to mate, the same for all rows or one for each.
    replies : bool
        Whether to find replies and refutations too.
    nodes : int, optional
        The most positions to enter for a row.

    Returns
    -------
    GradeTable
        A sequence of `Grade`, in the order of the rows, with a column for each of their
        attributes. A row that cannot be read is UNREADABLE; `reason` says why.

    Raises
    ------
    InputError
        The columns differ in length, or an argument is no column.
    AllocationError, CacheError, KernelError
        As for `solve`.

    Examples
    --------
    >>> from solver import grade_many
    >>> fens = ["6k1/5ppp/8/8/8/8/8/R5K1 w - -", "6k1/5ppp/8/8/8/8/8/R5K1"]
    >>> table = grade_many(fens, ["Ra8#", "Ra7"], 1)
    >>> table[1]
    <Grade wrong at ply 0: expected a move that mates within 1 move, found 'Ra7'>
    >>> table.is_right.tolist(), list(table.right_moves_san)
    ([True, False], [(), ('Ra8#',)])
    """
    limit = _node_limit(nodes)
    problem.require_bool("replies", replies)
    index = pandas_index_of(fens)
    fens, lines = _column("fens", fens), _column("lines", lines)
    lengths = (
        _column("within", within)
        if isinstance(within, Iterable)
        else [problem.length("within", within)] * len(fens)
    )
    for name, column in (("lines", lines), ("within", lengths)):
        if len(column) != len(fens):
            raise refusal(name, f"{len(fens)} rows, as in fens", len(column))
    given = list(map(_read_row, fens, lines, lengths))
    readable = [row if isinstance(row, GivenLine) else NOTHING for row in given]
    batches = _grade_all(readable, limit, Control(), replies=replies)
    return join_grades(given, batches, index)


# Reading arguments


def _column(name: str, values: Any) -> list[Any]:
    column = require_column(name, values, "a column")
    # The elements of pyarrow's columns are no strings.
    return list(getattr(column, "to_pylist", lambda: column)())


def _read_row(fen: object, line: Any, within: object) -> GivenLine | InputError:
    try:
        fen = problem.require_instance("fen", text_of(fen), str, "text")
        line = problem.require_moves("line", text_of(line))
        return GivenLine(fen, line, problem.length("within", within))
    except InputError as error:
        return error


def _node_limit(nodes: int | None) -> int | None:
    return (
        None
        if nodes is None
        else problem.require_int("nodes", nodes, 1, problem.MAX_NODES)
    )


# Grading


def _grade_all(
    lines: Sequence[GivenLine], nodes: int | None, control: Control, *, replies: bool
) -> list[GradedBatch]:
    """Grade lines; only a single line is tried within a short call."""
    most = interface.NO_LIMIT if nodes is None else nodes

    def grade(grader: _Grader, nodes: int | None) -> list[GradedBatch] | None:
        nodes = most if nodes is None else min(nodes, most)
        if nodes < most and len(lines) > 1:
            return None
        batches = grader.grade_all(lines, nodes, control, replies=replies)
        is_cut = any(map(GradedBatch.is_cut, batches))
        return None if nodes < most and is_cut else batches

    return _short_calls.run((), grade, control)


class _Grader:
    """Grades lines in batches, in one memory."""

    def __init__(self) -> None:
        self.workspace = workspaces.Workspace(problem.DEFAULT_HASH_MIB)

    def grade_all(
        self, lines: Sequence[GivenLine], nodes: int, control: Control, *, replies: bool
    ) -> list[GradedBatch]:
        """Grade every line; end early after an interrupt."""
        batches: list[GradedBatch] = []
        control.attach(self.workspace.search)
        for start in range(0, len(lines), BATCH):
            batch = lines[start : start + BATCH]
            batches.append(self._run(batch, nodes, replies=replies))
            if control.reason:
                break
        return batches

    def _run(
        self, lines: Sequence[GivenLine], nodes: int, *, replies: bool
    ) -> GradedBatch:
        """Grade lines in the kernel."""
        # 1. Set up the rows.
        # One move more than allowed is enough to refuse the line.
        texts = [
            (
                line.fen.encode(errors="surrogatepass"),
                movetext.plain_moves(line.line, 2 * line.within).encode(),
            )
            for line in lines
        ]
        content = b"".join([text for pair in texts for text in pair])
        address = position_text.address_of(content)
        rows = (query_struct.Query * len(lines))()
        for row, given, (fen, line) in zip(rows, lines, texts, strict=True):
            row.fen, row.fen_size = address, len(fen)
            address += len(fen)
            row.line, row.line_size = address, len(line)
            address += len(line)
            row.most_moves, row.node_limit = given.within, nodes
            row.replies = replies

        # 2. Run the kernel as often as its texts need.
        workspace = self.workspace
        most = max([len(moves) for _, moves in texts], default=0)
        size = (
            len(lines) * (ROW_TEXT + replies * query_struct.FEN_TEXT_BYTES)
            + (most + search_struct.MAX_LEGAL_MOVES) * query_struct.MOVE_TEXT_BYTES
            + query_struct.FEN_TEXT_BYTES
        )
        written = ctypes.create_string_buffer(size)
        search = workspace.search
        search.text, search.text_size = ctypes.addressof(written), size
        end, answers = 0, b""
        while end < len(lines):
            search.text_written = 0
            start = end
            end = workspace.kernel.grade_rows(rows, search, start, len(lines))
            if answers:
                for name in PLACES:
                    columns_of(rows)[name][start:end] += len(answers)
            answers += written.raw[: search.text_written]
        return GradedBatch(rows, answers)


_short_calls = ShortCalls(_Grader)
