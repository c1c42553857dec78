"""The page of a collection: totals and rows in HTML, and all records for the script."""

from __future__ import annotations

import base64
import gzip
import json
from typing import TYPE_CHECKING, Any

from solver.audit.result import AuditResult, audit_result
from solver.board import parse_fen
from solver.errors import FormatError, InputError
from solver.output.audit_records import audit_record, read_record
from solver.output.audit_text import soundness_of
from solver.output.text import duration
from solver.pages import fill_page, page_record
from solver.pages.board_page import viewer_data
from solver.pages.tally import UNSOLVED, VERDICTS, Tally, verdict_of
from solver.problem import Problem
from solver.record import MARKS
from solver.solution import Solution, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeAlias

    Record: TypeAlias = AuditResult | Mapping[str, object] | Problem | FormatError

MAX_ROWS = 20_000
"""At most this many disagreeing records are listed; all are counted."""

MAX_AGREEING = 1_000
"""At most this many agreeing records of an audit are listed."""

FIRST_ROWS = 50
"""Without scripts, a page shows this many rows."""


def render_page(
    records: Iterable[Record],
    *,
    title: str,
    chosen: Callable[[AuditResult], bool] = lambda _result: True,
    modules: Mapping[str, bytes] | None = None,
    most_agreeing: int = MAX_AGREEING,
    on_damaged: Callable[[str], None] = lambda _line: None,
    on_left_out: Callable[[str], None] = lambda _line: None,
    skipped: Callable[[], str] = str,
) -> bytes:
    """Return the page of a collection.

    A damaged record is listed as unreadable, with the reason.

    Parameters
    ----------
    records : iterable of AuditResult, Mapping, Problem or FormatError
        Results of an audit, their records as `audit_records.audit_record` makes them,
        or a collection that nobody has solved; read one at a time.
    title : str
        The title of the page.
    chosen : callable
        Whether the page has a result.
    modules : mapping of str to bytes
        The WebAssembly modules by the names of their parts; a page without them does
        not solve.
    most_agreeing : int
        How many records that agree with their claims are listed.
    on_damaged, on_left_out : callable
        Called with a line of text for each damaged record, and if records are left out.
    skipped : callable
        Called after the last record; returns a sentence about those that are not among
        them, or nothing.

    Returns
    -------
    bytes
        One self-contained HTML file in UTF-8.
    """
    tally = Tally()
    room = {False: MAX_ROWS, True: most_agreeing}
    first: dict[bool, list[dict[str, Any]]] = {False: [], True: []}
    lines: list[str] = []
    for number, given in enumerate(records, 1):
        try:
            result = _result(given)
        except InputError as error:
            name = f"record {number}"
            on_damaged(f"{name}: {error}")
            result = audit_result(FormatError(name, str(error)))
        if not chosen(result):
            continue
        agrees = verdict_of(result) != UNSOLVED and result.agrees
        claim = tally.add(result, agrees=agrees)
        if not room[agrees]:
            continue
        room[agrees] -= 1
        record = page_record(audit_record(result))
        record["row"] = [claim, _found(result), agrees, soundness_of(result)]
        lines.append(json.dumps(record, separators=(",", ":")))
        if len(first[agrees]) < FIRST_ROWS:
            first[agrees].append(record)
    note = skipped()
    if left_out := tally.all.total - len(lines):
        counted = f"{left_out:,} more records are counted, not listed."
        on_left_out(f"{len(lines):,} records are listed; {counted}")
        note = f"{counted} {note}"
    packed = gzip.compress("\n".join(lines).encode(), mtime=0)
    return fill_page(
        "collection.html",
        title=title,
        style="collection.css",
        scripts=["modules/collection.mjs"] if lines else [],
        tally=tally,
        rows=(first[False] + first[True])[:FIRST_ROWS],
        note=note,
        duration=duration,
        menus={
            "verdict": [word for word, _ in tally.verdicts_found],
            "soundness": [word for word, _ in tally.soundness_found],
            "claim": [row.name for row in tally.claims],
            "mark": (*MARKS, "unmarked"),
        },
        data={
            "records": base64.b64encode(packed).decode(),
            "totals": {word: tally.all.verdicts[word] for word in VERDICTS},
            **viewer_data(modules if lines else None),
        },
    )


def _result(given: Record) -> AuditResult:
    """Return any record as a result; an unsolved one has no status."""
    if isinstance(given, Problem):
        unsolved = Solution(given, Status.UNDECIDED, None, 0)
        return audit_result(unsolved)._replace(status=None, verdict=None, time_s=None)
    if isinstance(given, FormatError):
        return audit_result(given)
    if isinstance(given, AuditResult):
        return given
    result = read_record(given)
    if result.fen is not None:
        parse_fen(result.fen)
    return result


def _found(result: AuditResult) -> str:
    """Name what was found as briefly as a claim."""
    if result.mate is not None and result.mate <= 0:
        return f"#{result.mate}"
    if result.mate:
        found = str(result.asked.with_attacker_moves(result.mate))
        solutions = len(result.found_solutions())
        return f"{found}, {solutions}" if solutions else found
    excluded = (result.lower_bound or 0) - 1
    if excluded <= 0:
        return ""
    if result.claim is not None and result.claim < 0:
        return f"no #-{excluded}"
    return f"no {result.asked.with_attacker_moves(excluded)}"
