"""Grade lines of moves, by whether they mate by force within n moves.

Called by `mcp` and `pages`; imports `solve_many`, `errors`, `fen_faults`,
`kernel.border`, `movetext`, `problem`, `search` and `solution`.

It is meant for puzzle sites, where any move that mates in time is right, and for
grading the answers of language models. An answer is a proof or says that a limit was
hit; it depends only on the position, the line and n.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

from solver import __version__, fen_faults, movetext, problem, solution
from solver.columns.solve_many import require_column, text_of
from solver.errors import InputError, quote, refusal
from solver.kernel.border import interface, query_struct, search_struct
from solver.search import queries, workspaces
from solver.search.threads import Control, ShortCalls

BATCH = 1024
"""Rows in one call of the kernel: few enough that an interrupt is noticed soon."""

ROW_TEXT = 64
"""Average bytes of text for a row. A batch that needs more takes several calls."""


class GradeStatus(StrEnum):
    """Whether a line mates by force."""

    RIGHT = "right"
    """Every move of the attacker keeps the mate within the moves allowed: proved."""

    WRONG = "wrong"
    """The line fails at some ply: proved."""

    UNDECIDED = "undecided"
    """A limit was hit, or the search was stopped."""

    UNREADABLE = "unreadable"
    """A word of the line is no move, and every move before it is right; or the
    position, the line or the number of moves cannot be read."""


@dataclass(frozen=True, slots=True)
class Grade:
    """How a line of moves was graded.

    Attributes
    ----------
    status : GradeStatus
        Whether the line mates by force.
    ply : int or None
        The first ply at which the line fails, from 0: of a WRONG line, or of one with a
        word that is no move. None for any other line.
    right_moves : tuple of str
        All moves, in UCI notation, that mate in time at that ply; none if the defender
        is to move there, or the position has no mate within the moves allowed.
    line : tuple of str
        The moves before that ply in UCI notation; all moves if the line is RIGHT.
    ends_in_mate : bool
        Whether the last of these moves mates at once. A RIGHT line may stop earlier.
    reason : str
        Why the line is not RIGHT, in one line; empty if it is.
    """

    status: GradeStatus
    ply: int | None = None
    right_moves: tuple[str, ...] = ()
    line: tuple[str, ...] = ()
    ends_in_mate: bool = False
    reason: str = ""

    def __repr__(self) -> str:
        place = "" if self.ply is None else f" at ply {self.ply}"
        reason = f": {self.reason}" if self.reason else ""
        return f"<Grade {self.status}{place}{reason}>"

    def _repr_html_(self) -> str:
        return str(solution.show_answer(self, "html"))

    def to_dict(self) -> dict[str, object]:
        """Return a record: what `json.dumps` takes, in the order of the attributes."""
        record = asdict(self) | {"status": str(self.status)}
        for name in ("right_moves", "line"):
            record[name] = list(record[name])
        return {"schema": solution.SCHEMA, **record, "solver": __version__}

    @property
    def is_right(self) -> bool:
        """Whether the line is RIGHT."""
        return self.status is GradeStatus.RIGHT


def grade(
    fen: str,
    moves: str | Sequence[str],
    n: int,
    *,
    nodes: int | None = None,
    control: Control | None = None,
) -> Grade:
    """Grade a line by whether it mates by force within `n` moves of the side to move.

    The line is right if after each of the attacker's moves there is a forced mate
    within the moves left. It may stop before the mate, even after its first move. The
    defender's moves may be any legal replies, even ones that shorten the mate.

    Parameters
    ----------
    fen : str
        A legal position of orthodox chess, 1, 2, 4 or 6 fields. The side to move is the
        attacker.
    moves : str or sequence of str
        The attacker's move, or a line that begins with it, as it is written: in SAN,
        long algebraic or UCI notation, with or without move numbers, marks and
        comments. The strings of a sequence are read as one text, with spaces between
        them.
    n : int
        The attacker's moves to mate, 1 to 200.
    nodes : int, optional
        Stop after this many positions. Without it the search ends with an answer,
        however long that takes.
    control : Control, optional
        Stops the search from another thread; the answer is then UNDECIDED.

    Returns
    -------
    Grade
        RIGHT, WRONG or UNDECIDED; UNREADABLE if a word of the line is no move.

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
    >>> grade(fen, "1. Qg8+! Rxg8 2. Nf7#", 2).is_right
    True
    >>> answer = grade(fen, "Nf7+", 2)
    >>> answer.ply, answer.right_moves
    (0, ('c4g8',))
    >>> answer.reason
    "expected a move that mates within 2 moves, found 'Nf7+'"
    """
    line = _Given(
        problem.require_instance("fen", fen, str, "text"),
        _text_of(moves),
        problem.length("n", n),
    )
    control = control or Control()
    (answer,) = _grade_all([line], _node_limit(nodes), control)
    if isinstance(answer, InputError):
        raise answer
    if answer == _UNDECIDED and control.reason:
        return replace(answer, reason=f"the search was stopped: {control.reason}")
    return answer


def grade_many(
    fens: Iterable[str | bytes],
    moves: Iterable[str | bytes | Sequence[str]],
    n: int | Iterable[int],
    *,
    nodes: int | None = None,
) -> list[Grade]:
    """Grade many lines, each as `grade` does.

    Parameters
    ----------
    fens : iterable of str
        The positions: a list, an array of numpy, or a column of pyarrow, polars or
        pandas. Bytes are texts in UTF-8.
    moves : iterable of str or of sequences of str
        A line for each position.
    n : int or iterable of int
        The attacker's moves to mate, the same for all rows or one for each.
    nodes : int, optional
        The most positions to enter for a row.

    Returns
    -------
    list of Grade
        In the order of the rows. A row that cannot be read is UNREADABLE; `reason` says
        why.

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
    >>> [str(grade.status) for grade in grade_many(fens, ["Ra8#", "Ra7"], 1)]
    ['right', 'wrong']
    """
    limit = _node_limit(nodes)
    fens, moves = _column("fens", fens), _column("moves", moves)
    lengths = (
        _column("n", n)
        if isinstance(n, Iterable)
        else [problem.length("n", n)] * len(fens)
    )
    for name, column in (("moves", moves), ("n", lengths)):
        if len(column) != len(fens):
            raise refusal(name, f"{len(fens)} rows, as in fens", len(column))
    answers = _grade_all(list(map(_read_row, fens, moves, lengths)), limit, Control())
    return [
        Grade(GradeStatus.UNREADABLE, reason=str(answer))
        if isinstance(answer, InputError)
        else answer
        for answer in answers
    ]


# Reading arguments


class _Given(NamedTuple):
    """A line to grade."""

    fen: str
    moves: str
    n: int


def _column(name: str, values: Any) -> list[Any]:
    column = require_column(name, values, "a column")
    # The elements of pyarrow's columns are no strings.
    return list(getattr(column, "to_pylist", lambda: column)())


def _read_row(fen: object, moves: Any, n: object) -> _Given | InputError:
    try:
        fen = problem.require_instance("fen", text_of(fen), str, "text")
        return _Given(fen, _text_of(text_of(moves)), problem.length("n", n))
    except InputError as error:
        return error


def _text_of(moves: str | Sequence[str]) -> str:
    if isinstance(moves, str):
        return moves
    expected = "moves in one string or in several"
    return " ".join(problem.require_strings("moves", moves, expected))


def _node_limit(nodes: int | None) -> int | None:
    return (
        None
        if nodes is None
        else problem.require_int("nodes", nodes, 1, problem.MAX_NODES)
    )


# Grading


def _grade_all(
    lines: Sequence[_Given | InputError], nodes: int | None, control: Control
) -> list[Grade | InputError]:
    """Grade lines; many need not be short, whatever each takes."""
    most = interface.NO_LIMIT if nodes is None else nodes

    def grade(grader: _Grader, nodes: int | None) -> list[Grade | InputError] | None:
        nodes = most if nodes is None else min(nodes, most)
        if nodes < most and len(lines) > 1:
            return None
        answers = grader.grade_all(lines, nodes, control)
        return None if nodes < most and answers == [_UNDECIDED] else answers

    return _short_calls.run((), grade, control)


class _Grader:
    """Grades lines in batches, in one memory."""

    def __init__(self) -> None:
        self.workspace = workspaces.Workspace(problem.DEFAULT_HASH_MIB)

    def grade_all(
        self, lines: Sequence[_Given | InputError], nodes: int, control: Control
    ) -> list[Grade | InputError]:
        """Grade every readable line; end early after an interrupt."""
        answers: list[Grade | InputError] = []
        control.attach(self.workspace.search)
        for start in range(0, len(lines), BATCH):
            batch = lines[start : start + BATCH]
            readable = [line for line in batch if isinstance(line, _Given)]
            graded = iter(self._run(readable, nodes))
            answers += [
                next(graded) if isinstance(line, _Given) else line for line in batch
            ]
            if control.reason:
                break
        return answers

    def _run(self, lines: Sequence[_Given], nodes: int) -> list[Grade | InputError]:
        """Grade lines in the kernel; a FEN that it refuses gets an error."""
        # 1. Set up the rows.
        # One move more than n allows is enough to refuse the line.
        texts = [
            (
                line.fen.encode(errors="surrogatepass"),
                movetext.plain_moves(line.moves, 2 * line.n).encode(),
            )
            for line in lines
        ]
        content = b"".join([text for pair in texts for text in pair])
        address = queries.address_of(content)
        rows = (query_struct.Query * len(lines))()
        for row, line, (fen, moves) in zip(rows, lines, texts, strict=True):
            row.fen, row.fen_size = address, len(fen)
            address += len(fen)
            row.line, row.line_size = address, len(moves)
            address += len(moves)
            row.most_moves, row.node_limit = line.n, nodes

        # 2. Run the kernel as often as its texts need.
        workspace = self.workspace
        most = max([len(moves) for _, moves in texts], default=0)
        size = (
            len(lines) * ROW_TEXT
            + (most + search_struct.MAX_LEGAL_MOVES) * query_struct.MOVE_TEXT_BYTES
        )
        written = ctypes.create_string_buffer(size)
        search = workspace.search
        search.text, search.text_size = ctypes.addressof(written), size
        answers: list[Grade | InputError] = []
        while len(answers) < len(lines):
            search.text_written = 0
            start = len(answers)
            end = workspace.kernel.grade_rows(rows, search, start, len(lines))
            text = written.raw[: search.text_written].decode("ascii")
            answers += [
                _answer(rows[index], lines[index], text) for index in range(start, end)
            ]
        return answers


_UNDECIDED = Grade(GradeStatus.UNDECIDED, reason="the node limit was hit")

_short_calls = ShortCalls(_Grader)


def _answer(row: query_struct.Query, line: _Given, text: str) -> Grade | InputError:
    """Return the answer of a row, or why its FEN was refused."""
    if row.state == query_struct.QueryState.REFUSED:
        return fen_faults.explain(line.fen, query_struct.FenFault(row.fen_fault))
    if row.state == query_struct.QueryState.OPEN:
        return _UNDECIDED
    right = tuple(text[row.line_at : row.line_at + row.line_written].split())
    ends_in_mate = bool(row.ends_in_mate)
    if row.fault == query_struct.LineFault.NONE:
        return Grade(GradeStatus.RIGHT, line=right, ends_in_mate=ends_in_mate)
    keys = tuple(text[row.keys_at : row.keys_at + row.keys_written].split())
    ply = len(right)
    status, reason = _explain(row, line, ply, has_mate=bool(keys))
    return Grade(status, ply, keys, right, ends_in_mate, reason)


def _explain(
    row: query_struct.Query, line: _Given, ply: int, *, has_mate: bool
) -> tuple[GradeStatus, str]:
    """Return the status of a line that is not right, and the reason."""
    left = line.n - ply // 2
    within = f"within {left} move{'s' * (left != 1)}"
    if row.fault == query_struct.LineFault.EMPTY:
        return GradeStatus.WRONG, "expected a move, found none"
    word = movetext.written_move(line.moves, ply)
    found = f"found {quote(word)}"
    if row.fault == query_struct.LineFault.ILLEGAL and not movetext.is_move(word):
        return GradeStatus.UNREADABLE, f"expected {movetext.UNREADABLE}, {found}"
    if row.ends_in_mate:
        expected = "no move after the mate"
    elif row.fault == query_struct.LineFault.ILLEGAL:
        expected = movetext.ILLEGAL
    elif has_mate:
        expected = f"a move that mates {within}"
    else:
        expected, found = f"a mate {within}", "found none in this position"
    return GradeStatus.WRONG, f"expected {expected}, {found}"
