"""Check the values of a result that was read from a file.

Called by `store` and `output`; imports `results`, `errors`, `formats`, `position_text`,
`problem`, `record`, `solution` and `stipulations`.

Anyone may edit a store or the records of an audit, and a disk may damage them. Readers
call `check_values` for every result, and `check_answer` for an answer of a store, which
lacks nothing and was never in another notation. What they accept can be printed,
exported and shown.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from solver.audit.results import SUBJECT, AuditResult, twin_of
from solver.errors import FormatError, InputError, quote, refusal
from solver.formats.claims import MAX_SOLUTIONS
from solver.position_text import GivenPosition, read_compiled
from solver.problem import EXPECTED, MAX_MOVES, Stipulation
from solver.record import COLUMNS, MARKS
from solver.solution import Status, StoppedBy, TableFormat
from solver.stipulations import genre_of
from solver.stipulations.genre import Soundness, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Holds: TypeAlias = Callable[[Any], bool]

OF_RECORDS = ("source", "id", "fen", "error")
"""Columns that belong to the record."""


OF_MARKS = ("mark", "note")
"""Columns that belong to an editor's mark; all others belong to the answer."""


MARK_COLUMNS = (*SUBJECT, *OF_MARKS)
"""A `Subject`, with an empty text for None; then the mark, an empty text if it was
taken back, and its note."""


ANSWER_COLUMNS = tuple(name for name in COLUMNS if name not in (*OF_RECORDS, *OF_MARKS))

MAX_INTEGER = 2**63 - 1
"""SQLite and Parquet have no larger integers."""

MAX_LINE = 10**18
"""Line numbers are smaller; see `results.split_source`."""

_NOT_UNICODE = re.compile("[\ud800-\udfff]")


class Domain(NamedTuple):
    """The values that a column may have besides None, and their name in messages."""

    holds: Holds
    expected: str


def _is_text(value: object) -> bool:
    return type(value) is str and (value.isascii() or not _NOT_UNICODE.search(value))


def _is_one_line(value: object) -> bool:
    return _is_text(value) and len(str(value).splitlines()) < 2


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and 0 <= value <= sys.float_info.max  # type: ignore[operator]


def _is_stipulation(value: object) -> bool:
    try:
        return type(value) is str and str(Stipulation.parse(value)) == value
    except InputError:
        return False


def _integers(least: int, most: int) -> Domain:
    def holds(value: object) -> bool:
        return type(value) is int and least <= value <= most

    return Domain(holds, f"a whole number from {least} to {most}")


def _words(words: Iterable[str]) -> Domain:
    listed = [*map(str, words)]
    return Domain(frozenset(listed).__contains__, f"one of {', '.join(listed)}")


_MOVES = _integers(-MAX_MOVES, MAX_MOVES)
_FLAG = _integers(0, 1)
SECONDS = Domain(_is_number, "a finite number from 0 up")
COUNT = _integers(0, MAX_INTEGER)._replace(expected="a whole number from 0 up")
TEXT = Domain(_is_text, "a text")

DOMAINS = dict.fromkeys(COLUMNS, TEXT) | {
    "claim": _MOVES,
    "nomate": _integers(1, MAX_MOVES),
    "status": _words(Status),
    "verdict": _words(Verdict),
    "soundness": _words(Soundness),
    "mate": _MOVES,
    "lower_bound": _integers(0, MAX_MOVES + 1),
    "keys_complete": _FLAG,
    "only_moves": _FLAG,
    "nodes": COUNT,
    "time_s": SECONDS,
    "stopped_by": _words(StoppedBy),
    "tablebase": _words(TableFormat),
    "stipulation": Domain(_is_stipulation, EXPECTED),
    "claimed_solutions": _integers(0, MAX_SOLUTIONS),
    "solutions_complete": _FLAG,
    "mark": _words(MARKS),
    "note": Domain(_is_one_line, "a text of one line"),
}
"""What each of `COLUMNS` may contain."""

_CHECKS = tuple((name, *DOMAINS[name]) for name in COLUMNS)


def check_values(result: AuditResult) -> None:
    """Check each value of a result on its own.

    Raises
    ------
    InputError
        A value is not in the domain of its column.
    """
    for (name, holds, expected), value in zip(_CHECKS, result, strict=False):
        if value is not None and not holds(value):
            raise refusal(name, expected, value)


def require(holds: object, name: str, expected: str, value: object) -> None:
    """Raise InputError for the value of a column unless a condition holds."""
    if not holds:
        raise refusal(name, expected, value)


_SOURCE = COLUMNS.index("source")

_NEVER_NULL = tuple(
    (place, name)
    for place, name in enumerate(COLUMNS)
    if AuditResult._field_defaults.get(name) is not None
    or name in {"status", "lower_bound"}
)


_WITH_MATE = frozenset({Status.PROVED, Status.FOUND})


def check_answer(result: AuditResult) -> None:
    """Check an answer of a store, with the position of its record.

    Raises
    ------
    InputError
        A value is not in the domain of its column, is missing, contradicts another one,
        or is a move that is illegal or not in UCI notation.
    """
    check_values(result)
    for place, name in _NEVER_NULL:
        if result[place] is None:
            raise refusal(name, DOMAINS[name].expected, None)
    _check_claim(result)
    if result.status in _WITH_MATE:
        require(result.mate is not None, "mate", "one, as the status says", None)
    if result.status == Status.DISPROVED:
        require(result.mate is None, "mate", "none, as the status says", result.mate)
    has_list = _has_list(result)
    for name in ("solutions", "solutions_complete"):
        value = getattr(result, name)
        is_due = (value is not None) == has_list
        require(is_due, name, "a value in help play only", value)
    if result.fen is not None:
        _check_moves(result, result.fen)


def _has_list(result: AuditResult) -> bool:
    """Return whether the answer is a list of solutions, as in help play."""
    return genre_of(result.asked).choose(tree=False, solutions=True)


def _check_claim(result: AuditResult) -> None:
    """Check that the claim is one, and that the verdict is about it."""
    claim, asked = result.claim, result.asked
    is_claim = claim is None or (claim != 0 and asked.allows(claim))
    require(is_claim, "claim", "that of the stipulation", claim)
    require(
        claim is None or result.nomate is None, "nomate", "one claim", result.nomate
    )
    claims = claim is not None or result.nomate is not None
    has_verdict = result.verdict is not None and result.verdict != Verdict.UNREADABLE
    require(has_verdict == claims, "verdict", "one if there is a claim", result.verdict)
    is_about_keys = claim is not None or result.soundness is None
    require(is_about_keys, "soundness", "none without a claim", result.soundness)
    solutions = result.claimed_solutions
    can_claim = solutions is None or _has_list(result)
    require(can_claim, "claimed_solutions", "a number in help play only", solutions)


def _check_moves(result: AuditResult, fen: str) -> None:
    """Play all moves of an answer."""
    pv, claimed = result.pv, result.claimed_line
    _check_line(fen, "pv", pv)
    if claimed and claimed != pv:
        _check_line(fen, "claimed_line", claimed)
    known = {"", pv.partition(" ")[0], claimed.partition(" ")[0]}
    for name in ("keys", "claimed_keys", "wrong_keys"):
        text = getattr(result, name)
        if text not in known:  # most answers have one key, which begins their line
            for key in text.split(" "):
                _check_line(fen, name, key)
    if result.solutions is not None:
        lines = _parse(result.solutions)
        is_listed = isinstance(lines, list) and all(map(_is_text, lines))
        require(is_listed, "solutions", "a list of texts", result.solutions)
        for line in lines:
            _check_line(fen, "solutions", line)
    if result.plies:
        _check_plies(result, fen)


def _check_line(fen: str, name: str, line: str) -> None:
    """Check a position and a line; both must be written as the solver writes them."""
    if (plain := read_compiled(fen, line)) is not None and plain == (fen, line):
        return
    position = GivenPosition(fen)
    require(position.fen == fen, "fen", quote(position.fen), fen)
    is_plain = " ".join(position.line(name, line)) == line
    require(is_plain, name, "moves in UCI notation", line)


def _parse(text: str) -> Any:
    """Parse JSON; None if it is damaged."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _check_plies(result: AuditResult, fen: str) -> None:
    """Check the moves of the claimed line; see `results.Ply`."""
    given = _parse(result.plies)
    is_listed = isinstance(given, list) and all(isinstance(one, dict) for one in given)
    are_plies = is_listed and all(map(_is_ply, given))
    require(are_plies, "plies", "a list of plies", result.plies)
    line = result.claimed_line.split()
    first = int((result.claim or 0) < 0)
    for number, ply in enumerate(given):
        place = first + 2 * number
        is_of_line = line[place : place + 1] == [ply["move"]]
        require(is_of_line, "plies", "moves of the claimed line", result.plies)
        for key in ply["keys"]:
            played = " ".join([*line[:place], key])
            _check_line(fen, "plies", played)


def _is_ply(ply: dict[str, Any]) -> bool:
    mate, only = ply.get("mate", False), ply.get("only")
    return (
        _is_text(ply.get("move"))
        and isinstance(ply.get("keys"), list)
        and all(map(_is_text, ply["keys"]))
        and (mate is None or _MOVES.holds(mate))
        and all(one is None or type(one) is bool for one in (only, ply.get("holds")))
    )


def check_record(
    source: str | None, id_: str, fen: str | None, error: str | None, solver: str
) -> None:
    """Check a record: either a position, or why it has none.

    Raises
    ------
    InputError
        It is damaged.
    """
    require(source is not None, "source", "a file and a line", None)
    why = ("fen", fen) if error is None else ("error", error)
    for name, text in (("id", id_), ("solver", solver), why):
        require(_is_text(text), name, TEXT.expected, text)
    require(error is None or fen is None, "error", "none beside a position", error)


def check_mark(subject: Sequence[object], mark: object, note: object) -> None:
    """Check an editor's mark, which is empty if it was taken back, and its `Subject`.

    Raises
    ------
    InputError
        It is damaged.
    """
    values = (*subject, mark or None, note or None)
    for name, value in zip(MARK_COLUMNS, values, strict=True):
        domain = DOMAINS[name]
        require(value is None or domain.holds(value), name, domain.expected, value)


def read_answer(
    row: Sequence[Any], fen: str
) -> tuple[AuditResult, float | None, int | None]:
    """Return the answer in a row of `answers`, and the limits of its search.

    Parameters
    ----------
    row : sequence
        The row, in the order of `ALL_ANSWER_COLUMNS`.
    fen : str
        The position.

    Raises
    ------
    InputError
        It is damaged.
    """
    _, *values, _, time_s, nodes = row
    found = dict(zip(ANSWER_COLUMNS, values, strict=True))
    result = AuditResult("", "", fen, **found)
    check_answer(result)
    limits = ("time_limit_s", SECONDS, time_s), ("node_limit", COUNT, nodes)
    for name, domain, value in limits:
        is_limit = value is None or domain.holds(value)
        require(is_limit, name, domain.expected, value)
    return result, time_s, nodes


def read_stored_row(row: Sequence[Any], number: int) -> AuditResult | FormatError:
    """Return the result in a row of `store.RESULTS`, or why it cannot be read.

    Parameters
    ----------
    row : sequence
        The row, in the order of `ROW_COLUMNS`.
    number : int
        Its place, which names a row without one.
    """
    try:
        return _read_row(row)
    except InputError as error:
        source = source_of(row[_SOURCE], row[len(COLUMNS)]) or f"record {number}"
        return FormatError(source, f"damaged in the store: {error}")


def _read_row(row: Sequence[Any]) -> AuditResult:
    *values, line, twin, has_answer, reader = row
    values[_SOURCE] = source_of(values[_SOURCE], line)
    result = AuditResult(*values)
    source, id_, fen, error = result.source, result.id, result.fen, result.error
    check_record(source, id_, fen, error, reader)
    # Empty if they were taken back.
    mark, note = result.mark or None, result.note or None
    if error is None:
        require(has_answer, "key", "that of an answer", None)
        result = result._replace(mark=mark, note=note)
        check_answer(result)
    else:
        require(not has_answer, "error", "none beside an answer", error)
        unreadable = AuditResult(id_, source, verdict=Verdict.UNREADABLE.value)
        result = unreadable._replace(error=error, solver=reader, mark=mark, note=note)
        check_values(result)
    # Early stores had no twins.
    require(twin in ("", twin_of(result)), "twin", "that of the name", twin)
    return result


def source_of(file: object, line: object) -> str | None:
    """Return `file:line` of a record; None if one of them is damaged."""
    if not _is_text(file) or type(line) is not int or not 0 <= line < MAX_LINE:
        return None
    return f"{file}:{line}" if line else str(file)
