"""A collection against its claims: several positions at once, none lost, none twice.

Problems are read by one thread, as far ahead as a bounded window lets, and examined in
batches by workers: this process, or others beside it or on other machines. A problem
that takes long is set apart from its batch, so that it holds back no other.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from solver.audit.job import Examined, Inquiry
from solver.audit.queue import AuditControl, Desk, OnExamined
from solver.audit.workers import Dispatcher, Staff, local_staff

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from solver.audit.queue import Told
    from solver.audit.result import AuditResult
    from solver.audit.resume import Archive
    from solver.errors import FormatError
    from solver.problem import Problem

__all__ = [
    "AuditControl",
    "Examined",
    "Inquiry",
    "OnExamined",
    "Staff",
    "audit",
    "local_staff",
]

_PATIENCE_S = 1.0
"""How long an audit waits for threads that it has stopped, in seconds."""


def audit(
    records: Iterable[Problem | FormatError],
    inquiry: Inquiry,
    staff: Staff,
    *,
    archive: Archive | None = None,
    on_examined: OnExamined | None = None,
    ordered: bool = False,
    control: AuditControl | None = None,
) -> Generator[AuditResult]:
    """Answer each problem and judge what its source claims of it.

    Parameters
    ----------
    records : iterable of Problem or FormatError
        The collection. It is read in a thread of its own.
    inquiry : Inquiry
        What is asked of each problem.
    staff : Staff
        Who examines; see `local_staff`.
    archive : Archive or None
        Answers what was answered before, and keeps the rest.
    on_examined : callable or None
        Called with each new answer before it is kept, in some thread.
    ordered : bool
        Tell the findings in the order of the records, which a problem that takes long
        then holds back. One job alone does so in any case.
    control : AuditControl or None
        Whoever holds it can stop the audit: results that are complete by then are
        told, searches that were cut short are left out.

    Yields
    ------
    Finding
        One for each record, as soon as it is known.

    Raises
    ------
    Exception
        What a worker, the archive or the source of the records raised.
    """
    stopping = control or AuditControl()
    desk = Desk(
        records,
        stopping,
        archive=archive,
        on_examined=on_examined,
        room=staff.window * staff.jobs,
    )

    dispatcher = Dispatcher(
        desk,
        stopping,
        lambda: staff.make_worker(stopping),
        share=staff.jobs,
        largest=1 if inquiry.certify else staff.window // 2,
    )
    # Daemons: one that waits for a line of standard input must not delay the exit.
    workers = [
        threading.Thread(target=dispatcher.work, daemon=True) for _ in range(staff.jobs)
    ]
    for thread in (threading.Thread(target=desk.read, daemon=True), *workers):
        thread.start()
    try:
        told = desk.results()
        for _, what in _in_order(told) if ordered or staff.jobs == 1 else told:
            yield _require_finding(what)
            desk.make_room()
    except BaseException:
        stopping.stop()  # also when the caller has left off: nobody wants the rest
        raise
    finally:
        _wait_for(workers)


def _in_order(results: Iterator[Told]) -> Iterator[Told]:
    """Hold back what is told before its turn; at the end, tell what there is."""
    early: dict[int, Told] = {}
    turn = 0
    for told in results:
        if told.number < turn:  # an error, of a record that was told already
            yield told
        early[told.number] = told
        while turn in early:
            yield early.pop(turn)
            turn += 1
    for number in sorted(early):
        yield early[number]


def _require_finding(what: AuditResult | BaseException) -> AuditResult:
    if isinstance(what, BaseException):
        raise what
    return what


def _wait_for(threads: Iterable[threading.Thread]) -> None:
    until = time.monotonic() + _PATIENCE_S
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
