"""JSON lines of our own: one object a line, as `verify --jsonl` prints them, too.

The fields `id`, `fen`, `claim`, `nomate`, `claimed_keys`, `claimed_line` and
`any_last_move` are read, all others passed over; only `fen` must be there. Moves are in
UCI notation, distances in moves.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn

from solver.errors import InputError
from solver.formats.line_records import read_each
from solver.formats.own_fields import Fields
from solver.formats.wording import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from solver.errors import FormatError
    from solver.problem import Problem


def read_jsonl(
    lines: Iterator[tuple[int, bytes]], name: str
) -> Iterator[Problem | FormatError]:
    """Read JSON lines; see `read_each`."""
    return read_each(lines, name, _parse_record)


def write_jsonl(problem: Problem) -> str:
    """Write a problem as one line; what it does not say is left out."""
    record: dict[str, object] = {"id": problem.id, "fen": problem.fen}
    if problem.claim:
        record["claim"] = problem.claim.mate
        if problem.claim.keys:
            record["claimed_keys"] = problem.claim.keys
        if problem.claim.line:
            record["claimed_line"] = problem.claim.line
        if problem.claim.any_last_move:
            record["any_last_move"] = True
    if problem.no_mate is not None:
        record["nomate"] = problem.no_mate
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


def _parse_record(text: str, source: str) -> Problem:
    try:
        fields = _parse_fields(text)
    except RecursionError:  # nested so deeply that it is read, but not shown
        msg = f"expected a flat JSON object, found {quote(text)}"
        raise InputError(msg) from None
    return fields.check(source)


def _parse_fields(text: str) -> Fields:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"expected a JSON object, found {quote(text)}: {error}"
        raise InputError(msg) from None
    if not isinstance(record, dict):
        msg = f"expected a JSON object, found {quote(text)}"
        raise InputError(msg)
    return Fields(
        id=_text(record, "id", default=""),
        fen=_text(record, "fen"),
        claim=_number(record, "claim"),
        nomate=_number(record, "nomate"),
        claimed_keys=_moves(record, "claimed_keys"),
        claimed_line=_moves(record, "claimed_line"),
        any_last_move=_flag(record, "any_last_move"),
    )


def _text(record: Mapping[str, Any], field: str, default: str | None = None) -> str:
    value = record.get(field)
    if value is None:
        value = default
    if not isinstance(value, str):
        _refuse(record, field, "text")
    return value


def _number(record: Mapping[str, Any], field: str) -> str:
    """Give a number as it is written; whether it is one, its reader will tell."""
    value = record.get(field)
    return "" if value is None else json.dumps(value)


def _moves(record: Mapping[str, Any], field: str) -> list[str]:
    value = record.get(field)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(move, str) for move in value):
        _refuse(record, field, "a list of moves")
    return value


def _flag(record: Mapping[str, Any], field: str) -> bool:
    value = record.get(field, False)
    if not isinstance(value, bool):
        _refuse(record, field, "true or false")
    return value


def _refuse(record: Mapping[str, Any], field: str, expected: str) -> NoReturn:
    found = quote(json.dumps(record[field])) if field in record else "nothing"
    msg = f"{field}: expected {expected}, found {found}"
    raise InputError(msg)
