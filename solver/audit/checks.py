"""Check the values of a result that was read from a file.

Anyone may edit the records of an audit. What `check_values` accepts can be printed,
exported and shown. The rows of a store have checksums instead.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from solver.errors import InputError, refusal
from solver.formats.claims import MAX_SOLUTIONS
from solver.problem import EXPECTED, MAX_MOVES, Stipulation
from solver.record import COLUMNS, MARKS
from solver.solution import Status, StoppedBy, TableFormat
from solver.stipulations import Soundness, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from solver.audit.results import AuditResult

    Holds: TypeAlias = Callable[[Any], bool]

MAX_INTEGER = 2**63 - 1
"""SQLite and Parquet have no larger integers."""

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
    "nodes": _integers(0, MAX_INTEGER)._replace(expected="a whole number from 0 up"),
    "time_s": Domain(_is_number, "a finite number from 0 up"),
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
