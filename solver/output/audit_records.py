"""Results for programs: JSON records, and exports as CSV, JSON lines, EPD and Parquet.

`solver.record` has the table of their fields. `audit_record` writes a result,
`read_record` turns it back into an `AuditResult`, and `unreadable_record` makes the
record of a line without a problem.
"""

from __future__ import annotations

import codecs
import csv
import json
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from solver import errors, solution
from solver.audit.results import SUBJECT, AuditResult, Mark
from solver.formats import epd, rows
from solver.output import audit_text
from solver.problem import Claim, Problem
from solver.record import (
    COLUMNS,
    FIELDS,
    KEYS,
    MOVES,
    PLIES,
    SOLUTIONS,
    Record,
    read_text_field,
    write_record,
)
from solver.stipulations import Verdict, genre_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from solver.audit.corrections import Correction

    Export: TypeAlias = Callable[[Iterable[AuditResult], BinaryIO], int]


WORDS = (
    "proved",
    "holds",
    "found",
    "disproved",
    "shorter",
    "refuted",
    "unforced",
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
        For `json.dumps`: the fields of `Record`, and at the end `disagreements` if
        there are any; see `AuditResult.disagreements`.
    """
    record = write_record(result, audited=True)
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
    _require_schema(record)
    word = read_text_field(record, "verdict") or read_text_field(record, "status")
    if not word and "error" in record:
        word = Verdict.UNREADABLE
    if word not in WORDS:
        msg = f"verdict or status: expected one of {', '.join(WORDS)}, found "
        raise errors.InputError(msg + (errors.quote(word) if word else "neither"))
    found = {name: field.kind.parse(record, name) for name, field in FIELDS.items()}
    present = {name: value for name, value in found.items() if value not in (None, "")}
    defaults = {"source": "", "id": "", "solver": "", "time_s": None}
    result = AuditResult(**{**defaults, **present})
    if not (result.verdict or result.status):
        result = result._replace(verdict=word)
    if any(ply.only is False for ply in result.claimed_plies()):
        result = result._replace(only_moves=0)
    if result.fen is None and (word != Verdict.UNREADABLE or _has_moves(result)):
        errors.refuse("fen: expected a position", "none")
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
    _require_schema(record)
    if "mark" not in record:
        errors.refuse("mark: expected accept, cook or reject", "none")
    names = [name for name in SUBJECT if name in record]
    given = {name: FIELDS[name].kind.parse(record, name) or None for name in names}
    if not any(given.get(name) for name in ("source", "id", "fen")):
        errors.refuse("mark: expected the fen, id or source of its record", "none")
    note = " ".join(read_text_field(record, "note").split())
    return given, (FIELDS["mark"].kind.parse(record, "mark"), note)


def _require_schema(record: Mapping[str, object]) -> None:
    if (schema := record.get("schema", solution.SCHEMA)) != solution.SCHEMA:
        errors.refuse(f"schema: expected {solution.SCHEMA}", errors.quote(repr(schema)))


def _has_moves(result: AuditResult) -> bool:
    """Return whether there are moves, which mean nothing without a position."""
    return any(
        getattr(result, name)
        for name, field in FIELDS.items()
        if field.kind in (KEYS, MOVES, PLIES, SOLUTIONS)
    )


def unreadable_record(error: errors.FormatError) -> dict[str, object]:
    """Make the record that replaces the answer to an unreadable line.

    Parameters
    ----------
    error : FormatError
        What is wrong with the line.

    Returns
    -------
    dict
        `id` is its name or `file:line`, `error` the reason; the other fields are None.
    """
    unreadable = Record(error.name or error.source, error.source, error=error.reason)
    return write_record(unreadable, audited=False)


def correction_record(correction: Correction) -> dict[str, object]:
    """Make the record of a correction.

    Returns
    -------
    dict
        For `json.dumps`: `action` (`changed`, `left` or `dropped`); the texts of the
        changed fields, `before` and `after`; `why`, in a sentence; what is `left`; and
        as `evidence` the record of the audit.
    """
    changed, result = bool(correction.before), correction.result
    said = audit_text.disagreement(result) or result.error or ""
    reason = said.partition("\n")[0].removeprefix(f"{result.source}: ")
    return {
        "source": result.source,
        "id": result.id,
        "fen": result.fen,
        "action": "dropped" if correction.dropped else "changed" if changed else "left",
        "before": dict(correction.before),
        "after": dict(correction.after),
        "why": correction.dropped or reason.removeprefix(f"{result.id}: "),
        "left": [*correction.left],
        "evidence": audit_record(result),
    }


def export_csv(results: Iterable[AuditResult], file: BinaryIO) -> int:
    """Write the columns of the store as CSV, with their names in the first row.

    A row is one line, so a line break in a name becomes a space.

    Returns
    -------
    int
        The number of results written, as for the other formats.
    """
    # A TextIOWrapper would close the file, which may be stdout, after an error.
    writer = csv.writer(codecs.getwriter("utf-8")(file), lineterminator="\n")
    writer.writerow(COLUMNS)
    count = 0
    for result in results:
        writer.writerow(result._replace(id=rows.one_line(result.id)).row())
        count += 1
    return count


def export_jsonl(results: Iterable[AuditResult], file: BinaryIO) -> int:
    """Write the records that `verify --jsonl` prints, one per line."""
    records = map(audit_record, results)
    lines = (json.dumps(record, separators=(",", ":")) + "\n" for record in records)
    return _write_texts(lines, file)


def export_epd(results: Iterable[AuditResult], file: BinaryIO) -> int:
    """Write the results as an EPD collection: the input with corrected claims.

    A mate is written as `dm`, `bm` with all known keys, and `pv`. Without a mate,
    or with one in place of a refuted claim that may not be the shortest, `nomate` is
    the number of moves for which that is proved. Other stipulations are
    written with the number of moves found, in help play also with the number of
    solutions, 0 if it is proved that there are none. Left out are unreadable records,
    and those of other stipulations without a solution: EPD cannot express that a
    selfmate has none.
    """
    problems = (_problem(found, found.fen) for found in results if found.fen)
    return _write_texts(
        (epd.write_epd(problem) for problem in problems if problem), file
    )


def _write_texts(texts: Iterable[str], file: BinaryIO) -> int:
    count = 0
    for text in texts:
        file.write(text.encode())
        count += 1
    return count


def write_parquet(results: Iterable[AuditResult], file: BinaryIO) -> int:
    """Write the columns of the store as Apache Parquet; needs pyarrow."""
    from solver.formats.parquet import write_rows

    types = {name: FIELDS[name].kind.column for name in COLUMNS}
    return write_rows(types, (result.row() for result in results), file)


EXPORTS: dict[str, Export] = {
    "csv": export_csv,
    "jsonl": export_jsonl,
    "epd": export_epd,
    "parquet": write_parquet,
}
"""The export formats by name, which is also the suffix of a file."""


def _problem(result: AuditResult, fen: str) -> Problem | None:
    kind, problem = genre_of(result.asked), Problem(fen, result.id)
    is_refuted = result.verdict in {Verdict.REFUTED, Verdict.UNFORCED}
    if not result.mate or (is_refuted and result.lower_bound != abs(result.mate)):
        excluded = (result.lower_bound or 1) - 1
        if result.claim is not None and result.claim < 0:
            excluded = 0  # the side to move is not mated; it may mate
        return kind.without_solution(problem, excluded)
    line, keys = tuple(result.pv.split()), tuple(result.keys.split())
    solutions = result.found_solutions() if result.solutions_complete else None
    return kind.with_solution(problem, Claim(result.mate, keys, line), solutions)
