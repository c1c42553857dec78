"""JSON lines, as `verify --jsonl` prints them.

Called by `cli`; imports `claims`, `entries`, `reading`, `rows`, `streams`, `trees`,
`errors` and `problem`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from solver.errors import FormatError, InputError, quote
from solver.formats import rows
from solver.formats.claims import take_sample
from solver.formats.reading import cell_text, learn, size_of
from solver.formats.streams import decode_line, is_record
from solver.formats.trees import entries_of, parse_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from solver.formats.claims import FileSummary, ReadOptions
    from solver.formats.entries import Entry
    from solver.formats.streams import Lines, Records
    from solver.problem import Problem


def read_jsonl(lines: Lines, summary: FileSummary, options: ReadOptions) -> Records:
    """Read JSON lines: the records of each line, in file order.

    Blank lines and comments are skipped.
    """
    records = (item for item in lines if is_record(item[1]))
    sample = take_sample(_entries(records, summary), size_of, summary)
    try:
        reading = learn(sample, summary, options)
    except InputError as error:
        yield FormatError(f"{summary.name}:1", str(error))
        return
    yield from reading.read_all(sample)
    place = reading.position_name
    for number, line in records:
        source = f"{summary.name}:{number}"
        try:
            record = _parse(line)
            if isinstance(record, dict) and _is_flat(record, place):
                cells = [*map(cell_text, record.values())]
                problem = reading.read(reading.plan(tuple(record)), cells, source)
            else:
                entries = entries_of(record, number)
                yield from reading.read_all(
                    entry._replace(number=number) for entry in entries
                )
                continue
        except InputError as error:
            yield FormatError(source, str(error))
            continue
        if problem is None:
            summary.not_selected += 1
        else:
            yield problem


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


def _entries(lines: Lines, summary: FileSummary) -> Iterator[Entry | FormatError]:
    for number, line in lines:
        try:
            found = entries_of(_parse(line), number)
            yield from [entry._replace(number=number) for entry in found]
        except InputError as error:
            yield FormatError(f"{summary.name}:{number}", str(error))


def _parse(line: bytes) -> dict[str, Any] | list[Any]:
    """Parse a line, without the accepted moves that `write_jsonl` adds to a claim."""
    record = parse_object(decode_line(line).strip())
    if isinstance(record, dict) and isinstance(record.get("accepted"), dict):
        del record["accepted"]
    return record


def _is_flat(record: dict[str, Any], place: str) -> bool:
    """Return whether a record has its position in its usual field, and no objects."""
    return isinstance(record.get(place), str) and not any(
        isinstance(value, dict) or (isinstance(value, list) and _holds_more(value))
        for value in record.values()
    )


def _holds_more(values: list[Any]) -> bool:
    return any(isinstance(value, dict | list) for value in values)


def write_jsonl(problem: Problem, accepted: Mapping[str, Any] | None = None) -> str:
    """Write a problem as one line, without empty fields."""
    fields = (rows.fields_of(problem) | {"accepted": accepted}).items()
    record = {name: value for name, value in fields if value is not None}
    # Escaped, a name with control characters does no harm to a terminal.
    escaped = not problem.id.isprintable()
    return json.dumps(record, ensure_ascii=escaped, separators=(",", ":")) + "\n"
