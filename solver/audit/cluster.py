"""The same audit on dask.distributed: batches become tasks of a cluster.

As many batches are under way as keep each thread of the cluster busy while the next one
waits there. Tasks of a worker that is lost run again elsewhere. A problem that was
alone in tasks that lost their workers is tried once more while nothing else is under
way, since else it could not be told from its neighbours.
"""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from distributed import KilledWorker

from solver.audit import remote
from solver.audit.workers import Staff, WorkerLostError
from solver.errors import ClusterError, MatesolveError
from solver.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from solver.audit.control import AuditControl
    from solver.audit.inquiry import Inquiry
    from solver.audit.job import Examined
    from solver.problem import Problem

BATCH_S = 1.5
"""How much work a batch should be."""

BATCHES_PER_THREAD = 2
"""One that is examined, and one that waits for it."""

MOST_BATCHES = 512
"""How many may be under way; each takes a thread here, to wait for it."""

WINDOW = 16_384
"""How many records a batch may be ahead of those told: room for two of `BATCH_S`."""

MOST_AHEAD = 131_072
"""How many all batches may be."""

TICK_S = 0.1
"""How soon a thread that waits for a batch notices that the audit was stopped."""


class Cluster:
    """A cluster at work on one audit.

    Parameters
    ----------
    client : distributed.Client
        Connected to a scheduler that has workers.
    inquiry : Inquiry
        What they are to ask.

    Attributes
    ----------
    client : distributed.Client
        As given.
    staff : Staff
        Who waits for the batches that are under way at once.

    Raises
    ------
    ClusterError
        A worker has no solver, one of another version, or lacks the endgame tables.
    """

    def __init__(self, client: Any, inquiry: Inquiry) -> None:
        self.client = client
        self._audit = str(uuid4())
        places = tuple(str(Path(place).absolute()) for place in inquiry.directories)
        self._inquiry = replace(inquiry, directories=places)
        self._require_alike()
        threads = sum(self.client.nthreads().values())
        jobs = max(2, min(BATCHES_PER_THREAD * threads, MOST_BATCHES))
        window = min(WINDOW, MOST_AHEAD // jobs)
        self.staff = Staff(lambda control: ClusterWorker(self, control), jobs, window)
        self._places = threading.Semaphore(jobs)
        self._quarantine = threading.Lock()
        self._suspects: set[Problem] = set()

    def examine_all(
        self, problems: Sequence[Problem], control: AuditControl
    ) -> list[Examined | None]:
        """Have a batch examined; see `Worker.examine_all`."""
        is_alone = len(problems) == 1
        with self._place(apart=is_alone and problems[0] in self._suspects):
            try:
                return self._wait_for(self._submit(problems), problems, control)
            except WorkerLostError:
                if is_alone:
                    self._suspects.add(problems[0])
                raise

    def end(self) -> None:
        """Stop what is still searched, and free the memory that the audit has there."""
        if self.client.status == "running":
            self.client.run(remote.end, self._audit, on_error="ignore")

    def _require_alike(self) -> None:
        places = self._inquiry.directories
        told: dict[str, object] = self.client.run(
            remote.introduce, places, on_error="return"
        )
        try:  # dask has the scheduler read the tasks, too
            told["the scheduler"] = self.client.run_on_scheduler(remote.introduce, ())
        except ImportError as error:
            told["the scheduler"] = error
        for where, answer in told.items():
            if isinstance(answer, MatesolveError | OSError):
                msg = f"{where}: {answer}"
                raise ClusterError(msg)
            if answer != __version__:
                found = f"none ({answer})" if isinstance(answer, Exception) else answer
                msg = f"{where}: {remote.other_version(__version__, str(found))}"
                raise ClusterError(msg)

    def _submit(self, problems: Sequence[Problem]) -> Any:
        self._require_scheduler()
        return self.client.submit(
            remote.examine_all,
            self._audit,
            __version__,
            self._inquiry,
            list(problems),
            key=f"matesolve-{uuid4()}",  # never the answer to an earlier task
        )

    def _wait_for(
        self, task: Any, problems: Sequence[Problem], control: AuditControl
    ) -> list[Examined | None]:
        done = threading.Event()
        task.add_done_callback(lambda _: done.set())
        while not done.wait(TICK_S):
            if control.is_stopped():
                task.release()
                return [None] * len(problems)
        if task.status == "error":
            error = task.exception()
            if isinstance(error, KilledWorker):
                raise WorkerLostError from None
            if isinstance(error, ImportError):
                msg = f"a worker has no matesolve {__version__}: {error}"
                raise ClusterError(msg)
            raise error
        try:
            examined: list[Examined | None] = task.result()
        except (CancelledError, OSError):
            self._require_scheduler()
            raise WorkerLostError from None
        return examined

    def _require_scheduler(self) -> None:
        if self.client.status != "running":
            msg = "lost the connection to the cluster's scheduler"
            raise ClusterError(msg)

    @contextmanager
    def _place(self, *, apart: bool) -> Iterator[None]:
        """Take part in the work, or have all places, so that nobody else works."""
        taken = self.staff.jobs if apart else 1
        with self._quarantine if apart else nullcontext():
            for _ in range(taken):
                self._places.acquire()
        try:
            yield
        finally:
            self._places.release(taken)


class ClusterWorker:
    """Has batches examined by a cluster, one after the other."""

    batch_s = BATCH_S * BATCHES_PER_THREAD  # each waits for the one before

    def __init__(self, cluster: Cluster, control: AuditControl) -> None:
        self._cluster = cluster
        self._control = control

    def examine_all(self, problems: Sequence[Problem]) -> list[Examined | None]:
        """Send a batch and wait for what comes back."""
        return self._cluster.examine_all(problems, self._control)

    def close(self) -> None:
        """Do nothing: the cluster is closed once for all."""
