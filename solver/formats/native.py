"""matesolve's own formats: JSON lines, as `verify --jsonl` prints them, and CSV.

Both have the fields `id`, `fen`, `claim`, `nomate`, `claimed_keys`, `claimed_line`,
`any_last_move`, `stipulation` and `claimed_solutions`; only `fen` is required, and
unknown fields are ignored. Moves are in UCI notation, distances in moves. If a FEN has
no side to move, White begins, or Black in help play of whole moves. CSV has a header
that names its columns, in any order, and spaces between the moves of a cell.
"""

from __future__ import annotations

import csv
import io
import json
import re
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from solver.board import GivenPosition
from solver.errors import FormatError, InputError, quote
from solver.formats.claims import Draft
from solver.formats.lichess import split_row
from solver.formats.streams import Lines, Records, read_each, read_lines
from solver.stipulation import Stipulation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from solver.formats.summary import FileSummary
    from solver.problem import Problem


Kind = TypeVar("Kind")

_KINDS = {int: "a whole number", str: "a text", bool: "true or false", list: "a list"}
_LISTED: dict[type, str] = {str: "texts", dict: "objects"}

_MAX_BITS = 63
"""Larger integers are refused: Longer integers, or their sums, could exceed what Python
can write."""

_SURROGATE = re.compile("[\ud800-\udfff]")
"""A surrogate without the other one of its pair: JSON can express it, but a text file
cannot."""


def read_jsonl(lines: Lines, summary: FileSummary) -> Records:
    """Read JSON lines; see `read_lines`."""
    return read_lines(lines, summary.name, partial(_parse_record, summary))


def write_jsonl(problem: Problem) -> str:
    """Write a problem as one line, without empty fields."""
    fields = _fields_of(problem).items()
    record = {name: value for name, value in fields if value is not None}
    # Escaped, a name with control characters does no harm to a terminal.
    escaped = not problem.id.isprintable()
    return json.dumps(record, ensure_ascii=escaped, separators=(",", ":")) + "\n"


def _parse_record(summary: FileSummary, text: str, source: str) -> Problem:
    record = parse_object(text)
    try:
        fields = {name: kind.of_json(record, name) for name, kind in _FIELDS.items()}
    except RecursionError:  # of json.dumps; json.loads nests more deeply
        msg = f"expected a flat JSON object, found {quote(text)}"
        raise InputError(msg) from None
    return _make_problem(summary, fields, source)


def parse_object(text: str) -> dict[str, Any]:
    """Parse a JSON object.

    Raises
    ------
    InputError
        The text is something else.
    """
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"expected a JSON object, found {quote(text)}: {error}"
        raise InputError(msg) from None
    if not isinstance(record, dict):
        msg = f"expected a JSON object, found {quote(text)}"
        raise InputError(msg)
    return record


def read_field(
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


def read_text(record: Mapping[str, object], name: str) -> str:
    """Read a field that is a text, empty if it is missing; see `read_field`."""
    return read_field(record, name, str) or ""


def read_list(record: Mapping[str, object], name: str, kind: type[Kind]) -> list[Kind]:
    """Read a field that is a list of texts or objects; see `read_field`."""
    values = read_field(record, name, list) or []
    if not all(isinstance(value, kind) for value in values):
        found = quote(repr(values))
        msg = f"{name}: expected a list of {_LISTED[kind]}, found {found}"
        raise InputError(msg)
    return values


def read_texts(record: Mapping[str, object], name: str) -> list[str]:
    """Read a field that is a list of texts; see `read_field`."""
    return read_list(record, name, str)


def _read_moves(record: Mapping[str, object], name: str) -> str:
    return " ".join(read_texts(record, name))


def _read_number(record: Mapping[str, object], name: str) -> str:
    """Return a cell as JSON text of a number, which is checked when it is parsed."""
    value = record.get(name)
    return "" if value is None else json.dumps(value)


def _read_flag(record: Mapping[str, object], name: str) -> bool:
    return bool(read_field(record, name, bool))


def _parse_flag(cell: str) -> bool:
    text = cell.strip()
    if text not in _FLAGS:
        msg = f"any_last_move: expected true, false or nothing, found {quote(text)}"
        raise InputError(msg)
    return _FLAGS[text]


_FLAGS = {"": False, "false": False, "true": True}


class _Field(NamedTuple):
    """How a field is read from a JSON object and from a cell, and its column's type."""

    column: type
    of_json: Callable[[Mapping[str, object], str], Any]
    of_cell: Callable[[str], Any]


_NAME = _Field(str, read_text, str)
_TEXT = _Field(str, read_text, str.strip)
_NUMBER = _Field(int, _read_number, str.strip)
_MOVES = _Field(str, _read_moves, str)
_FLAG = _Field(bool, _read_flag, _parse_flag)

_FIELDS = {
    "id": _NAME,
    "fen": _TEXT,
    "claim": _NUMBER,
    "nomate": _NUMBER,
    "claimed_keys": _MOVES,
    "claimed_line": _MOVES,
    "any_last_move": _FLAG,
    "stipulation": _TEXT,
    "claimed_solutions": _NUMBER,
}

COLUMNS = {name: field.column for name, field in _FIELDS.items()}
"""The columns of a table of problems in order, and their types."""


def _make_problem(
    summary: FileSummary, fields: Mapping[str, Any], source: str
) -> Problem:
    """Check the fields of a record and make its problem.

    Parameters
    ----------
    fields : mapping
        Each of `_FIELDS`: texts, empty if there is none, and a flag.
    source : str
        `file:line`, also the problem's name if it has no `id`.

    Raises
    ------
    InputError
        If position, distance or moves cannot be parsed, or both a mate and no mate are
        claimed.
    """
    stipulation = Stipulation.from_record(fields["stipulation"])
    position = GivenPosition(fields["fen"], stipulation.white_begins)
    draft = Draft(position, summary, stipulation)
    draft.any_last_move = fields["any_last_move"]
    for name, read in (
        ("claim", draft.read_mate),
        ("nomate", draft.read_no_mate),
        ("claimed_solutions", draft.read_solutions),
        ("claimed_keys", draft.read_keys),
        ("claimed_line", draft.read_line),
    ):
        if fields[name]:
            read(name, fields[name])
    return draft.problem(_SURROGATE.sub("\ufffd", fields["id"]), source)


def _fields_of(problem: Problem) -> dict[str, Any]:
    """Return the fields of a problem in the order of JSON lines; None if missing."""
    claim = problem.claim
    fields: dict[str, Any] = {
        "id": problem.id,
        "fen": problem.fen,
        "stipulation": problem.stipulation.text or None,
    }
    if claim:
        fields |= {
            "claim": claim.mate,
            "claimed_keys": claim.keys or None,
            "claimed_line": claim.line or None,
            "any_last_move": claim.any_last_move or None,
            "claimed_solutions": claim.solutions,
        }
    return {**fields, "nomate": problem.no_mate}


CSV_HEAD = ",".join(COLUMNS) + "\n"
"""The header of the rows that `write_csv` writes."""


def read_csv(lines: Lines, summary: FileSummary) -> Records:
    """Read CSV, each row as soon as it arrives.

    Parameters
    ----------
    lines : iterator of tuple
        Number and bytes of each line, UTF-8; the first names the columns.
    summary : FileSummary

    Yields
    ------
    Problem or FormatError
        One for each row that is not blank, in file order.
    """
    rows = (item for item in lines if item[1].strip())
    for header in read_each(islice(rows, 1), summary.name, _parse_header):
        if isinstance(header, FormatError):
            yield header
        else:
            parse = partial(_parse_row, summary, header)
            yield from read_each(rows, summary.name, parse)


def _parse_header(line: bytes, _source: str) -> list[str]:
    header = [cell.strip() for cell in split_row(line)]
    if "fen" not in header:
        msg = f"expected a column fen, found {quote(','.join(header))}"
        raise InputError(msg)
    return header


def _parse_row(
    summary: FileSummary, header: Sequence[str], line: bytes, source: str
) -> Problem:
    return read_row(summary, header, split_row(line), source)


def read_row(
    summary: FileSummary, header: Sequence[str], cells: Sequence[str], source: str
) -> Problem:
    """Make a problem from a row.

    Parameters
    ----------
    header : sequence of str
        The names of the columns.
    cells : sequence of str
        As many texts; an empty one is a missing field.
    source : str
        `file:line`.

    Raises
    ------
    InputError
        If there are more or fewer cells, or if they cannot be parsed.
    """
    if len(cells) != len(header):
        msg = f"expected {len(header)} columns, found {len(cells):,}"
        raise InputError(msg)
    row = dict(zip(header, cells, strict=True))
    fields = {name: kind.of_cell(row.get(name, "")) for name, kind in _FIELDS.items()}
    return _make_problem(summary, fields, source)


def problem_row(problem: Problem) -> tuple[object, ...]:
    """Return the cells of a problem, in the order of `COLUMNS`; None is empty."""
    cells = map(_fields_of(problem).get, COLUMNS)
    return tuple(" ".join(cell) if isinstance(cell, tuple) else cell for cell in cells)


def write_csv(problem: Problem) -> str:
    """Write a problem as one row, in the columns of `CSV_HEAD`.

    A row is one line, so a line break in a name becomes a space.
    """
    row = ["true" if cell is True else cell for cell in problem_row(problem)]
    row[0] = one_line(problem.id)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(row)
    return text.getvalue()


def one_line(name: str) -> str:
    """Return a name with a space for each line break, so that it fits a row of CSV."""
    return re.sub(r"\r\n|[\r\n]", " ", name)
