"""Audit on a dask.distributed cluster: batches become tasks of the cluster.

`open_cluster` connects to a cluster or starts one on this machine. A `Cluster` sends
enough batches to keep every thread of the cluster busy, with one more batch waiting for
each. `check_machine`, `run_batch` and `end_audit` run on the cluster's machines.

If a worker dies, dask runs its tasks again on another worker. If workers died with a
task of a single problem, that problem is tried once more while nothing else runs:
another problem may have been the cause.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
import threading
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from uuid import uuid4

from distributed import Client, KilledWorker, LocalCluster, Security
from distributed.comm.core import connect

from solver import __version__, errors
from solver.audit.job import AuditJob, AuditOptions, TimeSlice
from solver.audit.workers import WorkerDiedError, WorkerPool, interrupts_blocked
from solver.endgames.tablebases import Tablebases
from solver.search.threads import GroupControl, usable_cores

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from solver.audit.results import AuditResult
    from solver.problem import Problem


LOCAL = "local"
"""The address of a cluster that is started here and ends with the audit."""

CONNECT_S = 10.0
"""How long to wait for a scheduler, and for its first worker."""

LOCAL_RERUNS = 1
"""How often a cluster started here reruns a task after its worker died."""

BATCH_S = 1.5
"""How much work to put into a batch, in seconds."""

BATCHES_PER_THREAD = 2
"""Batches per thread: one runs, one waits."""

MAX_BATCHES = 512
"""The most batches on the cluster; for each, a thread waits here."""

WINDOW = 16_384
"""How many records a batch may be ahead of those yielded: two batches of `BATCH_S`."""

MAX_AHEAD = 131_072
"""How many records all batches together may be ahead."""

TICK_S = 0.1
"""How soon a thread that waits for a batch notices that the audit was stopped."""

TIME_SLICE = TimeSlice(problem_s=1.0, batch_s=5.0)

MAX_AUDITS = 4
"""How many unfinished audits a worker remembers, such as those of a killed client."""


@contextmanager
def open_cluster(
    address: str, options: AuditOptions, jobs: int | None = None
) -> Iterator[Cluster]:
    """Connect to a cluster, or start one on this machine.

    Inside the block, dask's log does not appear on stderr; an error that ends the audit
    is raised.

    Parameters
    ----------
    address : str
        The scheduler's address, such as `tcp://10.0.0.1:8786`, or `local`.
    options : AuditOptions
        What the workers are to search for.
    jobs : int or None
        How many processes to start; None: one for each core.

    Raises
    ------
    ClusterError
        There is no scheduler, it has no workers, or they cannot run this audit.
    """
    with ExitStack() as stack:
        stack.enter_context(_silence())
        if address != LOCAL:
            _require_scheduler_at(address)
        with interrupts_blocked():
            target: Any = address
            if address == LOCAL:
                scratch = stack.enter_context(tempfile.TemporaryDirectory())
                target = _start(jobs or usable_cores(), scratch)
                stack.callback(_close, target)
            client = _connect(target, address)
            stack.callback(_close, client)
        cluster = Cluster(client, options)
        stack.callback(cluster.end)
        yield cluster


class Cluster:
    """A cluster that works on one audit.

    Parameters
    ----------
    client : distributed.Client
        Connected to a scheduler that has workers.
    options : AuditOptions
        What the workers are to search for.

    Attributes
    ----------
    client : distributed.Client
    pool : WorkerPool
        One worker for each batch that may be on the cluster.

    Raises
    ------
    ClusterError
        A machine has no solver, one of another version, or lacks the endgame tables.
    """

    def __init__(self, client: Any, options: AuditOptions) -> None:
        self.client = client
        self._audit = str(uuid4())
        folders = tuple(str(Path(folder).absolute()) for folder in options.directories)
        self._options = replace(options, directories=folders)
        self._require_same_version()
        threads = sum(self.client.nthreads().values())
        jobs = max(2, min(BATCHES_PER_THREAD * threads, MAX_BATCHES))
        window = min(WINDOW, MAX_AHEAD // jobs)
        self.pool = WorkerPool(
            lambda control: ClusterWorker(self, control), jobs, window
        )
        self._slots = threading.Semaphore(jobs)
        self._quarantine = threading.Lock()
        self._suspects: set[Problem] = set()

    def run_batch(
        self, problems: Sequence[Problem], control: GroupControl
    ) -> list[AuditResult | None]:
        """Run a batch on the cluster; see `Worker.run_batch`."""
        is_alone = len(problems) == 1
        with self._slot(exclusive=is_alone and problems[0] in self._suspects):
            try:
                return self._wait_for(self._submit(problems), problems, control)
            except WorkerDiedError:
                if is_alone:
                    self._suspects.add(problems[0])
                raise

    def end(self) -> None:
        """Stop the searches on the cluster, and free the audit's memory there."""
        if self.client.status == "running":
            self.client.run(end_audit, self._audit, on_error="ignore")

    def _require_same_version(self) -> None:
        folders = self._options.directories
        found: dict[str, object] = self.client.run(
            check_machine, folders, on_error="return"
        )
        try:  # the scheduler unpickles the tasks, too
            found["the scheduler"] = self.client.run_on_scheduler(check_machine, ())
        except ImportError as error:
            found["the scheduler"] = error
        for machine, version in found.items():
            if isinstance(version, errors.MatesolveError | OSError):
                _refuse(f"{machine}: {version}")
            if version != __version__:
                named = (
                    f"none ({version})" if isinstance(version, Exception) else version
                )
                _refuse(f"{machine}: {other_version(__version__, str(named))}")

    def _submit(self, problems: Sequence[Problem]) -> Any:
        self._require_scheduler()
        return self.client.submit(
            run_batch,
            self._audit,
            __version__,
            self._options,
            list(problems),
            key=f"matesolve-{uuid4()}",  # or dask may return an earlier task's results
        )

    def _wait_for(
        self, task: Any, problems: Sequence[Problem], control: GroupControl
    ) -> list[AuditResult | None]:
        done = threading.Event()
        task.add_done_callback(lambda _: done.set())
        while not done.wait(TICK_S):
            if control.is_stopped():
                task.release()
                return [None] * len(problems)
        if task.status == "error":
            error = task.exception()
            if isinstance(error, KilledWorker):
                raise WorkerDiedError from None
            if isinstance(error, ImportError):
                _refuse(f"a worker has no matesolve {__version__}: {error}")
            raise error
        try:
            results: list[AuditResult | None] = task.result()
        except (CancelledError, OSError):
            self._require_scheduler()
            raise WorkerDiedError from None
        return results

    def _require_scheduler(self) -> None:
        if self.client.status != "running":
            _refuse("lost the connection to the cluster's scheduler")

    @contextmanager
    def _slot(self, *, exclusive: bool) -> Iterator[None]:
        """Hold one slot for a batch, or all slots, so that nothing else runs."""
        slots = self.pool.jobs if exclusive else 1
        with self._quarantine if exclusive else nullcontext():
            for _ in range(slots):
                self._slots.acquire()
        try:
            yield
        finally:
            self._slots.release(slots)


@dataclass
class ClusterWorker:
    """Runs batches on a cluster, one after another."""

    cluster: Cluster
    control: GroupControl
    batch_s = BATCH_S * BATCHES_PER_THREAD  # a batch waits there for the one before

    def run_batch(self, problems: Sequence[Problem]) -> list[AuditResult | None]:
        """Send a batch and wait for its results."""
        return self.cluster.run_batch(problems, self.control)

    def close(self) -> None:
        """Do nothing: `open_cluster` closes the cluster."""


# The functions below this line run on the machines of the cluster.


class _RunningAudit:
    """An audit in one process of the cluster."""

    def __init__(self) -> None:
        self.control = GroupControl()
        self._of_thread = threading.local()

    def job(self, options: AuditOptions) -> AuditJob:
        """Return the job of the calling thread, which keeps its table."""
        job: AuditJob | None = getattr(self._of_thread, "job", None)
        if job is None:
            job = AuditJob(options, searching=self.control.search)
            self._of_thread.job = job
        return job


_running: dict[str, _RunningAudit] = {}


def check_machine(directories: Sequence[str]) -> str:
    """Return the version of the solver on this machine.

    Parameters
    ----------
    directories : sequence of str
        Where the endgame tables must be.

    Raises
    ------
    OSError, TablebaseError
        They are not there.
    """
    Tablebases(directories).close()
    return __version__


def run_batch(
    audit: str, version: str, options: AuditOptions, problems: Sequence[Problem]
) -> list[AuditResult | None]:
    """Audit a batch, and hand back problems that take too long.

    Parameters
    ----------
    audit : str
        Identifies the audit; a thread has one table for all its batches.
    version : str
        The solver's version where the audit was started.
    options : AuditOptions
        What to search for.
    problems : sequence of Problem
        The batch.

    Returns
    -------
    list of AuditResult or None
        See `AuditJob.run_batch`.

    Raises
    ------
    ClusterError
        This machine has another version.
    """
    if version != __version__:
        raise errors.ClusterError(other_version(version, __version__))
    running = _running.setdefault(audit, _RunningAudit())
    for old in list(_running)[:-MAX_AUDITS]:
        end_audit(old)
    return running.job(options).run_batch(problems, TIME_SLICE)


def end_audit(audit: str) -> None:
    """Stop an audit's searches in this process, and free its memory."""
    running = _running.pop(audit, None)
    if running:
        running.control.stop()


def other_version(expected: str, found: str) -> str:
    """Return the message for a machine that has another version of the solver."""
    return f"expected matesolve {expected}, found {found}"


# What `open_cluster` starts, connects to and closes.


def _start(processes: int, scratch: str) -> Any:
    """Start a cluster that only this machine can reach."""
    start: Any = LocalCluster  # its arguments have no types
    return start(
        n_workers=processes,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        local_directory=scratch,
        memory_limit=0,
        silence_logs=logging.CRITICAL,
        scheduler_kwargs={
            "allowed_failures": LOCAL_RERUNS,
            "dashboard_address": "127.0.0.1:0",  # else a second cluster warns of 8787
        },
    )


def _connect(target: Any, address: str) -> Any:
    connect_to: Any = Client  # its arguments have no types
    client = connect_to(target, timeout=CONNECT_S, set_as_default=False)
    try:
        client.wait_for_workers(1, timeout=CONNECT_S)
    except TimeoutError:
        client.close()
        _refuse(f"{address}: expected workers, found none within {CONNECT_S:g} s")
    return client


def _require_scheduler_at(address: str) -> None:
    """Refuse an address where no scheduler answers: a client could wait forever."""
    security: Any = Security
    settings = security().get_connection_args("client")
    if address.startswith("tls:") and settings["ssl_context"] is None:
        msg = f"{address}: dask's settings name no certificates (distributed.comm.tls)"
        raise errors.ClusterError(msg)
    open_connection: Any = connect
    connected = threading.Event()

    async def try_to_connect() -> None:
        with suppress(OSError):
            comm = await open_connection(address, timeout=CONNECT_S, **settings)
            connected.set()
            await comm.close()

    # In a daemon thread: dask waits beyond its own time limit for a server that accepts
    # the connection and then sends nothing.
    thread = threading.Thread(target=lambda: asyncio.run(try_to_connect()), daemon=True)
    thread.start()
    thread.join(CONNECT_S)
    if not connected.is_set():
        found = f"none within {CONNECT_S:g} s"
        _refuse(f"{address}: expected a dask scheduler, found {found}")


def _refuse(message: str) -> NoReturn:
    raise errors.ClusterError(message) from None


def _close(connection: Any) -> None:
    with interrupts_blocked():  # dask closes at exit again what is half closed
        connection.close()


@contextmanager
def _silence() -> Iterator[None]:
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
