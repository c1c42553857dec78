"""Audit a collection: search every problem and compare the answer with its claim.

One thread reads the records into a `WorkQueue`. Each worker has a thread that takes
batches from the queue and runs them: in this process, in a process of its own, or on a
cluster. The calling thread yields the results.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from solver.audit.queue import OnResult, WorkQueue
from solver.audit.workers import WorkerLoop, WorkerPool
from solver.search.threads import GroupControl

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from solver.audit.job import AuditOptions
    from solver.audit.result import AuditResult
    from solver.audit.resume import ResumeStore
    from solver.errors import FormatError
    from solver.problem import Problem

_JOIN_S = 1.0
"""How long an audit waits for its threads after it has stopped them, in seconds."""


def audit(
    records: Iterable[Problem | FormatError],
    options: AuditOptions,
    pool: WorkerPool,
    *,
    resume: ResumeStore | None = None,
    on_result: OnResult | None = None,
    ordered: bool = False,
    control: GroupControl | None = None,
) -> Generator[AuditResult]:
    """Yield the result of each record of a collection as soon as it is known.

    Parameters
    ----------
    records : iterable of Problem or FormatError
        The collection. It is read in a thread of its own.
    options : AuditOptions
        What to search for.
    pool : WorkerPool
        The workers; see `local_workers`.
    resume : ResumeStore or None
        Returns earlier answers and saves new ones.
    on_result : callable or None
        Called with each new result, its certificate included, before the result is
        saved; in a worker's thread.
    ordered : bool
        Yield the results in the order of the records, so that a slow problem delays all
        after it. A single worker always keeps the order.
    control : GroupControl or None
        Stops the audit: results that are complete by then are yielded, searches that
        were interrupted are left out.

    Yields
    ------
    AuditResult
        One for each record.

    Raises
    ------
    Exception
        The error of a worker, of the store, or of the source of the records.
    """
    control = control or GroupControl()
    queue = WorkQueue(
        records,
        control,
        resume=resume,
        on_result=on_result,
        room=pool.window * pool.jobs,
    )
    largest = 1 if options.certify else pool.window // 2
    loop = WorkerLoop(queue, control, pool, largest)
    # Daemons: a thread that waits for a line of standard input must not delay the exit.
    workers = [threading.Thread(target=loop.run, daemon=True) for _ in range(pool.jobs)]
    for thread in (threading.Thread(target=queue.read, daemon=True), *workers):
        thread.start()
    try:
        yield from queue.results(ordered=ordered or pool.jobs == 1)
    except BaseException:  # also an interrupt, or the caller closes this generator
        control.stop()
        raise
    finally:
        until = time.monotonic() + _JOIN_S
        for thread in workers:
            thread.join(max(0.0, until - time.monotonic()))
