"""Grade lines of moves, by whether they mate by force within n moves.

Called by `accepted`, `mcp` and `pages`; imports `answer_table`, `solve_many` and most
rooms.

It is meant for puzzle sites, where any move that mates in time is right, and for
grading the answers of language models. An answer is a proof or says that a limit was
hit; it depends only on the position, the line and n.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from solver import (
    __version__,
    fen_faults,
    movetext,
    position_text,
    problem,
    solution,
    solving,
)
from solver.columns.answer_table import (
    AnswerTable,
    MoveColumn,
    Texts,
    columns_of,
    pandas_index_of,
)
from solver.columns.solve_many import require_column, text_of
from solver.errors import InputError, quote, refusal
from solver.kernel.border import interface, query_struct, search_struct
from solver.search import queries, workspaces
from solver.search.threads import Control, ShortCalls, require_control

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    """How a line of moves was graded. Moves are in UCI notation.

    The attributes from `wrong_move` on have a value only where replies are wanted.

    Attributes
    ----------
    status : GradeStatus
        Whether the line mates by force.
    ply : int or None
        The first ply at which the line fails, from 0: of a WRONG line, or of one with a
        word that is no move. None for any other line.
    right_moves : tuple of str
        All moves that mate in time at that ply; none if the defender is to move there,
        or the position has no mate within the moves allowed.
    line : tuple of str
        The moves before that ply; all moves if the line is RIGHT.
    ends_in_mate : bool
        Whether the last of these moves mates at once. A RIGHT line may stop earlier.
    reason : str
        Why the line is not RIGHT, in one line; empty if it is.
    wrong_move : str or None
        The attacker's legal move that no longer mates in time.
    reply : str or None
        What the defender answers where a RIGHT line ends with the attacker's move: the
        reply that lasts longest; of several, the first in alphabetical order.
    refutation : tuple of str
        What the defender answers `wrong_move` with, so that no mate in time is left:
        proved. Of several, one that ends the game; or else the one that lasts longest,
        as far as 1,000 nodes show; or else the first in alphabetical order. Empty if
        `wrong_move` gives stalemate, or a limit was hit first. The line of the longer
        mate follows if that was asked for, and proved.
    fen : str
        The position after the line and the reply, or `wrong_move` and the refutation's
        first move.
    longer_mate : int or None
        In how many moves the line with `wrong_move` mates all the same, counted as
        `within` is; None if no mate was found, or it was not asked for.
    longer_status : Status or None
        PROVED: none is shorter. FOUND: a shorter one is not excluded. DISPROVED: there
        is no mate within `max_moves`. UNDECIDED: a limit was hit. None: not asked for.
    warnings : tuple of str
        What was wrong with the position and was repaired.
    start : str
        The position where the line begins.
    """

    status: GradeStatus
    ply: int | None = None
    right_moves: tuple[str, ...] = ()
    line: tuple[str, ...] = ()
    ends_in_mate: bool = False
    reason: str = ""
    wrong_move: str | None = None
    reply: str | None = None
    refutation: tuple[str, ...] = ()
    fen: str = ""
    longer_mate: int | None = None
    longer_status: solution.Status | None = None
    warnings: tuple[str, ...] = ()
    start: str = field(default="", compare=False, repr=False)

    def __repr__(self) -> str:
        place = "" if self.ply is None else f" at ply {self.ply}"
        reason = f": {self.reason}" if self.reason else ""
        return f"<Grade {self.status}{place}{reason}>"

    def _repr_html_(self) -> str:
        return str(solution.show_answer(self, "html"))

    @property
    def line_san(self) -> tuple[str, ...]:
        """`line` in SAN."""
        return _in_san(self.start, self.line)

    @property
    def right_moves_san(self) -> tuple[str, ...]:
        """`right_moves` in SAN."""
        return tuple(position_text.first_moves(self.start, self.right_moves, self.line))

    @property
    def wrong_move_san(self) -> str | None:
        """`wrong_move` in SAN."""
        if self.wrong_move is None:
            return None
        return _in_san(self.start, [self.wrong_move], self.line)[0]

    @property
    def reply_san(self) -> str | None:
        """`reply` in SAN."""
        if self.reply is None:
            return None
        return _in_san(self.start, [self.reply], self.line)[0]

    @property
    def refutation_san(self) -> tuple[str, ...]:
        """`refutation` in SAN."""
        played = *self.line, self.wrong_move or ""
        return _in_san(self.start, self.refutation, played)

    def to_dict(self) -> dict[str, object]:
        """Return a record: what `json.dumps` takes, in the order of the attributes.

        A move is a record of its names, `{"uci": "c4g8", "san": "Qg8+"}`.
        """

        def named(name: str) -> Any:
            moves, san = getattr(self, name), getattr(self, f"{name}_san")
            if not isinstance(moves, tuple):
                return moves and {"uci": moves, "san": san}
            return [
                {"uci": uci, "san": san} for uci, san in zip(moves, san, strict=True)
            ]

        return {
            "schema": solution.SCHEMA,
            "status": str(self.status),
            "ply": self.ply,
            "right_moves": named("right_moves"),
            "line": named("line"),
            "ends_in_mate": self.ends_in_mate,
            "reason": self.reason,
            "wrong_move": named("wrong_move"),
            "reply": named("reply"),
            "refutation": named("refutation"),
            "fen": self.fen,
            "longer_mate": self.longer_mate,
            "longer_status": self.longer_status and str(self.longer_status),
            "warnings": list(self.warnings),
            "solver": __version__,
        }

    @property
    def is_right(self) -> bool:
        """Whether the line is RIGHT."""
        return self.status is GradeStatus.RIGHT


@dataclass(frozen=True, eq=False, repr=False)
class GradeTable(AnswerTable[Grade]):
    """The grades of many lines; each column has a row for each, in order.

    `table[0]` is the first row, a `Grade`, and `table[:5]` a list of the first five. A
    column is made when it is first asked for.

    Attributes
    ----------
    codes : uint8 array
        The place of each status in `statuses`.
    """

    statuses = tuple(map(str, GradeStatus))

    _given: list[_Given | InputError]
    _facts: dict[str, NDArray[np.int64]]
    _text: bytes

    @property
    def is_right(self) -> NDArray[np.bool_]:
        """Whether the status is `right`."""
        return np.equal(self.codes, _RIGHT)

    @property
    def ply(self) -> np.ma.MaskedArray[Any, np.dtype[np.int16]]:
        """The first ply at which each line fails, from 0; masked where it does not."""
        has_failed = self._facts["fault"] != query_struct.LineFault.NONE
        has_failed &= self._facts["state"] == query_struct.QueryState.ANSWERED
        counts = self.line.counts.astype(np.int16)
        return np.ma.masked_array(counts, ~has_failed)

    @cached_property
    def right_moves(self) -> MoveColumn:
        """All moves that mate in time at that ply, in UCI notation."""
        return self._moves("keys")

    @cached_property
    def right_moves_san(self) -> MoveColumn:
        """The same in SAN."""
        played = self.line.counts
        moves = self.line.followed_by(self.right_moves)
        return moves.in_san(self._fens, played).part(played, moves.counts)

    @cached_property
    def line(self) -> MoveColumn:
        """The moves before that ply, or all, in UCI notation."""
        return self._moves("line")

    @cached_property
    def line_san(self) -> MoveColumn:
        """The same in SAN."""
        return self.line.in_san(self._fens, self.line.counts)

    @property
    def ends_in_mate(self) -> NDArray[np.bool_]:
        """Whether the last of these moves mates at once."""
        return self._facts["ends_in_mate"].astype(np.bool_)

    @cached_property
    def reason(self) -> list[str]:
        """Why each line is not right."""
        right = self.is_right.tolist()
        return [
            "" if is_right else self[place].reason
            for place, is_right in enumerate(right)
        ]

    def _moves(self, name: str) -> MoveColumn:
        sizes = self._facts[f"{name}_written"]
        return MoveColumn.take(self._text, self._facts[f"{name}_at"], sizes)

    @cached_property
    def _fens(self) -> Texts:
        rows = (row if isinstance(row, _Given) else _NOTHING for row in self._given)
        return Texts.encode(row.fen for row in rows)

    def __iter__(self) -> Iterator[Grade]:
        columns = [column.tolist() for column in self._facts.values()]
        return map(_grade_of, self._given, map(_Facts, *columns), repeat(self._text))

    def _row(self, place: int) -> Grade:
        facts = _Facts(*[int(column[place]) for column in self._facts.values()])
        return _grade_of(self._given[place], facts, self._text)

    @property
    def _columns(self) -> dict[str, Any]:
        columns = {
            "ply": self.ply,
            "right_moves": self.right_moves,
            "right_moves_san": self.right_moves_san,
            "line": self.line,
            "line_san": self.line_san,
            "ends_in_mate": self.ends_in_mate,
            "reason": self.reason,
        }
        if self._facts["replies"].any():
            columns |= self._replies()
        return columns

    def _replies(self) -> dict[str, Any]:
        """Return the columns of replies, refutations and positions."""
        # 1. The line, the wrong move or the reply, and the refutation.
        said, at = self._moves("reply"), self.line.counts
        moves = self.line.followed_by(said)
        first, end = np.minimum(said.counts, 1), said.counts
        is_wrong = self._facts["fault"] == query_struct.LineFault.NO_MATE
        columns: dict[str, Any] = {}
        named = moves.in_san(self._fens, moves.counts).part(at, at + end)
        for suffix, column in (("", said), ("_san", named)):
            words = [" ".join(row) or None for row in column.part(0, first)]
            pairs = [*zip(words, is_wrong.tolist(), strict=True)]
            columns[f"wrong_move{suffix}"] = [
                w if wrong else None for w, wrong in pairs
            ]
            columns[f"reply{suffix}"] = [None if wrong else w for w, wrong in pairs]
            columns[f"refutation{suffix}"] = column.part(first, end)
        # 2. The position after them.
        fens = Texts.take(self._text, self._facts["fen_at"], self._facts["fen_written"])
        columns["fen"] = [fens.text(place) for place in range(len(fens))]
        return columns


def _grade_of(given: _Given | InputError, facts: _Facts, text: bytes) -> Grade:
    answer = _answer(facts, given, text) if isinstance(given, _Given) else given
    if isinstance(answer, Grade):
        return answer
    return Grade(GradeStatus.UNREADABLE, reason=str(answer))


_RIGHT, _WRONG, _UNDECIDED_CODE, _UNREADABLE = np.arange(4, dtype=np.uint8)
"""The codes of the members of `GradeStatus`."""


def _in_san(
    start: str, moves: Sequence[str], played: Sequence[str] = ()
) -> tuple[str, ...]:
    (line,) = position_text.write_lines(start, [moves], played)
    return tuple(line)


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
    words, within = (
        problem.require_moves("line", line),
        problem.length("within", within),
    )
    if moves or position_text.read_query(fen) is None:
        moves = problem.require_moves("moves", moves)
        position = position_text.read_position(fen, moves, repair=repair)
        fen, warnings = position.fen, position.warnings
    given = _Given(fen, words, within)
    nodes = _node_limit(nodes)
    if max_moves is not None:
        least = given.within + 1
        max_moves = problem.require_int(
            "max_moves", max_moves, least, problem.MAX_MOVES
        )
    control = require_control(control)
    ((rows, text),) = _grade_all([given], nodes, control, replies=True)
    answer = _answer(_Facts(*(getattr(rows[0], name) for name in _FACTS)), given, text)
    if isinstance(answer, InputError):
        raise answer
    if warnings:
        answer = replace(answer, warnings=warnings)
    if answer == _UNDECIDED and control.reason:
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
    readable = [row if isinstance(row, _Given) else _NOTHING for row in given]
    batches = _grade_all(readable, limit, Control(), replies=replies)
    return _table_of(given, batches, index)


# Reading arguments


class _Given(NamedTuple):
    """A line to grade."""

    fen: str
    line: str
    within: int


_NOTHING = _Given("", "", 1)
"""Stands for a row that cannot be read; the kernel refuses it too."""


def _column(name: str, values: Any) -> list[Any]:
    column = require_column(name, values, "a column")
    # The elements of pyarrow's columns are no strings.
    return list(getattr(column, "to_pylist", lambda: column)())


def _read_row(fen: object, line: Any, within: object) -> _Given | InputError:
    try:
        fen = problem.require_instance("fen", text_of(fen), str, "text")
        line = problem.require_moves("line", text_of(line))
        return _Given(fen, line, problem.length("within", within))
    except InputError as error:
        return error


def _node_limit(nodes: int | None) -> int | None:
    return (
        None
        if nodes is None
        else problem.require_int("nodes", nodes, 1, problem.MAX_NODES)
    )


# Grading


class _Batch(NamedTuple):
    """Rows that were graded, and the text with their moves."""

    rows: ctypes.Array[query_struct.Query]
    text: bytes

    def is_cut(self) -> bool:
        """Return whether a limit or a stop left a grade or a reply open."""
        return any(row.state == _OPEN or row.is_cut for row in self.rows)


def _grade_all(
    lines: Sequence[_Given], nodes: int | None, control: Control, *, replies: bool
) -> list[_Batch]:
    """Grade lines; many need not be short, whatever each takes."""
    most = interface.NO_LIMIT if nodes is None else nodes

    def grade(grader: _Grader, nodes: int | None) -> list[_Batch] | None:
        nodes = most if nodes is None else min(nodes, most)
        if nodes < most and len(lines) > 1:
            return None
        batches = grader.grade_all(lines, nodes, control, replies=replies)
        return None if nodes < most and any(map(_Batch.is_cut, batches)) else batches

    return _short_calls.run((), grade, control)


class _Grader:
    """Grades lines in batches, in one memory."""

    def __init__(self) -> None:
        self.workspace = workspaces.Workspace(problem.DEFAULT_HASH_MIB)

    def grade_all(
        self, lines: Sequence[_Given], nodes: int, control: Control, *, replies: bool
    ) -> list[_Batch]:
        """Grade every line; end early after an interrupt."""
        batches: list[_Batch] = []
        control.attach(self.workspace.search)
        for start in range(0, len(lines), BATCH):
            batch = lines[start : start + BATCH]
            batches.append(self._run(batch, nodes, replies=replies))
            if control.reason:
                break
        return batches

    def _run(self, lines: Sequence[_Given], nodes: int, *, replies: bool) -> _Batch:
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
        address = queries.address_of(content)
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
                for name in _PLACES:
                    columns_of(rows)[name][start:end] += len(answers)
            answers += written.raw[: search.text_written]
        return _Batch(rows, answers)


_OPEN = query_struct.QueryState.OPEN
_UNDECIDED = Grade(GradeStatus.UNDECIDED, reason="the node limit was hit")

_short_calls = ShortCalls(_Grader)

# Answers


class _Facts(NamedTuple):
    """What the kernel has written into a row; see `query_struct.Query`."""

    state: int
    fault: int
    fen_fault: int
    ends_in_mate: int
    replies: int
    line_at: int
    line_written: int
    keys_at: int
    keys_written: int
    reply_at: int
    reply_written: int
    fen_at: int
    fen_written: int


_FACTS = _Facts._fields
_PLACES = [name for name in _FACTS if name.endswith("_at")]


def _table_of(
    given: list[_Given | InputError], batches: Sequence[_Batch], index: Any
) -> GradeTable:
    """Return the grades of many rows."""
    facts = {name: [np.zeros(0, np.int64)] for name in _FACTS}
    size = 0
    for batch in batches:
        columns = columns_of(batch.rows)
        for name in _FACTS:
            facts[name].append(columns[name] + size * (name in _PLACES))
        size += len(batch.text)
    joined = {name: np.concatenate(columns) for name, columns in facts.items()}
    is_answered = joined["state"] == query_struct.QueryState.ANSWERED
    for name in _FACTS:
        if name.endswith("_written"):
            joined[name] *= is_answered
    codes = np.where(joined["fault"] == query_struct.LineFault.NONE, _RIGHT, _WRONG)
    codes[joined["state"] == query_struct.QueryState.OPEN] = _UNDECIDED_CODE
    codes[joined["state"] == query_struct.QueryState.REFUSED] = _UNREADABLE
    content = b"".join([batch.text for batch in batches])
    table = GradeTable(codes, given, joined, content, pandas_index=index)
    is_illegal = joined["fault"] == query_struct.LineFault.ILLEGAL
    counts = table.line.counts
    for place in np.flatnonzero(is_illegal & is_answered).tolist():
        row = given[place]
        assert isinstance(row, _Given)  # the kernel has read it
        if not movetext.is_move(movetext.written_move(row.line, counts[place])):
            codes[place] = _UNREADABLE
    return table


def _answer(row: _Facts, given: _Given, content: bytes) -> Grade | InputError:
    """Return the answer of a row, or why its FEN was refused."""
    if row.state == query_struct.QueryState.REFUSED:
        return fen_faults.explain(given.fen, query_struct.FenFault(row.fen_fault))
    if row.state == _OPEN:
        return _UNDECIDED
    line = queries.words_in(content, row.line_at, row.line_written)
    status, ply, reason = GradeStatus.RIGHT, None, ""
    keys: tuple[str, ...] = ()
    if row.fault != query_struct.LineFault.NONE:
        keys = queries.words_in(content, row.keys_at, row.keys_written)
        ply = len(line)
        status, reason = _explain(row, given, ply, has_mate=bool(keys))
    ends_in_mate = bool(row.ends_in_mate)
    if not row.replies:
        return Grade(status, ply, keys, line, ends_in_mate, reason, start=given.fen)
    moves = queries.words_in(content, row.reply_at, row.reply_written)
    is_wrong = row.fault == query_struct.LineFault.NO_MATE
    return Grade(
        status,
        ply,
        keys,
        line,
        ends_in_mate,
        reason,
        moves[0] if is_wrong else None,
        moves[0] if moves and not is_wrong else None,
        moves[1:],
        content[row.fen_at : row.fen_at + row.fen_written].decode("ascii"),
        start=given.fen,
    )


def _explain(
    row: _Facts, given: _Given, ply: int, *, has_mate: bool
) -> tuple[GradeStatus, str]:
    """Return the status of a line that is not right, and the reason."""
    left = given.within - ply // 2
    within = f"within {left} move{'s' * (left != 1)}"
    if row.fault == query_struct.LineFault.EMPTY:
        return GradeStatus.WRONG, "expected a move, found none"
    word = movetext.written_move(given.line, ply)
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
