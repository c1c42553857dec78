"""Grades of lines: one, or a table of many, made of what the kernel has written."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from solver import __version__, fen_faults, movetext, position_text, solution
from solver.columns.answer_table import AnswerTable, MoveColumn, Texts, columns_of
from solver.errors import InputError, quote
from solver.kernel.border import query_struct
from solver.search import queries

if TYPE_CHECKING:
    import ctypes
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray


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
            if isinstance(moves, tuple):
                return position_text.named_moves(moves, san)
            return moves and position_text.named_moves([moves], [san])[0]

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


def _in_san(
    start: str, moves: Sequence[str], played: Sequence[str] = ()
) -> tuple[str, ...]:
    (line,) = position_text.write_lines(start, [moves], played)
    return tuple(line)


# What the kernel has written


class GivenLine(NamedTuple):
    """A line to grade."""

    fen: str
    line: str
    within: int


NOTHING = GivenLine("", "", 1)
"""Stands for a row that cannot be read; the kernel refuses it too."""


class GradedBatch(NamedTuple):
    """Rows that were graded, and the text with their moves."""

    rows: ctypes.Array[query_struct.Query]
    text: bytes

    def is_cut(self) -> bool:
        """Return whether a limit or a stop left a grade or a reply open."""
        return any(row.state == _OPEN or row.is_cut for row in self.rows)


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
PLACES = [name for name in _FACTS if name.endswith("_at")]


_OPEN = query_struct.QueryState.OPEN
_UNDECIDED = Grade(GradeStatus.UNDECIDED, reason="the node limit was hit")


def read_grade(
    row: query_struct.Query, given: GivenLine, content: bytes
) -> Grade | InputError:
    """Return the grade of a row, or why its FEN was refused."""
    facts = _Facts(*(getattr(row, name) for name in _FACTS))
    return _answer(facts, given, content)


def _answer(row: _Facts, given: GivenLine, content: bytes) -> Grade | InputError:
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
    row: _Facts, given: GivenLine, ply: int, *, has_mate: bool
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


# Many grades


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

    _given: list[GivenLine | InputError]
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
        rows = (row if isinstance(row, GivenLine) else NOTHING for row in self._given)
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


def _grade_of(given: GivenLine | InputError, facts: _Facts, text: bytes) -> Grade:
    answer = _answer(facts, given, text) if isinstance(given, GivenLine) else given
    if isinstance(answer, Grade):
        return answer
    return Grade(GradeStatus.UNREADABLE, reason=str(answer))


_RIGHT, _WRONG, _UNDECIDED_CODE, _UNREADABLE = np.arange(4, dtype=np.uint8)
"""The codes of the members of `GradeStatus`."""


def join_grades(
    given: list[GivenLine | InputError], batches: Sequence[GradedBatch], index: Any
) -> GradeTable:
    """Return the grades of many rows."""
    facts = {name: [np.zeros(0, np.int64)] for name in _FACTS}
    size = 0
    for batch in batches:
        columns = columns_of(batch.rows)
        for name in _FACTS:
            facts[name].append(columns[name] + size * (name in PLACES))
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
        assert isinstance(row, GivenLine)  # the kernel has read it
        if not movetext.is_move(movetext.written_move(row.line, counts[place])):
            codes[place] = _UNREADABLE
    return table
