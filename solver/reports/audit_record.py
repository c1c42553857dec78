"""Verdicts for programs: the record of an answer, and how its claim fared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.errors import FormatError
from solver.reports.record import solution_record, unreadable_record

if TYPE_CHECKING:
    from solver.verdict import Result


def result_record(result: Result) -> dict[str, object]:
    """Make the record of one result of an audit.

    Parameters
    ----------
    result : Result
        What the audit tells.

    Returns
    -------
    dict
        What `json.dumps` takes: the record of the answer, with `verdict` behind its
        `status` (None where nothing was claimed), and at its end, only if there are
        any, `nomate` (claimed: none in so many moves) and `wrong_keys` in UCI notation.
    """
    if isinstance(result.answer, FormatError):
        record = unreadable_record(result.answer)
    else:
        record = solution_record(result.answer)
    told: dict[str, object] = {}
    for name, value in record.items():
        told[name] = value
        if name == "status":
            told["verdict"] = str(result.verdict) if result.verdict else None
    if (none_in := _no_mate(result)) is not None:
        told["nomate"] = none_in
    if result.wrong_keys:
        told["wrong_keys"] = list(result.wrong_keys)
    return told


def _no_mate(result: Result) -> int | None:
    if isinstance(result.answer, FormatError):
        return None
    return result.answer.problem.no_mate
