"""Results for programs: JSON records, and exports as CSV, JSON lines, EPD and Parquet.

`solver.solution.Solution.to_dict` makes the record of an answer. `audit_record` adds
the verdict on its claim, `read_record` turns it back into an `AuditResult`, and
`unreadable_record` makes one for a line without a problem.
"""

from __future__ import annotations

import codecs
import csv
import json
import sys
from typing import (
    TYPE_CHECKING,
    Any,
    BinaryIO,
    NamedTuple,
    TypeAlias,
    TypeVar,
)

from solver import __version__
from solver.audit.checks import check_values
from solver.audit.result import (
    COLUMNS,
    MARKS,
    SUBJECT,
    AuditResult,
    column_types,
    write_solutions,
)
from solver.errors import InputError, quote
from solver.formats.rows import one_line
from solver.position_text import first_moves
from solver.problem import Claim, Problem
from solver.solution import SCHEMA
from solver.stipulation import Stipulation
from solver.stipulations import kind_of
from solver.stipulations.comparison import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from solver.audit.result import Mark
    from solver.errors import FormatError

    Export: TypeAlias = Callable[[Iterable[AuditResult], BinaryIO], int]


Kind = TypeVar("Kind")

_KINDS = {int: "a whole number", str: "a text", bool: "true or false", list: "a list"}
_LISTED: dict[type, str] = {str: "texts", dict: "objects"}

_MAX_BITS = 63
"""Larger integers are refused: Longer integers, or their sums, could exceed what Python
can write."""

WORDS = (
    "proved",
    "holds",
    "found",
    "disproved",
    "shorter",
    "refuted",
    "undecided",
    "unreadable",
)
"""Verdicts, and statuses of records without a claim, in the order of the page."""


def audit_record(result: AuditResult) -> dict[str, object]:
    """Make the record of an audit result.

    Parameters
    ----------
    result : AuditResult
        The result.

    Returns
    -------
    dict
        For `json.dumps`: the record of the answer (see `Solution.to_dict`) with
        `source` (`file:line`) after `id`, and `verdict` and `soundness` after `status`,
        None if they do not apply. At the end, if there are any: `nomate` (the number of
        moves in which no mate is claimed to exist), `claimed_keys`, `claimed_line` and
        `wrong_keys` in UCI notation, `only_moves` and `plies` of the claimed line,
        `tablebase`, `stipulation` and in help play `claimed_solutions`, `solutions` and
        `solutions_complete`, `mark`, `note`, `hint`, `warnings`, and `disagreements`
        (see `AuditResult.disagreements`). If the record is unreadable: `error`, and
        perhaps `mark` and `note`.
    """
    record: dict[str, object] = {"schema": SCHEMA}
    others = _OF_UNREADABLE if result.fen is None else _OF_READABLE
    for name, field in (_OF_ALL | others).items():
        record[name] = field.write(getattr(result, name))
    if result.fen is not None:
        keys = result.keys.split()
        sans = first_moves(result.fen, keys)
        record["keys"] = [
            {"uci": uci, "san": san} for uci, san in zip(keys, sans, strict=True)
        ]
    for name, field in _IF_ANY.items():
        value = getattr(result, name)
        if value not in (None, "", ()):
            record[name] = field.write(value)
    if result.disagreements:
        record["disagreements"] = list(result.disagreements)
    return record


def read_record(record: Mapping[str, object]) -> AuditResult:
    """Read the record of a result; every field is checked.

    Parameters
    ----------
    record : Mapping
        As `audit_record` makes it, from a file that anyone may have edited; any field
        may be missing or None.

    Returns
    -------
    AuditResult
        `solver` is empty and `time_s` is None if the record does not have them.

    Raises
    ------
    InputError
        The record has another schema, a field has the wrong type or a value that no
        result has, or there is no verdict, or no position.
    """
    if (schema := record.get("schema", SCHEMA)) != SCHEMA:
        msg = f"schema: expected {SCHEMA}, found {quote(repr(schema))}"
        raise InputError(msg)
    word = _read_text(record, "verdict") or _read_text(record, "status")
    if not word and "error" in record:
        word = Verdict.UNREADABLE
    if word not in WORDS:
        msg = f"verdict or status: expected one of {', '.join(WORDS)}, found "
        raise InputError(msg + (quote(word) if word else "neither"))
    found = {name: field.read(record, name) for name, field in _FIELDS.items()}
    present = {name: value for name, value in found.items() if value not in (None, "")}
    defaults = {"source": "", "id": "", "solver": "", "time_s": None}
    result = AuditResult(**{**defaults, **present})
    if not (result.verdict or result.status):
        result = result._replace(verdict=word)
    if any(ply.only is False for ply in result.claimed_plies()):
        result = result._replace(only_moves=0)
    if result.fen is None and (word != Verdict.UNREADABLE or _has_moves(result)):
        msg = "fen: expected a position, found none"
        raise InputError(msg)
    check_values(result)
    return result


def read_mark(record: Mapping[str, object]) -> tuple[dict[str, object], Mark]:
    """Read an editor's mark and what it belongs to; an empty mark removes another.

    Parameters
    ----------
    record : Mapping
        With the field `mark`, perhaps `note`, and any of `SUBJECT`, as the record of
        the audit has them; others are ignored.

    Returns
    -------
    tuple of dict and Mark
        What the record must have, for those of `SUBJECT` that are given; and the mark.

    Raises
    ------
    InputError
        It has another schema, a field has the wrong type, there is no mark, or nothing
        that says whose mark it is.
    """
    if record.get("schema", SCHEMA) != SCHEMA:
        msg = f"schema: expected {SCHEMA}, found {quote(repr(record['schema']))}"
        raise InputError(msg)
    if "mark" not in record:
        msg = "mark: expected accept, cook or reject, found none"
        raise InputError(msg)
    names = [name for name in SUBJECT if name in record]
    given = {name: _FIELDS[name].read(record, name) or None for name in names}
    if not any(given.get(name) for name in ("source", "id", "fen")):
        msg = "mark: expected the fen, id or source of its record, found none"
        raise InputError(msg)
    note = " ".join(_read_text(record, "note").split())
    return given, (_mark(record, "mark"), note)


def _read_field(
    record: Mapping[str, object], name: str, kind: type[Kind]
) -> Kind | None:
    """Read a field of a JSON object.

    Parameters
    ----------
    record : mapping
    name : str
    kind : type
        int, str, bool or list.

    Returns
    -------
    int, str, bool, list or None
        None if the field is missing or null.

    Raises
    ------
    InputError
        The field has another type, or the number more than 63 bits.
    """
    value = record.get(name)
    if value is None:
        return None
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        msg = f"{name}: expected {_KINDS[kind]}, found {quote(repr(value))}"
        raise InputError(msg)
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        msg = f"{name}: expected at most {_MAX_BITS} bits, found {value.bit_length()}"
        raise InputError(msg)
    return value


def _read_text(record: Mapping[str, object], name: str) -> str:
    """Read a field that is a text, empty if it is missing; see `_read_field`."""
    return _read_field(record, name, str) or ""


def _read_list(record: Mapping[str, object], name: str, kind: type[Kind]) -> list[Kind]:
    """Read a field that is a list of texts or objects; see `_read_field`."""
    values = _read_field(record, name, list) or []
    if not all(isinstance(value, kind) for value in values):
        found = quote(repr(values))
        msg = f"{name}: expected a list of {_LISTED[kind]}, found {found}"
        raise InputError(msg)
    return values


def _read_texts(record: Mapping[str, object], name: str) -> list[str]:
    """Read a field that is a list of texts; see `_read_field`."""
    return _read_list(record, name, str)


def _has_moves(result: AuditResult) -> bool:
    """Return whether there are moves, which mean nothing without a position."""
    return any(
        getattr(result, name)
        for name, field in _FIELDS.items()
        if field in (_KEYS, _MOVES, _PLIES, _SOLUTIONS)
    )


def _number(record: Mapping[str, object], name: str) -> int | None:
    return _read_field(record, name, int)


def _moves(record: Mapping[str, object], name: str) -> str:
    return " ".join(_read_texts(record, name))


def _texts(record: Mapping[str, object], name: str) -> tuple[str, ...]:
    return tuple(_read_texts(record, name))


def _flag(record: Mapping[str, object], name: str) -> int | None:
    value = _read_field(record, name, bool)
    return None if value is None else int(value)


def _keys(record: Mapping[str, object], name: str) -> str:
    return " ".join(_read_text(key, "uci") for key in _read_list(record, name, dict))


def _plies(record: Mapping[str, object], name: str) -> str:
    plies = [_ply(ply) for ply in _read_list(record, name, dict)]
    return json.dumps(plies) if plies else ""


def _ply(record: Mapping[str, object]) -> dict[str, object]:
    ply: dict[str, object] = {
        "move": _read_text(record, "move"),
        "mate": _number(record, "mate"),
        "keys": _moves(record, "keys").split(),
    }
    for name in ("only", "holds"):  # earlier versions did not write them
        if name in record:
            ply[name] = _read_field(record, name, bool)
    return ply


def _solutions(record: Mapping[str, object], name: str) -> str | None:
    values = _read_field(record, name, list)
    for value in values or ():
        if not isinstance(value, list) or not all(isinstance(x, str) for x in value):
            msg = f"{name}: expected a list of lists of texts, found "
            raise InputError(msg + quote(repr(values)))
    return None if values is None else write_solutions(values)


def _stipulation(record: Mapping[str, object], name: str) -> str:
    text = _read_text(record, name)
    return str(Stipulation.parse(text)) if text else ""


def _mark(record: Mapping[str, object], name: str) -> str:
    mark = _read_text(record, name)
    if mark and mark not in MARKS:
        msg = f"{name}: expected accept, cook or reject, found {quote(mark)}"
        raise InputError(msg)
    return mark


def _seconds(record: Mapping[str, object], name: str) -> float | None:
    value: Any = record.get(name)
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= sys.float_info.max:
        found = quote(repr(value))
        msg = f"{name}: expected a finite number of seconds, found {found}"
        raise InputError(msg)
    return float(value)


class _Field(NamedTuple):
    """How a field of `AuditResult` is written in JSON, and read from a record."""

    write: Callable[[Any], object]
    read: Callable[[Mapping[str, object], str], Any]


def _unchanged(value: object) -> object:
    return value


def _split_lines(text: str) -> list[list[str]]:
    return [line.split() for line in json.loads(text)]


_TEXT = _Field(_unchanged, _read_text)
_NUMBER = _Field(_unchanged, _number)
_SECONDS = _Field(_unchanged, _seconds)
_FLAG = _Field(bool, _flag)
_MOVES = _Field(str.split, _moves)
_KEYS = _Field(str.split, _keys)  # `audit_record` adds their SAN
_PLIES = _Field(json.loads, _plies)
_SOLUTIONS = _Field(_split_lines, _solutions)

_OF_ALL = {
    "id": _TEXT,
    "source": _TEXT,
    "fen": _TEXT,
    "claim": _NUMBER,
    "status": _TEXT,
    "verdict": _TEXT,
}
_OF_READABLE = {
    "soundness": _TEXT,
    "mate": _NUMBER,
    "lower_bound": _NUMBER,
    "keys": _KEYS,
    "keys_complete": _FLAG,
    "pv": _MOVES,
    "nodes": _NUMBER,
    "time_s": _SECONDS,
    "stopped_by": _TEXT,
    "solver": _TEXT,
}
_OF_UNREADABLE = {"error": _TEXT, "solver": _TEXT}
_IF_ANY = {
    "nomate": _NUMBER,
    "claimed_keys": _MOVES,
    "claimed_line": _MOVES,
    "wrong_keys": _MOVES,
    "only_moves": _FLAG,
    "plies": _PLIES,
    "tablebase": _TEXT,
    "stipulation": _Field(_unchanged, _stipulation),
    "claimed_solutions": _NUMBER,
    "solutions": _SOLUTIONS,
    "solutions_complete": _FLAG,
    "mark": _Field(_unchanged, _mark),
    "note": _TEXT,
    "hint": _TEXT,
    "warnings": _Field(list, _texts),
}
"""Fields that a record has only if the result has a value for them."""

_FIELDS = _OF_ALL | _OF_READABLE | _OF_UNREADABLE | _IF_ANY


def unreadable_record(error: FormatError) -> dict[str, object]:
    """Make the record that replaces the answer to an unreadable line.

    Parameters
    ----------
    error : FormatError
        What is wrong with the line.

    Returns
    -------
    dict
        `id` is the line's `file:line`, `error` the reason; the other fields are None.
    """
    return {
        "schema": SCHEMA,
        "id": error.source,
        "fen": None,
        "claim": None,
        "status": None,
        "error": error.reason,
        "solver": __version__,
    }


def write_csv(results: Iterable[AuditResult], file: BinaryIO) -> int:
    """Write the columns of the store as CSV, with their names in the first row.

    A row is one line, so a line break in a name becomes a space.

    Returns
    -------
    int
        The number of results written, as for the other formats.
    """
    # A TextIOWrapper would close the file, which may be stdout, after an error.
    rows = csv.writer(codecs.getwriter("utf-8")(file), lineterminator="\n")
    rows.writerow(COLUMNS)
    count = 0
    for result in results:
        rows.writerow(result._replace(id=one_line(result.id)).row())
        count += 1
    return count


def write_jsonl(results: Iterable[AuditResult], file: BinaryIO) -> int:
    """Write the records that `verify --jsonl` prints, one per line."""
    records = map(audit_record, results)
    lines = (json.dumps(record, separators=(",", ":")) + "\n" for record in records)
    return _write_texts(lines, file)


def write_epd(results: Iterable[AuditResult], file: BinaryIO) -> int:
    """Write the results as an EPD collection: the input with corrected claims.

    A mate is written as `dm`, `bm` with all known keys, and `pv`. Without a mate,
    or with one in place of a refuted claim that may not be the shortest, `nomate` is
    the number of moves for which that is proved. Other stipulations are
    written with the number of moves found, in help play also with the number of
    solutions, 0 if it is proved that there are none. Left out are unreadable records,
    and those of other stipulations without a solution: EPD cannot express that a
    selfmate has none.
    """
    from solver.formats.epd import write_epd

    problems = (_problem(found, found.fen) for found in results if found.fen)
    return _write_texts((write_epd(problem) for problem in problems if problem), file)


def _write_texts(texts: Iterable[str], file: BinaryIO) -> int:
    count = 0
    for text in texts:
        file.write(text.encode())
        count += 1
    return count


def write_parquet(results: Iterable[AuditResult], file: BinaryIO) -> int:
    """Write the columns of the store as Apache Parquet; needs pyarrow."""
    from solver.formats.parquet import write_rows

    return write_rows(column_types(), (result.row() for result in results), file)


EXPORTS: dict[str, Export] = {
    "csv": write_csv,
    "jsonl": write_jsonl,
    "epd": write_epd,
    "parquet": write_parquet,
}
"""The export formats by name, which is also the suffix of a file."""


def _problem(result: AuditResult, fen: str) -> Problem | None:
    kind, problem = kind_of(result.asked), Problem(fen, result.id)
    is_refuted = result.verdict == Verdict.REFUTED
    if not result.mate or (is_refuted and result.lower_bound != abs(result.mate)):
        excluded = (result.lower_bound or 1) - 1
        if result.claim is not None and result.claim < 0:
            excluded = 0  # the side to move is not mated; it may mate
        return kind.without_solution(problem, excluded)
    line, keys = tuple(result.pv.split()), tuple(result.keys.split())
    solutions = result.found_solutions() if result.solutions_complete else None
    return kind.with_solution(problem, Claim(result.mate, keys, line), solutions)
