"""The same audit on dask.distributed: batches become tasks of a cluster.

As many batches are under way as keep each thread of the cluster busy while the next one
waits there. Tasks of a worker that is lost run again elsewhere. A problem that was
alone in tasks that lost their workers is tried once more while nothing else is under
way, since else it could not be told from its neighbours.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
import threading
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from dask.system import CPU_COUNT
from distributed import Client, KilledWorker, LocalCluster, Security
from distributed.comm.core import connect

from solver import __version__
from solver.audit.job import Examiner, Patience
from solver.audit.queue import AuditControl
from solver.audit.workers import Staff, WorkerLostError, interrupts_held_back
from solver.endgames.tablebases import Tablebases
from solver.errors import ClusterError, MatesolveError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from solver.audit.job import Examined, Inquiry
    from solver.problem import Problem


# What the workers of a cluster do for an audit; this module runs on their machines.

PATIENCE = Patience(problem_s=1.0, batch_s=5.0)

MOST_AUDITS = 4
"""How many audits a process remembers that were not ended, such as those of a client
that was killed."""


class _Share:
    """What one process does of an audit."""

    def __init__(self) -> None:
        self.control = AuditControl()
        self._of_thread = threading.local()

    def examiner(self, inquiry: Inquiry) -> Examiner:
        """Give the examiner of the calling thread."""
        made: Examiner | None = getattr(self._of_thread, "examiner", None)
        if made is None:
            made = Examiner(inquiry, searching=self.control.search)
            self._of_thread.examiner = made
        return made


_shares: dict[str, _Share] = {}


def introduce(directories: Sequence[str]) -> str:
    """Give the version of the solver here.

    Parameters
    ----------
    directories : sequence of str
        Where endgame tables are to be.

    Raises
    ------
    OSError, TablebaseError
        They are not there.
    """
    Tablebases(directories).close()
    return __version__


def examine_all(
    audit: str, version: str, inquiry: Inquiry, problems: Sequence[Problem]
) -> list[Examined | None]:
    """Examine a batch, in which no problem is to wait long for another.

    Parameters
    ----------
    audit : str
        Names the audit; a thread has one table for all its batches.
    version : str
        The solver's, where the audit was begun.
    inquiry : Inquiry
        What is asked.
    problems : sequence of Problem
        The batch.

    Returns
    -------
    list of Examined or None
        One for each problem, in their order; None for one that is to come again.

    Raises
    ------
    ClusterError
        Here is another version.
    """
    if version != __version__:
        raise ClusterError(other_version(version, __version__))
    return _share_of(audit).examiner(inquiry).examine_all(problems, PATIENCE)


def end(audit: str) -> None:
    """Stop what is searched for an audit, and free its memory."""
    share = _shares.pop(audit, None)
    if share:
        share.control.stop()


def other_version(expected: str, found: str) -> str:
    """Say that a worker's solver is another one."""
    return f"expected matesolve {expected}, found {found}"


def _share_of(audit: str) -> _Share:
    share = _shares.setdefault(audit, _Share())
    for old in list(_shares)[:-MOST_AUDITS]:
        end(old)
    return share


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
            self.client.run(end, self._audit, on_error="ignore")

    def _require_alike(self) -> None:
        places = self._inquiry.directories
        told: dict[str, object] = self.client.run(introduce, places, on_error="return")
        try:  # dask has the scheduler read the tasks, too
            told["the scheduler"] = self.client.run_on_scheduler(introduce, ())
        except ImportError as error:
            told["the scheduler"] = error
        for where, answer in told.items():
            if isinstance(answer, MatesolveError | OSError):
                msg = f"{where}: {answer}"
                raise ClusterError(msg)
            if answer != __version__:
                found = f"none ({answer})" if isinstance(answer, Exception) else answer
                msg = f"{where}: {other_version(__version__, str(found))}"
                raise ClusterError(msg)

    def _submit(self, problems: Sequence[Problem]) -> Any:
        self._require_scheduler()
        return self.client.submit(
            examine_all,
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


# Clusters that are found or started, and closed quietly when the audit has ended.

LOCAL = "local"
"""The address of a cluster that is started here, and ends with the audit."""

CONNECT_S = 10.0
"""How long to wait for a scheduler, and for its first worker."""

LOCAL_RERUNS = 1
"""How often a cluster that is started here runs a task again whose worker was lost."""


@contextmanager
def open_cluster(
    address: str, inquiry: Inquiry, jobs: int | None = None
) -> Iterator[Cluster]:
    """Connect to a cluster, or start one on this machine.

    dask's log is kept off stderr meanwhile: what ends the audit is raised.

    Parameters
    ----------
    address : str
        A scheduler's, such as `tcp://10.0.0.1:8786`, or `local`.
    inquiry : Inquiry
        What its workers are to ask.
    jobs : int or None
        How many processes to start; None: as many as there are cores.

    Raises
    ------
    ClusterError
        There is no scheduler, it has no workers, or they cannot do this audit.
    """
    with ExitStack() as stack:
        stack.enter_context(_silence())
        if address != LOCAL:
            _require_scheduler_at(address)
        with interrupts_held_back():
            where: Any = address
            if address == LOCAL:
                scratch = stack.enter_context(tempfile.TemporaryDirectory())
                where = _start(jobs or CPU_COUNT, scratch)
                stack.callback(_close, where)
            client = _connect(where, address)
            stack.callback(_close, client)
        cluster = Cluster(client, inquiry)
        stack.callback(cluster.end)
        yield cluster


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
        scheduler_kwargs={"allowed_failures": LOCAL_RERUNS},
    )


def _connect(where: Any, address: str) -> Any:
    begin: Any = Client  # its arguments have no types
    client = begin(where, timeout=CONNECT_S, set_as_default=False)
    try:
        client.wait_for_workers(1, timeout=CONNECT_S)
    except TimeoutError:
        client.close()
        msg = f"{address}: expected workers, found none within {CONNECT_S:g} s"
        raise ClusterError(msg) from None
    return client


def _require_scheduler_at(address: str) -> None:
    """Refuse an address at which no scheduler answers; a client might wait forever."""
    security: Any = Security
    settings = security().get_connection_args("client")
    if address.startswith("tls:") and settings["ssl_context"] is None:
        msg = f"{address}: dask's settings name no certificates (distributed.comm.tls)"
        raise ClusterError(msg)
    knock: Any = connect
    opened = threading.Event()

    async def try_it() -> None:
        with suppress(OSError):
            comm = await knock(address, timeout=CONNECT_S, **settings)
            opened.set()
            await comm.close()

    # A thread that may be left behind: what accepts a connection and then says nothing
    # keeps dask waiting beyond its own time limit.
    knocking = threading.Thread(target=lambda: asyncio.run(try_it()), daemon=True)
    knocking.start()
    knocking.join(CONNECT_S)
    if not opened.is_set():
        msg = f"{address}: expected a dask scheduler, found none within {CONNECT_S:g} s"
        raise ClusterError(msg)


def _close(connection: Any) -> None:
    with interrupts_held_back():  # half closed, dask would close it at exit once more
        connection.close()


@contextmanager
def _silence() -> Iterator[None]:
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
