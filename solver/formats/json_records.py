"""JSON lines, as `verify --jsonl` prints them."""

from __future__ import annotations

import json
from functools import partial
from itertools import groupby, starmap
from typing import TYPE_CHECKING, Any

from solver.errors import FormatError, InputError, quote
from solver.formats import rows
from solver.formats.claims import take_sample
from solver.formats.reading import NO_PLAN, learn, size_of
from solver.formats.streams import Batches, decode_line, is_record
from solver.formats.trees import entries_of, parse_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from solver.formats.claims import FileSummary, ReadOptions
    from solver.formats.entries import Entry
    from solver.formats.reading import Row
    from solver.formats.streams import Lines, Records
    from solver.problem import Problem


def read_jsonl(lines: Lines, summary: FileSummary, options: ReadOptions) -> Records:
    """Read JSON lines: the records of each line, in file order.

    Blank lines and comments are skipped.
    """
    rest = Batches.of_lines(lines)
    parse = partial(_parsed, summary.name)
    parsed = (parse(*line) for line in rest if is_record(line[1]))
    entries = Batches(_entries(*one, summary.name) for one in parsed)
    sample = take_sample(entries, size_of, summary)
    try:
        reading = learn(sample, summary, options)
    except InputError as error:
        yield FormatError(f"{summary.name}:1", str(error))
        return
    yield from reading.read_all([sample, next(entries.rest())])
    place = reading.position_name
    for batch in rest.rest():
        found = [*starmap(parse, [line for line in batch if is_record(line[1])])]
        for names, same in groupby(found, lambda one: _flat_names(one[1], place)):
            if names is None:
                for one in same:
                    yield from reading.read_all([_entries(*one, summary.name)])
                continue
            rows: list[Row] = [
                (number, [*map(_cell_text, record.values())]) for number, record in same
            ]
            try:
                plan = reading.plan(names)
            except InputError as error:
                plan, rows = NO_PLAN, [(number, error) for number, _ in rows]
            yield from reading.read_rows([(plan, rows)])


def object_of(text: str) -> dict[str, Any]:
    """Parse a JSON object.

    Raises
    ------
    InputError
        The text is something else.
    """
    record = parse_object(text)
    if not isinstance(record, dict):
        msg = f"expected a JSON object, found {quote(text)}"
        raise InputError(msg)
    return record


def _entries(number: int, record: Any, file: str) -> Iterator[Entry | FormatError]:
    """Yield the entries of what `_parsed` returns."""
    if isinstance(record, FormatError):
        yield record
        return
    try:
        for entry in entries_of(record, number):
            yield entry._replace(number=number)
    except InputError as error:
        yield FormatError(f"{file}:{number}", str(error))


def _parsed(file: str, number: int, line: bytes) -> tuple[int, Any]:
    """Parse a line, without the accepted moves that `write_jsonl` adds to a claim.

    Returns
    -------
    tuple
        The number; and an object or a list, or the error of the line.
    """
    try:
        record = parse_object(decode_line(line).strip())
    except InputError as error:
        return number, FormatError(f"{file}:{number}", str(error))
    if isinstance(record, dict) and isinstance(record.get("accepted"), dict):
        del record["accepted"]
    return number, record


def _flat_names(record: Any, place: str) -> tuple[str, ...] | None:
    """Return the names of the fields of an object; None if it has more in it.

    `place` is the name of the position.
    """
    if not (isinstance(record, dict) and isinstance(record.get(place), str)):
        return None
    if any(
        isinstance(value, dict) or (isinstance(value, list) and _holds_more(value))
        for value in record.values()
    ):
        return None
    return tuple(record)


def _cell_text(value: Any) -> str:
    """Return a value of JSON as the text of a cell: lists with spaces between texts."""
    if isinstance(value, str) or value is None:
        return value or ""
    if isinstance(value, list):
        return " ".join(map(_cell_text, value))
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _holds_more(values: list[Any]) -> bool:
    return any(isinstance(value, dict | list) for value in values)


def write_jsonl(problem: Problem, accepted: Mapping[str, Any] | None = None) -> str:
    """Write a problem as one line, without empty fields."""
    fields = (rows.fields_of(problem) | {"accepted": accepted}).items()
    record = {name: value for name, value in fields if value is not None}
    # Escaped, a name with control characters does no harm to a terminal.
    escaped = not problem.id.isprintable()
    return json.dumps(record, ensure_ascii=escaped, separators=(",", ":")) + "\n"
